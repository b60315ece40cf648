"""Terz's closed phase learned from exact values: where they stand, and that they are learned."""

import numpy as np
import pytest
import torch

from terz_env.games import get_game
from tests.training.tiny_runs import tiny
from training import ppo
from training.config import PpoConfig, SolverConfig, TrainingConfig
from training.jobs import PlayJob, Table
from training.rollout import Rollout, unpack_masks
from training.run_state import RunState, tensors_of
from training.teaching import Teaching

SETTINGS = SolverConfig(share=1.0, weight=1.0, temperature=0.05)
OFF = SolverConfig(share=0.0, weight=1.0, temperature=0.05)


def played(config: TrainingConfig) -> Rollout:
    return Table(config).play(PlayJob(0, 0, tensors_of(RunState.begin(config).network)))


def last_choices(rollout: Rollout) -> dict[int, int]:
    """The row of the last choice of each deal, which lies in the closed phase."""
    return {deal: row for row, deal in enumerate(rollout.environments.tolist())}


@pytest.mark.parametrize("suits", ["canonical", "plain"])
def test_every_choice_of_the_closed_phase_has_the_exact_values_of_its_legal_actions(
    suits: str,
) -> None:
    rollout = played(tiny("terz", "solver.share=1.0", f"network.suits={suits}"))
    masks = unpack_masks(rollout.masks, get_game("terz").n_actions)
    known = ~np.isnan(rollout.exact[:, 0])
    assert 0.2 < known.mean() < 0.8
    assert np.isnan(rollout.exact[~known]).all()
    np.testing.assert_array_equal(np.isneginf(rollout.exact[known]), ~masks[known])
    assert known[list(last_choices(rollout).values())].all()


def test_the_values_are_what_exact_play_would_bring() -> None:
    """With the last choice of a deal the recorded result follows, but for rounding."""
    config = tiny("terz", "solver.share=1.0", "rollout.deals=256", "opponents.player_share=0.0")
    rollout = played(config)
    points = 1 / get_game("terz").reward_scale
    gains = []
    for deal, row in last_choices(rollout).items():
        legal = rollout.exact[row][np.isfinite(rollout.exact[row])]
        if np.ptp(legal) > 0:
            lost = (legal.max() - rollout.exact[row, rollout.actions[row]]) * points
            gains.append((lost, rollout.results[deal, rollout.seats[row]] * points))
    best = np.array([result for lost, result in gains if lost == 0])
    worse = np.array([result for lost, result in gains if lost > 15])
    assert min(len(best), len(worse)) > 10
    assert best.mean() > worse.mean() + 10


def test_a_share_of_the_deals_is_taught() -> None:
    rollout = played(tiny("terz", "solver.share=0.25"))
    taught = np.unique(rollout.environments[~np.isnan(rollout.exact[:, 0])])
    np.testing.assert_array_equal(taught, np.arange(len(rollout.results) / 4))
    assert played(tiny("terz")).exact.shape == (len(played(tiny("terz"))), 0)


def teaching() -> Teaching:
    policies = torch.tensor([[0.5, 0.5], [0.0, 0.0], [1.0, 0.0]])
    return Teaching(np.array([True, False, True]), policies, 2.0)


def test_the_loss_is_the_weighted_cross_entropy_of_taught_decisions() -> None:
    log_policy = torch.log(torch.tensor([[0.25, 0.75], [0.5, 0.5], [0.5, 0.5]]))
    loss, divergence = teaching().loss(np.arange(3), log_policy)
    crossed = -0.5 * np.log(0.25) - 0.5 * np.log(0.75), np.log(2)
    assert float(loss) == pytest.approx(2 * sum(crossed) / 3)
    assert float(divergence) == pytest.approx((sum(crossed) - np.log(2)) / 2)
    nothing, none = teaching().loss(np.array([1]), log_policy[1:2])
    assert float(nothing) == float(none) == 0


def test_policies_are_made_of_scaled_values() -> None:
    rollout = played(tiny("terz", "solver.share=0.5"))
    made = Teaching.of_rollout(rollout, SETTINGS, 2.0)
    assert made is not None
    row = int(np.flatnonzero(made.known)[-1])
    powers = np.exp((rollout.exact[row] - rollout.exact[row].max()) * 2 / SETTINGS.temperature)
    np.testing.assert_allclose(made.policies[row], powers / powers.sum(), atol=1e-6)
    assert not made.policies[~torch.from_numpy(made.known)].any()
    assert Teaching.of_rollout(rollout, OFF, 2.0) is None


def learned(config: PpoConfig, weight: float, rounds: int) -> list[float]:
    """The divergences from the solver's policies, from updates on one roll-out."""
    run_config = tiny("terz", "solver.share=1.0", "rollout.deals=128")
    run = RunState.begin(run_config)
    rollout = played(run_config)
    made = Teaching.of_rollout(rollout, SETTINGS, 2.0)
    assert made is not None
    advantages = np.random.default_rng(1).normal(size=len(rollout)).astype(np.float32)
    found = []
    for number in range(rounds):
        measured = ppo.update(
            run.network,
            run.optimiser,
            rollout,
            rollout.values,
            advantages,
            config,
            ppo.Weights(entropy=0.0, reference=0.0),
            np.random.default_rng(number),
            teaching=Teaching(made.known, made.policies, weight),
        )
        found.append(measured.solver_loss)
    return found


def test_the_policy_comes_to_play_as_the_solver_does_where_it_is_taught() -> None:
    config = tiny("terz", "ppo.clip=0.2", "ppo.epochs=4").ppo
    taught, untaught = (learned(config, weight, 30) for weight in (1.0, 0.0))
    assert taught[-1] < 0.8 * taught[0]
    assert untaught[-1] > 0.9 * untaught[0]

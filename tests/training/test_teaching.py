"""Terz's closed phase learned from exact values: where they stand, and that they are learned."""

import numpy as np
import pytest
import torch

from terz_env.canonical import actions_back
from terz_env.games import get_game
from terz_env.players.solver import ClosedSolver
from terz_env.search.terz_closed_play import in_closed_phase
from terz_env.selfplay import SelfPlayBatch
from terz_env.state import State
from terz_env.suits import INVERSE
from tests.training.tiny_runs import tiny
from training import ppo
from training.config import PpoConfig, SolverConfig, TrainingConfig
from training.jobs import PlayJob, Table
from training.rollout import NetworkSeat, Rollout, real_choices, unpack_masks
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


@pytest.mark.parametrize("suits", ["canonical", "plain"])
def test_the_values_belong_to_the_actions_that_the_network_is_shown(suits: str) -> None:
    """Each value is that of the action in the game, found through the order of the suits."""
    config = tiny("terz", "solver.share=1.0", f"network.suits={suits}")
    table, game = Table(config), get_game("terz")
    seat = NetworkSeat(game, RunState.begin(config).network, suits)
    batch = SelfPlayBatch("terz", 64, seed=5)
    compared = 0
    for _ in range(40):
        rows = np.flatnonzero(real_choices(batch.masks) & in_closed_phase(batch.states))
        if len(rows):
            _, _, orders = seat.shown(batch.bits[rows], batch.masks[rows])
            exact = table._exact(batch, rows, orders)
            for row, order, values in zip(rows, orders, exact, strict=True):
                state = State(game, batch.rules, "deal", batch.states[row].copy())
                for found in ClosedSolver().analyse(state).values:
                    number = game.actions.index(found.action)
                    (shown,) = actions_back(game, np.array([number]), INVERSE[np.array([order])])
                    assert values[shown] == pytest.approx(found.value * game.reward_scale)
                    compared += 1
        batch.step(batch.random_actions())
    assert compared > 100


def test_deals_of_a_match_are_not_taught() -> None:
    config = tiny("terz", "solver.share=1.0")
    table, batch = Table(config), SelfPlayBatch("terz", 16, seed=5, scope="match")
    rows = np.arange(16)
    for _ in range(24):
        batch.step(batch.random_actions())
        assert np.isnan(table._exact(batch, rows, np.zeros(16, dtype=np.int64))).all()


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


def test_what_is_taught_is_not_learned_by_trial() -> None:
    """Other advantages of taught decisions give the same update."""
    config = tiny("terz", "solver.share=1.0", "rollout.deals=64", "ppo.value_weight=0.0")
    rollout = played(config)
    made = Teaching.of_rollout(rollout, SETTINGS, 2.0)
    assert made is not None
    weights = []
    for sign in (1.0, -1.0):
        run = RunState.begin(config)
        # The sign falls on the taught decisions; mean and spread of all stay what they are.
        advantages = np.where(made.known, 0.0, np.arange(len(rollout)) % 2 * 2.0 - 1.0)
        taught = np.flatnonzero(made.known)
        advantages[taught[0::2][: len(taught) // 2]] = sign
        advantages[taught[1::2][: len(taught) // 2]] = -sign
        ppo.update(
            run.network,
            run.optimiser,
            rollout,
            rollout.values,
            advantages.astype(np.float32),
            config.ppo,
            ppo.Weights(entropy=0.0, reference=0.0),
            np.random.default_rng(1),
            teaching=made,
        )
        weights.append(run.network.policy.weight.detach().clone())
    torch.testing.assert_close(weights[0], weights[1], rtol=0, atol=1e-6)


def test_the_policy_comes_to_play_as_the_solver_does_where_it_is_taught() -> None:
    config = tiny("terz", "ppo.clip=0.2", "ppo.epochs=4").ppo
    taught, untaught = (learned(config, weight, 30) for weight in (1.0, 0.0))
    assert taught[-1] < 0.8 * taught[0]
    assert untaught[-1] > 0.9 * untaught[0]

"""The values of all legal actions, and what a network learns from them."""

from pathlib import Path

import numpy as np
import pytest
import torch

from terz_env.games import get_game
from terz_env.selfplay import SelfPlayBatch, expand_bits
from tests.training.tiny_runs import curve, silent, tiny
from training.bootstrap import advantages_of, fit, masked_mse, turn_into_policy, turn_into_values
from training.jobs import BootstrapJob, Table
from training.learner import train
from training.networks import masked_log_policy
from training.rollout import unpack_masks
from training.run_state import RunState, tensors_of

GAMES = ("tetka", "terz")
RATES = 3e-3, 3e-3


def test_advantages_have_mean_zero_over_the_legal_actions() -> None:
    masks = torch.tensor([[True, True, False], [True, False, False]])
    values = torch.tensor([[3.0, 1.0, 9.0], [5.0, 0.0, 0.0]])
    assert advantages_of(values, masks).tolist() == [[1.0, -1.0, 0.0], [0.0, 0.0, 0.0]]


def test_the_error_counts_legal_actions_only() -> None:
    masks = torch.tensor([[True, True, False]])
    error = masked_mse(torch.tensor([[1.0, 2.0, 50.0]]), torch.tensor([[0.0, 0.0, 0.0]]), masks)
    assert error.item() == pytest.approx((1 + 4) / 2)


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_shows_choices_with_a_value_for_each_legal_action(game: str) -> None:
    config = tiny(game)
    lesson = Table(config).bootstrap(BootstrapJob(0, 0, 300))
    masks = unpack_masks(lesson.masks, get_game(game).n_actions)
    assert len(lesson.bits) == 300
    assert (masks.sum(axis=1) > 1).all()
    assert (lesson.values[~masks] == 0).all()
    assert np.abs(lesson.values).max() > 0.5
    assert masks[np.arange(300), lesson.choices].all()
    other = Table(config).bootstrap(BootstrapJob(0, 1, 300))
    assert not np.array_equal(lesson.bits, other.bits)


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_may_come_from_sampled_worlds_and_from_deals_of_the_policy(game: str) -> None:
    config = tiny(game, "bootstrap.worlds=3")
    weights = tensors_of(RunState.begin(config).network)
    by_rules = Table(config).bootstrap(BootstrapJob(0, 0, 300))
    own = Table(config).bootstrap(BootstrapJob(0, 0, 300, weights))
    masks = unpack_masks(own.masks, get_game(game).n_actions)
    assert (masks.sum(axis=1) > 1).all()
    assert masks[np.arange(300), own.choices].all()
    assert (own.values[~masks] == 0).all()
    first = by_rules.bits == own.bits
    assert first[:5].all(), "the deals are the same"
    assert not first.all(), "they are played differently"
    again = Table(config).bootstrap(BootstrapJob(0, 0, 300, weights))
    assert np.array_equal(own.values, again.values)


def test_each_epoch_sees_every_decision_of_the_round() -> None:
    losses = []
    for epochs in (1, 4):
        config = tiny("tetka", f"bootstrap.epochs={epochs}", "bootstrap.minibatch=50")
        lesson = Table(config).bootstrap(BootstrapJob(0, 0, 300))
        run = RunState.begin(config)
        fit(run.network, run.optimiser, lesson, config.bootstrap, RATES, np.random.default_rng(0))
        step = int(run.optimiser.state_dict()["state"][0]["step"])
        assert step == epochs * 6
        again = fit(
            run.network, run.optimiser, lesson, config.bootstrap, RATES, np.random.default_rng(0)
        )
        losses.append(again.action_loss)
    assert losses[1] < losses[0]


def test_the_learning_rate_falls_within_a_round() -> None:
    config = tiny("tetka", "bootstrap.epochs=2", "bootstrap.minibatch=50")
    lesson = Table(config).bootstrap(BootstrapJob(0, 0, 300))
    run = RunState.begin(config)
    fit(run.network, run.optimiser, lesson, config.bootstrap, (0.2, 0.1), np.random.default_rng(0))
    assert run.optimiser.param_groups[0]["lr"] == pytest.approx(0.2 - 0.1 * 11 / 12)


def test_a_network_learns_the_advantages_and_turns_them_into_a_policy() -> None:
    config = tiny(
        "tetka", "network.hidden=[128]", "bootstrap.minibatch=100", "bootstrap.imitation=0.0"
    )
    lesson = Table(config).bootstrap(BootstrapJob(0, 0, 500))
    run = RunState.begin(config)
    rng = np.random.default_rng(0)
    losses = [
        fit(run.network, run.optimiser, lesson, config.bootstrap, RATES, rng).action_loss
        for _ in range(60)
    ]
    assert losses[-1] < 0.3 * losses[0], "a few decisions can be learned by heart"
    observations = torch.from_numpy(expand_bits(lesson.bits, run.network.n_entries))
    masks = torch.from_numpy(unpack_masks(lesson.masks, 52))
    with torch.no_grad():
        before = masked_log_policy(run.network(observations)[0] / 0.1, masks)
        turn_into_policy(run.network, 0.1)
        after = masked_log_policy(run.network(observations)[0], masks)
    torch.testing.assert_close(before, after, atol=1e-3, rtol=1e-3)
    best = advantages_of(torch.from_numpy(lesson.values), masks).masked_fill(~masks, -9).argmax(1)
    chosen = after.argmax(dim=1)
    gained = torch.from_numpy(lesson.values).gather(1, chosen[:, None]).mean()
    most = torch.from_numpy(lesson.values).gather(1, best[:, None]).mean()
    mean = (torch.from_numpy(lesson.values) * masks).sum() / masks.sum()
    assert gained > mean + 0.5 * (most - mean)


def test_a_network_learns_what_the_rule_player_does() -> None:
    config = tiny("terz", "network.hidden=[128]", "bootstrap.imitation=1.0")
    lesson = Table(config).bootstrap(BootstrapJob(0, 0, 500))
    run = RunState.begin(config)
    rng = np.random.default_rng(0)
    losses = [
        fit(run.network, run.optimiser, lesson, config.bootstrap, RATES, rng).imitation_loss
        for _ in range(40)
    ]
    assert losses[-1] < 0.3 * losses[0]


def test_values_of_actions_are_their_advantages_on_top_of_the_value() -> None:
    run = RunState.begin(tiny("terz"))
    bits = SelfPlayBatch("terz", 9, seed=2).bits
    with torch.no_grad():
        advantages, values = run.network.look(bits)
        turn_into_values(run.network)
        found, unchanged = run.network.look(bits)
    torch.testing.assert_close(found, advantages + values[:, None])
    torch.testing.assert_close(unchanged, values)


def test_the_bootstrap_alone_is_a_run(tmp_path: Path) -> None:
    train(tiny("terz", "algorithm=bootstrap"), tmp_path, silent)
    assert {row["phase"] for row in curve(tmp_path)} == {"bootstrap"}

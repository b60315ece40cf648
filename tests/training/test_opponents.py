"""Who sits at the learner's table, and whose decisions are learned from."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from tests.training.tiny_runs import silent, tiny
from training.actors import ProcessActors, WorkerError, make_actors
from training.curve import read_curve
from training.jobs import PlayJob, Table
from training.learner import train
from training.rollout import LEARNER, PLAYER, SNAPSHOT, draw_seatings
from training.run_state import RunState, tensors_of


@pytest.mark.parametrize("n_seats", [2, 4])
def test_every_deal_keeps_a_seat_for_the_learner_and_opponents_have_their_shares(
    n_seats: int,
) -> None:
    seatings = draw_seatings(np.random.default_rng(1), 20_000, n_seats, 0.3, 0.2)
    assert (seatings == LEARNER).any(axis=1).all()
    assert not ((seatings == SNAPSHOT).any(axis=1) & (seatings == PLAYER).any(axis=1)).any()
    seats = 1 if n_seats == 2 else 3 * 0.75
    shares = [(seatings == kind).mean() * n_seats / seats for kind in (SNAPSHOT, PLAYER)]
    assert shares == pytest.approx([0.3, 0.2], abs=0.02)
    alone = (seatings == SNAPSHOT).mean(axis=0)
    np.testing.assert_allclose(alone, alone.mean(), atol=0.02)


def test_a_player_of_every_deal_has_all_seats_but_one() -> None:
    seatings = draw_seatings(np.random.default_rng(1), 2000, 4, 0.0, 1.0)
    assert ((seatings == LEARNER).sum(axis=1) == 1).all()
    assert ((seatings == PLAYER).sum(axis=1) == 3).all()


def test_only_the_learners_decisions_are_learned_from() -> None:
    config = tiny("tetka", "opponents.player_share=1.0", "opponents.snapshot_share=0.0")
    weights = tensors_of(RunState.begin(config).network)
    job = PlayJob(0, 0, weights, player="greedy")
    rollout = Table(config).play(job)
    alone = Table(config).play(PlayJob(0, 0, weights))
    assert len(rollout) < 0.6 * len(alone)
    pairs = set(zip(rollout.environments.tolist(), rollout.seats.tolist(), strict=True))
    assert len(pairs) < 4 * len(rollout.results)


def test_a_worker_that_is_killed_gives_its_deals_to_another() -> None:
    config = tiny("tetka", "workers=1")
    weights = tensors_of(RunState.begin(config).network)
    actors = ProcessActors(config)
    try:
        jobs = [PlayJob(0, part, weights) for part in range(2)]
        actors.start(jobs[:1]).results()
        (process,) = actors.processes()
        os.kill(process, signal.SIGKILL)
        found = actors.start(jobs).results()
        wanted = [Table(config).play(job) for job in jobs]
        for mine, theirs in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(mine.actions, theirs.actions)
            np.testing.assert_array_equal(mine.log_probabilities, theirs.log_probabilities)
    finally:
        actors.close()


def test_a_cluster_without_its_library_is_refused_in_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(WorkerError, match=r"--ray needs Ray: pip install 'terz-env\[ray\]'"):
        make_actors(tiny("tetka"), "auto")


def test_the_curve_calls_an_opponent_what_the_configuration_calls_it(tmp_path: Path) -> None:
    """A model's own name lacks the game."""
    name = "tetka/small"
    settings = ("opponents.player_share=1.0", "opponents.snapshot_share=0.0")
    players = (f"opponents.players=[{name}]", f"evaluation.opponents=[{name}]")
    train(tiny("tetka", *settings, *players), tmp_path, silent)
    assert any(row[name] and row[f"{name} ±"] for row in read_curve(tmp_path))

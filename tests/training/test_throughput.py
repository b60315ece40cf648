"""The comparison of speeds."""

import itertools
import json

import pytest
from typer.testing import CliRunner

import terz_env
from training import throughput
from training.cli import app
from training.throughput import NATIVE, PETTINGZOO, Speed, TutorialEnv, measure

SPEEDS = [Speed("slow", 1000, 2.0, 1.0), Speed("fast", 9000, 3.0, None, 0.02)]


def test_speeds_are_printed_with_ratios(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throughput, "measure", lambda game, seconds: iter(SPEEDS))
    printed = CliRunner().invoke(app, ["throughput", "--game", "terz"])
    assert printed.exit_code == 0, printed.output
    for word in ("terz", "500", "1,000", "3,000", "6.0", "2.0%"):
        assert word in printed.output
    data = json.loads(CliRunner().invoke(app, ["throughput", "--json"]).output)
    assert data["game"] == "tetka"
    assert [row["per_second"] for row in data["speeds"]] == [500.0, 3000.0]
    assert data["versions"]["sb3_contrib"]


def test_the_tutorials_environment_shows_each_seat_in_turn() -> None:
    table = terz_env.terz_v0.env()
    env = TutorialEnv(table)
    env.reset(seed=1)
    seats, over, steps = [], False, 0
    while not over:
        seats.append(table.agent_selection)
        _, _, over, _, _ = env.step(int(env.action_masks().argmax()))
        steps += 1
    assert steps >= 32
    assert set(seats) == {"seat_0", "seat_1"}


@pytest.mark.slow
def test_the_native_vector_makes_maskable_ppo_five_times_as_fast_at_least() -> None:
    slow, fast, ours = itertools.islice(measure("tetka", 0.1), 3)
    assert (slow.name, fast.name) == (PETTINGZOO, NATIVE)
    assert slow.per_cpu_second is not None
    assert fast.per_cpu_second is not None
    assert fast.per_cpu_second > 5 * slow.per_cpu_second
    assert ours.environment_share is not None
    assert 0 < ours.environment_share < 0.03

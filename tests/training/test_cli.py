"""The command line of the learner, from the configuration to the table."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from training.checkpoint import checkpoints
from training.cli import app

CONFIGS = Path(__file__).parents[2] / "configs"
QUICK = [str(CONFIGS / game / "small.yaml") for game in ("tetka", "terz")]
TINY = (
    "decisions=2000",
    "network.hidden=[16]",
    "bootstrap.states=1000",
    "bootstrap.batch=500",
    "rollout.deals=32",
    "evaluation.times=1",
    "evaluation.opponents=[random]",
    "evaluation.deals=4",
    "evaluation.final_deals=20",
)


def options(*overrides: str) -> list[str]:
    """The overrides as the command line takes them."""
    return [word for override in overrides for word in ("--set", override)]


def test_a_wrong_key_ends_the_command_with_a_message() -> None:
    result = CliRunner().invoke(app, ["train", QUICK[0], *options("ppo.clip=2e-1")])
    assert result.exit_code == 2
    assert "ppo.clip: YAML reads 2e-1 as text; write 2.0e-1" in result.output


def test_two_runs_that_would_write_to_one_place_are_refused() -> None:
    result = CliRunner().invoke(app, ["train-both", QUICK[0], QUICK[0]])
    assert result.exit_code == 2
    assert "both runs would write to runs/tetka/small" in result.output


@pytest.mark.slow
def test_both_games_train_side_by_side_and_end_in_one_table(tmp_path: Path) -> None:
    arguments = ["train-both", *QUICK, *options(*TINY), "--output", str(tmp_path)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    for word in ("random:announce", "≤ 0.70", "+70.00", "curve.png"):
        assert word in result.output.replace("\n", " ")
    for game in ("tetka", "terz"):
        assert (tmp_path / game / "small" / "model.safetensors").is_file()


@pytest.mark.slow
def test_a_run_that_fails_says_why(tmp_path: Path) -> None:
    wrong = options(*TINY, "evaluation.opponents=[nobody]")
    result = CliRunner().invoke(app, ["train", QUICK[0], *wrong, "--output", str(tmp_path)])
    assert result.exit_code == 2
    assert "no player is called 'nobody'" in result.output


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_goes_on_where_the_command_was_ended(number: int, tmp_path: Path) -> None:
    """The process that learns saves and ends, whether it is asked or its parent is gone."""
    long = options(*TINY, "decisions=1000000000", "checkpoint.every=1")
    command = [sys.executable, "-m", "training", "train", QUICK[0], "--output", str(tmp_path)]
    process = subprocess.Popen([*command, *long], stdout=subprocess.DEVNULL, start_new_session=True)
    wait_for(lambda: bool(checkpoints(tmp_path)))
    process.send_signal(number)
    process.wait(timeout=100)
    wait_for(lambda: not group_lives(process.pid))
    assert checkpoints(tmp_path)


def wait_for(happened: Callable[[], bool]) -> None:
    """Wait two minutes at most."""
    until = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.1)


def group_lives(group: int) -> bool:
    """Whether a process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True

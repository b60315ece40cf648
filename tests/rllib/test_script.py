"""The script for RLlib and its page: it learns in half a minute, and all blocks of the page run."""

from __future__ import annotations

from pathlib import Path

import pytest
import ray

from terz_env.players import load_player
from tests.test_guides import run_blocks
from training.cli import GameName
from training.curve import read_curve
from training.examples import CURVE_PICTURE
from training.rllib_ppo import CHECKPOINT, run

STEPS = 25_000


@pytest.fixture
def no_cluster() -> None:
    """The cluster of other tests is gone: scripts start their own."""
    ray.shutdown()


@pytest.mark.usefixtures("no_cluster")
def test_half_a_minute_teaches_terz(tmp_path: Path) -> None:
    run(game=GameName.TERZ, steps=STEPS, workers=1, evaluations=1, deals=200, output=tmp_path)
    first, last = read_curve(tmp_path)[0], read_curve(tmp_path)[-1]
    assert int(last["decisions"]) >= STEPS
    assert float(first["random"]) + float(first["random ±"]) < 15
    assert float(last["random"]) - float(last["random ±"]) > 15
    assert load_player(tmp_path / CHECKPOINT).game == "terz"
    assert (tmp_path / CURVE_PICTURE).stat().st_size > 10_000


@pytest.mark.usefixtures("no_cluster")
def test_every_block_of_the_page_runs() -> None:
    assert run_blocks("docs/rllib.md") > 1

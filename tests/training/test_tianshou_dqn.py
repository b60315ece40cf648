"""The script for Tianshou's DQN: what it writes, and that it learns within a minute."""

from pathlib import Path

import pytest

from terz_env.players import load_player
from training.cli import GameName
from training.curve import read_curve
from training.examples import CURVE_PICTURE
from training.tianshou_dqn import MODEL_FILE, run

STEPS = 80_000
FLOOR = 1.55
"""Marks a deal against random players, at most; a fair share is 1.75."""


@pytest.mark.slow
def test_a_minute_teaches_tetka(tmp_path: Path) -> None:
    run(game=GameName.TETKA, steps=STEPS, evaluations=1, deals=500, seed=2, output=tmp_path)
    first, last = read_curve(tmp_path)[0], read_curve(tmp_path)[-1]
    assert int(last["decisions"]) >= STEPS
    assert float(first["random"]) > FLOOR >= float(last["random"])
    assert load_player(tmp_path / MODEL_FILE).game == "tetka"
    assert (tmp_path / CURVE_PICTURE).stat().st_size > 10_000

"""The script for Tianshou's DQN: what it writes, and that it learns within a minute."""

from pathlib import Path

import pytest

from tests.training.floors import check_that_it_learned
from training.cli import GameName
from training.tianshou_dqn import MODEL_FILE, run

STEPS = 80_000
FLOORS = {"random": 1.55}
"""Marks a deal, at most; a fair share is 1.75."""


@pytest.mark.slow
def test_a_minute_teaches_tetka(tmp_path: Path) -> None:
    run(game=GameName.TETKA, steps=STEPS, evaluations=1, deals=500, seed=2, output=tmp_path)
    check_that_it_learned(tmp_path, MODEL_FILE, "tetka", STEPS, FLOORS)

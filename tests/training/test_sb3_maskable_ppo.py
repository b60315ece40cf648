"""The script for MaskablePPO: what it writes, and that it learns both games in a short run."""

from pathlib import Path

import pytest

from tests.training.floors import check_that_it_learned, make_small
from training import sb3_maskable_ppo
from training.cli import GameName
from training.sb3_maskable_ppo import MODEL_FILE, run

STEPS = 120_000
FLOORS = {"terz": {"random": 15.0, "random:announce": 5.0}, "tetka": {"random": 1.6}}
"""Points a deal, at least, and marks, at most."""


@pytest.mark.slow
@pytest.mark.parametrize("game", list(GameName))
def test_a_short_run_teaches_each_game(
    game: GameName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_small(sb3_maskable_ppo, monkeypatch)
    run(game=game, steps=STEPS, evaluations=1, deals=200, seed=2, output=tmp_path)
    check_that_it_learned(tmp_path, MODEL_FILE, game, STEPS, FLOORS[game])
    assert (tmp_path / MODEL_FILE).stat().st_size < 5_000_000

"""The script for TorchRL's PPO: what it writes, and that it learns within a minute."""

from pathlib import Path

import pytest

from terz_env.players import load_player
from training.cli import GameName
from training.curve import read_curve
from training.examples import CURVE_PICTURE
from training.torchrl_ppo import MODEL_FILE, run

STEPS = 230_000
FLOORS = {"terz": {"random": 15.0}, "tetka": {"random": 1.45}}
"""Points a deal, at least, and marks, at most."""


@pytest.mark.slow
@pytest.mark.parametrize("game", list(GameName))
def test_a_minute_teaches_each_game(game: GameName, tmp_path: Path) -> None:
    run(game=game, steps=STEPS, evaluations=1, deals=500, seed=2, output=tmp_path)
    first, last = read_curve(tmp_path)[0], read_curve(tmp_path)[-1]
    assert int(last["decisions"]) >= STEPS
    for opponent, floor in FLOORS[game].items():
        before, result = float(first[opponent]), float(last[opponent])
        assert before < floor <= result if game == "terz" else before > floor >= result
    assert load_player(tmp_path / MODEL_FILE).game == game
    assert (tmp_path / CURVE_PICTURE).stat().st_size > 10_000

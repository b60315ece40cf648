"""What a short run of an example on another library has to reach."""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from terz_env.players import load_player
from training.curve import read_curve
from training.examples import CURVE_PICTURE


def make_small(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of the tables and of the minibatch: as many decisions make more updates."""
    monkeypatch.setattr(script, "N_ENVS", script.N_ENVS // 4)
    monkeypatch.setattr(script, "MINIBATCH", script.MINIBATCH // 4)


def check_that_it_learned(
    folder: Path, model: str, game: str, steps: int, floors: Mapping[str, float]
) -> None:
    """The curve begins short of the floors and ends beyond them; the model plays the game.

    Args:
        folder: What the run wrote.
        model: Name of its model's file there.
        game: What was learned.
        steps: Decisions that were asked for.
        floors: Points a deal at least, or marks at most, by opponent.
    """
    first, last = read_curve(folder)[0], read_curve(folder)[-1]
    assert int(last["decisions"]) >= steps
    for opponent, floor in floors.items():
        before, result = float(first[opponent]), float(last[opponent])
        assert before < floor <= result if game == "terz" else before > floor >= result
    assert load_player(folder / model).game == game
    assert (folder / CURVE_PICTURE).stat().st_size > 10_000

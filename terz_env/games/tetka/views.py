"""Tetka: the four views, each a kernel and its layout. None of them reads a log."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka import view_history, view_state, view_table
from terz_env.games.tetka.observation import LAYOUT, observe
from terz_env.games.tetka.state import State
from terz_env.games.tetka.view_history import history
from terz_env.games.tetka.view_state import whole_state
from terz_env.games.tetka.view_table import table
from terz_env.kernel import kernel
from terz_env.observation import View

Log = NDArray[np.int64]


@kernel
def write_observation(state: State, log: Log, seat: int, words: NDArray[np.int64]) -> None:
    """Writes the view `observation` of a seat."""
    observe(state, seat, words)


@kernel
def write_table(state: State, log: Log, seat: int, words: NDArray[np.int64]) -> None:
    """Writes the view `table` of a seat."""
    table(state, seat, words)


@kernel
def write_state(state: State, log: Log, seat: int, words: NDArray[np.int64]) -> None:
    """Writes the view `state` of a seat."""
    whole_state(state, seat, words)


@kernel
def write_history(state: State, log: Log, seat: int, words: NDArray[np.int64]) -> None:
    """Writes the view `history` of a seat."""
    history(state, seat, words)


def views(n_cards: int) -> dict[str, View]:
    """Returns the views of a game with so many cards.

    A history has rows for the start, the photo, every card played and the end; a forfeit stands for
    a card that is not played.
    """
    declared = (
        View(name="observation", layout=LAYOUT, write=write_observation),
        View(name="table", layout=view_table.LAYOUT, write=write_table),
        View(name="state", layout=view_state.LAYOUT, write=write_state),
        View(name="history", layout=view_history.LAYOUT, steps=n_cards + 3, write=write_history),
    )
    return {view.name: view for view in declared}

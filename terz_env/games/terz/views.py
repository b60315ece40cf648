"""Terz: the four views, each a kernel and its layout, and the kernels of the log."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz import view_history, view_state, view_table
from terz_env.games.terz.history import MOST_ANNOUNCEMENTS, MOST_FALSE, Log
from terz_env.games.terz.observation import LAYOUT, observe
from terz_env.games.terz.state import State
from terz_env.games.terz.view_history import history
from terz_env.games.terz.view_state import whole_state
from terz_env.games.terz.view_table import table
from terz_env.kernel import kernel
from terz_env.observation import View

FULL_PACK = 32


@kernel
def write_observation(state: State, log: Log, seat: int, words: NDArray[np.int64]) -> None:
    """Writes the view `observation` of a seat; the log is not read."""
    observe(state, seat, words)


@kernel
def write_table(state: State, log: Log, seat: int, words: NDArray[np.int64]) -> None:
    """Writes the view `table` of a seat."""
    table(state, log, seat, words)


@kernel
def write_state(state: State, log: Log, seat: int, words: NDArray[np.int64]) -> None:
    """Writes the view `state` of a seat; the log is not read."""
    whole_state(state, log, seat, words)


@kernel
def write_history(state: State, log: Log, seat: int, words: NDArray[np.int64]) -> None:
    """Writes the view `history` of a seat."""
    history(state, log, seat, words)


def history_steps(n_cards: int, talon_size: int) -> int:
    """Returns the most rows that the history of a deal can have.

    Rows: start, trump card, cards played, own draws; in the full game also break, exchange and
    announcements, in the small ones two marriages. A forfeit stands for a card that is not played.
    """
    rows = 2 + n_cards + talon_size // 2
    if n_cards < FULL_PACK:
        return rows + 2
    return rows + 2 + MOST_ANNOUNCEMENTS + MOST_FALSE


def views(n_cards: int, talon_size: int) -> dict[str, View]:
    """Returns the views of a game with so many cards, so many of them in the talon."""
    declared = (
        View(name="observation", layout=LAYOUT, write=write_observation),
        View(name="table", layout=view_table.LAYOUT, needs_log=True, write=write_table),
        View(name="state", layout=view_state.LAYOUT, write=write_state),
        View(
            name="history",
            layout=view_history.LAYOUT,
            steps=history_steps(n_cards, talon_size),
            needs_log=True,
            write=write_history,
        ),
    )
    return {view.name: view for view in declared}

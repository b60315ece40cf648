"""Terz: the log of a deal, read off the positions that a `State` remembers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.history import LOG_SIZE, Log, begin_log, note
from terz_env.games.terz.state import (
    ALL_CARDS,
    ANNOUNCED,
    BREAK_PENDING,
    EVENT,
    KNOWN,
    PLAYED,
    SCORED,
    SEVEN,
    TABLE,
    TRUMP_CARD,
    State,
    get,
    seat_to_act,
)
from terz_env.kernel import inline, kernel, lowest
from terz_env.state import State as Position

_ACTION = 127


@inline
def is_untouched(state: State) -> int:
    """Tells whether nothing has happened since the deal."""
    happened = state[ANNOUNCED]
    for seat in range(2):
        happened |= state[PLAYED + seat] | state[KNOWN + seat] | state[SCORED + seat]
    return 1 if happened == 0 else 0


@inline
def note_change(log: Log, before: State, after: State) -> None:
    """Notes the action that led from one position to the next."""
    seat = seat_to_act(before)
    played = (before[PLAYED + seat] ^ after[PLAYED + seat]) & ALL_CARDS
    if played != 0:
        note(log, seat, lowest(played), after)
    elif get(before, TABLE, TRUMP_CARD, 31) != get(after, TABLE, TRUMP_CARD, 31):
        note(log, seat, SEVEN, after)
    elif not get(before, TABLE, BREAK_PENDING, 1):
        note(log, seat, after[EVENT] & _ACTION, after)


@kernel
def read_past(positions: NDArray[np.int64], log: Log) -> int:
    """Writes the log of the deal that the last of the positions (T, W) belongs to.

    Returns:
        1, or 0 where the positions do not reach back to the beginning of the deal.
    """
    first = positions.shape[0] - 1
    while first > 0 and not is_untouched(positions[first]):
        first -= 1
    if not is_untouched(positions[first]):
        return 0
    begin_log(log, positions[first])
    for index in range(first, positions.shape[0] - 1):
        note_change(log, positions[index], positions[index + 1])
    return 1


def log_of(state: Position) -> Log | None:
    """Returns the log of a deal of Terz, None where the state does not remember its beginning."""
    log = np.zeros(LOG_SIZE, dtype=np.int64)
    positions = np.array([*state.past_words, state.words], dtype=np.int64)
    return log if read_past(positions, log) else None

"""Terz: the log of a deal, what a player with perfect memory could write down.

A log is an int64 array (LOG_SIZE,): the number of entries, the trump card as turned, then two words
an entry. The first word holds the kind (2 bits), the seat (1 bit) and, from bit 3 on, the card
played, the card gained by the exchange, or the word EVENT of an announcement; the second one the
cards of the meld that was shown. One log serves both seats: the name of a beaten announcement is
in it, and the reader leaves it out unless the announcement was his own (Rule T21).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.melds import meld_cards
from terz_env.games.terz.state import (
    EVENT,
    EVENT_OUTCOME,
    EVENT_SHOWN,
    FORFEITED,
    HAND,
    OUTCOME_FALSE,
    OUTCOME_SCORED,
    RUN,
    SEVEN,
    TABLE,
    TRUMP_CARD,
    State,
    get,
    trump_suit,
)
from terz_env.kernel import inline, kernel

Log = NDArray[np.int64]

N_ENTRIES, TURNED, ENTRIES = 0, 1, 2
MOST_ENTRIES = 180
"""Enough: 32 cards, 32 false announcements, and in 16 turns at most four melds of nine cards."""
LOG_SIZE = ENTRIES + 2 * MOST_ENTRIES
PLAYED_CARD, ANNOUNCEMENT, EXCHANGE = 0, 1, 2
ENTRY_SEAT, ENTRY_VALUE = 2, 3


@inline
def begin_log(log: Log, state: State) -> None:
    """Empties a log for a deal that has just been dealt."""
    log[N_ENTRIES] = 0
    log[TURNED] = get(state, TABLE, TRUMP_CARD, 31)


@inline
def note(log: Log, seat: int, action: int, state: State) -> None:
    """Adds a lawful action or a false announcement to a log.

    Args:
        log: The log of this deal.
        seat: The seat that acted.
        action: Its action.
        state: The words of the position after the action.
    """
    if action < 0 or action > SEVEN or get(state, TABLE, FORFEITED, 1):
        return  # a break says nothing of the cards, a forfeit ends the deal
    kind, value, shown = PLAYED_CARD, action, 0
    if action == SEVEN:
        kind, value = EXCHANGE, log[TURNED]
    elif action >= RUN:
        kind, value = ANNOUNCEMENT, state[EVENT]
        outcome = (value >> EVENT_OUTCOME) & 3
        if outcome != OUTCOME_FALSE:
            shower = seat if outcome == OUTCOME_SCORED else 1 - seat
            name = ((value >> EVENT_SHOWN) & 127) - 1
            shown = meld_cards(state[HAND + shower], name, trump_suit(state))
    entry = ENTRIES + 2 * log[N_ENTRIES]
    log[entry] = kind | (seat << ENTRY_SEAT) | (value << ENTRY_VALUE)
    log[entry + 1] = shown
    log[N_ENTRIES] += 1


@kernel
def begin_log_one(log: Log, state: State) -> None:
    """Empties a log for a deal that has just been dealt."""
    begin_log(log, state)


@kernel
def note_one(log: Log, seat: int, action: int, state: State) -> None:
    """Adds an action to a log (see `note`)."""
    note(log, seat, action, state)

"""Tetka: the tricks of a deal in order, read back from the words of the state.

The words keep for every card who played it and in which trick; the order within a trick follows
from its leader, and the leader from the trick before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.state import (
    DEALER,
    PLAYED,
    SUIT_CARDS,
    TABLE,
    TRICK_OF,
    State,
    get,
    suit_of,
)
from terz_env.kernel import inline, lowest

NO_CARD = -1
LEADERS = 52
PAST_SIZE = LEADERS + 14


@inline
def lay_tricks(state: State, past: NDArray[np.int64]) -> None:
    """Writes card 4 · trick + seat for every play, and from LEADERS on who led each trick.

    Where a seat has not played to a trick there is NO_CARD, and so is the leader of a trick that
    has not begun, unless the one before is complete.
    """
    for place in range(PAST_SIZE):
        past[place] = NO_CARD
    for seat in range(4):
        for suit in range(4):
            cards = (state[PLAYED + seat] >> (13 * suit)) & SUIT_CARDS
            while cards != 0:
                rank = lowest(cards)
                cards &= cards - 1
                trick = (state[TRICK_OF + suit] >> (4 * rank)) & 15
                past[4 * trick + seat] = 13 * suit + rank
    leader = (get(state, TABLE, DEALER, 3) + 1) & 3  # (Rule K3)
    past[LEADERS] = leader
    for trick in range(13):
        winner, best = leader, past[4 * trick + leader]
        for step in range(1, 4):
            seat = (leader + step) & 3
            card = past[4 * trick + seat]
            if card == NO_CARD:
                return
            if card > best and suit_of(card) == suit_of(best):
                winner, best = seat, card
        leader = winner
        past[LEADERS + trick + 1] = leader

"""Where the facts of a position stand in the array that the games' fact kernels write.

Facts of a seat take four places, seat 0 first; places that a game does not use hold -1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

SEAT_TO_ACT = 0
"""The seat to act, -1 once the deal is over."""
DEAL_IS_OVER, IS_OVER = 1, 2
"""1 where the deal, and the deal, match or rubber, is over."""
DEALER, NEXT_DEALER = 3, 4
WINNER = 5
"""The winner of a match, -1 before its end."""
TRICK, LEADER = 6, 7
"""The number of the trick, from 1, and the seat that leads to it."""
ON_TABLE, TABLE_CARDS = 8, 16
"""The number of cards on the table, and the cards in the order of play."""
TRUMP_CARD, TALON_SIZE, BREAK_PENDING = 9, 10, 11
PHOTO, COUNTING_TRICK = 12, 13

HANDS, KNOWN = 20, 24
"""Per seat the set of cards in hand, and those that everybody knows to be there."""
SCORES, RAISES = 28, 32
CARD_POINTS, MELD_POINTS, RECORDED_POINTS, DEDUCTIONS = 36, 40, 44, 48
MARKS, TRICK_COUNTS = 52, 56

N_FACTS = 60


def facts_of(
    read_facts: Callable[[NDArray[np.int64], NDArray[np.int64]], None], words: NDArray[np.int64]
) -> list[int]:
    """Returns the facts of a position, read by a game's kernel."""
    facts = np.empty(N_FACTS, dtype=np.int64)
    read_facts(words, facts)
    values: list[int] = facts.tolist()
    return values

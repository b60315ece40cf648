"""Terz: the layout of a plan, in which a seat's knowledge is kept and its worlds are counted.

The unknown of a world is which of the cards that the seat has not seen were dealt to the opponent,
which he drew when, and which lie in the talon in which order. Time is counted in draws: time 0 is
the deal, time i the opponent's i-th draw; before trick t, counted from 0, both have drawn t times.
So every card has a time at which it came to the opponent, and knowledge bounds it: `LOWER` and
`UPPER`. What cannot be said by bounds, such as "he held no stronger meld", is a check.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import inline, lowest

Plan = NDArray[np.int64]

TOTAL = 0
"""Number of arrangements that fit the bounds, the order of the face-down talon left aside."""
N_DRAWS, N_FACE_DOWN, ORIGINAL_SIZE = 1, 2, 3
UNIVERSE, FREE, GONE, EXTRA = 4, 5, 6, 7
"""Sets: cards to place; those without bounds; those that have left; open cards he has taken."""
N_MUST, N_LATE, N_PAIRS, N_CHECKS = 8, 9, 10, 11
TURN, NAMES = 12, 13
"""The number of the turn in progress and the names that were announced in it openly."""
N_CACHED = 14
"""Number of worlds that have been listed one by one; -1 where they have not."""
N_CANDIDATES, LAST_NAME = 15, 39

PLACES = 16
"""The places in the talon of the opponent's face-down draws."""
ENTERED = 24
"""The cards that have come to the opponent until each time, once arranged."""
DRAWN = 32
LOWER, UPPER = 40, 72
BOUNDED = 104
"""The bounded cards: those that must have come to him, then those that came late if ever."""
CHECKS = 136
CHECK_SIZE, MOST_CHECKS = 11, 128
COUNTS = CHECKS + CHECK_SIZE * MOST_CHECKS
"""Rows of 128 sets of draws: the ways in which the first cards of a list fill exactly these."""
PAIRS = COUNTS + 25 * 128
CANDIDATES = PAIRS + 2 * 2187
"""The names that a world allows for each beaten announcement of the opponent, and its turn."""
CACHE = CANDIDATES + 2 * MOST_CHECKS
MOST_CACHED = 4096
PLAN_SIZE = CACHE + MOST_CACHED

UNBOUNDED = 99

# The words of a check: a predicate of the opponent's hand at one moment.
KIND, TIME, LEFT_BEFORE, OPEN, SCORED_BEFORE, FIRST, SECOND, THIRD, FOURTH = range(9)
CHECK_TURN, CHECK_NAMES = 9, 10
OWN_ANNOUNCEMENT, HIDDEN_ANNOUNCEMENT, FALSE_ANNOUNCEMENT = 0, 1, 2


@inline
def require_until(plan: Plan, cards: int, time: int) -> None:
    """Notes that the opponent holds these cards at a time."""
    cards &= plan[UNIVERSE] & ~plan[GONE]
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        plan[UPPER + card] = min(plan[UPPER + card], time)


@inline
def exclude_at(plan: Plan, cards: int, time: int) -> None:
    """Notes that the opponent does not hold these cards at a time."""
    cards &= plan[UNIVERSE] & ~plan[GONE]
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if time >= plan[LOWER + card]:
            plan[LOWER + card] = time + 1


@inline
def add_check(
    plan: Plan, kind: int, time: int, scored: int, first: int, second: int, third: int, fourth: int
) -> None:
    """Adds a predicate of the opponent's hand at this moment of the replay."""
    check = CHECKS + CHECK_SIZE * plan[N_CHECKS]
    plan[check + KIND] = kind
    plan[check + TIME] = time
    plan[check + LEFT_BEFORE] = plan[GONE]
    plan[check + OPEN] = plan[EXTRA]
    plan[check + SCORED_BEFORE] = scored
    plan[check + FIRST] = first
    plan[check + SECOND] = second
    plan[check + THIRD] = third
    plan[check + FOURTH] = fourth
    plan[check + CHECK_TURN] = plan[TURN]
    plan[check + CHECK_NAMES] = plan[NAMES]
    plan[N_CHECKS] += 1


@inline
def add_name(plan: Plan, name: int) -> None:
    """Notes a name that the opponent has openly announced: no other is the same (Rule T18)."""
    plan[NAMES] |= 1 << name
    for index in range(plan[N_CHECKS]):
        check = CHECKS + CHECK_SIZE * index
        if plan[check + CHECK_TURN] == plan[TURN]:
            plan[check + CHECK_NAMES] |= 1 << name


@inline
def hand_at(plan: Plan, time: int, gone: int, extra: int) -> int:
    """Returns the opponent's hand at a moment of an arranged world."""
    time = min(time, plan[N_DRAWS])
    return (plan[ENTERED + time] & ~gone) | extra

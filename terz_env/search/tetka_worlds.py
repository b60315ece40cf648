"""Tetka: exactly uniform deals that agree with what a seat knows (K3, K10).

The unseen cards fall into pools by the set of the other seats that may hold them: a seat that has
proved a void holds no card of that suit. Within a pool all cards are alike, so a deal is a way to
share out the three pools of two seats (a term), then the cards. The terms are counted exactly and
one of them is drawn in proportion to its number of deals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_subset
from terz_env.games.tetka.state import (
    ALL_CARDS,
    COUNT,
    DEALER,
    HAND,
    ILLEGAL,
    MICRO_CARDS,
    N_TRICKS,
    N_WORDS,
    PENALISE,
    PLAYED,
    REVOKES,
    SUIT_CARDS,
    TABLE,
    TRICK,
    TRICK_OF,
    VOIDS,
    State,
    get,
    suit_of,
)
from terz_env.kernel import inline, kernel, lowest, popcount
from terz_env.search.counting import BINOMIAL, uniform_below

Plan = NDArray[np.int64]

TOTAL, N_TERMS, POOLS, SIZES, TERMS = 0, 1, 2, 10, 16
MOST_TERMS = 14 * 14 * 14
PLAN_SIZE = TERMS + 2 * MOST_TERMS

# The pools of two seats: bits of the seats' places, counted from the sampling seat's left, less 1.
_LEFT_OPPOSITE, _LEFT_RIGHT, _OPPOSITE_RIGHT, _ALL_THREE = 3, 5, 6, 7


@inline
def add_term(plan: Plan, from_left: int, from_sides: int, from_right: int) -> None:
    """Adds the deals in which the pools of two seats are shared out in one way.

    `from_left` cards of the pool of left and opposite go to the left, so do `from_sides` of the
    pool of left and right; `from_right` of the pool of opposite and right go to the opposite.
    """
    first = popcount(plan[POOLS + _LEFT_OPPOSITE])
    second = popcount(plan[POOLS + _LEFT_RIGHT])
    third = popcount(plan[POOLS + _OPPOSITE_RIGHT])
    left = plan[SIZES] - from_left - from_sides
    opposite = plan[SIZES + 1] - (first - from_left) - from_right
    right = plan[SIZES + 2] - (second - from_sides) - (third - from_right)
    if left < 0 or opposite < 0 or right < 0:
        return
    deals = BINOMIAL[first, from_left] * BINOMIAL[second, from_sides] * BINOMIAL[third, from_right]
    rest = left + opposite + right
    deals *= BINOMIAL[rest, left] * BINOMIAL[rest - left, opposite]
    term = TERMS + 2 * plan[N_TERMS]
    plan[TOTAL] += deals
    plan[term] = plan[TOTAL]
    plan[term + 1] = from_left | (from_sides << 8) | (from_right << 16)
    plan[N_TERMS] += 1


@kernel
def prepare_worlds(state: State, seat: int, plan: Plan) -> int:
    """Counts the deals that agree with what a seat knows, for `draw_world`.

    Args:
        state: The words of the position; of the other hands only their sizes are read.
        seat: The seat whose knowledge counts.
        plan: Receives the counts (PLAN_SIZE,).

    Returns:
        The number of deals; 0 for an information set that cannot be.
    """
    for word in range(TERMS):
        plan[word] = 0
    unseen = MICRO_CARDS if get(state, TABLE, N_TRICKS, 15) == 2 else ALL_CARDS
    unseen &= ~state[HAND + seat]
    for other in range(4):
        unseen &= ~state[PLAYED + other]
    cards = 0
    for suit in range(4):
        holders = 0
        for step in range(3):
            void = get(state, PLAYED + ((seat + step + 1) & 3), VOIDS + suit, 1)
            holders |= (1 - void) << step
        plan[POOLS + holders] |= unseen & (SUIT_CARDS << (13 * suit))
    for step in range(3):
        size = popcount(state[HAND + ((seat + step + 1) & 3)])
        cards += size
        plan[SIZES + step] = size - popcount(plan[POOLS + (1 << step)])
    if plan[POOLS] != 0 or cards != popcount(unseen):
        return 0
    for from_left in range(popcount(plan[POOLS + _LEFT_OPPOSITE]) + 1):
        for from_sides in range(popcount(plan[POOLS + _LEFT_RIGHT]) + 1):
            for from_right in range(popcount(plan[POOLS + _OPPOSITE_RIGHT]) + 1):
                add_term(plan, from_left, from_sides, from_right)
    return plan[TOTAL]


@inline
def draw_term(plan: Plan, stream: NDArray[np.uint64]) -> int:
    """Returns a term, each as often as it has deals."""
    if plan[N_TERMS] == 1:
        return 0
    number = uniform_below(plan[TOTAL], stream)
    low, high = 0, plan[N_TERMS] - 1
    while low < high:
        middle = (low + high) >> 1
        if number < plan[TERMS + 2 * middle]:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def draw_world(state: State, seat: int, plan: Plan, stream: NDArray[np.uint64], out: State) -> int:
    """Writes a uniform deal that agrees with what a seat knows.

    Args:
        state: The words of the position that `plan` was prepared for.
        seat: The same seat.
        plan: What `prepare_worlds` has written.
        stream: The random stream; it advances.
        out: Receives a complete state: the position with the other hands drawn anew.

    Returns:
        1, or 0 with nothing written where no deal agrees.
    """
    if plan[TOTAL] == 0:
        return 0
    split = plan[TERMS + 2 * draw_term(plan, stream) + 1]
    left = random_subset(plan[POOLS + _LEFT_OPPOSITE], split & 255, stream)
    opposite = plan[POOLS + _LEFT_OPPOSITE] & ~left
    sides = random_subset(plan[POOLS + _LEFT_RIGHT], (split >> 8) & 255, stream)
    right = plan[POOLS + _LEFT_RIGHT] & ~sides
    facing = random_subset(plan[POOLS + _OPPOSITE_RIGHT], split >> 16, stream)
    right |= plan[POOLS + _OPPOSITE_RIGHT] & ~facing
    left |= sides
    opposite |= facing
    rest = plan[POOLS + _ALL_THREE]
    share = random_subset(rest, plan[SIZES] - popcount(left), stream)
    left |= share
    rest &= ~share
    share = random_subset(rest, plan[SIZES + 1] - popcount(opposite), stream)
    for word in range(N_WORDS):
        out[word] = state[word]
    out[HAND + ((seat + 1) & 3)] = left | plan[POOLS + 1]
    out[HAND + ((seat + 2) & 3)] = opposite | share | plan[POOLS + 2]
    out[HAND + ((seat + 3) & 3)] = right | (rest & ~share) | plan[POOLS + 4]
    if get(state, TABLE, ILLEGAL, 3) == PENALISE:
        count_revokes(out, seat)
    return 1


@inline
def count_revokes(state: State, seat: int) -> None:
    """Counts the others' revokes anew: which discards broke Rule K3 depends on the hands (K10)."""
    played = np.full((13, 4), -1, np.int64)
    for other in range(4):
        if other != seat:
            state[PLAYED + other] &= ~(15 << REVOKES)
        cards = state[PLAYED + other] & ALL_CARDS
        while cards != 0:
            card = lowest(cards)
            cards &= cards - 1
            suit = suit_of(card)
            played[get(state, TRICK_OF + suit, 4 * (card - 13 * suit), 15), other] = card
    tricks = get(state, TABLE, TRICK, 15) + (1 if get(state, TABLE, COUNT, 3) > 0 else 0)
    gone = 0
    leader = (get(state, TABLE, DEALER, 3) + 1) & 3
    for trick in range(tricks):
        best = played[trick, leader]
        led = suit_of(best)
        winner = leader
        for step in range(4):
            other = (leader + step) & 3
            card = played[trick, other]
            if card < 0:
                continue
            gone |= 1 << card
            if suit_of(card) == led:
                if card > best:
                    best, winner = card, other
                continue
            kept = (state[HAND + other] | state[PLAYED + other]) & ~gone
            if other != seat and kept & (SUIT_CARDS << (13 * led)) != 0:
                state[PLAYED + other] += 1 << REVOKES
        leader = winner


@kernel
def sample_world(
    state: State, seat: int, stream: NDArray[np.uint64], out: State, plan: Plan
) -> int:
    """Prepares a plan in `plan` and draws one deal (see `prepare_worlds`, `draw_world`)."""
    prepare_worlds(state, seat, plan)
    return draw_world(state, seat, plan, stream, out)


@kernel
def draw_worlds(
    state: State, seat: int, plan: Plan, stream: NDArray[np.uint64], out: NDArray[np.int64]
) -> int:
    """Fills the rows of `out` (B, N_WORDS) with independent worlds; returns how many it drew."""
    for row in range(out.shape[0]):
        if not draw_world(state, seat, plan, stream, out[row]):
            return row
    return out.shape[0]


@kernel
def count_revokes_one(state: State, seat: int) -> None:
    """Counts the revokes of all seats but one anew (see `count_revokes`)."""
    count_revokes(state, seat)

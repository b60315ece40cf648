"""Terz, closed phase: two known hands as masks of nine bits, and what can be said of them at once.

The cards of a hand stand in ascending order of their points, which within a suit is the order of
their ranks. All that a search asks of two cards is worked out once by `prepare`, from the rules of
`games/terz/tricks.py`. Everything lies in one workspace of int64 that the caller owns:

| from      | holds |
|-----------|-------|
| `CARD`    | the cards by seat and bit |
| `VALUE`   | their points |
| `ABOVE`   | by seat and bit, the other seat's cards of the suit that stand above |
| `SUIT`    | by seat and bit, the other seat's cards of the suit |
| `TWIN`    | by seat and bit, own cards that are the same card in effect |
| `FAR`     | likewise, unless the other seat holds the card between; then `BETWEEN` |
| `SUM`     | by seat and mask, the points of the cards |
| `SUITS`   | by seat and suit, the seat's cards |
| `STACK`   | a frame a trick of the search |
| `TABLE`   | what is known of each position: generation, best lead, lower and upper bound |
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.state import LANE
from terz_env.games.terz.tricks import (
    DISCRETION,
    HIGHER,
    NOT_FORCED,
    card_value,
)
from terz_env.kernel import highest, inline, kernel, lowest, popcount

Workspace = NDArray[np.int64]

MAX_CARDS = 9
MASKS = 1 << MAX_CARDS
ROW = 16

# Scalars at the start of the workspace.
GENERATION, NODES, OPTION, TRUMP = 0, 1, 2, 3
TRUMPS, JACK, SEEN, COUNT = 4, 6, 8, 10
CARD = 16
VALUE = CARD + 2 * ROW
ABOVE = VALUE + 2 * ROW
SUIT = ABOVE + 2 * ROW
TWIN = SUIT + 2 * ROW
FAR = TWIN + 2 * ROW
BETWEEN = FAR + 2 * ROW
SUM = BETWEEN + 2 * ROW
SUITS = SUM + 2 * MASKS
STACK = SUITS + 8

FRAME = 32
TABLE = STACK + (MAX_CARDS + 1) * FRAME


def _rank(mask: int) -> int:
    """Returns the place of a set among the sets of its size."""
    members = [bit for bit in range(MAX_CARDS) if mask >> bit & 1]
    return sum(comb(bit, place + 1) for place, bit in enumerate(members))


def _first_places() -> list[int]:
    places = [0]
    for size in range(MAX_CARDS + 1):
        places.append(places[-1] + 2 * comb(MAX_CARDS, size) ** 2)
    return places


_RANK = np.array([_rank(mask) for mask in range(MASKS)], dtype=np.int64)
_SETS = np.array([comb(MAX_CARDS, size) for size in range(MAX_CARDS + 1)], dtype=np.int64)
_FIRST = np.array(_first_places(), dtype=np.int64)

WORKSPACE = TABLE + _first_places()[-1]
"""The length of a workspace; it starts as zeros."""


@inline
def table_place(mask: int, other: int, leader: int) -> int:
    """Returns where the entry of a position stands; `mask` is the hand of seat 0."""
    size = popcount(mask)
    return TABLE + _FIRST[size] + 2 * (_RANK[mask] * _SETS[size] + _RANK[other]) + leader


@inline
def _insert(work: Workspace, seat: int, hand: int, trump: int) -> None:
    """Lists the cards of a hand in ascending order of points."""
    first = CARD + seat * ROW
    count = 0
    while hand != 0:
        card = lowest(hand)
        hand &= hand - 1
        value = card_value(card, trump)
        place = count
        while place > 0 and card_value(work[first + place - 1], trump) > value:
            work[first + place] = work[first + place - 1]
            place -= 1
        work[first + place] = card
        count += 1
    work[COUNT + seat] = count


@inline
def mask_of(work: Workspace, seat: int, cards: int) -> int:
    """Returns the bits of a seat's cards that belong to a set of cards."""
    mask = 0
    for bit in range(work[COUNT + seat]):
        mask |= ((cards >> work[CARD + seat * ROW + bit]) & 1) << bit
    return mask


@inline
def _relate(work: Workspace, seat: int, trump: int) -> None:
    """Notes for each card of a seat which cards of the other seat it meets."""
    other = 1 - seat
    for bit in range(work[COUNT + seat]):
        place = seat * ROW + bit
        card = work[CARD + place]
        shift = card & 24
        is_trump = 1 if card >> 3 == trump else 0
        work[VALUE + place] = card_value(card, trump)
        work[ABOVE + place] = mask_of(work, other, HIGHER[is_trump, card & 7] << shift)
        work[SUIT + place] = mask_of(work, other, LANE << shift)
        work[TWIN + place] = 0
        work[FAR + place] = 0
        work[BETWEEN + place] = 0
        rank = card & 7
        if rank == 1 or (rank == 2 and not is_trump):
            work[TWIN + place] = mask_of(work, seat, 1 << (card - 1))
        if rank == 2 and not is_trump:
            work[FAR + place] = mask_of(work, seat, 1 << (card - 2))
            work[BETWEEN + place] = mask_of(work, other, 1 << (card - 1))
    trumps = mask_of(work, seat, LANE << (8 * trump))
    work[TRUMPS + seat] = trumps
    work[JACK + seat] = mask_of(work, seat, 1 << (8 * trump + 4))
    for suit in range(4):
        work[SUITS + 4 * seat + suit] = mask_of(work, seat, LANE << (8 * suit))
    work[SUM + seat * MASKS] = 0
    for mask in range(1, 1 << work[COUNT + seat]):
        rest = mask & (mask - 1)
        value = work[VALUE + seat * ROW + lowest(mask)]
        work[SUM + seat * MASKS + mask] = work[SUM + seat * MASKS + rest] + value


@inline
def is_prepared(work: Workspace, hand_0: int, hand_1: int, trump: int, option: int) -> int:
    """Tells whether the workspace was set up for hands that hold these."""
    if work[GENERATION] == 0 or work[TRUMP] != trump or work[OPTION] != option:
        return 0
    return 1 if (hand_0 & ~work[SEEN]) | (hand_1 & ~work[SEEN + 1]) == 0 else 0


@kernel
def prepare(work: Workspace, hand_0: int, hand_1: int, trump: int, option: int) -> None:
    """Sets the workspace up for two hands (sets of cards) and forgets what was known.

    A card that lies on the table belongs to the hand it came from. `option` is T12's.
    """
    work[GENERATION] += 1
    work[OPTION] = option
    work[TRUMP] = trump
    work[SEEN] = hand_0
    work[SEEN + 1] = hand_1
    _insert(work, 0, hand_0, trump)
    _insert(work, 1, hand_1, trump)
    _relate(work, 0, trump)
    _relate(work, 1, trump)


@inline
def replies_to(work: Workspace, leader: int, lead: int, hand: int) -> int:
    """Returns the cards of the other seat's hand that may answer a lead (Rules T11, T12)."""
    place = leader * ROW + lead
    jack = work[JACK + 1 - leader] & hand
    option = work[OPTION]
    rest = hand
    if jack != 0 and option <= NOT_FORCED:
        rest = hand ^ jack
        if rest == 0:
            return jack
    legal = rest & work[ABOVE + place]
    if legal == 0:
        legal = rest & work[SUIT + place]
        if legal == 0:
            legal = rest & work[TRUMPS + 1 - leader]
            if legal == 0:
                legal = rest
    if rest != hand:
        if option == DISCRETION:
            return legal | jack
        whole = hand & work[ABOVE + place]
        if whole == 0:
            whole = hand & work[SUIT + place]
            if whole == 0:
                whole = hand & work[TRUMPS + 1 - leader]
                if whole == 0:
                    whole = hand
        return legal | (whole & jack)
    return legal


@inline
def winners_over(work: Workspace, leader: int, lead: int) -> int:
    """Returns the cards of the other seat that take a trick with this lead (Rule T6)."""
    place = leader * ROW + lead
    if (work[TRUMPS + leader] >> lead) & 1:
        return work[ABOVE + place]
    return work[ABOVE + place] | work[TRUMPS + 1 - leader]


@inline
def is_repeated(work: Workspace, seat: int, bit: int, cards: int, other: int) -> int:
    """Tells whether another card of the set does the same as this one."""
    place = seat * ROW + bit
    if work[TWIN + place] & cards:
        return 1
    return 1 if (work[FAR + place] & cards) != 0 and (work[BETWEEN + place] & other) == 0 else 0


@inline
def _low_cards(hand: int, count: int) -> int:
    """Returns the `count` cheapest cards of a hand."""
    rest = hand
    for _ in range(count):
        rest &= rest - 1
    return hand ^ rest


@inline
def _above_all(work: Workspace, seat: int, cards: int, rivals: int) -> int:
    """Returns the cards of one suit that stand above all rivals of the other seat in it."""
    if rivals == 0:
        return cards
    return cards & work[ABOVE + (1 - seat) * ROW + highest(rivals)]


@inline
def certain_points(work: Workspace, seat: int, own: int, other: int) -> int:
    """Returns points that a seat takes however it is played: by trumps that nothing beats."""
    masters = _above_all(work, seat, own & work[TRUMPS + seat], other & work[TRUMPS + 1 - seat])
    given = _low_cards(other, popcount(masters))
    return work[SUM + seat * MASKS + masters] + work[SUM + (1 - seat) * MASKS + given]


@inline
def points_on_lead(work: Workspace, seat: int, own: int, other: int, left: int) -> int:
    """Returns points that the leader can take: he draws the trumps, then leads what stands."""
    rivals = other & work[TRUMPS + 1 - seat]
    masters = _above_all(work, seat, own & work[TRUMPS + seat], rivals)
    if popcount(masters) >= popcount(rivals):
        for suit in range(4):
            cards = own & work[SUITS + 4 * seat + suit]
            masters |= _above_all(work, seat, cards, other & work[SUITS + 4 * (1 - seat) + suit])
        if masters == own:
            return left
    given = _low_cards(other, popcount(masters))
    return work[SUM + seat * MASKS + masters] + work[SUM + (1 - seat) * MASKS + given]

"""Terz, closed phase: the exact value of the play of the cards, both hands known (T3, T6, T11, T12).

A hand of at most nine cards becomes a mask of nine bits, cards in ascending order of their points.
A position at the start of a trick is two masks of equal size and the leader; its value is the card
points still to come to the leader, the last trick's ten included. Since both shares sum to the
points left, one number is enough. A search answers "at least `bound`?" (a null window) and keeps
what it learns as bounds in a table with one entry a position, so that nothing has to be hashed.
Melds are not counted here: after trick 8 only the marriage is left, and it costs nothing.

Everything lies in one workspace of int64 that the caller owns:

| from     | holds |
|----------|-------|
| `CARD`   | the cards by seat and bit |
| `VALUE`  | their points |
| `ABOVE`  | by seat and bit, the other seat's cards of the suit that stand above |
| `SUIT`   | by seat and bit, the other seat's cards of the suit |
| `TWIN`   | by seat and bit, own cards that are the same card in effect |
| `FAR`    | likewise, unless the other seat holds the card between; then `BETWEEN` |
| `SUM`    | by seat and mask, the points of the cards |
| `STACK`  | a frame a trick of the search |
| `TABLE`  | what is known of each position: generation, best lead, lower and upper bound |
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.state import LANE
from terz_env.games.terz.tricks import (
    DISCRETION,
    HIGHER,
    LAST_TRICK_POINTS,
    NOT_FORCED,
    card_value,
)
from terz_env.kernel import highest, inline, kernel, lowest, popcount

Workspace = NDArray[np.int64]

MAX_CARDS = 9
_MASKS = 1 << MAX_CARDS
_ROW = 16

# Scalars at the start of the workspace.
GENERATION, NODES, OPTION = 0, 1, 2
TRUMPS, JACK, SEEN, COUNT = 4, 6, 8, 10
CARD = 16
VALUE = CARD + 2 * _ROW
ABOVE = VALUE + 2 * _ROW
SUIT = ABOVE + 2 * _ROW
TWIN = SUIT + 2 * _ROW
FAR = TWIN + 2 * _ROW
BETWEEN = FAR + 2 * _ROW
SUM = BETWEEN + 2 * _ROW
SUITS = SUM + 2 * _MASKS
STACK = SUITS + 8

# A frame of the search.
_OWN, _OTHER, _LEADER, _BOUND, _LEFT, _BEST, _BEST_LEAD = 0, 1, 2, 3, 4, 5, 6
_LEAD, _REPLIES, _WINNING, _WORST, _GAIN, _TAKEN, _PLACE, _N_KEYS, _KEYS = (
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    16,
)
_FRAME = 32
TABLE = STACK + (MAX_CARDS + 1) * _FRAME


def _rank(mask: int) -> int:
    """Returns the place of a set among the sets of its size."""
    members = [bit for bit in range(MAX_CARDS) if mask >> bit & 1]
    return sum(comb(bit, place + 1) for place, bit in enumerate(members))


def _first_places() -> list[int]:
    places = [0]
    for size in range(MAX_CARDS + 1):
        places.append(places[-1] + 2 * comb(MAX_CARDS, size) ** 2)
    return places


_RANK = np.array([_rank(mask) for mask in range(_MASKS)], dtype=np.int64)
_SETS = np.array([comb(MAX_CARDS, size) for size in range(MAX_CARDS + 1)], dtype=np.int64)
_FIRST = np.array(_first_places(), dtype=np.int64)

WORKSPACE = TABLE + _first_places()[-1]
"""The length of a workspace; it starts as zeros."""

_WORST_START = 1000
_NO_CARD = -1


@inline
def table_place(mask: int, other: int, leader: int) -> int:
    """Returns where the entry of a position stands; `mask` is the hand of seat 0."""
    size = popcount(mask)
    return TABLE + _FIRST[size] + 2 * (_RANK[mask] * _SETS[size] + _RANK[other]) + leader


@inline
def _set_card(work: Workspace, seat: int, bit: int, card: int, other: int, trump: int) -> None:
    """Notes a card; `other` is the other seat's hand as a set of cards."""
    place = seat * _ROW + bit
    work[CARD + place] = card
    work[VALUE + place] = card_value(card, trump)


@inline
def _insert(work: Workspace, seat: int, hand: int, trump: int) -> None:
    """Lists the cards of a hand in ascending order of points."""
    first = CARD + seat * _ROW
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
def _mask_of(work: Workspace, seat: int, cards: int) -> int:
    """Returns the bits of a seat's cards that belong to a set of cards."""
    mask = 0
    for bit in range(work[COUNT + seat]):
        mask |= ((cards >> work[CARD + seat * _ROW + bit]) & 1) << bit
    return mask


@inline
def _relate(work: Workspace, seat: int, trump: int) -> None:
    """Notes for each card of a seat which cards of the other seat it meets."""
    other = 1 - seat
    for bit in range(work[COUNT + seat]):
        place = seat * _ROW + bit
        card = work[CARD + place]
        shift = card & 24
        is_trump = 1 if card >> 3 == trump else 0
        work[VALUE + place] = card_value(card, trump)
        work[ABOVE + place] = _mask_of(work, other, HIGHER[is_trump, card & 7] << shift)
        work[SUIT + place] = _mask_of(work, other, LANE << shift)
        work[TWIN + place] = 0
        work[FAR + place] = 0
        work[BETWEEN + place] = 0
        rank = card & 7
        if rank == 1 or (rank == 2 and not is_trump):
            work[TWIN + place] = _mask_of(work, seat, 1 << (card - 1))
        if rank == 2 and not is_trump:
            work[FAR + place] = _mask_of(work, seat, 1 << (card - 2))
            work[BETWEEN + place] = _mask_of(work, other, 1 << (card - 1))
    trumps = _mask_of(work, seat, LANE << (8 * trump))
    work[TRUMPS + seat] = trumps
    work[JACK + seat] = _mask_of(work, seat, 1 << (8 * trump + 4))
    for suit in range(4):
        work[SUITS + 4 * seat + suit] = _mask_of(work, seat, LANE << (8 * suit))
    work[SUM + seat * _MASKS] = 0
    for mask in range(1, 1 << work[COUNT + seat]):
        rest = mask & (mask - 1)
        value = work[VALUE + seat * _ROW + lowest(mask)]
        work[SUM + seat * _MASKS + mask] = work[SUM + seat * _MASKS + rest] + value


@kernel
def prepare(work: Workspace, hand_0: int, hand_1: int, trump: int, option: int) -> None:
    """Sets the workspace up for two hands (sets of cards) and forgets what was known.

    A card that lies on the table belongs to the hand it came from. `option` is T12's.
    """
    work[GENERATION] += 1
    work[OPTION] = option
    work[SEEN] = hand_0
    work[SEEN + 1] = hand_1
    _insert(work, 0, hand_0, trump)
    _insert(work, 1, hand_1, trump)
    _relate(work, 0, trump)
    _relate(work, 1, trump)


@inline
def replies_to(work: Workspace, leader: int, lead: int, hand: int) -> int:
    """Returns the cards of the other seat's hand that may answer a lead (Rules T11, T12)."""
    place = leader * _ROW + lead
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
    place = leader * _ROW + lead
    if (work[TRUMPS + leader] >> lead) & 1:
        return work[ABOVE + place]
    return work[ABOVE + place] | work[TRUMPS + 1 - leader]


@inline
def is_repeated(work: Workspace, seat: int, bit: int, cards: int, other: int) -> int:
    """Tells whether another card of the set does the same as this one."""
    place = seat * _ROW + bit
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
    return cards & work[ABOVE + (1 - seat) * _ROW + highest(rivals)]


@inline
def _certain_points(work: Workspace, seat: int, own: int, other: int) -> int:
    """Returns points that a seat takes however it is played: by trumps that nothing beats."""
    masters = _above_all(work, seat, own & work[TRUMPS + seat], other & work[TRUMPS + 1 - seat])
    given = _low_cards(other, popcount(masters))
    return work[SUM + seat * _MASKS + masters] + work[SUM + (1 - seat) * _MASKS + given]


@inline
def _points_on_lead(work: Workspace, seat: int, own: int, other: int, left: int) -> int:
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
    return work[SUM + seat * _MASKS + masters] + work[SUM + (1 - seat) * _MASKS + given]


@inline
def _list_leads(work: Workspace, frame: int, leader: int, own: int, other: int, known: int) -> int:
    """Writes the leads of a position with keys that put the promising first; returns how many."""
    count = 0
    cards = own
    base = leader * _ROW
    other_base = (1 - leader) * _ROW
    trumps = work[TRUMPS + 1 - leader] & other
    while cards != 0:
        lead = lowest(cards)
        cards &= cards - 1
        if is_repeated(work, leader, lead, own, other):
            continue
        value = work[VALUE + base + lead]
        above = work[ABOVE + base + lead] & other
        suit = work[SUIT + base + lead] & other
        if lead == known:
            key = 1000
        elif above != 0 or (suit == 0 and trumps != 0):
            takers = above if above != 0 else trumps
            key = 300 - value - work[VALUE + other_base + highest(takers)]
        else:
            losers = suit if suit != 0 else other
            key = 400 + value + work[VALUE + other_base + lowest(losers)]
        work[frame + _KEYS + count] = (key << 4) | lead
        count += 1
    return count


@inline
def _next_lead(work: Workspace, frame: int) -> int:
    """Takes the most promising lead off the list; -1 when none is left."""
    count = work[frame + _N_KEYS]
    if count == 0:
        return _NO_CARD
    best = frame + _KEYS
    for place in range(frame + _KEYS + 1, frame + _KEYS + count):
        if work[place] > work[best]:
            best = place
    lead = work[best] & 15
    work[best] = work[frame + _KEYS + count - 1]
    work[frame + _N_KEYS] = count - 1
    return lead


@kernel
def search(work: Workspace, own: int, other: int, leader: int, bound: int) -> int:
    """Returns a bound on the leader's points: at least `bound`, or an upper bound below it.

    `own` and `other` are the masks of the leader and of the other seat.
    """
    stamp = work[GENERATION] << 24
    depth = 0
    nodes = 0
    value = 0
    entering = True
    while True:
        frame = STACK + depth * _FRAME
        if entering:
            nodes += 1
            left = work[SUM + leader * _MASKS + own] + work[SUM + (1 - leader) * _MASKS + other]
            left += LAST_TRICK_POINTS
            value = -1
            known = 15
            place = 0
            if bound <= 0:
                value = 0
            elif bound > left:
                value = left
            elif own & (own - 1) == 0:
                lead = lowest(own)
                value = 0 if other & winners_over(work, leader, lead) else left
            else:
                mask = own if leader == 0 else other
                place = table_place(mask, own ^ other ^ mask, leader)
                entry = work[place]
                if entry >> 24 == work[GENERATION]:
                    if (entry >> 8) & 255 >= bound:
                        value = (entry >> 8) & 255
                    elif entry & 255 < bound:
                        value = entry & 255
                    known = (entry >> 16) & 15
                else:
                    low = _points_on_lead(work, leader, own, other, left)
                    high = left - _certain_points(work, 1 - leader, other, own)
                    work[place] = stamp | (15 << 16) | (low << 8) | high
                    if low >= bound:
                        value = low
                    elif high < bound:
                        value = high
            if value >= 0:
                entering = False
                depth -= 1
                if depth < 0:
                    break
                continue
            work[frame + _OWN] = own
            work[frame + _OTHER] = other
            work[frame + _LEADER] = leader
            work[frame + _BOUND] = bound
            work[frame + _LEFT] = left
            work[frame + _BEST] = 0
            work[frame + _BEST_LEAD] = known
            work[frame + _REPLIES] = 0
            work[frame + _LEAD] = _NO_CARD
            work[frame + _PLACE] = place
            work[frame + _N_KEYS] = _list_leads(work, frame, leader, own, other, known)
        else:
            own = work[frame + _OWN]
            other = work[frame + _OTHER]
            leader = work[frame + _LEADER]
            bound = work[frame + _BOUND]
            left = work[frame + _LEFT]
            if work[frame + _TAKEN]:
                value = left - work[frame + _GAIN] - value
            else:
                value += work[frame + _GAIN]
            if value < work[frame + _WORST]:
                work[frame + _WORST] = value
                if value < bound:
                    work[frame + _REPLIES] = 0
        replies = work[frame + _REPLIES]
        if replies == 0:
            lead = work[frame + _LEAD]
            if lead >= 0 and work[frame + _WORST] > work[frame + _BEST]:
                work[frame + _BEST] = work[frame + _WORST]
                work[frame + _BEST_LEAD] = lead
            best = work[frame + _BEST]
            lead = _NO_CARD if best >= bound else _next_lead(work, frame)
            if lead < 0:
                place = work[frame + _PLACE]
                entry = work[place]
                low, high = (entry >> 8) & 255, entry & 255
                if best >= bound:
                    low = best
                else:
                    high = best
                work[place] = stamp | (work[frame + _BEST_LEAD] << 16) | (low << 8) | high
                value = best
                entering = False
                depth -= 1
                if depth < 0:
                    break
                continue
            replies = replies_to(work, leader, lead, other)
            work[frame + _LEAD] = lead
            work[frame + _WORST] = _WORST_START
            work[frame + _WINNING] = winners_over(work, leader, lead)
        lead = work[frame + _LEAD]
        winning = work[frame + _WINNING]
        if replies & winning:
            reply = highest(replies & winning)
        else:
            reply = lowest(replies)
        replies &= ~(1 << reply)
        while replies != 0 and is_repeated(
            work, 1 - leader, lowest(replies), replies | (1 << reply), own & ~(1 << lead)
        ):
            replies &= replies - 1
        work[frame + _REPLIES] = replies
        gain = work[VALUE + leader * _ROW + lead] + work[VALUE + (1 - leader) * _ROW + reply]
        work[frame + _GAIN] = gain
        own ^= 1 << lead
        other ^= 1 << reply
        if (winning >> reply) & 1:
            work[frame + _TAKEN] = 1
            bound = left - gain - bound + 1
            own, other = other, own
            leader = 1 - leader
        else:
            work[frame + _TAKEN] = 0
            bound -= gain
        depth += 1
        entering = True
    work[NODES] += nodes
    return value


@kernel
def closed_value(work: Workspace, own: int, other: int, leader: int, guess: int) -> int:
    """Returns the leader's points exactly, by null windows from a guess on (MTD(f))."""
    left = work[SUM + leader * _MASKS + own] + work[SUM + (1 - leader) * _MASKS + other]
    left += LAST_TRICK_POINTS
    low = _points_on_lead(work, leader, own, other, left)
    high = left - _certain_points(work, 1 - leader, other, own)
    value = low + (high - low) * guess // 100
    while low < high:
        bound = value if value > low else low + 1
        value = search(work, own, other, leader, bound)
        if value >= bound:
            low = value
        else:
            high = value
    return low

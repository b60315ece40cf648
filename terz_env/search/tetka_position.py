"""Tetka with all cards known: a position in a workspace, and what it shows at once (K3–K5, K10).

A workspace is one array of int64 that the caller owns: scalars, the hands, a tally a trick, a frame
a card, and the table, two words an entry. A tally orders the seats for the most tricks, the
greatest first: 64 · tricks, revokes counted (K10), + 4 · number of the last trick taken + nearness
to the dealer's left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.state import (
    BEST_CARD,
    BEST_SEAT,
    COUNT,
    DEALER,
    HAND,
    LAST_TAKEN,
    N_TRICKS,
    PHOTO,
    PLAYED,
    QUEENS,
    REVOKES,
    SUIT_CARDS,
    TABLE,
    TALLY,
    TRICK,
    State,
    counting_trick,
    get,
    seat_to_act,
    suit_of,
    tricks_of,
)
from terz_env.kernel import highest, inline, kernel, lowest, popcount

Workspace = NDArray[np.int64]

# Scalars.
GENERATION, NODES, SIZE, SIDE, COUNTING, LAST_TRICK, PHOTO_CARD = 0, 1, 2, 3, 4, 5, 6
HANDS = 8
TALLIES = 16
FRAMES = TALLIES + 14 * 4
FRAME = 32
ENTRIES = FRAMES + 53 * FRAME

# A frame: a seat about to play.
AT_SEAT, AT_BOUND, AT_BEST, AT_CHOSEN, AT_CARD, AT_GAIN = 0, 1, 2, 3, 4, 5
AT_PLAYED, AT_TOP, AT_TAKER, AT_LOAD, AT_TRICK = 6, 7, 8, 9, 10
AT_PLACE, AT_CODE, AT_N_KEYS, AT_KEYS = 11, 12, 13, 16

# A tally: a number by seat that orders the seats for the most tricks, the greatest first (K5, K10).
ONE_TRICK, _LAST_TAKEN, _OFFSET = 64, 15 << 2, 64


def workspace(table_bits: int) -> Workspace:
    """Returns a workspace whose table has 2 ** `table_bits` entries."""
    work = np.zeros(ENTRIES + (2 << table_bits), dtype=np.int64)
    work[SIZE] = 1 << table_bits
    return work


@inline
def weight(work: Workspace, card: int) -> int:
    """Returns the marks that a card carries: queens and the photo (Rule K4)."""
    marks = (QUEENS >> card) & 1
    return marks + 1 if card == work[PHOTO_CARD] else marks


@inline
def is_own(work: Workspace, seat: int) -> int:
    """Tells whether a seat belongs to the side whose marks are counted."""
    return (work[SIDE] >> seat) & 1


@inline
def first_in_tricks(work: Workspace, tally: int) -> int:
    """Returns the seat that is first in tricks (Rules K5, K10)."""
    best = 0
    for seat in range(1, 4):
        if work[tally + seat] > work[tally + best]:
            best = seat
    return best


@inline
def tally_after(before: int, trick: int) -> int:
    """Returns a seat's tally once it has taken this trick, counted from 0."""
    return (before & ~_LAST_TAKEN) + ONE_TRICK + ((trick + 1) << 2)


@inline
def tally_code(work: Workspace, tally: int, left: int) -> int:
    """Returns what the tally means with `left` tricks to come; 1 or 2 where the race is over."""
    most = work[tally] >> 6
    for seat in range(1, 4):
        most = max(most, work[tally + seat] >> 6)
    code = 0
    own = 0
    others = 0
    for seat in range(4):
        behind = most - (work[tally + seat] >> 6)
        code <<= 6
        if behind > left:
            code |= 60
            continue
        if is_own(work, seat):
            own = 1
        else:
            others = 1
        ahead = 0
        for rival in range(4):
            if work[tally + rival] > work[tally + seat]:
                ahead += 1 if most - (work[tally + rival] >> 6) == behind else 0
        code |= (behind << 2) | ahead
    if others == 0:
        return 1
    return code + 3 if own else 2


@inline
def marks_left(work: Workspace, cards: int, trick: int, code: int) -> int:
    """Returns the marks still open: cards, counting trick, and the most tricks."""
    marks = popcount(cards & QUEENS) + ((cards >> work[PHOTO_CARD]) & 1)
    if trick < work[COUNTING]:
        marks += 1
    return marks + 1 if code > 2 else marks


@inline
def _same_below(work: Workspace, card: int, own: int, live: int) -> int:
    """Tells whether the next card below in its suit that still counts is own and does the same."""
    below = live & (SUIT_CARDS << (13 * suit_of(card))) & ((1 << card) - 1)
    if below == 0:
        return 0
    next_below = highest(below)
    if (own >> next_below) & 1 == 0:
        return 0
    return 1 if weight(work, next_below) == weight(work, card) else 0


@inline
def _lead_key(work: Workspace, seat: int, card: int) -> int:
    """Returns how promising a lead looks if everybody ducks when able."""
    suit = SUIT_CARDS << (13 * suit_of(card))
    top, taker = card, seat
    carried = weight(work, card)
    for step in range(1, 4):
        player = (seat + step) & 3
        cards = work[HANDS + player] & suit
        if cards != 0 and cards & ((1 << top) - 1) == 0:
            top, taker = lowest(cards), player
            carried += weight(work, top)
    if is_own(work, taker) == is_own(work, seat):
        return 300 - 20 * carried - card % 13 if taker == seat else 320 - 20 * carried
    return 400 + 40 * carried + card % 13


@inline
def _reply_key(
    work: Workspace, seat: int, card: int, played: int, top: int, taker: int, load: int
) -> int:
    """Returns how promising a card looks in a trick that is under way."""
    carried = weight(work, card)
    rank = card % 13
    friendly = 1 if is_own(work, taker) == is_own(work, seat) else 0
    if suit_of(card) != suit_of(top):
        if friendly:
            return 300 - 60 * carried + rank
        return 300 + 60 * carried + rank
    if card < top:
        if friendly:
            return 320 - 60 * carried + rank
        return 320 + 60 * carried + rank
    if played == 3:
        return 310 - 60 * (carried + load) + rank
    return 280 - 40 * (carried + load) - rank


@inline
def list_cards(
    work: Workspace, frame: int, seat: int, played: int, top: int, taker: int, load: int, known: int
) -> int:
    """Writes the cards to try with keys that put the promising first; returns how many."""
    own = work[HANDS + seat]
    live = work[HANDS] | work[HANDS + 1] | work[HANDS + 2] | work[HANDS + 3]
    cards = own
    if played > 0:
        live |= 1 << top
        following = own & (SUIT_CARDS << (13 * suit_of(top)))
        cards = following if following != 0 else own
    count = 0
    rest = cards
    while rest != 0:
        card = lowest(rest)
        rest &= rest - 1
        if _same_below(work, card, own, live):
            continue
        if card == known:
            key = 4000
        elif played == 0:
            key = 1000 + _lead_key(work, seat, card)
        else:
            key = 1000 + _reply_key(work, seat, card, played, top, taker, load)
        work[frame + AT_KEYS + count] = (key << 6) | card
        count += 1
    return count


@inline
def next_card(work: Workspace, frame: int) -> int:
    """Takes the most promising card off the list; -1 when none is left."""
    count = work[frame + AT_N_KEYS]
    if count == 0:
        return -1
    best = frame + AT_KEYS
    for place in range(frame + AT_KEYS + 1, frame + AT_KEYS + count):
        if work[place] > work[best]:
            best = place
    card = work[best] & 63
    work[best] = work[frame + AT_KEYS + count - 1]
    work[frame + AT_N_KEYS] = count - 1
    return card


@inline
def last_trick(work: Workspace, leader: int, trick: int, tally: int) -> int:
    """Returns the side's marks where everybody holds one card."""
    top, taker = lowest(work[HANDS + leader]), leader
    carried = weight(work, top)
    for step in range(1, 4):
        seat = (leader + step) & 3
        card = lowest(work[HANDS + seat])
        carried += weight(work, card)
        if suit_of(card) == suit_of(top) and card > top:
            top, taker = card, seat
    if trick + 1 == work[COUNTING]:
        carried += 1
    before = work[tally + taker]
    work[tally + taker] = tally_after(before, trick)
    first = first_in_tricks(work, tally)
    work[tally + taker] = before
    marks = carried if is_own(work, taker) else 0
    return marks + is_own(work, first)


@kernel
def load_position(work: Workspace, state: State, side: int) -> None:
    """Writes a position of the engine into the workspace; `side` is a set of seats."""
    table = state[TABLE]
    dealer = get(state, TABLE, DEALER, 3)
    trick = get(state, TABLE, TRICK, 15)
    work[SIDE] = side
    work[COUNTING] = counting_trick(state)
    work[LAST_TRICK] = get(state, TABLE, N_TRICKS, 15)
    work[PHOTO_CARD] = get(state, TABLE, PHOTO, 63)
    revokes = 0
    for seat in range(4):
        work[HANDS + seat] = state[HAND + seat]
        revokes += (state[PLAYED + seat] >> REVOKES) & 15
    for seat in range(4):
        own = (state[PLAYED + seat] >> REVOKES) & 15
        count = _OFFSET + tricks_of(state, seat) + 4 * own - revokes
        last = get(state, TALLY, LAST_TAKEN + 4 * seat, 15)
        order = 3 - ((seat - dealer - 1) & 3)
        work[TALLIES + 4 * trick + seat] = ONE_TRICK * count + (last << 2) + order
    played = (table >> COUNT) & 3
    marks = 0
    for place in range(played):
        marks += weight(work, (table >> (6 * place)) & 63)
    if played > 0 and trick + 1 == work[COUNTING]:
        marks += 1
    work[FRAMES + AT_SEAT] = seat_to_act(state)
    work[FRAMES + AT_PLAYED] = played
    work[FRAMES + AT_TOP] = (table >> BEST_CARD) & 63
    work[FRAMES + AT_TAKER] = (table >> BEST_SEAT) & 3
    work[FRAMES + AT_LOAD] = marks
    work[FRAMES + AT_TRICK] = trick

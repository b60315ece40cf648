"""Tetka with all cards known: the marks that a side must still take (K3–K5, K10).

Two sides play against each other for the marks: `paranoid`, one seat against the other three, and
`teams`, seats 0 and 2 against 1 and 3. Each mark goes to one side or to the other, so the game has
zero sum and a unique value: the marks still to come to the side, which plays for few. A search
answers "at least `bound`?" (a null window) and keeps bounds in a table of trick starts.

A position at the start of a trick is the set of cards left (who holds which is fixed), the leader
and what the tricks taken so far mean for the mark of the most tricks. Of the counts only the
arrears against the best are kept, of the ties only their present order, and nothing of seats that
can no longer come first, nor of a race that one side has won.

Everything lies in one workspace of int64 that the caller owns: scalars, the hands, a tally a trick,
a frame a card, and the table, two words an entry.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.rules import legal_actions, play
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

UNFINISHED = -1

# Scalars.
GENERATION, NODES, SIZE, SIDE, COUNTING, LAST_TRICK, LIGHT_PHOTO = 0, 1, 2, 3, 4, 5, 6
HANDS = 8
TALLIES = 16
FRAMES = TALLIES + 14 * 4
_FRAME = 32
ENTRIES = FRAMES + 53 * _FRAME

# A frame: a seat about to play.
_SEAT, _BOUND, _BEST, _CHOSEN, _CARD, _GAIN = 0, 1, 2, 3, 4, 5
_PLAYED, _TOP, _TAKER, _LOAD, _TRICK, _PLACE, _CODE, _N_KEYS, _KEYS = 6, 7, 8, 9, 10, 11, 12, 13, 16

# A tally: a number by seat that orders the seats for the most tricks, the greatest first (K5, K10).
_ONE_TRICK, _LAST, _OFFSET = 64, 4, 64

_LEADER_BITS, _CODE_BITS = 52, 54
_MIX_1, _MIX_2, _MIX_3 = 0x9E3779B97, 0x7F4A7C15B, 0x3C6EF372F
_HALF = (1 << 26) - 1


def workspace(table_bits: int) -> Workspace:
    """Returns a workspace whose table has 2 ** `table_bits` entries."""
    work = np.zeros(ENTRIES + (2 << table_bits), dtype=np.int64)
    work[SIZE] = 1 << table_bits
    return work


@inline
def _weight(work: Workspace, card: int) -> int:
    """Returns the marks that a card carries: queens and the photo (Rule K4)."""
    weight = (QUEENS >> card) & 1
    return weight + 1 if card == work[LIGHT_PHOTO] else weight


@inline
def _is_own(work: Workspace, seat: int) -> int:
    """Tells whether a seat belongs to the side whose marks are counted."""
    return (work[SIDE] >> seat) & 1


@inline
def _first_in_tricks(work: Workspace, tally: int) -> int:
    """Returns the seat that is first in tricks (Rules K5, K10)."""
    best = 0
    for seat in range(1, 4):
        if work[tally + seat] > work[tally + best]:
            best = seat
    return best


@inline
def _tally_code(work: Workspace, tally: int, left: int) -> int:
    """Returns what the tally means with `left` tricks to come; 1 or 2 where the race is over."""
    most = work[tally] >> 6
    for seat in range(1, 4):
        if work[tally + seat] >> 6 > most:
            most = work[tally + seat] >> 6
    code = 0
    own = 0
    others = 0
    for seat in range(4):
        behind = most - (work[tally + seat] >> 6)
        code <<= 6
        if behind > left:
            code |= 60
            continue
        if _is_own(work, seat):
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
def _marks_left(work: Workspace, cards: int, trick: int, code: int) -> int:
    """Returns the marks still open: cards, counting trick, and the most tricks."""
    marks = popcount(cards & QUEENS) + ((cards >> work[LIGHT_PHOTO]) & 1)
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
    return 1 if _weight(work, next_below) == _weight(work, card) else 0


@inline
def _lead_key(work: Workspace, seat: int, card: int) -> int:
    """Returns how promising a lead looks if everybody ducks when able."""
    suit = SUIT_CARDS << (13 * suit_of(card))
    top, taker = card, seat
    weight = _weight(work, card)
    for step in range(1, 4):
        player = (seat + step) & 3
        cards = work[HANDS + player] & suit
        if cards != 0 and cards & ((1 << top) - 1) == 0:
            top, taker = lowest(cards), player
            weight += _weight(work, top)
    if _is_own(work, taker) == _is_own(work, seat):
        return 300 - 20 * weight - card % 13 if taker == seat else 320 - 20 * weight
    return 400 + 40 * weight + card % 13


@inline
def _reply_key(
    work: Workspace, seat: int, card: int, played: int, top: int, taker: int, load: int
) -> int:
    """Returns how promising a card looks in a trick that is under way."""
    weight = _weight(work, card)
    rank = card % 13
    friendly = 1 if _is_own(work, taker) == _is_own(work, seat) else 0
    if suit_of(card) != suit_of(top):
        if friendly:
            return 300 - 60 * weight + rank
        return 300 + 60 * weight + rank
    if card < top:
        if friendly:
            return 320 - 60 * weight + rank
        return 320 + 60 * weight + rank
    if played == 3:
        return 310 - 60 * (weight + load) + rank
    return 280 - 40 * (weight + load) - rank


@inline
def _list_cards(
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
        work[frame + _KEYS + count] = (key << 6) | card
        count += 1
    return count


@inline
def _next_card(work: Workspace, frame: int) -> int:
    """Takes the most promising card off the list; -1 when none is left."""
    count = work[frame + _N_KEYS]
    if count == 0:
        return -1
    best = frame + _KEYS
    for place in range(frame + _KEYS + 1, frame + _KEYS + count):
        if work[place] > work[best]:
            best = place
    card = work[best] & 63
    work[best] = work[frame + _KEYS + count - 1]
    work[frame + _N_KEYS] = count - 1
    return card


@inline
def _last_trick(work: Workspace, leader: int, trick: int, tally: int) -> int:
    """Returns the side's marks where everybody holds one card."""
    top, taker = lowest(work[HANDS + leader]), leader
    weight = _weight(work, top)
    for step in range(1, 4):
        seat = (leader + step) & 3
        card = lowest(work[HANDS + seat])
        weight += _weight(work, card)
        if suit_of(card) == suit_of(top) and card > top:
            top, taker = card, seat
    if trick + 1 == work[COUNTING]:
        weight += 1
    before = work[tally + taker]
    work[tally + taker] = (before & ~60) + _ONE_TRICK + ((trick + 1) << 2)
    first = _first_in_tricks(work, tally)
    work[tally + taker] = before
    marks = weight if _is_own(work, taker) else 0
    return marks + _is_own(work, first)


@kernel
def search(work: Workspace, bound: int, limit: int) -> int:
    """Returns a bound on the side's marks: at least `bound`, or an upper bound below it.

    Starts from the first frame, which `load` has written; returns UNFINISHED at `limit` nodes.
    """
    depth = 0
    nodes = 0
    value = 0
    seat = work[FRAMES + _SEAT]
    played = work[FRAMES + _PLAYED]
    top = work[FRAMES + _TOP]
    taker = work[FRAMES + _TAKER]
    load = work[FRAMES + _LOAD]
    trick = work[FRAMES + _TRICK]
    table_mask = work[SIZE] - 1
    stamp = work[GENERATION]
    entering = True
    while True:
        frame = FRAMES + depth * _FRAME
        if entering:
            nodes += 1
            if nodes > limit:
                return UNFINISHED
            known = 63
            value = -1
            if played == 0:
                tally = TALLIES + 4 * trick
                cards = work[HANDS] | work[HANDS + 1] | work[HANDS + 2] | work[HANDS + 3]
                if cards & (cards - 1) != 0 and trick + 1 == work[LAST_TRICK]:
                    value = _last_trick(work, seat, trick, tally)
                else:
                    code = _tally_code(work, tally, work[LAST_TRICK] - trick)
                    high = _marks_left(work, cards, trick, code)
                    low = 0
                    if code == 1:
                        low = 1
                        high += 1
                    if bound <= low:
                        value = low
                    elif bound > high:
                        value = high
                    else:
                        mixed = ((cards & _HALF) * _MIX_1) ^ ((cards >> 26) * _MIX_2)
                        mixed ^= ((code << 2) | seat) * _MIX_3
                        mixed ^= mixed >> 31
                        place = ENTRIES + 2 * ((mixed ^ (mixed >> 17)) & table_mask)
                        key = cards | (seat << _LEADER_BITS) | ((code & 511) << _CODE_BITS)
                        tag = (stamp << 16) | (code >> 9)
                        entry = work[place + 1]
                        if work[place] == key and entry >> 14 == tag:
                            low = (entry >> 4) & 15
                            high = entry & 15
                            if low >= bound:
                                value = low
                            elif high < bound:
                                value = high
                            known = (entry >> 8) & 63
                        work[frame + _PLACE] = place
                        work[frame + _CODE] = code
                        work[frame + _LOAD] = (low << 4) | high
            else:
                work[frame + _TOP] = top
                work[frame + _TAKER] = taker
                work[frame + _LOAD] = load
            if value >= 0:
                entering = False
                depth -= 1
                if depth < 0:
                    break
                continue
            work[frame + _SEAT] = seat
            work[frame + _BOUND] = bound
            work[frame + _PLAYED] = played
            work[frame + _TRICK] = trick
            work[frame + _BEST] = 15 if _is_own(work, seat) else -1
            work[frame + _CHOSEN] = known
            work[frame + _N_KEYS] = _list_cards(
                work, frame, seat, played, top, taker, load, known
            )
        else:
            seat = work[frame + _SEAT]
            bound = work[frame + _BOUND]
            played = work[frame + _PLAYED]
            trick = work[frame + _TRICK]
            card = work[frame + _CARD]
            work[HANDS + seat] |= 1 << card
            value += work[frame + _GAIN]
            if _is_own(work, seat):
                if value < work[frame + _BEST]:
                    work[frame + _BEST] = value
                    work[frame + _CHOSEN] = card
                    if value < bound:
                        work[frame + _N_KEYS] = 0
            elif value > work[frame + _BEST]:
                work[frame + _BEST] = value
                work[frame + _CHOSEN] = card
                if value >= bound:
                    work[frame + _N_KEYS] = 0
        card = _next_card(work, frame)
        if card < 0:
            value = work[frame + _BEST]
            if played == 0:
                place = work[frame + _PLACE]
                code = work[frame + _CODE]
                low, high = work[frame + _LOAD] >> 4, work[frame + _LOAD] & 15
                if value >= bound:
                    low = value
                else:
                    high = value
                cards = work[HANDS] | work[HANDS + 1] | work[HANDS + 2] | work[HANDS + 3]
                work[place] = cards | (seat << _LEADER_BITS) | ((code & 511) << _CODE_BITS)
                tag = (stamp << 16) | (code >> 9)
                work[place + 1] = (tag << 14) | (work[frame + _CHOSEN] << 8) | (low << 4) | high
            entering = False
            depth -= 1
            if depth < 0:
                break
            continue
        work[frame + _CARD] = card
        work[frame + _GAIN] = 0
        work[HANDS + seat] ^= 1 << card
        entering = True
        depth += 1
        if played == 0:
            top, taker, load = card, seat, _weight(work, card)
            if trick + 1 == work[COUNTING]:
                load += 1
        else:
            top = work[frame + _TOP]
            taker = work[frame + _TAKER]
            load = work[frame + _LOAD] + _weight(work, card)
            if suit_of(card) == suit_of(top) and card > top:
                top, taker = card, seat
        if played < 3:
            seat = (seat + 1) & 3
            played += 1
            continue
        gain = load if _is_own(work, taker) else 0
        work[frame + _GAIN] = gain
        bound -= gain
        tally = TALLIES + 4 * trick
        for player in range(4):
            work[tally + 4 + player] = work[tally + player]
        work[tally + 4 + taker] = (
            (work[tally + taker] & ~60) + _ONE_TRICK + ((trick + 1) << 2)
        )
        trick += 1
        seat = taker
        played = 0
        if trick == work[LAST_TRICK]:
            value = _is_own(work, _first_in_tricks(work, tally + 4))
            entering = False
            depth -= 1
    work[NODES] += nodes
    return value


@kernel
def forget(work: Workspace) -> None:
    """Begins a new deal or another side: what the table knows no longer counts."""
    work[GENERATION] += 1


@kernel
def load(work: Workspace, state: State, side: int) -> None:
    """Writes a position of the engine into the workspace; `side` is a set of seats."""
    table = state[TABLE]
    dealer = get(state, TABLE, DEALER, 3)
    trick = get(state, TABLE, TRICK, 15)
    work[SIDE] = side
    work[COUNTING] = counting_trick(state)
    work[LAST_TRICK] = get(state, TABLE, N_TRICKS, 15)
    work[LIGHT_PHOTO] = get(state, TABLE, PHOTO, 63)
    revokes = 0
    for seat in range(4):
        work[HANDS + seat] = state[HAND + seat]
        revokes += (state[PLAYED + seat] >> REVOKES) & 15
    for seat in range(4):
        own = (state[PLAYED + seat] >> REVOKES) & 15
        count = _OFFSET + tricks_of(state, seat) + 4 * own - revokes
        last = get(state, TALLY, LAST_TAKEN + 4 * seat, 15)
        order = 3 - ((seat - dealer - 1) & 3)
        work[TALLIES + 4 * trick + seat] = _ONE_TRICK * count + (last << 2) + order
    played = (table >> COUNT) & 3
    load = 0
    for place in range(played):
        load += _weight(work, (table >> (6 * place)) & 63)
    if played > 0 and trick + 1 == work[COUNTING]:
        load += 1
    work[FRAMES + _SEAT] = seat_to_act(state)
    work[FRAMES + _PLAYED] = played
    work[FRAMES + _TOP] = (table >> BEST_CARD) & 63
    work[FRAMES + _TAKER] = (table >> BEST_SEAT) & 3
    work[FRAMES + _LOAD] = load
    work[FRAMES + _TRICK] = trick


@kernel
def side_marks(work: Workspace, state: State, side: int, guess: int, limit: int) -> int:
    """Returns the marks still to come to a side, or UNFINISHED at `limit` nodes."""
    low, high = 0, 8
    value = guess
    while low < high:
        bound = value if value > low else low + 1
        load(work, state, side)
        before = work[NODES]
        value = search(work, bound, limit)
        if value == UNFINISHED:
            return UNFINISHED
        limit -= work[NODES] - before
        if value >= bound:
            low = value
        else:
            high = value
    return low

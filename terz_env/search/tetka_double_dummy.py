"""Tetka with all cards known: the marks that a side must still take (K3–K5, K10).

Two sides play against each other for the marks: one seat against the other three (`paranoid`), or
seats 0 and 2 against 1 and 3 (`teams`). Each mark goes to one side or to the other, so the game has
zero sum and a unique value: the marks still to come to the side, which plays for few. A search
answers "at least `bound`?" (a null window) and keeps bounds in a table of trick starts.

A position at the start of a trick is the set of cards left (who holds which is fixed), the leader
and what the tricks taken so far mean for the mark of the most tricks. Of the counts only the
arrears against the best are kept, of the ties only their present order, and nothing of seats that
can no longer come first, nor of a race that one side has won.
"""

from __future__ import annotations

from terz_env.games.tetka.rules import legal_actions, play
from terz_env.games.tetka.state import N_WORDS, State, is_deal_over, marks_of, suit_of
from terz_env.kernel import kernel, lowest
from terz_env.search.tetka_position import (
    AT_BEST,
    AT_BOUND,
    AT_CARD,
    AT_CHOSEN,
    AT_CODE,
    AT_GAIN,
    AT_LOAD,
    AT_N_KEYS,
    AT_PLACE,
    AT_PLAYED,
    AT_SEAT,
    AT_TAKER,
    AT_TOP,
    AT_TRICK,
    COUNTING,
    ENTRIES,
    FRAME,
    FRAMES,
    GENERATION,
    HANDS,
    LAST_TRICK,
    NODES,
    SIZE,
    TALLIES,
    Workspace,
    first_in_tricks,
    is_own,
    last_trick,
    list_cards,
    load_position,
    marks_left,
    next_card,
    tally_after,
    tally_code,
    weight,
)

UNFINISHED = -1

_LEADER_BITS, _CODE_BITS = 52, 54
_MIX_1, _MIX_2, _MIX_3 = 0x9E3779B97, 0x7F4A7C15B, 0x3C6EF372F
_HALF = (1 << 26) - 1
_MOST_MARKS = 8
_GUESS = 1


@kernel
def search(work: Workspace, bound: int, limit: int) -> int:
    """Returns a bound on the side's marks: at least `bound`, or an upper bound below it.

    Starts from the first frame, which `load` has written; returns UNFINISHED at `limit` nodes.
    """
    depth = 0
    nodes = 0
    value = 0
    seat = work[FRAMES + AT_SEAT]
    played = work[FRAMES + AT_PLAYED]
    top = work[FRAMES + AT_TOP]
    taker = work[FRAMES + AT_TAKER]
    load = work[FRAMES + AT_LOAD]
    trick = work[FRAMES + AT_TRICK]
    table_mask = work[SIZE] - 1
    stamp = work[GENERATION]
    entering = True
    while True:
        frame = FRAMES + depth * FRAME
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
                    value = last_trick(work, seat, trick, tally)
                else:
                    code = tally_code(work, tally, work[LAST_TRICK] - trick)
                    high = marks_left(work, cards, trick, code)
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
                        work[frame + AT_PLACE] = place
                        work[frame + AT_CODE] = code
                        work[frame + AT_LOAD] = (low << 4) | high
            else:
                work[frame + AT_TOP] = top
                work[frame + AT_TAKER] = taker
                work[frame + AT_LOAD] = load
            if value >= 0:
                entering = False
                depth -= 1
                if depth < 0:
                    break
                continue
            work[frame + AT_SEAT] = seat
            work[frame + AT_BOUND] = bound
            work[frame + AT_PLAYED] = played
            work[frame + AT_TRICK] = trick
            work[frame + AT_BEST] = 15 if is_own(work, seat) else -1
            work[frame + AT_CHOSEN] = known
            work[frame + AT_N_KEYS] = list_cards(work, frame, seat, played, top, taker, load, known)
        else:
            seat = work[frame + AT_SEAT]
            bound = work[frame + AT_BOUND]
            played = work[frame + AT_PLAYED]
            trick = work[frame + AT_TRICK]
            card = work[frame + AT_CARD]
            work[HANDS + seat] |= 1 << card
            value += work[frame + AT_GAIN]
            if is_own(work, seat):
                if value < work[frame + AT_BEST]:
                    work[frame + AT_BEST] = value
                    work[frame + AT_CHOSEN] = card
                    if value < bound:
                        work[frame + AT_N_KEYS] = 0
            elif value > work[frame + AT_BEST]:
                work[frame + AT_BEST] = value
                work[frame + AT_CHOSEN] = card
                if value >= bound:
                    work[frame + AT_N_KEYS] = 0
        card = next_card(work, frame)
        if card < 0:
            value = work[frame + AT_BEST]
            if played == 0:
                place = work[frame + AT_PLACE]
                code = work[frame + AT_CODE]
                low, high = work[frame + AT_LOAD] >> 4, work[frame + AT_LOAD] & 15
                if value >= bound:
                    low = value
                else:
                    high = value
                cards = work[HANDS] | work[HANDS + 1] | work[HANDS + 2] | work[HANDS + 3]
                work[place] = cards | (seat << _LEADER_BITS) | ((code & 511) << _CODE_BITS)
                tag = (stamp << 16) | (code >> 9)
                work[place + 1] = (tag << 14) | (work[frame + AT_CHOSEN] << 8) | (low << 4) | high
            entering = False
            depth -= 1
            if depth < 0:
                break
            continue
        work[frame + AT_CARD] = card
        work[frame + AT_GAIN] = 0
        work[HANDS + seat] ^= 1 << card
        entering = True
        depth += 1
        if played == 0:
            top, taker, load = card, seat, weight(work, card)
            if trick + 1 == work[COUNTING]:
                load += 1
        else:
            top = work[frame + AT_TOP]
            taker = work[frame + AT_TAKER]
            load = work[frame + AT_LOAD] + weight(work, card)
            if suit_of(card) == suit_of(top) and card > top:
                top, taker = card, seat
        if played < 3:
            seat = (seat + 1) & 3
            played += 1
            continue
        gain = load if is_own(work, taker) else 0
        work[frame + AT_GAIN] = gain
        bound -= gain
        tally = TALLIES + 4 * trick
        for player in range(4):
            work[tally + 4 + player] = work[tally + player]
        work[tally + 4 + taker] = tally_after(work[tally + taker], trick)
        trick += 1
        seat = taker
        played = 0
        if trick == work[LAST_TRICK]:
            value = is_own(work, first_in_tricks(work, tally + 4))
            entering = False
            depth -= 1
    work[NODES] += nodes
    return value


@kernel
def forget(work: Workspace) -> None:
    """Begins a new deal or another side: what the table knows no longer counts."""
    work[GENERATION] += 1


@kernel
def side_marks(work: Workspace, state: State, side: int, limit: int) -> int:
    """Returns the marks still to come to a side, or UNFINISHED at `limit` nodes."""
    low, high = 0, _MOST_MARKS
    value = _GUESS
    while low < high:
        bound = value if value > low else low + 1
        load_position(work, state, side)
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


@kernel
def action_marks(
    work: Workspace, state: State, child: State, side: int, values: Workspace, limit: int
) -> int:
    """Writes the marks still to come to a side after each legal card (52,); returns unused nodes.

    `child` is room for a state. Returns UNFINISHED at `limit` nodes.
    """
    cards = legal_actions(state)
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        for word in range(N_WORDS):
            child[word] = state[word]
        play(child, card)
        marks = 0
        for seat in range(4):
            if (side >> seat) & 1:
                marks += marks_of(child, seat) - marks_of(state, seat)
        if not is_deal_over(child):
            before = work[NODES]
            rest = side_marks(work, child, side, limit)
            if rest == UNFINISHED:
                return UNFINISHED
            limit -= work[NODES] - before
            marks += rest
        values[card] = marks
    return limit

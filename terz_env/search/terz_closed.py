"""Terz, closed phase: the exact value of the play of the cards, both hands known (T6, T11, T12).

A position at the start of a trick is two masks of equal size and the leader; its value is the card
points still to come to the leader, the last trick's ten included. Since both shares sum to the
points left, one number is enough. A search answers "at least `bound`?" (a null window) and keeps
what it learns as bounds in a table with one entry a position, so that nothing has to be hashed.
Melds are not counted here: after trick 8 only the marriage is left, and it costs nothing.
"""

from __future__ import annotations

from terz_env.games.terz.tricks import LAST_TRICK_POINTS
from terz_env.kernel import highest, inline, kernel, lowest
from terz_env.search.terz_hands import (
    ABOVE,
    FRAME,
    GENERATION,
    MASKS,
    NODES,
    ROW,
    STACK,
    SUIT,
    SUM,
    TRUMPS,
    VALUE,
    Workspace,
    certain_points,
    is_repeated,
    points_on_lead,
    replies_to,
    table_place,
    winners_over,
)

# A frame of the search.
_OWN, _OTHER, _LEADER, _BOUND, _LEFT, _BEST, _BEST_LEAD, _LEAD = 0, 1, 2, 3, 4, 5, 6, 7
_REPLIES, _WINNING, _WORST, _GAIN, _TAKEN, _PLACE, _N_KEYS, _KEYS = 8, 9, 10, 11, 12, 13, 14, 16

_WORST_START = 1000
_NO_CARD = -1
GUESS = 30
"""Where the first null window lies between the bounds of a position, in percent (measured)."""


@inline
def _list_leads(work: Workspace, frame: int, leader: int, own: int, other: int, known: int) -> int:
    """Writes the leads of a position with keys that put the promising first; returns how many."""
    count = 0
    cards = own
    base = leader * ROW
    other_base = (1 - leader) * ROW
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


@inline
def points_left(work: Workspace, own: int, other: int, leader: int) -> int:
    """Returns the card points still to come (Rule T3)."""
    left = work[SUM + leader * MASKS + own] + work[SUM + (1 - leader) * MASKS + other]
    return left + LAST_TRICK_POINTS


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
        frame = STACK + depth * FRAME
        if entering:
            nodes += 1
            left = points_left(work, own, other, leader)
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
                    low = points_on_lead(work, leader, own, other, left)
                    high = left - certain_points(work, 1 - leader, other, own)
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
        reply = highest(replies & winning) if replies & winning else lowest(replies)
        replies &= ~(1 << reply)
        while replies != 0 and is_repeated(
            work, 1 - leader, lowest(replies), replies | (1 << reply), own & ~(1 << lead)
        ):
            replies &= replies - 1
        work[frame + _REPLIES] = replies
        gain = work[VALUE + leader * ROW + lead] + work[VALUE + (1 - leader) * ROW + reply]
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
def guess_points(work: Workspace, own: int, other: int, leader: int) -> int:
    """Returns a number near the leader's points, within what is certain."""
    left = points_left(work, own, other, leader)
    low = points_on_lead(work, leader, own, other, left)
    high = left - certain_points(work, 1 - leader, other, own)
    return low + (high - low) * GUESS // 100


@kernel
def search_replies(
    work: Workspace, own: int, other: int, leader: int, lead: int, bound: int
) -> int:
    """Returns what `search` does where the leader has led: `own` still holds the lead."""
    worst = _WORST_START
    left = points_left(work, own, other, leader)
    winning = winners_over(work, leader, lead)
    replies = replies_to(work, leader, lead, other)
    while replies != 0 and worst >= bound:
        reply = lowest(replies)
        replies &= replies - 1
        gain = work[VALUE + leader * ROW + lead] + work[VALUE + (1 - leader) * ROW + reply]
        rest, rest_other = own ^ (1 << lead), other ^ (1 << reply)
        if (winning >> reply) & 1:
            value = left
            if rest != 0:
                need = left - gain - bound + 1
                value = gain + search(work, rest_other, rest, 1 - leader, need)
            value = left - value
        else:
            value = left
            if rest != 0:
                value = gain + search(work, rest, rest_other, leader, bound - gain)
        worst = min(worst, value)
    return worst

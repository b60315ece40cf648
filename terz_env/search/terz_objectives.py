"""Terz: what a search with known cards aims at, for seat 0 to raise and seat 1 to lower.

- `POINTS_TO_COME`: card points and melds still to come, seat 0's less seat 1's, unrounded;
- `RECORDED`: the difference of the points that the deal records, rounded (T23);
- `EQUITY`: a table's value of the final scores, or of a match that is won (T24).

The last two are functions of the final card points. Where such a function never falls as seat 0's
points rise, its value is that of the best play for points.
"""

from __future__ import annotations

from terz_env.games.terz.announcing import MARRIAGE_VALUE
from terz_env.games.terz.melds import marriage_cards
from terz_env.games.terz.rules import next_dealer
from terz_env.games.terz.scoring import deal_points, rounded
from terz_env.games.terz.state import (
    CARD_POINTS,
    CARD_POINTS_MASK,
    DEDUCTIONS,
    HAND,
    HAS_LED,
    HAS_WINNER,
    LED,
    MATCH,
    MELD_POINTS,
    POINTS,
    RAISES,
    ROUNDING,
    RULES,
    SCORED,
    SCORED_MARRIAGE,
    SCORES,
    TABLE,
    TARGET_ANNOUNCE,
    TARGET_SETTLE,
    WIDE,
    WINNER,
    State,
    get,
    trump_suit,
)
from terz_env.games.terz.tricks import LAST_TRICK_POINTS, card_value
from terz_env.kernel import inline, kernel, lowest
from terz_env.search.terz_hands import Workspace

POINTS_TO_COME, RECORDED, EQUITY = 0, 1, 2
WON = 1_000_000_000
"""The value of a match won by seat 0; the entries of a table of equity are scaled to ±this."""
FAR = 1 << 36
"""Beyond every value."""

GENERATION, NODES, SIZE, OBJECTIVE, EDGE, UNIT, DEALERS = 0, 1, 2, 3, 4, 5, 6
"""Scalars of a search's plan; `EDGE` and `UNIT` are the table's edge and the points of a step.

`DEALERS` is 2 where there is a table for each dealer of the next deal, one after the other.
"""

_TARGET_MASK = (1 << 16) - 1


@inline
def marriage_holder(state: State) -> int:
    """Returns the seat that is certain to score the marriage, -1 if there is none (Rule T22)."""
    pair = marriage_cards(trump_suit(state))
    for seat in range(2):
        if state[HAND + seat] & pair == pair and not (state[SCORED + seat] >> SCORED_MARRIAGE) & 1:
            return seat
    return -1


@inline
def _equity(
    plan: Workspace, table: Workspace, state: State, total_0: int, total_1: int, dealer: int
) -> int:
    """Returns the value of final totals, less raises: a match won, or the table's (Rule T24).

    `dealer` deals next; it counts where there are two tables.
    """
    if get(state, RULES, MATCH, 1):
        target = get(state, RULES, TARGET_SETTLE, _TARGET_MASK)
        if total_0 > total_1 and total_0 >= target:
            return WON
        if total_1 > total_0 and total_1 >= target:
            return -WON
    last = plan[EDGE] - 1
    row = min(max(total_0 // plan[UNIT], 0), last)
    column = min(max(total_1 // plan[UNIT], 0), last)
    if plan[DEALERS] == 2:
        row += dealer * plan[EDGE]
    return table[row * plan[EDGE] + column]


@kernel
def final(plan: Workspace, table: Workspace, state: State) -> int:
    """Returns the objective's value of a deal that is over."""
    if plan[OBJECTIVE] == POINTS_TO_COME:
        return 0
    if plan[OBJECTIVE] == RECORDED:
        return deal_points(state, 0) - deal_points(state, 1)
    if get(state, TABLE, HAS_WINNER, 1):
        return -WON if get(state, TABLE, WINNER, 1) else WON
    total_0, total_1 = state[SCORES] - state[RAISES], state[SCORES + 1] - state[RAISES + 1]
    return _equity(plan, table, state, total_0, total_1, next_dealer(state))


@inline
def forecast(
    plan: Workspace,
    table: Workspace,
    state: State,
    points: int,
    left: int,
    married: int,
    dealer: int,
) -> int:
    """Returns the objective's value if seat 0 takes `points` of the `left` card points to come.

    `married` is the seat that scores the marriage until then, or -1; `dealer` deals next.
    """
    bonus_0 = MARRIAGE_VALUE if married == 0 else 0
    bonus_1 = MARRIAGE_VALUE if married == 1 else 0
    if plan[OBJECTIVE] == POINTS_TO_COME:
        return 2 * points - left + bonus_0 - bonus_1
    rounding = get(state, RULES, ROUNDING, 3)
    taken_0 = get(state, POINTS, CARD_POINTS, CARD_POINTS_MASK) + points
    taken_1 = get(state, POINTS + 1, CARD_POINTS, CARD_POINTS_MASK) + left - points
    bonus_0 += rounded(taken_0, rounding)
    bonus_1 += rounded(taken_1, rounding)
    if plan[OBJECTIVE] == RECORDED:
        bonus_0 += get(state, POINTS, MELD_POINTS, WIDE) - get(state, POINTS, DEDUCTIONS, WIDE)
        bonus_1 += get(state, POINTS + 1, MELD_POINTS, WIDE)
        return bonus_0 - bonus_1 + get(state, POINTS + 1, DEDUCTIONS, WIDE)
    total_0, total_1 = state[SCORES] - state[RAISES], state[SCORES + 1] - state[RAISES + 1]
    if married >= 0 and get(state, RULES, MATCH, 1):
        target = get(state, RULES, TARGET_ANNOUNCE, _TARGET_MASK)
        if married == 0 and total_0 + MARRIAGE_VALUE >= target:
            return WON
        if married == 1 and total_1 + MARRIAGE_VALUE >= target:
            return -WON
    return _equity(plan, table, state, total_0 + bonus_0, total_1 + bonus_1, dealer)


@inline
def points_left(state: State) -> int:
    """Returns the card points still to come (Rule T3)."""
    trump = trump_suit(state)
    cards = state[HAND] | state[HAND + 1]
    left = LAST_TRICK_POINTS
    if get(state, TABLE, HAS_LED, 1):
        left += card_value(get(state, TABLE, LED, 31), trump)
    while cards != 0:
        left += card_value(lowest(cards), trump)
        cards &= cards - 1
    return left


@inline
def least(plan: Workspace, table: Workspace, state: State, points: int, left: int, own: int) -> int:
    """Returns the least that `points` of seat 0 may be worth, whoever deals next (`forecast`)."""
    value = forecast(plan, table, state, points, left, own, 0)
    return min(value, forecast(plan, table, state, points, left, own, 1))


@inline
def most(plan: Workspace, table: Workspace, state: State, points: int, left: int, own: int) -> int:
    """Returns the most that `points` of seat 0 may be worth, whoever deals next (`forecast`)."""
    value = forecast(plan, table, state, points, left, own, 0)
    return max(value, forecast(plan, table, state, points, left, own, 1))


@kernel
def never_falls(plan: Workspace, table: Workspace, state: State, left: int, married: int) -> int:
    """Tells whether more card points, and the marriage, never hurt the seat that gets them."""
    for dealer in range(2):
        before = -FAR
        for points in range(left + 1):
            value = forecast(plan, table, state, points, left, married, dealer)
            if value < before:
                return 0
            before = value
            if married >= 0:
                single = forecast(plan, table, state, points, left, -1, dealer)
                if (value < single and married == 0) or (value > single and married == 1):
                    return 0
    return 1

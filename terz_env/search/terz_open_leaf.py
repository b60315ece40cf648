"""Where only the play of the closed cards of Terz is left: bounds from the closed search.

There the marriage is certain to its holder (Rule T22) and only shifts the bound.
"""

from __future__ import annotations

from terz_env.games.terz.melds import fours_held, run_can_score, run_cards, run_tops
from terz_env.games.terz.rules import LAST_ANNOUNCING_TRICK
from terz_env.games.terz.state import (
    BREAK_PENDING,
    FULL_GAME,
    GROWTH,
    HAND,
    HAS_LED,
    LEADER,
    LED,
    LEGAL,
    RULES,
    RUN,
    SCORED,
    SCORED_FOURS,
    TABLE,
    TALON_TRICKS,
    TRUMP_JACK,
    State,
    get,
    seat_to_act,
    trick_number,
    trump_suit,
)
from terz_env.kernel import inline, kernel, lowest
from terz_env.search import terz_closed as closed
from terz_env.search import terz_hands as hands
from terz_env.search.terz_hands import Workspace
from terz_env.search.terz_objectives import (
    OBJECTIVE,
    POINTS_TO_COME,
    forecast,
    least,
    marriage_holder,
    most,
    never_falls,
    points_left,
)

UNFINISHED = -(1 << 40)
_ANNOUNCEMENTS = ((1 << 28) - 1) << RUN


@inline
def _can_announce(state: State, seat: int) -> int:
    """Tells whether a seat holds a run or a four that may still score (Rule T20)."""
    hand = state[HAND + seat]
    scored = state[SCORED + seat]
    if fours_held(hand) & ~(scored >> SCORED_FOURS):
        return 1
    growth = get(state, RULES, GROWTH, 1)
    tops = run_tops(hand)
    while tops != 0:
        top = lowest(tops)
        tops &= tops - 1
        if run_can_score(run_cards(hand, top), scored, growth):
            return 1
    return 0


@inline
def only_cards_are_left(state: State) -> int:
    """Tells whether the talon is drawn and no run or four can score any more (Rules T7, T18)."""
    trick = trick_number(state)
    if trick < get(state, RULES, TALON_TRICKS, 15) or get(state, TABLE, BREAK_PENDING, 1):
        return 0
    if trick >= LAST_ANNOUNCING_TRICK or not get(state, RULES, FULL_GAME, 1):
        return 1
    if state[LEGAL] & _ANNOUNCEMENTS:
        return 0
    if get(state, TABLE, HAS_LED, 1):
        return 1
    return 1 - _can_announce(state, 1 - seat_to_act(state))


@kernel
def set_up(work: Workspace, state: State) -> None:
    """Prepares the hands, the card led with them, unless what is prepared holds them."""
    hand_0, hand_1 = state[HAND], state[HAND + 1]
    if get(state, TABLE, HAS_LED, 1):
        led = 1 << get(state, TABLE, LED, 31)
        if get(state, TABLE, LEADER, 1):
            hand_1 |= led
        else:
            hand_0 |= led
    trump, option = trump_suit(state), get(state, RULES, TRUMP_JACK, 3)
    if not hands.is_prepared(work, hand_0, hand_1, trump, option):
        hands.prepare(work, hand_0, hand_1, trump, option)


@inline
def _points_against(work: Workspace, state: State, need: int, left: int) -> int:
    """Returns a bound on seat 0's card points to come: at least `need`, or below it."""
    if need <= 0:
        return 0
    if need > left:
        return left
    set_up(work, state)
    leader = get(state, TABLE, LEADER, 1)
    bound = left - need + 1 if leader else need
    own = hands.mask_of(work, leader, state[HAND + leader])
    other = hands.mask_of(work, 1 - leader, state[HAND + 1 - leader])
    if get(state, TABLE, HAS_LED, 1):
        led = hands.mask_of(work, leader, 1 << get(state, TABLE, LED, 31))
        value = closed.search_replies(work, own | led, other, leader, lowest(led), bound)
    else:
        value = closed.search(work, own, other, leader, bound)
    return left - value if leader else value


@kernel
def first_guess(plan: Workspace, work: Workspace, table: Workspace, state: State) -> int:
    """Returns a value for the first null window."""
    closed_phase = trick_number(state) >= get(state, RULES, TALON_TRICKS, 15)
    if plan[OBJECTIVE] != POINTS_TO_COME or not closed_phase or get(state, TABLE, HAS_LED, 1):
        return 0
    set_up(work, state)
    leader = get(state, TABLE, LEADER, 1)
    own = hands.mask_of(work, leader, state[HAND + leader])
    other = hands.mask_of(work, 1 - leader, state[HAND + 1 - leader])
    points = closed.guess_points(work, own, other, leader)
    left = points_left(state)
    points = left - points if leader else points
    return forecast(plan, table, state, points, left, marriage_holder(state), 0)


@kernel
def bound_leaf(plan: Workspace, work: Workspace, table: Workspace, state: State, bound: int) -> int:
    """Returns a bound on the objective where only cards are left.

    Returns UNFINISHED where more points may be worth less, or where the points that can be taken
    decide nothing because it matters who deals next: the winner of the last trick (Rule T25).
    """
    left = points_left(state)
    married = marriage_holder(state)
    if plan[OBJECTIVE] == POINTS_TO_COME:
        need = (bound - forecast(plan, table, state, 0, left, married, 0) + 1) >> 1
        points = _points_against(work, state, need, left)
        return forecast(plan, table, state, points, left, married, 0)
    if not never_falls(plan, table, state, left, married):
        return UNFINISHED
    need = 0
    while need <= left and least(plan, table, state, need, left, married) < bound:
        need += 1
    points = _points_against(work, state, need, left)
    if points >= need:
        return least(plan, table, state, points, left, married)
    hope = need
    while hope > 0 and most(plan, table, state, hope - 1, left, married) >= bound:
        hope -= 1
    if points >= hope:
        points = _points_against(work, state, hope, left)
        if points >= hope:
            return UNFINISHED
    return most(plan, table, state, points, left, married)

"""Terz with all cards and the talon known: search over the engine's own states (T4–T24).

From the earlier tricks on, and in trick 8 while runs and fours may still score, a line of play is
stepped by the engine itself, so that draws, breaks, exchanges and contests are the engine's. Where
only the play of the closed cards is left, `terz_closed` takes over. There the marriage is certain
to its holder (Rule T22) and only shifts the bound. Where an objective may fall as points rise
(`only_fives` of T23, odd tables), the engine is stepped to the end of the deal instead.
"""

from __future__ import annotations

import numpy as np

from terz_env.games.terz.batch import step_one
from terz_env.games.terz.melds import fours_held, run_can_score, run_cards, run_tops
from terz_env.games.terz.rules import LAST_ANNOUNCING_TRICK
from terz_env.games.terz.state import (
    ANNOUNCED,
    BREAK,
    BREAK_PENDING,
    CARD_POINTS,
    CARD_POINTS_MASK,
    FULL_GAME,
    GROWTH,
    HAND,
    HAS_LED,
    LAST_LED,
    LAST_TRICK_MASK,
    LEADER,
    LED,
    LEGAL,
    MARRIAGE,
    MATCH,
    MELD_POINTS,
    N_WORDS,
    POINTS,
    RULES,
    RUN,
    SCORED,
    SCORED_FOURS,
    TABLE,
    TALON,
    TALON_TRICKS,
    TRUMP_JACK,
    WIDE,
    State,
    get,
    is_deal_over,
    seat_to_act,
    trick_number,
    trump_suit,
)
from terz_env.games.terz.tricks import beats, card_value
from terz_env.kernel import inline, kernel, lowest
from terz_env.search import terz_closed as closed
from terz_env.search import terz_hands as hands
from terz_env.search.terz_hands import Workspace
from terz_env.search.terz_objectives import (
    EQUITY,
    FAR,
    GENERATION,
    NODES,
    OBJECTIVE,
    POINTS_TO_COME,
    SIZE,
    final,
    forecast,
    least,
    marriage_holder,
    most,
    never_falls,
    points_left,
)

UNFINISHED = -(1 << 40)
DEPTH = 160
"""More actions than any deal has left."""

_FRAMES = 8
_FRAME = 8
_BOUND, _BEST, _CHOSEN, _ACTION, _GAIN, _MOVES, _PLACE, _KEY = 0, 1, 2, 3, 4, 5, 6, 7
_ENTRIES = _FRAMES + (DEPTH + 1) * _FRAME
_ENTRY = 4
_ANNOUNCEMENTS = ((1 << 28) - 1) << RUN
_ALL_BREAKS = (1 << 12) - 1
_LOW_31 = (1 << 31) - 1
_MIX_1, _MIX_2, _MIX_3 = 0x5851F42D, 0x6C078965, 0x2545F491


def workspace(table_bits: int) -> Workspace:
    """Returns a workspace whose table has 2 ** `table_bits` entries."""
    plan = np.zeros(_ENTRIES + (_ENTRY << table_bits), dtype=np.int64)
    plan[SIZE] = 1 << table_bits
    return plan


def states() -> Workspace:
    """Returns the rows that hold the states of a line of play."""
    return np.zeros((DEPTH + 1, N_WORDS), dtype=np.int64)


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


@inline
def _standing(state: State) -> int:
    """Returns seat 0's card points and melds so far, less seat 1's."""
    own = get(state, POINTS, CARD_POINTS, CARD_POINTS_MASK) + get(state, POINTS, MELD_POINTS, WIDE)
    other = get(state, POINTS + 1, CARD_POINTS, CARD_POINTS_MASK)
    return own - other - get(state, POINTS + 1, MELD_POINTS, WIDE)


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


@inline
def _action_key(state: State, action: int) -> int:
    """Returns how promising an action looks: announcements, the seven, then cards."""
    if action >= RUN:
        return 1000 - action
    trump = trump_suit(state)
    value = card_value(action, trump)
    if not get(state, TABLE, HAS_LED, 1):
        return -3 * value if action >> 3 == trump else -value
    led = get(state, TABLE, LED, 31)
    if beats(led, action, trump):
        return 100 + card_value(led, trump) + value
    return -value


@inline
def _next_action(state: State, moves: int, known: int) -> int:
    """Returns the most promising of a set of actions; breaks count from 0."""
    if get(state, TABLE, BREAK_PENDING, 1):
        return lowest(moves)
    if known >= 0 and (moves >> known) & 1:
        return known
    best, best_key = -1, -FAR
    while moves != 0:
        action = lowest(moves)
        moves &= moves - 1
        key = _action_key(state, action)
        if key > best_key:
            best, best_key = action, key
    return best


@inline
def _moves(plan: Workspace, state: State) -> int:
    """Returns the actions to try; for points, the marriage at once, since it costs nothing."""
    if get(state, TABLE, BREAK_PENDING, 1):
        return _ALL_BREAKS
    if plan[OBJECTIVE] == POINTS_TO_COME and (state[LEGAL] >> MARRIAGE) & 1:
        return 1 << MARRIAGE
    return state[LEGAL]


@inline
def _mix(key: int, word: int) -> int:
    """Mixes a word into a key of 62 bits."""
    word ^= key
    low, middle = word & _LOW_31, (word >> 31) & _LOW_31
    key = (low * _MIX_1) ^ (middle * _MIX_2) ^ ((word >> 62) & 3) * _MIX_3
    return key ^ (key >> 29)


@inline
def _key(plan: Workspace, state: State) -> int:
    """Returns a key of all that the rest of the deal depends on."""
    place = state[TABLE] & ~(LAST_TRICK_MASK << LAST_LED)
    if not get(state, TABLE, HAS_LED, 1):
        place &= ~31
    key = _mix(_mix(plan[GENERATION], state[HAND]), state[HAND + 1])
    key = _mix(_mix(_mix(key, place), state[SCORED]), state[SCORED + 1])
    key = _mix(key, state[ANNOUNCED])
    key = _mix(_mix(_mix(key, state[TALON]), state[TALON + 1]), state[RULES])
    if plan[OBJECTIVE] != POINTS_TO_COME:
        key = _mix(_mix(key, state[POINTS]), state[POINTS + 1])
    return _mix(key, 0)


@inline
def _store(plan: Workspace, place: int, key: int, bound: int, value: int, chosen: int) -> None:
    """Notes a bound of a position, over what else stood in its place."""
    if plan[place] != key:
        plan[place] = key
        plan[place + 1] = -FAR
        plan[place + 2] = FAR
    if value >= bound:
        plan[place + 1] = max(plan[place + 1], value)
    else:
        plan[place + 2] = min(plan[place + 2], value)
    plan[place + 3] = chosen


@kernel
def search(
    plan: Workspace, rows: Workspace, work: Workspace, table: Workspace, bound: int, limit: int
) -> int:
    """Returns a bound on the objective from `rows[0]` on: at least `bound`, or below it.

    Returns UNFINISHED once `limit` nodes are used, those of the closed phase counted.
    """
    depth = 0
    value = 0
    nodes = 0
    start = work[hands.NODES]
    entering = True
    while True:
        frame = _FRAMES + depth * _FRAME
        state = rows[depth]
        if entering:
            nodes += 1
            if nodes + work[hands.NODES] - start > limit:
                return UNFINISHED
            bound = plan[frame + _BOUND]
            known = -1
            done = False
            if is_deal_over(state):
                value, done = final(plan, table, state), True
            else:
                key = _key(plan, state)
                place = _ENTRIES + _ENTRY * (key & (plan[SIZE] - 1))
                if plan[place] == key:
                    known = plan[place + 3]
                    if plan[place + 1] >= bound:
                        value, done = plan[place + 1], True
                    elif plan[place + 2] < bound:
                        value, done = plan[place + 2], True
                if not done and only_cards_are_left(state):
                    value = bound_leaf(plan, work, table, state, bound)
                    done = value != UNFINISHED
                    if done:
                        _store(plan, place, key, bound, value, -1)
                if not done:
                    plan[frame + _PLACE] = place
                    plan[frame + _KEY] = key
                    plan[frame + _CHOSEN] = known
                    plan[frame + _MOVES] = _moves(plan, state)
                    plan[frame + _BEST] = FAR if seat_to_act(state) else -FAR
            if done:
                entering = False
                depth -= 1
                if depth < 0:
                    break
                continue
        else:
            bound = plan[frame + _BOUND]
            value += plan[frame + _GAIN]
            best = plan[frame + _BEST]
            if value < best if seat_to_act(state) else value > best:
                plan[frame + _BEST] = value
                plan[frame + _CHOSEN] = plan[frame + _ACTION]
                if (value < bound) == (seat_to_act(state) == 1):
                    plan[frame + _MOVES] = 0
        moves = plan[frame + _MOVES]
        if moves == 0:
            value = plan[frame + _BEST]
            place, key = plan[frame + _PLACE], plan[frame + _KEY]
            _store(plan, place, key, bound, value, plan[frame + _CHOSEN])
            entering = False
            depth -= 1
            if depth < 0:
                break
            continue
        action = _next_action(state, moves, plan[frame + _CHOSEN])
        plan[frame + _MOVES] = moves ^ (1 << action)
        plan[frame + _ACTION] = action
        child = rows[depth + 1]
        for word in range(N_WORDS):
            child[word] = state[word]
        step_one(child, action + BREAK if get(state, TABLE, BREAK_PENDING, 1) else action)
        gain = 0
        if plan[OBJECTIVE] == POINTS_TO_COME:
            gain = _standing(child) - _standing(state)
        plan[frame + _GAIN] = gain
        depth += 1
        plan[frame + _FRAME + _BOUND] = bound - gain
        entering = True
    plan[NODES] += nodes
    return value


@kernel
def solve(
    plan: Workspace, rows: Workspace, work: Workspace, table: Workspace, state: State, limit: int
) -> int:
    """Returns the objective's value of a position for seat 0, or UNFINISHED at `limit` nodes."""
    for word in range(N_WORDS):
        rows[0, word] = state[word]
    if plan[OBJECTIVE] != EQUITY:
        rows[0, RULES] &= ~(1 << MATCH)
    if is_deal_over(rows[0]):
        return final(plan, table, rows[0])
    low, high = -FAR, FAR
    value = first_guess(plan, work, table, rows[0])
    while low < high:
        bound = value if value > low else low + 1
        plan[_FRAMES + _BOUND] = bound
        before = plan[NODES] + work[hands.NODES]
        value = search(plan, rows, work, table, bound, limit)
        if value == UNFINISHED:
            return UNFINISHED
        limit -= plan[NODES] + work[hands.NODES] - before
        if value >= bound:
            low = value
        else:
            high = value
    return low


@kernel
def solve_actions(
    plan: Workspace,
    rows: Workspace,
    work: Workspace,
    table: Workspace,
    state: State,
    values: Workspace,
    limit: int,
) -> int:
    """Writes the value for seat 0 of each legal action (A,); returns how many nodes are unused.

    Returns UNFINISHED at `limit` nodes.
    """
    child = rows[DEPTH]
    pending = get(state, TABLE, BREAK_PENDING, 1)
    moves = _ALL_BREAKS if pending else state[LEGAL]
    while moves != 0:
        action = lowest(moves) + (BREAK if pending else 0)
        moves &= moves - 1
        for word in range(N_WORDS):
            child[word] = state[word]
        if plan[OBJECTIVE] != EQUITY:
            child[RULES] &= ~(1 << MATCH)
        step_one(child, action)
        before = plan[NODES] + work[hands.NODES]
        value = solve(plan, rows, work, table, child, limit)
        if value == UNFINISHED:
            return UNFINISHED
        limit -= plan[NODES] + work[hands.NODES] - before
        if plan[OBJECTIVE] == POINTS_TO_COME:
            value += _standing(child) - _standing(state)
        values[action] = value
    return limit

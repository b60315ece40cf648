"""Terz with all cards and the talon known: search over the engine's own states (T4–T24).

From the earlier tricks on, and in trick 8 while runs and fours may still score, a line of play is
stepped by the engine itself, so that draws, breaks, exchanges and contests are the engine's. Where
only the play of the closed cards is left, `terz_open_leaf` takes over. Where an objective may fall
as points rise (`only_fives` of T23, odd tables), the engine is stepped to the end of the deal
instead.
"""

from __future__ import annotations

from terz_env.games.terz.batch import step_one
from terz_env.games.terz.state import (
    ANNOUNCED,
    BREAK,
    BREAK_PENDING,
    CARD_POINTS,
    CARD_POINTS_MASK,
    HAND,
    HAS_LED,
    LAST_LED,
    LAST_TRICK_MASK,
    LED,
    LEGAL,
    MARRIAGE,
    MELD_POINTS,
    N_WORDS,
    POINTS,
    RULES,
    RUN,
    SCORED,
    TABLE,
    TALON,
    WIDE,
    State,
    get,
    is_deal_over,
    seat_to_act,
    trump_suit,
)
from terz_env.games.terz.tricks import beats, card_value
from terz_env.kernel import inline, kernel, lowest
from terz_env.search import terz_hands as hands
from terz_env.search.terz_hands import Workspace
from terz_env.search.terz_objectives import (
    FAR,
    GENERATION,
    NODES,
    OBJECTIVE,
    POINTS_TO_COME,
    SIZE,
    final,
)
from terz_env.search.terz_open_leaf import UNFINISHED, bound_leaf, only_cards_are_left

DEPTH = 160
"""More actions than any deal has left."""

FRAMES = 8
"""Where the frames of a line of play begin in the workspace, one a depth."""
BOUND = 0
"""The word of a frame that holds its bound."""
_FRAME = 8
_BEST, _CHOSEN, _ACTION, _GAIN, _MOVES, _PLACE, _KEY = 1, 2, 3, 4, 5, 6, 7
ENTRIES = FRAMES + (DEPTH + 1) * _FRAME
"""Where the table begins."""
ENTRY = 4
"""Words of an entry of the table."""
ALL_BREAKS = (1 << 12) - 1
_LOW_31 = (1 << 31) - 1
_MIX_1, _MIX_2, _MIX_3 = 0x5851F42D, 0x6C078965, 0x2545F491


@inline
def standing(state: State) -> int:
    """Returns seat 0's card points and melds so far, less seat 1's."""
    own = get(state, POINTS, CARD_POINTS, CARD_POINTS_MASK) + get(state, POINTS, MELD_POINTS, WIDE)
    other = get(state, POINTS + 1, CARD_POINTS, CARD_POINTS_MASK)
    return own - other - get(state, POINTS + 1, MELD_POINTS, WIDE)


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
        return ALL_BREAKS
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
        frame = FRAMES + depth * _FRAME
        state = rows[depth]
        if entering:
            nodes += 1
            if nodes + work[hands.NODES] - start > limit:
                return UNFINISHED
            bound = plan[frame + BOUND]
            known = -1
            done = False
            if is_deal_over(state):
                value, done = final(plan, table, state), True
            else:
                key = _key(plan, state)
                place = ENTRIES + ENTRY * (key & (plan[SIZE] - 1))
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
            bound = plan[frame + BOUND]
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
            gain = standing(child) - standing(state)
        plan[frame + _GAIN] = gain
        depth += 1
        plan[frame + _FRAME + BOUND] = bound - gain
        entering = True
    plan[NODES] += nodes
    return value

"""Terz: exactly uniform deals that agree with what a seat knows (T10, T12, T13, T15–T22, T27).

The bounds of a plan are counted exactly, so a world that fits them is one random number. The checks
are left to rejection: the first world that passes is uniform over those that do. Where tries fail
again and again the worlds are gone through one by one, if they are few enough.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_member
from terz_env.games.terz.history import Log
from terz_env.games.terz.rules import refresh_legal
from terz_env.games.terz.state import (
    ANNOUNCED,
    BLOCKING,
    BREAK_PENDING,
    EVENT,
    EVENT_OUTCOME,
    EVENT_SEAT,
    GROWTH,
    HAND,
    N_WORDS,
    OUTCOME_BEATEN,
    RULES,
    TABLE,
    TRICK,
    State,
    get,
    is_deal_over,
    seat_to_act,
    trump_suit,
)
from terz_env.games.terz.talon import set_talon_card
from terz_env.kernel import inline, kernel
from terz_env.search.counting import uniform_below
from terz_env.search.terz_arrangements import arrange, count_arrangements
from terz_env.search.terz_checks import agrees, draw_names
from terz_env.search.terz_knowledge import gather
from terz_env.search.terz_plan import (
    CACHE,
    DRAWN,
    ENTERED,
    EXTRA,
    GONE,
    LAST_NAME,
    MOST_CACHED,
    N_CACHED,
    N_DRAWS,
    NAMES,
    PLACES,
    TOTAL,
    UNIVERSE,
    Plan,
    hand_at,
)

FIRST_TRIES, MOST_TRIES = 2_000, 2_000_000
FEW_WORLDS = 500_000


@kernel
def prepare_worlds(state: State, seat: int, log: Log, plan: Plan) -> int:
    """Gathers what a seat knows and counts the arrangements that fit its bounds.

    Args:
        state: The words of the position; of the hidden cards nothing is read.
        seat: The seat whose knowledge counts.
        log: The log of the deal up to this position.
        plan: Receives knowledge and counts (PLAN_SIZE,).

    Returns:
        The number of arrangements that fit the bounds, checks and order of the face-down talon
        left aside; 0 for an information set that cannot be.
    """
    gather(state, seat, log, plan)
    count_arrangements(plan)
    return plan[TOTAL]


@inline
def passes_checks(state: State, plan: Plan) -> int:
    """Tells whether an arranged world agrees with every announcement."""
    blocking = get(state, RULES, BLOCKING, 1)
    return agrees(plan, blocking, get(state, RULES, GROWTH, 1), trump_suit(state))


@inline
def is_world(state: State, plan: Plan, number: int) -> int:
    """Builds arrangement `number` and tells whether it passes the checks."""
    arrange(plan, number)
    return passes_checks(state, plan)


@inline
def list_worlds(state: State, plan: Plan) -> None:
    """Lists the numbers of all worlds; leaves the plan unlisted where they are too many."""
    found = 0
    for number in range(plan[TOTAL]):
        if is_world(state, plan, number):
            if found == MOST_CACHED:
                return
            plan[CACHE + found] = number
            found += 1
    plan[N_CACHED] = found


@inline
def find_world(state: State, plan: Plan, stream: NDArray[np.uint64]) -> int:
    """Arranges a uniform world; returns 0 where none has been found."""
    if plan[TOTAL] == 0:
        return 0
    for attempt in range(MOST_TRIES):
        if attempt == FIRST_TRIES and plan[TOTAL] <= FEW_WORLDS:
            list_worlds(state, plan)
        if plan[N_CACHED] == 0:
            return 0
        if plan[N_CACHED] > 0:
            number = plan[CACHE + uniform_below(plan[N_CACHED], stream)]
        else:
            number = uniform_below(plan[TOTAL], stream)
        if is_world(state, plan, number):
            return 1
    return 0


@inline
def write_talon(state: State, plan: Plan, stream: NDArray[np.uint64], out: State) -> None:
    """Writes the opponent's draws and a random order of the cards that lie face down."""
    for draw in range(plan[N_DRAWS]):
        set_talon_card(out, plan[PLACES + draw], plan[DRAWN + draw])
    face_down = plan[UNIVERSE] & ~plan[ENTERED + plan[N_DRAWS]]
    place = 2 * (get(state, TABLE, TRICK, 31) - get(state, TABLE, BREAK_PENDING, 1))
    while face_down != 0:
        card = random_member(face_down, stream)
        face_down ^= 1 << card
        set_talon_card(out, place, card)
        place += 1


@kernel
def draw_world(state: State, seat: int, plan: Plan, stream: NDArray[np.uint64], out: State) -> int:
    """Writes a uniform deal that agrees with what a seat knows.

    Args:
        state: The words of the position that `plan` was prepared for; the deal is not over.
        seat: The same seat.
        plan: What `prepare_worlds` has written.
        stream: The random stream; it advances.
        out: Receives a complete state: the position with the opponent's hand and draws, the
            face-down talon and the names of his beaten announcements of this turn drawn anew.

    Returns:
        1, or 0 with nothing written where no world has been found in `MOST_TRIES` tries.
    """
    if is_deal_over(state) or not find_world(state, plan, stream):
        return 0
    other = 1 - seat
    for word in range(N_WORDS):
        out[word] = state[word]
    out[HAND + other] = hand_at(plan, plan[N_DRAWS], plan[GONE], plan[EXTRA])
    write_talon(state, plan, stream, out)
    if seat_to_act(state) == other:
        out[ANNOUNCED] = plan[NAMES] | draw_names(plan, stream)
        event = state[EVENT]
        beaten = (event >> EVENT_OUTCOME) & 3 == OUTCOME_BEATEN
        if beaten and (event >> EVENT_SEAT) & 1 == other:
            out[EVENT] = (event & ~127) | plan[LAST_NAME]
    refresh_legal(out)
    return 1


@kernel
def sample_world(
    state: State, seat: int, log: Log, stream: NDArray[np.uint64], out: State, plan: Plan
) -> int:
    """Prepares a plan in `plan` and draws one deal (see `prepare_worlds`, `draw_world`)."""
    prepare_worlds(state, seat, log, plan)
    return draw_world(state, seat, plan, stream, out)


@kernel
def draw_worlds(
    state: State, seat: int, plan: Plan, stream: NDArray[np.uint64], out: NDArray[np.int64]
) -> int:
    """Fills the rows of `out` (B, N_WORDS) with independent worlds; returns how many it drew."""
    for row in range(out.shape[0]):
        if not draw_world(state, seat, plan, stream, out[row]):
            return row
    return out.shape[0]

"""Terz: what a seat knows of the hidden cards, derived from the log of the deal.

The log is replayed from the seat's side. Each public event bounds the time at which cards came to
the opponent, or adds a check (see `terz_plan`). Of the hidden cards nothing is read.
"""

from __future__ import annotations

from terz_env.games.terz.history import (
    ANNOUNCEMENT,
    ENTRIES,
    ENTRY_SEAT,
    ENTRY_VALUE,
    EXCHANGE,
    N_ENTRIES,
    TURNED,
    Log,
    dealt_cards,
    own_cards,
)
from terz_env.games.terz.state import (
    ALL_CARDS,
    BREAK_PENDING,
    EVENT_SCORED,
    EVENT_SHOWN,
    FOLLOW,
    FULL_GAME,
    MICRO_CARDS,
    MINI_CARDS,
    RULES,
    TABLE,
    TALON_TRICKS,
    TRICK,
    TRUMP_JACK,
    State,
    get,
    talon_size,
)
from terz_env.games.terz.talon import talon_card
from terz_env.games.terz.tricks import beats
from terz_env.kernel import inline
from terz_env.search.terz_plan import (
    ENTERED,
    EXTRA,
    GONE,
    LOWER,
    N_CACHED,
    N_DRAWS,
    N_FACE_DOWN,
    NAMES,
    ORIGINAL_SIZE,
    PLACES,
    TURN,
    UNBOUNDED,
    UNIVERSE,
    UPPER,
    Plan,
    exclude_at,
    require_until,
)
from terz_env.search.terz_proofs import disproved, note_announcement, scored_bits


@inline
def clear_plan(state: State, seat: int, log: Log, plan: Plan) -> None:
    """Clears a plan: nothing is known but the seat's own cards and the trump card."""
    for word in range(ENTERED):
        plan[word] = 0
    for card in range(32):
        plan[LOWER + card] = 0
        plan[UPPER + card] = UNBOUNDED
    plan[N_CACHED] = -1
    pack, plan[ORIGINAL_SIZE] = ALL_CARDS, 9
    if not get(state, RULES, FULL_GAME, 1):
        pack = MINI_CARDS if get(state, RULES, TALON_TRICKS, 15) == 2 else MICRO_CARDS
        plan[ORIGINAL_SIZE] = 2
    plan[UNIVERSE] = pack & ~(own_cards(state, seat, log) | (1 << log[TURNED]))
    left = talon_size(state)
    plan[N_FACE_DOWN] = left - 1 if left > 0 else 0


@inline
def gather(state: State, seat: int, log: Log, plan: Plan) -> None:
    """Replays the log and writes bounds and checks into a plan.

    Args:
        state: The words of the position; of the hidden cards nothing is read.
        seat: The seat whose knowledge counts.
        log: The log of the deal up to this position.
        plan: The plan (PLAN_SIZE,).
    """
    clear_plan(state, seat, log, plan)
    other = 1 - seat
    trump = log[TURNED] >> 3
    seven = 8 * trump
    last_card = log[TURNED]
    tricks = get(state, TABLE, TRICK, 31) - get(state, TABLE, BREAK_PENDING, 1)
    most = get(state, RULES, TALON_TRICKS, 15)
    hand = dealt_cards(state, seat, log)
    own_scored, scored = 0, 0
    led, time = -1, 0
    for index in range(log[N_ENTRIES]):
        head = log[ENTRIES + 2 * index]
        shown = log[ENTRIES + 2 * index + 1]
        actor = (head >> ENTRY_SEAT) & 1
        value = head >> ENTRY_VALUE
        if head & 3 == ANNOUNCEMENT:
            note_announcement(state, seat, plan, head, shown, time, trump, hand, own_scored, scored)
            if (value >> (EVENT_SCORED + 1)) & 1:
                bits = scored_bits(((value >> EVENT_SHOWN) & 127) - 1, shown)
                if (value >> EVENT_SCORED) & 1 == seat:
                    own_scored |= bits
                else:
                    scored |= bits
            continue
        if head & 3 == EXCHANGE:
            if actor == seat:
                hand ^= (1 << seven) | (1 << value)
            else:
                require_until(plan, 1 << seven, time)
                plan[GONE] |= 1 << seven
                plan[EXTRA] |= 1 << value
            last_card = seven
            continue
        if actor == seat:
            hand &= ~(1 << value)
        else:
            if led >= 0 and time < most:
                option = get(state, RULES, FOLLOW, 3)
                privilege = get(state, RULES, TRUMP_JACK, 3)
                exclude_at(plan, disproved(led, value, trump, option, privilege), time)
            if (plan[EXTRA] >> value) & 1:
                plan[EXTRA] ^= 1 << value
            else:
                require_until(plan, 1 << value, time)
                plan[GONE] |= 1 << value
        plan[TURN] += 1
        plan[NAMES] = 0
        if led < 0:
            led = value
            continue
        winner = actor if beats(led, value, trump) else 1 - actor
        led = -1
        if time < tricks and time < most:
            place = 2 * time + (0 if winner == other else 1)
            if place < 2 * most - 1:
                plan[PLACES + plan[N_DRAWS]] = place
                plan[N_DRAWS] += 1
            else:
                plan[EXTRA] |= 1 << last_card
            place = 2 * time + (0 if winner == seat else 1)
            hand |= 1 << (talon_card(state, place) if place < 2 * most - 1 else last_card)
        time += 1

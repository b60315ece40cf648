"""Terz: what a seat knows of the hidden cards, derived from the log of the deal.

The log is replayed from the seat's side. Each public event bounds the time at which cards came to
the opponent, or adds a check (see `terz_plan`). Of the hidden cards nothing is read.
"""

from __future__ import annotations

from terz_env.games.terz.melds import (
    four_cards,
    four_strength,
    run_strength,
    run_top,
    strongest_meld,
)
from terz_env.games.terz.rules import talon_card
from terz_env.games.terz.state import (
    ALL_CARDS,
    BREAK_PENDING,
    EVENT_LENGTH,
    EVENT_OUTCOME,
    EVENT_SCORED,
    EVENT_SHOWN,
    EVENT_TOP,
    FOLLOW,
    FOUR,
    FULL_GAME,
    GROWTH,
    HAND,
    LANE,
    MARRIAGE,
    MICRO_CARDS,
    MINI_CARDS,
    OUTCOME_BEATEN,
    OUTCOME_FALSE,
    PLAYED,
    RULES,
    SCORED_FOURS,
    SCORED_MARRIAGE,
    TABLE,
    TALON_TRICKS,
    TRICK,
    TRUMP_JACK,
    State,
    get,
    talon_size,
)
from terz_env.games.terz.tricks import DISCRETION, NOT_FORCED, STRICT, SUIT_OR_TRUMP, beats
from terz_env.kernel import inline, popcount
from terz_env.search.terz_log import (
    ANNOUNCEMENT,
    ENTRIES,
    ENTRY_SEAT,
    ENTRY_VALUE,
    EXCHANGE,
    N_ENTRIES,
    PLAYED_CARD,
    TURNED,
    Log,
)
from terz_env.search.terz_plan import (
    ENTERED,
    EXTRA,
    FALSE_ANNOUNCEMENT,
    GONE,
    HIDDEN_ANNOUNCEMENT,
    LOWER,
    N_CACHED,
    N_DRAWS,
    N_FACE_DOWN,
    NAMES,
    ORIGINAL_SIZE,
    OWN_ANNOUNCEMENT,
    PLACES,
    TURN,
    UNBOUNDED,
    UNIVERSE,
    UPPER,
    Plan,
    add_check,
    add_name,
    exclude_at,
    require_until,
)

_JACK = 4
_SUIT_LOWEST, _SUIT_HIGHEST = 0x01010101, 0x80808080
_RUN_LENGTH, _RUN_TOP = 0xF0, 0x0E
_WHOLE_STRENGTH = 0xFF


@inline
def disproved(led: int, reply: int, trump: int, option: int, privilege: int) -> int:
    """Returns the cards that a reply in the talon phase proves absent (Rules T10, T12)."""
    jack = 8 * trump + _JACK
    if option > SUIT_OR_TRUMP or reply >> 3 == led >> 3:
        return 0
    if reply == jack and privilege == DISCRETION:
        return 0
    suit = LANE << (8 * (led >> 3))
    if reply >> 3 == trump:
        return suit if option == STRICT else 0
    cards = suit | (LANE << (8 * trump))
    return cards & ~(1 << jack) if privilege <= NOT_FORCED else cards


@inline
def run_neighbours(cards: int) -> int:
    """Returns the cards that would lengthen a run: a maximal run has none of them (Rule T15)."""
    above = (cards & ~_SUIT_HIGHEST) << 1
    below = (cards & ~_SUIT_LOWEST) >> 1
    return (above | below) & ~cards


@inline
def meld_strength(name: int, length: int, trump: int) -> int:
    """Returns the key that orders runs and fours (Rules T14, T16)."""
    if name >= FOUR:
        return four_strength(name)
    return run_strength(length, run_top(name), trump)


@inline
def scored_bits(name: int, cards: int) -> int:
    """Returns what a scored meld adds to the scored things (Rule T20)."""
    if name < FOUR:
        return cards
    return 1 << (SCORED_MARRIAGE if name == MARRIAGE else SCORED_FOURS + name - FOUR)


@inline
def note_shown(plan: Plan, name: int, cards: int, time: int) -> None:
    """Notes a meld that the opponent has shown, a run with its limits (Rules T15, T21)."""
    require_until(plan, cards, time)
    if name < FOUR:
        exclude_at(plan, run_neighbours(cards), time)


@inline
def note_hidden(
    plan: Plan, event: int, shown: int, time: int, trump: int, scored: int, least: int
) -> None:
    """Notes an announcement of the opponent that the seat has beaten (Rules T19, T21).

    Args:
        plan: The plan.
        event: The public part of the announcement.
        shown: The seat's own meld that beat it.
        time: The time of the event.
        trump: The trump suit.
        scored: The opponent's scored things before.
        least: The strength that the announced meld has at least.
    """
    length = (event >> EVENT_LENGTH) & 15
    name = event & 127
    beater = ((event >> EVENT_SHOWN) & 127) - 1
    most = meld_strength(beater, popcount(shown), trump)
    mask, value = _RUN_LENGTH, length << 4
    if length == 0:  # a four is beaten by a four alone, so its rank is public
        mask, value = _WHOLE_STRENGTH, four_strength(name)
        require_until(plan, four_cards(name), time)
    elif (event >> EVENT_TOP) & 1:  # of equal tops the seat's own run is in trumps: see `most`
        mask |= _RUN_TOP
        value |= 2 * (run_top(name) & 7)
    add_check(plan, HIDDEN_ANNOUNCEMENT, time, scored, mask, value, least, most)


@inline
def own_cards(state: State, seat: int, log: Log) -> int:
    """Returns the cards that the seat has held, those taken openly from the talon left aside."""
    cards = (state[HAND + seat] | state[PLAYED + seat]) & ALL_CARDS
    turned = log[TURNED]
    seven = 1 << (turned & 24)
    cards &= ~(1 << turned)
    for index in range(log[N_ENTRIES]):
        head = log[ENTRIES + 2 * index]
        if head & 3 == EXCHANGE:
            cards = cards | seven if (head >> ENTRY_SEAT) & 1 == seat else cards & ~seven
    return cards


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
def first_hand(state: State, seat: int, log: Log) -> int:
    """Returns the cards that were dealt to the seat: those it held, less those it has drawn."""
    cards = own_cards(state, seat, log)
    tricks = get(state, TABLE, TRICK, 31) - get(state, TABLE, BREAK_PENDING, 1)
    last = 2 * get(state, RULES, TALON_TRICKS, 15) - 1
    led, trick = -1, 0
    for index in range(log[N_ENTRIES]):
        head = log[ENTRIES + 2 * index]
        if head & 3 != PLAYED_CARD:
            continue
        card = head >> ENTRY_VALUE
        if led < 0:
            led = card
            continue
        replier = (head >> ENTRY_SEAT) & 1
        winner = replier if beats(led, card, log[TURNED] >> 3) else 1 - replier
        led = -1
        place = 2 * trick + (0 if winner == seat else 1)
        if trick < tricks and place < last:
            cards &= ~(1 << talon_card(state, place))
        trick += 1
    return cards


@inline
def note_announcement(
    state: State,
    seat: int,
    plan: Plan,
    head: int,
    shown: int,
    time: int,
    trump: int,
    hand: int,
    own_scored: int,
    scored: int,
) -> None:
    """Notes what an announcement proves of the opponent's hand (Rules T19, T21, T27).

    Args:
        state: The position, for its rule set.
        seat: The seat whose knowledge counts.
        plan: The plan.
        head: The entry of the log.
        shown: The cards that were shown.
        time: The time of the event.
        trump: The trump suit.
        hand: The seat's own hand at that moment.
        own_scored: The seat's scored things before.
        scored: The opponent's scored things before.
    """
    event = head >> ENTRY_VALUE
    mine = 1 if (head >> ENTRY_SEAT) & 1 == seat else 0
    outcome = (event >> EVENT_OUTCOME) & 3
    name = event & 127
    shown_name = ((event >> EVENT_SHOWN) & 127) - 1
    recorded = (event >> (EVENT_SCORED + 1)) & 1
    if outcome == OUTCOME_FALSE:
        if not mine:
            add_name(plan, name)
            add_check(plan, FALSE_ANNOUNCEMENT, time, scored, name, 0, 0, 0)
    elif outcome == OUTCOME_BEATEN:
        if mine:
            strength = meld_strength(name, (event >> EVENT_LENGTH) & 15, trump)
            note_shown(plan, shown_name, shown, time)
            add_check(plan, OWN_ANNOUNCEMENT, time, scored, strength, shown_name, recorded, 0)
        else:
            least = 0
            if not recorded:
                growth = get(state, RULES, GROWTH, 1)
                least = strongest_meld(hand, own_scored, 1, growth, trump) >> 7
            note_hidden(plan, event, shown, time, trump, scored, least)
    elif not mine:
        add_name(plan, name)
        note_shown(plan, name, shown, time)
    elif name != MARRIAGE:
        strength = meld_strength(name, (event >> EVENT_LENGTH) & 15, trump)
        add_check(plan, OWN_ANNOUNCEMENT, time, scored, strength, -1, 0, 0)


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
    hand = first_hand(state, seat, log)
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

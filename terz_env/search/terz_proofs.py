"""Terz: what replies, shown melds and announcements prove of a hand (T10, T12, T14–T21, T27)."""

from __future__ import annotations

from terz_env.games.terz.history import (
    ENTRY_SEAT,
    ENTRY_VALUE,
)
from terz_env.games.terz.melds import (
    four_cards,
    four_strength,
    run_strength,
    run_top,
    strongest_meld,
)
from terz_env.games.terz.state import (
    EVENT_LENGTH,
    EVENT_OUTCOME,
    EVENT_SCORED,
    EVENT_SHOWN,
    EVENT_TOP,
    FOUR,
    GROWTH,
    LANE,
    MARRIAGE,
    OUTCOME_BEATEN,
    OUTCOME_FALSE,
    RULES,
    SCORED_FOURS,
    SCORED_MARRIAGE,
    State,
    get,
)
from terz_env.games.terz.tricks import DISCRETION, NOT_FORCED, STRICT, SUIT_OR_TRUMP
from terz_env.kernel import inline, popcount
from terz_env.search.terz_plan import (
    FALSE_ANNOUNCEMENT,
    HIDDEN_ANNOUNCEMENT,
    OWN_ANNOUNCEMENT,
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

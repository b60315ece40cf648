"""Terz: the log of a deal, what a player with perfect memory could write down.

A log is an int64 array (LOG_SIZE,): the number of entries, the trump card as turned, scores and
raises before the deal, then two words an entry. The first word holds the kind (2 bits), the seat
(1 bit) and, from bit 3 on, the card played, the card gained by the exchange, or the word EVENT of
an announcement; the second one the cards of the meld that was shown. One log serves both seats: the
name of a beaten announcement is in it, and the reader leaves it out unless the announcement was his
own (Rule T21). Breaks and a forfeit are not in it: the state's words keep them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.melds import meld_cards
from terz_env.games.terz.rules import step
from terz_env.games.terz.state import (
    ALL_CARDS,
    BREAK_PENDING,
    EVENT,
    EVENT_OUTCOME,
    EVENT_SHOWN,
    FORFEITED,
    HAND,
    OUTCOME_FALSE,
    OUTCOME_SCORED,
    PLAYED,
    RAISES,
    RULES,
    RUN,
    SCORES,
    SEVEN,
    TABLE,
    TALON_TRICKS,
    TRICK,
    TRUMP_CARD,
    State,
    get,
    seat_to_act,
    trump_suit,
)
from terz_env.games.terz.talon import talon_card
from terz_env.games.terz.tricks import beats
from terz_env.kernel import inline

Log = NDArray[np.int64]

N_ENTRIES, TURNED, START_SCORES, START_RAISES, ENTRIES = 0, 1, 2, 4, 6
PLAYED_CARD, ANNOUNCEMENT, EXCHANGE = 0, 1, 2
ENTRY_SEAT, ENTRY_VALUE = 2, 3
ENTRY_MASK = 3

MOST_PLAYS = 32
MOST_MELDS_HELD = 3
"""A hand of nine has at most three runs and fours together, by enumeration."""
MOST_ANNOUNCEMENTS = 16 * MOST_MELDS_HELD + MOST_MELDS_HELD + 2
"""Sixteen turns (Rule T18), one of them with two hands by the exchange, and two marriages."""
MOST_FALSE = MOST_PLAYS
"""A second false announcement in one turn is a forfeit (Rule T28)."""
MOST_ENTRIES = MOST_PLAYS + 1 + MOST_ANNOUNCEMENTS + MOST_FALSE
LOG_SIZE = ENTRIES + 2 * MOST_ENTRIES


@inline
def begin_log(log: Log, state: State) -> None:
    """Empties a log for a deal that has just been dealt."""
    log[N_ENTRIES] = 0
    log[TURNED] = get(state, TABLE, TRUMP_CARD, 31)
    for seat in range(2):
        log[START_SCORES + seat] = state[SCORES + seat]
        log[START_RAISES + seat] = state[RAISES + seat]


@inline
def note(log: Log, seat: int, action: int, state: State) -> None:
    """Adds a lawful action or a false announcement to a log; a full log stays as it is.

    Args:
        log: The log of this deal.
        seat: The seat that acted.
        action: Its action.
        state: The words of the position after the action.
    """
    if action < 0 or action > SEVEN or get(state, TABLE, FORFEITED, 1):
        return  # a break and a forfeit are kept by the state
    kind, value, shown = PLAYED_CARD, action, 0
    if action == SEVEN:
        kind, value = EXCHANGE, log[TURNED]
    elif action >= RUN:
        kind, value = ANNOUNCEMENT, state[EVENT]
        outcome = (value >> EVENT_OUTCOME) & 3
        if outcome != OUTCOME_FALSE:
            shower = seat if outcome == OUTCOME_SCORED else 1 - seat
            name = ((value >> EVENT_SHOWN) & 127) - 1
            shown = meld_cards(state[HAND + shower], name, trump_suit(state))
    if log[N_ENTRIES] == MOST_ENTRIES:
        return
    entry = ENTRIES + 2 * log[N_ENTRIES]
    log[entry] = kind | (seat << ENTRY_SEAT) | (value << ENTRY_VALUE)
    log[entry + 1] = shown
    log[N_ENTRIES] += 1


@inline
def step_logged(state: State, log: Log, action: int) -> int:
    """Plays an action and adds it to the log; returns what `step` returns."""
    seat = seat_to_act(state)
    if step(state, action) < 0:
        return -1
    note(log, seat, action, state)
    return 0


@inline
def drawing_tricks(state: State) -> int:
    """Returns the number of tricks after which both have drawn (Rules T7, T8)."""
    done = get(state, TABLE, TRICK, 31) - get(state, TABLE, BREAK_PENDING, 1)
    most = get(state, RULES, TALON_TRICKS, 15)
    return done if done < most else most


@inline
def own_cards(state: State, seat: int, log: Log) -> int:
    """Returns the cards that a seat has held, those taken openly from the talon left aside.

    A seven that it gave for the trump card was dealt or drawn face down, even if it comes back.
    """
    turned = log[TURNED]
    seven = 1 << (8 * (turned >> 3))
    cards = (state[HAND + seat] | state[PLAYED + seat]) & ALL_CARDS & ~(1 << turned)
    for index in range(log[N_ENTRIES]):
        head = log[ENTRIES + 2 * index]
        if head & ENTRY_MASK == EXCHANGE:
            cards = cards | seven if (head >> ENTRY_SEAT) & 1 == seat else cards & ~seven
    return cards


@inline
def dealt_cards(state: State, seat: int, log: Log) -> int:
    """Returns the cards that were dealt to a seat: those it has held, less those it has drawn."""
    cards = own_cards(state, seat, log)
    trump = log[TURNED] >> 3
    tricks, draws, led = 0, drawing_tricks(state), -1
    face_down = 2 * get(state, RULES, TALON_TRICKS, 15) - 1
    for index in range(log[N_ENTRIES]):
        head = log[ENTRIES + 2 * index]
        if head & ENTRY_MASK != PLAYED_CARD:
            continue
        card, actor = head >> ENTRY_VALUE, (head >> ENTRY_SEAT) & 1
        if led < 0:
            led = card
            continue
        winner = actor if beats(led, card, trump) else 1 - actor
        led = -1
        place = 2 * tricks + (0 if winner == seat else 1)
        if tricks < draws and place < face_down:
            cards &= ~(1 << talon_card(state, place))
        tricks += 1
    return cards


@inline
def is_log(log: Log, state: State) -> int:
    """Tells whether a log has the cards played and the trump card of a position."""
    own, other, gained = 0, 0, 0
    for index in range(log[N_ENTRIES]):
        head = log[ENTRIES + 2 * index]
        value = head >> ENTRY_VALUE
        if head & ENTRY_MASK == EXCHANGE:
            gained = 1
        elif head & ENTRY_MASK == PLAYED_CARD:
            if (head >> ENTRY_SEAT) & 1:
                other |= 1 << value
            else:
                own |= 1 << value
    turned = 8 * (log[TURNED] >> 3) if gained else log[TURNED]
    if turned != get(state, TABLE, TRUMP_CARD, 31):
        return 0
    same = (own ^ state[PLAYED]) | (other ^ state[PLAYED + 1])
    return 1 if same & ALL_CARDS == 0 else 0

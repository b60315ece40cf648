"""Terz: everything that a seat has witnessed in a deal, in order (the `history` view).

Two positions have equal histories exactly if the seat cannot tell them apart: it is the information
state of the deal. Earlier deals of a match are in it by their scores and raises.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.history import (
    ANNOUNCEMENT,
    ENTRIES,
    ENTRY_MASK,
    ENTRY_SEAT,
    ENTRY_VALUE,
    EXCHANGE,
    N_ENTRIES,
    START_RAISES,
    START_SCORES,
    TURNED,
    Log,
    dealt_cards,
    drawing_tricks,
)
from terz_env.games.terz.melds import run_top
from terz_env.games.terz.names import BREAKS, CARDS, CLASSES, MELDS, RANKS
from terz_env.games.terz.state import (
    BREAK_PENDING,
    BREAK_SIZE,
    DEALER,
    EVENT_LENGTH,
    EVENT_OUTCOME,
    EVENT_SCORED,
    EVENT_SHOWN,
    EVENT_TOP,
    EVENT_TRUMP,
    FORFEITED,
    FOUR,
    FULL_GAME,
    MARRIAGE,
    OFFENDER,
    OUTCOME_BEATEN,
    OUTCOME_FALSE,
    RULES,
    RUN,
    TABLE,
    State,
    get,
)
from terz_env.games.terz.talon import talon_card
from terz_env.games.terz.tricks import beats
from terz_env.kernel import inline
from terz_env.observation import Layout, put
from terz_env.readings import RELATIVE_SEATS, number, one_of, set_of

KINDS = ("start", "turned", "play", "draw", "announce", "exchange", "break", "forfeit")
START, TURN, PLAY, DRAW, ANNOUNCE, SWAP, BREAK, FORFEIT = range(8)
SEATS = RELATIVE_SEATS[2]
NUMBERS = ("own score", "score", "own raise", "raise")

LAYOUT = Layout.of(
    ("kind", 8, "what happened; empty in rows beyond the last event", one_of(KINDS)),
    ("seat", 2, "who acted or, at the start, who dealt", one_of(SEATS)),
    (
        "cards",
        32,
        "own hand as dealt, trump card, card played, drawn, gained, shown",
        set_of(CARDS),
    ),
    ("name", 29, "the meld announced, where the seat knows it", one_of(MELDS)),
    ("outcome", 3, "of an announcement", one_of(("scored", "beaten", "false"))),
    ("class", 7, "of an announcement: runs of 3–8, a four", one_of(CLASSES)),
    ("top", 8, "top rank of the opponent's beaten announcement, where public", one_of(RANKS)),
    ("plain", 1, "that announcement is known to be no run of trumps"),
    ("shown", 29, "the meld that was shown", one_of(MELDS)),
    ("recorded", 2, "who records it", one_of(SEATS)),
    ("break", 12, "the break of the deck", one_of(BREAKS)),
    ("numbers", 80, "at the start: scores, raises, 20 bits each", number(1, NUMBERS, signed=True)),
)
ROW_WORDS = LAYOUT.n_words
NUMBER_BITS = 20
_NUMBER_MASK = (1 << NUMBER_BITS) - 1

_KIND, _SEAT = LAYOUT.field("kind").offset, LAYOUT.field("seat").offset
_CARDS, _NAME = LAYOUT.field("cards").offset, LAYOUT.field("name").offset
_OUTCOME, _CLASS = LAYOUT.field("outcome").offset, LAYOUT.field("class").offset
_TOP, _PLAIN = LAYOUT.field("top").offset, LAYOUT.field("plain").offset
_SHOWN, _RECORDED = LAYOUT.field("shown").offset, LAYOUT.field("recorded").offset
_BREAK, _NUMBERS = LAYOUT.field("break").offset, LAYOUT.field("numbers").offset


@inline
def put_row(words: NDArray[np.int64], row: int, kind: int, mine: int, cards: int) -> int:
    """Begins a row with what all rows have; returns the number of the next one."""
    base = 64 * ROW_WORDS * row
    put(words, base + _KIND, 8, 1 << kind)
    put(words, base + _SEAT, 2, 1 if mine else 2)
    put(words, base + _CARDS, 32, cards)
    return row + 1


@inline
def put_start(words: NDArray[np.int64], state: State, log: Log, seat: int) -> None:
    """Writes the start: dealer, own cards, scores and raises before the deal."""
    mine = 1 if get(state, TABLE, DEALER, 1) == seat else 0
    put_row(words, 0, START, mine, dealt_cards(state, seat, log))
    for step in range(2):
        whose = (seat + step) & 1
        place = _NUMBERS + NUMBER_BITS * step
        put(words, place, NUMBER_BITS, log[START_SCORES + whose] & _NUMBER_MASK)
        place += 2 * NUMBER_BITS
        put(words, place, NUMBER_BITS, log[START_RAISES + whose] & _NUMBER_MASK)


@inline
def put_announcement(
    words: NDArray[np.int64], row: int, seat: int, mine: int, event: int, cards: int
) -> int:
    """Writes an announcement as far as the seat learns of it (Rule T21)."""
    base = 64 * ROW_WORDS * row
    name = event & 127
    outcome = (event >> EVENT_OUTCOME) & 3
    put(words, base + _OUTCOME, 3, 1 << (outcome - 1))
    if mine or outcome != OUTCOME_BEATEN:
        put(words, base + _NAME, 29, 1 << (name - RUN))
    elif (event >> EVENT_TOP) & 1:
        top = name - FOUR + 4 if name >= FOUR else run_top(name) & 7
        put(words, base + _TOP, 8, 1 << top)
        put(words, base + _PLAIN, 1, (event >> EVENT_TRUMP) & 1)
    if outcome != OUTCOME_FALSE:
        length = (event >> EVENT_LENGTH) & 15
        if name != MARRIAGE:
            put(words, base + _CLASS, 7, 1 << (6 if length == 0 else length - 3))
        put(words, base + _SHOWN, 29, 1 << (((event >> EVENT_SHOWN) & 127) - 1 - RUN))
        if (event >> (EVENT_SCORED + 1)) & 1:
            put(words, base + _RECORDED, 2, 1 if (event >> EVENT_SCORED) & 1 == seat else 2)
    return put_row(words, row, ANNOUNCE, mine, cards)


@inline
def put_trick_end(
    words: NDArray[np.int64], row: int, state: State, seat: int, winner: int, trick: int
) -> int:
    """Writes what follows a trick: the break after the first one, and the seat's own draw."""
    if trick == 0 and get(state, RULES, FULL_GAME, 1) and not get(state, TABLE, BREAK_PENDING, 1):
        size = get(state, TABLE, BREAK_SIZE, 15)
        put(words, 64 * ROW_WORDS * row + _BREAK, 12, 1 << (size - 1))
        row = put_row(words, row, BREAK, 1 if winner != seat else 0, 0)
    if trick < drawing_tricks(state):
        place = 2 * trick + (0 if winner == seat else 1)
        row = put_row(words, row, DRAW, 1, 1 << talon_card(state, place))
    return row


@inline
def history(state: State, log: Log, seat: int, words: NDArray[np.int64]) -> None:
    """Writes the history of a deal as a seat has witnessed it, row by row."""
    for index in range(words.shape[0]):
        words[index] = 0
    put_start(words, state, log, seat)
    row = put_row(
        words, 1, TURN, 1 if get(state, TABLE, DEALER, 1) == seat else 0, 1 << log[TURNED]
    )
    trump = log[TURNED] >> 3
    led, trick = -1, 0
    for index in range(log[N_ENTRIES]):
        head = log[ENTRIES + 2 * index]
        actor = (head >> ENTRY_SEAT) & 1
        mine = 1 if actor == seat else 0
        value = head >> ENTRY_VALUE
        if head & ENTRY_MASK == ANNOUNCEMENT:
            row = put_announcement(words, row, seat, mine, value, log[ENTRIES + 2 * index + 1])
        elif head & ENTRY_MASK == EXCHANGE:
            row = put_row(words, row, SWAP, mine, 1 << value)
        else:
            row = put_row(words, row, PLAY, mine, 1 << value)
            if led < 0:
                led = value
                continue
            winner = actor if beats(led, value, trump) else 1 - actor
            led = -1
            row = put_trick_end(words, row, state, seat, winner, trick)
            trick += 1
    if get(state, TABLE, FORFEITED, 1):
        put_row(words, row, FORFEIT, 1 if get(state, TABLE, OFFENDER, 1) == seat else 0, 0)

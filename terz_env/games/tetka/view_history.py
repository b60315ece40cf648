"""Tetka: everything that a seat has witnessed in a deal, in order (the `history` view).

Two positions have equal histories exactly if the seat cannot tell them apart: it is the information
state of the deal. Earlier deals of a rubber are in it by their scores. No log is needed: the words
of the state keep who played what in which trick.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.observation import CARDS, SEATS
from terz_env.games.tetka.past import LEADERS, NO_CARD, PAST_SIZE, lay_tricks
from terz_env.games.tetka.state import (
    ALL_CARDS,
    DEALER,
    FORFEITED,
    HAND,
    N_TRICKS,
    PHOTO,
    PLAYED,
    REVOKES,
    SCORE_BITS,
    TABLE,
    State,
    get,
    is_deal_over,
    marks_of,
    score_of,
    seat_to_act,
)
from terz_env.kernel import inline
from terz_env.observation import Layout, put
from terz_env.readings import number, one_of, set_of

KINDS = ("start", "photo", "play", "end")
START, TURN, PLAY, END = range(4)

LAYOUT = Layout.of(
    ("kind", 4, "what happened; empty in rows beyond the last event", one_of(KINDS)),
    ("seat", 4, "who played; at the start the dealer, at the end who forfeited", one_of(SEATS)),
    ("cards", 52, "own hand as dealt, photo, card played", set_of(CARDS)),
    ("numbers", 60, "scores at the start, revokes at the end, 15 bits a seat", number(1, SEATS)),
)
ROW_WORDS = LAYOUT.n_words
_KIND, _SEAT = LAYOUT.field("kind").offset, LAYOUT.field("seat").offset
_CARDS, _NUMBERS = LAYOUT.field("cards").offset, LAYOUT.field("numbers").offset


@inline
def put_row(words: NDArray[np.int64], row: int, kind: int, seats: int, cards: int) -> None:
    """Writes what all rows have."""
    base = 64 * ROW_WORDS * row
    put(words, base + _KIND, 4, 1 << kind)
    put(words, base + _SEAT, 4, seats)
    put(words, base + _CARDS, 52, cards)


@inline
def put_number(words: NDArray[np.int64], row: int, step: int, value: int) -> None:
    """Writes the number of a relative seat."""
    put(words, 64 * ROW_WORDS * row + _NUMBERS + SCORE_BITS * step, SCORE_BITS, value)


@inline
def put_end(words: NDArray[np.int64], row: int, state: State, seat: int) -> None:
    """Writes the end of the deal: who forfeited, and the revokes, public by now (Rule K10)."""
    offender = 0
    if get(state, TABLE, FORFEITED, 1):
        offender = 1 << ((seat_to_act(state) - seat) & 3)
    put_row(words, row, END, offender, 0)
    for step in range(4):
        whose = (seat + step) & 3
        put_number(words, row, step, (state[PLAYED + whose] >> REVOKES) & 15)


@inline
def history(state: State, seat: int, words: NDArray[np.int64]) -> None:
    """Writes the history of a deal as a seat has witnessed it, row by row."""
    for index in range(words.shape[0]):
        words[index] = 0
    past = np.empty(PAST_SIZE, np.int64)
    lay_tricks(state, past)
    over = is_deal_over(state)
    dealer = 1 << ((get(state, TABLE, DEALER, 3) - seat) & 3)
    put_row(words, 0, START, dealer, (state[HAND + seat] | state[PLAYED + seat]) & ALL_CARDS)
    for step in range(4):
        whose = (seat + step) & 3
        before = score_of(state, whose) - (marks_of(state, whose) if over else 0)
        put_number(words, 0, step, before)
    photographer = 1 << ((get(state, TABLE, DEALER, 3) + 1 - seat) & 3)  # (Rule K2)
    put_row(words, 1, TURN, photographer, 1 << get(state, TABLE, PHOTO, 63))
    row = 2
    for trick in range(get(state, TABLE, N_TRICKS, 15)):
        leader = past[LEADERS + trick]
        for step in range(4):
            player = (leader + step) & 3
            card = past[4 * trick + player]
            if card == NO_CARD:
                break
            put_row(words, row, PLAY, 1 << ((player - seat) & 3), 1 << card)
            row += 1
    if over:
        put_end(words, row, state, seat)

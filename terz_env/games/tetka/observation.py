"""Tetka: what a seat sees, as bits (the `observation` view)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.state import (
    ALL_CARDS,
    BEST_SEAT,
    COUNT,
    DEALER,
    HAND,
    LAST_TAKEN,
    MICRO_CARDS,
    N_TRICKS,
    PHOTO,
    PLAYED,
    RUBBER,
    SUIT_CARDS,
    TABLE,
    TALLY,
    TRICK,
    VOIDS,
    State,
    counting_trick,
    get,
    marks_of,
    score_of,
    suit_of,
    tricks_of,
)
from terz_env.kernel import inline
from terz_env.observation import Layout, put, thermometer

LAYOUT = Layout.of(
    ("hand", 52, "own cards"),
    ("played_left", 52, "cards played by the left neighbour"),
    ("played_opposite", 52, "cards played by the seat opposite"),
    ("played_right", 52, "cards played by the right neighbour"),
    ("may_hold_left", 52, "cards that the left neighbour may still hold"),
    ("may_hold_opposite", 52, "cards that the seat opposite may still hold"),
    ("may_hold_right", 52, "cards that the right neighbour may still hold"),
    ("table", 52, "cards of the trick in progress"),
    ("photo", 52, "the photo"),
    ("led_suit", 4, "the suit led, one-hot S C D H; empty when leading"),
    ("cards_on_table", 4, "number of cards on the table, one-hot 0–3"),
    ("winning_seat", 4, "who wins the trick so far, relative seat one-hot"),
    ("trick", 13, "number of the trick, one-hot"),
    ("counting_trick", 13, "number of the counting trick, one-hot"),
    ("marks", 28, "marks of each relative seat, thermometer of 7"),
    ("tricks", 52, "tricks of each relative seat, thermometer of 13"),
    ("last_taken", 16, "number of each relative seat's last trick, 4 bits"),
    ("dealer", 4, "the dealer, relative seat one-hot"),
    ("rubber", 1, "scope rubber"),
    ("scores", 20, "running scores of each relative seat, 5 bits, at most 31"),
)

_HAND = LAYOUT.field("hand").offset
_PLAYED = LAYOUT.field("played_left").offset
_MAY_HOLD = LAYOUT.field("may_hold_left").offset
_TABLE = LAYOUT.field("table").offset
_PHOTO = LAYOUT.field("photo").offset
_LED = LAYOUT.field("led_suit").offset
_COUNT = LAYOUT.field("cards_on_table").offset
_WINNING = LAYOUT.field("winning_seat").offset
_TRICK = LAYOUT.field("trick").offset
_COUNTING = LAYOUT.field("counting_trick").offset
_MARKS = LAYOUT.field("marks").offset
_TRICKS = LAYOUT.field("tricks").offset
_LAST = LAYOUT.field("last_taken").offset
_DEALER = LAYOUT.field("dealer").offset
_RUBBER = LAYOUT.field("rubber").offset
_SCORES = LAYOUT.field("scores").offset
_WORDS = LAYOUT.n_words


@inline
def void_cards(voids: int) -> int:
    """Returns all cards of the suits in a set of four."""
    cards = 0
    for suit in range(4):
        if (voids >> suit) & 1:
            cards |= SUIT_CARDS << (13 * suit)
    return cards


@inline
def observe(state: State, seat: int, words: NDArray[np.int64]) -> None:
    """Writes what a seat sees into `words` (n_words,): public facts and its own hand only."""
    for index in range(_WORDS):
        words[index] = 0
    table = state[TABLE]
    hand = state[HAND + seat]
    put(words, _HAND, hand)
    seen = hand
    for other in range(4):
        seen |= state[PLAYED + other]
    unseen = ALL_CARDS & ~seen
    if get(state, TABLE, N_TRICKS, 15) == 2:
        unseen &= MICRO_CARDS
    for step in range(1, 4):
        other = (seat + step) & 3
        played = state[PLAYED + other]
        put(words, _PLAYED + 52 * (step - 1), played & ALL_CARDS)
        may_hold = unseen & ~void_cards((played >> VOIDS) & 15)
        put(words, _MAY_HOLD + 52 * (step - 1), may_hold if state[HAND + other] != 0 else 0)
    count = (table >> COUNT) & 3
    for index in range(count):
        put(words, _TABLE, 1 << ((table >> (6 * index)) & 63))
    put(words, _PHOTO, 1 << ((table >> PHOTO) & 63))
    if count > 0:
        put(words, _LED, 1 << suit_of(table & 63))
        put(words, _WINNING, 1 << ((((table >> BEST_SEAT) & 3) - seat) & 3))
    put(words, _COUNT, 1 << count)
    trick = (table >> TRICK) & 15
    if trick < 13:
        put(words, _TRICK, 1 << trick)
    put(words, _COUNTING, 1 << (counting_trick(state) - 1))
    for step in range(4):
        other = (seat + step) & 3
        marks = marks_of(state, other)
        put(words, _MARKS + 7 * step, thermometer(marks))
        put(words, _TRICKS + 13 * step, thermometer(tricks_of(state, other)))
        put(words, _LAST + 4 * step, get(state, TALLY, LAST_TAKEN + 4 * other, 15))
        score = score_of(state, other)
        put(words, _SCORES + 5 * step, score if score < 31 else 31)
    put(words, _DEALER, 1 << ((((table >> DEALER) & 3) - seat) & 3))
    put(words, _RUBBER, (table >> RUBBER) & 1)

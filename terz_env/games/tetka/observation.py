"""Tetka: what a seat sees, as bits (the `observation` view)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.cards import FULL_DECK, SUITS
from terz_env.games.tetka.state import (
    ALL_CARDS,
    BEST_SEAT,
    COUNT,
    DEALER,
    HAND,
    LAST_TAKEN,
    MARKS,
    MICRO_CARDS,
    N_TRICKS,
    PHOTO,
    PLAYED,
    RUBBER,
    SCORE_BITS,
    SCORES,
    SUIT_CARDS,
    TABLE,
    TALLY,
    TRICK,
    TRICKS_TAKEN,
    VOIDS,
    State,
    counting_trick,
    get,
    suit_of,
)
from terz_env.kernel import inline
from terz_env.observation import Layout, put
from terz_env.readings import RELATIVE_SEATS, level, number, one_of, set_of

CARDS = FULL_DECK.names
SEATS = RELATIVE_SEATS[4]
TRICKS = tuple(str(trick) for trick in range(1, 14))

LAYOUT = Layout.of(
    ("hand", 52, "own cards", set_of(CARDS)),
    ("played_left", 52, "cards played by the left neighbour", set_of(CARDS)),
    ("played_opposite", 52, "cards played by the seat opposite", set_of(CARDS)),
    ("played_right", 52, "cards played by the right neighbour", set_of(CARDS)),
    ("may_hold_left", 52, "cards that the left neighbour may still hold", set_of(CARDS)),
    ("may_hold_opposite", 52, "cards that the seat opposite may still hold", set_of(CARDS)),
    ("may_hold_right", 52, "cards that the right neighbour may still hold", set_of(CARDS)),
    ("table", 52, "cards of the trick in progress", set_of(CARDS)),
    ("photo", 52, "the photo", one_of(CARDS)),
    ("led_suit", 4, "the suit led, one-hot S C D H; empty when leading", one_of(SUITS)),
    ("cards_on_table", 4, "number of cards on the table, one-hot 0–3", one_of("0123")),
    ("winning_seat", 4, "who wins the trick so far, relative seat one-hot", one_of(SEATS)),
    ("trick", 13, "number of the trick, one-hot", one_of(TRICKS)),
    ("counting_trick", 13, "number of the counting trick, one-hot", one_of(TRICKS)),
    ("marks", 28, "marks of each relative seat, thermometer of 7", level(1, SEATS)),
    ("tricks", 52, "tricks of each relative seat, thermometer of 13", level(1, SEATS)),
    ("last_taken", 16, "number of each relative seat's last trick, 4 bits", number(1, SEATS)),
    ("dealer", 4, "the dealer, relative seat one-hot", one_of(SEATS)),
    ("rubber", 1, "scope rubber"),
    ("scores", 20, "running scores of each relative seat, 5 bits, at most 31", number(1, SEATS)),
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
MOST_SHOWN = 31
N_DEALT = 13
MICRO_TRICKS = 2
SIXTEEN_BITS = (1 << 16) - 1


def _bars(size: int) -> NDArray[np.int64]:
    """Returns the thermometers of two levels of four bits, the low one first (256,)."""
    levels = [(1 << level) - 1 for level in range(16)]
    most = (1 << size) - 1
    return np.array(
        [(levels[pair & 15] & most) | ((levels[pair >> 4] & most) << size) for pair in range(256)],
        dtype=np.int64,
    )


MARK_BARS, TRICK_BARS = _bars(7), _bars(13)
VOID_CARDS = np.array(
    [sum(SUIT_CARDS << 13 * suit for suit in range(4) if voids >> suit & 1) for voids in range(16)],
    dtype=np.int64,
)
"""All cards of the suits in a set of four."""


@inline
def put_opponent(words: NDArray[np.int64], step: int, hand: int, played: int, unseen: int) -> None:
    """Writes what an opponent has played and what it may still hold (Rule K3)."""
    put(words, _PLAYED + 52 * (step - 1), 52, played & ALL_CARDS)
    may_hold = unseen & ~VOID_CARDS[(played >> VOIDS) & 15]
    put(words, _MAY_HOLD + 52 * (step - 1), 52, may_hold if hand != 0 else 0)


@inline
def turned(tally: int, shift: int, seat: int) -> int:
    """Returns four bits a seat of the tally, sixteen in all, beginning with the given seat."""
    field = (tally >> shift) & SIXTEEN_BITS
    return ((field >> (4 * seat)) | (field << (16 - 4 * seat))) & SIXTEEN_BITS


@inline
def clipped_score(scores: int, seat: int) -> int:
    """Returns the running score of a seat, at most 31."""
    score = (scores >> (SCORE_BITS * seat)) & ((1 << SCORE_BITS) - 1)
    return score if score < MOST_SHOWN else MOST_SHOWN


@inline
def observe(state: State, seat: int, words: NDArray[np.int64]) -> None:
    """Writes what a seat sees into `words` (n_words,): public facts and its own hand only.

    The state is read before anything is written, so that the compiler keeps the words in registers.
    """
    left, opposite, right = (seat + 1) & 3, (seat + 2) & 3, (seat + 3) & 3
    hand = state[HAND + seat]
    hand_left, hand_opposite = state[HAND + left], state[HAND + opposite]
    hand_right = state[HAND + right]
    played_left, played_opposite = state[PLAYED + left], state[PLAYED + opposite]
    played_right = state[PLAYED + right]
    seen = hand | state[PLAYED + seat] | played_left | played_opposite | played_right
    table, tally, scores = state[TABLE], state[TALLY], state[SCORES]
    counting = counting_trick(state)
    pack = MICRO_CARDS if get(state, TABLE, N_TRICKS, 15) == MICRO_TRICKS else ALL_CARDS
    unseen = pack & ~seen
    count = (table >> COUNT) & 3
    trick = (table >> TRICK) & 15
    for index in range(_WORDS):
        words[index] = 0
    put(words, _HAND, 52, hand)
    put_opponent(words, 1, hand_left, played_left, unseen)
    put_opponent(words, 2, hand_opposite, played_opposite, unseen)
    put_opponent(words, 3, hand_right, played_right, unseen)
    cards = (1 << (table & 63)) if count > 0 else 0
    cards |= (1 << ((table >> 6) & 63)) if count > 1 else 0
    cards |= (1 << ((table >> 12) & 63)) if count > 2 else 0
    put(words, _TABLE, 52, cards)
    put(words, _PHOTO, 52, 1 << ((table >> PHOTO) & 63))
    put(words, _LED, 4, 1 << suit_of(table & 63) if count > 0 else 0)
    put(words, _WINNING, 4, 1 << ((((table >> BEST_SEAT) & 3) - seat) & 3) if count > 0 else 0)
    put(words, _COUNT, 4, 1 << count)
    put(words, _TRICK, 13, 1 << trick if trick < N_DEALT else 0)
    put(words, _COUNTING, 13, 1 << (counting - 1))
    marks = turned(tally, MARKS, seat)
    put(words, _MARKS, 14, MARK_BARS[marks & 255])
    put(words, _MARKS + 14, 14, MARK_BARS[marks >> 8])
    tricks = turned(tally, TRICKS_TAKEN, seat)
    put(words, _TRICKS, 26, TRICK_BARS[tricks & 255])
    put(words, _TRICKS + 26, 26, TRICK_BARS[tricks >> 8])
    put(words, _LAST, 16, turned(tally, LAST_TAKEN, seat))
    total = clipped_score(scores, seat) | (clipped_score(scores, left) << 5)
    total |= (clipped_score(scores, opposite) << 10) | (clipped_score(scores, right) << 15)
    put(words, _SCORES, 20, total)
    put(words, _DEALER, 4, 1 << ((((table >> DEALER) & 3) - seat) & 3))
    put(words, _RUBBER, 1, (table >> RUBBER) & 1)

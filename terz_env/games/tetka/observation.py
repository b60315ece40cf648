"""Tetka: what a seat sees, as bits (the `observation` view)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.cards import FULL_DECK, SUITS
from terz_env.games.tetka.state import (
    ALL_CARDS,
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
ALL_TRICKS = (1 << 13) - 1
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
FROM_SEAT = np.array(
    [(SIXTEEN_BITS << 4 * seat & SIXTEEN_BITS) * (1 + (1 << 16) + (1 << 32)) for seat in range(4)],
    dtype=np.int64,
)
"""The bits of a tally that belong to a seat and those after it."""
PACKS = np.array([ALL_CARDS, ALL_CARDS, MICRO_CARDS] + 13 * [ALL_CARDS], dtype=np.int64)
"""All cards of the game, by the number of tricks of a deal."""

COURSE_SIZE = _MARKS - _LED
"""Entries from the suit led to the counting trick: they are looked up, shifts being dearer."""


def _on_table() -> NDArray[np.int64]:
    """Returns the entries of `cards_on_table` and `winning_seat` (256,).

    An index is two bits each of the number of cards, the leader, who is ignored, the winning seat,
    as the word `TABLE` has them from `COUNT` on, and of the seat that looks.
    """
    found = np.zeros(256, dtype=np.int64)
    for index in range(256):
        count, winner, seat = index & 3, (index >> 4) & 3, index >> 6
        found[index] = 1 << (_COUNT - _LED + count)
        if count:
            found[index] |= 1 << (_WINNING - _LED + (winner - seat) % 4)
    return found


ON_TABLE = _on_table()
LED_SUITS = np.array([1 << card // 13 for card in range(64)], dtype=np.int64)
"""The entries of `led_suit` by the card led."""
TRICK_NUMBERS = np.array(
    [1 << (_TRICK - _LED + trick) if trick < 13 else 0 for trick in range(16)], dtype=np.int64
)
"""The entries of `trick` by the number of the trick."""
COUNTING_TRICKS = np.array(
    [1 << (_COUNTING - _LED + (1 + card) % 13) for card in range(64)], dtype=np.int64
)
"""The entries of `counting_trick` by the photo: an ace 1, a two 2 (Rule K4)."""
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
def turned(tally: int, seat: int) -> int:
    """Returns a tally with the four bits of each seat in its three parts, the given seat first."""
    low = tally & FROM_SEAT[seat]
    return (low >> (4 * seat)) | ((tally ^ low) << (16 - 4 * seat))


@inline
def clipped_score(scores: int, seat: int) -> int:
    """Returns the running score of a seat, at most 31."""
    score = (scores >> (SCORE_BITS * seat)) & ((1 << SCORE_BITS) - 1)
    return score if score < MOST_SHOWN else MOST_SHOWN


@inline
def clipped_scores(scores: int, seat: int) -> int:
    """Returns the running scores, five bits each, beginning with the given seat."""
    total = clipped_score(scores, seat) | (clipped_score(scores, (seat + 1) & 3) << 5)
    total |= clipped_score(scores, (seat + 2) & 3) << 10
    return total | (clipped_score(scores, (seat + 3) & 3) << 15)


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
    table, tally, scores = state[TABLE], turned(state[TALLY], seat), state[SCORES]
    unseen = PACKS[(table >> N_TRICKS) & 15] & ~seen
    count = (table >> COUNT) & 3
    for index in range(_WORDS):
        words[index] = 0
    put(words, _HAND, 52, hand)
    put_opponent(words, 1, hand_left, played_left, unseen)
    put_opponent(words, 2, hand_opposite, played_opposite, unseen)
    put_opponent(words, 3, hand_right, played_right, unseen)
    first, second, third = (count + 3) >> 2, count >> 1, (count + 1) >> 2  # 1 if it lies there
    cards = (first << (table & 63)) | (second << ((table >> 6) & 63))
    cards |= third << ((table >> 12) & 63)
    put(words, _TABLE, 52, cards)
    photo = (table >> PHOTO) & 63
    put(words, _PHOTO, 52, 1 << photo)
    course = ON_TABLE[(seat << 6) | ((table >> COUNT) & 63)] | COUNTING_TRICKS[photo]
    course |= TRICK_NUMBERS[(table >> TRICK) & 15]
    put(words, _LED, COURSE_SIZE, course | (LED_SUITS[table & 63] & -first))
    put(words, _MARKS, 14, MARK_BARS[(tally >> MARKS) & 255])
    put(words, _MARKS + 14, 14, MARK_BARS[(tally >> (MARKS + 8)) & 255])
    put(words, _TRICKS, 26, TRICK_BARS[(tally >> TRICKS_TAKEN) & 255])
    put(words, _TRICKS + 26, 26, TRICK_BARS[(tally >> (TRICKS_TAKEN + 8)) & 255])
    put(words, _LAST, 16, (tally >> LAST_TAKEN) & SIXTEEN_BITS)
    put(words, _SCORES, 20, clipped_scores(scores, seat) if scores != 0 else 0)
    put(words, _DEALER, 4, 1 << (((table >> DEALER) - seat) & 3))
    put(words, _RUBBER, 1, (table >> RUBBER) & 1)

"""Tetka: what lies open on the table, and no memory (the `table` view; Rule K9)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.cards import SUITS
from terz_env.games.tetka.observation import (
    ALL_TRICKS,
    CARDS,
    MARK_BARS,
    SEATS,
    TRICK_BARS,
    TRICKS,
    clipped_scores,
    turned,
)
from terz_env.games.tetka.past import LEADERS, NO_CARD, PAST_SIZE, lay_tricks
from terz_env.games.tetka.state import (
    BEST_SEAT,
    COUNT,
    DEALER,
    HAND,
    LEADER,
    MARKS,
    PHOTO,
    RUBBER,
    SCORES,
    TABLE,
    TALLY,
    TRICK,
    TRICKS_TAKEN,
    State,
    counting_trick,
    get,
    is_deal_over,
    seat_to_act,
    suit_of,
)
from terz_env.kernel import inline
from terz_env.observation import Layout, put
from terz_env.readings import level, number, one_of, set_of

LAYOUT = Layout.of(
    ("hand", 52, "own cards", set_of(CARDS)),
    ("to_act", 1, "the seat is to act"),
    ("table", 208, "the trick in progress by relative seat", one_of(CARDS, SEATS)),
    ("leader", 4, "who leads the trick, relative seat one-hot", one_of(SEATS)),
    ("last", 208, "the last trick by relative seat", one_of(CARDS, SEATS)),
    ("last_leader", 4, "who led the last trick", one_of(SEATS)),
    ("before", 208, "the trick before the last one, until the next lead", one_of(CARDS, SEATS)),
    ("before_leader", 4, "who led that trick", one_of(SEATS)),
    ("photo", 52, "the photo", one_of(CARDS)),
    ("led_suit", 4, "the suit led, one-hot S C D H; empty when leading", one_of(SUITS)),
    ("winning_seat", 4, "who wins the trick so far, relative seat one-hot", one_of(SEATS)),
    ("trick", 13, "number of the trick, one-hot", one_of(TRICKS)),
    ("counting_trick", 13, "number of the counting trick, one-hot", one_of(TRICKS)),
    ("marks", 28, "marks of each relative seat, thermometer of 7", level(1, SEATS)),
    ("tricks", 52, "tricks of each relative seat, thermometer of 13", level(1, SEATS)),
    ("dealer", 4, "the dealer, relative seat one-hot", one_of(SEATS)),
    ("rubber", 1, "scope rubber"),
    ("scores", 20, "running scores of each relative seat, 5 bits, at most 31", number(1, SEATS)),
)
_HAND, _TO_ACT = LAYOUT.field("hand").offset, LAYOUT.field("to_act").offset
_TABLE, _LEADER = LAYOUT.field("table").offset, LAYOUT.field("leader").offset
_LAST, _BEFORE = LAYOUT.field("last").offset, LAYOUT.field("before").offset
_LAST_LEADER = LAYOUT.field("last_leader").offset
_BEFORE_LEADER = LAYOUT.field("before_leader").offset
_PHOTO, _LED = LAYOUT.field("photo").offset, LAYOUT.field("led_suit").offset
_WINNING, _TRICK = LAYOUT.field("winning_seat").offset, LAYOUT.field("trick").offset
_COUNTING, _MARKS = LAYOUT.field("counting_trick").offset, LAYOUT.field("marks").offset
_TRICKS, _DEALER = LAYOUT.field("tricks").offset, LAYOUT.field("dealer").offset
_RUBBER, _SCORES = LAYOUT.field("rubber").offset, LAYOUT.field("scores").offset


@inline
def put_trick(
    words: NDArray[np.int64],
    cards: int,
    leader: int,
    past: NDArray[np.int64],
    trick: int,
    seat: int,
) -> None:
    """Writes the cards of a trick from entry `cards` on and its leader from `leader` on."""
    for step in range(4):
        card = past[4 * trick + ((seat + step) & 3)]
        if card != NO_CARD:
            put(words, cards + 52 * step, 52, 1 << card)
    put(words, leader, 4, 1 << ((past[LEADERS + trick] - seat) & 3))


@inline
def put_tricks(words: NDArray[np.int64], state: State, seat: int) -> None:
    """Writes the trick in progress and those that may be looked at (Rule K9)."""
    past = np.empty(PAST_SIZE, np.int64)
    lay_tricks(state, past)
    trick = get(state, TABLE, TRICK, 15)
    count = get(state, TABLE, COUNT, 3)
    if count > 0:
        put_trick(words, _TABLE, _LEADER, past, trick, seat)
        led = get(state, TABLE, LEADER, 3)
        put(words, _LED, 4, 1 << suit_of(past[4 * trick + led]))
        put(words, _WINNING, 4, 1 << ((get(state, TABLE, BEST_SEAT, 3) - seat) & 3))
    else:
        put(words, _LEADER, 4, 1 << ((get(state, TABLE, LEADER, 3) - seat) & 3))
    if trick > 0:
        put_trick(words, _LAST, _LAST_LEADER, past, trick - 1, seat)
    if trick > 1 and count == 0:
        put_trick(words, _BEFORE, _BEFORE_LEADER, past, trick - 2, seat)


@inline
def table(state: State, seat: int, words: NDArray[np.int64]) -> None:
    """Writes what a seat can look at without remembering anything."""
    for index in range(words.shape[0]):
        words[index] = 0
    put(words, _HAND, 52, state[HAND + seat])
    acts = 1 if seat_to_act(state) == seat else 0
    put(words, _TO_ACT, 1, acts * (1 - is_deal_over(state)))
    put_tricks(words, state, seat)
    put(words, _PHOTO, 52, 1 << get(state, TABLE, PHOTO, 63))
    trick = get(state, TABLE, TRICK, 15)
    put(words, _TRICK, 13, (1 << trick) & ALL_TRICKS)
    put(words, _COUNTING, 13, 1 << (counting_trick(state) - 1))
    tally = turned(state[TALLY], seat)
    marks, tricks = tally >> MARKS, tally >> TRICKS_TAKEN
    for pair in range(2):
        put(words, _MARKS + 14 * pair, 14, MARK_BARS[(marks >> (8 * pair)) & 255])
        put(words, _TRICKS + 26 * pair, 26, TRICK_BARS[(tricks >> (8 * pair)) & 255])
    put(words, _DEALER, 4, 1 << ((get(state, TABLE, DEALER, 3) - seat) & 3))
    put(words, _RUBBER, 1, get(state, TABLE, RUBBER, 1))
    put(words, _SCORES, 20, clipped_scores(state[SCORES], seat))

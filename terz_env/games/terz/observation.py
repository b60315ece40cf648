"""Terz: what a seat sees, as bits (the `observation` view)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.cards import SUITS
from terz_env.games.terz.names import CARDS, CLASSES, MELDS, RANKS, SCORED_THINGS
from terz_env.games.terz.state import (
    ALL_CARDS,
    ANNOUNCED,
    BEATEN,
    BREAK_PENDING,
    CARD_POINTS,
    CARD_POINTS_MASK,
    DEALER,
    DEDUCTIONS,
    FULL_GAME,
    HAND,
    HAS_LED,
    KNOWN,
    LED,
    MATCH,
    MELD_POINTS,
    MICRO_CARDS,
    MINI_CARDS,
    PLAYED,
    POINTS,
    RAISES,
    RULES,
    RUN,
    SCORED,
    SCORES,
    TABLE,
    TALON_TRICKS,
    TRICK,
    TRUMP_CARD,
    WIDE,
    State,
    get,
    seat_to_act,
    talon_size,
)
from terz_env.kernel import inline
from terz_env.observation import Layout, put, thermometer
from terz_env.readings import level, number, one_of, set_of

N_TRICKS = 16
TRICKS = tuple(str(trick) for trick in range(1, N_TRICKS + 1))

LAYOUT = Layout.of(
    ("hand", 32, "own cards", set_of(CARDS)),
    ("own_known", 32, "own cards that the opponent knows", set_of(CARDS)),
    ("own_played", 32, "cards that the seat has played", set_of(CARDS)),
    ("played", 32, "cards that the opponent has played", set_of(CARDS)),
    ("known", 32, "cards that the opponent is known to hold", set_of(CARDS)),
    ("may_hold", 32, "cards that the opponent may hold, the known ones included", set_of(CARDS)),
    ("led", 32, "the card led; empty when leading", one_of(CARDS)),
    ("trump_suit", 4, "the trump suit, one-hot S C D H", one_of(SUITS)),
    ("trump_card", 8, "rank of the trump card while it lies on the talon, one-hot", one_of(RANKS)),
    ("trick", 16, "number of the trick, one-hot", one_of(TRICKS)),
    ("closed", 1, "closed phase"),
    ("break_pending", 1, "the break of the deck is pending"),
    ("dealer", 1, "the seat is the dealer"),
    (
        "own_scored",
        37,
        "own scored things: cards in runs, fours J Q K A, marriage",
        set_of(SCORED_THINGS),
    ),
    ("scored", 37, "the opponent's scored things, likewise", set_of(SCORED_THINGS)),
    ("own_announced", 29, "names that the seat has announced in this turn", set_of(MELDS)),
    ("own_beaten", 7, "classes of own beaten announcements: runs of 3–8, a four", set_of(CLASSES)),
    ("beaten", 7, "classes of the opponent's beaten announcements", set_of(CLASSES)),
    ("own_card_points", 32, "own card points, thermometer of fives", level(5)),
    ("card_points", 32, "the opponent's card points, likewise", level(5)),
    ("own_meld_points", 12, "own points of melds, in tens, 12 bits", number(10)),
    ("meld_points", 12, "the opponent's points of melds, likewise", number(10)),
    ("own_deductions", 6, "own deductions in twenties, 6 bits", number(20)),
    ("deductions", 6, "the opponent's deductions, likewise", number(20)),
    ("match", 1, "scope match"),
    ("own_need", 30, "own score less raise, thermometer of twenties", level(20)),
    ("need", 30, "the opponent's score less raise, likewise", level(20)),
)

_HAND = LAYOUT.field("hand").offset
_OWN_KNOWN = LAYOUT.field("own_known").offset
_OWN_PLAYED = LAYOUT.field("own_played").offset
_PLAYED = LAYOUT.field("played").offset
_KNOWN = LAYOUT.field("known").offset
_MAY_HOLD = LAYOUT.field("may_hold").offset
_LED = LAYOUT.field("led").offset
_TRUMP_SUIT = LAYOUT.field("trump_suit").offset
_TRUMP_CARD = LAYOUT.field("trump_card").offset
_TRICK = LAYOUT.field("trick").offset
_CLOSED = LAYOUT.field("closed").offset
_BREAK = LAYOUT.field("break_pending").offset
_DEALER = LAYOUT.field("dealer").offset
_OWN_SCORED = LAYOUT.field("own_scored").offset
_SCORED = LAYOUT.field("scored").offset
_ANNOUNCED = LAYOUT.field("own_announced").offset
_OWN_BEATEN = LAYOUT.field("own_beaten").offset
_BEATEN = LAYOUT.field("beaten").offset
_CARD_POINTS = LAYOUT.field("own_card_points").offset
_MELD_POINTS = LAYOUT.field("own_meld_points").offset
_DEDUCTIONS = LAYOUT.field("own_deductions").offset
_MATCH = LAYOUT.field("match").offset
_NEED = LAYOUT.field("own_need").offset
_WORDS = LAYOUT.n_words
_THINGS = (1 << 37) - 1


@inline
def bounded(value: int, most: int) -> int:
    """Returns a value clipped to 0 … most."""
    if value < 0:
        return 0
    return value if value < most else most


@inline
def may_hold(state: State, seat: int) -> int:
    """Returns the cards that a seat's opponent may hold, by what the seat has seen."""
    other = 1 - seat
    pack = ALL_CARDS
    if not get(state, RULES, FULL_GAME, 1):
        pack = MINI_CARDS if get(state, RULES, TALON_TRICKS, 15) == 2 else MICRO_CARDS
    seen = state[HAND + seat] | state[PLAYED] | state[PLAYED + 1]
    if talon_size(state) > 0:
        seen |= 1 << get(state, TABLE, TRUMP_CARD, 31)
    return (pack & ~seen) | state[KNOWN + other]


@inline
def put_points(words: NDArray[np.int64], step: int, points: int, total: int, in_match: int) -> None:
    """Writes card points, melds, deductions and, in a match, the score less the raise."""
    cards = (points >> CARD_POINTS) & CARD_POINTS_MASK
    put(words, _CARD_POINTS + 32 * step, 32, thermometer(bounded(cards // 5, 32)))
    put(words, _MELD_POINTS + 12 * step, 12, bounded(((points >> MELD_POINTS) & WIDE) // 10, 4095))
    put(words, _DEDUCTIONS + 6 * step, 6, bounded(((points >> DEDUCTIONS) & WIDE) // 20, 63))
    put(words, _NEED + 30 * step, 30, thermometer(bounded(total // 20, 30)) if in_match else 0)


@inline
def observe(state: State, seat: int, words: NDArray[np.int64]) -> None:
    """Writes what a seat sees into `words` (n_words,): public facts and its own hand only.

    The state is read before anything is written, so that the compiler keeps the words in registers.
    """
    other = 1 - seat
    table = state[TABLE]
    hand, possible = state[HAND + seat], may_hold(state, seat)
    own_known, known = state[KNOWN + seat], state[KNOWN + other]
    own_played, played = state[PLAYED + seat], state[PLAYED + other]
    own_scored, scored = state[SCORED + seat], state[SCORED + other]
    announced = state[ANNOUNCED]
    acts = 1 if seat_to_act(state) == seat else 0  # names are not public (Rule T21)
    own_points, points = state[POINTS + seat], state[POINTS + other]
    own_total = state[SCORES + seat] - state[RAISES + seat]
    total = state[SCORES + other] - state[RAISES + other]
    in_match = get(state, RULES, MATCH, 1)
    open_talon = 1 if talon_size(state) > 0 else 0
    turned = (table >> TRUMP_CARD) & 31
    trick = (table >> TRICK) & 31
    for index in range(_WORDS):
        words[index] = 0
    put(words, _HAND, 32, hand)
    put(words, _OWN_KNOWN, 32, own_known)
    put(words, _OWN_PLAYED, 32, own_played & ALL_CARDS)
    put(words, _PLAYED, 32, played & ALL_CARDS)
    put(words, _KNOWN, 32, known)
    put(words, _MAY_HOLD, 32, possible)
    put(words, _LED, 32, 1 << ((table >> LED) & 31) if (table >> HAS_LED) & 1 else 0)
    put(words, _TRUMP_SUIT, 4, 1 << (turned >> 3))
    put(words, _TRUMP_CARD, 8, 1 << (turned & 7) if open_talon else 0)
    put(words, _CLOSED, 1, 1 - open_talon)
    put(words, _TRICK, 16, 1 << trick if trick < N_TRICKS else 0)
    put(words, _BREAK, 1, (table >> BREAK_PENDING) & 1)
    put(words, _DEALER, 1, 1 if (table >> DEALER) & 1 == seat else 0)
    put(words, _OWN_SCORED, 37, own_scored & _THINGS)
    put(words, _SCORED, 37, scored & _THINGS)
    put(words, _ANNOUNCED, 29, announced >> RUN if acts else 0)
    put(words, _OWN_BEATEN, 7, (own_played >> BEATEN) & 127)
    put(words, _BEATEN, 7, (played >> BEATEN) & 127)
    put_points(words, 0, own_points, own_total, in_match)
    put_points(words, 1, points, total, in_match)
    put(words, _MATCH, 1, in_match)

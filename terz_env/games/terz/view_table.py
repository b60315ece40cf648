"""Terz: what lies open on the table, and no memory (the `table` view; Rule T26)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.cards import SUITS
from terz_env.games.terz.history import (
    ENTRIES,
    ENTRY_MASK,
    ENTRY_SEAT,
    ENTRY_VALUE,
    N_ENTRIES,
    PLAYED_CARD,
    TURNED,
    Log,
)
from terz_env.games.terz.names import CARDS, RANKS
from terz_env.games.terz.observation import N_TRICKS, TRICKS, bounded
from terz_env.games.terz.state import (
    BREAK_PENDING,
    DEALER,
    DEDUCTIONS,
    HAND,
    HAS_LED,
    LED,
    MATCH,
    MELD_POINTS,
    POINTS,
    RAISES,
    RULES,
    SCORES,
    TABLE,
    TRICK,
    TRUMP_CARD,
    WIDE,
    State,
    get,
    seat_to_act,
    talon_size,
)
from terz_env.games.terz.tricks import beats
from terz_env.kernel import inline
from terz_env.observation import Layout, put, thermometer
from terz_env.readings import RELATIVE_SEATS, level, number, one_of, set_of

LOOK_BACK_TALON = 4
MOST_SHOWN = 5
"""Tricks that can be over while the talon holds four cards."""
SEATS = RELATIVE_SEATS[2]
_PAST = tuple(f"{seat} card {trick}" for trick in TRICKS[:MOST_SHOWN] for seat in SEATS)

LAYOUT = Layout.of(
    ("hand", 32, "own cards", set_of(CARDS)),
    ("led", 64, "the card led, by relative seat", one_of(CARDS, SEATS)),
    ("to_act", 1, "the seat is to act"),
    ("trump_suit", 4, "the trump suit, one-hot S C D H", one_of(SUITS)),
    ("trump_card", 8, "rank of the trump card while it lies on the talon, one-hot", one_of(RANKS)),
    ("trick", 16, "number of the trick, one-hot", one_of(TRICKS)),
    ("closed", 1, "closed phase"),
    ("break_pending", 1, "the break of the deck is pending"),
    ("dealer", 1, "the seat is the dealer"),
    ("taken", 32, "tricks of each relative seat, thermometer of 16", level(1, SEATS)),
    ("meld_points", 24, "points of melds, in tens, 12 bits a relative seat", number(10, SEATS)),
    ("deductions", 12, "deductions in twenties, 6 bits a relative seat", number(20, SEATS)),
    ("match", 1, "scope match"),
    (
        "need",
        60,
        "score less raise of each relative seat, thermometer of twenties",
        level(20, SEATS),
    ),
    ("past", 320, "tricks 1–5 by relative seat, while they may be looked at", one_of(CARDS, _PAST)),
    (
        "past_leader",
        10,
        "who led tricks 1–5, while they may be looked at",
        one_of(SEATS, TRICKS[:MOST_SHOWN]),
    ),
)
_HAND, _LED = LAYOUT.field("hand").offset, LAYOUT.field("led").offset
_TO_ACT, _TRUMP_SUIT = LAYOUT.field("to_act").offset, LAYOUT.field("trump_suit").offset
_TRUMP_CARD, _TRICK = LAYOUT.field("trump_card").offset, LAYOUT.field("trick").offset
_CLOSED, _BREAK = LAYOUT.field("closed").offset, LAYOUT.field("break_pending").offset
_DEALER, _TAKEN = LAYOUT.field("dealer").offset, LAYOUT.field("taken").offset
_MELDS, _DEDUCTIONS = LAYOUT.field("meld_points").offset, LAYOUT.field("deductions").offset
_MATCH, _NEED = LAYOUT.field("match").offset, LAYOUT.field("need").offset
_PAST_CARDS, _PAST_LEADER = LAYOUT.field("past").offset, LAYOUT.field("past_leader").offset


@inline
def put_tricks(words: NDArray[np.int64], state: State, log: Log, seat: int) -> None:
    """Writes how many tricks each has taken, and the tricks that may be looked at (Rule T26)."""
    shown = 1 if talon_size(state) >= LOOK_BACK_TALON else 0
    trump = log[TURNED] >> 3
    own, other, trick, led = 0, 0, 0, -1
    for index in range(log[N_ENTRIES]):
        head = log[ENTRIES + 2 * index]
        if head & ENTRY_MASK != PLAYED_CARD:
            continue
        card, actor = head >> ENTRY_VALUE, (head >> ENTRY_SEAT) & 1
        if led < 0:
            led = card
            continue
        if shown:
            replier = 0 if actor == seat else 1
            put(words, _PAST_CARDS + 64 * trick + 32 * replier, 32, 1 << card)
            put(words, _PAST_CARDS + 64 * trick + 32 * (1 - replier), 32, 1 << led)
            put(words, _PAST_LEADER + 2 * trick, 2, 2 >> replier)
        winner = actor if beats(led, card, trump) else 1 - actor
        own, other = own + (1 if winner == seat else 0), other + (0 if winner == seat else 1)
        trick += 1
        led = -1
    put(words, _TAKEN, 16, thermometer(own))
    put(words, _TAKEN + 16, 16, thermometer(other))


@inline
def put_standing(words: NDArray[np.int64], state: State, seat: int) -> None:
    """Writes what stands in writing: melds, deductions, and the score of a match."""
    for step in range(2):
        whose = (seat + step) & 1
        points = state[POINTS + whose]
        melds = bounded(((points >> MELD_POINTS) & WIDE) // 10, 4095)
        put(words, _MELDS + 12 * step, 12, melds)
        put(words, _DEDUCTIONS + 6 * step, 6, bounded(((points >> DEDUCTIONS) & WIDE) // 20, 63))
        if get(state, RULES, MATCH, 1):
            total = state[SCORES + whose] - state[RAISES + whose]
            put(words, _NEED + 30 * step, 30, thermometer(bounded(total // 20, 30)))
    put(words, _MATCH, 1, get(state, RULES, MATCH, 1))


@inline
def table(state: State, log: Log, seat: int, words: NDArray[np.int64]) -> None:
    """Writes what a seat can look at without remembering anything."""
    for index in range(words.shape[0]):
        words[index] = 0
    put(words, _HAND, 32, state[HAND + seat])
    if get(state, TABLE, HAS_LED, 1):
        step = 1 if seat_to_act(state) == seat else 0
        put(words, _LED + 32 * step, 32, 1 << get(state, TABLE, LED, 31))
    put(words, _TO_ACT, 1, 1 if seat_to_act(state) == seat else 0)
    put(words, _TRUMP_SUIT, 4, 1 << get(state, TABLE, TRUMP_CARD + 3, 3))
    open_talon = 1 if talon_size(state) > 0 else 0
    put(words, _TRUMP_CARD, 8, (1 << get(state, TABLE, TRUMP_CARD, 7)) * open_talon)
    trick = get(state, TABLE, TRICK, 31)
    put(words, _TRICK, 16, 1 << trick if trick < N_TRICKS else 0)
    put(words, _CLOSED, 1, 1 - open_talon)
    put(words, _BREAK, 1, get(state, TABLE, BREAK_PENDING, 1))
    put(words, _DEALER, 1, 1 if get(state, TABLE, DEALER, 1) == seat else 0)
    put_standing(words, state, seat)
    put_tricks(words, state, log, seat)

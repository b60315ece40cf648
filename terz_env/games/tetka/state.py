"""The state of one deal of Tetka: sixteen int64 words, 128 bytes, with named accessors.

Card number = suit · 13 + rank, suits S C D H, ranks 2 … A; a set of cards is bits of an integer.

| word  | holds |
|-------|-------|
| 0–3   | the hand of each seat |
| 4–7   | the cards each seat has played; bits 52–55 its proved voids, 56–59 its revokes (K10) |
| 8–11  | per suit, four bits a rank: the trick (from 0) in which the card was played |
| 12    | the table: trick in progress, leader, dealer, photo, flags |
| 13    | tallies: tricks, marks, last trick taken |
| 14    | the running scores, fifteen bits a seat |
| 15    | the deal number |
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import inline

State = NDArray[np.int64]

N_WORDS = 16
N_SEATS = 4
N_CARDS = 52
ALL_CARDS = (1 << 52) - 1
SUIT_CARDS = (1 << 13) - 1
QUEENS = sum(1 << (suit * 13 + 10) for suit in range(4))
MICRO_CARDS = sum(1 << (suit * 13 + rank) for suit in (0, 3) for rank in range(9, 13))
MICRO_PHOTO = 51

HAND, PLAYED, TRICK_OF, TABLE, TALLY, SCORES, DEAL = 0, 4, 8, 12, 13, 14, 15

RAISE, FORFEIT, PENALISE = 0, 1, 2

# Shifts within the words.
COUNT, LEADER, BEST_SEAT, BEST_CARD, DEALER, TRICK = 24, 26, 28, 30, 36, 38
PHOTO, N_TRICKS, DEAL_OVER, EPISODE_OVER, ILLEGAL, RUBBER = 42, 48, 52, 53, 54, 56
FORFEITED = 57
BEST_MASK = (3 << BEST_SEAT) | (63 << BEST_CARD)
VOIDS, REVOKES = 52, 56
TRICKS_TAKEN, MARKS, LAST_TAKEN = 0, 16, 32
SCORE_BITS = 15


@inline
def get(state: State, word: int, shift: int, mask: int) -> int:
    """Returns a field of a word."""
    return (state[word] >> shift) & mask


@inline
def suit_of(card: int) -> int:
    """Returns the suit of a card (a division by 13)."""
    return (card * 5) >> 6


@inline
def seat_to_act(state: State) -> int:
    """Returns the seat to act; meaningless once the deal is over."""
    table = state[TABLE]
    return ((table >> LEADER) + (table >> COUNT)) & 3


@inline
def is_deal_over(state: State) -> int:
    """Returns 1 when the deal is over."""
    return get(state, TABLE, DEAL_OVER, 1)


@inline
def is_episode_over(state: State) -> int:
    """Returns 1 when the deal (scope deal) or the rubber is over."""
    return get(state, TABLE, EPISODE_OVER, 1)


@inline
def counting_trick(state: State) -> int:
    """Returns the number, from 1, of the counting trick: the photo's value, ace 1 (Rule K4)."""
    rank = get(state, TABLE, PHOTO, 63) % 13
    return 1 if rank == 12 else rank + 2


@inline
def marks_of(state: State, seat: int) -> int:
    """Returns the marks that a seat has been given in this deal (Rule K4)."""
    return get(state, TALLY, MARKS + 4 * seat, 15)


@inline
def tricks_of(state: State, seat: int) -> int:
    """Returns the number of tricks that a seat has taken."""
    return get(state, TALLY, TRICKS_TAKEN + 4 * seat, 15)


@inline
def score_of(state: State, seat: int) -> int:
    """Returns the running score of a seat."""
    return get(state, SCORES, SCORE_BITS * seat, (1 << SCORE_BITS) - 1)

"""The state of one deal of Terz: 22 int64 words, 176 bytes, with named accessors.

Card number = suit · 8 + rank, suits S C D H, ranks 7 8 9 T J Q K A; a set of cards is bits of an
integer. Actions: 0–31 a card, 32–55 a run by suit and top 9 … A, 56–59 four J Q K A, 60 marriage,
61 the seven, 62–73 break 1 … 12.

| word   | holds |
|--------|-------|
| 0, 1   | the hand of each seat |
| 2, 3   | the cards each seat has played; bits 32–38 the classes of its beaten announcements |
| 4, 5   | the cards of each hand that are publicly known |
| 6, 7   | the cards in scored runs; bits 32–35 scored fours, bit 36 the marriage |
| 8, 9   | the talon in the order of drawing, five bits a card, seven cards a word |
| 10     | the table: led card, leader, trick, dealer, trump card, flags, the last full trick |
| 11     | the names announced in this turn |
| 12, 13 | per seat: card points, points of melds, deductions |
| 14, 15 | the running scores |
| 16, 17 | the raises (Rule T27) |
| 18     | the rule set |
| 19     | the deal number |
| 20     | the last announcement, for those who tell what became public |
| 21     | the legal actions 0–61; bit 62 stands for every break |
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import inline

State = NDArray[np.int64]

N_WORDS = 22
N_SEATS = 2
ALL_CARDS = (1 << 32) - 1
LANE = 255
MINI_CARDS = (0xF0) | (0xF0 << 24)
MICRO_CARDS = (0xE0) | (0xE0 << 24)

HAND, PLAYED, KNOWN, SCORED, TALON, TABLE, ANNOUNCED = 0, 2, 4, 6, 8, 10, 11
POINTS, SCORES, RAISES, RULES, DEAL, EVENT, LEGAL = 12, 14, 16, 18, 19, 20, 21

RUN, FOUR, MARRIAGE, SEVEN, BREAK = 32, 56, 60, 61, 62
N_ACTIONS = 74
ANY_BREAK = 62

# Shifts within TABLE.
LED, HAS_LED, LEADER, TRICK, DEALER = 0, 5, 6, 8, 13
TRUMP_CARD, BREAK_PENDING, DEAL_OVER, EPISODE_OVER = 14, 21, 22, 23
FALSE_ANNOUNCED, FORFEITED, OFFENDER, HAS_WINNER, WINNER = 24, 25, 26, 27, 28
BREAK_SIZE, PLAYED_OUT = 29, 33
LAST_LED, LAST_REPLY, HAS_LAST, LAST_LEADER = 34, 39, 44, 45
LAST_TRICK_MASK = (1 << 12) - 1

# Shifts within POINTS.
CARD_POINTS, MELD_POINTS, DEDUCTIONS = 0, 10, 30
CARD_POINTS_MASK, WIDE = (1 << 10) - 1, (1 << 20) - 1

# Shifts within RULES.
FOLLOW, TRUMP_JACK, SEVEN_MIN, GROWTH, BLOCKING, ROUNDING = 0, 2, 4, 7, 8, 9
BREAK_CHOICE, ILLEGAL, MATCH, TALON_TRICKS, ALL_TRICKS = 11, 12, 14, 15, 19
FULL_GAME, TARGET_ANNOUNCE, TARGET_SETTLE = 24, 26, 42

# Scored things beside the cards of runs.
SCORED_FOURS, SCORED_MARRIAGE = 32, 36
BEATEN = 32

# Shifts within EVENT.
EVENT_SEAT, EVENT_OUTCOME, EVENT_LENGTH, EVENT_SHOWN = 7, 8, 10, 14
EVENT_SCORED, EVENT_POINTS, EVENT_TOP, EVENT_TRUMP = 21, 23, 33, 34
OUTCOME_SCORED, OUTCOME_BEATEN, OUTCOME_FALSE = 1, 2, 3


@inline
def get(state: State, word: int, shift: int, mask: int) -> int:
    """Returns a field of a word."""
    return (state[word] >> shift) & mask


@inline
def set_field(state: State, word: int, shift: int, mask: int, value: int) -> None:
    """Writes a field of a word."""
    state[word] = (state[word] & ~(mask << shift)) | (value << shift)


@inline
def seat_to_act(state: State) -> int:
    """Returns the seat to act: the loser of trick 1 while the break is pending (Rule T8)."""
    table = state[TABLE]
    return ((table >> LEADER) ^ (table >> HAS_LED) ^ (table >> BREAK_PENDING)) & 1


@inline
def is_deal_over(state: State) -> int:
    """Returns 1 when the deal is over."""
    return get(state, TABLE, DEAL_OVER, 1)


@inline
def is_episode_over(state: State) -> int:
    """Returns 1 when the deal (scope deal) or the match is over."""
    return get(state, TABLE, EPISODE_OVER, 1)


@inline
def trick_number(state: State) -> int:
    """Returns the number of the trick in progress, from 0."""
    return get(state, TABLE, TRICK, 31)


@inline
def trump_suit(state: State) -> int:
    """Returns the trump suit."""
    return get(state, TABLE, TRUMP_CARD + 3, 3)


@inline
def talon_size(state: State) -> int:
    """Returns the number of cards in the talon, the trump card counted."""
    left = get(state, RULES, TALON_TRICKS, 15) - trick_number(state)
    pending = get(state, TABLE, BREAK_PENDING, 1)
    return 2 * (left + pending) if left > 0 else 0

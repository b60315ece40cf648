"""Tetka: the yardstick `greedy`, fixed for ever.

One legal card is played. "Unseen" is a card neither played nor in the own hand; "lower" and
"higher" are counted within the suit. Among equals it plays the first in the order S C D H, each
suit from 2 to A.

- **Leading,** the card with the least 2·(unseen lower) − (unseen higher), + 6 if a queen, + 6 if
  the photo, + 3 if nothing higher is unseen, − 0.2·(13 − own cards of the suit), + 4 if it stands
  above its suit's queen and that queen is unseen.
- **Following,** among own cards below the winning card the photo, else the queen, else the highest.
  If there is none: last to play, the highest that is neither queen nor photo; otherwise the lowest
  such; if there is no such card, the lowest.
- **Void,** the photo, else a queen, else the card with the most rank (0–12), + 8 if above its
  suit's unseen queen, + 6 if above the unseen photo in its suit, − own cards of the suit.

The code counts in tenths, so that all values are whole numbers and ties are exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.rules import legal_actions
from terz_env.games.tetka.state import (
    ALL_CARDS,
    BEST_CARD,
    COUNT,
    HAND,
    MICRO_CARDS,
    N_TRICKS,
    PHOTO,
    PLAYED,
    QUEENS,
    SUIT_CARDS,
    TABLE,
    State,
    get,
    seat_to_act,
    suit_of,
)
from terz_env.kernel import highest, inline, kernel, lowest, popcount

WORST = 1 << 40


@inline
def unseen_cards(state: State, seat: int) -> int:
    """Returns the cards that are neither played nor in the hand of the seat."""
    pack = MICRO_CARDS if get(state, TABLE, N_TRICKS, 15) == 2 else ALL_CARDS
    seen = state[HAND + seat] | state[PLAYED] | state[PLAYED + 1]
    seen |= state[PLAYED + 2] | state[PLAYED + 3]
    return pack & ~seen


@inline
def lead_value(card: int, hand: int, unseen: int, photo: int) -> int:
    """Returns the value of a lead, in tenths: the least is best."""
    suit = SUIT_CARDS << (13 * suit_of(card))
    below = (1 << card) - 1
    lower = popcount(unseen & suit & below)
    higher = popcount(unseen & suit & ~below)
    value = 20 * lower - 10 * higher - 2 * (13 - popcount(hand & suit))
    queen = QUEENS & suit
    if queen >> card == 1:
        value += 60
    if card == photo:
        value += 60
    if higher == 0:
        value += 30
    if queen & unseen & below:
        value += 40
    return value


@inline
def follow_lead(cards: int, best: int, photo: int, is_last: int) -> int:
    """Returns the card with which it follows suit."""
    below = cards & ((1 << best) - 1)
    dear = QUEENS | (1 << photo)
    if below != 0:
        if (below >> photo) & 1:
            return photo
        queen = below & QUEENS
        return lowest(queen) if queen != 0 else highest(below)
    cheap = cards & ~dear
    if cheap == 0:
        return lowest(cards)
    return highest(cheap) if is_last else lowest(cheap)


@inline
def discard(hand: int, unseen: int, photo: int) -> int:
    """Returns the card that it gives away when void."""
    if (hand >> photo) & 1:
        return photo
    if hand & QUEENS:
        return lowest(hand & QUEENS)
    best, most = lowest(hand), -WORST
    cards = hand
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        suit = SUIT_CARDS << (13 * suit_of(card))
        lower = unseen & suit & ((1 << card) - 1)
        value = card - 13 * suit_of(card) - popcount(hand & suit)
        if lower & QUEENS:
            value += 8
        if (lower >> photo) & 1:
            value += 6
        if value > most:
            best, most = card, value
    return best


@inline
def greedy_action(state: State) -> int:
    """Returns the action of the seat to act."""
    cards = legal_actions(state)
    if cards & (cards - 1) == 0:
        return lowest(cards)
    seat = seat_to_act(state)
    hand = state[HAND + seat]
    photo = get(state, TABLE, PHOTO, 63)
    count = get(state, TABLE, COUNT, 3)
    unseen = unseen_cards(state, seat)
    if count > 0:
        winning = get(state, TABLE, BEST_CARD, 63)
        if suit_of(lowest(cards)) == suit_of(winning):
            return follow_lead(cards, winning, photo, 1 if count == 3 else 0)
        return discard(hand, unseen, photo)
    best, least = lowest(cards), WORST
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        value = lead_value(card, hand, unseen, photo)
        if value < least:
            best, least = card, value
    return best


@kernel
def greedy_actions(states: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
    """Writes the action of the seat to act of every row (N,)."""
    for row in range(states.shape[0]):
        actions[row] = greedy_action(states[row])

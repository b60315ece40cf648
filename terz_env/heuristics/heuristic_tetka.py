"""Tetka: the rule player `heuristic`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.rules import legal_actions
from terz_env.games.tetka.state import (
    BEST_CARD,
    COUNT,
    HAND,
    PHOTO,
    PLAYED,
    QUEENS,
    SUIT_CARDS,
    TABLE,
    TRICK,
    VOIDS,
    State,
    counting_trick,
    get,
    seat_to_act,
    suit_of,
    tricks_of,
)
from terz_env.heuristics.greedy_tetka import unseen_cards
from terz_env.kernel import inline, kernel, lowest, popcount

WORST = -(1 << 40)

LEAD_LOWER, LEAD_HIGHER, LEAD_OWN, LEAD_MASTER = 20, 10, 2, 30
LEAD_QUEEN, LEAD_PHOTO, LEAD_OVER_QUEEN, LEAD_OVER_PHOTO = 60, 60, 40, 0
LEAD_COUNTING, LEAD_VOID, LEAD_ALONE, LEAD_HUNT = 5, 10, 30, 0
LEAD_GUARD, LEAD_AHEAD = 0, 0
FOLLOW_LOWER, FOLLOW_RANK, FOLLOW_QUEEN, FOLLOW_PHOTO = 5, 10, 300, 600
FOLLOW_OVER_QUEEN, FOLLOW_OVER_PHOTO, FOLLOW_GUARD = 40, 30, 0
RISK_BASE, RISK_HIGHER, RISK_BEHIND = 8, 1, 1
COST_TRICK, COST_MARK, COST_COUNTING, COST_AHEAD, COST_QUEENS = 10, 100, 100, 10, 2
VOID_RANK, VOID_QUEEN, VOID_PHOTO, VOID_OVER_QUEEN, VOID_OVER_PHOTO = 10, 300, 600, 80, 60
VOID_LENGTH, VOID_LOWER, VOID_HIGHER, VOID_LONE = 10, 0, 0, 0


@inline
def known_voids(state: State, seat: int, suit: int) -> int:
    """Returns how many other seats have shown that they do not hold a suit."""
    count = 0
    for step in range(1, 4):
        count += (state[PLAYED + ((seat + step) & 3)] >> (VOIDS + suit)) & 1
    return count


@inline
def is_ahead(state: State, seat: int) -> int:
    """Tells whether no other seat has taken more tricks, and this one has taken some."""
    own = tricks_of(state, seat)
    if own == 0:
        return 0
    for step in range(1, 4):
        if tricks_of(state, (seat + step) & 3) > own:
            return 0
    return 1


@inline
def over(card: int, prey: int) -> int:
    """Tells whether a card stands above one of some cards of its suit."""
    suit = SUIT_CARDS << (13 * suit_of(card))
    return 1 if prey & suit & ((1 << card) - 1) else 0


@inline
def lead_value(state: State, seat: int, card: int, unseen: int, photo: int, ahead: int) -> int:
    """Returns the value of a lead."""
    suit = suit_of(card)
    lane = SUIT_CARDS << (13 * suit)
    below = (1 << card) - 1
    own = state[HAND + seat] & lane
    rest = unseen & lane
    lower = popcount(rest & below)
    higher = popcount(rest & ~below)
    queen = QUEENS & lane
    cost = LEAD_LOWER * lower - LEAD_HIGHER * higher + LEAD_OWN * popcount(own)
    cost += LEAD_QUEEN * (1 if queen >> card == 1 else 0) + LEAD_PHOTO * (1 if card == photo else 0)
    if higher == 0:
        cost += LEAD_MASTER
        if ahead:
            cost += LEAD_AHEAD
    cost += LEAD_OVER_QUEEN * over(card, unseen & QUEENS)
    cost += LEAD_OVER_PHOTO * over(card, unseen & (1 << photo))
    if rest == 0:
        cost += LEAD_ALONE
    elif higher > 0 and rest & queen and queen >> card > 1:
        cost -= LEAD_HUNT
    if own & queen and queen >> card != 1:
        cost += LEAD_GUARD
    if get(state, TABLE, TRICK, 15) + 1 == counting_trick(state):
        cost += LEAD_COUNTING * (lower - higher)
    cost += LEAD_VOID * known_voids(state, seat, suit) * (1 if lower >= higher else 0)
    return -cost


@inline
def trick_cost(state: State, unseen: int, photo: int, ahead: int) -> int:
    """Returns what taking the trick on the table would cost, the own card apart."""
    table = state[TABLE]
    count = (table >> COUNT) & 3
    marks = 0
    for index in range(count):
        card = (table >> (6 * index)) & 63
        marks += ((QUEENS >> card) & 1) + (1 if card == photo else 0)
    cost = COST_TRICK + COST_MARK * marks + COST_AHEAD * ahead
    if ((table >> TRICK) & 15) + 1 == counting_trick(state):
        cost += COST_COUNTING
    return cost + COST_QUEENS * popcount(unseen & QUEENS) * (3 - count)


@inline
def follow_value(
    state: State, card: int, own: int, unseen: int, photo: int, best: int, cost: int
) -> int:
    """Returns the value of a card that follows suit."""
    suit = suit_of(card)
    lane = SUIT_CARDS << (13 * suit)
    below = (1 << card) - 1
    queen = QUEENS & lane
    is_queen = 1 if queen >> card == 1 else 0
    is_photo = 1 if card == photo else 0
    rest = unseen & lane
    value = FOLLOW_RANK * (card - 13 * suit) + FOLLOW_LOWER * popcount(rest & below)
    value += FOLLOW_OVER_QUEEN * over(card, unseen & QUEENS)
    value += FOLLOW_OVER_PHOTO * over(card, unseen & (1 << photo))
    if own & queen and not is_queen:
        value -= FOLLOW_GUARD
    if card < best:
        return value + FOLLOW_QUEEN * is_queen + FOLLOW_PHOTO * is_photo
    count = get(state, TABLE, COUNT, 3)
    risk = RISK_BASE
    if count < 3:
        risk -= RISK_HIGHER * popcount(rest & ~below) + RISK_BEHIND * (3 - count)
        risk = max(risk, 0)
    return value - risk * (cost + COST_MARK * (is_queen + is_photo)) // 8


@inline
def discard_value(card: int, hand: int, unseen: int, photo: int) -> int:
    """Returns the value of a card given away on a trick of another suit."""
    suit = suit_of(card)
    lane = SUIT_CARDS << (13 * suit)
    below = (1 << card) - 1
    queen = QUEENS & lane
    rest = unseen & lane
    value = VOID_RANK * (card - 13 * suit) - VOID_LENGTH * popcount(hand & lane)
    value += VOID_QUEEN * (1 if queen >> card == 1 else 0)
    value += VOID_PHOTO * (1 if card == photo else 0)
    value += VOID_OVER_QUEEN * over(card, unseen & QUEENS)
    value += VOID_OVER_PHOTO * over(card, unseen & (1 << photo))
    value += VOID_LOWER * popcount(rest & below) - VOID_HIGHER * popcount(rest & ~below)
    if rest == 0:
        value -= VOID_LONE
    return value


@inline
def heuristic_action(state: State) -> int:
    """Returns the action of the seat to act."""
    cards = legal_actions(state)
    if cards & (cards - 1) == 0:
        return lowest(cards)
    seat = seat_to_act(state)
    hand = state[HAND + seat]
    photo = get(state, TABLE, PHOTO, 63)
    count = get(state, TABLE, COUNT, 3)
    winning = get(state, TABLE, BEST_CARD, 63)
    unseen = unseen_cards(state, seat)
    ahead = is_ahead(state, seat)
    follows = count > 0 and suit_of(lowest(cards)) == suit_of(winning)
    cost = trick_cost(state, unseen, photo, ahead) if follows else 0
    best, most = lowest(cards), WORST
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if count == 0:
            value = lead_value(state, seat, card, unseen, photo, ahead)
        elif follows:
            value = follow_value(state, card, hand, unseen, photo, winning, cost)
        else:
            value = discard_value(card, hand, unseen, photo)
        if value > most:
            best, most = card, value
    return best


@kernel
def heuristic_actions(states: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
    """Writes the action of the seat to act of every row (N,)."""
    for row in range(states.shape[0]):
        actions[row] = heuristic_action(states[row])

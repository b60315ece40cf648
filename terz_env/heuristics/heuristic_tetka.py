"""Tetka: the rule player `heuristic`.

Its maxims, as a player at the table would say them:

1. Lead from short suits, to be rid of them, and play high cards out early, while all can follow.
2. Be slow to lead a queen, the photo, or a card above a queen or photo that is still out, and a
   suit that only you still hold. Lead below a queen that is out: it has to fall or be covered.
3. In the counting trick lead what somebody else is likely to beat.
4. Duck: below the winning card give the photo, the queen, or the card that would later be the most
   likely to take. Take only what is cheap, best as the last to play and with a high card that
   would otherwise take a worse trick. A trick is dear by the queens and the photo in it, by the
   counting trick, and by the queens that those behind you may still give.
5. Void in a suit, give away the queens and the photo, then the cards that guard nothing: those
   above a queen still out, those that many lower cards can be led under, and the short suits first.
6. Do not take the most tricks: while nobody has more than you, every further one is dearer.

Each maxim is a few numbers below; a card's value is their sum, and the card of the greatest value
is played, among equals the first in the order S C D H, each suit from 2 to A. The numbers were
found by hill climbing on duplicate deals against `random`, `greedy` and earlier versions of itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.rules import legal_actions
from terz_env.games.tetka.state import (
    BEST_CARD,
    COUNT,
    HAND,
    PHOTO,
    QUEENS,
    SUIT_CARDS,
    TABLE,
    TRICK,
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

LEAD_LOWER, LEAD_HIGHER, LEAD_OWN, LEAD_MASTER, LEAD_ALONE = 10, 3, 35, 70, 600
LEAD_QUEEN, LEAD_PHOTO, LEAD_OVER_QUEEN, LEAD_OVER_PHOTO = 60, 32, 169, 65
LEAD_COUNTING, LEAD_HUNT = 280, 50
FOLLOW_RANK, FOLLOW_LOWER, FOLLOW_QUEEN, FOLLOW_PHOTO = 2, 12, 54, 39
RISK_BASE, RISK_HIGHER = 13, 2
COST_TRICK, COST_AHEAD, COST_MARK, COST_COUNTING, COST_QUEENS = 13, 15, 452, 846, 12
VOID_RANK, VOID_LOWER, VOID_HIGHER, VOID_LENGTH = 5, 15, 13, 48
VOID_QUEEN, VOID_PHOTO, VOID_OVER_QUEEN, VOID_LONE = 95, 50, 47, 23


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
def lead_value(state: State, card: int, hand: int, unseen: int, photo: int) -> int:
    """Returns the value of a lead (Maxims 1–3, 6)."""
    lane = SUIT_CARDS << (13 * suit_of(card))
    below = (1 << card) - 1
    rest = unseen & lane
    lower = popcount(rest & below)
    higher = popcount(rest & ~below)
    queen = QUEENS & lane
    value = LEAD_LOWER * lower + LEAD_HIGHER * higher - LEAD_OWN * popcount(hand & lane)
    if higher == 0:
        value -= LEAD_MASTER
    if rest == 0:
        value -= LEAD_ALONE
    if queen >> card == 1:
        value -= LEAD_QUEEN
    if card == photo:
        value -= LEAD_PHOTO
    if rest & queen & below:
        value -= LEAD_OVER_QUEEN
    elif rest & queen and higher > 1:
        value += LEAD_HUNT
    if (rest & below) >> photo & 1:
        value -= LEAD_OVER_PHOTO
    if get(state, TABLE, TRICK, 15) + 1 == counting_trick(state):
        value -= LEAD_COUNTING * (lower - higher)
    return value


@inline
def trick_cost(state: State, seat: int, unseen: int, photo: int) -> int:
    """Returns what taking the trick on the table would cost, the own card apart."""
    table = state[TABLE]
    count = (table >> COUNT) & 3
    marks = 0
    for index in range(count):
        card = (table >> (6 * index)) & 63
        marks += ((QUEENS >> card) & 1) + (1 if card == photo else 0)
    cost = COST_TRICK + COST_MARK * marks + COST_AHEAD * is_ahead(state, seat)
    if ((table >> TRICK) & 15) + 1 == counting_trick(state):
        cost += COST_COUNTING
    return cost + COST_QUEENS * popcount(unseen & QUEENS) * (3 - count)


@inline
def follow_value(state: State, card: int, unseen: int, photo: int, best: int, cost: int) -> int:
    """Returns the value of a card that follows suit; `cost` is what the trick costs (Maxim 4)."""
    lane = SUIT_CARDS << (13 * suit_of(card))
    below = (1 << card) - 1
    is_queen = (QUEENS >> card) & 1
    is_photo = 1 if card == photo else 0
    rest = unseen & lane
    value = FOLLOW_RANK * (card - 13 * suit_of(card)) + FOLLOW_LOWER * popcount(rest & below)
    if card < best:
        return value + FOLLOW_QUEEN * is_queen + FOLLOW_PHOTO * is_photo
    risk = RISK_BASE
    if get(state, TABLE, COUNT, 3) < 3:
        risk = max(risk - RISK_HIGHER * popcount(rest & ~below), 0)
    return value - risk * (cost + COST_MARK * (is_queen + is_photo)) // 8


@inline
def discard_value(card: int, hand: int, unseen: int, photo: int) -> int:
    """Returns the value of a card given away on a trick of another suit (Maxim 5)."""
    lane = SUIT_CARDS << (13 * suit_of(card))
    below = (1 << card) - 1
    rest = unseen & lane
    value = VOID_RANK * (card - 13 * suit_of(card)) - VOID_LENGTH * popcount(hand & lane)
    value += VOID_LOWER * popcount(rest & below) - VOID_HIGHER * popcount(rest & ~below)
    value += VOID_QUEEN * ((QUEENS >> card) & 1)
    if card == photo:
        value += VOID_PHOTO
    if rest & below & QUEENS:
        value += VOID_OVER_QUEEN
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
    follows = count > 0 and suit_of(lowest(cards)) == suit_of(winning)
    cost = trick_cost(state, seat, unseen, photo) if follows else 0
    best, most = lowest(cards), WORST
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if count == 0:
            value = lead_value(state, card, hand, unseen, photo)
        elif follows:
            value = follow_value(state, card, unseen, photo, winning, cost)
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

"""Terz: rank, points and the duty to follow (T2, T3, T6, T9–T12)."""

from __future__ import annotations

import numpy as np

from terz_env.games.terz.state import (
    FOLLOW,
    HAND,
    HAS_LED,
    LANE,
    LED,
    RULES,
    TABLE,
    TALON_TRICKS,
    TRUMP_JACK,
    State,
    get,
    seat_to_act,
    trick_number,
    trump_suit,
)
from terz_env.kernel import first_of, inline

_RANKS = "789TJQKA"
_PLAIN_ORDER = "789JQKTA"
_TRUMP_ORDER = "78QKTA9J"


def _above(order: str) -> list[int]:
    return [
        sum(1 << _RANKS.index(higher) for higher in order[order.index(rank) + 1 :])
        for rank in _RANKS
    ]


HIGHER = np.array([_above(_PLAIN_ORDER), _above(_TRUMP_ORDER)], dtype=np.int64)
"""The ranks that stand above a rank in a trick, plain suits first, then trumps (Rule T2)."""

CARD_VALUES = np.array([[0, 0, 0, 10, 1, 2, 3, 11], [0, 0, 13, 10, 20, 2, 3, 11]], dtype=np.int64)
"""Card points by rank, plain suits first, then trumps (Rule T3)."""

LAST_TRICK_POINTS = 10
STRICT, SUIT_OR_TRUMP = 0, 1
DISCRETION, NOT_FORCED = 0, 1
JACK = 4


@inline
def card_value(card: int, trump: int) -> int:
    """Returns the points of a card in a trick (Rule T3)."""
    return CARD_VALUES[1 if card >> 3 == trump else 0, card & 7]


@inline
def beats(led: int, reply: int, trump: int) -> int:
    """Tells whether the reply wins the trick (Rule T6)."""
    suit = led >> 3
    if reply >> 3 != suit:
        return 1 if reply >> 3 == trump else 0
    return (HIGHER[1 if suit == trump else 0, led & 7] >> (reply & 7)) & 1


@inline
def follow(hand: int, led: int, trump: int, closed: int, option: int) -> int:
    """Returns the cards that answer a lead, the jack's privilege aside (Rules T10, T11)."""
    shift = 8 * (led >> 3)
    suit = hand & (LANE << shift)
    trumps = hand & (LANE << (8 * trump))
    if closed or option == STRICT:
        higher = suit & (HIGHER[1 if led >> 3 == trump else 0, led & 7] << shift) & -closed
        return first_of(higher, first_of(suit, first_of(trumps, hand)))
    return first_of(suit | trumps, hand) if option == SUIT_OR_TRUMP else hand


@inline
def legal_cards(state: State) -> int:
    """Returns the cards that the seat to act may play (Rules T9–T12)."""
    hand = state[HAND + seat_to_act(state)]
    if not get(state, TABLE, HAS_LED, 1):
        return hand
    led = get(state, TABLE, LED, 31)
    trump = trump_suit(state)
    closed = 1 if trick_number(state) >= get(state, RULES, TALON_TRICKS, 15) else 0
    option = get(state, RULES, FOLLOW, 3)
    privilege = get(state, RULES, TRUMP_JACK, 3)
    jack = 1 << (8 * trump + JACK)
    if (hand & jack) == 0 or privilege > NOT_FORCED:
        return follow(hand, led, trump, closed, option)
    rest = hand ^ jack
    if rest == 0:
        return jack
    cards = follow(rest, led, trump, closed, option)
    if privilege == DISCRETION:
        return cards | jack
    return cards | (follow(hand, led, trump, closed, option) & jack)

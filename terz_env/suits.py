"""The suits renamed: the 24 orders of the suits, and sets of cards under them.

An order is a number from 0 to 23; `NEW_SUIT[order, suit]` is what a suit becomes.
"""

from __future__ import annotations

import itertools

import numpy as np

from terz_env.kernel import inline

_ORDERS = list(itertools.permutations(range(4)))
N_ORDERS = len(_ORDERS)

NEW_SUIT = np.array(_ORDERS, dtype=np.int64)
"""(24, 4): the new suit of each suit; order 0 changes nothing."""

INVERSE = np.array(
    [_ORDERS.index(tuple(order.index(suit) for suit in range(4))) for order in _ORDERS],
    dtype=np.int64,
)
"""(24,): the order that takes an order back."""

_NUMBER = np.zeros(256, dtype=np.int64)
for _index, _order in enumerate(_ORDERS):
    _NUMBER[sum(new << 2 * suit for suit, new in enumerate(_order))] = _index


@inline
def order_of_ranks(first: int, second: int, third: int, fourth: int) -> int:
    """Returns the order that makes the suits S, C, D, H these ones, all different."""
    order: int = _NUMBER[first | (second << 2) | (third << 4) | (fourth << 6)]
    return order


@inline
def renamed(cards: int, width: int, order: int) -> int:
    """Returns a set of four lanes of `width` entries, one a suit, with the suits renamed."""
    lane = (1 << width) - 1
    moved = 0
    for suit in range(4):
        moved |= ((cards >> (width * suit)) & lane) << (width * NEW_SUIT[order, suit])
    return moved


@inline
def renamed_card(card: int, width: int, order: int) -> int:
    """Returns a card, one of `width` a suit, with its suit renamed."""
    suit = card // width
    moved: int = card + width * (NEW_SUIT[order, suit] - suit)
    return moved

"""The suits renamed: the 24 orders of the suits, and sets of cards under them.

An order is a number from 0 to 23; `NEW_SUIT[order, suit]` is what a suit becomes.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

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


@inline
def order_by_keys(keys: NDArray[np.int64]) -> int:
    """Returns the order that puts the suits with the greatest keys first.

    Args:
        keys: Two words a suit (8,), compared one after the other. Among equals the suit that
            comes first in S, C, D, H stays first.
    """
    code = 0
    for suit in range(4):
        before = 0
        for other in range(4):
            first, second = (
                keys[2 * other] - keys[2 * suit],
                keys[2 * other + 1] - keys[2 * suit + 1],
            )
            equal = first == 0 and second == 0
            if first > 0 or (first == 0 and second > 0) or (equal and other < suit):
                before += 1
        code |= before << (2 * suit)
    order: int = _NUMBER[code]
    return order

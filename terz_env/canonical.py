"""What seats see with the suits in canonical order, and what was chosen so turned back."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from terz_env.game import Game
from terz_env.selfplay import TOP_BIT
from terz_env.suits import INVERSE, N_ORDERS

_NO_BYTES = np.zeros((0, 0), dtype=np.uint8)


def canonical_rows(
    game: Game, bits: NDArray[np.uint64], masks: NDArray[np.int8]
) -> tuple[NDArray[np.uint64], NDArray[np.int8], NDArray[np.int64]]:
    """Return observations and masks with the suits renamed, and the order of each row.

    Two rows that differ only in the names of their suits become equal: a network that is shown
    them so has a symmetry of 6 (Terz, where trumps come first) or 24 (Tetka) built in.

    Args:
        game: The game of the rows.
        bits: ``(N, n_words)`` packed observations; they are not changed.
        masks: ``(N, A)`` legal actions of the seats that see them.

    Returns:
        Bits and masks in canonical form, and orders ``(N,)`` for what turns back.
    """
    words = np.array(bits, order="C").view(np.int64)
    orders = np.zeros(len(words), dtype=np.int64)
    renamed = np.zeros(masks.shape, dtype=np.int8)
    game.kernels.canonical_batch(legal_sets(masks), renamed, words, _NO_BYTES, orders)
    return words.view(np.uint64), renamed, orders


def actions_back(
    game: Game, actions: NDArray[np.int64], orders: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the actions ``(N,)`` chosen in canonical form as the game numbers them."""
    chosen = np.empty_like(orders)
    game.kernels.rename_actions_back(np.ascontiguousarray(actions), orders, chosen)
    return chosen


def columns_to_canonical(
    game: Game, columns: NDArray[np.float32], orders: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return a number for each action ``(N, A)``, in canonical instead of the game's numbering."""
    return np.take_along_axis(columns, old_actions(game.family)[orders], axis=1)


def columns_back(
    game: Game, columns: NDArray[np.float32], orders: NDArray[np.int64]
) -> NDArray[np.float32]:
    """Return a number for each action ``(N, A)``, in the game's instead of canonical numbering."""
    return np.take_along_axis(columns, old_actions(game.family)[INVERSE[orders]], axis=1)


@cache
def old_actions(family: str) -> NDArray[np.int64]:
    """Return ``(24, A)``: the action that each action was before an order renamed the suits."""
    from terz_env.games import get_game

    game = get_game(family)
    actions = np.arange(game.n_actions)
    return np.stack(
        [actions_back(game, actions, np.full(len(actions), order)) for order in range(N_ORDERS)]
    )


def legal_sets(masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return masks ``(N, A)`` as sets of bits; the highest stands for all actions from there on.

    Those actions are legal together or not at all (the breaks of Terz, Rule T8).
    """
    packed = np.packbits(masks[:, : TOP_BIT + 1] != 0, axis=1, bitorder="little")
    sets = np.zeros((len(masks), 8), dtype=np.uint8)
    sets[:, : packed.shape[1]] = packed
    return sets.view("<i8")[:, 0].astype(np.int64)

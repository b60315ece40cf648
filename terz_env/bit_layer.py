"""A linear layer whose inputs are bits: sums of the columns of its weights, and their gradient.

An observation has some hundred bits set of many hundreds, so that adding up is several times as
fast as a product with zeros and ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import kernel

_TOP_CLEARED = (1 << 63) - 1


@kernel
def _add_rows(
    words: NDArray[np.int64], table: NDArray[np.float32], sums: NDArray[np.float32]
) -> None:
    for row in range(words.shape[0]):
        for place in range(words.shape[1]):
            word = words[row, place]
            entry = 64 * place
            while word != 0:
                if word & 1:
                    for column in range(table.shape[1]):
                        sums[row, column] += table[entry, column]
                word = (word >> 1) & _TOP_CLEARED
                entry += 1


@kernel
def _add_to_rows(
    words: NDArray[np.int64], gradients: NDArray[np.float32], table: NDArray[np.float32]
) -> None:
    for row in range(words.shape[0]):
        for place in range(words.shape[1]):
            word = words[row, place]
            entry = 64 * place
            while word != 0:
                if word & 1:
                    for column in range(table.shape[1]):
                        table[entry, column] += gradients[row, column]
                word = (word >> 1) & _TOP_CLEARED
                entry += 1


def bit_sums(
    bits: NDArray[np.uint64], table: NDArray[np.float32], bias: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Returns what a linear layer makes of packed observations ``(N, H)``.

    Args:
        bits: ``(N, n_words)``; entry e is bit e % 64 of word e // 64.
        table: ``(O, H)``, the transposed weights; no bit from O on may be set.
        bias: ``(H,)``.
    """
    sums = np.tile(bias, (len(bits), 1))
    _add_rows(_words(bits), np.ascontiguousarray(table), sums)
    return sums


def bit_gradient(
    bits: NDArray[np.uint64], gradients: NDArray[np.float32], n_entries: int
) -> NDArray[np.float32]:
    """Returns the gradient of the table of `bit_sums` ``(O, H)``.

    Args:
        bits: ``(N, n_words)``.
        gradients: ``(N, H)``, those of the sums.
        n_entries: The number of entries O.
    """
    table = np.zeros((n_entries, gradients.shape[1]), dtype=np.float32)
    _add_to_rows(_words(bits), np.ascontiguousarray(gradients), table)
    return table


def _words(bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    return np.require(bits, requirements=["C", "A", "W"]).view(np.int64)

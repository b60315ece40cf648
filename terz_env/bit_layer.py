"""A linear layer whose inputs are bits: sums of the columns of its weights, and their gradient.

An observation has some hundred bits set of many hundreds, so that adding up is several times as
fast as a product with zeros and ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import inline, kernel, lowest, row_of

_TOP_CLEARED = (1 << 63) - 1
_ROWS_AT_ONCE = 128
"""Rows whose gradients are gathered together: they stay in the cache."""


@inline
def _add_members(
    source: NDArray[np.float32],
    members: NDArray[np.int64],
    count: int,
    out: NDArray[np.float32],
) -> None:
    """Adds rows of a source (M, H) to `out` (H,): the first `count` of `members`, four at a time.

    So `out` is read and written a quarter as often.
    """
    width = out.shape[0]
    done = 0
    while done + 4 <= count:
        first = row_of(source, members[done])
        second = row_of(source, members[done + 1])
        third = row_of(source, members[done + 2])
        fourth = row_of(source, members[done + 3])
        for column in range(width):
            out[column] += (first[column] + second[column]) + (third[column] + fourth[column])
        done += 4
    while done < count:
        first = row_of(source, members[done])
        for column in range(width):
            out[column] += first[column]
        done += 1


@inline
def _list_entries(words: NDArray[np.int64], row: int, entries: NDArray[np.int64]) -> int:
    """Writes which bits of a row are set, in order; returns how many."""
    count = 0
    for place in range(words.shape[1]):
        word = words[row, place]
        rest = word & _TOP_CLEARED
        while rest != 0:
            entries[count] = 64 * place + lowest(rest)
            count += 1
            rest &= rest - 1
        if word < 0:
            entries[count] = 64 * place + 63
            count += 1
    return count


@kernel
def _add_rows(
    words: NDArray[np.int64], table: NDArray[np.float32], sums: NDArray[np.float32]
) -> None:
    """Adds to each row of `sums` (N, H) the rows of the table (O, H) whose bits it has set."""
    entries = np.empty(64 * words.shape[1], np.int64)
    for row in range(words.shape[0]):
        count = _list_entries(words, row, entries)
        _add_members(table, entries, count, row_of(sums, row))


@kernel
def _add_to_rows(
    words: NDArray[np.int64], gradients: NDArray[np.float32], table: NDArray[np.float32]
) -> None:
    """Adds to each row of the table (O, H) the gradients (N, H) of the rows that have its bit."""
    entries = np.empty(64 * words.shape[1], np.int64)
    holders = np.empty((64 * words.shape[1], _ROWS_AT_ONCE), np.int64)
    counts = np.zeros(64 * words.shape[1], np.int64)
    for first in range(0, words.shape[0], _ROWS_AT_ONCE):
        counts[:] = 0
        for row in range(first, min(first + _ROWS_AT_ONCE, words.shape[0])):
            for number in range(_list_entries(words, row, entries)):
                entry = entries[number]
                holders[entry, counts[entry]] = row
                counts[entry] += 1
        for entry in range(min(table.shape[0], counts.shape[0])):
            _add_members(gradients, row_of(holders, entry), counts[entry], row_of(table, entry))


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

"""Exact counting: binomial coefficients and integers drawn without any bias."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import inline
from terz_env.rng import random_bits

_RANDOM_RANGE = 1 << 62


def _binomials(size: int) -> NDArray[np.int64]:
    table = np.zeros((size, size), dtype=np.int64)
    for n in range(size):
        table[n, 0] = 1
        for k in range(1, n + 1):
            table[n, k] = table[n - 1, k - 1] + table[n - 1, k]
    return table


BINOMIAL = _binomials(40)
"""Number of subsets: `BINOMIAL[n, k]`, n and k below 40."""


@inline
def uniform_below(total: int, stream: NDArray[np.uint64]) -> int:
    """Returns an exactly uniform integer in [0, total), total at most 2⁶²."""
    limit = _RANDOM_RANGE - _RANDOM_RANGE % total
    bits = random_bits(stream)
    while bits >= limit:
        bits = random_bits(stream)
    return bits % total

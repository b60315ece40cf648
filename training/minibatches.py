"""Shuffled minibatches, the same from one seed."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray


def minibatches(
    count: int, size: int, epochs: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Yield the rows of each minibatch; an epoch is cut into parts of nearly `size` rows."""
    rows = np.arange(count)
    for _ in range(epochs):
        rng.shuffle(rows)
        yield from np.array_split(rows.copy(), max(1, round(count / size)))

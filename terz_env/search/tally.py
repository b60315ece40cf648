"""What a search counts of each action: how often it was tried, its results and their squares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import inline

Tallies = NDArray[np.int64]

TRIES, TOTAL, SQUARES = 0, 1, 2
N_COUNTS = 3


@inline
def count_result(tallies: Tallies, row: int, action: int, value: int) -> None:
    """Adds the result of an action to the tallies (N, N_COUNTS, A)."""
    tallies[row, TRIES, action] += 1
    tallies[row, TOTAL, action] += value
    tallies[row, SQUARES, action] += value * value

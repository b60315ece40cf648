"""Dealing: uniform random subsets of a set of cards, held as bits of an integer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import inline, nth_member, popcount
from terz_env.rng import random_below, random_bits


@inline
def random_subset(cards: int, size: int, stream: NDArray[np.uint64]) -> int:
    """Returns a uniform subset of `size` of the cards.

    Every card is kept by a fair coin; then uniform members are removed or added until the size
    fits. Given its size, the coin's subset is uniform, and each correction keeps it so.
    """
    subset = cards & random_bits(stream)
    surplus = popcount(subset) - size
    while surplus > 0:
        subset ^= 1 << nth_member(subset, random_below(stream, popcount(subset)))
        surplus -= 1
    while surplus < 0:
        rest = cards & ~subset
        subset |= 1 << nth_member(rest, random_below(stream, popcount(rest)))
        surplus += 1
    return subset


@inline
def random_member(cards: int, stream: NDArray[np.uint64]) -> int:
    """Returns a uniform member of a set that is not empty."""
    return nth_member(cards, random_below(stream, popcount(cards)))

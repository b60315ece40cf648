"""Random streams: a pure function of (seed, environment, deal number), by SplitMix64.

Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, figure 17.
A stream is a one-element uint64 array; every draw advances it.
"""

from __future__ import annotations

import operator
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from terz_env.errors import SeedError
from terz_env.kernel import inline, wrapping

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)

DEAL_STREAM, ACTION_STREAM = 1, 2
"""The streams that deal cards and draw actions; others are the callers' own."""


def checked_number(value: SupportsIndex, name: str) -> int:
    """Returns a seed or a number of an environment as the integer that kernels take.

    Raises:
        SeedError: it is no whole number from 0 to 2⁶³ - 1.
    """
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise SeedError(f"{name}={value!r} is no whole number") from None
    if not 0 <= number < 1 << 63:
        given = str(number) if number.bit_length() <= 64 else f"{number.bit_length()} bits"
        raise SeedError(f"{name}={given}: a whole number from 0 to 2⁶³ - 1 is needed")
    return number


@wrapping
def _mix(word: np.uint64) -> np.uint64:
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@wrapping
def _advance(stream: NDArray[np.uint64]) -> np.uint64:
    stream[0] = stream[0] + _GAMMA
    return _mix(stream[0])


@wrapping
def start_stream(
    stream: NDArray[np.uint64], seed: int, environment: int, number: int, purpose: int
) -> None:
    """Sets a stream to its start: the key is hashed from seed, environment, number and purpose."""
    key = _mix(np.uint64(seed) + _GAMMA)
    key = _mix(key ^ (np.uint64(environment) + _GAMMA))
    key = _mix(key ^ (np.uint64(number) + _MIX_1))
    stream[0] = _mix(key ^ (np.uint64(purpose) + _MIX_2))


@inline
def random_bits(stream: NDArray[np.uint64]) -> int:
    """Returns 62 random bits as a non-negative integer."""
    return np.int64(_advance(stream) >> np.uint64(2))  # type: ignore[return-value]


@inline
def random_below(stream: NDArray[np.uint64], n: int) -> int:
    """Returns an integer in [0, n), n ≤ 2³¹, uniform up to n·2⁻³² (multiply-shift)."""
    return np.int64(((_advance(stream) >> _32) * np.uint64(n)) >> _32)  # type: ignore[return-value]

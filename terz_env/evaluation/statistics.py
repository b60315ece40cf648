"""Means with 95 % intervals."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
LEAST_UNITS = 2
LAST_EXACT_DEGREES = 200


@dataclass(frozen=True)
class Estimate:
    """A mean over independent units.

    Attributes:
        mean: The sample mean.
        half_width: Half of the 95 % t interval.
        count: How many units.
    """

    mean: float
    half_width: float
    count: int


def estimate(units: NDArray[np.float64]) -> Estimate:
    """Return the mean of at least two units with its 95 % t interval."""
    count = len(units)
    if count < LEAST_UNITS:
        raise ValueError(f"an interval needs at least {LEAST_UNITS} units, not {count}")
    error = float(units.std(ddof=1)) / math.sqrt(count)
    return Estimate(float(units.mean()), student_t_975(count - 1) * error, count)


def student_t_975(degrees: int) -> float:
    """Return the 97.5 % point of Student's t with whole degrees of freedom.

    The point is found by bisection. Up to `LAST_EXACT_DEGREES` the probability is the finite sum of
    Abramowitz and Stegun 26.7.3 and 26.7.4; beyond, the expansion 26.7.5 errs by less than 1e-9.
    """
    if degrees > LAST_EXACT_DEGREES:
        z, n = 1.959963984540054, float(degrees)
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + first / n + second / n**2 + third / n**3
    low, high = 0.0, 13.0
    for _ in range(60):
        middle = (low + high) / 2
        if _two_sided(middle, degrees) < CONFIDENCE:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _two_sided(t: float, degrees: int) -> float:
    """Return the probability of ``[-t, t]`` (Abramowitz and Stegun 26.7.3, 26.7.4)."""
    angle = math.atan(t / math.sqrt(degrees))
    odd = degrees % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0 if degrees == 1 else term
    for index in range(2 + odd, degrees - 1, 2):
        term *= (index - 1) / index * math.cos(angle) ** 2
        total += term
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total

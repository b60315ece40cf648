"""Means with 95 % intervals, by Student's t and by the bootstrap."""

import math
from dataclasses import dataclass

import numpy as np
import scipy.stats
from numpy.typing import NDArray

CONFIDENCE = 0.95
LEAST_UNITS = 2
RESAMPLES = 2000
MOST_DRAWS = 4_000_000
"""Resampled units held in memory at a time."""


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

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mean + self.half_width


def estimate(units: NDArray[np.float64], extra_variance: float = 0.0) -> Estimate:
    """Return the mean of at least two units with its 95 % t interval.

    Args:
        units: ``(N,)``, independent of each other.
        extra_variance: Variance of the mean that the units do not show.
    """
    count = len(units)
    if count < LEAST_UNITS:
        raise ValueError(f"an interval needs at least {LEAST_UNITS} units, not {count}")
    error = math.sqrt(float(units.var(ddof=1)) / count + extra_variance)
    return Estimate(float(units.mean()), student_t_975(count - 1) * error, count)


def student_t_975(degrees: int) -> float:
    """Return the 97.5 % point of Student's t."""
    return float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, degrees))


def bootstrap_interval(units: NDArray[np.float64], seed: int) -> tuple[float, float]:
    """Return the 95 % percentile interval of the mean, from resampled units.

    The seed picks the resamples, so that the same units give the same interval.
    """
    result = scipy.stats.bootstrap(
        (units,),
        np.mean,
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=max(1, MOST_DRAWS // len(units)),
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return float(result.confidence_interval.low), float(result.confidence_interval.high)


def ratio_units(totals: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return one value a unit, with the sum of the totals over that of the counts as their mean.

    They are the linearised ratio (Cochran, Sampling Techniques, 1977, section 6.4): the interval
    of their mean is that of the ratio.
    """
    mean = float(counts.mean())
    ratio = float(totals.mean()) / mean
    return ratio + (totals - ratio * counts) / mean


def ratio_estimate(totals: NDArray[np.float64], counts: NDArray[np.float64]) -> Estimate:
    """Return the sum of the totals over the sum of the counts, each pair a unit."""
    return estimate(ratio_units(totals, counts))

"""A sequential test of two players that stops as soon as the answer is clear."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terz_env.errors import TerzEnvError

LEAST_UNITS = 30
"""Units before the first decision: the test estimates the variance."""


class SprtError(TerzEnvError, ValueError):
    """Hypotheses or error rates that make no test."""


@dataclass(frozen=True)
class Sprt:
    """Wald's sequential probability ratio test of the mean advantage of A.

    The units are taken as normal with the variance of the sample, as engine testers do
    (Van den Bergh, "A practical introduction to the GSPRT", 2019).

    Attributes:
        low: The mean under H0.
        high: The mean under H1, above `low`.
        alpha: Wanted chance of accepting H1 where H0 holds.
        beta: Wanted chance of accepting H0 where H1 holds.
    """

    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Refuse what makes no test."""
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise SprtError(f"hypotheses {self.low} and {self.high}; the second has to be larger")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise SprtError(f"error rates {self.alpha} and {self.beta}; use 0 to 0.5")

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """Read ``LOW:HIGH``, such as ``0:5``.

        Raises:
            SprtError: If the text is none.
        """
        low, colon, high = text.partition(":")
        try:
            if not colon:
                raise ValueError
            means = float(low), float(high)
        except ValueError:
            raise SprtError(f"sprt {text!r}; use LOW:HIGH, such as 0:5") from None
        return cls(*means)

    def log_ratio(self, units: NDArray[np.float64]) -> float:
        """Return the log likelihood ratio of H1 to H0; zero while there are too few units."""
        if len(units) < LEAST_UNITS:
            return 0.0
        middle = (self.low + self.high) / 2
        gap = float(units.mean()) - middle
        variance = float(units.var(ddof=1))
        if variance == 0:
            return math.copysign(math.inf, gap) if gap else 0.0
        return len(units) * (self.high - self.low) * gap / variance

    def verdict(self, units: NDArray[np.float64]) -> str | None:
        """Return ``H0``, ``H1``, or None while the units do not decide."""
        ratio = self.log_ratio(units)
        if ratio >= math.log((1 - self.beta) / self.alpha):
            return "H1"
        if ratio <= math.log(self.beta / (1 - self.alpha)):
            return "H0"
        return None

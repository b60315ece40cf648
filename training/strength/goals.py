"""What was aimed for, and whether it was reached."""

from dataclasses import dataclass

from terz_env.evaluation.statistics import Estimate

REACHED, NEARLY, MISSED, CLEARLY = (
    "reached",
    "reached by the mean, not by the whole interval",
    "missed by the mean, not by the whole interval",
    "missed",
)


@dataclass(frozen=True)
class Goal:
    """A figure and the bound that it was meant to keep.

    Attributes:
        what: Which figure, in words.
        found: The figure; without an interval its half width is 0.
        aim: The bound.
        at_least: Whether it is a lower bound.
        form: How the numbers are written.
    """

    what: str
    found: Estimate
    aim: float
    at_least: bool
    form: str = "+.2f"

    @property
    def verdict(self) -> str:
        """Whether mean and interval keep the bound.

        >>> Goal("points", Estimate(9.0, 2.0, 400), 8.0, at_least=True).verdict
        'reached by the mean, not by the whole interval'
        """
        sign = 1 if self.at_least else -1
        surplus = sign * (self.found.mean - self.aim)
        if surplus >= 0:
            return REACHED if surplus >= self.found.half_width else NEARLY
        return CLEARLY if -surplus > self.found.half_width else MISSED

    def cells(self) -> tuple[str, str, str, str]:
        """Return a row of a table: what, the aim, the figure, the verdict."""
        found, form = self.found, self.form
        text = f"{found.mean:{form}}"
        if found.half_width:
            text += f" ({found.low:{form}} to {found.high:{form}})"
        return self.what, f"{'≥' if self.at_least else '≤'} {self.aim:{form}}", text, self.verdict

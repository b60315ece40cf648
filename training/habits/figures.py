"""The figures of the pages, as data: how often and how much, with 95 % intervals."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from terz_env.errors import TerzEnvError
from terz_env.evaluation.statistics import LEAST_UNITS, estimate, ratio_units
from training.habits.tally import Ratio

FORMAT: Literal["terz-habits/1"] = "terz-habits/1"
LEAST_EVENTS = 30
"""Fewer cases than these are not told."""
DIGITS = 6


class HabitsError(TerzEnvError, ValueError):
    """Figures that cannot be measured or read; the message says why."""


class Measured(BaseModel):
    """A mean with its 95 % interval, the deal being the unit.

    Attributes:
        mean: What was found.
        half_width: Half of the interval.
        cases: How many events were counted.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    mean: float
    half_width: float
    cases: int


class Figure(BaseModel):
    """One figure of the policy and of the player it is compared with, on the same deals.

    Attributes:
        policy: Of the policy; None where there were too few cases.
        reference: Of the other player; None too where it has no such figure.
        difference: The first less the second, deal by deal.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    policy: Measured | None
    reference: Measured | None = None
    difference: Measured | None = None


class GameHabits(BaseModel):
    """All figures of one game.

    Attributes:
        policy: The policy's name.
        reference: The name of the player it is compared with.
        rules: Options of the rule set.
        figures: By name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    policy: str
    reference: str
    rules: dict[str, str | int]
    figures: dict[str, Figure]


class Habits(BaseModel):
    """What was measured: the file that the pages and the plots are made from.

    Attributes:
        format: Of this file.
        deals: How many deals of each game everybody played.
        seed: Picked them.
        terz: The figures of Terz.
        tetka: The figures of Tetka.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    format: Literal["terz-habits/1"]
    deals: int
    seed: int
    terz: GameHabits
    tetka: GameHabits

    @classmethod
    def read(cls, file: Path) -> "Habits":
        """Read what was measured before.

        Raises:
            HabitsError: If there is no such file, or it holds something else.
        """
        try:
            return cls.model_validate_json(file.read_bytes())
        except OSError as error:
            raise HabitsError(f"{file}: no figures can be read: {error.strerror}") from error
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "the whole"
            raise HabitsError(
                f"{file} holds no figures of this version ({place}: {first['msg']}); measure again"
            ) from error


def compare(policy: Mapping[str, Ratio], reference: Mapping[str, Ratio]) -> dict[str, Figure]:
    """Return the figures of two players on the same deals, by name."""
    return {name: _figure(ratio, reference.get(name)) for name, ratio in policy.items()}


def _figure(policy: Ratio, reference: Ratio | None) -> Figure:
    own, other = _units(policy), None if reference is None else _units(reference)
    return Figure(
        policy=None if own is None else _measured(own, policy),
        reference=None if other is None or reference is None else _measured(other, reference),
        difference=None if own is None or other is None else _measured(own - other, policy),
    )


def _units(ratio: Ratio) -> NDArray[np.float64] | None:
    """Return a value a deal with the ratio as their mean, None where too little was counted."""
    enough = ratio.counts.sum() >= LEAST_EVENTS and (ratio.counts > 0).sum() >= LEAST_UNITS
    return ratio_units(ratio.totals, ratio.counts) if enough else None


def _measured(units: NDArray[np.float64], ratio: Ratio) -> Measured:
    found = estimate(units)
    return Measured(
        mean=round(found.mean, DIGITS),
        half_width=round(found.half_width, DIGITS),
        cases=round(float(ratio.counts.sum())),
    )

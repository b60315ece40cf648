"""What a player thinks of a position: the value of every legal action, with its error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from terz_env.state import State

UNITS = {"terz": "points", "tetka": "marks"}


@dataclass(frozen=True)
class ActionValue:
    """What was found of an action.

    Attributes:
        action: Its name.
        value: The mean result; NaN where it was never tried.
        error: The standard error of the mean: 0 where the value is exact, NaN where the action was
            tried less than twice.
        worlds: How often it was tried; 0 where the value is exact.
    """

    action: str
    value: float
    error: float
    worlds: int


@dataclass(frozen=True)
class Analysis:
    """What was found of a position.

    Attributes:
        to_act: The seat to act.
        unit: "points": card points and melds still to come, own less the other's, unrounded, the
            more the better. "marks": own marks still to come, the fewer the better.
        is_exact: The values are those of perfect play with all cards known.
        values: Every legal action, in the order of the action numbers.
        best: The action that the player chooses.
    """

    to_act: int
    unit: str
    is_exact: bool
    values: tuple[ActionValue, ...]
    best: str

    @classmethod
    def of(
        cls,
        state: State,
        means: NDArray[np.float64],
        errors: NDArray[np.float64],
        tries: NDArray[np.int64],
        best: int,
    ) -> Self:
        """Return what a search found: mean results, their errors and tries ``(A,)``."""
        names = state.game.actions
        values = tuple(
            ActionValue(names[a], float(means[a]), float(errors[a]), int(tries[a]))
            for a in state.legal_actions()
        )
        return cls(state.seat_to_act, UNITS[state.game.family], False, values, names[best])

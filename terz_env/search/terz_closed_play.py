"""Terz: exact values of the actions in the closed phase, for many positions at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.state import (
    N_ACTIONS,
    RULES,
    TABLE,
    TALON_TRICKS,
    TRICK,
    seat_to_act,
)
from terz_env.kernel import kernel
from terz_env.search import terz_hands, terz_objectives, terz_open
from terz_env.search.terz_equity import Equity, set_equity
from terz_env.search.terz_hands import Workspace

TABLE_BITS = 14
"""Enough for the announcements of trick 8, the only ones that are searched here."""
UNLIMITED = 1 << 60
"""An argument of the kernels: as a constant in them it would compile the search a second time."""


@kernel
def _solve_rows(
    states: NDArray[np.int64],
    plan: Workspace,
    rows: Workspace,
    work: Workspace,
    table: Workspace,
    values: NDArray[np.int64],
    limit: int,
) -> None:
    for row in range(states.shape[0]):
        terz_open.solve_actions(plan, rows, work, table, states[row], values[row], limit)
        if seat_to_act(states[row]):
            for action in range(values.shape[1]):
                values[row, action] = -values[row, action]


@kernel
def _worth_rows(
    states: NDArray[np.int64],
    seat: int,
    plan: Workspace,
    rows: Workspace,
    work: Workspace,
    table: Workspace,
    worths: NDArray[np.float64],
    limit: int,
) -> None:
    for row in range(states.shape[0]):
        value = terz_open.solve(plan, rows, work, table, states[row], limit)
        worths[row] = -value if seat else value


def in_closed_phase(states: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tells of each position (N, W) whether it is in the closed phase: both hands are known."""
    tricks = (states[:, TABLE] >> TRICK) & 31
    closed: NDArray[np.bool_] = tricks >= (states[:, RULES] >> TALON_TRICKS) & 15
    return closed


class ClosedPlay:
    """Solves positions of the closed phase; keeps its tables from call to call."""

    def __init__(
        self, equity: Equity | None = None, objective: int = terz_objectives.POINTS_TO_COME
    ) -> None:
        """Allocates the tables.

        Args:
            equity: Values are equity by this table; None for points.
            objective: Of points: `POINTS_TO_COME`, or `RECORDED`, the difference of the whole deal.

        Raises:
            PositionError: the table has a wrong shape or holds what is no equity.
        """
        self._plan = terz_open.workspace(TABLE_BITS)
        self._plan[terz_objectives.OBJECTIVE] = objective
        self._rows = terz_open.states()
        self._work = np.zeros(terz_hands.WORKSPACE, dtype=np.int64)
        self._table = np.zeros(1, dtype=np.int64)
        if equity is not None:
            self._table = set_equity(self._plan, equity)

    def values(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the value of the legal actions (N, A) for the seats to act.

        Points are own less the other's; equity is in units of 1 / `terz_objectives.WON`.
        """
        values = np.zeros((len(states), N_ACTIONS), dtype=np.int64)
        tables = (self._plan, self._rows, self._work, self._table)
        _solve_rows(np.ascontiguousarray(states), *tables, values, UNLIMITED)
        return values

    def worths(self, states: NDArray[np.int64], seat: int) -> NDArray[np.float64]:
        """Returns the points still to come of positions (N,), a seat's less the other's."""
        worths = np.zeros(len(states))
        tables = (self._plan, self._rows, self._work, self._table)
        _worth_rows(np.ascontiguousarray(states), seat, *tables, worths, UNLIMITED)
        return worths

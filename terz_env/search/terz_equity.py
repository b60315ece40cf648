"""Terz: tables of equity, what the final totals of a deal are worth for a match."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from terz_env.errors import PositionError
from terz_env.search import terz_objectives
from terz_env.search.terz_hands import Workspace

Equity = ArrayLike | Callable[[int, int], float]
"""Seat 0's worth, -1 … 1, of final totals: a square table, one for each dealer of the next deal,
or a function of both totals."""

COARSE, FINE = 51, 501
"""Edges of a table of equity: totals 0 to 500 in tens, or one by one."""


def set_equity(plan: Workspace, equity: Equity) -> Workspace:
    """Lets the plan of a search aim at equity; returns the table as the search wants it.

    Raises:
        PositionError: the table has a wrong shape or holds what is no equity.
    """
    table = equity_table(equity)
    edge = table.shape[-1]
    plan[terz_objectives.OBJECTIVE] = terz_objectives.EQUITY
    plan[terz_objectives.DEALERS] = table.ndim - 1
    plan[terz_objectives.EDGE] = edge
    plan[terz_objectives.UNIT] = 10 if edge == COARSE else 1
    return (table * terz_objectives.WON).round().astype(np.int64).ravel()


def equity_table(equity: Equity) -> NDArray[np.float64]:
    """Returns one or two square tables of equity; raises PositionError for another shape."""
    if callable(equity):
        totals = range(FINE)
        equity = [[equity(own, other) for other in totals] for own in totals]
    table = np.asarray(equity, dtype=np.float64)
    squares = {(COARSE, COARSE), (FINE, FINE)}
    if table.shape not in squares | {(2, *square) for square in squares}:
        raise PositionError(
            f"a table of equity of shape {table.shape}; use {COARSE}×{COARSE} (tens) or "
            f"{FINE}×{FINE} (points), or two of them, one for each dealer of the next deal"
        )
    if not (np.abs(table) <= 1).all():
        raise PositionError("equity is between -1, a lost match, and 1, a won one")
    return table

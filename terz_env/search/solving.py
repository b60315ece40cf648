"""Exact values of positions with all cards known: the faces of the solvers on `State`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from terz_env.errors import PositionError, SearchLimitError
from terz_env.games.terz.state import N_ACTIONS as TERZ_ACTIONS
from terz_env.games.tetka.state import N_CARDS as TETKA_CARDS
from terz_env.games.tetka.state import N_WORDS as TETKA_WORDS
from terz_env.search import terz_hands, terz_objectives, terz_open, tetka_position
from terz_env.search import tetka_double_dummy as tetka
from terz_env.search.terz_equity import Equity, set_equity
from terz_env.state import State

OBJECTIVES = {"points": terz_objectives.POINTS_TO_COME, "recorded": terz_objectives.RECORDED}
MODELS = ("paranoid", "teams")
TERZ_TABLE_BITS, TETKA_TABLE_BITS = 18, 20
UNLIMITED = 1 << 60
FIRST_SLICE = 1 << 14
"""Nodes of the first attempt under a time limit."""


@dataclass(frozen=True)
class Solution:
    """What perfect play with all cards known comes to, for the seat to act.

    `values` holds each legal action. In Terz they are the objective, own less the other's, and the
    more the better; in Tetka marks still to come to the seat or its team, and the fewer the better.
    """

    to_act: int
    unit: str
    values: Mapping[str, float]
    best: str

    @property
    def value(self) -> float:
        """The value of the position: that of the best action."""
        return self.values[self.best]


@dataclass(frozen=True, kw_only=True)
class Limit:
    """How long a search may take; None is no limit.

    Attributes:
        nodes: Positions that may be looked at.
        seconds: Time after which the search gives up; it may overrun by about half.
    """

    nodes: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Refuses limits that leave no room for a search."""
        for name, given in (("nodes", self.nodes), ("seconds", self.seconds)):
            if given is not None and not given > 0:
                raise SearchLimitError(f"a limit of {given} {name} leaves nothing to search")

    def run(self, search: Callable[[int], int], unfinished: int) -> int:
        """Returns what a search returns that takes a number of nodes and may be repeated.

        Raises:
            SearchLimitError: It did not finish.
        """
        most = UNLIMITED if self.nodes is None else self.nodes
        start = time.perf_counter()
        nodes = most if self.seconds is None else min(most, FIRST_SLICE)
        while (value := search(nodes)) == unfinished:
            spent = time.perf_counter() - start
            if nodes == most:
                raise SearchLimitError(f"not finished after {most:,} nodes; allow more")
            assert self.seconds is not None
            if spent >= self.seconds:
                raise SearchLimitError(f"not finished after {self.seconds} seconds; allow more")
            affordable = int(nodes / spent * (self.seconds - spent))
            nodes = min(most, max(nodes, min(2 * nodes, affordable)))
        return value


class TerzSolver:
    """Solves positions of Terz and its small relatives; keeps its tables from call to call."""

    def __init__(self, table_bits: int = TERZ_TABLE_BITS) -> None:
        """Allocates the tables, 2 ** `table_bits` entries for the tricks before the closed ones."""
        self._plan = terz_open.workspace(table_bits)
        self._rows = terz_open.states()
        self._work = np.zeros(terz_hands.WORKSPACE, dtype=np.int64)
        self._table = np.zeros(1, dtype=np.int64)

    def value(
        self,
        state: State,
        objective: str = "points",
        equity: Equity | None = None,
        limit: Limit | None = None,
    ) -> float:
        """Returns the value of a position for the seat to act (see `solve`)."""
        self._aim(state, objective, equity)

        def search(nodes: int) -> int:
            arrays = (self._plan, self._rows, self._work, self._table)
            return int(terz_open.solve(*arrays, state.words, nodes))

        value = (limit or Limit()).run(search, terz_open.UNFINISHED)
        return self._for_seat(state, value)

    def solve(
        self,
        state: State,
        objective: str = "points",
        equity: Equity | None = None,
        limit: Limit | None = None,
    ) -> Solution:
        """Returns the value of every legal action for the seat to act.

        Args:
            state: A position whose deal is not over.
            objective: `points`, card points and melds still to come, unrounded, the deal played
                out; `recorded`, the difference that the deal records, rounded (Rule T23).
            equity: Instead of an objective, the worth of the final totals (see `Equity`); in scope
                `match` a total at the target is worth 1 or -1 (Rule T24).
            limit: When to give up.

        Raises:
            PositionError: The position is over or of another game, or the table has a wrong shape.
            SearchLimitError: The search did not finish within its limit.
        """
        self._aim(state, objective, equity)
        values = np.zeros(TERZ_ACTIONS, dtype=np.int64)

        def search(nodes: int) -> int:
            arrays = (self._plan, self._rows, self._work, self._table)
            return int(terz_open.solve_actions(*arrays, state.words, values, nodes))

        (limit or Limit()).run(search, terz_open.UNFINISHED)
        found = {
            state.game.actions[action]: self._for_seat(
                state, int(values[state.game.engine_actions[action]])
            )
            for action in state.legal_actions()
        }
        unit = "points" if equity is None else "equity"
        return Solution(state.seat_to_act, unit, found, max(found, key=found.__getitem__))

    def _aim(self, state: State, objective: str, equity: Equity | None) -> None:
        """Checks what is asked and sets the objective."""
        _check(state, "terz")
        if objective not in OBJECTIVES:
            raise PositionError(f"no objective {objective!r}; use {', '.join(OBJECTIVES)}")
        code = OBJECTIVES[objective]
        if equity is not None:
            code = terz_objectives.EQUITY
            self._table = set_equity(self._plan, equity)
        if code == terz_objectives.EQUITY or code != self._plan[terz_objectives.OBJECTIVE]:
            self._plan[terz_objectives.GENERATION] += 1
        self._plan[terz_objectives.OBJECTIVE] = code

    def _for_seat(self, state: State, value: int) -> float:
        """Returns seat 0's value as the value of the seat to act."""
        own = -value if state.seat_to_act == 1 else value
        if self._plan[terz_objectives.OBJECTIVE] == terz_objectives.EQUITY:
            return own / terz_objectives.WON
        return own


class TetkaSolver:
    """Solves positions of Tetka and its small relative."""

    def __init__(self, table_bits: int = TETKA_TABLE_BITS) -> None:
        """Allocates the table, 2 ** `table_bits` entries of 16 bytes."""
        self._work = tetka_position.workspace(table_bits)
        self._child = np.zeros(TETKA_WORDS, dtype=np.int64)

    def value(self, state: State, model: str = "paranoid", limit: Limit | None = None) -> int:
        """Returns the marks still to come to the seat to act, or to its team."""
        side = _side(state, model)
        tetka.forget(self._work)

        def search(nodes: int) -> int:
            return int(tetka.side_marks(self._work, state.words, side, nodes))

        return (limit or Limit()).run(search, tetka.UNFINISHED)

    def solve(self, state: State, model: str = "paranoid", limit: Limit | None = None) -> Solution:
        """Returns the marks still to come after every legal card.

        Args:
            state: A position whose deal is not over.
            model: `paranoid`, the seat to act against the other three; `teams`, seats 0 and 2
                against 1 and 3, the marks of the team counted.
            limit: When to give up.

        Raises:
            PositionError: The position is over or of another game, or there is no such model.
            SearchLimitError: The search did not finish within its limit.
        """
        side = _side(state, model)
        tetka.forget(self._work)
        values = np.zeros(TETKA_CARDS, dtype=np.int64)

        def search(nodes: int) -> int:
            arrays = (self._work, state.words, self._child)
            return int(tetka.action_marks(*arrays, side, values, nodes))

        (limit or Limit()).run(search, tetka.UNFINISHED)
        found = {
            state.game.actions[action]: int(values[state.game.engine_actions[action]])
            for action in state.legal_actions()
        }
        return Solution(state.seat_to_act, "marks", found, min(found, key=found.__getitem__))


def solve(state: State, *, model: str = "paranoid", limit: Limit | None = None) -> Solution:
    """Returns the exact values of the legal actions of a position of any game."""
    if state.game.family == "terz":
        return TerzSolver().solve(state, limit=limit)
    return TetkaSolver().solve(state, model, limit)


def _check(state: State, family: str) -> None:
    if state.game.family != family:
        raise PositionError(f"a position of {state.game.name}; one of {family} is needed")
    if state.deal_is_over:
        raise PositionError("the deal is over; there is nothing to solve")


def _side(state: State, model: str) -> int:
    """Returns the seats whose marks are counted."""
    _check(state, "tetka")
    if model not in MODELS:
        raise PositionError(f"no model {model!r}; use {' or '.join(MODELS)}")
    seat = state.seat_to_act
    return 1 << seat if model == "paranoid" else 0b0101 << (seat & 1)

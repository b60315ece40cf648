"""Exact play of Terz's closed phase, where both hands are known, for any player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from terz_env.players.analysis import UNITS, ActionValue, Analysis
from terz_env.players.protocol import Decisions, Player, PlayerError, needs_log
from terz_env.ruleset import Option
from terz_env.state import State

if TYPE_CHECKING:
    from terz_env.search.terz_closed_play import ClosedPlay
    from terz_env.search.terz_equity import Equity

SOLVER = "+solver"


class ClosedSolver:
    """Chooses by what perfect play of both sides still brings: card points and melds, or equity."""

    def __init__(self, equity: Equity | None = None) -> None:
        """Allocate the tables when they are first needed."""
        self._equity = equity
        self._play: ClosedPlay | None = None

    def values(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the value of every action ``(N, A)``, −∞ where it is not legal."""
        values = self._tables().values(decisions.states)[:, list(decisions.game.engine_actions)]
        return np.where(decisions.masks != 0, values, -np.inf)

    def _tables(self) -> ClosedPlay:
        if self._play is None:
            from terz_env.search.terz_closed_play import ClosedPlay

            self._play = ClosedPlay(self._equity)
        return self._play

    def act(self, decisions: Decisions) -> NDArray[np.int64]:
        """Return the best action a row, the lowest number among equals."""
        actions: NDArray[np.int64] = self.values(decisions).argmax(axis=1)
        return actions

    def worths(self, states: NDArray[np.int64], seat: int) -> NDArray[np.float64]:
        """Return the points still to come of positions ``(N, W)``, a seat's less the other's."""
        return self._tables().worths(states, seat)

    def decide(self, decisions: Decisions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return an action a row ``(N,)``, and the rows that are left to decide.

        Rows with one legal action and those of the closed phase are decided; the others hold their
        first legal action.
        """
        actions: NDArray[np.int64] = decisions.masks.argmax(axis=1)
        is_free = decisions.masks.sum(axis=1) > 1
        closed = solvable_rows(decisions)
        rows = np.flatnonzero(is_free & closed)
        if len(rows):
            actions[rows] = self.act(decisions.take(rows))
        return actions, np.flatnonzero(is_free & ~closed)

    def analyse(self, state: State) -> Analysis:
        """Return the exact value of every legal action of a position of the closed phase."""
        values = self.values(Decisions.of_state(state))[0]
        names = state.game.actions
        found = [ActionValue(names[a], float(values[a]), 0.0, 0) for a in state.legal_actions()]
        best = names[int(values.argmax())]
        return Analysis(state.seat_to_act, UNITS["terz"], True, tuple(found), best)


def solvable_rows(decisions: Decisions) -> NDArray[np.bool_]:
    """Tell of each decision whether it lies in Terz's closed phase."""
    if decisions.game.family != "terz":
        return np.zeros(len(decisions), dtype=np.bool_)
    from terz_env.search.terz_closed_play import in_closed_phase

    return in_closed_phase(decisions.states)


class SolverPlayer:
    """Plays as another player does, and exactly in the closed phase.

    Attributes:
        name: The other player's name with ``+solver``.
        game: ``terz``.
        needs_log: Whether the other player asks for logs.
        rules: The options of the rule set that the other player was trained under, if any.
        rules_fingerprint: That of the rule set that the other player insists on, if any.
    """

    game: str | None = "terz"

    def __init__(self, player: Player, equity: Equity | None = None) -> None:
        """Take the player of the talon phase.

        Args:
            player: Plays the talon phase.
            equity: What final totals are worth in a match (see `TerzSolver.solve`); the closed
                phase is then played for it. None plays for points.

        Raises:
            PlayerError: If the player does not play Terz.
            PositionError: When the table is first used, if it has a wrong shape.
        """
        if player.game not in (None, "terz"):
            raise PlayerError(
                f"{player.name}{SOLVER}: {player.name} plays {player.game}; the solver plays the "
                "closed phase of terz"
            )
        self.name = f"{player.name}{SOLVER}"
        self.needs_log = needs_log(player)
        self.rules: Mapping[str, Option] | None = getattr(player, "rules", None)
        self.rules_fingerprint: str | None = getattr(player, "rules_fingerprint", None)
        self._player = player
        self._solver = ClosedSolver(equity)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the other player's action, or the exact one, a row (see `Player.act`)."""
        actions: NDArray[np.int64] = decisions.masks.argmax(axis=1)
        closed = solvable_rows(decisions)
        rows = np.flatnonzero(~closed)
        if len(rows):
            actions[rows] = self._player.act(decisions.take(rows), rng)
        rows = np.flatnonzero(closed & (decisions.masks.sum(axis=1) > 1))
        if len(rows):
            actions[rows] = self._solver.act(decisions.take(rows))
        return actions

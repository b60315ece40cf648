"""Search over sampled worlds for many positions at once: the faces of `pimc` and `ismcts`."""

from __future__ import annotations

import time
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games.terz import history
from terz_env.search.ismcts_tree import Tree, new_tree
from terz_env.search.tally import N_COUNTS, SQUARES, TOTAL, TRIES, Tallies

PIMC, ISMCTS = "pimc", "ismcts"
MOST_NODES = 1 << 18
LEAST_NODES = 128
"""Room for the root and every action of it."""
FIRST_SHARE = 8
"""The worlds of the first attempt under a time limit."""
_PLAIN: tuple[Literal["C"], Literal["A"], Literal["W"]] = ("C", "A", "W")


class SampledSearch:
    """Tries the actions of positions of a game in sampled worlds; keeps its room between calls."""

    def __init__(self, game: Game, method: str, who: int, worlds: int | None = None) -> None:
        """Takes the game, the method, the code of the rule player that plays on, and the worlds.

        `worlds` are those of a position; with None, `run` wants a number of seconds.
        """
        self.game = game
        self._who = who
        self._worlds = worlds
        most = MOST_NODES if worlds is None else min(worlds + LEAST_NODES, MOST_NODES)
        self._tree: Tree | None = new_tree(most) if method == ISMCTS else None
        if game.family == "terz":
            from terz_env.search.terz_plan import PLAN_SIZE
        else:
            from terz_env.search.tetka_worlds import PLAN_SIZE
        self._plan = np.zeros(PLAN_SIZE, dtype=np.int64)

    def run(
        self,
        states: NDArray[np.int64],
        logs: NDArray[np.int64] | None,
        streams: NDArray[np.uint64],
        seconds: float = 0.0,
    ) -> Tallies:
        """Returns the tallies (N, N_COUNTS, A) of the game's own actions, for the seats to act.

        The results are those still to come: in Terz points, own less the other's, in Tetka marks.

        Args:
            states: The words of the positions (N, W); nothing hidden is read.
            logs: The logs of the deals (N, L), for Terz; None where there are none.
            streams: A random stream a row (N, 1); they advance.
            seconds: The time a row, without a number of worlds.

        Raises:
            PositionError: no deal agrees with what a seat would know.
        """
        n_engine = 1 + max(self.game.engine_actions)
        tallies = np.zeros((len(states), N_COUNTS, n_engine), dtype=np.int64)
        given = np.require(states, np.int64, _PLAIN)
        kept = np.zeros((0, history.LOG_SIZE), np.int64)
        if logs is not None:
            kept = np.require(logs, np.int64, _PLAIN)
        if self._worlds is not None:
            self._grow(given, kept, self._worlds, streams, tallies, 1)
        else:
            for row in range(len(given)):
                one = slice(row, row + 1)
                self._spend(seconds, given[one], kept[one], streams[one], tallies[one])
        found: Tallies = tallies[:, :, list(self.game.engine_actions)]
        return found

    def _spend(
        self,
        seconds: float,
        states: NDArray[np.int64],
        logs: NDArray[np.int64],
        streams: NDArray[np.uint64],
        tallies: Tallies,
    ) -> None:
        """Searches one position for a time, in shares."""
        start = time.perf_counter()
        share, done = FIRST_SHARE, FIRST_SHARE
        self._grow(states, logs, share, streams, tallies, 1)
        while (spent := time.perf_counter() - start) < seconds:
            affordable = int(done / spent * (seconds - spent) / 2)
            share = max(1, min(2 * share, affordable))
            self._grow(states, logs, share, streams, tallies, 0)
            done += share

    def _grow(
        self,
        states: NDArray[np.int64],
        logs: NDArray[np.int64],
        worlds: int,
        streams: NDArray[np.uint64],
        tallies: Tallies,
        afresh: int,
    ) -> None:
        """Adds so many worlds of every position to the tallies."""
        if self.game.family == "terz":
            from terz_env.search import ismcts_terz, pimc_terz

            found = (states, logs, worlds, self._who, streams, tallies, self._plan)
            if self._tree is None:
                pimc_terz.add_worlds(*found)
            else:
                ismcts_terz.grow_trees(*found, self._tree, afresh)
            return
        from terz_env.search import ismcts_tetka, pimc_tetka

        given = (states, worlds, self._who, streams, tallies, self._plan)
        if self._tree is None:
            row = pimc_tetka.add_worlds(*given)
        else:
            row = ismcts_tetka.grow_trees(*given, self._tree, afresh)
        if row != pimc_tetka.ALL_ROWS:
            raise PositionError(f"row {row}: no deal agrees with what the seat to act would know")


def means(tallies: Tallies) -> NDArray[np.float64]:
    """Returns the mean result of every action (N, A); NaN where it was never tried."""
    tries = tallies[:, TRIES].astype(np.float64)
    return np.divide(tallies[:, TOTAL], tries, out=np.full(tries.shape, np.nan), where=tries > 0)


def standard_errors(tallies: Tallies) -> NDArray[np.float64]:
    """Returns the standard error of every mean (N, A); NaN where it was tried less than twice."""
    tries = tallies[:, TRIES].astype(np.float64)
    spread = tallies[:, SQUARES] * tries - tallies[:, TOTAL].astype(np.float64) ** 2
    degrees = tries * tries * (tries - 1)
    mean_square = np.divide(spread, degrees, out=np.full(tries.shape, np.nan), where=tries > 1)
    return np.sqrt(mean_square)


def choose(tallies: Tallies, method: str, *, fewer_is_better: bool) -> NDArray[np.int64]:
    """Returns the action of every row (N,), the lowest number among equals.

    Of `pimc` it is the best mean, of `ismcts` the action tried most, among equals the best mean.
    """
    tries = tallies[:, TRIES]
    sign = -1.0 if fewer_is_better else 1.0
    worth = np.where(tries > 0, sign * means(tallies), -np.inf)
    if method == ISMCTS:
        worth = np.where(tries == tries.max(axis=1, keepdims=True), worth, -np.inf)
    chosen: NDArray[np.int64] = worth.argmax(axis=1)
    return chosen

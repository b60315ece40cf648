"""Terz: many lines of play side by side, whose choices somebody outside the kernels makes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.rules import step
from terz_env.games.terz.state import ANY_BREAK, LEGAL, N_WORDS, is_deal_over
from terz_env.kernel import kernel, lowest, row_of
from terz_env.search.pimc_terz import finish_deal, lead_of
from terz_env.search.replay_terz import TerzPast
from terz_env.search.terz_beliefs import gather_beliefs, imagine
from terz_env.search.terz_plan import PLAN_SIZE, TOTAL, Plan


@kernel
def play_rows(states: NDArray[np.int64], actions: NDArray[np.int64], on: bool) -> None:
    """Plays an action (B,) in every row; with `on` also what follows without a choice."""
    for row in range(states.shape[0]):
        state = row_of(states, row)
        step(state, actions[row])
        while on and not is_deal_over(state):
            legal = state[LEGAL]
            if legal & (legal - 1) != 0 or legal >> ANY_BREAK:
                break
            step(state, lowest(legal))


@kernel
def finish_rows(states: NDArray[np.int64], who: int, stream: NDArray[np.uint64]) -> None:
    """Plays every row to the end of its deal with the same rule player in both seats."""
    for row in range(states.shape[0]):
        finish_deal(states[row], who, stream)


@kernel
def standings(states: NDArray[np.int64], seat: int, out: NDArray[np.float64]) -> None:
    """Writes a seat's points of the deal so far, unrounded, less the other's, of each row (B,)."""
    for row in range(states.shape[0]):
        out[row] = lead_of(states[row], seat)


@kernel
def imagine_rows(
    state: NDArray[np.int64],
    seat: int,
    logs: NDArray[np.int64],
    row: int,
    stream: NDArray[np.uint64],
    plan: Plan,
    out: NDArray[np.int64],
) -> bool:
    """Writes worlds of a position (N, W); tells whether they agree with a row of the logs (M, L).

    Otherwise the unseen cards are dealt without proofs (see `imagine`).
    """
    gather_beliefs(state, seat, logs, row, plan)
    for place in range(out.shape[0]):
        imagine(state, seat, plan, stream, out[place])
    return plan[TOTAL] != 0


class Imagination:
    """Draws worlds of a position; keeps its room between calls."""

    def __init__(self) -> None:
        """Allocates the room."""
        self._plan = np.zeros(PLAN_SIZE, dtype=np.int64)

    def draw(
        self,
        state: NDArray[np.int64],
        seat: int,
        log: NDArray[np.int64],
        stream: NDArray[np.uint64],
        count: int,
    ) -> tuple[NDArray[np.int64], TerzPast | None]:
        """Returns uniform worlds (N, W) of what a seat knows, and their past.

        A log without words, or one of other play, is none: then the past is unknown.
        """
        worlds = np.zeros((count, N_WORDS), dtype=np.int64)
        logs = log[None] if len(log) else np.zeros((0, 0), dtype=np.int64)
        if imagine_rows(state, seat, logs, 0, stream, self._plan, worlds):
            return worlds, TerzPast(state, worlds, seat, log)
        return worlds, None

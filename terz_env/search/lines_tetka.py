"""Tetka: many lines of play side by side, whose choices somebody outside the kernels makes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.errors import PositionError
from terz_env.games.tetka.past import LEADERS as FIRST_LEADER
from terz_env.games.tetka.past import NO_CARD, PAST_SIZE, lay_tricks
from terz_env.games.tetka.rules import legal_actions, start_deal, step
from terz_env.games.tetka.state import (
    ALL_CARDS,
    DEALER,
    HAND,
    N_CARDS,
    N_SEATS,
    N_WORDS,
    PHOTO,
    PLAYED,
    TABLE,
    get,
    is_deal_over,
    marks_of,
)
from terz_env.kernel import kernel, lowest, row_of
from terz_env.search.pimc_tetka import finish_deal
from terz_env.search.tetka_worlds import PLAN_SIZE, draw_worlds, prepare_worlds


@kernel
def play_rows(states: NDArray[np.int64], actions: NDArray[np.int64], on: bool) -> None:
    """Plays an action (B,) in every row; with `on` also what follows without a choice."""
    for row in range(states.shape[0]):
        state = row_of(states, row)
        step(state, actions[row])
        while on and not is_deal_over(state):
            legal = legal_actions(state)
            if legal & (legal - 1) != 0:
                break
            step(state, lowest(legal))


@kernel
def finish_rows(states: NDArray[np.int64], who: int, stream: NDArray[np.uint64]) -> None:
    """Plays every row to the end of its deal with the same rule player in all seats."""
    for row in range(states.shape[0]):
        finish_deal(states[row], who, stream)


@kernel
def standings(states: NDArray[np.int64], seat: int, out: NDArray[np.float64]) -> None:
    """Writes the marks that a seat has been given in every row (B,)."""
    for row in range(states.shape[0]):
        out[row] = marks_of(states[row], seat)


@kernel
def rewind(worlds: NDArray[np.int64], starts: NDArray[np.int64], plays: NDArray[np.int64]) -> int:
    """Writes the beginning of every world's deal, and the cards played since.

    Args:
        worlds: Worlds of one position (N, W).
        starts: Receives the positions before the first card (N, W).
        plays: Receives the cards in the order of play (52,), the same in all worlds.

    Returns:
        How many cards were played.
    """
    past = np.empty(PAST_SIZE, np.int64)
    lay_tricks(worlds[0], past)
    played = 0
    for trick in range(N_CARDS // N_SEATS):
        leader = past[FIRST_LEADER + trick]
        for turn in range(N_SEATS):
            card = NO_CARD if leader == NO_CARD else past[4 * trick + ((leader + turn) & 3)]
            if card != NO_CARD:
                plays[played] = card
                played += 1
    for row in range(worlds.shape[0]):
        start = row_of(starts, row)
        for word in range(N_WORDS):
            start[word] = worlds[row, word]
        for seat in range(N_SEATS):
            start[HAND + seat] |= start[PLAYED + seat] & ALL_CARDS
        start_deal(start, get(start, TABLE, DEALER, 3), get(start, TABLE, PHOTO, 63))
    return played


class TetkaPast:
    """What has been played since the deal, to be played again in each of N worlds."""

    def __init__(self, worlds: NDArray[np.int64]) -> None:
        """Takes worlds of one position (N, W)."""
        self.starts = np.zeros_like(worlds)
        plays = np.zeros(N_CARDS, dtype=np.int64)
        self._plays = plays[: rewind(worlds, self.starts, plays)]

    def __len__(self) -> int:
        """Returns the number of plays."""
        return len(self._plays)

    def fitting(self, number: int, states: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Returns which actions look like play `number` in each world (N, A): the card alone."""
        fits = np.zeros((len(states), N_CARDS), dtype=np.bool_)
        fits[:, self._plays[number]] = True
        return fits


class Imagination:
    """Draws worlds of a position; keeps its room between calls."""

    def __init__(self) -> None:
        """Allocates the room."""
        self._plan = np.zeros(PLAN_SIZE, dtype=np.int64)

    def draw(
        self,
        state: NDArray[np.int64],
        seat: int,
        log: NDArray[np.int64] | None,
        stream: NDArray[np.uint64],
        count: int,
    ) -> tuple[NDArray[np.int64], TetkaPast]:
        """Returns uniform worlds (N, W) of what a seat knows, and their past.

        Raises:
            PositionError: no deal agrees with what the seat would know.
        """
        if prepare_worlds(state, seat, self._plan) == 0:
            raise PositionError(f"no deal agrees with what seat_{seat} would know")
        worlds = np.zeros((count, N_WORDS), dtype=np.int64)
        draw_worlds(state, seat, self._plan, stream, worlds)
        return worlds, TetkaPast(worlds)

"""Many lines of play side by side: what the seats to act see, and lines played out by a policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from terz_env.game import Game

PlayRows = Callable[[NDArray[np.int64], NDArray[np.int64], bool], None]
Choose = Callable[[NDArray[np.uint64], NDArray[np.int8]], NDArray[np.int64]]
"""Gives an action a row (N,) for packed observations (N, n_words) and masks (N, A)."""


@dataclass(frozen=True)
class Sight:
    """What the seats to act see of N positions.

    Attributes:
        seats: (N,) the seats to act; meaningless where a deal is over.
        masks: (N, A) their legal actions; none where a deal is over.
        bits: (N, n_words) what they see.
    """

    seats: NDArray[np.int64]
    masks: NDArray[np.int8]
    bits: NDArray[np.uint64]

    def take(self, rows: NDArray[np.int64]) -> Sight:
        """Returns some of the rows, as copies."""
        return Sight(self.seats[rows], self.masks[rows], self.bits[rows])


Value = Callable[[NDArray[np.int64], Sight, int], NDArray[np.float64]]
"""Gives what lines are worth that end here (N,), NaN for those that go on.

It is told the positions, what is seen, and how many choices have been made in each line.
"""


def look(game: Game, states: NDArray[np.int64]) -> Sight:
    """Returns what the seats to act see of positions (N, W)."""
    n_words = game.layout.n_words
    seats, legal = np.zeros((2, len(states)), dtype=np.int64)
    masks = np.zeros((len(states), game.n_actions), dtype=np.int8)
    words = np.zeros((len(states), n_words), dtype=np.int64)
    padded = np.zeros((0, 64 * n_words), dtype=np.uint8)
    game.kernels.describe_batch(states, seats, legal, masks, words, padded)
    return Sight(seats, masks, words.view(np.uint64))


def kernels_of(game: Game) -> ModuleType:
    """Returns the module with the kernels for lines of a game."""
    if game.family == "terz":
        from terz_env.search import lines_terz

        return lines_terz
    from terz_env.search import lines_tetka

    return lines_tetka


def branches(worlds: NDArray[np.int64], actions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns a copy of each world for each action (N · K, W), the actions of a world together."""
    return np.repeat(worlds, len(actions), axis=0)


def play_out(
    game: Game,
    lines: NDArray[np.int64],
    choose: Choose,
    value: Value,
) -> NDArray[np.float64]:
    """Plays lines (B, W) on, in place, all with a choice at the same time.

    Args:
        game: The game.
        lines: The positions.
        choose: Chooses for the seats to act.
        value: Says before every choice what lines are worth that end there.

    Returns:
        What the lines are worth (B,); NaN for those that were played to the end of the deal.
    """
    play_rows: PlayRows = kernels_of(game).play_rows
    worths = np.full(len(lines), np.nan)
    rows, depth = np.arange(len(lines)), 0
    while True:
        states = lines[rows]
        seen = look(game, states)
        going = np.flatnonzero(seen.masks.any(axis=1))
        rows, states, seen = rows[going], states[going], seen.take(going)
        worths[rows] = value(states, seen, depth)
        going = np.flatnonzero(np.isnan(worths[rows]))
        if not len(going):
            return worths
        rows, states, seen = rows[going], states[going], seen.take(going)
        play_rows(states, choose(seen.bits, seen.masks), True)
        lines[rows] = states
        depth += 1

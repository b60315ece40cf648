"""Counts lines of play from a position, as perft does in chess."""

from __future__ import annotations

import numpy as np

from terz_env.cli.playing import seat_players, seated
from terz_env.errors import PositionError
from terz_env.position import Position
from terz_env.state import Rules, State

BUDGET = 2_000_000
"""Actions played between two chances to interrupt the count."""


def position(game: str, rules: Rules, seed: int, step: int) -> State:
    """Returns the first deal of a seed after `step` actions of the player `random`.

    They are those of the first game that `terz record` writes; the automatic break is not counted.

    Raises:
        PositionError: The deal is over before.
    """
    state = State.new(game, rules, seed=seed)
    choose = seated(seat_players(game, []), seed, 0)
    for played in range(step):
        if state.deal_is_over:
            raise PositionError(f"the deal is over after {played} actions; step={step}")
        state.apply(choose(state))
    return state


def count_lines(start: Position, depth: int, budget: int = BUDGET) -> tuple[int, int]:
    """Returns the number of lines of `depth` actions, or fewer where the deal ends, and of ends."""
    if start.deal_is_over:
        return 1, 1
    if depth == 0:
        return 1, 0
    stack = np.zeros((depth + 1, len(start.words)), dtype=np.int64)
    stack[0] = start.words
    untried = np.zeros(depth + 1, dtype=np.int64)
    tally = np.array([-1, 0, 0], dtype=np.int64)
    while start.game.count_lines(stack, untried, tally, budget):
        pass
    return int(tally[1]), int(tally[2])

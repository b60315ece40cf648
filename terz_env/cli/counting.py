"""Counts lines of play from a position, as perft does in chess."""

from __future__ import annotations

from terz_env.cli.playing import seat_players, seated
from terz_env.errors import PositionError
from terz_env.state import Rules, State


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


def count_lines(state: State, depth: int) -> tuple[int, int]:
    """Returns the number of lines of `depth` actions, or fewer where the deal ends, and of ends."""
    if state.deal_is_over:
        return 1, 1
    if depth == 0:
        return 1, 0
    lines = ends = 0
    for action in state.legal_actions():
        state.apply(action)
        more, ended = count_lines(state, depth - 1)
        state.undo()
        lines += more
        ends += ended
    return lines, ends

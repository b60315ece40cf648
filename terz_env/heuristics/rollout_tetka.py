"""Tetka: deals played to their end by rule players, inside one kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.batch import sample_action
from terz_env.games.tetka.rules import result, step
from terz_env.games.tetka.state import N_SEATS, State, is_deal_over, marks_of, seat_to_act
from terz_env.heuristics.action_values import action_values
from terz_env.heuristics.codes import ALWAYS, GREEDY, HEURISTIC, RANDOM
from terz_env.heuristics.greedy_tetka import greedy_action
from terz_env.heuristics.heuristic_tetka import heuristic_action
from terz_env.kernel import inline, kernel
from terz_env.rng import random_below


@inline
def choose(state: State, who: int, stream: NDArray[np.uint64]) -> int:
    """Returns the action of a rule player for the seat to act."""
    if who == GREEDY:
        return greedy_action(state)
    if who == HEURISTIC:
        return heuristic_action(state)
    return sample_action(state, stream)


@kernel
def play_out_deals(
    states: NDArray[np.int64],
    seating: NDArray[np.int64],
    chance: int,
    streams: NDArray[np.uint64],
    results: NDArray[np.int64],
) -> None:
    """Plays every deal to its end, in place; a uniform action has `chance` in `ALWAYS`.

    Writes `results` (B, P), the marks of each seat (Rule K4). `seating` (P,) says who plays each
    seat; `streams` (B, 1) are the rows' own random streams.
    """
    for row in range(states.shape[0]):
        state = states[row]
        stream = streams[row]
        while not is_deal_over(state):
            who = seating[seat_to_act(state)]
            if chance > 0 and random_below(stream, ALWAYS) < chance:
                who = RANDOM
            step(state, choose(state, who, stream))
        for seat in range(N_SEATS):
            results[row, seat] = marks_of(state, seat)


@kernel
def value_actions(
    states: NDArray[np.int64],
    masks: NDArray[np.int8],
    who: int,
    chance: int,
    streams: NDArray[np.uint64],
    values: NDArray[np.float32],
) -> None:
    """Writes what the seat to act receives after each legal action (see `action_values`)."""
    action_values(
        states,
        masks,
        who,
        chance,
        streams,
        values,
        seat_to_act,
        is_deal_over,
        step,
        choose,
        result,
    )

"""Terz: deals played to their end by rule players, inside one kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.batch import sample_action
from terz_env.games.terz.rules import step
from terz_env.games.terz.scoring import deal_points, result
from terz_env.games.terz.state import (
    BREAK_PENDING,
    TABLE,
    State,
    get,
    is_deal_over,
    seat_to_act,
)
from terz_env.heuristics.action_values import action_values
from terz_env.heuristics.announcing import NOTHING, next_announcement
from terz_env.heuristics.codes import ALWAYS, ANNOUNCING, GREEDY, HEURISTIC, RANDOM
from terz_env.heuristics.greedy_terz import greedy_action
from terz_env.heuristics.heuristic_terz import heuristic_action
from terz_env.kernel import inline, kernel
from terz_env.rng import random_below


@inline
def choose(state: State, who: int, stream: NDArray[np.uint64]) -> int:
    """Returns the action of a rule player for the seat to act."""
    if who == GREEDY:
        return greedy_action(state)
    if who == HEURISTIC:
        return heuristic_action(state)
    if who == ANNOUNCING and not get(state, TABLE, BREAK_PENDING, 1):
        named = next_announcement(state)
        if named != NOTHING:
            return named
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

    Writes `results` (B, P), the difference of the deal's points (Rule T23). `seating` (P,) says
    who plays each seat; `streams` (B, 1) are the rows' own random streams.
    """
    for row in range(states.shape[0]):
        state = states[row]
        stream = streams[row]
        while not is_deal_over(state):
            who = seating[seat_to_act(state)]
            if chance > 0 and random_below(stream, ALWAYS) < chance:
                who = RANDOM
            step(state, choose(state, who, stream))
        lead = deal_points(state, 0) - deal_points(state, 1)
        results[row, 0] = lead
        results[row, 1] = -lead


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

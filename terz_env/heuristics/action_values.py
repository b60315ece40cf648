"""What every legal action is worth when rule players play on from it: the loop of both games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env.heuristics.codes import ALWAYS, RANDOM
from terz_env.kernel import inline, row_of
from terz_env.rng import random_below

Rule = Callable[..., Any]
"""An inlined function of one of the games."""


@inline
def action_values(
    states: NDArray[np.int64],
    masks: NDArray[np.int8],
    who: int,
    chance: int,
    streams: NDArray[np.uint64],
    values: NDArray[np.float32],
    seat_to_act: Rule,
    is_deal_over: Rule,
    step: Rule,
    choose: Rule,
    result: Rule,
) -> None:
    """Writes the result of one deal played on after each legal action, in the true world.

    All actions of a row are followed by the same chance.

    Args:
        states: Positions (B, N_WORDS), none of them over.
        masks: The legal actions of the seats to act (B, A).
        who: The rule player that has every seat.
        chance: A uniform action is played instead with this chance in `ALWAYS`.
        streams: The chance of the rows (B, 1), advanced.
        values: What the seat to act receives (B, A), written where an action is legal.
        seat_to_act: Gives the seat to act.
        is_deal_over: Tells whether the deal is over.
        step: Plays an action: (state, action).
        choose: Gives a rule player's action: (state, code, stream).
        result: Gives what a seat receives at the end of the deal: (state, seat).
    """
    played = np.empty(states.shape[1], np.int64)
    stream = np.empty(1, np.uint64)
    for row in range(states.shape[0]):
        state = row_of(states, row)
        seat = seat_to_act(state)
        last = streams[row, 0]
        for action in range(masks.shape[1]):
            if masks[row, action] == 0:
                continue
            for word in range(played.shape[0]):
                played[word] = state[word]
            stream[0] = streams[row, 0]
            step(played, action)
            while not is_deal_over(played):
                code = who
                if chance > 0 and random_below(stream, ALWAYS) < chance:
                    code = RANDOM
                step(played, choose(played, code, stream))
            values[row, action] = result(played, seat)
            last = stream[0]
        streams[row, 0] = last

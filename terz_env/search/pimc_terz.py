"""Terz: the points that each action is worth on average, over sampled worlds played out by rules.

Announcements, the exchange of the seven and the break are actions like the cards.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.rules import play_lawful
from terz_env.games.terz.scoring import points_so_far
from terz_env.games.terz.state import (
    BREAK,
    BREAK_PENDING,
    LEGAL,
    N_WORDS,
    TABLE,
    State,
    get,
    is_deal_over,
    seat_to_act,
)
from terz_env.heuristics.rollout_terz import choose
from terz_env.kernel import inline, kernel, lowest
from terz_env.search.tally import Tallies, count_result
from terz_env.search.terz_beliefs import gather_beliefs, imagine
from terz_env.search.terz_plan import Plan

_ALL_BREAKS = (1 << 12) - 1


@inline
def copy_state(source: State, target: State) -> None:
    """Copies the words of a position."""
    for word in range(N_WORDS):
        target[word] = source[word]


@inline
def first_move(state: State) -> int:
    """Returns the action that bit 0 of `moves_of` stands for: a break's while one is pending."""
    return BREAK if get(state, TABLE, BREAK_PENDING, 1) else 0


@inline
def moves_of(state: State) -> int:
    """Returns the legal actions as a set, counted from `first_move`."""
    return _ALL_BREAKS if get(state, TABLE, BREAK_PENDING, 1) else state[LEGAL]


@inline
def lead_of(state: State, seat: int) -> int:
    """Returns a seat's points of the deal so far, unrounded, less the other's."""
    return points_so_far(state, seat) - points_so_far(state, 1 - seat)


@kernel
def finish_deal(state: State, who: int, stream: NDArray[np.uint64]) -> None:
    """Plays a deal to its end with the same rule player in both seats."""
    while not is_deal_over(state):
        play_lawful(state, choose(state, who, stream))


@kernel
def add_worlds(
    states: NDArray[np.int64],
    logs: NDArray[np.int64],
    worlds: int,
    who: int,
    streams: NDArray[np.uint64],
    tallies: Tallies,
    plan: Plan,
) -> None:
    """Tries every legal action in the same sampled worlds, for the seat to act of every row.

    Args:
        states: The positions (N, W); of the hidden cards nothing is read.
        logs: The logs of the deals (N, L), or no rows where there are none.
        worlds: Worlds a row.
        who: The rule player that plays on in both seats, by its code.
        streams: The rows' own random streams (N, 1); they advance.
        tallies: Receives the points still to come, own less the other's (N, N_COUNTS, A).
        plan: Room for the sampler (PLAN_SIZE,).
    """
    world = np.zeros(N_WORDS, np.int64)
    line = np.zeros(N_WORDS, np.int64)
    for row in range(states.shape[0]):
        state = states[row]
        stream = streams[row]
        seat = seat_to_act(state)
        gather_beliefs(state, seat, logs, row, plan)
        before = lead_of(state, seat)
        base = first_move(state)
        for _ in range(worlds):
            imagine(state, seat, plan, stream, world)
            moves = moves_of(state)
            while moves != 0:
                action = base + lowest(moves)
                moves &= moves - 1
                copy_state(world, line)
                play_lawful(line, action)
                finish_deal(line, who, stream)
                count_result(tallies, row, action, lead_of(line, seat) - before)

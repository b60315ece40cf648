"""Tetka: the marks that each card costs on average, over sampled worlds played out by rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.rules import legal_actions, play
from terz_env.games.tetka.state import N_WORDS, State, is_deal_over, marks_of, seat_to_act
from terz_env.heuristics.rollout_tetka import choose
from terz_env.kernel import inline, kernel, lowest
from terz_env.search.tally import Tallies, count_result
from terz_env.search.tetka_worlds import Plan, draw_world, prepare_worlds

ALL_ROWS = -1


@inline
def copy_state(source: State, target: State) -> None:
    """Copies the words of a position."""
    for word in range(N_WORDS):
        target[word] = source[word]


@kernel
def finish_deal(state: State, who: int, stream: NDArray[np.uint64]) -> None:
    """Plays a deal to its end with the same rule player in every seat."""
    while not is_deal_over(state):
        play(state, choose(state, who, stream))


@kernel
def add_worlds(
    states: NDArray[np.int64],
    worlds: int,
    who: int,
    streams: NDArray[np.uint64],
    tallies: Tallies,
    plan: Plan,
) -> int:
    """Tries every legal card in the same sampled worlds, for the seat to act of every row.

    Args:
        states: The positions (N, W); of the other hands only their sizes are read.
        worlds: Worlds a row.
        who: The rule player that plays on in every seat, by its code.
        streams: The rows' own random streams (N, 1); they advance.
        tallies: Receives the marks still to come to the seat (N, N_COUNTS, A).
        plan: Room for the sampler (PLAN_SIZE,).

    Returns:
        The first row whose knowledge no deal agrees with, `ALL_ROWS` if there is none.
    """
    world = np.zeros(N_WORDS, np.int64)
    line = np.zeros(N_WORDS, np.int64)
    for row in range(states.shape[0]):
        state = states[row]
        stream = streams[row]
        seat = seat_to_act(state)
        if prepare_worlds(state, seat, plan) == 0:
            return row
        before = marks_of(state, seat)
        legal = legal_actions(state)
        for _ in range(worlds):
            draw_world(state, seat, plan, stream, world)
            cards = legal
            while cards != 0:
                card = lowest(cards)
                cards &= cards - 1
                copy_state(world, line)
                play(line, card)
                finish_deal(line, who, stream)
                count_result(tallies, row, card, marks_of(line, seat) - before)
    return ALL_ROWS

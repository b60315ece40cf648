"""Tetka: single-observer information-set tree search, in which every seat lowers its own marks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_member
from terz_env.games.tetka.rules import legal_actions, play
from terz_env.games.tetka.state import N_WORDS, is_deal_over, marks_of, seat_to_act
from terz_env.kernel import kernel
from terz_env.search.ismcts_tree import (
    ACTION,
    MOST_DEPTH,
    MOVER,
    NODE,
    NODES,
    REWARD,
    VISITS,
    Tree,
    add_child,
    best_child,
    clear_tree,
    is_full,
    untried_moves,
)
from terz_env.search.pimc_tetka import ALL_ROWS, finish_deal
from terz_env.search.tally import Tallies, count_result
from terz_env.search.tetka_worlds import Plan, draw_world, prepare_worlds

EXPLORATION = 2.0
"""The constant c, in marks."""


@kernel
def grow_trees(
    states: NDArray[np.int64],
    iterations: int,
    who: int,
    streams: NDArray[np.uint64],
    tallies: Tallies,
    plan: Plan,
    tree: Tree,
    afresh: int,
) -> int:
    """Searches the position of every row, for the seat to act.

    Args:
        states: The positions (N, W); of the other hands only their sizes are read.
        iterations: Worlds a row, one line of play each.
        who: The rule player that plays on below the tree, by its code.
        streams: The rows' own random streams (N, 1); they advance.
        tallies: Receives the marks still to come to the seat (N, N_COUNTS, A).
        plan: Room for the sampler (PLAN_SIZE,).
        tree: Room for one tree; once it is full it grows no more.
        afresh: 1 to begin a tree a row, 0 to go on with the tree of the only row.

    Returns:
        The first row whose knowledge no deal agrees with, `ALL_ROWS` if there is none.
    """
    world = np.zeros(N_WORDS, np.int64)
    path = np.zeros(MOST_DEPTH, np.int64)
    for row in range(states.shape[0]):
        state = states[row]
        stream = streams[row]
        seat = seat_to_act(state)
        if prepare_worlds(state, seat, plan) == 0:
            return row
        before = marks_of(state, seat)
        if afresh:
            clear_tree(tree)
        for _ in range(iterations):
            draw_world(state, seat, plan, stream, world)
            depth, node = 0, 0
            while not is_deal_over(world):
                mover = seat_to_act(world)
                moves = legal_actions(world)
                untried = untried_moves(tree, node, moves, 0)
                if untried != 0:
                    if not is_full(tree):
                        node = add_child(tree, node, random_member(untried, stream), mover)
                        path[depth] = node
                        depth += 1
                        play(world, tree[NODES + NODE * node + ACTION])
                    break
                node = best_child(tree, node, moves, 0, EXPLORATION, 1.0)
                path[depth] = node
                depth += 1
                play(world, tree[NODES + NODE * node + ACTION])
            finish_deal(world, who, stream)
            for step in range(depth):
                place = NODES + NODE * path[step]
                tree[place + VISITS] += 1
                tree[place + REWARD] -= marks_of(world, tree[place + MOVER])
            action = tree[NODES + NODE * path[0] + ACTION]
            count_result(tallies, row, action, marks_of(world, seat) - before)
    return ALL_ROWS

"""Terz: single-observer information-set tree search, with announcements as part of the tree.

What a seat draws depends on the world, so the worlds share the nodes below a draw; an action takes
part only where the world's hand allows it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_member
from terz_env.games.terz.rules import play_lawful
from terz_env.games.terz.state import N_WORDS, is_deal_over, seat_to_act
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
from terz_env.search.pimc_terz import finish_deal, first_move, lead_of, moves_of
from terz_env.search.tally import Tallies, count_result
from terz_env.search.terz_beliefs import gather_beliefs, imagine
from terz_env.search.terz_plan import Plan

EXPLORATION = 1.4
"""The constant c, in units of `POINTS`."""
POINTS = 50.0


@kernel
def grow_trees(
    states: NDArray[np.int64],
    logs: NDArray[np.int64],
    iterations: int,
    who: int,
    streams: NDArray[np.uint64],
    tallies: Tallies,
    plan: Plan,
    tree: Tree,
    afresh: int,
) -> None:
    """Searches the position of every row, for the seat to act.

    Args:
        states: The positions (N, W); of the hidden cards nothing is read.
        logs: The logs of the deals (N, L), or no rows where there are none.
        iterations: Worlds a row, one line of play each.
        who: The rule player that plays on below the tree, by its code.
        streams: The rows' own random streams (N, 1); they advance.
        tallies: Receives the points still to come, own less the other's (N, N_COUNTS, A).
        plan: Room for the sampler (PLAN_SIZE,).
        tree: Room for one tree; once it is full it grows no more.
        afresh: 1 to begin a tree a row, 0 to go on with the tree of the only row.
    """
    world = np.zeros(N_WORDS, np.int64)
    path = np.zeros(MOST_DEPTH, np.int64)
    for row in range(states.shape[0]):
        state = states[row]
        stream = streams[row]
        seat = seat_to_act(state)
        gather_beliefs(state, seat, logs, row, plan)
        before = lead_of(state, seat)
        if afresh:
            clear_tree(tree)
        for _ in range(iterations):
            imagine(state, seat, plan, stream, world)
            depth, node = 0, 0
            while not is_deal_over(world):
                mover = seat_to_act(world)
                moves, base = moves_of(world), first_move(world)
                untried = untried_moves(tree, node, moves, base)
                if untried != 0:
                    if not is_full(tree):
                        action = base + random_member(untried, stream)
                        node = add_child(tree, node, action, mover)
                        path[depth] = node
                        depth += 1
                        play_lawful(world, action)
                    break
                node = best_child(tree, node, moves, base, EXPLORATION, POINTS)
                path[depth] = node
                depth += 1
                play_lawful(world, tree[NODES + NODE * node + ACTION])
            finish_deal(world, who, stream)
            points = lead_of(world, seat)
            for step in range(depth):
                place = NODES + NODE * path[step]
                tree[place + VISITS] += 1
                tree[place + REWARD] += points if tree[place + MOVER] == seat else -points
            action = tree[NODES + NODE * path[0] + ACTION]
            count_result(tallies, row, action, points - before)

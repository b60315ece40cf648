"""The tree of a single-observer information-set search.

Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search", IEEE TCIAIG 4(2), 2012,
algorithm 1 and equation 1: one tree for all worlds. A child takes part in a choice only where the
world at hand allows its action, and its exploration term counts those occasions.

A tree is an int64 array: the number of nodes, then `NODE` words a node; node 0 is the root.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import inline

Tree = NDArray[np.int64]

N_NODES, NODES = 0, 8
NODE = 8
FIRST, NEXT, ACTION, VISITS, AVAILABLE, REWARD, MOVER = 0, 1, 2, 3, 4, 5, 6
"""First child and next sibling (0: none); the action that leads here and the seat that chose it;
how often the node was visited and could have been; the seat's rewards in total."""

MOST_DEPTH = 256
NONE = -1


def new_tree(nodes: int) -> Tree:
    """Returns room for a tree of at most so many nodes, the root counted."""
    return np.zeros(NODES + NODE * nodes, dtype=np.int64)


@inline
def is_full(tree: Tree) -> int:
    """Tells whether no further node fits."""
    return 1 if NODES + NODE * (tree[N_NODES] + 1) > tree.shape[0] else 0


@inline
def add_node(tree: Tree, action: int, mover: int) -> int:
    """Adds a node without relations and returns its number."""
    number = tree[N_NODES]
    place = NODES + NODE * number
    for word in range(NODE):
        tree[place + word] = 0
    tree[place + ACTION] = action
    tree[place + MOVER] = mover
    tree[N_NODES] = number + 1
    return number


@inline
def clear_tree(tree: Tree) -> None:
    """Leaves the root alone."""
    tree[N_NODES] = 0
    add_node(tree, NONE, NONE)


@inline
def add_child(tree: Tree, node: int, action: int, mover: int) -> int:
    """Adds a child, available once so far, and returns its number."""
    child = add_node(tree, action, mover)
    tree[NODES + NODE * child + AVAILABLE] = 1
    tree[NODES + NODE * child + NEXT] = tree[NODES + NODE * node + FIRST]
    tree[NODES + NODE * node + FIRST] = child
    return child


@inline
def untried_moves(tree: Tree, node: int, moves: int, base: int) -> int:
    """Returns the moves that have no child, and counts the others as available once more.

    `moves` is a set of actions counted from `base`.
    """
    child = tree[NODES + NODE * node + FIRST]
    while child != 0:
        place = NODES + NODE * child
        move = tree[place + ACTION] - base
        if move >= 0 and (moves >> move) & 1:
            tree[place + AVAILABLE] += 1
            moves ^= 1 << move
        child = tree[place + NEXT]
    return moves


@inline
def best_child(
    tree: Tree, node: int, moves: int, base: int, exploration: float, unit: float
) -> int:
    """Returns the child of the greatest upper bound among the moves, 0 if they have none.

    The bound is the mean reward, in `unit`, plus c·√(ln available / visits).
    """
    best, most = 0, -math.inf
    child = tree[NODES + NODE * node + FIRST]
    while child != 0:
        place = NODES + NODE * child
        move = tree[place + ACTION] - base
        if move >= 0 and (moves >> move) & 1:
            visits = tree[place + VISITS]
            bound = tree[place + REWARD] / (visits * unit)
            bound += exploration * math.sqrt(math.log(tree[place + AVAILABLE]) / visits)
            if bound > most:
                best, most = child, bound
        child = tree[place + NEXT]
    return best

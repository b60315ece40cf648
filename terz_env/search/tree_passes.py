"""Passes over the tree of a small game: reaches from the root down, values from the leaves up.

Nodes lie in order of depth, so one loop forwards or backwards is a whole pass. N nodes, E entries
of a policy, I information states.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import kernel

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@kernel
def match_regrets(entry: Integers, regrets: Floats, policy: Floats) -> None:
    """Writes the policy (E,) that plays in proportion to the positive regrets, else uniformly."""
    for info in range(entry.shape[0] - 1):
        total = 0.0
        for place in range(entry[info], entry[info + 1]):
            total += max(regrets[place], 0.0)
        for place in range(entry[info], entry[info + 1]):
            if total > 0:
                policy[place] = max(regrets[place], 0.0) / total
            else:
                policy[place] = 1.0 / (entry[info + 1] - entry[info])


@kernel
def reach_down(
    first_child: Integers,
    n_children: Integers,
    seats: Integers,
    infos: Integers,
    entry: Integers,
    policy: Floats,
    seat: int,
    own: Floats,
    others: Floats,
) -> None:
    """Writes with what probability a seat, and all the others together, play to each node (N,)."""
    for node in range(n_children.shape[0]):
        for index in range(n_children[node]):
            child = first_child[node] + index
            probability = policy[entry[infos[node]] + index]
            mine = seats[node] == seat
            own[child] = own[node] * (probability if mine else 1.0)
            others[child] = others[node] * (1.0 if mine else probability)


@kernel
def values_up(
    first_child: Integers,
    n_children: Integers,
    infos: Integers,
    entry: Integers,
    policy: Floats,
    values: Floats,
) -> None:
    """Writes the expected return of one seat at each node (N,); the leaves hold it already."""
    for node in range(n_children.shape[0] - 1, -1, -1):
        if n_children[node] == 0:
            continue
        value = 0.0
        for index in range(n_children[node]):
            value += policy[entry[infos[node]] + index] * values[first_child[node] + index]
        values[node] = value


@kernel
def best_values_up(
    levels: Integers,
    first_child: Integers,
    n_children: Integers,
    seats: Integers,
    infos: Integers,
    entry: Integers,
    policy: Floats,
    seat: int,
    others: Floats,
    values: Floats,
    worth: Floats,
    best: Floats,
) -> None:
    """Writes the values (N,) of a seat's best response, and that response (E,).

    All nodes of an information state lie on one level. From the deepest level up, the worth of an
    action is summed over these nodes, weighted by how the others play to them.

    Args:
        levels: The first node of every level, and N.
        first_child: The first child of each node.
        n_children: The number of children of each node.
        seats: The seat to act at each node.
        infos: The information state of each node.
        entry: The first entry of each information state.
        policy: The policy of the others (E,).
        seat: The seat that responds.
        others: With what probability the others play to each node (N,).
        values: The returns of the seat at the leaves; receives its values elsewhere.
        worth: Receives the weighted worth of each action (E,).
        best: The policy (E,); receives the response at the seat's information states.
    """
    for level in range(levels.shape[0] - 2, -1, -1):
        for node in range(levels[level], levels[level + 1]):
            if n_children[node] > 0 and seats[node] == seat:
                place = entry[infos[node]]
                for index in range(n_children[node]):
                    worth[place + index] += others[node] * values[first_child[node] + index]
        for node in range(levels[level], levels[level + 1]):
            if n_children[node] == 0:
                continue
            place = entry[infos[node]]
            value = 0.0
            if seats[node] == seat:
                chosen = 0
                for index in range(1, n_children[node]):
                    if worth[place + index] > worth[place + chosen]:
                        chosen = index
                for index in range(n_children[node]):
                    best[place + index] = 1.0 if index == chosen else 0.0
                value = values[first_child[node] + chosen]
            else:
                for index in range(n_children[node]):
                    value += policy[place + index] * values[first_child[node] + index]
            values[node] = value


@kernel
def regrets_up(
    first_child: Integers,
    n_children: Integers,
    seats: Integers,
    infos: Integers,
    entry: Integers,
    policy: Floats,
    seat: int,
    weight: float,
    own: Floats,
    others: Floats,
    values: Floats,
    gains: Floats,
    sums: Floats,
) -> None:
    """Adds a seat's counterfactual regrets to `gains` and its policy to `sums` (E,).

    Writes the values of the seat at each node too. `weight` is that of this policy in the average.
    """
    for node in range(n_children.shape[0] - 1, -1, -1):
        if n_children[node] == 0:
            continue
        place = entry[infos[node]]
        value = 0.0
        for index in range(n_children[node]):
            value += policy[place + index] * values[first_child[node] + index]
        values[node] = value
        if seats[node] == seat:
            for index in range(n_children[node]):
                gain = values[first_child[node] + index] - value
                gains[place + index] += others[node] * gain
                sums[place + index] += weight * own[node] * policy[place + index]

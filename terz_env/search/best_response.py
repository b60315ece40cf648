"""Exact values, best responses and NashConv of any policy of a small game.

Best response by backward induction over information states with perfect recall; NashConv is the sum
over the seats of what each would gain by its best response (Lanctot et al., "A Unified
Game-Theoretic Approach to Multiagent Reinforcement Learning", NeurIPS 2017). It is zero exactly for
a Nash equilibrium.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.search import tree_passes
from terz_env.search.game_tree import GameTree, Policy


def expected_returns(tree: GameTree, policy: Policy) -> NDArray[np.float64]:
    """Returns what each seat receives on average when all play a policy (P,)."""
    policy = tree.checked(policy)
    roots = int(tree.levels[1])
    means = np.zeros(tree.game.n_seats)
    for seat in range(tree.game.n_seats):
        values = tree.returns[:, seat].copy()
        tree_passes.values_up(
            tree.first_child, tree.n_children, tree.info, tree.entry, policy, values
        )
        means[seat] = values[:roots].mean()
    return means


def best_response(tree: GameTree, policy: Policy, seat: int) -> tuple[float, Policy]:
    """Returns what a seat can receive at most while the others play a policy, and how.

    Args:
        tree: The game.
        policy: A table of probabilities (E,).
        seat: The seat that responds.

    Returns:
        The mean return of the best response, and the policy with it at the seat's information
        states (E,).
    """
    policy = tree.checked(policy)
    _, others = tree.reach(policy, seat)
    values = tree.returns[:, seat].copy()
    best = policy.copy()
    tree_passes.best_values_up(
        tree.levels,
        tree.first_child,
        tree.n_children,
        tree.seat,
        tree.info,
        tree.entry,
        policy,
        seat,
        others,
        values,
        np.zeros(tree.n_entries),
        best,
    )
    return float(values[: tree.levels[1]].mean()), best


def nash_conv(tree: GameTree, policy: Policy) -> float:
    """Returns the sum over the seats of what a best response gains against a policy."""
    returns = expected_returns(tree, policy)
    return float(
        sum(
            best_response(tree, policy, seat)[0] - returns[seat]
            for seat in range(tree.game.n_seats)
        )
    )

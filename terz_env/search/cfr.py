"""CFR+: counterfactual regret minimisation with positive regrets and a linear average.

Tammelin, "Solving Large Imperfect Information Games Using CFR+", arXiv:1407.5042, 2014: the seats
are updated in turn, regrets are cut off at zero, and the policy of iteration t has weight t in the
average. With two seats the average approaches a Nash equilibrium.
"""

from __future__ import annotations

import numpy as np

from terz_env.search import tree_passes
from terz_env.search.game_tree import GameTree, Policy


class CfrPlus:
    """CFR+ on the tree of a small game; it can be run further at any time."""

    def __init__(self, tree: GameTree) -> None:
        """Starts with the uniform policy."""
        self.tree = tree
        self.iterations = 0
        self._regrets = np.zeros(tree.n_entries)
        self._sums = np.zeros(tree.n_entries)

    def run(self, iterations: int) -> CfrPlus:
        """Runs some more iterations and returns the solver."""
        for _ in range(iterations):
            self.iterations += 1
            for seat in range(self.tree.game.n_seats):
                self._update(seat)
        return self

    def _update(self, seat: int) -> None:
        tree = self.tree
        policy, gains = np.empty(tree.n_entries), np.zeros(tree.n_entries)
        tree_passes.match_regrets(tree.entry, self._regrets, policy)
        own, others = tree.reach(policy, seat)
        tree_passes.regrets_up(
            tree.first_child,
            tree.n_children,
            tree.seat,
            tree.info,
            tree.entry,
            policy,
            seat,
            float(self.iterations),
            own,
            others,
            tree.returns[:, seat].copy(),
            gains,
            self._sums,
        )
        self._regrets = np.maximum(self._regrets + gains, 0)

    def average(self) -> Policy:
        """Returns the average policy (E,); uniform where a seat never plays to."""
        policy = np.empty(self.tree.n_entries)
        tree_passes.match_regrets(self.tree.entry, self._sums, policy)
        return policy

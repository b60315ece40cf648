"""The solvers of OpenSpiel on the small games, against the exact values of this package."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms.exploitability import nash_conv as python_nash_conv
from open_spiel.python.policy import UniformRandomPolicy

from terz_env.search.best_response import expected_returns, nash_conv
from terz_env.search.cfr import CfrPlus
from terz_env.search.game_tree import GameTree
from tests.adapters.spiel import as_table, information_states, tree_of_dealer

LEARNT = 0.05
"""The share of the uniform policy's NashConv that seven iterations have to come below."""


def average_policy(cached: Any, iterations: int) -> Any:
    solver = pyspiel.CFRPlusSolver(cached)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()


@pytest.mark.slow
def test_cfr_and_nash_conv_on_terz_micro_agree_with_the_exact_values() -> None:
    game, tree = pyspiel.load_game("python_terz_micro"), GameTree.of("terz_micro")
    strings = information_states(game, tree)
    assert len(set(strings)) == len(strings)
    expected = nash_conv(tree, tree.uniform())
    assert python_nash_conv(game, UniformRandomPolicy(game)) == pytest.approx(expected, abs=1e-9)
    cached = pyspiel.convert_to_cached_tree(game)
    policy = average_policy(cached, 4)
    table = as_table(policy, strings, tree)
    assert pyspiel.nash_conv(cached, policy) == pytest.approx(nash_conv(tree, table), abs=1e-9)
    values = pyspiel.expected_returns(cached.new_initial_state(), policy, -1, True)
    np.testing.assert_allclose(values, expected_returns(tree, table), atol=1e-9)
    np.testing.assert_allclose(table, CfrPlus(tree).run(4).average(), atol=1e-9)


@pytest.mark.slow
def test_tabular_cfr_learns_tetka_micro_and_agrees_with_the_exact_values() -> None:
    game = pyspiel.load_game("python_tetka_micro(dealer=0)")
    tree = tree_of_dealer("tetka_micro", 0)
    strings = information_states(game, tree)
    assert len(set(strings)) == len(strings)
    cached = pyspiel.convert_to_cached_tree(game)
    policy = average_policy(cached, 7)
    table = as_table(policy, strings, tree)
    found = pyspiel.nash_conv(cached, policy)
    assert found == pytest.approx(nash_conv(tree, table), abs=1e-9)
    assert found < LEARNT * nash_conv(tree, tree.uniform())

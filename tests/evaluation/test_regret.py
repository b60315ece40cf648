"""Regret against exact play."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from terz_env.evaluation.plan import ArenaError
from terz_env.evaluation.regret import regret
from terz_env.players import Decisions, Player, PlayerError
from terz_env.search.solving import TerzSolver, TetkaSolver
from terz_env.state import State
from tests.evaluation.players import load


class Perfect:
    """Plays the solver's action in the last tricks, and the first legal one before."""

    name = "perfect"
    game = None

    def __init__(self) -> None:
        self._terz, self._tetka = TerzSolver(), TetkaSolver()

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        actions = decisions.masks.argmax(axis=1)
        for row in range(len(decisions)):
            state = State(
                decisions.game, decisions.game.rules(), "deal", decisions.states[row].copy()
            )
            if state.trick >= 8 and decisions.masks[row].sum() > 1:
                solver = self._terz if state.game.name == "terz" else self._tetka
                best = solver.solve(state).best
                actions[row] = decisions.game.actions.index(best)
        return actions


def perfect(name: str) -> Player:
    return Perfect() if name == "greedy" else load(name)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_exact_play_has_no_regret(game: str) -> None:
    found = regret(game, "greedy", 4, seed=3, load=perfect)
    assert found[0].measure == {"terz": "points", "tetka": "paranoid"}[game]
    assert found[0].decisions > 20
    assert (found[0].a_deal.mean, found[0].a_decision.mean, found[0].blunders.mean) == (0, 0, 0)


@pytest.mark.slow
def test_a_better_player_has_less_regret_and_a_decision_less_than_a_deal() -> None:
    random = regret("terz", "random", 20, seed=3)[0]
    heuristic = regret("terz", "heuristic", 20, seed=3)[0]
    assert 0 < heuristic.a_deal.mean < random.a_deal.mean
    assert heuristic.blunders.mean < random.blunders.mean
    assert random.a_decision.mean < random.a_deal.mean


@pytest.mark.slow
def test_tetka_is_judged_by_both_models_and_against_an_opponent() -> None:
    found = regret("tetka", "random", 4, seed=3, opponent="greedy")
    assert [row.measure for row in found] == ["paranoid", "teams"]
    assert all(row.a_deal.mean > 0 for row in found)


@pytest.mark.slow
def test_regret_does_not_depend_on_the_number_of_processes() -> None:
    one = regret("terz", "random", 102, seed=3)
    assert regret("terz", "random", 102, seed=3, processes=2) == one


@pytest.mark.slow
def test_answers_that_are_none_are_counted_and_not_judged() -> None:
    found = regret("terz", "greedy", 12, load=lambda _: load("raises"))[0]
    assert found.forfeits > 0
    assert found.decisions > 0
    with pytest.raises(ArenaError, match="greedy had no decision to judge in 2 deals"):
        regret("tetka", "greedy", 2, load=lambda _: load("floats"))


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(ArenaError, match="not in terz_micro"):
        regret("terz_micro", "greedy", 9)
    with pytest.raises(ArenaError, match="1 deals"):
        regret("terz", "greedy", 1)
    with pytest.raises(PlayerError, match="random:announce plays terz, not tetka"):
        regret("tetka", "random:announce", 2)

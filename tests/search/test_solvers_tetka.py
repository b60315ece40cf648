"""Tetka solved: equal to plain minimax on the engine, for one seat and for teams."""

from __future__ import annotations

import random

import numpy as np
import pytest

from terz_env.errors import PositionError, SearchLimitError
from terz_env.search.solving import MODELS, Limit, TetkaSolver, solve
from terz_env.state import State
from tests.search.brute import SCALE, action_values

SOLVER = TetkaSolver(table_bits=14)
ALL_SEATS = 0b1111


def side_of(state: State, model: str) -> int:
    """Returns the set of seats whose marks count for the seat to act."""
    seat = state.seat_to_act
    if model == "paranoid":
        return 1 << seat
    return 0b0101 if seat in (0, 2) else 0b1010


def marks_of(state: State, side: int) -> int:
    return sum(marks for seat, marks in enumerate(state.marks) if side >> seat & 1)


def check_marks(state: State) -> None:
    """Compares the marks still to come after every card with minimax, in both models."""
    words = state.words.copy()
    for model in MODELS:
        side = side_of(state, model)
        start = marks_of(state, side)
        others = ALL_SEATS & ~side
        wanted = action_values(state, lambda end, s=side: marks_of(end, s), others, {})
        found = SOLVER.solve(state, model)
        assert found.values == {name: marks - start for name, marks in wanted.items()}
        assert found.value == min(found.values.values())
        assert SOLVER.value(state, model) == found.value
        assert (found.to_act, found.unit) == (state.seat_to_act, "marks")
    np.testing.assert_array_equal(state.words, words)


def late_position(chooser: random.Random, seed: int, mode: str, revokes: float) -> State:
    """Returns a position with three cards a seat or fewer, in mid-trick as well."""
    state = State.new("tetka", {"illegal_actions": mode}, seed=seed)
    for _ in range(chooser.randrange(41, 52)):
        names = state.hand(state.seat_to_act) if chooser.random() < revokes else []
        state.apply(chooser.choice(names or state.legal_names()))
    return state


@pytest.mark.rule("K3", "K4", "K5")
def test_endings_are_worth_what_minimax_says() -> None:
    chooser = random.Random(1)
    for seed in range(1000 // SCALE):
        check_marks(late_position(chooser, seed, "raise", 0))


@pytest.mark.rule("K5", "K10")
def test_noted_revokes_count_in_the_race_for_the_most_tricks() -> None:
    chooser = random.Random(2)
    for seed in range(500 // SCALE):
        check_marks(late_position(chooser, seed, "penalise", 0.15))


@pytest.mark.rule("M3")
def test_the_small_game_is_solved_from_the_deal_on() -> None:
    for seed in range(300 // SCALE):
        check_marks(State.new("tetka_micro", seed=seed))


def test_the_best_play_of_all_keeps_the_value_of_four_cards_each() -> None:
    chooser = random.Random(3)
    for seed in range(80 // SCALE):
        state = State.new("tetka", seed=seed)
        for _ in range(36):
            state.apply(chooser.choice(state.legal_names()))
        wanted = marks_of(state, 5) if state.seat_to_act in (0, 2) else marks_of(state, 10)
        side = side_of(state, "teams")
        wanted += SOLVER.value(state, "teams")
        while not state.deal_is_over:
            state.apply(SOLVER.solve(state, "teams").best)
        assert marks_of(state, side) == wanted


def test_the_size_of_the_table_does_not_change_a_value() -> None:
    small = TetkaSolver(table_bits=6)
    chooser = random.Random(4)
    for seed in range(40 // SCALE):
        state = State.new("tetka", seed=seed)
        for _ in range(28 if SCALE == 1 else 36):
            state.apply(chooser.choice(state.legal_names()))
        for model in MODELS:
            assert small.solve(state, model) == SOLVER.solve(state, model)


def test_a_whole_deal_does_not_finish_in_no_time() -> None:
    state = State.new("tetka", seed=1)
    with pytest.raises(SearchLimitError, match="3,000 nodes"):
        SOLVER.solve(state, limit=Limit(nodes=3000))
    with pytest.raises(SearchLimitError, match="seconds"):
        SOLVER.value(state, limit=Limit(seconds=0.01))
    late = late_position(random.Random(2), 3, "raise", 0)
    assert solve(late, model="teams").values == SOLVER.solve(late, "teams").values


def test_other_models_and_games_are_refused() -> None:
    with pytest.raises(PositionError, match="paranoid or teams"):
        SOLVER.solve(State.new("tetka"), "friends")
    with pytest.raises(PositionError, match="one of tetka"):
        SOLVER.solve(State.new("terz"))

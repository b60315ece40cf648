"""Terz solved: equal to plain minimax on the engine, under every option and objective."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from terz_env.cards import SHORT_DECK
from terz_env.errors import PositionError, SearchLimitError
from terz_env.search.solving import Limit, TerzSolver, solve
from terz_env.search.terz_equity import COARSE
from terz_env.state import State
from tests.search.brute import SCALE, action_values, play_some, short_deal, standing

SOLVER = TerzSolver(table_bits=14)
COURT = SHORT_DECK.card_set(rank + suit for suit in "SCDH" for rank in "TJQKA")
SEAT_0 = 1


def check_points(state: State) -> None:
    """Compares the points still to come after every action with minimax."""
    start = standing(state)
    wanted = action_values(state, lambda end: standing(end) - start, SEAT_0, {})
    sign = -1 if state.seat_to_act else 1
    words = state.words.copy()
    found = SOLVER.solve(state)
    assert found.values == {name: sign * value for name, value in wanted.items()}
    assert found.value == max(found.values.values())
    assert found.to_act == state.seat_to_act
    assert SOLVER.value(state) == found.value
    np.testing.assert_array_equal(state.words, words)


def closed_position(chooser: random.Random, seed: int) -> State:
    """Returns a position late in a whole deal, in mid-trick as well."""
    options = {"trump_jack": chooser.choice(["discretion", "not_forced", "none"])}
    options["rounding"] = chooser.choice(["nearest_half_down", "floor", "only_fives", "none"])
    state = State.new("terz", options, seed=seed)
    first = chooser.choice([12, 13, 14, 15] if seed % 50 else [11])
    while int(state.words[10]) >> 8 & 31 < first:
        state.apply(chooser.choice(state.legal_names()))
    play_some(state, chooser, 1)
    return state


@pytest.mark.rule("T3", "T6", "T11", "T12", "T22")
def test_the_closed_phase_is_worth_what_minimax_says() -> None:
    chooser = random.Random(1)
    for seed in range(1500 // SCALE):
        check_points(closed_position(chooser, seed))


@pytest.mark.rule("T15", "T16", "T18", "T19", "T20")
@pytest.mark.parametrize("hand_size", [3, 4])
def test_trick_8_is_worth_what_minimax_says_with_every_contest(hand_size: int) -> None:
    chooser = random.Random(hand_size)
    for _ in range((600 if hand_size == 4 else 1200) // SCALE):
        state = short_deal(chooser, trick=7, hand_size=hand_size, pack=COURT)
        play_some(state, chooser, 2)
        check_points(state)


@pytest.mark.rule("T7", "T10", "T13")
def test_the_end_of_the_talon_phase_is_worth_what_minimax_says() -> None:
    chooser = random.Random(5)
    for _ in range(200 // SCALE):
        state = short_deal(chooser, trick=5, hand_size=2)
        play_some(state, chooser, 3)
        check_points(state)


@pytest.mark.rule("T8")
def test_the_break_is_worth_what_minimax_says() -> None:
    chooser = random.Random(6)
    for _ in range(120 // SCALE):
        state = short_deal(chooser, trick=0, hand_size=2, talon_tricks=1)
        play_some(state, chooser, 2)
        check_points(state)


@pytest.mark.rule("M1", "M2")
@pytest.mark.parametrize(("name", "deals"), [("terz_mini", 80), ("terz_micro", 180)])
def test_small_games_are_solved_from_the_deal_on(name: str, deals: int) -> None:
    for seed in range(deals // SCALE):
        check_points(State.new(name, seed=seed))


@pytest.mark.rule("T23")
def test_recorded_points_are_what_minimax_says() -> None:
    chooser = random.Random(7)
    for number in range(800 // SCALE):
        state = closed_position(chooser, number)
        if number % 4 == 0:
            state = short_deal(chooser, trick=7, hand_size=3, pack=COURT)
        wanted = action_values(state, lambda end: end.returns()[0], SEAT_0, {})
        sign = -1 if state.seat_to_act else 1
        found = SOLVER.solve(state, "recorded").values
        assert found == {name: sign * value for name, value in wanted.items()}


def smooth_table() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Returns equity that grows with the lead."""
    totals = np.arange(COARSE)
    return np.tanh((totals[:, None] - totals[None, :]) / 20)


def odd_table() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Returns equity in which more points may hurt."""
    return np.random.default_rng(3).uniform(-1, 1, (COARSE, COARSE))


@pytest.mark.rule("T24")
@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("scope", ["deal", "match"])
def test_equity_is_what_minimax_says(scope: str, odd: bool) -> None:
    table = odd_table() if odd else smooth_table()
    chooser = random.Random(8)

    def worth(end: State) -> float:
        if end.winner is not None:
            return -1 if end.winner else 1
        row, column = (min(max(total // 10, 0), 50) for total in end.scores)
        return float(table[row, column])

    for number in range(300 // SCALE):
        trick = 7 if number % 2 else 12
        state = short_deal(chooser, trick=trick, hand_size=3, scope=scope, pack=COURT)
        wanted = action_values(state, worth, SEAT_0, {})
        sign = -1 if state.seat_to_act else 1
        found = SOLVER.solve(state, equity=table)
        assert found.unit == "equity"
        assert found.values.keys() == wanted.keys()
        for name, value in wanted.items():
            assert math.isclose(found.values[name], sign * value, abs_tol=1e-8), name


@pytest.mark.rule("T24", "T25")
@pytest.mark.parametrize("odd", [False, True])
def test_equity_may_depend_on_who_deals_next(odd: bool) -> None:
    table = odd_table() if odd else smooth_table()
    tables = 0.9 * np.stack([table, np.roll(table, 1, axis=0) if odd else table + 0.03])
    chooser = random.Random(10)

    def worth(end: State) -> float:
        if end.winner is not None:
            return -1 if end.winner else 1
        row, column = (min(max(total // 10, 0), 50) for total in end.scores)
        return float(tables[end.next_dealer, row, column])

    mattered = 0
    for number in range(300 // SCALE):
        scope = "match" if number % 3 else "deal"
        trick = 7 if number % 2 else 12
        state = short_deal(chooser, trick=trick, hand_size=3, scope=scope, pack=COURT)
        wanted = action_values(state, worth, SEAT_0, {})
        sign = -1 if state.seat_to_act else 1
        found = SOLVER.solve(state, equity=tables)
        mattered += found.values != SOLVER.solve(state, equity=tables[0]).values
        for name, value in wanted.items():
            assert math.isclose(found.values[name], sign * value, abs_tol=1e-8), name
    assert mattered > 0


def test_equity_may_be_a_function_of_both_totals() -> None:
    state = short_deal(random.Random(9), trick=13, hand_size=2)
    shares = TerzSolver().value(state, equity=lambda own, other: (own - other) / 1000)
    table = [[(own - other) / 1000 for other in range(501)] for own in range(501)]
    assert shares == SOLVER.value(state, equity=table)


def test_what_is_no_table_of_equity_is_refused() -> None:
    state = State.new("terz")
    for shape in ((3, 3), (3, 51, 51)):
        with pytest.raises(PositionError, match=r"3\); use 51×51|51\); use 51×51"):
            SOLVER.solve(state, equity=np.zeros(shape))
    for value in (1.5, float("nan")):
        with pytest.raises(PositionError, match="between -1"):
            SOLVER.solve(state, equity=np.full((COARSE, COARSE), value))
    with pytest.raises(PositionError, match="points, recorded"):
        SOLVER.solve(state, "glory")
    with pytest.raises(PositionError, match="one of terz"):
        SOLVER.solve(State.new("tetka"))


def test_a_search_that_does_not_finish_says_so_and_can_go_on() -> None:
    state = State.new("terz", seed=1)
    with pytest.raises(SearchLimitError, match="2,000 nodes"):
        SOLVER.solve(state, limit=Limit(nodes=2000))
    with pytest.raises(SearchLimitError, match=r"0\.05 seconds"):
        SOLVER.value(state, limit=Limit(seconds=0.05))
    late = closed_position(random.Random(2), 3)
    assert solve(late, limit=Limit(seconds=60)).values == SOLVER.solve(late).values


@pytest.mark.parametrize("limit", [{"nodes": 0}, {"seconds": 0.0}, {"seconds": float("nan")}])
def test_a_limit_of_nothing_is_refused(limit: dict[str, float]) -> None:
    with pytest.raises(SearchLimitError, match="leaves nothing"):
        Limit(**limit)  # type: ignore[arg-type]


def test_a_deal_that_is_over_cannot_be_solved() -> None:
    state = State.new("terz_micro")
    while not state.deal_is_over:
        state.apply(state.legal_names()[0])
    with pytest.raises(PositionError, match="over"):
        SOLVER.solve(state)

"""Statistics against closed forms and simulated coverage."""

from __future__ import annotations

import numpy as np
import pytest

from terz_env.evaluation.control import Controls, adjusted, controls
from terz_env.evaluation.plan import ArenaError
from terz_env.evaluation.ratings import (
    ELO,
    bradley_terry,
    cyclic_part,
    cyclic_share,
    least_squares,
    nash_average,
)
from terz_env.evaluation.results import Results
from terz_env.evaluation.sequential import Sprt
from terz_env.evaluation.statistics import bootstrap_interval, estimate, ratio_estimate
from terz_env.evaluation.summary import summarise
from terz_env.evaluation.tables import tables
from tests.evaluation.plans import plan

ROCK_PAPER_SCISSORS = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def test_nineteen_of_twenty_intervals_hold_the_mean() -> None:
    rng = np.random.default_rng(1)
    inside_t = inside_bootstrap = 0
    for _ in range(400):
        units = rng.exponential(2.0, size=80)
        result = estimate(units)
        inside_t += result.low <= 2.0 <= result.high
        low, high = bootstrap_interval(units, 1)
        inside_bootstrap += low <= 2.0 <= high
    assert 0.91 < inside_t / 400 < 0.98
    assert 0.90 < inside_bootstrap / 400 < 0.98


def test_the_bootstrap_of_equal_units_is_a_point_and_repeats_itself() -> None:
    assert bootstrap_interval(np.full(9, 3.0), 1) == (3.0, 3.0)
    units = np.arange(30.0)
    assert bootstrap_interval(units, 7) == bootstrap_interval(units, 7)


def test_a_ratio_is_that_of_the_sums_and_exact_where_units_are_proportional() -> None:
    counts = np.array([1.0, 2, 3])
    result = ratio_estimate(2 * counts, counts)
    assert (result.mean, result.half_width) == (pytest.approx(2), pytest.approx(0))
    assert ratio_estimate(np.array([0.0, 3]), np.array([1.0, 2])).mean == pytest.approx(1)


def test_two_players_rate_as_the_logarithm_of_the_odds() -> None:
    wins = np.array([[0, 75 - 0.5], [25 - 0.5, 0]])
    first, second = bradley_terry(wins)
    assert first - second == pytest.approx(ELO * np.log(3))
    assert first + second == pytest.approx(0)


def test_ratings_are_recovered_from_expected_wins() -> None:
    strength = np.array([200.0, 50, -30, -220])
    chance = 1 / (1 + 10 ** ((strength[None, :] - strength[:, None]) / 400))
    np.fill_diagonal(chance, 0)
    many = np.stack([1e7 * chance, 1e6 * chance])
    np.testing.assert_allclose(bradley_terry(many), [strength, strength], atol=0.01)


def test_a_player_that_always_wins_has_a_finite_rating() -> None:
    wins = np.array([[0.0, 1000], [0, 0]])
    assert bradley_terry(wins)[0] == pytest.approx(ELO * np.log(1000.5 / 0.5) / 2)


def test_a_table_of_differences_has_no_cycles_and_rock_paper_scissors_nothing_else() -> None:
    rating = np.array([3.0, 1, -4])
    table = rating[:, None] - rating[None, :]
    np.testing.assert_allclose(least_squares(table), rating)
    assert cyclic_share(table) == pytest.approx(0)
    assert cyclic_share(ROCK_PAPER_SCISSORS) == pytest.approx(1)
    mixed = table + 2 * ROCK_PAPER_SCISSORS
    np.testing.assert_allclose(cyclic_part(mixed), 2 * ROCK_PAPER_SCISSORS, atol=1e-12)
    assert cyclic_share(np.zeros((3, 3))) == 0


def test_the_nash_average_is_uniform_over_a_cycle_and_ignores_copies_and_the_weak() -> None:
    nash = nash_average(ROCK_PAPER_SCISSORS)
    np.testing.assert_allclose(nash.shares, 1 / 3, atol=1e-5)
    np.testing.assert_allclose(nash.skills, 0, atol=1e-5)
    places = [0, 1, 2, 2]
    copied = nash_average(ROCK_PAPER_SCISSORS[np.ix_(places, places)])
    np.testing.assert_allclose(copied.shares, [1 / 3, 1 / 3, 1 / 6, 1 / 6], atol=1e-4)
    ladder = nash_average(np.array([[0.0, 2, 5], [-2, 0, 1], [-5, -1, 0]]))
    np.testing.assert_allclose(ladder.shares, [1, 0, 0], atol=1e-5)
    np.testing.assert_allclose(ladder.skills, [0, -2, -5], atol=1e-4)


def test_nash_shares_of_a_lopsided_cycle_are_the_known_ones() -> None:
    a, b, c = 1.0, 2.0, 3.0  # rock loses a to paper, paper b to scissors, scissors c to rock
    table = np.array([[0, -a, c], [a, 0, -b], [-c, b, 0]])
    np.testing.assert_allclose(nash_average(table).shares, np.array([b, c, a]) / 6, atol=1e-5)


@pytest.mark.parametrize(("mean", "verdict"), [(0.0, "H0"), (1.0, "H1")])
def test_the_sequential_test_errs_no_more_often_than_asked(mean: float, verdict: str) -> None:
    rng = np.random.default_rng(3)
    test = Sprt(0, 1)
    right = 0
    for _ in range(200):
        units = rng.normal(mean, 4, size=4000)
        seen = next(n for n in range(20, 4001, 20) if test.verdict(units[:n]))
        right += test.verdict(units[:seen]) == verdict
    assert right / 200 > 0.91


def test_the_sequential_test_waits_for_units_and_takes_certainty() -> None:
    test = Sprt(0, 1)
    assert test.verdict(np.full(29, 9.0)) is None
    assert test.verdict(np.full(30, 9.0)) == "H1"
    assert test.verdict(np.full(30, 0.2)) == "H0"
    assert test.verdict(np.full(30, 0.5)) is None


def made(units: dict[tuple[str, str], np.ndarray], deals: int, chunk: int = 50) -> Results:
    """Results of Terz whose units are given."""
    players = tuple(dict.fromkeys(name for pairing in units for name in pairing))
    wanted = plan("terz", *players, deals=deals, chunk=chunk)
    played = {}
    for pairing, points in units.items():
        signs = np.array([[1, -1], [-1, 1]])
        played[pairing] = points.astype(np.int64)[:, None, None] * signs
    times = dict.fromkeys(players, (10, 0.5))
    return Results(wanted, played, {pairing: [] for pairing in units}, times)


def test_a_summary_of_made_results_is_the_known_one() -> None:
    rng = np.random.default_rng(2)
    deals = 200
    luck = rng.integers(-30, 31, size=deals)
    units = {("a", "b"): luck + 10, ("a", "c"): luck + 25, ("b", "c"): luck + 15}
    summary = summarise(made(units, deals))
    assert summary.payoff[0, 1] == pytest.approx(units["a", "b"].mean())
    np.testing.assert_allclose(summary.payoff, -summary.payoff.T)
    assert [rating.player for rating in summary.ratings] == ["a", "b", "c"]
    for rating in summary.ratings:
        assert rating.elo_interval[0] <= rating.elo <= rating.elo_interval[1]
        assert rating.advantage_interval[0] < rating.advantage < rating.advantage_interval[1]
    by_pair = {row.pairing: row.difference for row in summary.differences}
    assert by_pair["a", "b"].mean == pytest.approx(10)  # the luck of the deals cancels
    assert by_pair["a", "b"].half_width == pytest.approx(0, abs=1e-9)
    won = int((units["a", "b"] > 0).sum())
    assert summary.meetings[0].outcomes[0] == won
    names = [table.title for table in tables(summary)]
    assert [name.split(" ")[0] for name in names] == [
        "Advantage",
        "Cross-play:",
        "Ratings",
        "Paired",
        "Processor",
    ]


def test_chance_alone_explains_the_residue_of_a_ladder_but_not_that_of_a_cycle() -> None:
    rng = np.random.default_rng(4)
    deals = 400

    def noisy(mean: float) -> np.ndarray:
        return np.rint(rng.normal(mean, 30, size=deals))

    ladder = {("a", "b"): noisy(10), ("a", "c"): noisy(20), ("b", "c"): noisy(10)}
    cycle = {("a", "b"): noisy(10), ("a", "c"): noisy(-10), ("b", "c"): noisy(10)}
    assert summarise(made(ladder, deals)).cyclic_chance > 0.05
    found = summarise(made(cycle, deals))
    assert found.cyclic_chance < 0.01
    assert found.cyclic_share > 0.8


def test_a_control_that_tells_half_of_the_variance_halves_it_without_bias() -> None:
    rng = np.random.default_rng(5)
    deals, inside = 400, 0
    for _ in range(40):
        told = rng.normal(0, 10, size=deals)
        units = {("a", "b"): np.rint(3 + told + rng.normal(0, 10, size=deals))}
        known = Controls(told[:, None], np.zeros(1), np.zeros((1, 1)))
        result, ratio = adjusted(made(units, deals), ("a", "b"), known)
        assert 0.35 < ratio < 0.65
        inside += result.low <= 3 <= result.high
    assert inside >= 35


def test_the_error_of_the_controls_mean_counts_and_one_chunk_corrects_nothing() -> None:
    told = np.arange(100.0) % 10
    results = made({("a", "b"): told}, 100)
    exact = Controls(told[:, None], np.full(1, 4.5), np.zeros((1, 1)))
    assert adjusted(results, ("a", "b"), exact)[1] == pytest.approx(0, abs=1e-9)
    vague = Controls(told[:, None], np.full(1, 4.5), np.full((1, 1), told.var(ddof=1) / 100))
    assert adjusted(results, ("a", "b"), vague)[1] == pytest.approx(1)
    single = made({("a", "b"): told}, 100, chunk=100)
    assert adjusted(single, ("a", "b"), exact)[1] == 1


@pytest.mark.slow
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_controls_are_the_rule_players_on_the_same_deals(game: str) -> None:
    known = controls(plan(game, "random", "greedy", deals=40), reference=200)
    assert known.values.shape == (40, 2)
    assert (known.means > 0).all()
    assert (np.diag(known.covariance) > 0).all()
    with pytest.raises(ArenaError, match="scope deal"):
        controls(plan(game, "random", "greedy", scope="match" if game == "terz" else "rubber"))

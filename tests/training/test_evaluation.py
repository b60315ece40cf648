"""Intervals, duplicate deals and the random yardsticks."""

import numpy as np
import pytest
from numpy.typing import NDArray

from terz_env.evaluation.matches import MatchError, duplicate_match, play_seating
from terz_env.evaluation.statistics import estimate, student_t_975
from terz_env.games import get_game
from terz_env.players import Decisions, PlayerError, load_player
from terz_env.players.random import RandomAnnouncePlayer, RandomPlayer, uniform_actions
from terz_env.players.results import own_result
from terz_env.selfplay import SelfPlayBatch


@pytest.mark.parametrize(
    ("degrees", "point"),
    [
        (1, 12.706205),
        (2, 4.302653),
        (3, 3.182446),
        (4, 2.776445),
        (5, 2.570582),
        (10, 2.228139),
        (29, 2.045230),
        (30, 2.042272),
        (200, 1.971896),
        (201, 1.971837),
        (1000, 1.962339),
        (10**6, 1.959966),
    ],
)
def test_the_point_of_student_t_is_that_of_the_tables(degrees: int, point: float) -> None:
    assert student_t_975(degrees) == pytest.approx(point, abs=2e-6)


def test_an_estimate_is_the_mean_with_its_t_interval() -> None:
    result = estimate(np.array([1.0, 2.0, 3.0]))
    assert (result.mean, result.count) == (2.0, 3)
    assert result.half_width == pytest.approx(4.302653 / np.sqrt(3), rel=1e-6)


def test_one_unit_has_no_interval() -> None:
    with pytest.raises(ValueError, match="at least 2 units"):
        estimate(np.array([1.0]))


def test_rewards_turn_into_points_and_marks() -> None:
    assert own_result("terz", np.array([0.5, -0.2], dtype=np.float32)) == pytest.approx([50, -20])
    assert own_result("tetka", np.array([7, 3, -21], dtype=np.float32)).tolist() == [0, 1, 7]


class FirstLegal:
    """Plays the first legal action: no chance, so that only the deal decides."""

    name = "first"
    game: str | None = None

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the first legal action a row."""
        return decisions.masks.argmax(axis=1)


@pytest.mark.parametrize(("game", "par"), [("terz", 0.0), ("tetka", 1.75)])
def test_a_player_against_itself_is_exactly_at_par_on_every_duplicate_deal(
    game: str, par: float
) -> None:
    result = duplicate_match(FirstLegal(), FirstLegal(), game, 50, seed=4)
    assert result.mean == pytest.approx(par, abs=1e-6)
    assert result.half_width == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_deals_depend_on_seed_and_number_only(game: str) -> None:
    seating = [FirstLegal()] * get_game(game).n_seats
    rng = np.random.default_rng(0)
    whole = play_seating(seating, game, 40, 6, rng)
    part = play_seating(seating, game, 10, 6, rng, first_environment=30)
    np.testing.assert_array_equal(whole[30:], part)


def test_a_match_that_cannot_be_played_is_refused() -> None:
    with pytest.raises(PlayerError, match="random:announce plays terz, not tetka"):
        duplicate_match(RandomAnnouncePlayer(), RandomPlayer(), "tetka", 4, seed=1)
    with pytest.raises(MatchError, match="at least 2 deals"):
        duplicate_match(RandomPlayer(), RandomPlayer(), "tetka", 1, seed=1)


def test_random_is_uniform_over_the_mask() -> None:
    masks = np.tile(np.array([0, 1, 0, 1, 1], dtype=np.int8), (30_000, 1))
    actions = uniform_actions(masks, np.random.default_rng(1))
    shares = np.bincount(actions, minlength=5) / 30_000
    np.testing.assert_allclose(shares, [0, 1 / 3, 0, 1 / 3, 1 / 3], atol=0.015)


def test_in_random_play_announcing_is_worth_many_points() -> None:
    result = duplicate_match(RandomAnnouncePlayer(), RandomPlayer(), "terz", 2000, seed=1)
    assert 15 < result.mean < 35


def test_a_batch_of_a_named_game_has_its_number_of_seats() -> None:
    batch = SelfPlayBatch("terz", 4, seed=1)
    assert batch.rewards.shape == (4, 2)


@pytest.mark.parametrize(
    ("game", "player", "opponent", "least"),
    [
        ("terz", "greedy", "random:announce", 15),
        ("terz", "heuristic", "random", 55),
        ("terz", "heuristic", "random:announce", 35),
        ("terz", "heuristic", "greedy", 8),
        ("tetka", "greedy", "random", -0.95),
        ("tetka", "heuristic", "random", -0.8),
        ("tetka", "heuristic", "greedy", -1.68),
    ],
)
def test_the_ladder_of_the_rule_players(
    game: str, player: str, opponent: str, least: float
) -> None:
    result = duplicate_match(load_player(player), load_player(opponent), game, 600, seed=11)
    assert (result.mean if game == "terz" else -result.mean) > least

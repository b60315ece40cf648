"""Intervals, duplicate deals and the random yardsticks."""

import numpy as np
import pytest
from numpy.typing import NDArray

from terz_env.envs.selfplay import SelfPlayBatch
from terz_env.evaluation.matches import MatchError, duplicate_match, own_result, play_seating
from terz_env.evaluation.statistics import estimate, student_t_975
from terz_env.games import get_game
from terz_env.players import load_player
from terz_env.players.random import RandomAnnouncePlayer, RandomPlayer


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

    def act(
        self,
        bits: NDArray[np.uint64],
        masks: NDArray[np.int8],
        seats: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Return the first legal action a row."""
        return masks.argmax(axis=1)


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
    with pytest.raises(MatchError, match="random:announce plays terz, not tetka"):
        duplicate_match(RandomAnnouncePlayer(), RandomPlayer(), "tetka", 4, seed=1)
    with pytest.raises(MatchError, match="at least 2 deals"):
        duplicate_match(RandomPlayer(), RandomPlayer(), "tetka", 1, seed=1)


def test_the_yardsticks_are_found_by_name() -> None:
    assert load_player("random").name == "random"
    assert load_player("random:announce").name == "random:announce"


def test_random_is_uniform_over_the_mask() -> None:
    masks = np.tile(np.array([0, 1, 0, 1, 1], dtype=np.int8), (30_000, 1))
    empty = np.zeros((30_000, 1), dtype=np.uint64)
    seats = np.zeros(30_000, dtype=np.int64)
    actions = RandomPlayer().act(empty, masks, seats, np.random.default_rng(1))
    shares = np.bincount(actions, minlength=5) / 30_000
    np.testing.assert_allclose(shares, [0, 1 / 3, 0, 1 / 3, 1 / 3], atol=0.015)


RANKS, SUITS = "789TJQKA", "SCDH"


def announced(hand: str, legal: list[int], trump: str = "H") -> int:
    """What `random:announce` does with this hand and these legal actions."""
    layout = get_game("terz").layout
    bits = np.zeros((1, layout.n_words), dtype=np.uint64)
    entries = [
        layout.field("hand").offset + SUITS.index(card[1]) * 8 + RANKS.index(card[0])
        for card in hand.split()
    ]
    entries.append(layout.field("trump_suit").offset + SUITS.index(trump))
    for entry in entries:
        bits[0, entry // 64] |= np.uint64(1) << np.uint64(entry % 64)
    masks = np.zeros((1, 74), dtype=np.int8)
    masks[0, legal] = 1
    player = RandomAnnouncePlayer()
    return int(player.act(bits, masks, np.zeros(1, dtype=np.int64), np.random.default_rng(0))[0])


def run_action(name: str) -> int:
    """The number of the run with this top card, such as ``JH``."""
    return 32 + SUITS.index(name[1]) * 6 + RANKS.index(name[0]) - 2


@pytest.mark.rule("T14")
@pytest.mark.rule("T16")
def test_random_announce_names_the_strongest_meld_first() -> None:
    fours = {"J": 56, "Q": 57, "K": 58, "A": 59}
    any_hand = "7S 8S 9S TS JS"
    assert announced(any_hand, list(fours.values())) == fours["J"]
    assert announced(any_hand, [fours["Q"], fours["K"], fours["A"]]) == fours["A"]
    assert announced(any_hand, [fours["Q"], fours["K"]]) == fours["K"]
    assert announced(any_hand, [fours["Q"], run_action("JS")]) == fours["Q"]
    longer = "7S 8S 9S TS QH KH AH"
    assert announced(longer, [run_action("TS"), run_action("AH")]) == run_action("TS")
    higher = "7S 8S 9S QC KC AC"
    assert announced(higher, [run_action("9S"), run_action("AC")]) == run_action("AC")
    trump = "7S 8S 9S 7H 8H 9H"
    assert announced(trump, [run_action("9S"), run_action("9H")], "H") == run_action("9H")
    assert announced(trump, [run_action("9S"), run_action("9H")], "S") == run_action("9S")


def test_random_announce_then_takes_marriage_and_exchange_before_a_card() -> None:
    assert announced("7S 8S 9S", [0, 1, 2, run_action("9S"), 60, 61]) == run_action("9S")
    assert announced("KH QH 7H", [24, 29, 30, 60, 61]) == 60
    assert announced("7H 8H", [24, 25, 61]) == 61
    assert announced("7H 8S", [1, 24]) in (1, 24)


def test_in_random_play_announcing_is_worth_many_points() -> None:
    result = duplicate_match(RandomAnnouncePlayer(), RandomPlayer(), "terz", 2000, seed=1)
    assert 15 < result.mean < 35


def test_a_batch_of_a_named_game_has_its_number_of_seats() -> None:
    batch = SelfPlayBatch("terz", 4, seed=1)
    assert batch.rewards.shape == (4, 2)

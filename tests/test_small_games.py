"""The small games M1-M3: every deal can be listed, and chance deals them all alike."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from terz_env.games import get_game
from terz_env.games.terz import deals as terz_deals
from terz_env.games.tetka import deals as tetka_deals
from terz_env.kernel import COMPILED
from terz_env.state import Deal, State

SMALL = {"terz_mini": 10_080, "terz_micro": 180, "tetka_micro": 2_520}
CARD_WORDS = {"terz": [0, 1, 8, 9], "tetka": [0, 1, 2, 3]}


def every_deal(name: str) -> list[State]:
    game = get_game(name)
    if game.family == "tetka":
        return [
            State.from_deal(name, Deal(0, **cards)) for cards in tetka_deals.enumerate_deals(game)
        ]
    return [State.from_deal(name, Deal(0, **cards)) for cards in terz_deals.enumerate_deals(game)]


def keys(words: np.ndarray, name: str) -> list[bytes]:
    """Returns the words that hold the cards dealt, one key a deal."""
    chosen = np.ascontiguousarray(words[:, CARD_WORDS[get_game(name).family]])
    return [row.tobytes() for row in chosen]


@pytest.mark.rule("M1", "M2", "M3")
@pytest.mark.parametrize("name", SMALL)
def test_every_deal_is_listed_once_and_chance_deals_them_all_alike(name: str) -> None:
    listed = keys(np.array([state.words for state in every_deal(name)]), name)
    n_cells = SMALL[name]
    assert len(listed) == len(set(listed)) == n_cells

    game = get_game(name)
    rows = 20 * n_cells if COMPILED else 3_600
    states = np.zeros((rows, game.n_words), np.int64)
    game.kernels.reset_batch(states, game.config_word(game.rules(), "deal"), 11, 0)
    dealt = Counter(keys(states, name))
    assert dealt.keys() <= set(listed)
    # Pearson's statistic of equal cells has the mean n - 1 and the variance 2 (n - 1)(1 - 1/rows).
    squares = sum(count * count for count in dealt.values())
    statistic = squares * n_cells / rows - rows
    deviation = (2 * (n_cells - 1) * (1 - 1 / rows)) ** 0.5
    assert abs(statistic - (n_cells - 1)) < 4 * deviation


@pytest.mark.rule("M3")
def test_the_photo_of_tetka_micro_is_the_ace_of_hearts_and_of_tetka_any_card() -> None:
    micro = tetka_deals.enumerate_deals(get_game("tetka_micro"))
    assert {cards["photo"] for cards in micro} == {"AH"}
    full = tetka_deals.enumerate_deals(get_game("tetka"))
    photos = [next(full)["photo"] for _ in range(53)]
    assert photos == [*get_game("tetka").deck.names, "2S"]


@pytest.mark.rule("M1", "M2", "M3")
@pytest.mark.parametrize(("name", "actions"), [("terz_mini", 9), ("terz_micro", 7)])
def test_a_small_game_has_its_own_actions(name: str, actions: int) -> None:
    assert get_game(name).n_actions == actions
    assert get_game(name).actions[-1] == "marriage"
    assert get_game("tetka_micro").n_actions == 8


@pytest.mark.rule("M1", "M2")
def test_a_marriage_of_a_small_game_counts_and_points_are_not_rounded() -> None:
    hands = [["QH", "KH"], ["QS", "AS"]]
    state = State.from_deal("terz_micro", Deal(1, hands, trump_card="AH", talon=["KS"]))
    for action in ("marriage", "QH", "QS", "KH", "AH", "AS", "KS"):
        assert action in state.legal_names()
        state.apply(action)
    assert state.card_points == [4, 38]
    assert state.scores == [24, 38]
    assert state.returns() == [-14, 14]

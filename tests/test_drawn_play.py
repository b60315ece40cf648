"""The engine and the slow reference agree on games whose every decision Hypothesis draws.

A failure shrinks to the plainest deal and the shortest play, and shows them as a record.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from terz_env.games import get_game
from terz_env.state import Deal, State
from tests.parity import DEALS, play_terz, play_terz_small, play_tetka, play_tetka_micro
from tests.sources import Rules, SeededSource

Choice = TypeVar("Choice")
GAMES = min(DEALS // 2, 300)
numbers_below = functools.cache(lambda size: st.integers(0, size - 1))


class DrawnSource(SeededSource):
    """Decides, and deals, by what Hypothesis draws."""

    def __init__(self, data: st.DataObject) -> None:
        self.seed = None
        self._data = data

    def pick(self, options: Sequence[Choice]) -> Choice:
        return options[self._data.draw(numbers_below(len(options)))]

    def happens(self, share: float) -> bool:
        return self._data.draw(numbers_below(100)) >= 100 * (1 - share)

    def start(self, game: str, rules: Rules, scope: str) -> State:
        dealers = range(get_game(game).n_seats)
        return State.from_deal(game, self._deal(game, self.pick(dealers)), rules, scope=scope)

    def next_deal(self, state: State) -> None:
        state.next_deal(self._deal(state.game.name, state.next_dealer))

    def _deal(self, name: str, dealer: int) -> Deal:
        game = get_game(name)
        pack = game.deck.members(game.cards)
        cards = self._data.draw(st.permutations(pack))
        cuts = [game.hand_size * seat for seat in range(game.n_seats + 1)]
        hands = [cards[start:end] for start, end in itertools.pairwise(cuts)]
        talon = cards[cuts[-1] :]
        if talon:
            return Deal(dealer, hands, trump_card=talon[-1], talon=talon[:-1])
        photo = "AH" if name == "tetka_micro" else self.pick(pack)
        return Deal(dealer, hands, photo=photo)


def drawn(games: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Runs a test for so many drawn games, the same ones every time."""
    return settings(
        max_examples=games,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.rule("T4", "T8", "T10", "T11", "T12", "T13", "T18", "T19", "T20", "T22", "T23")
@drawn(GAMES)
@given(st.data())
def test_terz_agrees_with_the_reference_on_drawn_games(data: st.DataObject) -> None:
    play_terz(DrawnSource(data), Counter())


@pytest.mark.rule("K2", "K3", "K4", "K5", "K6", "K7", "K10", "K11")
@drawn(GAMES)
@given(st.data())
def test_tetka_agrees_with_the_reference_on_drawn_games(data: st.DataObject) -> None:
    play_tetka(DrawnSource(data), Counter())


@pytest.mark.rule("M1", "M2", "M3")
@drawn(GAMES // 3)
@given(st.data(), st.sampled_from(["terz_mini", "terz_micro", "tetka_micro"]))
def test_the_small_games_agree_with_the_reference_on_drawn_games(
    data: st.DataObject, name: str
) -> None:
    if name == "tetka_micro":
        play_tetka_micro(DrawnSource(data))
    else:
        play_terz_small(name, DrawnSource(data))

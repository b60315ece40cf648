"""Terz: every deal there is, for the exact study of its small relatives (M1, M2)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TypedDict

from terz_env.game import Game


class TerzCards(TypedDict):
    """The cards of a deal, by the names that a deal as text gives them."""

    hands: list[list[str]]
    trump_card: str
    talon: list[str]


def enumerate_deals(game: Game) -> Iterator[TerzCards]:
    """Yields the cards of every deal once: hands as sets, the talon in order (Rules M1, M2).

    Args:
        game: Terz-mini has 10,080 deals and Terz-micro 180. Terz itself has about 2·10²⁴, of which
            nobody sees the last.

    Examples:
        >>> from terz_env.games import get_game
        >>> sum(1 for _ in enumerate_deals(get_game("terz_micro")))
        180
    """
    pack = game.deck.members(game.cards)
    for first in itertools.combinations(pack, game.hand_size):
        rest = [card for card in pack if card not in first]
        for second in itertools.combinations(rest, game.hand_size):
            left = [card for card in rest if card not in second]
            for talon in itertools.permutations(left):
                hands = [list(first), list(second)]
                yield TerzCards(hands=hands, trump_card=talon[-1], talon=list(talon[:-1]))

"""Tetka: every deal there is, for the exact study of its small relative (M3)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TypedDict

from terz_env.game import Game
from terz_env.games.tetka.state import MICRO_CARDS, MICRO_PHOTO


class TetkaCards(TypedDict):
    """The cards of a deal, by the names that a deal as text gives them."""

    hands: list[list[str]]
    photo: str


def enumerate_deals(game: Game) -> Iterator[TetkaCards]:
    """Yields the cards of every deal once: hands as sets, with every photo there is (Rule M3).

    Args:
        game: Tetka-micro has 2,520 deals, its photo is always AH. Tetka itself has about 3·10³⁰,
            of which nobody sees the last.

    Examples:
        >>> from terz_env.games import get_game
        >>> sum(1 for _ in enumerate_deals(get_game("tetka_micro")))
        2520
    """
    pack = game.deck.members(game.cards)
    photos = [game.deck.names[MICRO_PHOTO]] if game.cards == MICRO_CARDS else pack
    for hands in _hands(pack, game.hand_size):
        for photo in photos:
            yield TetkaCards(hands=[list(hand) for hand in hands], photo=photo)


def _hands(cards: Sequence[str], size: int) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yields every way to deal all cards into hands of one size."""
    if not cards:
        yield ()
        return
    for hand in itertools.combinations(cards, size):
        rest = [card for card in cards if card not in hand]
        for others in _hands(rest, size):
            yield (hand, *others)

"""Cards as text: rank and suit, `TS` is the ten of spades; suits in the order S, C, D, H."""

from __future__ import annotations

from collections.abc import Iterable

from terz_env.errors import PositionError

SUITS = "SCDH"
SYMBOLS = {"S": "♠", "C": "♣", "D": "♦", "H": "♥"}


class Deck:
    """The names of a pack: card number = suit · ranks + rank."""

    def __init__(self, ranks: str) -> None:
        """Builds the pack whose ranks, low to high in the natural order, are given."""
        self.ranks = ranks
        self.names = tuple(rank + suit for suit in SUITS for rank in ranks)
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def number(self, name: object) -> int:
        """Returns the number of a card; raises PositionError when there is no such card."""
        if not isinstance(name, str) or name not in self._numbers:
            raise PositionError(
                f"{name!r} is no card of this pack: a rank of {self.ranks} and a suit of {SUITS}"
            )
        return self._numbers[name]

    def members(self, cards: int) -> list[str]:
        """Returns the names of a set of cards, in ascending order."""
        return [name for number, name in enumerate(self.names) if cards >> number & 1]

    def card_set(self, names: Iterable[str]) -> int:
        """Returns the set of the named cards; raises PositionError when one is named twice."""
        cards = 0
        for name in names:
            bit = 1 << self.number(name)
            if cards & bit:
                raise PositionError(f"the card {name} is there twice")
            cards |= bit
        return cards


FULL_DECK = Deck("23456789TJQKA")
SHORT_DECK = Deck("789TJQKA")

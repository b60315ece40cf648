"""The text of a position: a game's name and fields `name=value`, separated by spaces.

Lists are separated by commas, what belongs to the seats by bars, seat 0 first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from terz_env.cards import Deck
from terz_env.errors import PositionError

MAX_TEXT = 4000
"""The longest text that is read; a position takes less than a fifth of it."""
MAX_NUMBER = 1 << 30
MAX_DEAL = 1 << 62
_NUMBER = re.compile(r"-?[0-9]{1,19}")
_SHOWN = 60


def split_text(text: object) -> tuple[str, dict[str, str]]:
    """Returns the name of the game and the fields of a text.

    Raises:
        PositionError: The text is none, is too long, or has a field without a value or twice.
    """
    if not isinstance(text, str) or not text.strip():
        raise PositionError("a position begins with the name of its game, like `tetka photo=5H …`")
    if len(text) > MAX_TEXT:
        raise PositionError(f"{len(text)} characters; a position has at most {MAX_TEXT}")
    game, *parts = text.split()
    fields: dict[str, str] = {}
    for part in parts:
        name, equals, value = part.partition("=")
        if not equals or not name or not value:
            raise PositionError(f"{_short(part)!r} is no field; write name=value")
        if name in fields:
            raise PositionError(f"the field {_short(name)} is there twice")
        fields[name] = value
    return game, fields


def join_text(game: str, fields: Mapping[str, str]) -> str:
    """Returns the text of a game and its fields."""
    return " ".join([game, *(f"{name}={value}" for name, value in fields.items())])


def join_cards(deck: Deck, cards: Iterable[int]) -> str:
    """Returns cards as text, in the order given."""
    return ",".join(deck.names[card] for card in cards)


def join_sets(deck: Deck, sets: Iterable[int]) -> str:
    """Returns a set of cards a seat as text."""
    return "|".join(",".join(deck.members(cards)) for cards in sets)


def join_trick(deck: Deck, leader: int, cards: Iterable[int]) -> str:
    """Returns a trick as text: the seat that led, and the cards in the order of play."""
    return f"{leader}:{join_cards(deck, cards)}"


class Fields:
    """The fields of one position, read with the game's deck and number of seats."""

    def __init__(self, deck: Deck, n_seats: int, values: Mapping[str, str]) -> None:
        """Keeps the fields as text."""
        self.deck = deck
        self.n_seats = n_seats
        self.values = values

    def check_names(self, game: str, known: Sequence[str]) -> None:
        """Refuses a field that the game does not have."""
        for name in self.values:
            if name not in known:
                raise PositionError(
                    f"{game} has no field {_short(name)!r}; the fields are scope, rules, "
                    f"{', '.join(known)}"
                )

    def has(self, name: str) -> bool:
        """Tells whether a field is there."""
        return name in self.values

    def refuse(self, name: str, why: str) -> PositionError:
        """Returns the error that a field's value is wrong."""
        return PositionError(f"{name}={_short(self.values.get(name, ''))}: {why}")

    def number(self, name: str, default: int, low: int, high: int) -> int:
        """Returns a whole number between two others."""
        return self._number(name, self.values.get(name, str(default)), low, high)

    def numbers(self, name: str, low: int, high: int) -> list[int] | None:
        """Returns a whole number a seat; None where the field is absent."""
        if name not in self.values:
            return None
        parts = self.values[name].split(",")
        if len(parts) != self.n_seats:
            raise self.refuse(name, f"{self.n_seats} whole numbers are needed, one a seat")
        return [self._number(name, part, low, high) for part in parts]

    def _number(self, name: str, text: str, low: int, high: int) -> int:
        if not _NUMBER.fullmatch(text):
            raise self.refuse(name, f"{_short(text)!r} is no whole number")
        if not low <= int(text) <= high:
            raise self.refuse(name, f"{text} is not between {low} and {high}")
        return int(text)

    def yes(self, name: str) -> bool:
        """Returns whether a mark `name=yes` is there."""
        if self.values.get(name, "yes") != "yes":
            raise self.refuse(name, "the only value is yes")
        return name in self.values

    def words(self, name: str) -> list[str]:
        """Returns the members of a list; none where the field is absent."""
        return self.values[name].split(",") if name in self.values else []

    def groups(self, name: str) -> list[list[str]] | None:
        """Returns a list a seat; None where the field is absent."""
        if name not in self.values:
            return None
        parts = self.values[name].split("|")
        if len(parts) != self.n_seats:
            raise self.refuse(name, f"{len(parts)} lists; {self.n_seats} are needed, one a seat")
        return [part.split(",") if part else [] for part in parts]

    def card(self, name: str) -> int | None:
        """Returns a card; None where the field is absent."""
        return self.deck.number(self.values[name]) if name in self.values else None

    def cards(self, name: str) -> list[int]:
        """Returns cards in their order; none where the field is absent."""
        return [self.deck.number(card) for card in self.words(name)]

    def sets(self, name: str) -> list[int] | None:
        """Returns a set of cards a seat; None where the field is absent."""
        groups = self.groups(name)
        return None if groups is None else [self.deck.card_set(group) for group in groups]

    def hands(self) -> list[int]:
        """Returns the hands; they cannot be absent."""
        hands = self.sets("hands")
        if hands is None:
            raise PositionError("the field hands is missing: the cards of every seat")
        return hands

    def tricks(self, name: str) -> list[tuple[int, list[int]]]:
        """Returns tricks as (seat that led, cards in the order of play)."""
        return [self._trick(name, text) for text in self.values.get(name, "").split("|") if text]

    def _trick(self, name: str, text: str) -> tuple[int, list[int]]:
        seat, colon, cards = text.partition(":")
        if not colon or not cards:
            raise self.refuse(name, "a trick is written as the seat that led, a colon, and cards")
        leader = self._number(name, seat, 0, self.n_seats - 1)
        played = [self.deck.number(card) for card in cards.split(",")]
        if len(played) > self.n_seats:
            raise self.refuse(name, f"{len(played)} cards in a trick; at most {self.n_seats}")
        return leader, played


def dealt_out(cards: Iterable[int], sizes: Sequence[int]) -> list[int]:
    """Returns sets of the given sizes: the lowest cards go to the first set, and so on."""
    left = sorted(cards)
    sets = []
    for size in sizes:
        sets.append(sum(1 << card for card in left[:size]))
        left = left[size:]
    return sets


def one_set(deck: Deck, game: str, pack: int, *parts: Iterable[int]) -> int:
    """Returns the union of lists of cards.

    Raises:
        PositionError: A card is there twice or does not belong to the game.
    """
    names = [deck.names[card] for part in parts for card in part]
    union = deck.card_set(names)
    if union & ~pack:
        raise PositionError(f"{' '.join(deck.members(union & ~pack))}: no cards of {game}")
    return union


def members(cards: int) -> list[int]:
    """Returns the numbers of the cards of a set, ascending."""
    return [card for card in range(cards.bit_length()) if cards >> card & 1]


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"

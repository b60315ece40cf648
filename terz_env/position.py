"""A position as it stands: what the rules say of it, and its identity."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env import facts as fact
from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games import get_game
from terz_env.notation import Fields, join_text
from terz_env.ruleset import RuleSet


class Position:
    """The words of the kernels, with names; to be read.

    Equality, hash, text and bytes cover game, rules, scope and the whole position.
    """

    def __init__(self, game: Game, rules: RuleSet, scope: str, words: NDArray[np.int64]) -> None:
        """Wraps words that are a position of this game, rule set and scope."""
        self.game = game
        self.rules = rules
        self.scope = scope
        self.words = words
        self._facts = np.empty(fact.N_FACTS, dtype=np.int64)

    def _fact(self, place: int) -> int:
        self.game.read_facts(self.words, self._facts)
        return int(self._facts[place])

    def _maybe(self, place: int) -> int | None:
        value = self._fact(place)
        return None if value < 0 else value

    def _seats(self, place: int) -> list[int]:
        self.game.read_facts(self.words, self._facts)
        values: list[int] = self._facts[place : place + self.game.n_seats].tolist()
        return values

    # Whose turn, and what lies where.

    @property
    def seat_to_act(self) -> int:
        """The seat to act; -1 once the deal is over."""
        return self._fact(fact.SEAT_TO_ACT)

    @property
    def deal_is_over(self) -> bool:
        """Whether the deal is over."""
        return self._fact(fact.DEAL_IS_OVER) == 1

    @property
    def is_over(self) -> bool:
        """Whether the deal (scope deal), match or rubber is over."""
        return self._fact(fact.IS_OVER) == 1

    @property
    def dealer(self) -> int:
        """The dealer of this deal."""
        return self._fact(fact.DEALER)

    @property
    def next_dealer(self) -> int:
        """The dealer of the next deal (Rules T25, K1)."""
        return self._fact(fact.NEXT_DEALER)

    @property
    def trick(self) -> int:
        """The number of the trick, from 1; once all are played, that of the last."""
        return self._fact(fact.TRICK)

    @property
    def leader(self) -> int:
        """The seat that leads, or has led, to the trick; after the last, the seat that took it."""
        return self._fact(fact.LEADER)

    @property
    def table(self) -> list[tuple[int, str]]:
        """The seats and cards of the trick in progress, in the order of play."""
        self.game.read_facts(self.words, self._facts)
        facts = self._facts.tolist()
        cards = facts[fact.TABLE_CARDS : fact.TABLE_CARDS + facts[fact.ON_TABLE]]
        return [
            ((facts[fact.LEADER] + place) % self.game.n_seats, self.game.deck.names[card])
            for place, card in enumerate(cards)
        ]

    @property
    def last_trick(self) -> list[tuple[int, str]]:
        """The seats and cards of the last complete trick (Rules T26, K9); none if it is not known.

        It is read from the text of the position, which takes under a millisecond.
        """
        values = self.game.write_fields(self.game, self.rules, self.scope, self.words)
        fields = Fields(self.game.deck, self.game.n_seats, values)
        tricks = fields.tricks("tricks" if self.game.family == "tetka" else "last")
        if not tricks:
            return []
        leader, cards = tricks[-1]
        return [
            ((leader + place) % self.game.n_seats, self.game.deck.names[card])
            for place, card in enumerate(cards)
        ]

    def hand(self, seat: int) -> list[str]:
        """Returns the cards in a seat's hand."""
        return self.game.deck.members(self._seats(fact.HANDS)[self._checked_seat(seat)])

    def known_cards(self, seat: int) -> list[str]:
        """Returns the cards that everybody knows to be in a seat's hand (Rules T7, T13, T21)."""
        return self.game.deck.members(self._seats(fact.KNOWN)[self._checked_seat(seat)])

    def _checked_seat(self, seat: int) -> int:
        if not 0 <= seat < self.game.n_seats:
            raise PositionError(f"there is no seat {seat}; 0 to {self.game.n_seats - 1}")
        return seat

    @property
    def trump_card(self) -> str | None:
        """The trump card, also after it has been drawn; None in Tetka."""
        return self._card(fact.TRUMP_CARD)

    @property
    def talon_size(self) -> int:
        """The number of cards in the talon, the trump card counted; 0 in Tetka."""
        return self._fact(fact.TALON_SIZE)

    @property
    def break_is_pending(self) -> bool:
        """Whether the loser of trick 1 is to break the deck (Rule T8)."""
        return self._fact(fact.BREAK_PENDING) == 1

    @property
    def photo(self) -> str | None:
        """The photo; None in Terz."""
        return self._card(fact.PHOTO)

    def _card(self, place: int) -> str | None:
        card = self._maybe(place)
        return None if card is None else self.game.deck.names[card]

    @property
    def counting_trick(self) -> int | None:
        """The number of the counting trick (Rule K4); None in Terz."""
        return self._maybe(fact.COUNTING_TRICK)

    def legal_actions(self) -> list[int]:
        """Returns the lawful actions of the seat to act, ascending; none once the deal is over."""
        mask = np.zeros(_MASKS[self.game.family], dtype=np.int8)
        self.game.kernels.mask_one(self.words, mask)
        lawful = mask.tolist()
        return [action for action, number in enumerate(self.game.engine_actions) if lawful[number]]

    def legal_names(self) -> list[str]:
        """Returns the names of the lawful actions."""
        return [self.game.actions[action] for action in self.legal_actions()]

    # Points, marks and scores; lists with a number a seat, empty in the other game.

    @property
    def scores(self) -> list[int]:
        """The running scores; melds count at once, cards and marks at the end of a deal."""
        return self._seats(fact.SCORES)

    @property
    def winner(self) -> int | None:
        """The winner of a Terz match, None before its end."""
        return self._maybe(fact.WINNER)

    @property
    def raises(self) -> list[int]:
        """The raises of a Terz match (Rule T27)."""
        return self._of("terz", fact.RAISES)

    @property
    def card_points(self) -> list[int]:
        """The card points of the tricks taken so far (Terz)."""
        return self._of("terz", fact.CARD_POINTS)

    @property
    def meld_points(self) -> list[int]:
        """The points of the melds recorded in this deal (Terz)."""
        return self._of("terz", fact.MELD_POINTS)

    @property
    def deductions(self) -> list[int]:
        """The deductions of this deal, of scope deal (Terz, Rule T27)."""
        return self._of("terz", fact.DEDUCTIONS)

    @property
    def marks(self) -> list[int]:
        """The marks given so far in this deal (Tetka)."""
        return self._of("tetka", fact.MARKS)

    @property
    def trick_counts(self) -> list[int]:
        """The tricks taken so far in this deal (Tetka), as taken."""
        return self._of("tetka", fact.TRICK_COUNTS)

    def _of(self, family: str, place: int) -> list[int]:
        return self._seats(place) if self.game.family == family else []

    def returns(self) -> list[int]:
        """Returns what each seat receives; zeros before the end (Rules T23, T24, K7)."""
        if not self.is_over:
            return [0] * self.game.n_seats
        return [
            int(self.game.kernels.result_one(self.words, seat)) for seat in range(self.game.n_seats)
        ]

    # Identity.

    def to_text(self) -> str:
        """Returns the position as one line (docs/notation.md)."""
        head = {} if self.scope == "deal" else {"scope": self.scope}
        defaults = self.game.rules().to_dict()
        options = [
            f"{name}={value}"
            for name, value in self.rules.to_dict().items()
            if value != defaults[name]
        ]
        if options:
            head["rules"] = ",".join(options)
        fields = self.game.write_fields(self.game, self.rules, self.scope, self.words)
        return join_text(self.game.name, head | fields)

    def to_bytes(self) -> bytes:
        """Returns the position as bytes, little-endian words."""
        return self.words.astype("<i8").tobytes()

    def __eq__(self, other: object) -> bool:
        """Tells whether game, rules, scope and position are the same."""
        if not isinstance(other, Position):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        """Hashes what `==` compares."""
        return hash(self._key())

    def _key(self) -> tuple[str, RuleSet, str, bytes]:
        return (self.game.name, self.rules, self.scope, self.words.tobytes())

    def __reduce__(self) -> tuple[object, ...]:
        """Pickles the game by name and the words as bytes."""
        return (_restore, (type(self), self.game.name, self.rules, self.scope, self.to_bytes()))


_MASKS = {"terz": 74, "tetka": 52}
"""The number of actions that the kernels of a family know."""


def _restore(kind: type[Position], name: str, rules: RuleSet, scope: str, data: bytes) -> Position:
    return kind(get_game(name), rules, scope, np.frombuffer(data, dtype="<i8").astype(np.int64))

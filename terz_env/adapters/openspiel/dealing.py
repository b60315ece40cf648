"""The chance of a deal, one random event after another: dealer, photo, cards (T4, K1, K2, M1–M3).

Games with the full pack are dealt card by card. The hands of the small games are dealt as
combinations, so that their trees stay small. Every outcome of an event is equally likely; where one
only is left there is no event.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from terz_env.deal import Deal, check_dealer
from terz_env.errors import IllegalActionError
from terz_env.game import Game

BY_LOT = -1
"""The dealer is drawn by lot (Rules T4, K1)."""

DEALER, PHOTO, CARD, HAND, TRUMP_CARD, TALON = range(6)
_NAMES = ("dealer", "photo", "card", "hand", "trump_card", "talon")
_PACKETS = {"terz": 3, "tetka": 1}
"""So many cards are dealt to a seat at a time (Rule T4); K1 leaves it open."""


class Past(NamedTuple):
    """What has happened so far: the outcomes, and the cards dealt, as a set of places."""

    outcomes: tuple[int, ...] = ()
    gone: int = 0


class Dealing:
    """The events of a deal in order.

    An outcome is a seat, a card by its place in the pack, or a hand by its place among all hands.
    Cards are dealt from the dealer's left on, the dealer last.
    """

    def __init__(self, game: Game, dealer: int = BY_LOT) -> None:
        """Takes the game and, where it is fixed, the dealer.

        Raises:
            PositionError: There is no such seat.
        """
        self.game = game
        self.dealer = dealer if dealer == BY_LOT else check_dealer(dealer, game.n_seats)
        self._pack = game.deck.members(game.cards)
        self._at_once = game.name != game.family
        places = range(len(self._pack)) if self._at_once else ()
        self._hands = list(itertools.combinations(places, game.hand_size))
        self._sets = [sum(1 << place for place in hand) for hand in self._hands]
        self._steps = self._declare()

    def __reduce__(self) -> tuple[type[Dealing], tuple[Game, int]]:
        """Pickles and copies what it is made from."""
        return Dealing, (self.game, self.dealer)

    def _declare(self) -> list[tuple[int, int]]:
        """Returns every event with the place, from the dealer's left, of the seat it is for."""
        game = self.game
        steps = [(DEALER, 0)] if self.dealer == BY_LOT else []
        seats = range(game.n_seats)
        if self._at_once:
            steps += [(HAND, seat) for seat in seats]
        else:
            steps += [(PHOTO, 0)] if game.family == "tetka" else []
            packet = _PACKETS[game.family]
            for _ in range(game.hand_size // packet):
                steps += [(CARD, seat) for seat in seats for _ in range(packet)]
        if game.talon_size:
            steps += [(TRUMP_CARD, 0), *[(TALON, 0)] * (game.talon_size - 1)]
        return steps[:-1]  # the last card, or hand, is what is left

    @property
    def n_events(self) -> int:
        """The number of events of a deal."""
        return len(self._steps)

    @property
    def most_outcomes(self) -> int:
        """A number that is above every outcome."""
        return max(self.game.n_seats, len(self._hands), len(self._pack))

    def outcomes(self, past: Past) -> list[int]:
        """Returns what the next event can bring, ascending."""
        kind, _ = self._steps[len(past.outcomes)]
        if kind == HAND:
            return [number for number, cards in enumerate(self._sets) if not cards & past.gone]
        gone = past.gone if self._takes_cards(kind) else 0
        return [number for number in range(self._size(kind)) if not gone >> number & 1]

    def after(self, past: Past, outcome: int) -> Past:
        """Returns what has happened after one more event.

        Raises:
            IllegalActionError: The event cannot bring this outcome.
        """
        kind, _ = self._steps[len(past.outcomes)]
        exists = 0 <= outcome < self._size(kind)
        cards = self._cards(kind, outcome) if exists and self._takes_cards(kind) else 0
        if not exists or cards & past.gone:
            raise IllegalActionError(
                f"chance cannot bring {outcome} here: the next event is {_NAMES[kind]}, of "
                f"{self.outcomes(past)}"
            )
        return Past((*past.outcomes, outcome), past.gone | cards)

    def _size(self, kind: int) -> int:
        """Returns the number of outcomes that an event of a kind has at most."""
        if kind == DEALER:
            return self.game.n_seats
        return len(self._hands) if kind == HAND else len(self._pack)

    def _takes_cards(self, kind: int) -> bool:
        return kind not in (DEALER, PHOTO)

    def _cards(self, kind: int, outcome: int) -> int:
        """Returns the cards that an event takes out of the pack, as a set of places."""
        return self._sets[outcome] if kind == HAND else 1 << outcome

    def _named(self, kind: int, outcome: int) -> list[str]:
        """Returns the cards that an event turns up, deals or shows."""
        places = self._hands[outcome] if kind == HAND else (outcome,)
        return [self._pack[place] for place in places]

    def name(self, past: Sequence[int], outcome: int) -> str:
        """Returns the outcome that follows these in words, such as ``card:AS:seat_1``."""
        kind, place = self._steps[len(past)]
        if kind == DEALER:
            return f"{_NAMES[kind]}:seat_{outcome}"
        said = f"{_NAMES[kind]}:{'+'.join(self._named(kind, outcome))}"
        return f"{said}:seat_{self._seat(past, place)}" if kind in (CARD, HAND) else said

    def _seat(self, past: Sequence[int], place: int) -> int:
        """Returns the seat at a place from the dealer's left."""
        dealer = past[0] if self.dealer == BY_LOT else self.dealer
        return (dealer + 1 + place) % self.game.n_seats

    def words(self, past: Sequence[int]) -> str:
        """Returns outcomes in words."""
        return " ".join(self.name(past[:step], outcome) for step, outcome in enumerate(past))

    def deal(self, past: Past) -> Deal:
        """Returns the deal that all events together have brought."""
        hands: list[list[str]] = [[] for _ in range(self.game.n_seats)]
        single: dict[int, str] = {}
        talon: list[str] = []
        for (kind, place), outcome in zip(self._steps, past.outcomes, strict=True):
            if kind in (CARD, HAND):
                hands[self._seat(past.outcomes, place)] += self._named(kind, outcome)
            elif kind == TALON:
                talon += self._named(kind, outcome)
            elif kind != DEALER:
                (single[kind],) = self._named(kind, outcome)
        dealer = self._seat(past.outcomes, -1)
        left = [card for place, card in enumerate(self._pack) if not past.gone >> place & 1]
        if self.game.talon_size:
            return Deal(dealer, hands, trump_card=single[TRUMP_CARD], talon=[*talon, *left])
        hands[dealer] += left
        return Deal(dealer, hands, photo=single.get(PHOTO, self._pack[-1]))

    def outcomes_of(self, deal: Deal) -> list[int]:
        """Returns the outcomes that bring a deal; within a hand the lowest card comes first."""
        places = {card: place for place, card in enumerate(self._pack)}
        hands = [sorted(places[card] for card in hand) for hand in deal.hands]
        talon = [places[card] for card in deal.talon]
        past: list[int] = []
        for kind, place in self._steps:
            if kind == DEALER:
                past.append(deal.dealer)
            elif kind == HAND:
                past.append(self._hands.index(tuple(hands[self._seat([deal.dealer], place)])))
            elif kind == CARD:
                past.append(hands[self._seat([deal.dealer], place)].pop(0))
            elif kind == TALON:
                past.append(talon.pop(0))
            else:
                past.append(places[str(deal.photo if kind == PHOTO else deal.trump_card)])
        return past

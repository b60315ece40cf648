"""Slow, obvious reference of Tetka (Rules K1-K11) and of its small game (Rule M3).

Cards are strings such as ``"TS"``. Nothing here is fast and nothing is shared with the engine.
Every public event is a dictionary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Event = dict[str, Any]
Rules = dict[str, str | int]

SUITS = "SCDH"
RANKS = "23456789TJQKA"  # low to high (Rule K1)
PHOTO_VALUES = {rank: value for value, rank in enumerate("A23456789TJQK", start=1)}  # Rule K4
MARKS_TO_END = 21  # Rule K6
REVOKE_TRICKS = 3  # Rule K10

DEFAULT_RULES: Rules = {"illegal_actions": "raise"}


def counting_trick(photo: str) -> int:
    """Return the number of the trick that gives a mark (Rule K4)."""
    return PHOTO_VALUES[photo[0]]


def followers(hand: Iterable[str], suit_led: str | None) -> set[str]:
    """Return the cards that may be played (Rule K3)."""
    cards = set(hand)
    of_suit = {card for card in cards if card[1] == suit_led}
    return of_suit or cards


def trick_winner(trick: Sequence[tuple[int, str]]) -> int:
    """Return the seat that takes a trick of (seat, card) pairs, the lead first (Rule K3)."""
    suit_led = trick[0][1][1]
    of_suit = [(seat, card) for seat, card in trick if card[1] == suit_led]
    return max(of_suit, key=lambda play: RANKS.index(play[1][0]))[0]


def trick_marks(cards: Iterable[str], number: int, photo: str) -> int:
    """Return the marks that a trick gives at once (Rule K4): queens, photo, counting trick."""
    cards = list(cards)
    queens = sum(card[0] == "Q" for card in cards)
    return queens + (photo in cards) + (number == counting_trick(photo))


def most_tricks(counts: Sequence[int], last_tricks: Sequence[int], dealer: int) -> int:
    """Return the seat that has the mark for the most tricks (Rules K5, K10).

    Args:
        counts: Tricks of each seat, revokes counted in.
        last_tricks: The number of the last trick that each seat took, 0 if it took none.
        dealer: The dealer, from whose left seats are counted if no tied seat took a trick.
    """
    seats = len(counts)
    from_left = [(dealer + 1 + place) % seats for place in range(seats)]
    tied = [seat for seat in from_left if counts[seat] == max(counts)]
    return max(tied, key=lambda seat: last_tricks[seat])  # the first of equal ones, all without


def settled(scores: Sequence[int]) -> list[int]:
    """Return what each seat receives when every pair settles its difference (Rule K7)."""
    return [sum(scores) - len(scores) * score for score in scores]


class TetkaReference:
    """One deal of Tetka at a time, and the rubber around it."""

    ranks = RANKS
    suits = SUITS
    marks_in_a_deal = 7  # Rule K4

    def __init__(
        self,
        rules: Rules,
        scope: str,
        dealer: int,
        hands: Sequence[Iterable[str]],
        photo: str,
        start_scores: Sequence[int] = (0, 0, 0, 0),
    ) -> None:
        """Start the first deal.

        Args:
            rules: The options that differ from the defaults, or all of them.
            scope: ``"deal"`` or ``"rubber"``.
            dealer: The seat that dealt.
            hands: The cards of each seat.
            photo: The card turned from the second pack.
            start_scores: Marks before the first deal.

        Raises:
            ValueError: If an option is unknown.
        """
        unknown = set(rules) - set(DEFAULT_RULES)
        if unknown:
            raise ValueError(f"unknown options: {sorted(unknown)}")
        self.rules: Rules = DEFAULT_RULES | rules
        self.scope = scope
        self.scores = list(start_scores)
        self.rubber_over = False
        self._deal(dealer, hands, photo)

    def _deal(self, dealer: int, hands: Sequence[Iterable[str]], photo: str) -> None:
        """Lay out a deal: the seat on the dealer's left leads (Rules K1, K2, K3)."""
        self.dealer = dealer
        self.hands = [set(hand) for hand in hands]
        self.photo = photo
        pack = sorted(rank + suit for rank in self.ranks for suit in self.suits)
        dealt = sorted(card for hand in self.hands for card in hand)
        if dealt != pack or len({len(hand) for hand in self.hands}) != 1 or photo not in pack:
            raise ValueError("the deal is not a whole pack, dealt evenly (Rules K1, K2)")

        self.trick_number = 1
        self.trick: list[tuple[int, str]] = []
        self.to_act: int | None = (dealer + 1) % 4
        self.deal_over = False
        self.next_dealer = (dealer + 1) % 4  # after a forfeit too (Rules K1, K11)
        self.marks = [0, 0, 0, 0]
        self.trick_counts = [0, 0, 0, 0]
        self.penalties: list[dict[str, Any]] = []

        self._step = 0  # index of the next action in the record
        self._last_tricks = [0, 0, 0, 0]
        self._revokes = [0, 0, 0, 0]
        self._voids: list[set[str]] = [set(), set(), set(), set()]

    def next_deal(self, hands: Sequence[Iterable[str]], photo: str) -> None:
        """Start the next deal of a rubber; the deal passes to the left (Rule K1).

        Raises:
            ValueError: If no further deal is due.
        """
        if self.scope != "rubber" or self.rubber_over or not self.deal_over:
            raise ValueError("no further deal is due")
        self._deal(self.next_dealer, hands, photo)

    @property
    def settlement(self) -> list[int]:
        """What each seat receives by the present scores (Rule K7)."""
        return settled(self.scores)

    # ----------------------------------------------------------------------- acting

    @property
    def _suit_led(self) -> str | None:
        """The suit of the trick on the table, None before a lead."""
        return self.trick[0][1][1] if self.trick else None

    def legal(self) -> list[str]:
        """Return the lawful cards of the seat to act, none when the deal is over (Rule K3)."""
        if self.to_act is None:
            return []
        lawful = followers(self.hands[self.to_act], self._suit_led)
        return [rank + suit for suit in self.suits for rank in self.ranks if rank + suit in lawful]

    def apply(self, action: str) -> list[Event]:
        """Play a card for the seat to act and return the public events.

        Raises:
            ValueError: If the deal is over, or the action is unlawful and the rules say ``raise``.
                Nothing has changed then.
        """
        if self.to_act is None:
            raise ValueError(f"{action!r}: the deal is over")
        seat = self.to_act
        if action in self.legal():
            events = self._play(seat, action)
        elif self.rules["illegal_actions"] == "raise":
            lawful = " ".join(self.legal())
            raise ValueError(f"seat {seat} may not do {action!r}; legal: {lawful}")
        elif self.rules["illegal_actions"] == "penalise" and action in self.hands[seat]:
            self._note_revoke(seat)
            events = self._play(seat, action)
        else:
            events = self._forfeit(seat)
        self._step += 1
        return events

    def _play(self, seat: int, card: str) -> list[Event]:
        """Play a card; the fourth completes the trick (Rule K3)."""
        suit_led = self._suit_led
        if suit_led is not None and card[1] != suit_led:
            self._voids[seat].add(suit_led)
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        events: list[Event] = [{"type": "play", "player": seat, "card": card}]
        if len(self.trick) < 4:
            self.to_act = (seat + 1) % 4
            return events
        return events + self._take_trick()

    def _take_trick(self) -> list[Event]:
        """Give the trick and its marks to the winner, who leads next (Rules K3, K4)."""
        winner = trick_winner(self.trick)
        cards = [card for _, card in self.trick]
        marks = trick_marks(cards, self.trick_number, self.photo)
        self.marks[winner] += marks
        self.trick_counts[winner] += 1
        self._last_tricks[winner] = self.trick_number
        events: list[Event] = [
            {"type": "trick", "winner": winner, "number": self.trick_number, "marks": marks}
        ]
        self.trick = []
        if not any(self.hands):
            self.marks[most_tricks(self._adjusted_counts(), self._last_tricks, self.dealer)] += 1
            return events + self._end()
        self.trick_number += 1
        self.to_act = winner
        return events

    def _adjusted_counts(self) -> list[int]:
        """Return the tricks of each seat with the revokes counted in (Rule K10)."""
        counts = list(self.trick_counts)
        for offender in range(4):
            for seat in range(4):
                change = REVOKE_TRICKS if seat == offender else -1
                counts[seat] += change * self._revokes[offender]
        return counts

    def _note_revoke(self, seat: int) -> None:
        """Note a revoke, which stays secret until the end of the deal (Rule K10)."""
        self._revokes[seat] += 1
        self.penalties.append(
            {"player": seat, "step": self._step, "kind": "revoke", "points": REVOKE_TRICKS}
        )

    def _forfeit(self, seat: int) -> list[Event]:
        """Give the offender all marks of the deal, which ends (Rule K11)."""
        points = self.marks_in_a_deal
        self.marks = [0, 0, 0, 0]
        self.marks[seat] = points
        self.penalties.append(
            {"player": seat, "step": self._step, "kind": "forfeit", "points": points}
        )
        event: Event = {"type": "penalty", "player": seat, "kind": "forfeit", "points": points}
        return [event, *self._end()]

    def _end(self) -> list[Event]:
        """End the deal, and the rubber if somebody has 21 marks (Rule K6)."""
        self.to_act = None
        self.deal_over = True
        for seat in range(4):
            self.scores[seat] += self.marks[seat]
        self.rubber_over = self.scope == "rubber" and max(self.scores) >= MARKS_TO_END
        return [{"type": "deal_end"}]

    # ----------------------------------------------------------------------- what is public

    def public_voids(self, player: int) -> set[str]:
        """Return the suits that a seat's discards prove it not to hold (Rules K3, K10)."""
        if self.rules["illegal_actions"] == "penalise":
            return set()
        return set(self._voids[player])


class TetkaMicroReference(TetkaReference):
    """The small game of Tetka (Rule M3): eight cards, two tricks, the photo is AH."""

    ranks = "JQKA"
    suits = "SH"
    marks_in_a_deal = 5

    def __init__(self, dealer: int, hands: Sequence[Iterable[str]]) -> None:
        """Start a deal of two cards for each seat."""
        super().__init__({}, "deal", dealer, hands, "AH")

"""The yardstick `greedy`, slow and obvious: names of cards, sets, exact fractions."""

from __future__ import annotations

from fractions import Fraction

from terz_env.state import State

TENTH = Fraction(1, 10)
PLAIN, TRUMPS = "789JQKTA", "78QKTA9J"
PLAIN_POINTS = {"A": 11, "T": 10, "K": 3, "Q": 2, "J": 1}
TRUMP_POINTS = {"J": 20, "9": 13, "A": 11, "T": 10, "K": 3, "Q": 2}
FOURS = ["four:J", "four:A", "four:K", "four:Q"]
NATURAL = "789TJQKA"


def table_card(state: State) -> str | None:
    """Returns the card led in the trick on the table (Terz)."""
    table = int(state.words[10])
    return state.game.deck.names[table & 31] if table >> 5 & 1 else None


def unseen(state: State, seat: int) -> set[str]:
    """Returns the cards that are neither played nor in the hand of the seat."""
    seats = state.game.n_seats
    pack = set(state.game.deck.members(state.game.cards))
    for other in range(seats):
        pack -= set(state.game.deck.members(int(state.words[seats + other])))
    return pack - set(state.hand(seat))


def first(cards: list[str], state: State) -> list[str]:
    """Returns the cards in the order S C D H, each suit from low to high."""
    return sorted(cards, key=state.game.deck.names.index)


class TerzGreedy:
    """What `greedy` plays in a position of Terz."""

    def __init__(self, state: State) -> None:
        """Looks at the position from the seat to act."""
        self.state = state
        self.seat = state.seat_to_act
        self.trump = state.game.deck.names[int(state.words[10]) >> 14 & 31][1]
        tricks = int(state.words[10]) >> 8 & 31
        self.closed = tricks >= state.game.talon_size // 2

    def points(self, card: str) -> int:
        """Returns the points of a card."""
        return (TRUMP_POINTS if card[1] == self.trump else PLAIN_POINTS).get(card[0], 0)

    def order(self, card: str) -> str:
        """Returns the ranks of the card's suit, low to high."""
        return TRUMPS if card[1] == self.trump else PLAIN

    def place(self, card: str) -> int:
        """Returns the place of a card in its suit, 0–7."""
        return self.order(card).index(card[0])

    def run_length(self, top: str) -> int:
        """Returns the length of the run in the hand below a top card."""
        hand, length = self.state.hand(self.seat), 0
        for rank in reversed(NATURAL[: NATURAL.index(top[0]) + 1]):
            if rank + top[1] not in hand:
                break
            length += 1
        return length

    def meld_key(self, name: str) -> tuple[int, int, int, bool]:
        """Returns the strength of a meld."""
        if name.startswith("four"):
            return (1, -FOURS.index(name), 0, False)
        top = name.split(":")[1]
        return (0, self.run_length(top), NATURAL.index(top[0]), top[1] == self.trump)

    def action(self) -> str:
        """Returns the name of the action."""
        legal = self.state.legal_names()
        if "break:2" in legal:
            return "break:2"
        melds = [name for name in legal if name.startswith(("run", "four"))]
        if melds:
            return max(melds, key=self.meld_key)
        for name in ("marriage", "seven"):
            if name in legal:
                return name
        led = table_card(self.state)
        cards = first(legal, self.state)
        return max(cards, key=lambda card: self.reply(card, led) if led else self.lead(card))

    def lead(self, card: str) -> Fraction:
        """Returns the value of a lead."""
        points, ranks = self.points(card), self.order(card)
        above = {rank + card[1] for rank in ranks[ranks.index(card[0]) + 1 :]}
        beatable = bool(above & unseen(self.state, self.seat))
        if card[1] == self.trump:
            if beatable:
                return Fraction(-points - (5 if self.closed else 10))
            return Fraction(20 + points) if self.closed else -2 * TENTH * points - 3
        if beatable:
            return -points - TENTH * self.place(card)
        return Fraction(points + 5) if self.closed else 3 * TENTH * points

    def reply(self, card: str, led: str) -> Fraction:
        """Returns the value of a reply."""
        trump = card[1] == self.trump
        wins = self.place(card) > self.place(led) if card[1] == led[1] else trump
        if wins:
            value = Fraction(self.points(card) + self.points(led))
            if trump and self.closed:
                value -= 3 + Fraction(self.place(card), 2)
            elif trump:
                value -= 9 + self.place(card)
            return value
        value = -Fraction(3, 2) * self.points(card) - TENTH * self.place(card)
        return value - 6 - self.place(card) if trump else value


class TetkaGreedy:
    """What `greedy` plays in a position of Tetka."""

    def __init__(self, state: State) -> None:
        """Looks at the position from the seat to act."""
        self.state = state
        self.seat = state.seat_to_act
        self.hand = state.hand(self.seat)
        self.unseen = unseen(state, self.seat)
        table = int(state.words[12])
        self.names = state.game.deck.names
        self.photo = self.names[table >> 42 & 63]
        self.count = table >> 24 & 3
        self.winning = self.names[table >> 30 & 63]

    def rank(self, card: str) -> int:
        """Returns the rank of a card, 0–12."""
        return self.state.game.deck.ranks.index(card[0])

    def is_above(self, card: str, other: str) -> bool:
        """Tells whether a card stands above another unseen one of its suit."""
        return card[1] == other[1] and self.rank(card) > self.rank(other) and other in self.unseen

    def own(self, card: str) -> int:
        """Returns the number of own cards of the suit."""
        return sum(other[1] == card[1] for other in self.hand)

    def action(self) -> str:
        """Returns the name of the action."""
        cards = first(self.state.legal_names(), self.state)
        if len(cards) == 1:
            return cards[0]
        if self.count == 0:
            return min(cards, key=self.lead)
        if cards[0][1] == self.winning[1]:
            return self.follow(cards)
        return self.void(cards)

    def lead(self, card: str) -> Fraction:
        """Returns the cost of a lead."""
        suit = [other for other in self.unseen if other[1] == card[1]]
        lower = sum(self.rank(other) < self.rank(card) for other in suit)
        higher = len(suit) - lower
        cost = Fraction(2 * lower - higher) - 2 * TENTH * (13 - self.own(card))
        cost += 6 * (card[0] == "Q") + 6 * (card == self.photo) + 3 * (higher == 0)
        return cost + 4 * self.is_above(card, "Q" + card[1])

    def follow(self, cards: list[str]) -> str:
        """Returns the card that follows suit."""
        below = [card for card in cards if self.rank(card) < self.rank(self.winning)]
        if below:
            for card in (self.photo, "Q" + cards[0][1]):
                if card in below:
                    return card
            return below[-1]
        cheap = [card for card in cards if card[0] != "Q" and card != self.photo]
        if not cheap:
            return cards[0]
        return cheap[-1] if self.count == 3 else cheap[0]

    def void(self, cards: list[str]) -> str:
        """Returns the card given away on another suit."""
        if self.photo in cards:
            return self.photo
        queens = [card for card in cards if card[0] == "Q"]
        if queens:
            return queens[0]
        return max(
            cards,
            key=lambda card: (
                self.rank(card)
                + 8 * self.is_above(card, "Q" + card[1])
                + 6 * self.is_above(card, self.photo)
                - self.own(card)
            ),
        )


def greedy(state: State) -> str:
    """Returns the action of `greedy` by name."""
    return (TerzGreedy if state.game.family == "terz" else TetkaGreedy)(state).action()

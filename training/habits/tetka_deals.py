"""Tetka deals in columns: tricks, hands, marks."""

import numpy as np

from terz_env.games.tetka.state import (
    DEALER,
    HAND,
    LEADER,
    MARKS,
    PHOTO,
    QUEENS,
    TABLE,
    TALLY,
    TRICKS_TAKEN,
)
from training.habits.playing import Played
from training.habits.tally import Numbers, Truths

SEATS, TRICKS, RANKS = 4, 13, 13
JACK, QUEEN, KING, ACE = 9, 10, 11, 12
PIPS = 2
"""A rank, from 0, is told by its pips: two to ten, then 11 to 14."""


class TetkaDeals:
    """What was played, in columns: D deals of thirteen tricks of four cards.

    Attributes:
        cards: ``(D, 13, 4)`` the cards in the order of play.
        seats: ``(D, 13, 4)`` who played them.
        hands: ``(D, 13, 4)`` the hand of who played, before it did.
        all_hands: ``(D, 13, 4)`` the hand of every seat before the trick.
        winner: ``(D, 13)`` who took.
        photo: ``(D,)`` the photo.
        counting: ``(D,)`` the number of the counting trick, from 1.
        number: ``(13,)`` the numbers of the tricks.
        first: ``(D,)`` who led to trick 1.
        marks: ``(D, 4)`` by seat.
        taken: ``(D, 4)`` tricks by seat.
    """

    def __init__(self, played: Played) -> None:
        """Read the positions."""
        shape = (len(played.finals), TRICKS, SEATS)
        states = played.states.reshape(*shape, -1)
        finals = played.finals
        table = states[..., TABLE]
        self.cards: Numbers = played.actions.reshape(shape)
        leader = table[:, :, 0] >> LEADER & 3
        self.seats: Numbers = (leader[..., None] + np.arange(SEATS)) % SEATS
        self.hands: Numbers = np.take_along_axis(
            states[..., HAND : HAND + SEATS], self.seats[..., None], axis=-1
        )[..., 0]
        self.all_hands: Numbers = states[:, :, 0, HAND : HAND + SEATS]
        last = finals[:, TABLE] >> LEADER & 3
        self.winner: Numbers = np.concatenate([leader[:, 1:], last[:, None]], axis=1)
        self.photo: Numbers = finals[:, TABLE] >> PHOTO & 63
        rank = self.photo % RANKS
        self.counting: Numbers = np.where(rank == ACE, 1, rank + PIPS)
        self.number: Numbers = np.arange(1, TRICKS + 1)
        self.first: Numbers = ((finals[:, TABLE] >> DEALER & 3) + 1) % SEATS
        places = 4 * np.arange(SEATS)
        self.marks: Numbers = finals[:, TALLY, None] >> MARKS + places & 15
        self.taken: Numbers = finals[:, TALLY, None] >> TRICKS_TAKEN + places & 15

    @property
    def suits(self) -> Numbers:
        """The suits of the cards played ``(D, 13, 4)``."""
        return self.cards // RANKS

    @property
    def ranks(self) -> Numbers:
        """Their ranks, from 0."""
        return self.cards % RANKS

    @property
    def led(self) -> Numbers:
        """The suit led ``(D, 13, 1)``."""
        return self.suits[..., :1]

    @property
    def best(self) -> Numbers:
        """The highest rank of the suit led before each card ``(D, 13, 4)``, -1 on the lead."""
        follows = np.where(self.suits == self.led, self.ranks, -1)
        highest = np.maximum.accumulate(follows, axis=-1)
        return np.concatenate([np.full_like(highest[..., :1], -1), highest[..., :-1]], axis=-1)

    @property
    def is_counting(self) -> Truths:
        """Whether a trick is the counting trick ``(D, 13)``."""
        found: Truths = self.number == self.counting[:, None]
        return found

    @property
    def distance(self) -> Numbers:
        """How many tricks after the counting trick each one is ``(D, 13)``, negative before it."""
        return self.number - self.counting[:, None]

    @property
    def is_queen(self) -> Truths:
        """Which cards played are queens ``(D, 13, 4)``."""
        found: Truths = self.ranks == QUEEN
        return found

    @property
    def is_photo(self) -> Truths:
        """Which card played is the photo ``(D, 13, 4)``."""
        found: Truths = self.cards == self.photo[:, None, None]
        return found

    @property
    def taker(self) -> Numbers:
        """Who took each card ``(D, 13, 4)``."""
        return np.broadcast_to(self.winner[..., None], self.cards.shape)

    @property
    def is_bad_so_far(self) -> Truths:
        """Whether a mark was certain for the taker before each card was played ``(D, 13, 4)``."""
        bad = np.maximum.accumulate(self.is_queen | self.is_photo, axis=-1)
        before = np.concatenate([np.zeros_like(bad[..., :1]), bad[..., :-1]], axis=-1)
        return before | self.is_counting[..., None]

    @property
    def most(self) -> Numbers:
        """Who has the mark for the most tricks ``(D,)`` (Rule K5)."""
        latest = np.zeros(self.taken.shape, dtype=np.int64)
        for seat in range(SEATS):
            latest[:, seat] = np.where(self.winner == seat, self.number, 0).max(axis=1)
        seats: Numbers = (self.taken * (TRICKS + 1) + latest).argmax(axis=1)
        return seats


def count(cards: Numbers) -> Numbers:
    """Return how many cards each set holds."""
    return np.bitwise_count(cards).astype(np.int64)


def suit_cards(hands: Numbers, suit: Numbers) -> Numbers:
    """Return the cards of one suit as ranks."""
    cards: Numbers = hands >> RANKS * suit & ((1 << RANKS) - 1)
    return cards


def has_queen(hands: Numbers) -> Truths:
    """Tell whether hands hold a queen."""
    found: Truths = (hands & QUEENS) != 0
    return found

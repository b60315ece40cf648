"""Terz deals in columns: what was held, led, answered and announced."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from terz_env.games.terz.state import (
    DEALER,
    EVENT,
    EVENT_OUTCOME,
    EVENT_POINTS,
    EVENT_SCORED,
    EVENT_SHOWN,
    FOUR,
    HAND,
    HAS_LED,
    LEADER,
    LEGAL,
    MARRIAGE,
    MELD_POINTS,
    OUTCOME_BEATEN,
    POINTS,
    RUN,
    SCORES,
    TABLE,
    TRICK,
    TRUMP_CARD,
    WIDE,
)
from terz_env.games.terz.tricks import CARD_VALUES
from training.habits.playing import Played
from training.habits.tally import Numbers, Truths
from training.habits.terz_holdings import N_COLUMNS, read_melds

TALON_TRICKS, TRICKS, RANKS = 7, 16, 8
NO_MELD = -1
JACK, QUEEN, KING, ACE = 4, 5, 6, 7


@dataclass(frozen=True)
class Tricks:
    """The sixteen tricks of D deals; every array is ``(D, 16)``.

    Attributes:
        led: The card led.
        reply: The answer.
        leader: The seat that led.
        winner: The seat that took.
        hands: The leader's hand before it led.
        rows: The row of the lead among the decisions.
    """

    led: Numbers
    reply: Numbers
    leader: Numbers
    winner: Numbers
    hands: Numbers
    rows: Numbers


class TerzDeals:
    """What was played, in columns: N decisions of D deals.

    Attributes:
        deals: ``(N,)`` the deal of each decision.
        actions: ``(N,)`` what was decided.
        legal: ``(N,)`` the set of what was lawful, bit 62 for every break.
        seats: ``(N,)`` who decided.
        trick: ``(N,)`` in which trick, from 1.
        leads: ``(N,)`` whether on the lead.
        trump: ``(N,)`` the trump suit.
        hands: ``(N,)`` the hand of who decided.
        melds: ``(N, N_COLUMNS)`` see `read_melds`.
        plays: ``(N,)`` whether a card was played.
    """

    def __init__(self, played: Played) -> None:
        """Read the positions."""
        states = np.ascontiguousarray(played.states)
        table = states[:, TABLE]
        rows = np.arange(len(table))
        self.played = played
        self.n_deals = len(played.finals)
        self.deals, self.actions = played.deals, played.actions
        self.legal = states[:, LEGAL]
        has_led = table >> HAS_LED & 1
        self.leads: Truths = has_led == 0
        self.seats: Numbers = (table >> LEADER & 1) ^ has_led
        self.trick: Numbers = (table >> TRICK & 31) + 1
        self.trump: Numbers = table >> TRUMP_CARD + 3 & 3
        self.hands: Numbers = states[rows, HAND + self.seats]
        self.plays: Truths = self.actions < RUN
        self.melds: Numbers = np.zeros((len(table), N_COLUMNS), dtype=np.int64)
        read_melds(states, self.melds)
        self.after = played.afterwards

    @cached_property
    def tricks(self) -> Tricks:
        """The tricks."""
        rows = np.flatnonzero(self.plays).reshape(self.n_deals, TRICKS, 2)
        lead, answer = rows[..., 0], rows[..., 1]
        return Tricks(
            self.actions[lead],
            self.actions[answer],
            self.seats[lead],
            self.after[answer, TABLE] >> LEADER & 1,
            self.hands[lead],
            lead,
        )

    @property
    def turns(self) -> Numbers:
        """A number for each turn: deal, trick and seat ``(N,)``."""
        turns: Numbers = (self.deals * (TRICKS + 1) + self.trick) * 2 + self.seats
        return turns

    @property
    def beaten(self) -> Truths:
        """Whether an announcement was beaten ``(N,)``."""
        beaten: Truths = (self.after[:, EVENT] >> EVENT_OUTCOME & 3) == OUTCOME_BEATEN
        return beaten

    @property
    def scored_class(self) -> Numbers:
        """The class of the meld that scored after each decision ``(N,)``, `NO_MELD` if none did."""
        event = self.after[:, EVENT]
        action = (event >> EVENT_SHOWN & 127) - 1
        points = self.scored_points
        runs = np.select([points == 20, points == 50], [0, 1], 2)
        kinds = np.where(action < FOUR, runs, np.where(action == FOUR, 3, 4))
        kinds = np.where(action == MARRIAGE, 5, kinds)
        return np.where(event >> EVENT_SCORED & 2, kinds, NO_MELD)

    @property
    def scored_points(self) -> Numbers:
        """The points of the meld that scored after each decision ``(N,)``."""
        event = self.after[:, EVENT]
        points: Numbers = np.where(event >> EVENT_SCORED & 2, event >> EVENT_POINTS & 1023, 0)
        return points

    @property
    def forehand(self) -> Numbers:
        """The seat that leads first in each deal ``(D,)``."""
        seats: Numbers = 1 - (self.played.finals[:, TABLE] >> DEALER & 1)
        return seats

    @property
    def results(self) -> Numbers:
        """What the seats recorded in all ``(D, 2)``."""
        return self.played.finals[:, SCORES : SCORES + 2]

    @property
    def recorded_points(self) -> Numbers:
        """Card points of the seats ``(D, 2)``, the last trick counted, rounded (Rule T23)."""
        return self.results - self.meld_points

    @property
    def meld_points(self) -> Numbers:
        """Points of melds of the seats ``(D, 2)``."""
        return self.played.finals[:, POINTS : POINTS + 2] >> MELD_POINTS & WIDE


def count(cards: Numbers) -> Numbers:
    """Return how many cards each set holds."""
    return np.bitwise_count(cards).astype(np.int64)


def holds(hands: Numbers, card: Numbers | int) -> Truths:
    """Tell whether each hand holds its card."""
    found: Truths = (hands >> card & 1) == 1
    return found


def suit_cards(hands: Numbers, suit: Numbers) -> Numbers:
    """Return the cards of one suit as ranks."""
    return hands >> (RANKS * suit) & 255


def values(cards: Numbers, trump: Numbers) -> Numbers:
    """Return the card points of cards (Rule T3)."""
    points: Numbers = CARD_VALUES[(cards // RANKS == trump).astype(np.int64), cards % RANKS]
    return points

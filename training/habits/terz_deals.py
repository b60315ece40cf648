"""Terz deals in columns: what was held, led, answered and announced."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.melds import (
    four_strength,
    fours_held,
    run_action,
    run_can_score,
    run_cards,
    run_length,
    run_strength,
    run_tops,
    strongest_meld,
)
from terz_env.games.terz.state import (
    BLOCKING,
    DEALER,
    EVENT,
    EVENT_OUTCOME,
    EVENT_POINTS,
    EVENT_SCORED,
    EVENT_SHOWN,
    FOUR,
    GROWTH,
    HAND,
    HAS_LED,
    LEADER,
    LEGAL,
    MARRIAGE,
    MELD_POINTS,
    OUTCOME_BEATEN,
    POINTS,
    RULES,
    RUN,
    SCORED,
    SCORED_FOURS,
    SCORES,
    TABLE,
    TRICK,
    TRUMP_CARD,
    WIDE,
    State,
    get,
    seat_to_act,
    trump_suit,
)
from terz_env.games.terz.tricks import CARD_VALUES
from terz_env.kernel import inline, kernel, lowest, row_of
from training.habits.playing import Played
from training.habits.tally import Numbers, Truths

TALON_TRICKS, TRICKS, RANKS = 7, 16, 8
CLASSES = ("run_3", "run_4", "run_5", "four_jacks", "four_others", "marriage")
"""The classes of melds; `run_5` holds the longer runs too."""
NO_MELD = -1
JACK, QUEEN, KING, ACE = 4, 5, 6, 7
HELD, BEATABLE, WAITING, USED = 0, len(CLASSES), len(CLASSES) + 1, len(CLASSES) + 2
N_COLUMNS = len(CLASSES) + 3
"""Columns of `read_melds`: names a class that may be announced; those that the opponent can beat
now; the cards of runs and fours that may still score; those of held ones that may not."""


@inline
def _sort_runs(
    state: State, seat: int, legal: int, blocker: int, columns: NDArray[np.int64]
) -> None:
    hand, scored = state[HAND + seat], state[SCORED + seat]
    growth = get(state, RULES, GROWTH, 1)
    tops = run_tops(hand)
    while tops != 0:
        top = lowest(tops)
        tops &= tops - 1
        action, length = run_action(top), run_length(hand, top)
        cards = run_cards(hand, top)
        if not run_can_score(cards, scored, growth):
            columns[USED] |= cards
            continue
        columns[WAITING] |= cards
        if (legal >> action) & 1:
            columns[HELD + min(length, 5) - 3] |= 1 << action
            if blocker > run_strength(length, top, trump_suit(state)):
                columns[BEATABLE] |= 1 << action


@inline
def _sort_fours(
    state: State, seat: int, legal: int, blocker: int, columns: NDArray[np.int64]
) -> None:
    for rank in range(4):
        if not (fours_held(state[HAND + seat]) >> rank) & 1:
            continue
        action, cards = FOUR + rank, 0x10101010 << rank
        if (state[SCORED + seat] >> (SCORED_FOURS + rank)) & 1:
            columns[USED] |= cards
            continue
        columns[WAITING] |= cards
        if (legal >> action) & 1:
            columns[HELD + (3 if rank == 0 else 4)] |= 1 << action
            if blocker > four_strength(action):
                columns[BEATABLE] |= 1 << action


@kernel
def read_melds(states: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
    """Writes what the seats to act hold of melds ``(N, N_COLUMNS)``, zeros at first."""
    for row in range(states.shape[0]):
        state, own = row_of(states, row), row_of(columns, row)
        seat = seat_to_act(state)
        legal = state[LEGAL]
        growth = get(state, RULES, GROWTH, 1)
        unscored = get(state, RULES, BLOCKING, 1)
        rival, scored = state[HAND + 1 - seat], state[SCORED + 1 - seat]
        blocker = strongest_meld(rival, scored, unscored, growth, trump_suit(state)) >> 7
        _sort_runs(state, seat, legal, blocker, own)
        _sort_fours(state, seat, legal, blocker, own)
        if (legal >> MARRIAGE) & 1:
            own[HELD + 5] |= 1 << MARRIAGE


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
        reply_rows: That of the answer.
    """

    led: Numbers
    reply: Numbers
    leader: Numbers
    winner: Numbers
    hands: Numbers
    rows: Numbers
    reply_rows: Numbers


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
            answer,
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

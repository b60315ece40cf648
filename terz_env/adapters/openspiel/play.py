"""What a state of OpenSpiel holds: the chance so far, then the position and the log of the deal."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from terz_env.adapters.openspiel.dealing import Dealing, Past
from terz_env.game import Game
from terz_env.observation import View
from terz_env.position import Position
from terz_env.ruleset import RuleSet
from terz_env.state import State
from terz_env.views import begin_log, play

Words = NDArray[np.int64]


class Play:
    """One deal from its first random event to its last card; clones share what never changes."""

    def __init__(self, dealing: Dealing, rules: RuleSet) -> None:
        """Begins with nothing dealt.

        Args:
            dealing: The game and its random events.
            rules: The rule set.
        """
        self.dealing = dealing
        self.rules = rules
        self.past = Past()
        self.position: State | None = None
        self.log: Words = np.zeros(0, dtype=np.int64)
        self.seat = -1

    @property
    def game(self) -> Game:
        """The game."""
        return self.dealing.game

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        """Returns a copy that can be played on by itself; OpenSpiel clones its states by this."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        if self.position is not None:
            other.position = self.position.clone()
            other.log = self.log.copy()
        return other

    def chance(self, outcome: int) -> None:
        """Adds the outcome of a random event; after the last one the play begins.

        Raises:
            IllegalActionError: The event cannot bring this outcome.
        """
        self.past = self.dealing.after(self.past, outcome)
        if len(self.past.outcomes) == self.dealing.n_events:
            self._lay_out()

    def _lay_out(self) -> None:
        deal = self.dealing.deal(self.past)
        self.position = State.from_deal(self.game.name, deal, self.rules)
        self.log = begin_log(self.position)
        self.seat = self.position.seat_to_act

    @property
    def dealt(self) -> State:
        """The position, of a deal that has been dealt."""
        assert self.position is not None
        return self.position

    def act(self, action: int) -> None:
        """Plays an action of the seat to act; raises IllegalActionError where it is not lawful."""
        play(self.dealt, self.log, action)
        self.seat = self.dealt.seat_to_act

    def see(self, view: View, seat: int) -> Words:
        """Returns what a seat sees as words; every row of a sequence begins a new one."""
        return seen(view, self.dealt, self.log, seat)


def seen(view: View, position: Position, log: Words, seat: int) -> Words:
    """Returns what a seat sees as words; every row of a sequence begins a new one."""
    words = np.zeros(view.n_words, dtype=np.int64)
    view.write(position.words, log, seat, words)
    return words


def history(position: Position, log: Words, seat: int) -> Words:
    """Returns what a seat has witnessed, a row an event ``(events, words)``."""
    view = position.game.views["history"]
    rows = seen(view, position, log, seat).reshape(view.steps, -1)
    return rows[rows.any(axis=1)]

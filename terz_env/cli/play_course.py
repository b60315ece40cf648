"""The course of a game that a person plays: it moves on, and it can be set back."""

from __future__ import annotations

import copy
from typing import Self

import numpy as np

from terz_env.records import DealLog, Record, cards_of, finished
from terz_env.state import State

Trick = list[tuple[int, str]]


class Course:
    """A position, how its game came there, and the generator of the opponents' chance."""

    def __init__(self, state: State, seed: int, *, resumed: bool = False) -> None:
        """Begins with a state just dealt, or with any position that is `resumed`."""
        self.state = state
        self.seed = seed
        self.resumed = resumed
        self.rng = np.random.default_rng((seed, 0))
        self.deals: list[Record] = []
        self.tricks: list[Trick] = []
        self._begin_deal()

    def _begin_deal(self) -> None:
        self.log = DealLog(self.state)
        self._cards = cards_of(self.state)
        self.tricks.clear()

    def play(self, action: int | str) -> list[tuple[int, str]]:
        """Plays an action; returns it as (seat, name), with the automatic break after it."""
        before, done = self.state.table, len(self.log.actions)
        self.log.play(action)
        played = [(int(seat), str(name)) for seat, name in self.log.actions[done:]]
        if len(before) == self.state.game.n_seats - 1 and not self.state.table:
            self.tricks.append([*before, played[0]])
        return played

    def next_deal(self) -> None:
        """Begins the next deal of a match or rubber."""
        self.deals.append(self._deal())
        self.state.next_deal(seed=self.seed)
        self.resumed = False
        self._begin_deal()

    def record(self) -> Record:
        """Returns the record of the finished game."""
        return finished(self.state, self.seed, [*self.deals, self._deal()])

    def _deal(self) -> Record:
        return self._cards | {"actions": self.log.actions} | self.log.results()

    def copy(self) -> Self:
        """Returns a copy that shares only the deals that are over, which change no more."""
        return copy.deepcopy(self, {id(deal): deal for deal in self.deals})

    def tricks_to_see(self) -> list[Trick]:
        """Returns the last tricks of the deal that may be looked at (Rules T26, K9)."""
        if self.state.game.family == "terz":
            return self.tricks if self.may_look_back() else []
        return self.tricks[-1:] if self.state.table else self.tricks[-2:]

    def may_look_back(self) -> bool:
        """Tells whether tricks may be looked at, in Terz by the size of the talon (Rule T26)."""
        return self.state.game.family != "terz" or self.state.talon_size >= 4

"""Worlds: complete positions that agree with what a seat knows, drawn uniformly."""

from __future__ import annotations

from typing import Self, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from terz_env.errors import PositionError
from terz_env.games.terz import history
from terz_env.games.terz.state import ALL_CARDS, PLAYED
from terz_env.search import terz_plan, terz_worlds, tetka_worlds
from terz_env.state import State

Words = NDArray[np.int64]


class DealLog:
    """What happened in a deal of Terz since its cards were dealt, as a perfect memory keeps it.

    >>> state = State.new("terz", seed=1)
    >>> log = DealLog(state)
    >>> log.apply(state, state.legal_actions()[0])
    >>> len(log)
    1
    """

    def __init__(self, state: State) -> None:
        """Begins a log with a deal whose play has not begun.

        Raises:
            PositionError: the game needs no log, or cards have been played.
        """
        if state.game.family != "terz":
            raise PositionError(f"{state.game.name} needs no log: its positions hold all voids")
        if int(state.words[PLAYED]) or int(state.words[PLAYED + 1]) or int(state.words[20]):
            raise PositionError("the play of this deal has begun; a log starts with its first turn")
        self.words = np.zeros(state.game.log_size, np.int64)
        state.game.kernels.begin_log_one(self.words, state.words)

    @classmethod
    def of(cls, words: Words) -> Self:
        """Returns the log that these words are (`terz_env.views.begin_log`), without copying."""
        log = object.__new__(cls)
        log.words = words
        return log

    def apply(self, state: State, action: SupportsIndex | str) -> None:
        """Plays an action and writes it down; raises what `State.apply` raises."""
        seat = state.seat_to_act
        state.apply(action)
        names = state.game.actions
        number = names.index(action) if isinstance(action, str) and action in names else action
        if not isinstance(number, str) and 0 <= int(number) < state.game.n_actions:
            engine = state.game.engine_actions[int(number)]
            state.game.kernels.note_one(self.words, seat, engine, state.words)

    def __len__(self) -> int:
        """Returns the number of entries: cards, announcements and the exchange."""
        return int(self.words[history.N_ENTRIES])

    def cards_played(self) -> list[int]:
        """Returns the set of cards that each seat has played."""
        played = [0, 0]
        for head in self.words[history.ENTRIES :: 2][: len(self)].tolist():
            if head & 3 == history.PLAYED_CARD:
                played[head >> history.ENTRY_SEAT & 1] |= 1 << (head >> history.ENTRY_VALUE)
        return played


class Worlds:
    """The complete positions that agree with what a seat knows, all equally likely.

    >>> worlds = Worlds(State.new("tetka", seed=1), seat=0, seed=7)
    >>> worlds.draw().hand(0) == worlds.draw().hand(0)
    True
    """

    def __init__(
        self, state: State, seat: int, log: DealLog | None = None, *, seed: int = 0
    ) -> None:
        """Gathers what the seat knows.

        Args:
            state: The position; its hidden cards are not used.
            seat: The seat whose knowledge counts.
            log: The log of the deal, for Terz.
            seed: The seed of the random stream.

        Raises:
            PositionError: there is no such seat, the deal is over, the log is missing or belongs
                to another position, or no deal agrees with what the seat would know.
        """
        if not 0 <= seat < state.game.n_seats:
            raise PositionError(f"there is no seat {seat}; 0 to {state.game.n_seats - 1}")
        if state.deal_is_over:
            raise PositionError("the deal is over; nothing is hidden that could still be played")
        self.state = state.clone()
        self.seat = seat
        self._stream = np.random.default_rng(seed).integers(1 << 63, size=1, dtype=np.uint64)
        if state.game.family == "tetka":
            self._plan = np.zeros(tetka_worlds.PLAN_SIZE, np.int64)
            found = tetka_worlds.prepare_worlds(self.state.words, seat, self._plan)
        else:
            words = self._checked_log(log)
            self._plan = np.zeros(terz_plan.PLAN_SIZE, np.int64)
            found = terz_worlds.prepare_worlds(self.state.words, seat, words, self._plan)
        if found == 0:
            raise PositionError(f"no deal agrees with what seat_{seat} would know here")

    def _checked_log(self, log: DealLog | None) -> Words:
        """Returns the words of a log that fits the position."""
        if log is None:
            raise PositionError(f"{self.state.game.name} needs the log of the deal (DealLog)")
        played = [int(self.state.words[PLAYED + seat]) & ALL_CARDS for seat in range(2)]
        if log.cards_played() != played:
            raise PositionError("the log belongs to another position: other cards were played")
        return log.words

    def draw(self) -> State:
        """Returns a uniform world; raises PositionError where none is found."""
        world = self.state.clone()
        world.words[:] = self.draw_words(1)[0]
        return world

    def draw_words(self, count: int) -> Words:
        """Returns independent worlds as words (count, n_words).

        Raises:
            PositionError: the count is not positive, or no world has been found in the bounded
                number of tries.
        """
        if count < 1:
            raise PositionError(f"{count} worlds; at least one")
        out = np.zeros((count, self.state.game.n_words), np.int64)
        draw = (
            tetka_worlds.draw_worlds
            if self.state.game.family == "tetka"
            else terz_worlds.draw_worlds
        )
        drawn = draw(self.state.words, self.seat, self._plan, self._stream, out)
        if drawn < count:
            raise PositionError(
                f"no deal was found that agrees with what seat_{self.seat} knows "
                f"(at most {terz_worlds.MOST_TRIES} tries)"
            )
        return out

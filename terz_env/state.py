"""Positions that are played: one deal, match or rubber of any game, action by action."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Self, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from terz_env.deal import Deal, check_dealer
from terz_env.drawing import draw
from terz_env.errors import IllegalActionError, PositionError
from terz_env.explaining import Reason
from terz_env.game import Game
from terz_env.games import get_game
from terz_env.notation import Fields, split_text
from terz_env.position import Position
from terz_env.rng import checked_number
from terz_env.ruleset import RuleSet

__all__ = ["Deal", "Rules", "State"]

Rules = RuleSet | str | Mapping[str, object] | None


class State(Position):
    """A position that is played: it takes actions, and takes them back.

    The stack that `undo` takes back from is no part of what is compared, copied or written.
    """

    def __init__(self, game: Game, rules: RuleSet, scope: str, words: NDArray[np.int64]) -> None:
        """Wraps words; use `State.new`, `State.from_deal`, `State.from_text` or `from_bytes`."""
        super().__init__(game, rules, scope, words)
        self._past: list[NDArray[np.int64]] = []

    @classmethod
    def new(
        cls,
        game: str,
        rules: Rules = None,
        *,
        scope: str = "deal",
        seed: int = 0,
        environment: int = 0,
        deal: int = 0,
        dealer: int | None = None,
    ) -> Self:
        """Deals a position that is a pure function of (seed, environment, deal).

        Raises:
            UnknownGameError, RuleSetError: the game, its rules or the scope do not exist.
            PositionError: there is no such dealer, or a number is no key of the stream.
        """
        state = cls._empty(game, rules, scope)
        lot = -1 if dealer is None else check_dealer(dealer, state.game.n_seats)
        key = [
            checked_number(number, name)
            for name, number in (("seed", seed), ("environment", environment), ("deal", deal))
        ]
        state.game.kernels.start_one(state.words, state._config(), *key, lot)
        return state

    @classmethod
    def from_deal(
        cls,
        game: str,
        deal: Deal,
        rules: Rules = None,
        *,
        scope: str = "deal",
        start_scores: Sequence[int] | None = None,
        start_raises: Sequence[int] | None = None,
    ) -> Self:
        """Starts a game with given cards and scores.

        Raises:
            PositionError: the cards or the scores cannot be (a card twice, ten in a hand, …).
        """
        state = cls._empty(game, rules, scope)
        state.game.kernels.start_one(state.words, state._config(), 0, 0, 0, 0)
        zeros = [0] * state.game.n_seats
        state.game.set_scores(
            state.game,
            state.rules,
            scope,
            state.words,
            start_scores or zeros,
            start_raises or zeros,
        )
        state.game.lay_out(state.game, state.words, deal)
        return state

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Reads a position from one line; absent fields take the defaults of docs/notation.md.

        Raises:
            UnknownGameError, RuleSetError: the game, its rules or the scope do not exist.
            PositionError: a field is wrong or unknown, or no play leads to such a position.
        """
        name, values = split_text(text)
        state = cls._empty(name, values.pop("rules", None), values.pop("scope", "deal"))
        fields = Fields(state.game.deck, state.game.n_seats, values)
        state.words = state.game.read_fields(state.game, state.rules, state.scope, fields)
        return state

    @classmethod
    def from_bytes(
        cls, game: str, data: bytes, rules: Rules = None, *, scope: str = "deal"
    ) -> Self:
        """Reads what `to_bytes` wrote under the same game, rules and scope.

        Raises:
            PositionError: the bytes are no position of this game, rule set and scope.
        """
        state = cls._empty(game, rules, scope)
        if len(data) != 8 * state.game.n_words:
            raise PositionError(
                f"{len(data)} bytes; a position of {game} has {8 * state.game.n_words}"
            )
        state.words = np.frombuffer(data, dtype="<i8").astype(np.int64)
        state.to_text()  # refuses words that no play reaches
        return state

    @classmethod
    def _empty(cls, name: str, rules: Rules, scope: str) -> Self:
        game = get_game(name)
        options = dict(rules) if isinstance(rules, Mapping) else rules
        words = np.zeros(game.n_words, dtype=np.int64)
        return cls(game, game.rules(options), game.check_scope(scope), words)

    def _config(self) -> int:
        return self.game.config_word(self.rules, self.scope)

    def apply(self, action: SupportsIndex | str) -> None:
        """Plays an action, by number or by name.

        Raises:
            IllegalActionError: the deal is over, the action is no integer and no name, or the rule
                set refuses it; the position is unchanged. Under `forfeit` and `penalise` an
                unlawful action is adjudicated instead (Rules T27, T28, K10, K11).
        """
        number = self._number(action)
        before = self.words.copy()
        engine = self.game.engine_actions[number] if number >= 0 else -1
        if self.game.kernels.step_one(self.words, engine) < 0:
            raise self._refusal(action, number)
        self._past.append(before)

    def _number(self, action: SupportsIndex | str) -> int:
        if isinstance(action, str):
            return self.game.actions.index(action) if action in self.game.actions else -1
        try:
            if isinstance(action, (bool, np.bool_)):
                raise TypeError
            number = operator.index(action)
        except TypeError:
            raise IllegalActionError(
                f"{action!r} is no action: give a number from 0 to {self.game.n_actions - 1} "
                "or a name"
            ) from None
        return number if 0 <= number < self.game.n_actions else -1

    def why_not(self, action: SupportsIndex | str) -> Reason | None:
        """Returns why an action of the seat to act is not lawful, None where it is.

        Raises:
            IllegalActionError: The action is no integer and no name.
        """
        number = self._number(action)
        if self.deal_is_over:
            return Reason(key="over", rule="")
        engine = self.game.engine_actions[number] if number >= 0 else -1
        return self.game.why_not(self.game, self.words, engine)

    def _refusal(self, action: SupportsIndex | str, number: int) -> IllegalActionError:
        said = self.game.actions[number] if number >= 0 else repr(action)
        reason = self.why_not(action)
        if self.deal_is_over:
            return IllegalActionError(f"{said}: {reason}")
        return IllegalActionError(
            f"seat_{self.seat_to_act} may not play {said}: {reason}; "
            f"legal: {' '.join(self.legal_names())}"
        )

    @property
    def past_words(self) -> tuple[NDArray[np.int64], ...]:
        """The words before each action and deal that `undo` can take back, the oldest first."""
        return tuple(self._past)

    def undo(self) -> None:
        """Takes back the last action or deal; raises PositionError when there is none."""
        if not self._past:
            raise PositionError("there is nothing to take back")
        self.words[:] = self._past.pop()

    def next_deal(self, deal: Deal | None = None, *, seed: int = 0, environment: int = 0) -> None:
        """Starts the next deal of a match or rubber, from given cards or from the stream.

        Raises:
            PositionError: the deal is not over, the episode is, or the dealer is another (Rules
                T25, K1).
        """
        if not self.deal_is_over or self.is_over:
            raise PositionError("there is no next deal now")
        dealer = self.next_dealer
        before = self.words.copy()
        if deal is None:
            key = checked_number(seed, "seed"), checked_number(environment, "environment")
            self.game.kernels.deal_one(self.words, *key, dealer)
        else:
            if deal.dealer != dealer:
                raise PositionError(f"seat_{deal.dealer} deals; it is seat_{dealer}'s deal")
            self.game.lay_out(self.game, self.words, deal)
        self._past.append(before)

    def clone(self) -> Self:
        """Returns a copy that shares nothing; `undo` starts afresh in it."""
        return type(self)(self.game, self.rules, self.scope, self.words.copy())

    def __str__(self) -> str:
        """Draws the position: hands with suit symbols, the table, the scores."""
        return draw(self)

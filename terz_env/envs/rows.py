"""Rows in which one seat learns and players sit in the others: the engine of both faces."""

from __future__ import annotations

from functools import cache
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from terz_env.envs.asking import ask
from terz_env.envs.learner import InvalidActionError
from terz_env.envs.options import Options, dealt_by
from terz_env.envs.seating import Cast, Opponents, seat_rule
from terz_env.errors import PositionError
from terz_env.heuristics.seating import (
    AT_LEARNER,
    AT_PLAYER,
    CAST,
    CAST_BITS,
    CAST_MASK,
    DEALT,
    ENDED,
    ENVIRONMENT,
    EPISODE,
    FIRST_CARDS,
    GIVEN_FIRST,
    GIVEN_NEXT,
    LEARNER,
    N_COLUMNS,
    NEXT_CARDS,
    PLAY,
    RESTART,
    RESUME,
    SEED,
    STATUS,
    take_up,
)
from terz_env.players import Decisions, PlayerError, needs_log
from terz_env.selfplay import expand_bits, first_refused
from terz_env.state import Deal, State
from terz_env.views import begin_log

Observation = dict[str, NDArray[Any]]
MOST_PASSED_OVER = 1000
"""Episodes in a row that may end before the learner is to act."""


class LearnerRows:
    """B games, in each of which the learner has one seat and is asked whenever it is to act.

    Attributes:
        seats: (B,) int64, the learner's seats.
        masks: (B, A) int8, its legal actions; zeros where the episode is over.
        rewards: (B,) float64, what the learner has earned since its last decision.
        ends: (B,) bool, the episode ended at the last step.
    """

    def __init__(
        self,
        options: Options,
        size: int,
        opponents: Opponents,
        seat: int | str,
        *,
        same_step: bool,
    ) -> None:
        """Prepares the rows; `restart` deals.

        Args:
            options: What is played, seen and paid.
            size: The number of rows B.
            opponents: Who sits in the other seats.
            seat: The learner's seat: a number, "rotate" or "random".
            same_step: Whether a new episode begins in the step that ends one.

        Raises:
            ValueError: There is no such seat or player, or no row.
        """
        game = options.game
        self.options = options
        self._seat_rule = seat_rule(seat, game)
        self._same_step = same_step
        self._looks = options.view.name != "observation"
        self._config = game.config_word(options.rules, options.scope)
        self._refuses = options.rules.to_dict()["illegal_actions"] == "raise"
        self._given = GIVEN_FIRST | GIVEN_NEXT if options.deals else 0
        self._cast = Cast.of(opponents, game, options.rules)
        self._rng = np.random.default_rng(0)
        width = game.layout.n_words
        self._states = np.zeros((size, game.n_words), dtype=np.int64)
        self._books = np.zeros((size, N_COLUMNS), dtype=np.int64)
        self._books[:, STATUS] = ENDED
        self._logs = np.zeros((0, game.log_size), dtype=np.int64)
        self._keep_logs()
        self._streams = np.zeros((size, 1), dtype=np.uint64)
        self._actions = np.zeros(size, dtype=np.int64)
        self._to_act = np.zeros(size, dtype=np.int64)
        self._legal = np.zeros(size, dtype=np.int64)
        self.masks = np.zeros((size, game.n_actions), dtype=np.int8)
        self._words = np.zeros((size, width), dtype=np.int64)
        self._padded = np.zeros((size, 64 * width), dtype=np.uint8)
        self._finals = np.zeros((size, 64 * width), dtype=np.uint8)
        self._last_looks: dict[int, NDArray[Any]] = {}
        self._standings = np.zeros(size, dtype=np.float64)
        self._fresh = np.zeros(size, dtype=np.bool_)
        self.rewards = np.zeros(size, dtype=np.float64)
        self.ends = np.zeros(size, dtype=np.bool_)

    @property
    def seats(self) -> NDArray[np.int64]:
        """The learner's seats (B,), as a copy."""
        return self._books[:, LEARNER].copy()

    def is_over(self, row: int) -> bool:
        """Tells whether a row waits for a reset."""
        return bool(self._books[row, STATUS] == ENDED)

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which rows wait for a reset (B,)."""
        over: NDArray[np.bool_] = self._books[:, STATUS] == ENDED
        return over

    # Players.

    def set_opponents(self, opponents: Opponents) -> None:
        """Lets other players sit down; each row keeps its players until its episode ends.

        Raises:
            PlayerError: There is no such player, or it plays another game.
        """
        new = Cast.of(opponents, self.options.game, self.options.rules)
        shifts = CAST_BITS * np.arange(self.options.game.n_seats)
        seated = self._books[:, CAST, None] >> shifts & CAST_MASK
        kept, numbers = np.unique(seated, return_inverse=True)
        old = self._cast
        players = (*new.players, *(old.players[number] for number in kept))
        if len(players) > CAST_MASK:
            raise PlayerError(f"{len(players)} opponents at once; {CAST_MASK} is the most")
        last = np.repeat(new.odds[:, -1:], len(kept), axis=1)
        self._cast = Cast(
            players,
            np.concatenate([new.codes, old.codes[kept]]),
            np.ascontiguousarray(np.concatenate([new.odds, last], axis=1)),
        )
        moved = numbers.reshape(seated.shape) + len(new.players)
        self._books[:, CAST] = (moved << shifts).sum(axis=1)
        self._keep_logs()

    def _keep_logs(self) -> None:
        """Makes logs where the view or a player needs them, which the next deals begin."""
        asked = self.options.view.needs_log or any(map(needs_log, self._cast.players))
        if asked and self.options.game.log_size and not len(self._logs):
            self._logs = np.zeros((len(self._books), self.options.game.log_size), dtype=np.int64)

    def _begin_log(self, row: int) -> None:
        """Begins the log of a row whose cards were laid from outside."""
        if len(self._logs):
            self._logs[row] = begin_log(self._view(row))

    def seating(self, row: int) -> tuple[str, ...]:
        """Returns the name of the player in each seat of a row; the learner is "learner"."""
        word, learner = int(self._books[row, CAST]), int(self._books[row, LEARNER])
        return tuple(
            "learner"
            if seat == learner
            else self._cast.players[word >> CAST_BITS * seat & CAST_MASK].name
            for seat in range(self.options.game.n_seats)
        )

    # The course of play.

    def seed(self, rows: NDArray[np.bool_], seeds: NDArray[np.int64], first: bool) -> None:
        """Begins with the first deal of a seed in some rows.

        Args:
            rows: Which rows (B,).
            seeds: The seed of each (B,).
            first: Whether each row is environment 0 of its seed, instead of its own number.
        """
        books = self._books
        numbers = np.zeros(len(books), dtype=np.int64) if first else np.arange(len(books))
        books[rows, SEED] = seeds[rows]
        books[rows, ENVIRONMENT] = numbers[rows]
        books[rows, EPISODE] = 0
        books[rows, DEALT] = 0
        self._rng = np.random.default_rng([int(seed) for seed in seeds[rows][:1]] + [1])

    def restart(self, rows: NDArray[np.bool_], start: Deal | State | None = None) -> None:
        """Begins an episode in some rows, from given cards or a position if there is a start.

        Raises:
            PositionError: The start is impossible, or of another game, rule set or scope; or the
                view needs what has happened in the deal, which a position within it lacks.
        """
        position = None
        if start is not None:
            position = self.options.position(start)
            self.options.check_log(begin_log(position), position)
        self._books[rows, STATUS] = RESTART
        self._renew(keep=not rows.all())
        self._fresh[:] = rows
        if position is not None:
            self._run(GIVEN_FIRST)
            self._states[rows] = position.words
            self._books[rows, STATUS] = RESUME
            for row in np.flatnonzero(rows).tolist():
                self._begin_log(row)
        self._advance()

    def step(self, actions: NDArray[np.int64], chosen: NDArray[np.bool_] | None = None) -> None:
        """Plays the learner's actions (B,), and begins an episode where none is in progress.

        Args:
            actions: What is played.
            chosen: In which rows (B,); the others stay as they are. None for all.

        Raises:
            InvalidActionError: Under `illegal_actions="raise"`, naming the first row; no row has
                changed.
            PlayerError: Another player chose what it may not; a reset begins anew.
        """
        idle = np.flatnonzero(~chosen) if chosen is not None else np.zeros(0, dtype=np.int64)
        if self._refuses:
            self._refuse(actions, idle)
        waiting, fresh = self._books[idle, STATUS], self._fresh[idle]
        if take_up(self._books, self._fresh) >= 0:
            raise gymnasium.error.ResetNeeded("the last step broke off; call reset")
        self._books[idle, STATUS], self._fresh[idle] = waiting, fresh
        self._actions[:] = actions
        self._renew(keep=len(idle) > 0)
        self._advance()

    def _refuse(self, actions: NDArray[np.int64], idle: NDArray[np.int64]) -> None:
        """Raises InvalidActionError where an action is not lawful, except in idle rows."""
        game = self.options.game
        asked = self._books[:, STATUS] == AT_LEARNER
        asked[idle] = False
        rows = np.flatnonzero(asked)
        place = first_refused(self._legal[rows], actions[rows], game.n_actions)
        if place >= 0:
            row = rows[place]
            names = [game.actions[action] for action in np.flatnonzero(self.masks[row])]
            said = f"row {row}: " if len(self._states) > 1 else ""
            raise InvalidActionError(
                f"{said}seat_{self._to_act[row]} may not play action {actions[row]}; "
                f"legal: {' '.join(names)}"
            )

    def _renew(self, *, keep: bool) -> None:
        """Makes new arrays for what the learner sees, so that the old ones stay as they are."""
        if self.options.copy:
            renewed = np.copy if keep else np.empty_like
            self.masks = renewed(self.masks)
            self._padded = renewed(self._padded)
        self.rewards = np.zeros(len(self._books), dtype=np.float64)
        self.ends = np.zeros(len(self._books), dtype=np.bool_)

    def _advance(self) -> None:
        """Plays on until every row waits for the learner, or for a reset."""
        self._play_on()
        ended = np.flatnonzero(self.over)
        if self._same_step and self._looks and len(ended):
            self._last_looks = dict(zip(ended.tolist(), self._look(ended), strict=True))
            self._books[ended, STATUS] = RESTART
            self._play_on()

    def _play_on(self) -> None:
        passed_over = 0
        while self._run(self._given):
            self._ask_players()
            passed_over += self._lay_cards()
            if passed_over > MOST_PASSED_OVER * len(self._books):
                raise PositionError("with these deals no episode lasts until the learner's turn")

    def _run(self, given: int) -> int:
        options = self.options
        return int(
            _kernel(options.game.family)(
                self._states,
                self._books,
                self._logs,
                self._streams,
                self._actions,
                self._cast.codes,
                self._cast.odds,
                self._to_act,
                self._legal,
                self.masks,
                self._words,
                self._padded,
                self._finals,
                self._standings,
                self._fresh,
                self.rewards,
                self.ends,
                self._config,
                self._seat_rule,
                given,
                self._same_step and not self._looks,
                options.rewards == "shaped",
                options.reward_scale,
            )
        )

    def _ask_players(self) -> None:
        """Lets the players that no kernel knows choose, each for all of its rows at once."""
        rows = np.flatnonzero(self._books[:, STATUS] == AT_PLAYER)
        seats = self._to_act[rows]
        numbers = self._books[rows, CAST] >> CAST_BITS * seats & CAST_MASK
        for number in np.unique(numbers):
            own = rows[numbers == number]
            decisions = Decisions(
                self.options.game,
                self._states[own],
                self._words[own].view(np.uint64),
                self.masks[own],
                self._to_act[own],
                self._logs[own] if len(self._logs) else None,
            )
            player = self._cast.players[number]
            self._actions[own] = ask(player, decisions, self._legal[own], self._rng)
        self._books[rows, STATUS] = PLAY

    # Cards given from outside.

    def _lay_cards(self) -> int:
        """Lays the next of the given deals where one is needed; returns how many episodes begin."""
        deals = self.options.deals
        status = self._books[:, STATUS]
        begun = status == FIRST_CARDS
        for row in np.flatnonzero(begun | (status == NEXT_CARDS)).tolist():
            deal = deals[int(self._books[row, DEALT]) % len(deals)]
            self._books[row, DEALT] += 1
            if begun[row]:
                self._states[row] = self.options.position(deal).words
            else:
                position = self._view(row)
                position.next_deal(dealt_by(position.next_dealer, deal))
            self._begin_log(row)
            self._books[row, STATUS] = RESUME
        return int(begun.sum())

    # What is seen.

    def _view(self, row: int) -> State:
        """Returns the position of a row, on the row's own words."""
        options = self.options
        return State(options.game, options.rules, options.scope, self._states[row])

    def position(self, row: int) -> State:
        """Returns a copy of the position of a row, hidden cards included."""
        return self._view(row).clone()

    def observations(self) -> Observation:
        """Returns what the learner sees in every row: (B, O) or a view's shape, and masks (B, A).

        The view `observation` is written by the kernel that plays; the others row by row, which
        takes 2 to 15 µs each.
        """
        if self._looks:
            seen: NDArray[Any] = self._look(np.arange(len(self._books)))
        elif self.options.dtype == "float32":
            seen = expand_bits(self._words.view(np.uint64), self.options.game.layout.n_entries)
        else:
            seen = self._padded[:, : self.options.game.layout.n_entries]
        return {"observation": seen, "action_mask": self.masks}

    def finals(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Returns what the learner saw last in the episodes that ended in some rows (N, O)."""
        if self._looks:
            return np.stack([self._last_looks[row] for row in rows.tolist()])
        entries = self._finals[rows, : self.options.game.layout.n_entries]
        return entries.astype(self.options.dtype)

    def _look(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Returns what the learner sees in some rows in the view of the options."""
        view, no_log = self.options.view, self._logs[:0].reshape(-1)
        words = np.zeros((len(rows), view.n_words), dtype=np.int64)
        for place, row in enumerate(rows.tolist()):
            log = self._logs[row] if len(self._logs) else no_log
            view.write(self._states[row], log, int(self._books[row, LEARNER]), words[place])
        return view.expand(words).astype(self.options.dtype)


@cache
def _kernel(family: str) -> Any:
    """Returns the kernel of a family of games; it is compiled when it is first called."""
    if family == "terz":
        from terz_env.heuristics.advance_terz import advance_batch as terz

        return terz
    from terz_env.heuristics.advance_tetka import advance_batch as tetka

    return tetka

"""The self-play batch: all seats of B deals, arrays in, arrays out, no Python per deal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_member
from terz_env.errors import IllegalActionError
from terz_env.game import Game
from terz_env.games import get_game
from terz_env.kernel import kernel, row_of
from terz_env.rng import ACTION_STREAM, checked_number, random_below, start_stream
from terz_env.ruleset import RuleSet

MAX_BATCH = 1 << 31
OBSERVATIONS = ("bits", "uint8", "float32", "none")
SUITS = ("plain", "canonical")
TOP_BIT = 62
_PLAIN: tuple[Literal["C"], Literal["A"], Literal["W"]] = ("C", "A", "W")
"""What an array has to be, beside its dtype, for a kernel to be compiled once."""


@kernel
def first_refused(legal: NDArray[np.int64], actions: NDArray[np.int64], n_actions: int) -> int:
    """Returns the first row whose action is not in its legal set, -1 if there is none.

    The highest bit of a legal set stands for all actions from there on.
    """
    for row in range(actions.shape[0]):
        action = actions[row]
        if action < 0 or action >= n_actions:
            return row
        if not (legal[row] >> (action if action < TOP_BIT else TOP_BIT)) & 1:
            return row
    return -1


@kernel
def sample_actions(
    legal: NDArray[np.int64],
    streams: NDArray[np.uint64],
    n_actions: int,
    actions: NDArray[np.int64],
) -> None:
    """Writes a uniform member of every legal set (B,), each drawn from its own stream (B, 1).

    The highest bit of a legal set stands for all actions from there on. No set may be empty.
    """
    for row in range(legal.shape[0]):
        stream = row_of(streams, row)
        if legal[row] >> TOP_BIT:
            actions[row] = TOP_BIT + random_below(stream, n_actions - TOP_BIT)
        else:
            actions[row] = random_member(legal[row], stream)


@kernel
def _start_streams(streams: NDArray[np.uint64], seed: int, first: int) -> None:
    for row in range(streams.shape[0]):
        start_stream(row_of(streams, row), seed, first + row, 0, ACTION_STREAM)


@kernel
def _expand_floats(words: NDArray[np.int64], out: NDArray[np.float32]) -> None:
    for row in range(words.shape[0]):
        for entry in range(out.shape[1]):
            out[row, entry] = np.float32((words[row, entry >> 6] >> (entry & 63)) & 1)


def expand_bits(bits: NDArray[np.uint64], n_entries: int) -> NDArray[np.float32]:
    """Expands packed observations (N, n_words) into float32 zeros and ones (N, n_entries).

    Raises:
        ValueError: the bits are of another shape or dtype, or hold fewer entries.
    """
    if bits.ndim != 2 or bits.dtype != np.uint64 or not 0 <= n_entries <= 64 * bits.shape[1]:
        raise ValueError(
            f"{n_entries} entries from bits of shape {bits.shape} and dtype {bits.dtype}; uint64 "
            "of shape (N, n_words) with 64 entries a word are needed"
        )
    words = np.require(bits, requirements=_PLAIN).view(np.int64)
    out = np.empty((words.shape[0], n_entries), dtype=np.float32)
    _expand_floats(words, out)
    return out


class SelfPlayBatch:
    """B environments of one game; every step plays one action in each.

    Attributes:
        seats: (B,) int64, the seat to act.
        masks: (B, A) int8, its legal actions.
        bits: (B, n_words) uint64, what it sees; entry e is bit e % 64 of word e // 64.
        observations: (B, O), the same expanded, with `observation` "uint8" or "float32".
        rewards: (B, P) float32, zero except where an episode has just ended.
        ends: (B,) bool, an episode has ended; the row already shows the next deal.
        orders: (B,) int64, with `suits="canonical"` how each row's suits are renamed in masks,
            observations and actions; `states` and `seats` stay as they are (`terz_env.suits`).
    """

    def __init__(
        self,
        game: str | Game,
        batch_size: int,
        *,
        seed: int = 0,
        rules: RuleSet | str | Mapping[str, object] | None = None,
        scope: str = "deal",
        observation: str = "bits",
        suits: str = "plain",
        first_environment: int = 0,
    ) -> None:
        """Deals the first episode of every row.

        Deal d of row i is a pure function of (seed, first_environment + i, d). Beside the name of
        a game its record is taken, if it numbers the actions as the kernels do: a small game that
        `engine_numbered` has renumbered.

        Raises:
            UnknownGameError, RuleSetError: the game, its rules or the scope do not exist.
            SeedError: seed or environment are no whole numbers of 63 bits.
            ValueError: the batch is empty or too large, the observation or the order of the suits
                is of no known kind, or there is no observation to order the suits by.
        """
        self.game = get_game(game) if isinstance(game, str) else game
        if self.game.engine_actions != tuple(range(self.game.n_actions)):
            raise ValueError(
                f"{self.game.name} is played by State, not in batches; use terz or tetka, or "
                "engine_numbered (terz_env.games) for the kernels' numbers of its actions"
            )
        is_whole = hasattr(batch_size, "__index__") and not isinstance(batch_size, bool)
        if not is_whole or not 1 <= batch_size <= MAX_BATCH:
            raise ValueError(
                f"a batch of {batch_size!r} deals: a whole number is needed, at least one and at "
                f"most {MAX_BATCH:,}"
            )
        if observation not in OBSERVATIONS:
            raise ValueError(f"observation={observation!r}; use {', '.join(OBSERVATIONS)}")
        if suits not in SUITS:
            raise ValueError(f"suits={suits!r}; use {', '.join(SUITS)}")
        if suits == "canonical" and observation == "none":
            raise ValueError('suits="canonical" orders the suits of an observation; give one')
        options = dict(rules) if isinstance(rules, Mapping) else rules
        self.rules = self.game.rules(options)
        self.scope = self.game.check_scope(scope)
        self.seed = checked_number(seed, "seed")
        self.first_environment = checked_number(first_environment, "first_environment")
        self._scale = self.game.reward_scale if scope == "deal" else 1.0
        self._config = self.game.config_word(self.rules, scope)
        self._raises = getattr(self.rules, "illegal_actions", "raise") == "raise"
        self._observation = observation
        self._canonical = suits == "canonical"
        n_words = self.game.layout.n_words
        self.states = np.zeros((batch_size, self.game.n_words), dtype=np.int64)
        self.seats = np.zeros(batch_size, dtype=np.int64)
        self._legal = np.zeros(batch_size, dtype=np.int64)
        self._streams: NDArray[np.uint64] | None = None
        self.orders = np.zeros(batch_size, dtype=np.int64)
        self._played = np.zeros(batch_size, dtype=np.int64)
        self.masks = np.zeros((batch_size, self.game.n_actions), dtype=np.int8)
        rows = 0 if observation == "none" else batch_size
        self._words = np.zeros((rows, n_words), dtype=np.int64)
        self.bits = self._words.view(np.uint64)
        n_entries = self.game.layout.n_entries
        rows = batch_size if observation == "uint8" else 0
        self._padded = np.zeros((rows, 64 * n_words), dtype=np.uint8)
        self.observations: NDArray[np.uint8] | NDArray[np.float32] = self._padded[:, :n_entries]
        if observation == "float32":
            self._floats = np.zeros((batch_size, n_entries), dtype=np.float32)
            self.observations = self._floats
        self.rewards = np.zeros((batch_size, self.game.n_seats), dtype=np.float32)
        self.ends = np.zeros(batch_size, dtype=np.bool_)
        self.reset()

    def reset(self) -> None:
        """Goes back to the first deal of every row."""
        self.game.kernels.reset_batch(self.states, self._config, self.seed, self.first_environment)
        self.rewards[:] = 0
        self.ends[:] = False
        self.refresh()

    def random_actions(self, seed: int | None = None) -> NDArray[np.int64]:
        """Returns a uniform legal action for every row (B,), drawn inside a kernel.

        Args:
            seed: Begins the rows' random streams anew; without, they go on, and begin with the seed
                of the batch.

        Raises:
            SeedError: The seed is no whole number from 0 to 2⁶³ - 1.
        """
        if seed is not None or self._streams is None:
            start = checked_number(self.seed if seed is None else seed, "seed")
            self._streams = np.zeros((len(self.seats), 1), dtype=np.uint64)
            _start_streams(self._streams, start, self.first_environment)
        actions = np.empty(len(self.seats), dtype=np.int64)
        sample_actions(self._legal, self._streams, self.game.n_actions, actions)
        return actions

    def step(self, actions: NDArray[np.int64]) -> None:
        """Plays one action in every row and overwrites the buffers.

        Raises:
            ValueError: the actions are no integers of shape (B,).
            IllegalActionError: under `illegal_actions="raise"`, naming the first row; no row has
                changed.
        """
        actions = np.asarray(actions)
        if actions.shape != self.seats.shape or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions of shape {actions.shape} and dtype {actions.dtype}; "
                f"integers of shape {self.seats.shape} are needed"
            )
        chosen = np.require(actions, np.int64, _PLAIN)
        played = chosen
        if self._canonical:
            played = self._played
            self.game.kernels.rename_actions_back(chosen, self.orders, played)
        if self._raises:
            row = first_refused(self._legal, played, self.game.n_actions)
            if row >= 0:
                legal = [self.game.actions[a] for a in np.flatnonzero(self.masks[row])]
                raise IllegalActionError(
                    f"row {row}: seat_{self.seats[row]} may not play action {chosen[row]}; "
                    f"legal: {' '.join(legal)}"
                )
        self.game.kernels.step_batch(
            self.states,
            played,
            self.seats,
            self._legal,
            self.masks,
            self._words,
            self._padded[:0] if self._canonical else self._padded,
            self.rewards,
            self.ends,
            self._scale,
            self._config,
            self.seed,
            self.first_environment,
        )
        self._finish()

    def refresh(self) -> None:
        """Describes the rows again; call it after writing into `states`."""
        self.game.kernels.describe_batch(
            self.states, self.seats, self._legal, self.masks, self._words, self._padded
        )
        self._finish()

    def _finish(self) -> None:
        """Renames the suits and writes floats, where asked for."""
        if self._canonical:
            self.game.kernels.canonical_batch(
                self._legal, self.masks, self._words, self._padded, self.orders
            )
        if self._observation == "float32":
            _expand_floats(self._words, self._floats)

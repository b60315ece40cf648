"""Builds the tree of a small game level by level: all nodes of a depth are played on together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env.game import Game
from terz_env.games.terz.observation import observe as observe_terz
from terz_env.games.tetka.observation import observe as observe_tetka
from terz_env.kernel import kernel

_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)

Words = NDArray[np.int64]
_NO_WORDS, _NO_BYTES = np.zeros((0, 1), np.int64), np.zeros((0, 1), np.uint8)
PER_NODE = ("parent", "action", "returns", "seat", "info", "n_children", "first_child")


@kernel
def observe_terz_rows(states: Words, seat: int, words: Words) -> None:
    """Writes what a seat sees in every row as bits (B, n_words)."""
    for row in range(states.shape[0]):
        observe_terz(states[row], seat, words[row])


@kernel
def observe_tetka_rows(states: Words, seat: int, words: Words) -> None:
    """Writes what a seat sees in every row as bits (B, n_words)."""
    for row in range(states.shape[0]):
        observe_tetka(states[row], seat, words[row])


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Returns 64-bit words hashed one by one (the finaliser of `terz_env.rng`)."""
    words = (words ^ (words >> _30)) * _MIX_1
    words = (words ^ (words >> _27)) * _MIX_2
    return words ^ (words >> _31)


class TreeBuilder:
    """Grows a tree downwards; `arrays` gives it in the form of a `GameTree`."""

    def __init__(self, game: Game, states: Words) -> None:
        """Starts with the dealt states (B, n_words), the roots."""
        self._game = game
        self._states = states
        self._nodes = np.arange(len(states))
        numbers = np.arange(1, game.n_seats + 1, dtype=np.uint64)
        self._memories = np.tile(_mixed(numbers), (len(states), 1))
        self._levels = [0, len(states)]
        self._columns: dict[str, list[NDArray[Any]]] = {name: [] for name in PER_NODE}
        self._info: dict[str, list[Words]] = {
            name: [] for name in ("seat", "node", "size", "sees", "choices")
        }
        self._n_infos = 0
        self._add("parent", np.full(len(states), -1))
        self._add("action", np.full(len(states), -1))
        self._add("returns", np.zeros((len(states), game.n_seats)))
        while len(self._nodes):
            self._play_on(*self._describe())
        for name in ("seat", "info", "first_child"):
            self._add(name, np.full(self._size, -1))
        self._add("n_children", np.zeros(self._size, np.int64))

    def _add(self, name: str, column: NDArray[Any]) -> None:
        self._columns[name].append(column)

    @property
    def _size(self) -> int:
        return self._levels[-1] - self._levels[-2]

    def _remember(self) -> None:
        """Adds to every seat's memory (B, P), a hash, what the seat sees now."""
        observe = observe_tetka_rows if self._game.family == "tetka" else observe_terz_rows
        words = np.zeros((len(self._states), self._game.layout.n_words), np.int64)
        for seat in range(self._game.n_seats):
            observe(self._states, seat, words)
            for column in words.T:
                memory = self._memories[:, seat] * _MIX_2 + column.astype(np.uint64)
                self._memories[:, seat] = _mixed(memory)

    def _describe(self) -> tuple[Words, Words]:
        """Notes seats, information states and numbers of children of the deepest level.

        Returns:
            For every child, the row of its parent among the states, and the action.
        """
        self._remember()
        count, kernels = len(self._states), self._game.kernels
        seats = np.zeros(count, np.int64)
        masks = np.zeros((count, 74 if self._game.family == "terz" else 52), np.int8)
        legal = np.zeros(count, np.int64)
        words = np.zeros((count, self._game.layout.n_words), np.int64)
        kernels.describe_batch(self._states, seats, legal, masks, words, _NO_BYTES)
        keys = self._memories[np.arange(count), seats]
        _, first, info = np.unique(keys, return_index=True, return_inverse=True)
        rows, actions = map(np.ascontiguousarray, np.nonzero(masks))
        sizes = np.bincount(rows, minlength=count)
        for name, values, missing in (
            ("seat", seats, -1),
            ("info", self._n_infos + info, -1),
            ("n_children", sizes, 0),
            ("first_child", self._levels[-1] + np.cumsum(sizes) - sizes, -1),
        ):
            column = np.full(self._size, missing)
            column[self._nodes - self._levels[-2]] = values
            self._add(name, column)
        self._info["seat"].append(seats[first])
        self._info["node"].append(self._nodes[first])
        self._info["size"].append(sizes[first])
        self._info["sees"].append(words[first])
        self._info["choices"].append(np.nonzero(masks[first])[1])
        self._n_infos += len(first)
        return rows, actions

    def _play_on(self, rows: Words, actions: Words) -> None:
        """Plays every legal action of the deepest level and starts the next one."""
        states = self._states[rows]
        rewards = np.zeros((len(states), self._game.n_seats), np.float32)
        ends = np.zeros(len(states), np.bool_)
        config = self._game.config_word(self._game.rules(), "deal")
        count = len(states)
        seats, legal = np.zeros(count, np.int64), np.zeros(count, np.int64)
        masks = np.zeros((count, 74 if self._game.family == "terz" else 52), np.int8)
        shown = (seats, legal, masks, _NO_WORDS, _NO_BYTES)
        self._game.kernels.step_batch(states, actions, *shown, rewards, ends, 1.0, config, 0, 0)
        self._add("parent", self._nodes[rows])
        self._add("action", actions)
        self._add("returns", rewards.astype(np.float64))
        self._nodes = self._levels[-1] + np.flatnonzero(~ends)
        self._states = states[~ends]
        self._memories = self._memories[rows][~ends]
        self._levels.append(self._levels[-1] + len(actions))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns the fields of a `GameTree` but for the game and its deals."""
        sizes = np.concatenate(self._info["size"])
        return {
            **{name: np.concatenate(columns) for name, columns in self._columns.items()},
            "levels": np.array(self._levels),
            "info_seat": np.concatenate(self._info["seat"]),
            "info_node": np.concatenate(self._info["node"]),
            "info_sees": np.concatenate(self._info["sees"]).view(np.uint64),
            "entry_action": np.concatenate(self._info["choices"]),
            "entry": np.concatenate([[0], np.cumsum(sizes)]),
        }

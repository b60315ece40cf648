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


def _remember(game: Game, states: Words, memories: NDArray[np.uint64]) -> None:
    """Adds to every seat's memory (B, P) what it sees now."""
    observe = observe_tetka_rows if game.family == "tetka" else observe_terz_rows
    words = np.zeros((len(states), game.layout.n_words), np.int64)
    for seat in range(game.n_seats):
        observe(states, seat, words)
        for column in words.T:
            memories[:, seat] = _mixed(memories[:, seat] * _MIX_2 + column.astype(np.uint64))


def build(game: Game, states: Words) -> dict[str, Any]:
    """Returns the arrays of a `GameTree` from the states of its deals (B, n_words)."""
    kernels = game.kernels
    config = game.config_word(game.rules(), "deal")
    nodes = np.arange(len(states))
    memories = _mixed(
        np.ones((len(states), 1), np.uint64) + np.arange(game.n_seats, dtype=np.uint64)
    )
    levels = [0, len(states)]
    parents, actions = [np.full(len(states), -1)], [np.full(len(states), -1)]
    returns = [np.zeros((len(states), game.n_seats))]
    seats, infos, counts, children = [], [], [], []
    info_seats, info_nodes, info_sizes = [], [], []
    n_infos = 0
    while True:
        size = levels[-1] - levels[-2]
        level = {key: np.full(size, -1) for key in ("seat", "info", "first_child")}
        count = np.zeros(size, np.int64)
        here = nodes - levels[-2]
        if len(nodes):
            _remember(game, states, memories)
            to_act = np.zeros(len(states), np.int64)
            masks = np.zeros((len(states), 74 if game.family == "terz" else 52), np.int8)
            kernels.describe_batch(states, to_act, masks, np.zeros((0, 1), np.int64))
            keys = memories[np.arange(len(states)), to_act]
            _, first, info = np.unique(keys, return_index=True, return_inverse=True)
            rows, chosen = np.nonzero(masks)
            count[here] = np.bincount(rows, minlength=len(states))
            level["seat"][here] = to_act
            level["info"][here] = n_infos + info
            level["first_child"][here] = levels[-1] + np.searchsorted(rows, np.arange(len(nodes)))
            n_infos += len(first)
            info_seats.append(to_act[first])
            info_nodes.append(nodes[first])
            info_sizes.append(count[here][first])
        seats.append(level["seat"])
        infos.append(level["info"])
        children.append(level["first_child"])
        counts.append(count)
        if not len(nodes):
            break
        states = states[rows]
        memories = memories[rows]
        rewards = np.zeros((len(states), game.n_seats), np.float32)
        ends = np.zeros(len(states), np.bool_)
        kernels.step_batch(states, chosen, rewards, ends, config, 0, 0)
        parents.append(nodes[rows])
        actions.append(chosen)
        returns.append(rewards.astype(np.float64))
        nodes = levels[-1] + np.flatnonzero(~ends)
        states, memories = states[~ends], memories[~ends]
        levels.append(levels[-1] + len(chosen))
    sizes = np.concatenate(info_sizes)
    return {
        "levels": np.array(levels),
        "parent": np.concatenate(parents),
        "first_child": np.concatenate(children),
        "n_children": np.concatenate(counts),
        "action": np.concatenate(actions),
        "seat": np.concatenate(seats),
        "info": np.concatenate(infos),
        "returns": np.concatenate(returns),
        "info_seat": np.concatenate(info_seats),
        "info_node": np.concatenate(info_nodes),
        "entry": np.concatenate([[0], np.cumsum(sizes)]),
    }

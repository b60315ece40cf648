"""Measures how long the exact solvers take for a position, on one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from terz_env.games.terz.state import TABLE as TERZ_TABLE
from terz_env.games.terz.state import TRICK as TERZ_TRICK
from terz_env.search.solving import MODELS, TerzSolver, TetkaSolver
from terz_env.state import State

SEED = 1
CLOSED_TRICK = 7
"""Trick 8, counted from 0: nine cards each, and its melds may still be announced."""
TETKA_ENDINGS = {6: 200, 8: 40}
"""Positions measured by cards each."""
TERZ_POSITIONS = 1000
TETKA_HAND = 13


@dataclass(frozen=True)
class Latency:
    """Milliseconds of processor time a position: median, 90th and 99th percentile."""

    name: str
    game: str
    positions: int
    median_ms: float
    p90_ms: float
    p99_ms: float


def measure(game: str) -> Iterator[Latency]:
    """Yields a row a solver of a game: the value of random deals played at random so far."""
    if game == "terz":
        solver = TerzSolver()
        yield _latency("solve_terz_closed", "terz", TERZ_POSITIONS, _closed, solver.value)
        return
    endings = TetkaSolver()
    for cards, positions in TETKA_ENDINGS.items():
        for model in MODELS:
            name = f"solve_tetka_{cards}" + ("" if model == "paranoid" else f"_{model}")
            yield _latency(
                name,
                "tetka",
                positions,
                partial(_ending, cards),
                partial(endings.value, model=model),
            )


def _latency(
    name: str,
    game: str,
    positions: int,
    find: Callable[[int, np.random.Generator], State],
    solve: Callable[[State], float],
) -> Latency:
    chooser = np.random.default_rng(SEED)
    found = [find(seed, chooser) for seed in range(positions)]
    solve(found[0])
    times = []
    for state in found[1:]:
        start = time.process_time()
        solve(state)
        times.append(1000 * (time.process_time() - start))
    return Latency(name, game, positions, *map(float, np.percentile(times, [50, 90, 99])))


def _play(state: State, chooser: np.random.Generator) -> None:
    """Plays a random action."""
    actions = state.legal_actions()
    state.apply(actions[int(chooser.integers(len(actions)))])


def _ending(cards: int, seed: int, chooser: np.random.Generator) -> State:
    """Returns a deal of Tetka with so many cards each, played at random."""
    state = State.new("tetka", seed=seed)
    for _ in range(4 * (TETKA_HAND - cards)):
        _play(state, chooser)
    return state


def _closed(seed: int, chooser: np.random.Generator) -> State:
    """Returns a deal of Terz at the start of trick 8, played at random."""
    state = State.new("terz", seed=seed)
    while int(state.words[TERZ_TABLE]) >> TERZ_TRICK & 31 < CLOSED_TRICK:
        _play(state, chooser)
    return state

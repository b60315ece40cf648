"""Measures how many actions a second one core plays, deals and resets included."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np

from terz_env import terz_v0, tetka_v0
from terz_env.envs.vector import LearnerVectorEnv
from terz_env.players.random import uniform_actions
from terz_env.selfplay import SelfPlayBatch, expand_bits

ROWS = {
    "actions+mask": "none",
    "actions+bits": "bits",
    "actions+mask+u8": "uint8",
    "actions+mask+f32": "float32",
}
SEED = 1
MIN_SECONDS = 0.2
STEPS = 128
TURNS = 2000


@dataclass(frozen=True)
class Row:
    """One measurement: the median of actions a second, and (most - least) / median."""

    name: str
    game: str
    batch: int
    per_second: float
    spread: float


def machine() -> str:
    """Returns the processor in words."""
    facts = Path("/proc/cpuinfo")
    if facts.is_file():
        for line in facts.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Returns the versions that shape the speed."""
    found = {"python": platform.python_version()}
    for name in ("terz-env", "numba", "numpy"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def measure(game: str, batch: int, repeats: int) -> Iterator[Row]:
    """Yields a row for the roll-outs, for each way to look at the batch, and for each face."""
    yield measure_row("rollout", game, batch, repeats, _rollout(game, batch))
    for name, observation in ROWS.items():
        yield measure_row(name, game, batch, repeats, _outside(game, batch, observation))
    yield measure_row("selfplay", game, batch, repeats, _self_play(game, batch))
    yield measure_row("gym_vector", game, batch, repeats, _learners(game, batch))
    yield measure_row("aec_raw", game, 1, repeats, _turns(game, checked=False))
    yield measure_row("aec_env", game, 1, repeats, _turns(game, checked=True))


def _rollout(game: str, batch: int) -> Callable[[], int]:
    """Returns what plays uniform actions inside the kernel, and tells how many."""
    table = SelfPlayBatch(game, batch, seed=SEED, observation="none")
    config = table.game.config_word(table.rules, table.scope)
    rng = np.random.default_rng(SEED)
    streams = rng.integers(0, 1 << 64, size=(batch, 1), dtype=np.uint64)

    def play() -> int:
        table.game.kernels.roll_out(table.states, STEPS, streams, config, SEED, 0)
        return batch * STEPS

    return play


def _outside(game: str, batch: int, observation: str) -> Callable[[], int]:
    """Returns what plays actions drawn beforehand through the batch, and tells how many."""
    floats = observation == "float32"
    kind = "bits" if floats else observation
    table = SelfPlayBatch(game, batch, seed=SEED, observation=kind)
    rng = np.random.default_rng(SEED)
    actions = []
    for _ in range(STEPS):
        actions.append(uniform_actions(table.masks, rng))
        table.step(actions[-1])

    def play() -> int:
        table.reset()
        for chosen in actions:
            table.step(chosen)
            if floats:
                expand_bits(table.bits, table.game.layout.n_entries)
        return batch * STEPS

    return play


def _self_play(game: str, batch: int) -> Callable[[], int]:
    """Returns what plays the first legal action of every row, observations as bytes."""
    table = SelfPlayBatch(game, batch, seed=SEED, observation="uint8")

    def play() -> int:
        for _ in range(STEPS):
            table.step(table.masks.argmax(axis=1))
        return batch * STEPS

    return play


def _learners(game: str, batch: int) -> Callable[[], int]:
    """Returns what plays learners' actions, drawn beforehand, against random players."""
    learners = LearnerVectorEnv(game, batch)
    rng = np.random.default_rng(SEED)
    seen, _ = learners.reset(seed=SEED)
    actions = []
    for _ in range(STEPS):
        actions.append(uniform_actions(seen["action_mask"], rng))
        seen, *_ = learners.step(actions[-1])

    def play() -> int:
        learners.reset(seed=SEED)
        for chosen in actions:
            learners.step(chosen)
        return batch * STEPS

    return play


def _turns(game: str, *, checked: bool) -> Callable[[], int]:
    """Returns what plays the first legal action through the PettingZoo environment."""
    face = {"terz": terz_v0, "tetka": tetka_v0}[game]
    table = face.env() if checked else face.raw_env(copy=False)
    table.reset(seed=SEED)

    def play() -> int:
        played = 0
        while played < TURNS:
            seen, _, over, _, _ = table.last()
            if over:
                table.reset()
            else:
                table.step(int(seen["action_mask"].argmax()))
                played += 1
        return played

    return play


def measure_row(name: str, game: str, batch: int, repeats: int, play: Callable[[], int]) -> Row:
    """Returns how many of what `play` counts it does a second of processor time."""
    play()
    speeds = []
    for _ in range(repeats):
        start, played = time.process_time(), 0
        while (spent := time.process_time() - start) < MIN_SECONDS:
            played += play()
        speeds.append(played / spent)
    median = statistics.median(speeds)
    return Row(name, game, batch, median, (max(speeds) - min(speeds)) / median)

"""How many decisions a second learners learn from, playing and updating together."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from pettingzoo import AECEnv
from rich.box import SIMPLE_HEAD
from rich.table import Table
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

import terz_env
from terz_env.adapters.sb3 import CardVecEnv
from terz_env.cli.bench import machine
from terz_env.selfplay import SelfPlayBatch
from training.actors import make_actors
from training.config import load_config
from training.errors import InterruptedRunError
from training.learner import Learner
from training.model import versions
from training.run_state import RunState

CONFIGS = Path(__file__).parents[1] / "configs"
WORKERS = (0, 1, 2)
PETTINGZOO = "MaskablePPO, defaults, PettingZoo wrapper"
NATIVE = "MaskablePPO, large batches, CardVecEnv"
ENDLESS = 1_000_000_000


@dataclass(frozen=True)
class Speed:
    """One learner's speed.

    Attributes:
        name: What learned.
        decisions: From how many decisions.
        seconds: In what time.
        cpu_seconds: In what time of this process's cores; None where other processes played.
        environment_share: The share of the time that went into the environment, where known.
    """

    name: str
    decisions: int
    seconds: float
    cpu_seconds: float | None = None
    environment_share: float | None = None

    @property
    def per_second(self) -> float:
        """Decisions a second."""
        return self.decisions / self.seconds

    @property
    def per_cpu_second(self) -> float | None:
        """Decisions a second of a core, whatever else the machine does."""
        return self.decisions / self.cpu_seconds if self.cpu_seconds else None


@dataclass
class Marks:
    """Where a learner stood after each iteration.

    Attributes:
        wanted: Seconds that are to be measured.
        stands: Decisions, seconds and CPU seconds at the end of each iteration.
    """

    wanted: float
    stands: list[tuple[int, float, float]] = field(default_factory=list)

    def add(self, decisions: int) -> None:
        """Notes the end of an iteration."""
        self.stands.append((decisions, perf_counter(), process_time()))

    def are_enough(self) -> bool:
        """Tells whether enough has been measured."""
        return len(self.stands) > 1 and self.window()[1] >= self.wanted

    def window(self) -> tuple[int, float, float]:
        """Returns the decisions, seconds and CPU seconds that count.

        The first iteration does not: kernels compile in it, and workers start.
        """
        first, last = self.stands[0], self.stands[-1]
        return last[0] - first[0], last[1] - first[1], last[2] - first[2]


def measure(game: str, seconds: float) -> Iterator[Speed]:
    """Yields the speeds of MaskablePPO over PettingZoo and here, and of our learner.

    Args:
        game: "terz" or "tetka".
        seconds: At least how long each is measured.
    """
    torch.set_num_threads(1)
    table = getattr(terz_env, f"{game}_v0").env()
    yield maskable_ppo_speed(PETTINGZOO, MaskablePPO("MlpPolicy", TutorialEnv(table)), seconds)
    large = MaskablePPO(
        "MlpPolicy", CardVecEnv(game, 1024, seed=1), n_steps=32, batch_size=2048, n_epochs=4
    )
    yield maskable_ppo_speed(NATIVE, large, seconds)
    for workers in WORKERS:
        yield learner_speed(game, workers, seconds)


# MaskablePPO.


class TutorialEnv(gymnasium.Env[NDArray[np.uint8], int]):
    """Shows a PettingZoo environment as a Gymnasium environment, as SB3's tutorial does.

    One policy acts in every seat in turn. What a seat earns while others act is lost, so this is
    here for its speed alone.
    """

    def __init__(self, table: AECEnv[str, Any, int]) -> None:
        self._table = table
        first = table.possible_agents[0]
        self.observation_space = table.observation_space(first)["observation"]
        self.action_space = table.action_space(first)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        self._table.reset(seed=seed, options=options)
        return self._table.observe(self._table.agent_selection)["observation"], {}

    def step(self, action: int) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Plays an action of the seat to act; returns what the next one sees and is paid."""
        self._table.step(action)
        seen, reward, terminated, truncated, info = self._table.last()
        return seen["observation"], reward, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns the legal actions of the seat to act (A,)."""
        mask = self._table.observe(self._table.agent_selection)["action_mask"]
        legal: NDArray[np.bool_] = mask == 1
        return legal


class _Iterations(BaseCallback):
    """Notes the end of each iteration, and ends the training when that is enough."""

    def __init__(self, marks: Marks) -> None:
        super().__init__()
        self._marks = marks

    def _on_rollout_start(self) -> None:
        if self.num_timesteps:
            self._marks.add(self.num_timesteps)

    def _on_step(self) -> bool:
        return not self._marks.are_enough()


def maskable_ppo_speed(name: str, model: MaskablePPO, seconds: float) -> Speed:
    """Measures whole iterations of a model."""
    marks = Marks(seconds)
    model.learn(ENDLESS, _Iterations(marks))
    return Speed(name, *marks.window())


# Our learner.


@contextmanager
def _timed_steps() -> Iterator[list[float]]:
    """Notes the seconds of every step of a batch in this process."""
    plain, spent = SelfPlayBatch.step, list[float]()

    def timed(self: SelfPlayBatch, actions: NDArray[np.int64]) -> None:
        began = perf_counter()
        plain(self, actions)
        spent.append(perf_counter() - began)

    SelfPlayBatch.step = timed  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        SelfPlayBatch.step = plain  # type: ignore[method-assign]


def learner_speed(game: str, workers: int, seconds: float) -> Speed:
    """Measures whole iterations of the small configuration without its bootstrap.

    With workers the next deals are played while the last are learned from.
    """
    overrides = ("bootstrap.states=0", "evaluation.times=0", f"decisions={ENDLESS}")
    ahead = f"rollout.ahead={str(workers > 0).lower()}"
    config = load_config(
        CONFIGS / game / "small.yaml",
        [*overrides, ahead, f"workers={workers}", f"checkpoint.every={ENDLESS}"],
    )
    marks = Marks(seconds)
    with TemporaryDirectory() as folder, _timed_steps() as spent:
        run, actors = RunState.begin(config), make_actors(config)

        def note(_: object) -> None:
            marks.add(run.decisions)
            if len(marks.stands) == 1:
                spent.clear()

        learner = Learner(config, Path(folder), run, actors, note, marks.are_enough)
        try:
            learner.learn()
        except InterruptedRunError:
            pass
        finally:
            actors.close()
        in_steps = sum(spent)
    name = f"python -m training, {workers or 'no'} worker{'' if workers == 1 else 's'}"
    decisions, passed, cpu_passed = marks.window()
    if workers:
        return Speed(name, decisions, passed)
    return Speed(name, decisions, passed, cpu_passed, in_steps / passed)


# What is printed.


def as_table(game: str, speeds: Sequence[Speed]) -> Table:
    """Returns the speeds as a table; the ratios are those of decisions a second."""
    table = Table(box=SIMPLE_HEAD, title=f"Decisions that {game} is learned from", pad_edge=False)
    table.add_column("learner")
    for heading in ("a second", "a CPU second", "ratio", "environment"):
        table.add_column(heading, justify="right")
    for speed in speeds:
        cpu, share = speed.per_cpu_second, speed.environment_share
        table.add_row(
            speed.name,
            f"{speed.per_second:,.0f}",
            "" if cpu is None else f"{cpu:,.0f}",
            f"{speed.per_second / speeds[0].per_second:.1f}",
            "" if share is None else f"{share:.1%}",
        )
    return table


def as_data(game: str, speeds: Sequence[Speed]) -> dict[str, Any]:
    """Returns the speeds with machine and versions, for JSON."""
    libraries = ("stable_baselines3", "sb3_contrib")
    return {
        "game": game,
        "machine": machine(),
        "versions": versions() | {name: metadata.version(name) for name in libraries},
        "speeds": [
            asdict(speed) | {"per_second": speed.per_second, "per_cpu_second": speed.per_cpu_second}
            for speed in speeds
        ],
    }

"""Where the chunks of an arena are played: in this process, in several, or on a Ray cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from types import ModuleType
from typing import Any, Protocol

from terz_env.evaluation.plan import ArenaError, Plan, Task
from terz_env.evaluation.playing import Load, Played, play_chunk
from terz_env.players import load_player

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What keeps each worker on one core."""


class Backend(Protocol):
    """Plays chunks in any order. The results do not depend on which backend plays them."""

    @property
    def capacity(self) -> int:
        """How many chunks may be under way at a time."""

    def submit(self, plan: Plan, task: Task) -> None:
        """Begin a chunk."""

    def take(self) -> tuple[Task, Played]:
        """Return a chunk that has been played, waiting for one if need be."""

    def close(self) -> None:
        """Give up what is under way."""


class OneProcess:
    """Plays each chunk when it is taken."""

    capacity = 1

    def __init__(self, load: Load = load_player) -> None:
        """Take what loads a player by name."""
        self._load = load
        self._waiting: deque[tuple[Plan, Task]] = deque()

    def submit(self, plan: Plan, task: Task) -> None:
        """Note a chunk."""
        self._waiting.append((plan, task))

    def take(self) -> tuple[Task, Played]:
        """Play the chunk noted first."""
        plan, task = self._waiting.popleft()
        return task, play_chunk(plan, task, self._load)

    def close(self) -> None:
        """Forget what has been noted."""
        self._waiting.clear()


class Processes:
    """Plays chunks in processes of their own."""

    def __init__(self, processes: int, load: Load = load_player) -> None:
        """Start the processes; `load` has to be a function of a module."""
        if processes < 1:
            raise ArenaError(f"processes={processes}; at least one is needed")
        for name in ONE_THREAD:
            os.environ.setdefault(name, "1")
        self.capacity = 2 * processes  # the next chunk is at hand when one is done
        self._load = load
        self._before = set(multiprocessing.active_children())
        self._pool = ProcessPoolExecutor(
            processes, multiprocessing.get_context("spawn"), initializer=_ignore_interrupts
        )
        self._flying: dict[Future[Played], Task] = {}

    def submit(self, plan: Plan, task: Task) -> None:
        """Hand a chunk to the pool."""
        self._flying[self._pool.submit(play_chunk, plan, task, self._load)] = task

    def take(self) -> tuple[Task, Played]:
        """Wait for a chunk.

        Raises:
            ArenaError: If a process died.
        """
        done, _ = wait(self._flying, return_when=FIRST_COMPLETED)
        future = done.pop()
        task = self._flying.pop(future)
        try:
            return task, future.result()
        except BrokenProcessPool as error:
            raise ArenaError(
                f"a process died, maybe while it played {' and '.join(task.pairing)}: "
                "chunks that were done are kept; try --processes 1 to see which player it is"
            ) from error

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(wait=not self._flying, cancel_futures=True)
        if self._flying:
            for process in set(multiprocessing.active_children()) - self._before:
                process.terminate()


class RayCluster:
    """Plays chunks on a Ray cluster; every node needs the package and the players' files."""

    def __init__(self, address: str, load: Load = load_player) -> None:
        """Connect to a cluster.

        Raises:
            ArenaError: If Ray is not installed.
        """
        self._ray = _ray()
        self._ray.init(address=address)
        self._play = self._ray.remote(play_chunk)
        self._load = load
        self.capacity = 2 * max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._flying: dict[Any, Task] = {}

    def submit(self, plan: Plan, task: Task) -> None:
        """Hand a chunk to the cluster."""
        self._flying[self._play.remote(plan, task, self._load)] = task

    def take(self) -> tuple[Task, Played]:
        """Wait for a chunk."""
        ready, _ = self._ray.wait(list(self._flying), num_returns=1)
        played: Played = self._ray.get(ready[0])
        return self._flying.pop(ready[0]), played

    def close(self) -> None:
        """Cancel what is under way and disconnect."""
        for reference in self._flying:
            self._ray.cancel(reference)
        self._flying.clear()
        self._ray.shutdown()


def _ignore_interrupts() -> None:
    """Leave an interrupt to the process that writes the journal."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _ray() -> ModuleType:
    try:
        import ray
    except ImportError:
        raise ArenaError("ray is missing; pip install 'terz-env[ray]' (the extra ray)") from None
    module: ModuleType = ray
    return module

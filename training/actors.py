"""Where jobs run: in this process, in worker processes, or on a Ray cluster.

Jobs are pure functions, so all three give the same results, and a job whose worker is lost is given
to another.
"""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

import torch

from terz_env.errors import TerzEnvError
from training.config import TrainingConfig
from training.jobs import Job, Table

TRIES = 5
"""How often the workers are replaced for the same jobs."""


class WorkerError(TerzEnvError, RuntimeError):
    """Workers that cannot be had, or are lost again and again."""


class Pending(Protocol):
    """Jobs that have been given out."""

    def results(self) -> list[Any]:
        """Return the results in the order of the jobs, when all are there."""


class Actors(Protocol):
    """Those who run jobs."""

    def start(self, jobs: Sequence[Job]) -> Pending:
        """Give jobs out."""

    def close(self) -> None:
        """Let the workers go."""


def make_actors(config: TrainingConfig, ray_address: str | None = None) -> Actors:
    """Return the actors that a configuration asks for, or those of a Ray cluster."""
    if ray_address is not None:
        return RayActors(config, ray_address)
    return ProcessActors(config) if config.workers else LocalActors(config)


class _Local:
    """Jobs that are run when their results are asked for."""

    def __init__(self, table: Table, jobs: Sequence[Job]) -> None:
        self._table, self._jobs = table, jobs

    def results(self) -> list[Any]:
        return [self._table.run(job) for job in self._jobs]


class LocalActors:
    """Runs the jobs in this process."""

    def __init__(self, config: TrainingConfig) -> None:
        """Take the configuration of all jobs to come."""
        self._table = Table(config)

    def start(self, jobs: Sequence[Job]) -> Pending:
        """Note the jobs (see `Actors.start`)."""
        return _Local(self._table, jobs)

    def close(self) -> None:
        """Do nothing: there are no workers."""


_TABLE: list[Table] = []
"""The table of a worker process."""


def _begin(config: TrainingConfig) -> None:
    """Prepare a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the learner decides when to stop
    threading.Thread(target=_end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    _TABLE[:] = [Table(config)]


def _end_with_parent() -> None:
    """End this process when the learner's has ended, however that happened."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    os._exit(1)


def _run(job: Job) -> Any:
    return _TABLE[0].run(job)


class _Processes:
    """Jobs that worker processes run; a lost process gives its jobs to new ones."""

    def __init__(self, actors: "ProcessActors", jobs: Sequence[Job]) -> None:
        self._actors, self._jobs = actors, jobs
        self._futures = self._submit()

    def _submit(self) -> list[Future[Any]]:
        for _ in range(TRIES):
            try:
                return [self._actors.pool().submit(_run, job) for job in self._jobs]
            except BrokenProcessPool:
                self._actors.replace()
        raise WorkerError("worker processes end as soon as they begin")

    def results(self) -> list[Any]:
        for _ in range(TRIES):
            try:
                return [future.result() for future in self._futures]
            except BrokenProcessPool:
                self._actors.replace()
                self._futures = self._submit()
        raise WorkerError(f"worker processes were lost {TRIES} times with the same deals")


class ProcessActors:
    """Runs the jobs in worker processes of this machine."""

    def __init__(self, config: TrainingConfig) -> None:
        """Take the configuration; processes start with the first job."""
        self._config = config
        self._pool: ProcessPoolExecutor | None = None

    def pool(self) -> ProcessPoolExecutor:
        """Return the running pool."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._config.workers,
                multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(self._config,),
            )
        return self._pool

    def processes(self) -> list[int]:
        """Return the numbers of the running processes."""
        return [] if self._pool is None else list(self._pool._processes)

    def replace(self) -> None:
        """Let a broken pool go; the next job starts another."""
        self.close()
        self._pool = None

    def start(self, jobs: Sequence[Job]) -> Pending:
        """Give the jobs to the processes (see `Actors.start`)."""
        return _Processes(self, jobs)

    def close(self) -> None:
        """Let the processes end after what they are at, and wait for it; what waits is dropped.

        Without the wait the learner's process could end first: it would close the queue to the
        workers before they are told to end, and then wait for them for ever.
        """
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


class RayActors:
    """Runs the jobs on a Ray cluster, one actor a worker."""

    def __init__(self, config: TrainingConfig, address: str) -> None:
        """Connect to the cluster and start the actors.

        Raises:
            WorkerError: If Ray is not installed or the cluster is not to be reached.
        """
        try:
            import ray
        except ImportError as error:
            raise WorkerError("--ray needs Ray: pip install 'terz-env[ray]'") from error
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        try:
            ray.init(address=address, log_to_driver=False)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise WorkerError(f"no Ray cluster at {address!r}: {error}") from error
        self._ray = ray
        wanted, there = max(1, config.workers), int(ray.cluster_resources().get("CPU", 0))
        if wanted > there:
            raise WorkerError(f"workers={wanted}, but the cluster has {there} CPUs: ask for fewer")
        remote = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1)(_RayTable)
        self._actors = [remote.remote(config) for _ in range(wanted)]

    def start(self, jobs: Sequence[Job]) -> Pending:
        """Give the jobs to the actors in turn (see `Actors.start`)."""
        return _Rays(self._ray, self._actors, jobs)

    def close(self) -> None:
        """Leave the cluster; its actors end with that."""
        self._ray.shutdown()


class _RayTable:
    """A table in an actor of Ray."""

    def __init__(self, config: TrainingConfig) -> None:
        torch.set_num_threads(1)
        self._table = Table(config)

    def run(self, job: Job) -> Any:
        return self._table.run(job)


class _Rays:
    """Jobs that actors of Ray run; Ray restarts a lost actor and gives it its jobs again."""

    def __init__(self, ray: Any, actors: Sequence[Any], jobs: Sequence[Job]) -> None:
        self._ray = ray
        self._references = [
            actors[number % len(actors)].run.remote(job) for number, job in enumerate(jobs)
        ]

    def results(self) -> list[Any]:
        try:
            found: list[Any] = self._ray.get(self._references)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except self._ray.exceptions.RayError as error:
            raise WorkerError(f"the Ray cluster lost a worker for good: {error}") from error
        return found

"""Runs an arena: hands out chunks, keeps them, stops where a test has decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import numpy as np

from terz_env.evaluation.backends import Backend, OneProcess
from terz_env.evaluation.journal import Chunks, Journal
from terz_env.evaluation.plan import Plan, Task
from terz_env.evaluation.results import Pairing, Results, advantages
from terz_env.evaluation.sequential import Sprt

Progress = Callable[[int, int], object]
"""Told how many chunks are done, and how many there are at most."""


def run(
    plan: Plan,
    backend: Backend | None = None,
    *,
    journal: Journal | None = None,
    sprt: Sprt | None = None,
    progress: Progress | None = None,
) -> Results:
    """Play a plan.

    The results are the same for every backend and number of processes, interrupted or not: a chunk
    depends on nothing else, and the test looks at the chunks of a pairing in their order.

    Args:
        plan: What to play.
        backend: Where to play it, and closed at the end; this process if none is given.
        journal: Keeps the chunks; those it holds already are not played again.
        sprt: Ends a pairing early.
        progress: Called after every chunk.

    Raises:
        ArenaError: If a process dies.
    """
    watch = _Watch(plan, dict(journal.chunks) if journal else {}, sprt)
    tasks = watch.tasks()
    with closing(backend or OneProcess()) as place:
        flying = 0
        while True:
            while flying < place.capacity and (task := next(tasks, None)) is not None:
                place.submit(plan, task)
                flying += 1
            if progress:
                progress(*watch.progress())
            if not flying:
                return watch.results()
            task, played = place.take()
            flying -= 1
            if journal:
                journal.add(task, played)
            watch.chunks[task.pairing, task.chunk] = played
            watch.look(task.pairing)


class _Watch:
    """What has been played, and how many chunks of each pairing are needed."""

    def __init__(self, plan: Plan, chunks: Chunks, sprt: Sprt | None) -> None:
        self.chunks = chunks
        self._plan = plan
        self._sprt = sprt
        self._needed = dict.fromkeys(plan.pairings, plan.chunks)
        self._units: dict[Pairing, list[float]] = {pairing: [] for pairing in plan.pairings}
        self._looked = dict.fromkeys(plan.pairings, 0)
        for pairing in plan.pairings:
            self.look(pairing)

    def tasks(self) -> Iterator[Task]:
        """Yield the chunks that are still needed when their turn comes."""
        for task in self._plan.tasks():
            known = (task.pairing, task.chunk) in self.chunks
            if not known and task.chunk < self._needed[task.pairing]:
                yield task

    def look(self, pairing: Pairing) -> None:
        """Let the test look at the chunks of a pairing in their order, as far as they go."""
        if self._sprt is None:
            return
        while (
            self._looked[pairing] < self._needed[pairing]
            and (played := self.chunks.get((pairing, self._looked[pairing]))) is not None
        ):
            results = np.array(played.results, dtype=np.int64)
            self._units[pairing] += advantages(results, self._plan.seatings).mean(axis=1).tolist()
            self._looked[pairing] += 1
            if self._sprt.verdict(np.array(self._units[pairing])):
                self._needed[pairing] = self._looked[pairing]

    def progress(self) -> tuple[int, int]:
        """Return how many of the chunks that are needed are done, and how many are needed."""
        done = sum(chunk < self._needed[pairing] for pairing, chunk in self.chunks)
        return done, sum(self._needed.values())

    def results(self) -> Results:
        """Return the chunks that are needed, put together."""
        played, forfeits = {}, {}
        times = dict.fromkeys(self._plan.players, (0, 0.0))
        for pairing in self._plan.pairings:
            chunks = [self.chunks[pairing, number] for number in range(self._needed[pairing])]
            rows = [deal for chunk in chunks for deal in chunk.results]
            played[pairing] = np.array(rows, dtype=np.int64)
            forfeits[pairing] = [forfeit for chunk in chunks for forfeit in chunk.forfeits]
            for chunk in chunks:
                for name, (decisions, seconds) in zip(pairing, chunk.times, strict=True):
                    before = times[name]
                    times[name] = (before[0] + decisions, before[1] + seconds)
        return Results(self._plan, played, forfeits, times, self._sprt)

"""What a run has taken, over all the processes that it was made in."""

import csv
from pathlib import Path
from time import perf_counter, process_time

from training.files import write_atomically

FILE = "clock.csv"
COLUMNS = ("states", "decisions", "cpu", "wall")
Row = tuple[float, float, float, float]
START: Row = (0, 0, 0.0, 0.0)


class Clock:
    """A row an iteration, cut back where the run goes on from a checkpoint."""

    def __init__(self, output: Path, rows: list[Row]) -> None:
        """Begin to count, after the rows that are there."""
        self._path = output / FILE
        self._rows = rows
        last = self._last
        self._started = process_time() - last[2], perf_counter() - last[3]

    @classmethod
    def begin(cls, output: Path) -> "Clock":
        """Return the clock of a run that has not begun."""
        return cls(output, [])

    @classmethod
    def go_on(cls, output: Path, iterations: int) -> "Clock | None":
        """Return the clock of a run after some iterations; None if they were not all noted."""
        try:
            with (output / FILE).open(encoding="utf-8", newline="") as file:
                rows = [_row(row) for row in list(csv.reader(file))[1 : 1 + iterations]]
        except (FileNotFoundError, ValueError):
            return None
        return cls(output, rows) if len(rows) == iterations else None

    def note(self, done: int, *, booting: bool) -> None:
        """Note the end of an iteration.

        Args:
            done: States of the bootstrap, or decisions, so far.
            booting: Whether the bootstrap goes on.
        """
        states, decisions, _, _ = self._last
        cpu, wall = process_time() - self._started[0], perf_counter() - self._started[1]
        counts = (float(done), decisions) if booting else (states, float(done))
        self._rows.append((*counts, cpu, wall))
        lines = [",".join(COLUMNS), *(",".join(map(repr, row)) for row in self._rows)]
        text = "\n".join(lines) + "\n"
        write_atomically(self._path, lambda file: file.write_text(text, encoding="utf-8"))

    @property
    def states(self) -> int:
        """States that the bootstrap learned from."""
        return int(self._last[0])

    @property
    def decisions(self) -> int:
        """Decisions that the algorithm learned from."""
        return int(self._last[1])

    @property
    def cpu(self) -> float:
        """Seconds of the processor."""
        return self._last[2]

    @property
    def wall(self) -> float:
        """Seconds of the clock on the wall, but for the time between two processes."""
        return self._last[3]

    @property
    def _last(self) -> Row:
        return self._rows[-1] if self._rows else START


def _row(cells: list[str]) -> Row:
    states, decisions, cpu, wall = map(float, cells)
    return states, decisions, cpu, wall

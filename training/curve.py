"""The learning curve: a CSV file and TensorBoard's events, a row an iteration."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from training.files import FileError, write_atomically

CURVE_FILE, EVENTS_FOLDER = "curve.csv", "events"
Value = float | int | str | None


class Curve:
    """Rows are added as they come, and cut back where a run goes on from a checkpoint."""

    def __init__(self, output: Path, columns: Sequence[str], keep: int) -> None:
        """Open the files, with the first `keep` rows that are there already."""
        self._path = output / CURVE_FILE
        self._columns = list(columns)
        rows = read_curve(output)[:keep] if keep else []
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, self._columns, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
        content = text.getvalue()
        write_atomically(self._path, lambda file: file.write_text(content, encoding="utf-8"))
        self.rows = len(rows)
        from tensorboardX import SummaryWriter

        self._events: Any = SummaryWriter(str(output / EVENTS_FOLDER), purge_step=self.rows)

    def add(self, row: Mapping[str, Value]) -> None:
        """Add a row; what was not measured is empty.

        Raises:
            FileError: If it cannot be written.
        """
        try:
            with self._path.open("a", encoding="utf-8", newline="") as file:
                csv.DictWriter(file, self._columns, lineterminator="\n").writerow(row)
        except OSError as error:
            raise FileError(f"{self._path} cannot be written: {error.strerror or error}") from error
        for name, value in row.items():
            if isinstance(value, int | float):
                self._events.add_scalar(name.replace(" ", "_"), value, self.rows)
        self.rows += 1

    def close(self) -> None:
        """Write what TensorBoard has not been given yet."""
        self._events.close()


def read_curve(output: Path) -> list[dict[str, str]]:
    """Return the rows of a run's curve; none if it has no curve."""
    path = output / CURVE_FILE
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))

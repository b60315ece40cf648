"""Learning curves of runs, those of exploiters among them: what the report keeps of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from training.curve import CURVE_FILE, read_curve
from training.errors import TrainingError
from training.model import RUN_FILE
from training.strength.plan import NASH_CONV, Run
from training.units import Tell, circumstances, holds, read_data, write_data

FORMAT = "terz-strength-run/1"
MOST_ROWS = 200
"""Rows kept, beside those with a result."""
COLUMNS = ("phase", "states", "decisions", "entropy")


@dataclass(frozen=True)
class RunUnit:
    """The curve of a run, and the configuration that it followed."""

    entry: Run

    @property
    def file(self) -> Path:
        """The file, from the folder of the report."""
        return Path(self.entry.name) / "run.json"

    @property
    def label(self) -> str:
        """Which run."""
        return self.entry.folder

    @property
    def command(self) -> str:
        """What made the run."""
        return self.entry.command

    def fits(self, file: Path) -> bool:
        """Tell whether the file holds this run."""
        return holds(read_data(file, FORMAT), self._own())

    def is_kept(self, file: Path) -> bool:
        """Tell whether it holds the run to its present end; the run itself may be gone."""
        rows = read_curve(Path(self.entry.folder))
        return self.fits(file) and (not rows or self._kept(rows) == read_data(file, FORMAT)["rows"])

    def measure(self, file: Path, tell: Tell) -> None:
        """Read the run.

        Raises:
            TrainingError: If there is no such run, or it was never measured against an opponent.
        """
        tell(0, 1)
        folder = Path(self.entry.folder)
        rows = read_curve(folder)
        try:
            text = (folder / RUN_FILE).read_text(encoding="utf-8")
        except OSError as error:
            raise TrainingError(f"{folder} is no directory of a run: {error.strerror}") from error
        missing = [name for name in self._shown() if not any(row.get(name) for row in rows)]
        if missing:
            raise TrainingError(f"{folder / CURVE_FILE} has no results for {', '.join(missing)}")
        facts = yaml.safe_load(text)
        data = {
            "format": FORMAT,
            **self._own(),
            "config": facts["config"],
            "rows": self._kept(rows),
            "measured": {
                **circumstances(self.command),
                "machine": facts.get("machine", circumstances("")["machine"]),
                "versions": facts["versions"],
            },
        }
        write_data(file, data)
        tell(1, 1)

    def _own(self) -> dict[str, Any]:
        return {"folder": self.entry.folder, "game": self.entry.game, "shown": self._shown()}

    def _shown(self) -> list[str]:
        return self.entry.opponents or [NASH_CONV]

    def _kept(self, rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
        """Return the rows with a result and some of the others, with the columns that are shown."""
        columns = [*COLUMNS, *(f"{name}{end}" for name in self._shown() for end in ("", " ±"))]
        every = -(-len(rows) // MOST_ROWS) or 1
        last = len(rows) - 1
        return [
            {name: row[name] for name in columns if row.get(name)}
            for number, row in enumerate(rows)
            if number % every == 0 or number == last or any(row.get(n) for n in self._shown())
        ]

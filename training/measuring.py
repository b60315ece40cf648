"""Measures what is missing, one file after another."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from terz_env.errors import TerzEnvError
from training.units import Tell, Unit

SomeUnit = TypeVar("SomeUnit", bound=Unit)
Begin = Callable[[Unit], Tell]
"""Told what is measured next; returns what is told how far it is."""


@dataclass(frozen=True)
class Outcome:
    """What became of a unit.

    Attributes:
        unit: What was to be measured.
        failure: Why it could not be; empty if it is measured now, or was before.
        is_new: Whether it was measured just now.
    """

    unit: Unit
    failure: str = ""
    is_new: bool = False


def measure(
    units: Sequence[Unit], folder: Path, begin: Begin, *, again: bool = False
) -> list[Outcome]:
    """Measure the units whose files are missing, of another plan, or of other weights.

    What cannot be measured, because a player does not exist yet, does not stop the others.

    Args:
        units: What is wanted.
        folder: Where the files lie.
        begin: Called before each unit that is measured.
        again: Measure also what is there.
    """
    outcomes = []
    for unit in units:
        file = folder / unit.file
        try:
            if not again and file.is_file() and unit.is_kept(file):
                outcomes.append(Outcome(unit))
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            unit.measure(file, begin(unit))
            outcomes.append(Outcome(unit, is_new=True))
        except TerzEnvError as error:
            outcomes.append(Outcome(unit, str(error)))
    return outcomes


def kept(units: Iterable[SomeUnit], folder: Path) -> list[tuple[SomeUnit, Path]]:
    """Return the units that have been measured, with whatever weights, and their files."""
    files = [(unit, folder / unit.file) for unit in units]
    return [(unit, file) for unit, file in files if file.is_file() and unit.fits(file)]

"""What is measured at once and kept in one file."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from terz_env.cli.bench import machine, versions
from terz_env.evaluation.results import write_whole
from training.errors import TrainingError

Tell = Callable[[int, int], object]
"""Told how much is done, and how much there is."""


class Unit(Protocol):
    """One file of results: what it holds is decided by the plan alone."""

    @property
    def file(self) -> Path:
        """The file, from the folder of the report."""

    @property
    def label(self) -> str:
        """What is measured, in words."""

    @property
    def command(self) -> str:
        """What measures it again."""

    def fits(self, file: Path) -> bool:
        """Tell whether the file holds results of just this, whatever weights the players had."""

    def is_kept(self, file: Path) -> bool:
        """Tell whether it does, with the weights that the players have now; it loads them."""

    def measure(self, file: Path, tell: Tell) -> None:
        """Measure it, and write the file when all is done."""


def file_name(*names: str) -> str:
    """Return the name of a file for players.

    >>> file_name("terz/base+solver", "pimc:10")
    'terz_base+solver--pimc_10.json'
    """
    return "--".join(re.sub(r"[^A-Za-z0-9.+-]+", "_", name).strip("_") for name in names) + ".json"


def circumstances(command: str) -> dict[str, Any]:
    """Return how, where and with what something was measured."""
    return {"command": command, "machine": machine(), "versions": versions()}


def made_with(known: Mapping[str, Any]) -> str:
    """Return the machine and the versions of what `circumstances` returned, in words."""
    versions = known["versions"]
    if not isinstance(versions, str):
        versions = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"{known['machine']}; {versions}"


def write_data(file: Path, data: Mapping[str, Any]) -> None:
    """Write results as JSON; the file appears under its name when it is complete."""
    write_whole(file, json.dumps(data, separators=(",", ":"), ensure_ascii=False) + "\n")


def read_data(file: Path, form: str) -> dict[str, Any]:
    """Return what `write_data` wrote.

    Raises:
        TrainingError: If the file is damaged or of another format.
    """
    try:
        data = json.loads(file.read_bytes())
    except ValueError as error:
        raise TrainingError(f"{file}: no JSON: {error}; remove it and measure again") from error
    found = data.get("format") if isinstance(data, dict) else None
    if found != form or not isinstance(data, dict):
        raise TrainingError(f"{file}: format {found!r}; {form!r} is expected: measure it again")
    return data


def holds(data: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Tell whether data hold these values, among others."""
    return all(data.get(key) == value for key, value in wanted.items())

"""Measures every way to the games on one machine, and writes what works with what.

    python -m training.matrix

It writes ``docs/benchmarks/matrix.json`` and the tables of ``README.md`` and ``docs/pipelines.md``.
What is not measured keeps its row: RLlib has an environment of its own, where
``python -m training.matrix --only RLlib`` adds to the same file. ``--prove`` runs the command of
each row besides.
"""

import json
import os
import platform
import subprocess
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import metadata, util
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table

from terz_env.cli.bench import machine, measure_row
from training.files import write_atomically
from training.paths import FACES, ROWS, PathRow

ROOT = Path(__file__).parents[1]
DATA = ROOT / "docs" / "benchmarks" / "matrix.json"
PAGES = {ROOT / "README.md": "docs/", ROOT / "docs" / "pipelines.md": ""}
"""The pages with a table, and where the other pages lie from there."""
BEGIN, END = "<!-- matrix: python -m training.matrix -->", "<!-- end of matrix -->"
REPEATS = 5
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
HEADINGS = ("path", "version", "games at once", "Terz, steps/s", "Tetka, steps/s", "proved by")


def is_installed(row: PathRow) -> bool:
    """Tell whether what a row needs can be imported."""
    try:
        return util.find_spec(row.module) is not None
    except ModuleNotFoundError:
        return False


def measured(row: PathRow, game: str, repeats: int) -> dict[str, float]:
    """Return the median of steps a second of the processor, and (most - least) / median."""
    found = measure_row(row.name, game, row.games, repeats, row.prepare(game))
    return {"per_second": round(found.per_second, 1), "spread": round(found.spread, 3)}


def proved(row: PathRow) -> float:
    """Run the command of a row; return the seconds that it took.

    Raises:
        typer.Exit: If it fails.
    """
    words = row.proof.split()
    if words[0] == "pytest":
        words = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", *words[1:]]
    began = monotonic()
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    if run.returncode:
        typer.echo(run.stdout[-2000:] + run.stderr[-2000:])
        typer.echo(f"{row.name}: {row.proof} failed")
        raise typer.Exit(1)
    return round(monotonic() - began, 1)


def as_data(row: PathRow, repeats: int, *, prove: bool) -> dict[str, Any]:
    """Return what is known of a row after measuring it."""
    data: dict[str, Any] = {
        "name": row.name,
        "library": row.library,
        "version": metadata.version(row.library),
        "page": row.page,
        "proof": row.proof,
        "games_at_once": row.games,
        "machine": machine(),
        "python": platform.python_version(),
        "speeds": {game: measured(row, game, repeats) for game in FACES},
    }
    if prove:
        data["proof_seconds"] = proved(row)
    return data


def merged(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the rows in the order of the matrix, the new ones instead of the old."""
    known = {row["name"]: row for row in [*old, *new]}
    return [known[row.name] for row in ROWS if row.name in known]


def markdown(rows: Sequence[Mapping[str, Any]], pages: str) -> str:
    """Return the table.

    Args:
        rows: The rows of the data.
        pages: Where the pages of `docs/` lie.
    """
    lines = ["| " + " | ".join(HEADINGS) + " |", "|---|---|--:|--:|--:|---|"]
    for row in rows:
        cells = [
            f"[{row['name']}]({pages}{row['page']})",
            f"{row['library']} {row['version']}",
            f"{row['games_at_once']:,}",
            *(_speed(row["speeds"][game]) for game in FACES),
            f"`{row['proof']}`",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _speed(speed: Mapping[str, float]) -> str:
    """Return a speed with three digits, and half of its spread."""
    rounded = float(f"{speed['per_second']:.3g}")
    return f"{rounded:,.0f} ± {speed['spread'] / 2:.0%}"


def with_table(page: str, table: str) -> str:
    """Return a page with another table between the marks.

    Raises:
        ValueError: If it lacks the marks.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page lacks the lines {BEGIN} and {END}, which the table stands in")
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def write_pages(rows: Sequence[Mapping[str, Any]], pages: Mapping[Path, str]) -> None:
    """Write the table into the pages."""
    for page, folder in pages.items():
        text = with_table(page.read_text(encoding="utf-8"), markdown(rows, folder))
        _write(page, text)


def _write(path: Path, text: str) -> None:
    write_atomically(path, lambda file: file.write_text(text, encoding="utf-8"))


def read_data(file: Path) -> list[Any]:
    """Return the rows of a file; none if there is no such file."""
    if not file.is_file():
        return []
    rows: list[Any] = json.loads(file.read_text(encoding="utf-8"))["rows"]
    return rows


def as_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return the rows as they are printed."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("path")
    for game in FACES:
        table.add_column(f"{game}, steps/s", justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row["name"].replace("`", ""), *(_speed(row["speeds"][game]) for game in FACES)
        )
    return table


def run(
    only: Annotated[
        list[str] | None,
        typer.Option(help="Rows whose names begin so; all that can be, if absent."),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Of each measurement.")] = REPEATS,
    prove: Annotated[bool, typer.Option(help="Run the commands that prove the rows.")] = False,
    data: Annotated[Path, typer.Option(help="The JSON file.")] = DATA,
    write: Annotated[bool, typer.Option(help="Write the tables of the pages.")] = True,
) -> None:
    """Measure the ways to the games, and write what works with what."""
    for variable in THREADS:
        os.environ.setdefault(variable, "1")
    console = Console(highlight=False)
    chosen = [
        row
        for row in ROWS
        if is_installed(row) and (not only or any(row.name.startswith(name) for name in only))
    ]
    if not chosen:
        names = ", ".join(row.name for row in ROWS)
        console.print(f"nothing to measure here; the rows are {names}", markup=False)
        raise typer.Exit(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what other libraries say of each other's versions
        new = [
            as_data(row, repeats, prove=prove)
            for row in track(chosen, "measuring", console=console, transient=True)
        ]
    rows = merged(read_data(data), new)
    text = json.dumps({"rows": rows}, indent=2, ensure_ascii=False) + "\n"
    _write(data, text)
    if write:
        write_pages(rows, PAGES)
    console.print(as_table(rows))


if __name__ == "__main__":
    typer.run(run)

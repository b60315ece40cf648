"""Runs an arena for `terz arena`: files, processes and the progress bar."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from terz_env.evaluation.backends import Backend, OneProcess, Processes, RayCluster
from terz_env.evaluation.control import controls
from terz_env.evaluation.journal import Journal
from terz_env.evaluation.plan import ArenaError, Plan
from terz_env.evaluation.report_files import write_report
from terz_env.evaluation.results import Results
from terz_env.evaluation.running import run
from terz_env.evaluation.sequential import Sprt
from terz_env.evaluation.summary import Summary, summarise
from terz_env.evaluation.tables import TextTable, tables

JOURNAL = "arena.journal"


def play(
    plan: Plan,
    *,
    sprt: Sprt | None,
    json_file: Path | None,
    report: Path | None,
    processes: int,
    ray: str | None,
    resume: bool,
    console: Console,
    label: str = "chunks",
) -> Results:
    """Play a plan, keep its chunks beside the results, and write these.

    Raises:
        ArenaError: If there is nothing to resume from, or as the arena raises it.
        OSError: If a file cannot be written.
    """
    path = _journal_path(json_file, report)
    if resume and path is None:
        raise ArenaError("--resume needs the --json or --report of the interrupted run")
    if report is not None:
        report.mkdir(parents=True, exist_ok=True)
    journal = None if path is None else Journal(path, plan, resume=resume)
    try:
        backend = _backend(processes, ray)
        with _progress(console) as bar:
            task = bar.add_task(label, total=None)
            results = run(
                plan,
                backend,
                journal=journal,
                sprt=sprt,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
    finally:
        if journal is not None:
            journal.close()
    if json_file is not None:
        results.write(json_file)
    if path is not None and json_file is not None:
        path.unlink()
    return results


def show(
    results: Results, *, control: bool, report: Path | None, journal: bool, console: Console
) -> Summary:
    """Print the tables of results and write the report."""
    summary = summarise(results, controls(results.plan) if control else None)
    for table in tables(summary):
        print_table(table, console)
    if report is not None:
        files = write_report(summary, report)
        console.print(f"report: {files[0]} and {files[1]}", markup=False, soft_wrap=True)
        if journal:
            (report / JOURNAL).unlink(missing_ok=True)
    return summary


def print_table(table: TextTable, console: Console) -> None:
    """Print a table; no name in it is taken for markup."""
    drawn = Table(title=table.title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for number, heading in enumerate(table.headings):
        drawn.add_column(heading, justify="right" if number else "left")
    for row in table.rows:
        drawn.add_row(*(text.replace("[", "\\[") for text in row))
    console.print(drawn)
    if table.note:
        console.print(table.note, markup=False)


def _journal_path(json_file: Path | None, report: Path | None) -> Path | None:
    if json_file is not None:
        return json_file.with_name(json_file.name + ".journal")
    return None if report is None else report / JOURNAL


def _backend(processes: int, ray: str | None) -> Backend:
    if ray is not None:
        return RayCluster(ray)
    return OneProcess() if processes == 1 else Processes(processes)


@contextmanager
def _progress(console: Console) -> Iterator[Progress]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    errors = Console(stderr=True) if not console.is_terminal else console
    with Progress(*columns, TimeRemainingColumn(), console=errors, transient=True) as bar:
        yield bar

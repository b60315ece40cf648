"""Plays the yardsticks for `terz evaluate`, with files, processes and a progress bar."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from terz_env.cli.arena import play, print_table
from terz_env.cli.bench import machine, versions
from terz_env.evaluation.evaluating import Evaluation, evaluate
from terz_env.evaluation.plan import ArenaError, Plan
from terz_env.evaluation.regret import Regret, regret
from terz_env.evaluation.results import Results, read_results, write_whole

DEALS_FOLDER = "deals"


def run(
    planned: Sequence[Plan],
    *,
    regret_deals: int,
    json_file: Path | None,
    report: Path | None,
    card: bool,
    processes: int,
    resume: bool,
    console: Console,
) -> Evaluation:
    """Play the yardsticks one after another, measure the regret, print and write what was found.

    With a report, the results of every deal are kept in its folder ``deals``, a file a yardstick;
    `resume` takes those over that are there.

    Raises:
        ArenaError: If there is nothing to resume from, or as the arena raises it.
        OSError: If a file cannot be written.
    """
    if resume and report is None:
        raise ArenaError("--resume needs the --report of the interrupted run")
    if report is not None:
        (report / DEALS_FOLDER).mkdir(parents=True, exist_ok=True)

    def play_one(plan: Plan) -> Results:
        file = None if report is None else report / DEALS_FOLDER / _file_name(plan.players[1])
        if resume and file is not None and file.exists():
            return _kept(file, plan)
        return play(
            plan,
            sprt=None,
            json_file=file,
            report=None,
            processes=processes,
            ray=None,
            resume=resume,
            console=console,
            label=f"{planned.index(plan) + 1}/{len(planned)} {plan.players[1]}",
        )

    measured: list[Regret] = []
    if regret_deals:
        first = planned[0]
        with console.status("regret"):
            measured = regret(
                first.game,
                first.players[0],
                regret_deals,
                first.seed,
                rules=dict(first.rules),
                processes=processes,
                any_rules=True,
            )
    found = evaluate(planned, play=play_one, regret=measured, notes=_notes())
    for table in found.tables():
        if not card:
            print_table(table, console)
    if card:
        from terz_env.evaluation.evaluation_files import card_text

        sys.stdout.write(card_text(found))
    if json_file is not None:
        write_whole(json_file, found.to_json())
    if report is not None:
        from terz_env.evaluation.evaluation_files import write_report

        files = write_report(found, report)
        if not card:
            console.print(f"report: {files[0]}", markup=False, soft_wrap=True)
    return found


def _kept(file: Path, plan: Plan) -> Results:
    """Return the results of an interrupted run that are complete.

    Raises:
        ArenaError: If they are of another run.
    """
    results = read_results(file)
    if results.plan != plan:
        raise ArenaError(f"{file} holds other deals; leave --resume out, or name another --report")
    return results


def _file_name(yardstick: str) -> str:
    return re.sub(r"[^A-Za-z0-9.+-]+", "_", yardstick).strip("_") + ".json"


def _notes() -> dict[str, str]:
    """Return what the results may depend on, and how to get them again."""
    named = ", ".join(f"{name} {version}" for name, version in versions().items())
    command = shlex.join(["terz", *sys.argv[1:]])
    return {"command": command, "machine": machine(), "versions": named}

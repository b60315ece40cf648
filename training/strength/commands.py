"""``python -m training.strength``: measure what a plan names, and write the report."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from terz_env.errors import TerzEnvError
from training.strength.measuring import measure
from training.strength.page import page_of, render, units_of
from training.strength.plan import ReportPlan, load_plan
from training.strength.units import Tell, Unit

app = typer.Typer(
    help="Measure strength, and report it.", no_args_is_help=True, pretty_exceptions_enable=False
)
PlanArgument = Annotated[Path, typer.Argument(help="A plan, such as configs/strength.yaml.")]
OnlyOption = Annotated[
    list[str] | None, typer.Option("--only", help="A measurement's name; may be repeated.")
]


@app.command("measure")
def measure_command(
    plan_file: PlanArgument,
    only: OnlyOption = None,
    again: Annotated[bool, typer.Option("--again", help="Also what is measured already.")] = False,
    processes: Annotated[int, typer.Option(min=1, help="Processes that share the deals.")] = 1,
) -> None:
    """Measure what is missing; an interrupted measurement goes on where it was."""
    console = Console()
    with _plain_errors(console):
        plan = load_plan(plan_file)
        units = _units(plan, plan_file, only or [], processes)
        with _display(console) as display:
            overall = display.add_task("files", total=len(units))
            one = display.add_task("", total=None)

            def begin(unit: Unit) -> Tell:
                display.update(overall, completed=units.index(unit))
                display.reset(one, total=None, description=f"{unit.file.parent}: {unit.label}")
                return lambda done, total: display.update(one, completed=done, total=total)

            try:
                outcomes = measure(units, Path(plan.folder), begin, again=again)
            except KeyboardInterrupt:
                console.print("interrupted; the same command goes on")
                raise typer.Exit(130) from None
    failed = [outcome for outcome in outcomes if outcome.failure]
    for outcome in failed:
        _say(console, f"{outcome.unit.file}: {outcome.failure}", style="red")
    new = sum(outcome.is_new for outcome in outcomes)
    there = len(outcomes) - new - len(failed)
    _say(console, f"{new} measured, {there} there already, {len(failed)} could not be")
    if failed:
        raise typer.Exit(1)


@app.command("render")
def render_command(plan_file: PlanArgument) -> None:
    """Write the page and its plots from the results; nothing is played."""
    console = Console()
    with _plain_errors(console):
        plan = load_plan(plan_file)
        missing = render(plan, plan_file)
    _say(console, f"{page_of(plan)}, {len(missing)} results are missing")


def _units(plan: ReportPlan, plan_file: Path, only: list[str], processes: int) -> list[Unit]:
    """Return the units of all measurements, or of those that are named."""
    names = [entry.name for entry in plan.measurements]
    unknown = [name for name in only if name not in names]
    if unknown:
        raise typer.BadParameter(f"no measurement {', '.join(unknown)}; use {', '.join(names)}")
    return [
        unit
        for entry in plan.measurements
        if not only or entry.name in only
        for unit in units_of(entry, plan.seed, plan_file, processes)
    ]


@contextmanager
def _plain_errors(console: Console) -> Iterator[None]:
    """End the command with one line and status 2 where something is refused."""
    try:
        yield
    except (TerzEnvError, OSError) as error:
        _say(console, f"error: {error}", style="red")
        raise typer.Exit(2) from None


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def _display(console: Console) -> Progress:
    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=16))
    return Progress(*columns, MofNCompleteColumn(), TimeElapsedColumn(), console=console)

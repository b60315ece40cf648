"""``python -m training.strength``: measure what a plan names, and write the report."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from training.measure_display import measure_shown, plain_errors, say
from training.strength.page import page_of, render, units_of
from training.strength.plan import ReportPlan, load_plan
from training.units import Unit

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
    with plain_errors(console):
        plan = load_plan(plan_file)
        units = _units(plan, plan_file, only or [], processes)
        measure_shown(console, units, Path(plan.folder), again=again)


@app.command("render")
def render_command(plan_file: PlanArgument) -> None:
    """Write the page and its plots from the results; nothing is played."""
    console = Console()
    with plain_errors(console):
        plan = load_plan(plan_file)
        missing = render(plan, plan_file)
    say(console, f"{page_of(plan)}, {len(missing)} results are missing")


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

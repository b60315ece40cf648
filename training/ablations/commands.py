"""``python -m training.ablations``: make the runs that a plan names, and write the page."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from training.ablations.page import page_of, render
from training.ablations.plan import AblationPlan, load_plan
from training.ablations.runs import AblationRun, runs_of
from training.measure_display import measure_shown, plain_errors, say

app = typer.Typer(
    help="Train with one thing changed, and report it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
PlanArgument = Annotated[Path, typer.Argument(help="A plan, such as configs/ablations.yaml.")]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option("--only", help="A game, a variant, or GAME-VARIANT; may be repeated."),
]


@app.command("measure")
def measure_command(plan_file: PlanArgument, only: OnlyOption = None) -> None:
    """Make the runs that are missing, one after another; an interrupted one goes on."""
    console = Console()
    with plain_errors(console):
        plan = load_plan(plan_file)
        measure_shown(console, _runs(plan, plan_file, only or []), Path(plan.folder))


@app.command("render")
def render_command(plan_file: PlanArgument) -> None:
    """Write the page and its plots from the results; nothing is trained or played."""
    console = Console()
    with plain_errors(console):
        plan = load_plan(plan_file)
        missing = render(plan, plan_file)
    say(console, f"{page_of(plan)}, {len(missing)} runs are missing")


def _runs(plan: AblationPlan, plan_file: Path, only: list[str]) -> list[AblationRun]:
    """Return all runs, or those that are named."""
    runs = runs_of(plan, plan_file)
    names = [(run.group.game, run.variant.name, run.name) for run in runs]
    known = list(dict.fromkeys(name for column in zip(*names, strict=True) for name in column))
    unknown = [name for name in only if name not in known]
    if unknown:
        raise typer.BadParameter(f"no runs {', '.join(unknown)}; use {', '.join(known)}")
    return [run for run, own in zip(runs, names, strict=True) if not only or set(only) & set(own)]

"""What the commands that measure show: how far it is, what failed, and errors in one line."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from terz_env.errors import TerzEnvError
from training.measuring import measure
from training.units import Tell, Unit


def measure_shown(
    console: Console, units: Sequence[Unit], folder: Path, *, again: bool = False
) -> None:
    """Measure what is missing, show how far it is, and say what became of it.

    The command ends with status 1 where something could not be measured, 130 if it was interrupted.

    Args:
        console: Where it is shown.
        units: What is wanted.
        folder: Where the files lie.
        again: Measure also what is there.
    """
    with _display(console) as display:
        overall = display.add_task("files", total=len(units))
        one = display.add_task("", total=None)

        def begin(unit: Unit) -> Tell:
            display.update(overall, completed=units.index(unit))
            words = (unit.file.parent.name, unit.label)
            display.reset(one, total=None, description=": ".join(word for word in words if word))
            return lambda done, total: display.update(one, completed=done, total=total)

        try:
            outcomes = measure(units, folder, begin, again=again)
        except KeyboardInterrupt:
            console.print("interrupted; the same command goes on")
            raise typer.Exit(130) from None
    failed = [outcome for outcome in outcomes if outcome.failure]
    for outcome in failed:
        say(console, f"{outcome.unit.file}: {outcome.failure}", style="red")
    new = sum(outcome.is_new for outcome in outcomes)
    there = len(outcomes) - new - len(failed)
    say(console, f"{new} measured, {there} there already, {len(failed)} could not be")
    if failed:
        raise typer.Exit(1)


@contextmanager
def plain_errors(console: Console) -> Iterator[None]:
    """End the command with one line and status 2 where something is refused."""
    try:
        yield
    except (TerzEnvError, OSError) as error:
        say(console, f"error: {error}", style="red")
        raise typer.Exit(2) from None


def say(console: Console, text: str, style: str = "") -> None:
    """Print a line as it is."""
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def _display(console: Console) -> Progress:
    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=16))
    return Progress(*columns, MofNCompleteColumn(), TimeElapsedColumn(), console=console)

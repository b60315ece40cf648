"""``python -m training.habits``: play, count, draw, write the pages."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from terz_env.errors import TerzEnvError
from training.files import write_atomically
from training.habits.figures import Habits, HabitsError
from training.habits.measuring import games_to_play, measure
from training.habits.pages import write_pages
from training.habits.plots import draw_plots

FILE = "figures.json"
app = typer.Typer(
    help="Write for card players how trained policies play.", pretty_exceptions_enable=False
)


@app.command()
def habits(
    terz: Annotated[str, typer.Argument(metavar="MODEL_TERZ", help="Such as terz/base.")] = "",
    tetka: Annotated[str, typer.Argument(metavar="MODEL_TETKA", help="Such as tetka/base.")] = "",
    deals: Annotated[int, typer.Option(help="Deals of each game for each table.")] = 4000,
    seed: Annotated[int, typer.Option(help="Picks the deals.")] = 1,
    output: Annotated[Path, typer.Option(help="Folder of figures and plots.")] = Path(
        "docs/benchmarks/habits"
    ),
    pages: Annotated[Path, typer.Option(help="Folder of the pages.")] = Path("docs"),
    read: Annotated[
        bool, typer.Option("--read", help="Play nothing: take the figures of OUTPUT.")
    ] = False,
) -> None:
    """Play both models among their like and among rule players, and tell what they do."""
    console = Console()
    try:
        if read and not terz:
            found = Habits.read(output / FILE)
        elif terz and tetka and not read:
            found = _measure(terz, tetka, deals, seed, console)
            text = found.model_dump_json(indent=1) + "\n"
            write_atomically(output / FILE, lambda path: path.write_text(text, "utf-8"))
        else:
            raise HabitsError("give MODEL_TERZ and MODEL_TETKA, or --read and neither of them")
        files = [*draw_plots(found, output), *write_pages(found, pages, output, command(found))]
    except TerzEnvError as error:
        console.print(f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(2) from error
    for file in files:
        console.print(f"saved {file}", markup=False, highlight=False, soft_wrap=True)


def command(found: Habits) -> str:
    """Return the command that measures these figures."""
    return (
        f"python -m training.habits {found.terz.policy} {found.tetka.policy} "
        f"--deals {found.deals} --seed {found.seed}"
    )


def _measure(terz: str, tetka: str, deals: int, seed: int, console: Console) -> Habits:
    columns = (
        TextColumn("{task.description:>5}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as display:
        tasks = {
            game: display.add_task(game, total=games_to_play(game, deals))
            for game in ("terz", "tetka")
        }
        return measure(
            terz, tetka, deals, seed, lambda game, size: display.advance(tasks[game], size)
        )

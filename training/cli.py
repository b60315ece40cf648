"""``python -m training``: train, resume, both games side by side, export, and compare speeds."""

import json
import multiprocessing
import signal
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from queue import Empty
from types import FrameType
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as ProgressDisplay
from rich.table import Table

from terz_env.errors import TerzEnvError
from terz_env.evaluation.report import HEADINGS, Row
from training.checkpoint import checkpoints, load_config_of
from training.config import ConfigError, TrainingConfig, load_config
from training.errors import TrainingError
from training.learner import Progress, train
from training.model import PLOT_FILE

app = typer.Typer(
    help="Train policies by self-play.", no_args_is_help=True, pretty_exceptions_enable=False
)
Overrides = Annotated[
    list[str], typer.Option("--set", metavar="KEY=VALUE", help="Replace a key, such as seed=2.")
]
Message = tuple[int, Progress | tuple[Row, ...] | str]


RayAddress = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Play on a Ray cluster: an address, or auto."),
]


class GameName(StrEnum):
    """The games that can be learned."""

    TERZ = "terz"
    TETKA = "tetka"


@dataclass(frozen=True)
class Assignment:
    """One run that a process is to make."""

    config: TrainingConfig
    output: Path
    checkpoint: Path | None = None
    ray_address: str | None = None


@app.command("train")
def train_command(
    config: Annotated[Path, typer.Argument(help="A YAML file of configs/.")],
    overrides: Overrides = [],  # noqa: B006  (typer reads the default and copies it)
    output: Annotated[
        Path | None, typer.Option(help="Directory of the results; runs/GAME/NAME if absent.")
    ] = None,
    ray_address: RayAddress = None,
) -> None:
    """Train one game and play the result against the yardsticks."""
    console = Console()
    (loaded,) = _load([config], overrides, console)
    folder = output or _folder(Path("runs"), loaded)
    _run([Assignment(loaded, folder, ray_address=ray_address)], console)


@app.command("resume")
def resume_command(
    output: Annotated[Path, typer.Argument(help="The directory of a run.")],
    overrides: Overrides = [],  # noqa: B006
    ray_address: RayAddress = None,
) -> None:
    """Go on with a run from its last checkpoint; with more decisions, also one that has ended."""
    console = Console()
    kept = checkpoints(output)
    if not kept:
        raise _failure(console, f"{output} holds no checkpoint; begin with train")
    try:
        config = load_config_of(kept[-1], overrides)
    except TerzEnvError as error:
        raise _failure(console, str(error)) from error
    _run([Assignment(config, output, kept[-1], ray_address)], console)


@app.command("train-both")
def train_both_command(
    first: Annotated[Path, typer.Argument(help="A YAML file of configs/.")],
    second: Annotated[Path, typer.Argument(help="Another one.")],
    overrides: Overrides = [],  # noqa: B006
    output: Annotated[Path, typer.Option(help="Results go to OUTPUT/GAME/NAME.")] = Path("runs"),
) -> None:
    """Train two configurations side by side, one process and one thread each."""
    console = Console()
    configs = _load([first, second], overrides, console)
    _run([Assignment(config, _folder(output, config)) for config in configs], console)


@app.command("export")
def export_command(
    run: Annotated[Path, typer.Argument(help="The directory of a run that has ended.")],
    output: Annotated[
        Path | None, typer.Option(help="Directory of the model; models/GAME/NAME if absent.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What the model is called.")] = None,
    evaluations: Annotated[
        list[Path] | None,
        typer.Option("--evaluation", help="What `terz evaluate … --json` wrote; repeatable."),
    ] = None,
) -> None:
    """Turn a run into a model: weights, ONNX graph, run file and card."""
    from training.export import export

    console = Console()
    try:
        files = export(run, output, name=name, evaluations=evaluations or ())
    except TerzEnvError as error:
        raise _failure(console, str(error)) from error
    for file in files:
        size = file.stat().st_size
        console.print(f"{file}, {size:,} bytes", markup=False, highlight=False, soft_wrap=True)


@app.command("throughput")
def throughput_command(
    game: Annotated[GameName, typer.Option(help="What is learned.")] = GameName.TETKA,
    seconds: Annotated[float, typer.Option(min=0.1, help="At least so long a row.")] = 20.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare the speed of this learner with that of MaskablePPO, updates included."""
    console = Console()
    speeds = []
    try:
        import_module("terz_env.adapters.sb3")  # says what to install where it is missing
        from training.throughput import as_data, as_table, measure

        for speed in measure(game, seconds):
            speeds.append(speed)
            if not as_json:
                console.print(f"measured: {speed.name}", style="dim")
    except TerzEnvError as error:
        raise _failure(console, str(error)) from error
    if as_json:
        typer.echo(json.dumps(as_data(game, speeds)))
    else:
        console.print(as_table(game, speeds))


def _load(
    paths: Sequence[Path], overrides: Sequence[str], console: Console
) -> list[TrainingConfig]:
    """Read the configurations, or say what is wrong with them and exit."""
    try:
        return [load_config(path, overrides) for path in paths]
    except ConfigError as error:
        raise _failure(console, str(error)) from error


def _folder(root: Path, config: TrainingConfig) -> Path:
    return root / config.game / config.name


def _failure(console: Console, message: str) -> typer.Exit:
    """Print what went wrong and return the exception that ends the command."""
    console.print(f"error: {message}", style="red", markup=False, highlight=False, soft_wrap=True)
    return typer.Exit(2)


def _run(assignments: Sequence[Assignment], console: Console) -> None:
    """Make each run in a process of its own, and print the table."""
    outputs = [assignment.output for assignment in assignments]
    if len(set(outputs)) < len(outputs):
        raise _failure(console, f"both runs would write to {outputs[0]}")
    try:
        results = _train_side_by_side(assignments, console)
    except TrainingError as error:
        raise _failure(console, str(error)) from error
    console.print(results_table([assignment.config for assignment in assignments], results))
    for folder in outputs:
        console.print(
            f"saved {folder}, learning curve {folder / PLOT_FILE}", markup=False, soft_wrap=True
        )


def results_table(configs: Sequence[TrainingConfig], results: Sequence[tuple[Row, ...]]) -> Table:
    """Return the results with their targets, one row an opponent."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.title = "Result a deal, on duplicate deals"
    for heading in (*HEADINGS, "target"):
        table.add_column(heading, no_wrap=True)
    for config, rows in zip(configs, results, strict=True):
        sign, word = ("+", "≥") if config.game == "terz" else ("", "≤")
        for name, row in zip(config.evaluation.final_opponents, rows, strict=True):
            target = config.evaluation.targets.get(name)
            table.add_row(*row.cells(), "" if target is None else f"{word} {target:{sign}.2f}")
    return table


def _train_side_by_side(
    assignments: Sequence[Assignment], console: Console
) -> list[tuple[Row, ...]]:
    """Make each run in a process, under one live display.

    The first Ctrl-C lets the runs save what they have and end; the second ends them at once. They
    also save and end where this process dies.
    """
    context = multiprocessing.get_context("spawn")
    messages: Queue[Message] = context.Queue()
    stop = context.Event()
    workers = [
        context.Process(target=_work, args=(index, assignment, messages, stop))
        for index, assignment in enumerate(assignments)
    ]
    results: dict[int, tuple[Row, ...]] = {}
    failures: dict[int, str] = {}
    with _display(console) as display, _asks_once(stop, console):
        tasks = [_add_task(display, assignment.config) for assignment in assignments]
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the children inherit it
        for worker in workers:
            worker.start()
        signal.signal(signal.SIGINT, handler)
        try:
            while len(results) + len(failures) < len(workers):
                try:
                    index, news = messages.get(timeout=1.0)
                except Empty:
                    _note_deaths(assignments, workers, results, failures)
                    continue
                if isinstance(news, str):
                    failures[index] = news
                elif isinstance(news, Progress):
                    _show(display, tasks[index], news)
                else:
                    results[index] = news
        finally:
            for worker in workers:
                if len(results) + len(failures) < len(workers):
                    worker.terminate()
                worker.join()
    if failures:
        raise TrainingError("; ".join(failures[index] for index in sorted(failures)))
    return [results[index] for index in range(len(workers))]


@contextmanager
def _asks_once(stop: Event, console: Console) -> Iterator[None]:
    """Turn the first Ctrl-C, or the first signal to end, into a question to stop.

    The next ones have their usual effect.
    """

    def ask(number: int, frame: FrameType | None) -> None:
        stop.set()
        restore()
        console.print("saving and stopping; press Ctrl-C again to stop at once")

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        restore()


def _work(index: int, assignment: Assignment, messages: "Queue[Message]", stop: Event) -> None:
    """Train in this process and send progress, then the results or the reason of failure."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent passes it on
    parent = multiprocessing.parent_process()
    assert parent is not None
    game = assignment.config.game
    try:
        results = train(
            assignment.config,
            assignment.output,
            lambda news: messages.put((index, news)),
            checkpoint=assignment.checkpoint,
            ray_address=assignment.ray_address,
            should_stop=lambda: stop.is_set() or not parent.is_alive(),
        )
        messages.put((index, results))
    except TerzEnvError as error:
        messages.put((index, f"{game}: {error}"))
    except Exception:
        messages.put((index, f"{game}: training failed\n{traceback.format_exc()}"))


def _note_deaths(
    assignments: Sequence[Assignment],
    workers: Sequence[multiprocessing.process.BaseProcess],
    results: dict[int, tuple[Row, ...]],
    failures: dict[int, str],
) -> None:
    """Note the processes that died without a word."""
    for index, worker in enumerate(workers):
        silent = index not in results and index not in failures
        if silent and worker.exitcode is not None:
            game, output = assignments[index].config.game, assignments[index].output
            saved = bool(checkpoints(output))
            advice = f"; go on with: python -m training resume {output}" if saved else ""
            failures[index] = f"{game}: the process ended with {worker.exitcode}{advice}"


def _display(console: Console) -> ProgressDisplay:
    return ProgressDisplay(
        TextColumn("{task.description:>5}"),
        BarColumn(bar_width=8),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[status]}", markup=False),
        console=console,
    )


def _add_task(display: ProgressDisplay, config: TrainingConfig) -> TaskID:
    return display.add_task(config.game, total=config.decisions, status="compiling and starting")


def _show(display: ProgressDisplay, task: TaskID, news: Progress) -> None:
    status = f"{news.phase} {news.per_second:,.0f}/s H {news.entropy:.2f} KL {news.kl:.4f}"
    if news.evaluation:
        status += f" last {news.evaluation}"
    display.update(task, total=news.total, completed=min(news.done, news.total), status=status)

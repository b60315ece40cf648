"""``python -m training train`` and ``train-both``."""

import multiprocessing
import traceback
from collections.abc import Sequence
from multiprocessing.queues import Queue
from pathlib import Path
from queue import Empty
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressDisplay
from rich.table import Table

from terz_env.errors import TerzEnvError
from terz_env.evaluation.report import HEADINGS, Row
from training.checkpoint import PLOT_FILE
from training.config import ConfigError, TrainingConfig, load_config
from training.learner import Progress, train

app = typer.Typer(
    help="Train policies by self-play.", no_args_is_help=True, pretty_exceptions_enable=False
)
Overrides = Annotated[
    list[str], typer.Option("--set", metavar="KEY=VALUE", help="Replace a key, such as seed=2.")
]
Message = tuple[int, Progress | tuple[Row, ...] | str]


class TrainingError(TerzEnvError, RuntimeError):
    """A run that did not end well; the message says which and why."""


@app.command("train")
def train_command(
    config: Annotated[Path, typer.Argument(help="A YAML file of configs/.")],
    overrides: Overrides = [],  # noqa: B006  (typer reads the default and copies it)
    output: Annotated[
        Path | None, typer.Option(help="Directory of the results; runs/GAME/NAME if absent.")
    ] = None,
) -> None:
    """Train one game and play the result against the yardsticks."""
    console = Console()
    configs = _load([config], overrides, console)
    _run(configs, [output or _folder(Path("runs"), configs[0])], console)


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
    _run(configs, [_folder(output, config) for config in configs], console)


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


def _run(configs: Sequence[TrainingConfig], outputs: Sequence[Path], console: Console) -> None:
    """Train each configuration in a process of its own, and print the table."""
    if len(set(outputs)) < len(outputs):
        raise _failure(console, f"both runs would write to {outputs[0]}")
    try:
        results = _train_side_by_side(configs, outputs, console)
    except TrainingError as error:
        raise _failure(console, str(error)) from error
    console.print(results_table(configs, results))
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
        for row in rows:
            target = config.evaluation.targets.get(row.opponent)
            table.add_row(*row.cells(), "" if target is None else f"{word} {target:{sign}.2f}")
    return table


def _train_side_by_side(
    configs: Sequence[TrainingConfig], outputs: Sequence[Path], console: Console
) -> list[tuple[Row, ...]]:
    """Train in one process a configuration, under one live display."""
    context = multiprocessing.get_context("spawn")
    messages: Queue[Message] = context.Queue()
    workers = [
        context.Process(target=_work, args=(index, config, output, messages), daemon=True)
        for index, (config, output) in enumerate(zip(configs, outputs, strict=True))
    ]
    results: dict[int, tuple[Row, ...]] = {}
    with _display(console) as display:
        tasks = [
            display.add_task(config.game, total=config.decisions, status="compiling and starting")
            for config in configs
        ]
        for worker in workers:
            worker.start()
        try:
            while len(results) < len(workers):
                try:
                    index, news = messages.get(timeout=1.0)
                except Empty:
                    _check_alive(configs, workers, results)
                    continue
                if isinstance(news, str):
                    raise TrainingError(news)
                if isinstance(news, Progress):
                    _show(display, tasks[index], news)
                else:
                    results[index] = news
        finally:
            for worker in workers:
                if len(results) < len(workers):
                    worker.terminate()
                worker.join()
    return [results[index] for index in range(len(workers))]


def _work(index: int, config: TrainingConfig, output: Path, messages: "Queue[Message]") -> None:
    """Train in this process and send progress, then the results or the reason of failure."""
    try:
        messages.put((index, train(config, output, lambda news: messages.put((index, news)))))
    except TerzEnvError as error:
        messages.put((index, f"{config.game}: {error}"))
    except Exception:
        messages.put((index, f"{config.game}: training failed\n{traceback.format_exc()}"))


def _check_alive(
    configs: Sequence[TrainingConfig],
    workers: Sequence[multiprocessing.process.BaseProcess],
    results: dict[int, tuple[Row, ...]],
) -> None:
    """End the command if a process died without a word."""
    for index, worker in enumerate(workers):
        if index not in results and worker.exitcode not in (None, 0):
            raise TrainingError(f"{configs[index].game}: the process ended with {worker.exitcode}")


def _display(console: Console) -> ProgressDisplay:
    return ProgressDisplay(
        TextColumn("{task.description:>5}"),
        BarColumn(bar_width=8),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[status]}", markup=False),
        console=console,
    )


def _show(display: ProgressDisplay, task: TaskID, news: Progress) -> None:
    status = f"{news.per_second:,.0f}/s entropy {news.entropy:.2f} KL {news.kl:.4f}"
    if news.evaluation:
        status += f" last {news.evaluation}"
    display.update(task, completed=min(news.decisions, news.total), status=status)

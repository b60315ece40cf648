"""What the examples on other libraries share: whom they learn from, and how they are measured."""

from collections.abc import Callable, Mapping
from pathlib import Path
from time import process_time

from matplotlib.figure import Figure
from rich.console import Console

from terz_env.envs.seating import Opponent
from terz_env.evaluation.report import HEADINGS, Row, compare
from terz_env.players import Player, load_player
from training.curve import Curve, read_curve
from training.files import write_atomically
from training.plot import plot_results

RESULT = HEADINGS.index("result")
CURVE_PICTURE = "curve.png"
EVALUATION_SEED = 1_000_001

N_STEPS = {"terz": 32, "tetka": 26}
"""Decisions a roll-out and environment: in Tetka two deals, in Terz nearly two."""
REWARD_SCALES = {"terz": 0.01, "tetka": 0.25}
"""Bring a deal's result near a standard deviation of 1."""
TEACHERS: dict[str, dict[Opponent, float]] = {
    "terz": {"random:announce": 0.5, "heuristic": 0.5},
    "tetka": {"random": 0.5, "heuristic": 0.5},
}
"""Who sits in the other seats, beside snapshots of the learner."""
YARDSTICKS = {
    "terz": ("random", "random:announce", "greedy", "heuristic"),
    "tetka": ("random", "greedy", "heuristic"),
}
TARGETS = {"terz": {"random": 15.0, "random:announce": 5.0}, "tetka": {"random": 1.2}}


def strength(player: Player, game: str, deals: int) -> tuple[Row, ...]:
    """Return a player's results against the yardsticks on duplicate deals."""
    rivals = [load_player(name) for name in YARDSTICKS[game]]
    return compare(player, rivals, game, deals, EVALUATION_SEED)


class Measurements:
    """Plays the yardsticks at the start, a few times on the way, and at the end."""

    def __init__(
        self,
        folder: Path,
        game: str,
        console: Console,
        steps: int,
        times: int,
        deals: int,
        clock: Callable[[], float] = process_time,
    ) -> None:
        """Open the curve; the clock runs from here on.

        Args:
            folder: Where `curve.csv` goes.
            game: What is learned.
            console: Where the results are printed.
            steps: The decisions of the whole run.
            times: How often is measured on the way.
            deals: On how many duplicate deals.
            clock: Tells the seconds; where other processes learn too, the time of day's.
        """
        columns = ["decisions", "seconds"]
        for name in YARDSTICKS[game]:
            columns += [name, f"{name} ±"]
        self._curve = Curve(folder, columns, 0)
        self._game, self._console, self._deals = game, console, deals
        self._every, self._due = max(1, steps // times), 0
        self._clock = clock
        self._unit = "CPU seconds" if clock is process_time else "seconds"
        self._began = clock()

    def begin(self) -> None:
        """Start the clock anew."""
        self._began = self._clock()

    def close(self) -> None:
        """Write what has not been written yet."""
        self._curve.close()

    def look(self, decisions: int, player: Callable[[], Player]) -> None:
        """Measure the player if it is time."""
        if decisions >= self._due:
            self._due += self._every
            self.measure(decisions, player())

    def measure(self, decisions: int, player: Player) -> None:
        """Add a row to the curve; the time of evaluations is not counted."""
        seconds = self._clock() - self._began
        rows = strength(player, self._game, self._deals)
        self._began += self._clock() - self._began - seconds
        results = {row.opponent: row.result.mean for row in rows}
        widths = {f"{row.opponent} ±": row.result.half_width for row in rows}
        learned: dict[str, float] = {"decisions": decisions, "seconds": round(seconds, 1)}
        self._curve.add(learned | results | widths)
        self._console.print(
            f"{decisions:>10,} decisions, {seconds:4.0f} {self._unit}: "
            + ", ".join(f"{row.opponent} {row.cells()[RESULT]}" for row in rows)
        )


def draw(
    output: Path, game: str, title: str, targets: Mapping[str, dict[str, float]] = TARGETS
) -> None:
    """Draw the learning curve of a directory, with the results that are aimed at."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    axes.set_title(f"{game}: {title}")
    axes.set_xlabel("decisions of the learner")
    plot_results(axes, read_curve(output), game, YARDSTICKS[game], targets[game])
    write_atomically(
        output / CURVE_PICTURE, lambda file: figure.savefig(file, dpi=120, format="png")
    )

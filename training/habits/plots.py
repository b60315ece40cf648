"""The plots of the pages, in both languages."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import yaml
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from training.files import write_atomically
from training.habits.figures import GameHabits, Habits, Measured
from training.habits.terz_deals import TRICKS as TERZ_TRICKS
from training.habits.terz_holdings import CLASSES
from training.habits.tetka_deals import TRICKS as TETKA_TRICKS
from training.habits.tetka_leads import FARTHEST
from training.habits.tetka_results import MOST_TRICKS

COLOURS = ("#1f5f9f", "#d0812f")
"""Of the policy and of the player it is compared with."""
BAR = 0.4
SIZE, DPI = (10, 4.2), 110
LANGUAGES = ("en", "ru")
Words = Mapping[str, str]
WORDS: Mapping[str, Words] = {
    language: yaml.safe_load(
        (Path(__file__).parent / "templates" / f"plots.{language}.yaml").read_text("utf-8")
    )
    for language in LANGUAGES
}


def draw_plots(habits: Habits, folder: Path) -> list[Path]:
    """Draw every plot in every language into a folder, as PNG files, and return these.

    Raises:
        FileError: If a file cannot be written.
    """
    files = []
    for language, words in WORDS.items():
        for name, draw in _PLOTS.items():
            drawing = Drawing(figsize=SIZE, layout="constrained")
            draw(drawing, habits, words)
            file = folder / f"{name}.{language}.png"
            _save(drawing, file)
            files.append(file)
    return files


def _save(drawing: Drawing, file: Path) -> None:
    nothing = {"Software": None}
    write_atomically(
        file, lambda path: drawing.savefig(path, dpi=DPI, format="png", metadata=nothing)
    )


def _terz_melds(drawing: Drawing, habits: Habits, words: Words) -> None:
    left, right = drawing.subplots(1, 2)
    _bars(left, habits.terz, [f"meld.{name}.points" for name in CLASSES], 1)
    left.set_xticks(range(len(CLASSES)), [words[name] for name in CLASSES])
    left.set_ylabel(words["meld_points"])
    left.legend()
    kept = ("broken.waiting", "broken.scored", "three.jacks", "two.jacks", "three.kings")
    _bars(right, habits.terz, kept, 100)
    right.set_xticks(range(len(kept)), [words[name] for name in kept])
    right.set_ylabel(words["broken"])


def _terz_jack(drawing: Drawing, habits: Habits, words: Words) -> None:
    left, right = drawing.subplots(1, 2, width_ratios=(3, 2))
    tricks = range(1, TERZ_TRICKS + 1)
    _bars(left, habits.terz, [f"jack.trick.{trick}" for trick in tricks], 100)
    left.set_xticks(range(TERZ_TRICKS), map(str, tricks))
    left.axvline(6.5, color="grey", linestyle=":")
    left.set_xlabel(words["trick"])
    left.set_ylabel(words["jack_trick"])
    left.legend()
    stages = ("early", "middle", "late")
    _bars(right, habits.terz, [f"jack.{stage}.margin" for stage in stages], 1)
    right.set_xticks(range(3), [words[f"jack_{stage}"] for stage in stages])
    right.axhline(0, color="grey", linewidth=0.8)
    right.set_ylabel(words["jack_margin"])


def _tetka_counting(drawing: Drawing, habits: Habits, words: Words) -> None:
    left, right = drawing.subplots(1, 2)
    away = range(-FARTHEST, FARTHEST + 1)
    for axes, key, scale, label in (
        (left, "duck.away", 100, "ducks"),
        (right, "lead.rank.away", 1, "lead_rank"),
    ):
        _lines(axes, habits.tetka, away, [f"{key}.{step}" for step in away], scale)
        axes.axvline(0, color="grey", linestyle=":")
        axes.set_xlabel(words["away"])
        axes.set_ylabel(words[label])
    left.legend()


def _tetka_queens(drawing: Drawing, habits: Habits, words: Words) -> None:
    left, right = drawing.subplots(1, 2)
    tricks = range(1, TETKA_TRICKS + 1)
    _bars(left, habits.tetka, [f"queen.trick.{trick}" for trick in tricks], 100)
    left.set_xticks(range(TETKA_TRICKS), map(str, tricks))
    left.set_xlabel(words["trick"])
    left.set_ylabel(words["queen_trick"])
    left.legend(loc="upper left")
    taken = range(MOST_TRICKS + 1)
    _lines(right, habits.tetka, taken, [f"marks.tricks.{number}" for number in taken], 1)
    right.set_xticks(taken, [*map(str, taken[:-1]), f"{MOST_TRICKS}+"])
    right.set_xlabel(words["tricks_taken"])
    right.set_ylabel(words["marks"])


_PLOTS: Mapping[str, Callable[[Drawing, Habits, Words], None]] = {
    "terz_melds": _terz_melds,
    "terz_jack": _terz_jack,
    "tetka_counting": _tetka_counting,
    "tetka_queens": _tetka_queens,
}
PLOT_NAMES = tuple(_PLOTS)


def _sides(
    game: GameHabits, keys: Sequence[str], scale: float
) -> list[tuple[str, list[float], list[float]]]:
    """Return name, means and half widths of both players; NaN where too little was counted."""
    figures = [game.figures[key] for key in keys]
    sides: list[tuple[str, list[Measured | None]]] = [
        (game.policy, [figure.policy for figure in figures]),
        (game.reference, [figure.reference for figure in figures]),
    ]
    return [
        (
            name,
            [np.nan if found is None else scale * found.mean for found in measured],
            [np.nan if found is None else scale * found.half_width for found in measured],
        )
        for name, measured in sides
    ]


def _bars(axes: Axes, game: GameHabits, keys: Sequence[str], scale: float) -> None:
    places = np.arange(len(keys))
    axes.set_xlim(-0.6, len(keys) - 0.4)
    for side, (name, means, errors) in enumerate(_sides(game, keys, scale)):
        shift = BAR * (side - 0.5)
        axes.bar(places + shift, means, BAR, yerr=errors, color=COLOURS[side], label=name)


def _lines(
    axes: Axes, game: GameHabits, places: Sequence[int], keys: Sequence[str], scale: float
) -> None:
    for side, (name, means, errors) in enumerate(_sides(game, keys, scale)):
        axes.errorbar(
            places, means, yerr=errors, color=COLOURS[side], marker="o", capsize=3, label=name
        )

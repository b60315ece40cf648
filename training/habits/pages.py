"""The pages, in English and Russian, written from the figures alone."""

import os
from pathlib import Path
from typing import Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from training.files import write_atomically
from training.habits.figures import LEAST_EVENTS, GameHabits, Habits, Measured

TEMPLATES = Path(__file__).parent / "templates"
PAGES = {"what_was_learned.md": "en", "what_was_learned_ru.md": "ru"}
Kind = Literal["share", "points"]
NOTHING = "–"
DIGITS: dict[Kind, int] = {"share": 0, "points": 2}
"""Decimals of a figure, if the page does not say; more where the interval would vanish."""
MOST_DIGITS = 3


class Teller:
    """Writes the figures of one game in one language."""

    def __init__(self, game: GameHabits, language: str) -> None:
        """Take the figures."""
        self.game = game
        self._comma = language == "ru"

    def row(self, label: str, key: str, kind: Kind = "share", digits: int | None = None) -> str:
        """Return a row of a table: what is told, the policy, the other player."""
        figure = self.game.figures[key]
        cells = [self._cell(found, kind, digits) for found in (figure.policy, figure.reference)]
        return f"| {label} | {cells[0]} | {cells[1]} |"

    def own(self, key: str, kind: Kind = "share", digits: int | None = None) -> str:
        """Return the policy's figure with its interval."""
        return self._cell(self.game.figures[key].policy, kind, digits)

    def plain(self, key: str, kind: Kind = "share", digits: int | None = None) -> str:
        """Return the policy's figure alone."""
        found = self.game.figures[key].policy
        return NOTHING if found is None else self._number(found.mean, kind, digits)

    def exceeds(self, key: str, level: float) -> bool:
        """Tell whether the policy's figure lies above a level, its interval included."""
        found = self.game.figures[key].policy
        return found is not None and found.mean - found.half_width > level

    def falls_short(self, key: str, level: float) -> bool:
        """Tell whether the policy's figure lies below a level, its interval included."""
        found = self.game.figures[key].policy
        return found is not None and found.mean + found.half_width < level

    def than(self, key: str, more: str, less: str, same: str) -> str:
        """Return what the difference of the players says, `same` where it may be chance."""
        return by_sign(self.game.figures[key].difference, 0, more, less, same)

    def against(self, key: str, level: float, more: str, less: str, same: str) -> str:
        """Return how the policy's figure stands to a level, `same` where it may be chance."""
        return by_sign(self.game.figures[key].policy, level, more, less, same)

    def apart(self, key: str, other: str, more: str, less: str, same: str) -> str:
        """Return how two of the policy's figures stand, `same` where their intervals meet."""
        first, second = self.game.figures[key].policy, self.game.figures[other].policy
        if first is None or second is None:
            return same
        between = Measured(
            mean=first.mean - second.mean,
            half_width=first.half_width + second.half_width,
            cases=min(first.cases, second.cases),
        )
        return by_sign(between, 0, more, less, same)

    def _cell(self, found: Measured | None, kind: Kind, digits: int | None) -> str:
        """Return mean and interval; the mean alone where all deals were alike."""
        if found is None:
            return NOTHING
        if found.half_width == 0:
            return self._number(found.mean, kind, digits)
        scale = 100 if kind == "share" else 1
        places = DIGITS[kind] if digits is None else digits
        while scale * found.half_width < 0.5 / 10**places and places < MOST_DIGITS:
            places += 1
        width = self._text(scale * found.half_width, places)
        return f"{self._number(found.mean, kind, places)} ± {width}"

    def _number(self, value: float, kind: Kind, digits: int | None) -> str:
        places = DIGITS[kind] if digits is None else digits
        if kind == "points":
            return self._text(value, places)
        return self._text(100 * value, places) + (" %" if self._comma else "%")

    def _text(self, value: float, places: int) -> str:
        text = f"{value:.{places}f}"
        if float(text) == 0:
            text = text.lstrip("-")
        return text.replace("-", "−").replace(".", "," if self._comma else ".")


def by_sign(found: Measured | None, level: float, more: str, less: str, same: str) -> str:
    """Return `more` or `less` where the interval leaves a level on one side, else `same`."""
    if found is None or abs(found.mean - level) <= found.half_width:
        return same
    return more if found.mean > level else less


def page(name: str, habits: Habits, plots: str, command: str) -> str:
    """Return the text of a page.

    Args:
        name: Of the page, one of `PAGES`.
        habits: The figures.
        plots: Where the plots lie, from the page.
        command: What measured the figures.
    """
    language = PAGES[name]
    environment = Environment(  # noqa: S701  (Markdown, not HTML)
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(f"{name}.j2").render(
        habits=habits,
        terz=Teller(habits.terz, language),
        tetka=Teller(habits.tetka, language),
        plots=plots,
        command=command,
        least=LEAST_EVENTS,
    )


def write_pages(habits: Habits, folder: Path, plots: Path, command: str) -> list[Path]:
    """Write both pages into a folder and return the files.

    Raises:
        FileError: If a file cannot be written.
    """
    files = []
    where = Path(os.path.relpath(plots, folder)).as_posix()
    for name in PAGES:
        text = page(name, habits, where, command)
        _write(folder / name, text)
        files.append(folder / name)
    return files


def _write(file: Path, text: str) -> None:
    write_atomically(file, lambda path: path.write_text(text, "utf-8"))

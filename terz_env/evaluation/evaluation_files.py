"""An evaluation as Markdown: the table for a model's card, and a report with its plot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from terz_env.evaluation.evaluating import Evaluation
from terz_env.evaluation.plots import draw_yardsticks
from terz_env.evaluation.report_files import page
from terz_env.evaluation.results import write_whole

DATA_FILE, REPORT_FILE = "evaluation.json", "report.md"


def card_text(evaluation: Evaluation) -> str:
    """Return the tables of an evaluation, with what they hold for."""
    return page("yardsticks.md", _filled(evaluation))


def write_report(evaluation: Evaluation, folder: Path) -> list[Path]:
    """Write ``report.md``, its plot and ``evaluation.json`` into a folder; return the files.

    Raises:
        OSError: If the folder cannot be made or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / DATA_FILE, evaluation.to_json())
    plots = draw_yardsticks(evaluation, folder)
    more = {"player": evaluation.player, "game": evaluation.game, "digest": evaluation.digest}
    text = page("evaluation.md", {**_filled(evaluation), **more, "plots": plots, "file": DATA_FILE})
    write_whole(folder / REPORT_FILE, text)
    return [folder / name for name in (REPORT_FILE, *plots, DATA_FILE)]


def _filled(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "tables": list(evaluation.tables()),
        "seed": evaluation.seed,
        "rules": ", ".join(f"{name}={value}" for name, value in evaluation.rules.items()),
        "notes": evaluation.notes,
    }

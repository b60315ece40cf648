"""The report of an arena as Markdown and HTML, with plots and the results of every deal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from terz_env.evaluation.plots import draw_plots
from terz_env.evaluation.results import write_whole
from terz_env.evaluation.summary import Summary
from terz_env.evaluation.tables import tables

RESULTS_FILE = "results.json"
PAGES = ("report.md", "report.html")


def write_report(summary: Summary, folder: Path) -> list[Path]:
    """Write ``report.md``, ``report.html``, their plots and ``results.json``; return the files.

    Raises:
        OSError: If the folder cannot be made or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    summary.results.write(folder / RESULTS_FILE)
    plots = draw_plots(summary, folder)
    plan = summary.results.plan
    filled = {
        "plan": plan,
        "rules": ", ".join(f"{name}={value}" for name, value in plan.rules.items()),
        "tables": list(tables(summary)),
        "plots": plots,
        "file": RESULTS_FILE,
    }
    for name in PAGES:
        write_whole(folder / name, page(name, filled))
    return [folder / name for name in (*PAGES, *plots, RESULTS_FILE)]


def page(name: str, filled: Mapping[str, Any]) -> str:
    """Return a page of the templates, filled; only HTML is escaped as such."""
    environment = Environment(
        loader=PackageLoader("terz_env.evaluation"),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["row"] = markdown_row
    return environment.get_template(f"{name}.j2").render(filled)


def markdown_row(cells: Sequence[str]) -> str:
    """Return a row of a Markdown table; no text leaves its cell."""
    return "| " + " | ".join(_cell(text) for text in cells) + " |"


def _cell(text: str) -> str:
    safe = text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return " ".join(safe.split())

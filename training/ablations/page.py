"""Writes the page and its plots, from the files of the results alone."""

from dataclasses import dataclass
from pathlib import Path

from terz_env.evaluation.plots import save_plots
from terz_env.evaluation.report import UNITS
from terz_env.evaluation.results import write_whole
from terz_env.evaluation.statistics import Estimate
from terz_env.evaluation.tables import TextTable
from training.ablations.figures import Figures, difference, figures_of, over_seeds
from training.ablations.plan import AblationPlan, Group
from training.ablations.plots import seeds_plot
from training.ablations.runs import runs_of
from training.measuring import kept
from training.pages import template
from training.units import made_with

TEMPLATE = "ablations.md.j2"
BETTER = {"terz": 1, "tetka": -1}
"""Points are good, marks are not."""
SECONDS_A_MINUTE = 60


@dataclass(frozen=True)
class Part:
    """What the page shows of a game.

    Attributes:
        group: Its runs.
        table: The results.
        findings: What can be told from the base, a sentence a yardstick.
        picture: The plot, from the folder of the page.
        made_with: On what it was measured, each once.
    """

    group: Group
    table: TextTable
    findings: list[str]
    picture: str
    made_with: list[str]


def page_of(plan: AblationPlan) -> Path:
    """Return the file of the page."""
    return Path(plan.folder).with_suffix(".md")


def render(plan: AblationPlan, plan_file: Path) -> list[str]:
    """Write the page and its plots; return the runs that are missing.

    Raises:
        TrainingError: If a file of results is damaged.
        OSError: If a file cannot be written.
    """
    folder = Path(plan.folder)
    runs = runs_of(plan, plan_file)
    there = kept(runs, folder)
    measured = [run for run, _ in there]
    parts = []
    for group in plan.groups:
        figures = figures_of(group, there)
        if figures:
            parts.append(_part(group, figures, folder))
    text = template(TEMPLATE).render(
        plan=plan,
        plan_file=plan_file,
        parts=parts,
        missing=[run.label for run in runs if run not in measured],
        data=folder.name,
    )
    write_whole(page_of(plan), text)
    return [run.label for run in runs if run not in measured]


def _part(group: Group, figures: list[Figures], folder: Path) -> Part:
    (picture,) = save_plots({f"{group.game}.svg": seeds_plot(group, figures)}, folder)
    known = [made_with(run["measured"]) for one in figures for run in one.runs.values()]
    return Part(
        group,
        _table(group, figures),
        [_finding(group, figures, yardstick) for yardstick in group.yardsticks],
        f"{folder.name}/{picture}",
        list(dict.fromkeys(known)),
    )


def _table(group: Group, figures: list[Figures]) -> TextTable:
    """Return the results of all variants: means over the seeds, and differences in pairs."""
    columns = [
        heading
        for name, deals in group.yardsticks.items()
        for heading in (f"{name}, {deals:,} deals", "less the base")
    ]
    headings = ("variant", "seeds", "decisions", "bootstrap", "CPU minutes", *columns)
    rows = []
    for one in figures:
        cells = [
            cell
            for yardstick in group.yardsticks
            for cell in _cells(group, one, _base(group, figures), yardstick)
        ]
        rows.append(
            (
                one.variant.name,
                f"{len(one.runs)}",
                f"{one.mean('decisions'):,.0f}",
                f"{one.mean('states'):,.0f}",
                f"{one.mean('cpu_seconds') / SECONDS_A_MINUTE:.1f}",
                *cells,
            )
        )
    return TextTable(f"{UNITS[group.game].capitalize()} a deal", headings, rows)


def _cells(group: Group, one: Figures, base: Figures | None, yardstick: str) -> tuple[str, str]:
    sign = "+" if group.game == "terz" else ""
    own = one.results(yardstick)
    mean = over_seeds(own)
    text = _with_error(mean, sign) if mean else f"{next(iter(own.values())):{sign}.2f}"
    less = _less(one, base, yardstick)
    return text, _with_error(less, "+") if less else ""


def _base(group: Group, figures: list[Figures]) -> Figures | None:
    """Return the figures of the variant that changes nothing, if there are any."""
    first, *_ = figures
    return first if first.variant == group.variants[0] else None


def _less(one: Figures, base: Figures | None, yardstick: str) -> Estimate | None:
    """Return the difference from the base; None of the base itself, and of too few seeds."""
    if base is None or one is base:
        return None
    return difference(one.results(yardstick), base.results(yardstick))


def _finding(group: Group, figures: list[Figures], yardstick: str) -> str:
    """Return a sentence that says which variants are told from the base."""
    base = _base(group, figures)
    found = {one.variant.name: _less(one, base, yardstick) for one in figures}
    known = {name: less for name, less in found.items() if less is not None}
    words: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for name, less in known.items():
        sign = (less.low > 0) - (less.high < 0)
        words[sign * BETTER[group.game]].append(f"`{name}`")
    if not known:
        return f"Against {yardstick} nothing can be compared yet."
    said = [
        f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} {verdict}"
        for verdict, names in (
            ("better than the base", words[1]),
            ("worse than the base", words[-1]),
            ("not distinguishable from the base", words[0]),
        )
        if names
    ]
    return f"Against {yardstick} {'; '.join(said)}."


def _with_error(found: Estimate, sign: str) -> str:
    return f"{found.mean:{sign}.2f} ± {found.half_width:.2f}"

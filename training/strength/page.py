"""Writes the page and its plots, from the files of the results alone."""

import shlex
from pathlib import Path

from terz_env.evaluation.plots import save_plots
from terz_env.evaluation.results import write_whole
from training.measuring import kept
from training.pages import template
from training.strength.arenas import cross_play_unit, ladder_units
from training.strength.curves import RunUnit
from training.strength.deals import DealsUnit
from training.strength.judging import regret_units
from training.strength.moves import times_units
from training.strength.parts import (
    Part,
    cross_play_part,
    deals_part,
    ladder_part,
    regret_part,
    run_part,
    times_part,
)
from training.strength.plan import (
    CrossPlay,
    DrawnDeals,
    Ladder,
    Measurement,
    Regrets,
    ReportPlan,
    Run,
    Times,
)
from training.units import Unit

TEMPLATE = "strength.md.j2"


def units_of(
    entry: Measurement, seed: int, plan_file: Path, processes: int = 1
) -> tuple[Unit, ...]:
    """Return what a measurement consists of, a file each.

    Args:
        entry: The measurement.
        seed: Picks the deals and the players' chance.
        plan_file: The plan, for commands.
        processes: How many share the deals of an arena.
    """
    match entry:
        case Ladder():
            return tuple(ladder_units(entry, seed, processes))
        case CrossPlay():
            return (cross_play_unit(entry, seed, processes),)
        case Regrets():
            return tuple(regret_units(entry, seed, processes))
        case Times():
            return tuple(times_units(entry, seed, _again(entry.name, plan_file)))
        case DrawnDeals():
            return (DealsUnit(entry, seed, _again(entry.name, plan_file)),)
        case Run():
            return (RunUnit(entry),)


def _again(name: str, plan_file: Path) -> str:
    """Return the command that makes a measurement anew."""
    words = ["python", "-m", "training.strength", "measure", str(plan_file)]
    return shlex.join([*words, "--only", name, "--again"])


def page_of(plan: ReportPlan) -> Path:
    """Return the file of the page."""
    return Path(plan.folder).with_suffix(".md")


def render(plan: ReportPlan, plan_file: Path) -> list[str]:
    """Write the page and its plots; return what has not been measured.

    Raises:
        TrainingError, ArenaError: If a file of results is damaged.
        OSError: If a file cannot be written.
    """
    folder = Path(plan.folder)
    parts, missing = [], []
    for entry in plan.measurements:
        units = units_of(entry, plan.seed, plan_file)
        there = [unit for unit, _ in kept(units, folder)]
        missing += [f"{entry.title}: {unit.label}" for unit in units if unit not in there]
        if there:
            part = _part(entry, plan, plan_file)
            pictures = [*save_plots(part.plots, folder / entry.name), *part.pictures]
            parts.append((entry, part, [f"{folder.name}/{entry.name}/{name}" for name in pictures]))
    digests = {name: digest for _, part, _ in parts for name, digest in part.digests.items()}
    text = template(TEMPLATE).render(
        plan=plan,
        plan_file=plan_file,
        parts=parts,
        missing=missing,
        digests=dict(sorted(digests.items())),
        data=folder.name,
        goals=[goal.cells() for _, part, _ in parts for goal in part.goals],
    )
    write_whole(page_of(plan), text)
    return missing


def _part(entry: Measurement, plan: ReportPlan, plan_file: Path) -> Part:
    """Return what the page shows of a measurement, some of which has been made."""
    seed, folder = plan.seed, Path(plan.folder)
    match entry:
        case Ladder():
            return ladder_part(entry, kept(ladder_units(entry, seed), folder))
        case CrossPlay():
            arena = cross_play_unit(entry, seed)
            return cross_play_part(arena, folder / arena.file)
        case Regrets():
            return regret_part(entry, kept(regret_units(entry, seed), folder))
        case Times():
            again = _again(entry.name, plan_file)
            return times_part(entry, kept(times_units(entry, seed, again), folder))
        case DrawnDeals():
            deals = DealsUnit(entry, seed, _again(entry.name, plan_file))
            return deals_part(deals, folder / deals.file)
        case Run():
            run = RunUnit(entry)
            return run_part(run, folder / run.file)

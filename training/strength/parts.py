"""The parts of the page: what each measurement has to show, from its files alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from terz_env.evaluation.evaluating import read_evaluation, score_of
from terz_env.evaluation.plots import draw_plots
from terz_env.evaluation.report import PARITY, UNITS
from terz_env.evaluation.results import Results, read_results
from terz_env.evaluation.statistics import Estimate, estimate
from terz_env.evaluation.summary import Summary, summarise
from terz_env.evaluation.tables import TextTable, regret_table, tables, with_error
from training.strength.arenas import Arena, by_place, evaluate_command, measured, own_results
from training.strength.curves import FORMAT as RUN_FORMAT
from training.strength.curves import RunUnit
from training.strength.deal_text import drawing
from training.strength.deals import FORMAT as DEALS_FORMAT
from training.strength.deals import DealsUnit
from training.strength.goals import Goal
from training.strength.judging import RegretUnit
from training.strength.moves import FORMAT as TIMES_FORMAT
from training.strength.moves import TimesUnit
from training.strength.plan import NASH_CONV, Ladder, Regrets, Run, Times
from training.strength.plots import curve_plot, ladder_plot
from training.units import made_with, read_data

HEADINGS = ("player", "against", "result", "95 % interval")
WON = {"match": "matches won", "rubber": "rubbers won"}
EVEN = {"match": 0.5, "rubber": 0.25}
"""The share that a player wins of others who are as strong."""
PLACES = {"terz": ("leads first", "deals"), "tetka": ("leads first", "second", "third", "deals")}


@dataclass
class Part:
    """What the page shows of one measurement.

    Attributes:
        tables: Its tables.
        drawings: A heading, a line and a text for each deal drawn.
        plots: Figures of the folder, by the name of their file.
        pictures: Files that have been drawn already.
        commands: What measures the figures again.
        circumstances: On what, and with what, it was measured.
        digests: SHA-256 of the policies that played.
        goals: What was aimed for.
    """

    tables: list[TextTable] = field(default_factory=list)
    drawings: list[tuple[str, str, str]] = field(default_factory=list)
    plots: dict[str, Figure] = field(default_factory=dict)
    pictures: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    circumstances: list[str] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    goals: list[Goal] = field(default_factory=list)

    def note(self, known: Mapping[str, Any]) -> None:
        """Add the circumstances of a file, each once."""
        text = made_with(known)
        if text not in self.circumstances:
            self.circumstances.append(text)


def ladder_part(entry: Ladder, kept: Sequence[tuple[Arena, Path]]) -> Part:
    """Return the results of a ladder, by player and opponent."""
    part = Part()
    rows: list[tuple[str, ...]] = []
    places: list[tuple[str, ...]] = []
    series: dict[str, dict[str, Estimate]] = {}
    deal = entry.scope == "deal"
    unit = UNITS[entry.game] if deal else WON[entry.scope]
    for arena, file in kept:
        results = read_results(file)
        player, other = arena.players
        known = measured(file)
        part.note(known)
        part.digests |= results.plan.digests
        found = estimate(own_results(results).mean(axis=1))
        series.setdefault(player, {})[other] = found
        score = score_of(results)
        aim = entry.aims.get(player, {}).get(other)
        rows.append(
            (
                player,
                other,
                *_cells(found, entry.game, entry.scope),
                f"{found.count:,}",
                f"{score.milliseconds:.3f}",
                f"{score.forfeits:,}",
                "" if aim is None else _aim(aim, entry.game, entry.scope),
            )
        )
        if aim is not None:
            what = f"{player} against {other}, {unit}"
            form = ("+.2f" if entry.game == "terz" else ".2f") if deal else ".1%"
            part.goals.append(Goal(what, found, aim, entry.game == "terz" or not deal, form))
        if other in entry.places:
            dealers = np.array(known["dealers"][: found.count])
            each = [estimate(column) for column in by_place(results, dealers).T]
            places.append((player, other, *(_with_error(e, entry.scope) for e in each)))
    counted = {"deal": "deals", "match": "matches", "rubber": "rubbers"}[entry.scope]
    headings = (*HEADINGS, counted, "ms a decision", "forfeits", "aim")
    part.tables.append(_without_aims(TextTable(f"Results, {unit}", headings, rows, _how(entry))))
    if places:
        first = "" if deal else f" of the first deal of a {entry.scope}"
        note = f"The places{first} are counted from the left of the dealer."
        own = ("player", "against", *PLACES[entry.game])
        part.tables.append(TextTable(f"By the place at the table, {unit}", own, places, note))
    part.commands = _ladder_commands([arena for arena, _ in kept])
    even = PARITY[entry.game] if deal else EVEN[entry.scope]
    part.plots["ladder.svg"] = ladder_plot(series, f"{unit}, 95 % t", even)
    return part


def _without_aims(table: TextTable) -> TextTable:
    """Return a table without its last column, if that is empty."""
    if any(row[-1] for row in table.rows):
        return table
    return replace(table, headings=table.headings[:-1], rows=[row[:-1] for row in table.rows])


def _cells(found: Estimate, game: str, scope: str) -> tuple[str, str]:
    if scope != "deal":
        return f"{found.mean:.1%}", f"{found.low:.1%} to {found.high:.1%}"
    sign = "+" if game == "terz" else ""
    return f"{found.mean:{sign}.2f}", f"{found.low:{sign}.2f} to {found.high:{sign}.2f}"


def _with_error(found: Estimate, scope: str) -> str:
    if scope != "deal":
        return f"{found.mean:.1%} ± {found.half_width:.1%}"
    return f"{found.mean:.2f} ± {found.half_width:.2f}"


def _aim(aim: float, game: str, scope: str) -> str:
    if scope != "deal":
        return f"≥ {aim:.0%}"
    return f"≥ {aim:+g}" if game == "terz" else f"≤ {aim:g}"


def _how(entry: Ladder) -> str:
    if entry.game == "terz":
        return f"Each {entry.scope} is played in both seatings, and counts once."
    fair = "1.75 marks are a fair share, fewer are better" if entry.scope == "deal" else ""
    fair = fair or "a quarter is a fair share"
    return f"One seat against three, in every seat; {fair}. Each {entry.scope} counts once."


def _ladder_commands(arenas: Sequence[Arena]) -> list[str]:
    """Return the commands of a ladder: one for those that differ in the opponent alone."""
    groups: dict[tuple[str, int], list[Arena]] = {}
    for arena in arenas:
        groups.setdefault((arena.players[0], arena.deals), []).append(arena)
    if arenas and arenas[0].scope != "deal":
        return [arena.command for arena in arenas]
    return [evaluate_command(*group) for group in groups.values()]


def cross_play_part(arena: Arena, file: Path) -> Part:
    """Return the table of all pairs, with intervals, the ratings and what they leave unexplained.

    The plots are drawn into the folder of the results.
    """
    results: Results = read_results(file)
    summary = summarise(results)
    part = Part(commands=[arena.command], digests=dict(results.plan.digests))
    part.note(measured(file))
    part.tables.append(_matrix(summary))
    part.tables += [table for table in tables(summary) if table.title.startswith(_SHOWN)]
    part.pictures = draw_plots(summary, file.parent)
    return part


_SHOWN = ("Ratings", "Paired", "Processor", "Forfeits")


def _matrix(summary: Summary) -> TextTable:
    players = summary.results.plan.players
    found = {meeting.pairing: meeting.advantage for meeting in summary.meetings}
    cells: dict[tuple[str, str], str] = {}
    for (first, second), advantage in found.items():
        cells[first, second] = with_error(advantage)
        turned = Estimate(-advantage.mean, advantage.half_width, advantage.count)
        cells[second, first] = with_error(turned)
    rows = [(row, *(cells.get((row, column), "") for column in players)) for row in players]
    plan = summary.results.plan
    note = (
        f"{plan.deals:,} deals a pairing, each in {len(plan.seatings)} seatings; ± half of 95 % t."
    )
    unit = UNITS[plan.game]
    return TextTable(
        f"Advantage of the row over the column, {unit} a deal", ("", *players), rows, note
    )


def regret_part(entry: Regrets, kept: Sequence[tuple[RegretUnit, Path]]) -> Part:
    """Return the regret of all players in one table."""
    part = Part()
    rows: list[tuple[str, ...]] = []
    headings: tuple[str, ...] = ()
    for unit, file in kept:
        found = read_evaluation(file)
        part.note(found.notes)
        part.commands.append(unit.command)
        if found.digest:
            part.digests[unit.player] = found.digest
        table = regret_table(unit.player, found.regret, found.game)
        headings = ("player", *table.headings, "deals")
        rows += [(unit.player, *row, f"{unit.deals:,}") for row in table.rows]
        if unit.player in entry.aims:
            aim = entry.aims[unit.player]
            part.goals += [
                Goal(f"regret of {unit.player}, {row.measure}", row.a_deal, aim, False, ".2f")
                for row in found.regret
            ]
    unit_name = UNITS[entry.game]
    note = "The player has all seats; a deal's regret is that of one seat."
    part.tables.append(TextTable(f"Regret, {unit_name}", headings, rows, note))
    return part


def times_part(entry: Times, kept: Sequence[tuple[TimesUnit, Path]]) -> Part:
    """Return the times of all players in one table."""
    part = Part()
    rows: list[tuple[str, ...]] = []
    marks: tuple[str, ...] = ()
    for unit, file in kept:
        data = read_data(file, TIMES_FORMAT)
        part.note(data["measured"])
        marks = tuple(data["milliseconds"])
        if unit.player in entry.aims:
            mean = Estimate(float(data["milliseconds"]["mean"]), 0.0, int(data["moves"]))
            what = f"{unit.player}, milliseconds a move"
            aim = entry.aims[unit.player]
            part.goals.append(Goal(what, mean, aim, at_least=False, form=".1f"))
        times = (f"{milliseconds:.2f}" for milliseconds in data["milliseconds"].values())
        rows.append((unit.player, *times, f"{data['moves']:,}", f"{unit.deals:,}"))
    part.commands = sorted({unit.command for unit, _ in kept})
    note = "Processor time of one decision with a choice, asked for alone, compilation not counted."
    headings = ("player", *marks, "moves", "deals")
    part.tables.append(TextTable("Milliseconds a move", headings, rows, note))
    return part


def run_part(unit: RunUnit, file: Path) -> Part:
    """Return the curve of a run and where it ended."""
    data = read_data(file, RUN_FORMAT)
    entry = unit.entry
    part = Part(commands=[unit.command])
    part.note(data["measured"])
    shown = entry.opponents or [NASH_CONV]
    part.plots["curve.svg"] = curve_plot(data["rows"], entry)
    rows = [row for name in shown for row in _ends(data, name)]
    part.goals = [
        _last(data, name, aim, entry) for name, aim in entry.aims.items() if name in shown
    ]
    headings = ("against", "when", "decisions", "result", "±")
    if not entry.opponents:
        headings = ("measure", "when", "decisions", "share of the uniform policy's", "")
    deals = data["config"]["evaluation"]["deals"]
    note = f"On the way, on {deals:,} duplicate deals each; half of 95 % t intervals."
    part.tables.append(TextTable("First and last", headings, rows, note if entry.opponents else ""))
    return part


def _ends(data: Mapping[str, Any], name: str) -> Iterator[tuple[str, ...]]:
    rows = [row for row in data["rows"] if row.get(name)]
    for when, row in (("first", rows[0]), ("last", rows[-1])):
        decisions = int(row.get("states", 0)) + int(row["decisions"])
        error = row.get(f"{name} ±")
        yield (
            name,
            when,
            f"{decisions:,}",
            f"{float(row[name]):.3f}",
            f"{float(error):.3f}" if error else "",
        )


def _last(data: Mapping[str, Any], name: str, aim: float, entry: Run) -> Goal:
    """Return where a run ended, beside what was aimed for."""
    row = [row for row in data["rows"] if row.get(name)][-1]
    deals = data["config"]["evaluation"]["deals"]
    found = Estimate(float(row[name]), float(row.get(f"{name} ±", 0.0)), deals)
    if name == NASH_CONV:
        what = f"NashConv in {entry.game}, share of the uniform policy's"
        return Goal(what, found, aim, at_least=False, form=".1%")
    form = "+.2f" if entry.game == "terz" else ".2f"
    at_least = (entry.game == "terz") != entry.attacks
    return Goal(f"{entry.title}, against {name}, {UNITS[entry.game]}", found, aim, at_least, form)


def deals_part(unit: DealsUnit, file: Path) -> Part:
    """Return the deals, drawn."""
    data = read_data(file, DEALS_FORMAT)
    part = Part(commands=[unit.command], digests=dict(data["digests"]))
    part.note(data["measured"])
    part.drawings = [drawing(deal, unit.entry) for deal in data["picked"]]
    return part

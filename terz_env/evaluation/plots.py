"""The plots of the reports of arenas and evaluations, as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from terz_env.evaluation.evaluating import Evaluation
from terz_env.evaluation.report import PARITY, UNITS
from terz_env.evaluation.results import unit_of
from terz_env.evaluation.statistics import Estimate
from terz_env.evaluation.summary import Summary

BLUE, GREY = "#1f5f9f", "#888888"
SALT = "terz-arena"
"""Names the parts of a file the same in every run."""


def draw_plots(summary: Summary, folder: Path) -> list[str]:
    """Draw the plots that a summary fills into a folder; return their names."""
    drawn = {"advantages.svg": _advantages(summary)}
    if len(summary.results.plan.players) > 2:
        drawn["cross_play.svg"] = _cross_play(summary)
        drawn["ratings.svg"] = _ratings(summary)
    return save_plots(drawn, folder)


def draw_yardsticks(evaluation: Evaluation, folder: Path) -> list[str]:
    """Draw a player's results against the yardsticks into a folder; return the plots' names."""
    results = {score.row.opponent: score.row.result for score in evaluation.scores}
    label = f"{evaluation.player}, {UNITS[evaluation.game]} a deal, 95 % t"
    return save_plots(
        {"yardsticks.svg": _intervals(results, label, PARITY[evaluation.game])}, folder
    )


def save_plots(drawn: Mapping[str, Figure], folder: Path) -> list[str]:
    """Write plots into a folder, the same bytes for the same figures; return their names."""
    with mpl.rc_context({"svg.hashsalt": SALT, "svg.fonttype": "none"}):
        for name, figure in drawn.items():
            figure.savefig(folder / name, metadata={"Date": None})
    return list(drawn)


def _advantages(summary: Summary) -> Figure:
    results = {" – ".join(meeting.pairing): meeting.advantage for meeting in summary.meetings}
    label = f"advantage of the first, {unit_of(summary.results.plan)}, 95 % t"
    return _intervals(results, label, 0)


def _intervals(results: Mapping[str, Estimate], label: str, parity: float) -> Figure:
    """Draw estimates one under the other, and a line where both sides are equal."""
    figure = Figure(figsize=(7, 1.2 + 0.35 * len(results)), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(len(results))[::-1]
    means = [result.mean for result in results.values()]
    errors = [result.half_width for result in results.values()]
    axes.errorbar(means, places, xerr=errors, fmt="o", color=BLUE, capsize=3)
    axes.axvline(parity, color=GREY, linewidth=0.8)
    axes.set_yticks(places, list(results))
    axes.set_ylim(-0.6, len(results) - 0.4)
    axes.set_xlabel(label)
    return figure


def _cross_play(summary: Summary) -> Figure:
    players = summary.results.plan.players
    figure = Figure(figsize=(2.5 + 0.8 * len(players), 1.5 + 0.7 * len(players)))
    figure.set_layout_engine("constrained")
    axes = figure.add_subplot()
    most = float(np.abs(summary.payoff).max()) or 1.0
    axes.imshow(summary.payoff, cmap="RdBu", vmin=-most, vmax=most)
    for (row, column), value in np.ndenumerate(summary.payoff):
        if row != column:
            colour = "white" if abs(value) > 0.6 * most else "black"
            axes.text(column, row, f"{value:+.2f}", ha="center", va="center", color=colour)
    places = np.arange(len(players))
    axes.set_xticks(places, players, rotation=45, ha="right")
    axes.set_yticks(places, players)
    axes.set_title(f"Row over column, {unit_of(summary.results.plan)}")
    return figure


def _ratings(summary: Summary) -> Figure:
    ratings = summary.ratings[::-1]
    figure = Figure(figsize=(7, 1.2 + 0.35 * len(ratings)), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(len(ratings))
    middle = np.array([rating.elo for rating in ratings])
    ends = np.array([rating.elo_interval for rating in ratings]).T
    errors = np.maximum([middle - ends[0], ends[1] - middle], 0)
    axes.errorbar(middle, places, xerr=errors, fmt="o", color=BLUE, capsize=3)
    axes.set_yticks(places, [rating.player for rating in ratings])
    axes.set_ylim(-0.6, len(ratings) - 0.4)
    axes.set_xlabel("Elo, 95 % by resampling the deals")
    return figure

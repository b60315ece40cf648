"""A deal as text: the cards, then trick by trick, with what the policy thought."""

from collections.abc import Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from terz_env.evaluation.report import UNITS
from training.strength.plan import DrawnDeals

LEAST = 0.01
"""A smaller chance is not told exactly."""


def drawing(deal: Mapping[str, Any], entry: DrawnDeals) -> tuple[str, str, str]:
    """Return the rule that picked a deal, its result in words, and the deal.

    Args:
        deal: One of those that `training.strength.deals` wrote.
        entry: Who played it.
    """
    unit = UNITS[entry.game]
    sign = "+" if entry.game == "terz" else ""
    words = (
        f"Deal {deal['number']}: `{entry.player}` is seat_{deal['seat']} and gets "
        f"{deal['result']:{sign}g} {unit}; the mean over all seats with these cards is "
        f"{deal['mean']:{sign}.2f}. `{entry.opponent}` has the other seats."
    )
    lines = [deal["drawing"], ""]
    for trick, steps in groupby(deal["steps"], key=itemgetter("trick")):
        lines += _trick(trick, list(steps), deal["seat"])
    return deal["rule"], words, "\n".join(lines)


def _trick(number: int, steps: list[Mapping[str, Any]], seat: int) -> list[str]:
    """Return the line of a trick, and one for each choice of the policy in it."""
    said = []
    for acting, own in groupby(steps, key=itemgetter("seat")):
        mark = "*" if acting == seat else ""
        said.append(f"seat_{acting}{mark} {' '.join(step['action'] for step in own)}")
    lines = [f"{number:>3}  {'  '.join(said)}"]
    for step in steps:
        if step["top"]:
            chances = ", ".join(f"{name} {_percent(chance)}" for name, chance in step["top"])
            lost = step["lost"]
            given = "" if lost is None else f"; {step['action']} gives away {lost:g}"
            lines.append(f"       {chances}{given}")
    return lines


def _percent(chance: float) -> str:
    return f"{chance:.0%}" if chance >= LEAST else f"< {LEAST:.0%}"

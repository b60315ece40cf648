"""The tables of an arena: headings and cells as text, for the terminal and the report alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from terz_env.evaluation.plan import Plan
from terz_env.evaluation.regret import Regret
from terz_env.evaluation.results import unit_of
from terz_env.evaluation.statistics import Estimate
from terz_env.evaluation.summary import Meeting, Summary

LONGEST = 20
"""Rows of the table of forfeits."""


@dataclass(frozen=True)
class TextTable:
    """A table of text.

    Attributes:
        title: What it shows.
        headings: One a column.
        rows: Cells, as many a row as headings.
        note: How to read it.
    """

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    note: str = ""


def tables(summary: Summary) -> Iterator[TextTable]:
    """Yield the tables that a summary fills."""
    plan = summary.results.plan
    yield _meetings(summary, plan)
    if any(meeting.corrected for meeting in summary.meetings):
        yield _corrected(summary, plan)
    if len(plan.players) > 2:
        yield _cross_play(summary, plan)
        yield _ratings(summary, plan)
        yield _differences(summary, plan)
    yield _times(summary)
    if any(any(meeting.forfeits) for meeting in summary.meetings):
        yield _forfeits(summary)


def _meetings(summary: Summary, plan: Plan) -> TextTable:
    own = tuple(f"marks of the one, {form}" for form in _alone(plan))
    forms = plan.forms if len(plan.forms) > 1 else ()
    tested = ("test",) if summary.results.sprt else ()
    headings = ("players", "advantage", "95 % t", "95 % bootstrap", *forms, *own)
    rows = [
        (
            " – ".join(meeting.pairing),
            f"{meeting.advantage.mean:+.3f}",
            interval(meeting.advantage),
            f"{meeting.bootstrap[0]:+.3f} to {meeting.bootstrap[1]:+.3f}",
            *(with_error(meeting.forms[form]) for form in forms),
            *(_own_marks(meeting, form) for form in _alone(plan)),
            "/".join(map(str, meeting.outcomes)),
            f"{meeting.advantage.count:,}",
            *((meeting.verdict or "open",) if tested else ()),
        )
        for meeting in summary.meetings
    ]
    return TextTable(
        f"Advantage of the first over the second, {unit_of(plan)} a {plan.scope}",
        (*headings, "won/drawn/lost", f"{_plural(plan)}", *tested),
        rows,
        f"Each {plan.scope} is played in {len(plan.seatings)} seatings and counts once.",
    )


def _alone(plan: Plan) -> tuple[str, ...]:
    """Return the forms in which one plays against three, where its own marks are of interest."""
    if (plan.game, plan.scope) != ("tetka", "deal"):
        return ()
    return tuple(form for form in plan.forms if form != "2v2")


def _own_marks(meeting: Meeting, form: str) -> str:
    """Return the marks of the player who is alone; 1.75 is a fair share.

    The four seats have seven marks, so an advantage of x leaves (7 - 3x) / 4 to the one.
    """
    estimate = meeting.forms[form]
    sign = 1 if form == "1v3" else -1
    return f"{(7 - 3 * sign * estimate.mean) / 4:.2f} ± {0.75 * estimate.half_width:.2f}"


def _corrected(summary: Summary, plan: Plan) -> TextTable:
    rows = [
        (
            " – ".join(meeting.pairing),
            f"{meeting.corrected[0].mean:+.3f}",
            interval(meeting.corrected[0]),
            f"{meeting.corrected[1]:.2f}",
        )
        for meeting in summary.meetings
        if meeting.corrected
    ]
    return TextTable(
        f"The same with the control variate, {unit_of(plan)} a {plan.scope}",
        ("players", "advantage", "95 % t", "variance ratio"),
        rows,
        "The ratio is the variance with the control over that without: 0.5 saves half the deals.",
    )


def _cross_play(summary: Summary, plan: Plan) -> TextTable:
    rows = [
        (
            player,
            *(
                "" if row == column else f"{summary.payoff[row, column]:+.2f}"
                for column in range(len(plan.players))
            ),
        )
        for row, player in enumerate(plan.players)
    ]
    title = f"Cross-play: advantage of the row over the column, {unit_of(plan)}"
    return TextTable(title, ("", *plan.players), rows)


def _ratings(summary: Summary, plan: Plan) -> TextTable:
    rows = [
        (
            rating.player,
            f"{rating.elo:+.0f}",
            f"{rating.elo_interval[0]:+.0f} to {rating.elo_interval[1]:+.0f}",
            f"{rating.advantage:+.3f}",
            f"{rating.advantage_interval[0]:+.3f} to {rating.advantage_interval[1]:+.3f}",
            f"{rating.nash_share:.2f}",
            f"{rating.nash_skill:+.3f}",
        )
        for rating in summary.ratings
    ]
    headings = ("player", "Elo", "95 %", unit_of(plan), "95 %", "Nash share", "Nash skill")
    note = (
        f"Cyclic residue: {summary.cyclic_share:.1%} of the squares of the table are not explained "
        f"by one number a player; chance alone leaves as much in {summary.cyclic_chance:.0%} of "
        "resamples."
    )
    return TextTable("Ratings", headings, rows, note)


def _differences(summary: Summary, plan: Plan) -> TextTable:
    rows = [
        (" – ".join(row.pairing), f"{row.difference.mean:+.3f}", interval(row.difference))
        for row in summary.differences
    ]
    title = f"Paired differences against the other players, {unit_of(plan)} a {plan.scope}"
    return TextTable(title, ("players", "difference", "95 % t"), rows)


def _times(summary: Summary) -> TextTable:
    rows = [
        (name, f"{decisions:,}", f"{1000 * seconds / decisions:.4f}" if decisions else "")
        for name, (decisions, seconds) in summary.results.times.items()
    ]
    return TextTable("Processor time", ("player", "decisions", "ms a decision"), rows)


def _forfeits(summary: Summary) -> TextTable:
    counts: dict[tuple[str, str], int] = {}
    for forfeits in summary.results.forfeits.values():
        for forfeit in forfeits:
            key = forfeit.player, forfeit.reason
            counts[key] = counts.get(key, 0) + 1
    rows = [(player, f"{count:,}", reason) for (player, reason), count in counts.items()]
    rows.sort(key=lambda row: -int(row[1].replace(",", "")))
    title = "Forfeits"
    if len(rows) > LONGEST:
        title = f"Forfeits, the first {LONGEST} of {len(rows)} reasons"
    return TextTable(title, ("player", "times", "reason"), rows[:LONGEST])


def regret_table(player: str, found: Sequence[Regret], game: str) -> TextTable:
    """Return what a player gives away against exact play."""
    unit = "points" if game == "terz" else "marks"
    rows = [
        (
            row.measure,
            f"{row.a_decision.mean:.4f}",
            interval(row.a_decision),
            f"{row.a_deal.mean:.3f}",
            interval(row.a_deal),
            f"{row.blunders.mean:.3f}",
            f"{row.decisions:,}",
            f"{row.forfeits:,}",
        )
        for row in found
    ]
    headings = (
        "measure",
        "a decision",
        "95 % t",
        "a deal",
        "95 % t",
        "blunders a deal",
        "decisions",
        "forfeits",
    )
    return TextTable(f"Regret of {player}, {unit}", headings, rows)


def interval(estimate: Estimate) -> str:
    """Return a 95 % interval as text."""
    return f"{estimate.low:+.3f} to {estimate.high:+.3f}"


def with_error(estimate: Estimate) -> str:
    """Return a mean and half of its interval as text."""
    return f"{estimate.mean:+.3f} ± {estimate.half_width:.3f}"


def _plural(plan: Plan) -> str:
    return "matches" if plan.scope == "match" else f"{plan.scope}s"

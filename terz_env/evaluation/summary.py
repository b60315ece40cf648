"""What the results of an arena say: advantages, differences, ratings, cycles and times."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terz_env.evaluation.control import Controls, adjusted
from terz_env.evaluation.plan import Plan
from terz_env.evaluation.ratings import (
    Nash,
    bradley_terry,
    cyclic_part,
    cyclic_share,
    least_squares,
    nash_average,
)
from terz_env.evaluation.results import Pairing, Results
from terz_env.evaluation.statistics import (
    CONFIDENCE,
    MOST_DRAWS,
    RESAMPLES,
    Estimate,
    bootstrap_interval,
    estimate,
)

Units = dict[Pairing, NDArray[np.float64]]
"""The advantage of the first player a deal, by pairing."""

ROUNDING = 9
"""Decimals of an advantage; beyond, a drawn deal would look won by an error of rounding."""


@dataclass(frozen=True)
class Meeting:
    """One pairing, from the side of its first player.

    Attributes:
        pairing: The two players.
        advantage: Over all seatings, the deal as the unit.
        bootstrap: The 95 % interval by the bootstrap.
        forms: The advantage in each form.
        outcomes: Deals won, drawn and lost.
        forfeits: Forfeits of the first and of the second player.
        verdict: ``H0`` or ``H1`` if a sequential test has decided.
        corrected: The advantage with the control variate, and the ratio of variances.
    """

    pairing: Pairing
    advantage: Estimate
    bootstrap: tuple[float, float]
    forms: dict[str, Estimate]
    outcomes: tuple[int, int, int]
    forfeits: tuple[int, int]
    verdict: str | None
    corrected: tuple[Estimate, float] | None


@dataclass(frozen=True)
class Difference:
    """How much more one player wins than another from the others, on the same deals."""

    pairing: Pairing
    difference: Estimate


@dataclass(frozen=True)
class Rating:
    """One player among all; intervals of 95 % by resampling the deals."""

    player: str
    elo: float
    elo_interval: tuple[float, float]
    advantage: float
    advantage_interval: tuple[float, float]
    nash_share: float
    nash_skill: float


@dataclass(frozen=True)
class Summary:
    """Everything that the tables and the report show.

    Attributes:
        results: What it was computed from.
        meetings: Every pairing.
        differences: Paired differences; none with fewer than three players.
        payoff: ``(N, N)``, the advantage of the row's player over the column's.
        ratings: Every player, the strongest first.
        cyclic_share: The share of the table's squares that one rating a player does not explain.
        cyclic_chance: How often as large a residue comes of chance alone, if there are no cycles.
    """

    results: Results
    meetings: list[Meeting]
    differences: list[Difference]
    payoff: NDArray[np.float64]
    ratings: list[Rating]
    cyclic_share: float
    cyclic_chance: float


def summarise(results: Results, known: Controls | None = None) -> Summary:
    """Return what the results say; resamples are drawn from the plan's seed."""
    plan = results.plan
    units = {pairing: np.round(results.units(pairing), ROUNDING) for pairing in plan.pairings}
    payoffs, wins = _resampled_tables(plan, units)
    payoff = payoffs[0]
    noise = (cyclic_part(payoffs[1:] - payoff) ** 2).sum(axis=(1, 2))
    residue = float((cyclic_part(payoff) ** 2).sum())
    return Summary(
        results,
        [_meeting(results, pairing, units[pairing], known) for pairing in plan.pairings],
        _differences(plan.players, units),
        payoff,
        _ratings(plan.players, payoffs, wins),
        cyclic_share(payoff),
        float((noise >= residue).mean()),
    )


def _meeting(
    results: Results, pairing: Pairing, units: NDArray[np.float64], known: Controls | None
) -> Meeting:
    forms = {form: estimate(results.form_units(pairing, form)) for form in results.plan.forms}
    forfeits = [forfeit.player for forfeit in results.forfeits[pairing]]
    return Meeting(
        pairing,
        estimate(units),
        bootstrap_interval(units, results.plan.seed),
        forms,
        (int((units > 0).sum()), int((units == 0).sum()), int((units < 0).sum())),
        (forfeits.count(pairing[0]), forfeits.count(pairing[1])),
        results.sprt.verdict(units) if results.sprt else None,
        adjusted(results, pairing, known) if known else None,
    )


def _resampled_tables(plan: Plan, units: Units) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return tables of advantages and of deals won ``(1 + R, N, N)``: as played, then resampled.

    A resample draws the deals anew, the same for every pairing, because all play the same deals.
    """
    rng = np.random.default_rng((plan.seed, 1))
    deals = max(map(len, units.values()))
    at_once = max(1, MOST_DRAWS // deals)
    rows = [np.ones((1, deals), dtype=np.int64)]
    tables = [_tables(plan, units, rows[0])]
    for first in range(0, RESAMPLES, at_once):
        count = min(at_once, RESAMPLES - first)
        weights = rng.multinomial(deals, np.full(deals, 1 / deals), size=count)
        tables.append(_tables(plan, units, weights))
    payoffs, wins = zip(*tables, strict=True)
    return np.concatenate(payoffs), np.concatenate(wins)


def _tables(
    plan: Plan, units: Units, weights: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the tables for deals that count ``weights`` (R, D) times."""
    size = len(plan.players)
    payoff = np.zeros((len(weights), size, size))
    wins = np.zeros_like(payoff)
    for (first, second), gains in units.items():
        row, column = plan.players.index(first), plan.players.index(second)
        counts = weights[:, : len(gains)]
        total = np.maximum(counts.sum(axis=1), 1)
        payoff[:, row, column] = counts @ gains / total
        payoff[:, column, row] = -payoff[:, row, column]
        won = counts @ ((np.sign(gains) + 1) / 2)
        wins[:, row, column] = won
        wins[:, column, row] = total - won
    return payoff, wins


def _ratings(
    players: tuple[str, ...], payoffs: NDArray[np.float64], wins: NDArray[np.float64]
) -> list[Rating]:
    elos, advantages = bradley_terry(wins), least_squares(payoffs)
    nash: Nash = nash_average(payoffs[0])
    tails = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
    elo_ends = np.quantile(elos[1:], tails, axis=0)
    advantage_ends = np.quantile(advantages[1:], tails, axis=0)
    ratings = [
        Rating(
            player,
            float(elos[0, place]),
            (float(elo_ends[0, place]), float(elo_ends[1, place])),
            float(advantages[0, place]),
            (float(advantage_ends[0, place]), float(advantage_ends[1, place])),
            float(nash.shares[place]),
            float(nash.skills[place]),
        )
        for place, player in enumerate(players)
    ]
    return sorted(ratings, key=lambda rating: -rating.advantage)


def _differences(players: tuple[str, ...], units: Units) -> list[Difference]:
    """Return each pair's difference against the others, where there are others."""
    found = []
    for first, second in itertools.combinations(players, 2):
        gains = [
            (_against(units, first, other), _against(units, second, other))
            for other in players
            if other not in (first, second)
        ]
        if gains:
            common = min(len(side) for pair in gains for side in pair)
            units_of = np.mean([own[:common] - its[:common] for own, its in gains], axis=0)
            found.append(Difference((first, second), estimate(units_of)))
    return found


def _against(units: Units, player: str, other: str) -> NDArray[np.float64]:
    """Return the advantage of a player over another, whichever was named first."""
    if (player, other) in units:
        return units[player, other]
    return -units[other, player]

"""Less noise: a control variate from the rule players' play of the same deals.

The luck of the deal that helps a seat cancels in duplicate play. What is left is that some deals
give the better player more room than others. How much a strong rule player wins from a weak one,
in the same seatings of the same deal, tells some of that. Its mean is known from many other deals,
so it can be taken off without bias: the idea of AIVAT (Burch et al., 2018) with the deal as the
only chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terz_env.evaluation.plan import ArenaError, Plan
from terz_env.evaluation.results import Pairing, Results, advantages
from terz_env.evaluation.statistics import Estimate, estimate
from terz_env.players.rollout import play_out
from terz_env.selfplay import SelfPlayBatch

CONTROLS = (("heuristic", "greedy"), ("heuristic", "random"))
REFERENCE_DEALS = 20_000
REFERENCE_FIRST = 1 << 40
"""Environments from here on are the reference; no arena has so many deals."""


@dataclass(frozen=True)
class Controls:
    """What the rule players make of deals.

    Attributes:
        values: ``(D, K)``, the advantages of the K controls on the arena's deals.
        means: ``(K,)``, their means over the reference.
        covariance: ``(K, K)``, of those means.
    """

    values: NDArray[np.float64]
    means: NDArray[np.float64]
    covariance: NDArray[np.float64]


def controls(plan: Plan, reference: int = REFERENCE_DEALS) -> Controls:
    """Return the controls of a plan's deals.

    Raises:
        ArenaError: If the plan plays more than single deals.
    """
    if plan.scope != "deal":
        raise ArenaError(f"the control variate needs scope deal, not {plan.scope}")
    values = _values(plan, 0, plan.deals)
    others = _values(plan, REFERENCE_FIRST, reference)
    covariance = np.atleast_2d(np.cov(others, rowvar=False)) / reference
    return Controls(values, others.mean(axis=0), covariance)


def adjusted(results: Results, pairing: Pairing, known: Controls) -> tuple[Estimate, float]:
    """Return the advantage with the control taken off, and the ratio of variances.

    The coefficients of a chunk are fitted on the other chunks, so that no deal takes part in its
    own correction. With one chunk nothing is taken off and the ratio is 1. The ratio is that of
    the means' variances, with the control and without; the error of the control's mean counts.
    """
    units = results.units(pairing)
    values = known.values[: len(units)] - known.means
    chunk = np.arange(len(units)) // results.plan.chunk
    plain = estimate(units)
    if chunk[-1] == 0:
        return plain, 1.0
    corrected = np.array(units)
    used = np.zeros(values.shape[1])
    for number in range(chunk[-1] + 1):
        own = chunk == number
        slopes = _slopes(values[~own], units[~own])
        corrected[own] -= values[own] @ slopes
        used += slopes * own.mean()
    result = estimate(corrected, float(used @ known.covariance @ used))
    ratio = (result.half_width / plain.half_width) ** 2 if plain.half_width else 1.0
    return result, ratio


def _slopes(values: NDArray[np.float64], units: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least-squares coefficients of the controls, a constant fitted beside them."""
    columns = np.column_stack([values, np.ones(len(values))])
    fitted = np.linalg.lstsq(columns, units, rcond=None)[0]
    return np.asarray(fitted[:-1], dtype=np.float64)


def _values(plan: Plan, first: int, deals: int) -> NDArray[np.float64]:
    batch = SelfPlayBatch(
        plan.game,
        deals,
        seed=plan.seed,
        rules=dict(plan.rules),
        observation="none",
        first_environment=first,
    )
    return np.column_stack([_advantage(plan, batch, pair) for pair in CONTROLS])


def _advantage(plan: Plan, batch: SelfPlayBatch, pair: Sequence[str]) -> NDArray[np.float64]:
    results = []
    for seating in plan.seatings:
        names = [pair["AB".index(letter)] for letter in seating]
        received = play_out(plan.game, batch.states, names, seed=plan.seed)
        if plan.game == "tetka":  # marks, settled by Rule K7
            received = received.sum(axis=1, keepdims=True) - 4 * received
        results.append(received)
    units: NDArray[np.float64] = advantages(np.stack(results, axis=1), plan.seatings).mean(axis=1)
    return units

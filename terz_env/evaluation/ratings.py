"""Ratings of several players from their meetings, and how honest one number is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.optimize
import scipy.special
from numpy.typing import NDArray

Array = NDArray[np.float64]

ELO = 400 / math.log(10)
VIRTUAL_DRAWS = 1.0
"""One drawn deal a pairing, so that a player who always wins has a finite rating."""
NEWTON_STEPS = 50
TOLERANCE = 1e-9


def bradley_terry(wins: Array) -> Array:
    """Return the maximum-likelihood ratings in Elo, their mean zero.

    Args:
        wins: ``(..., N, N)``, deals that the row's player won from the column's, a draw counted
            half to each. Leading axes are problems of their own.

    The likelihood is that of Bradley and Terry (Biometrika 39, 1952); it is concave, and Newton's
    method finds its maximum. `VIRTUAL_DRAWS` are added to every pairing that met.
    """
    met = (wins + np.swapaxes(wins, -1, -2)) > 0
    games = wins + VIRTUAL_DRAWS / 2 * met
    total = games + np.swapaxes(games, -1, -2)
    size = wins.shape[-1]
    strength = np.zeros(wins.shape[:-1])
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(strength[..., None, :] - strength[..., :, None]))
        gradient = (games - total * chance).sum(axis=-1)
        weight = total * chance * (1 - chance)
        hessian = np.eye(size) * weight.sum(axis=-1)[..., None] - weight
        step = np.linalg.solve(hessian + 1 / size, gradient[..., None])[..., 0]
        strength = strength + np.clip(step, -2, 2)
        if float(np.abs(step).max()) < TOLERANCE:
            break
    ratings: Array = ELO * (strength - strength.mean(axis=-1, keepdims=True))
    return ratings


def least_squares(payoff: Array) -> Array:
    """Return the ratings whose differences fit a whole table of advantages best, their mean zero.

    They are the row means: the gradient part of the table's Hodge decomposition (Jiang, Lim, Yao
    and Ye, "Statistical ranking and combinatorial Hodge theory", 2011).
    """
    ratings: Array = payoff.mean(axis=-1)
    return ratings


def cyclic_part(payoff: Array) -> Array:
    """Return what no rating explains: the table less the differences of `least_squares`."""
    rating = least_squares(payoff)
    residue: Array = payoff - (rating[..., :, None] - rating[..., None, :])
    return residue


def cyclic_share(payoff: Array) -> float:
    """Return the share of the table's sum of squares that no rating explains, 0 to 1."""
    whole = float((payoff**2).sum())
    return float((cyclic_part(payoff) ** 2).sum()) / whole if whole else 0.0


@dataclass(frozen=True)
class Nash:
    """The Nash average of a table of advantages.

    Balduzzi, Tuyls, Perolat and Graepel, "Re-evaluating evaluation", 2018.

    Attributes:
        shares: How often the maximum-entropy equilibrium plays each player.
        skills: Each player's advantage against that mixture; zero for those in it.
    """

    shares: Array
    skills: Array


def nash_average(payoff: Array) -> Nash:
    """Return the equilibrium of the largest entropy of an antisymmetric table, and the skills."""
    size = len(payoff)
    scale = float(np.abs(payoff).max()) or 1.0
    table = payoff / scale
    solved = scipy.optimize.linprog(
        np.zeros(size),
        A_ub=-table.T,  # the mixture loses to no player
        b_ub=np.zeros(size),
        A_eq=np.ones((1, size)),
        b_eq=[1.0],
        bounds=(0, 1),
    )
    corner = np.clip(solved.x, 0, 1)

    def negative_entropy(shares: Array) -> float:
        return -float(scipy.special.entr(np.clip(shares, 0, 1)).sum())

    spread = scipy.optimize.minimize(
        negative_entropy,
        corner / 2 + 0.5 / size,
        jac=lambda shares: np.log(np.clip(shares, 1e-12, 1)) + 1,
        method="SLSQP",
        bounds=[(0, 1)] * size,
        constraints=[
            {"type": "eq", "fun": lambda shares: shares.sum() - 1},
            {"type": "ineq", "fun": lambda shares: table.T @ shares, "jac": lambda _: table.T},
        ],
        options={"ftol": 1e-12, "maxiter": 500},
    )
    shares = np.clip(spread.x, 0, 1)
    shares /= shares.sum()
    if float((table.T @ shares).min()) < -1e-6:
        shares = corner / corner.sum()
    shares = np.where(shares < 1e-6, 0.0, shares)
    shares /= shares.sum()
    return Nash(shares, payoff @ shares)

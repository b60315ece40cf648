"""How likely worlds are by what the other seats have done in them, if a policy played there.

All worlds that agree with what a seat knows are equally likely before anybody acts. By Bayes'
theorem a world is then worth the product of the chances of the actions that the other seats have
taken in it (Kupferschmid and Helmert, 2006; Solinas, Rebstock and Buro, arXiv 1905.10911). The
seat's own actions say nothing: it saw the same in all worlds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from terz_env.game import Game
from terz_env.search.lines import PlayRows, Sight, look

Logits = Callable[[NDArray[np.uint64]], NDArray[np.float32]]
"""A policy: logits (N, A) of packed observations (N, n_words)."""
BISECTIONS = 40


class Past(Protocol):
    """What has happened since the deal, to be played again in each of N worlds."""

    starts: NDArray[np.int64]

    def __len__(self) -> int:
        """Returns the number of actions."""

    def fitting(self, number: int, states: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Returns which actions look like action `number` in each world (N, A)."""


def mixed_policy(
    logits: NDArray[np.float32], masks: NDArray[np.bool_], temperature: float, floor: float
) -> NDArray[np.float64]:
    """Returns the chance of every legal action (N, A): the policy's, mixed with a uniform one.

    Args:
        logits: Logits (N, A).
        masks: The legal actions (N, A), at least one a row.
        temperature: The logits are divided by it.
        floor: The share of the uniform choice.
    """
    heat = np.where(masks, logits.astype(np.float64) / temperature, -np.inf)
    chances = np.exp(heat - heat.max(axis=1, keepdims=True))
    chances *= (1 - floor) / chances.sum(axis=1, keepdims=True)
    mixed: NDArray[np.float64] = chances + masks * (floor / masks.sum(axis=1, keepdims=True))
    return mixed


def world_weights(
    game: Game,
    past: Past,
    play_rows: PlayRows,
    seat: int,
    policy: Logits,
    temperature: float,
    floor: float,
    effective: float,
) -> NDArray[np.float64]:
    """Returns the weights (N,) of worlds, which sum to 1.

    An action that was not lawful in a world (a revoke, a false announcement) has the chance
    `floor` over the number of legal ones there. Where several actions would have looked alike,
    their chances are added up, and the play goes on with the likeliest.

    Args:
        game: The game.
        past: What has happened since the deal.
        play_rows: The game's kernel of that name.
        seat: Whose beliefs these are.
        policy: What the other seats are taken to play.
        temperature: See `mixed_policy`.
        floor: See `mixed_policy`.
        effective: See `evened_weights`.
    """
    states = past.starts.copy()
    weights = np.zeros(len(states))
    rows = np.arange(len(states))
    for number in range(len(past)):
        fits = past.fitting(number, states)
        seen = look(game, states)
        chosen = fits.argmax(axis=1)
        if int(seen.seats[0]) != seat:
            chances = _chances(seen, policy, temperature, floor)
            lawful = seen.masks != 0
            off = floor / lawful.sum(axis=1)
            total = np.where((fits & lawful).any(axis=1), (fits * chances).sum(axis=1), off)
            with np.errstate(divide="ignore"):
                weights += np.log(total)
            chosen = np.where(fits, chances, -1.0).argmax(axis=1)
        assert fits[rows, chosen].all()
        play_rows(states, chosen, False)
    return evened_weights(weights, effective)


def evened_weights(logs: NDArray[np.float64], effective: float) -> NDArray[np.float64]:
    """Returns weights (N,), which sum to 1, of the logarithms of likelihoods.

    The product of many chances leaves one world of a few that counts. The likelihoods are therefore
    raised to the greatest power up to 1 with which the effective number of worlds, 1 / Σ w², is at
    least the share `effective` of all N, or of those that are possible if these are fewer. If none
    is, all weigh the same.
    """
    possible = int(np.isfinite(logs).sum())
    if possible == 0:
        return np.full(len(logs), 1 / len(logs))
    least = min(effective * len(logs), possible * (1 - 1e-9))
    weights, low, high = _raised(logs, 1.0), 0.0, 1.0
    if 1 / (weights**2).sum() >= least:
        return weights
    for _ in range(BISECTIONS):
        power = (low + high) / 2
        if 1 / (_raised(logs, power) ** 2).sum() >= least:
            low = power
        else:
            high = power
    return _raised(logs, low)


def _raised(logs: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """Returns the likelihoods of possible worlds, to a power, as shares (N,)."""
    likely = np.zeros(len(logs))
    possible = np.isfinite(logs)
    likely[possible] = np.exp(power * (logs[possible] - logs[possible].max()))
    shares: NDArray[np.float64] = likely / likely.sum()
    return shares


def _chances(seen: Sight, policy: Logits, temperature: float, floor: float) -> NDArray[np.float64]:
    """Returns the chance of every action (N, A); where there is no choice nobody is asked."""
    masks = seen.masks != 0
    chances = masks.astype(np.float64)
    free = np.flatnonzero(masks.sum(axis=1) > 1)
    if len(free):
        chances[free] = mixed_policy(policy(seen.bits[free]), masks[free], temperature, floor)
    return chances

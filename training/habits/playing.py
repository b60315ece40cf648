"""Deals that are played out and kept, decision by decision."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terz_env.evaluation.matches import batch_for, first_episodes
from terz_env.games import get_game
from terz_env.players import Decisions, Player, check_plays

CHUNK = 500
"""Deals that are played side by side."""


@dataclass(frozen=True)
class Played:
    """D deals of one game; their N decisions stand deal by deal, in the order of play.

    Attributes:
        deals: ``(N,)`` the number of the deal, ascending.
        states: ``(N, W)`` the position in which somebody decided.
        actions: ``(N,)`` what was decided.
        finals: ``(D, W)`` the end of each deal.
    """

    deals: NDArray[np.int64]
    states: NDArray[np.int64]
    actions: NDArray[np.int64]
    finals: NDArray[np.int64]

    @property
    def afterwards(self) -> NDArray[np.int64]:
        """The positions after the decisions ``(N, W)``."""
        after = np.empty_like(self.states)
        after[:-1] = self.states[1:]
        after[np.flatnonzero(np.diff(self.deals, append=-1))] = self.finals
        return after


def play(
    seating: Sequence[Player],
    game: str,
    deals: int,
    seed: int,
    advance: Callable[[int], None],
) -> Played:
    """Play one deal an environment, by the default rules, with ``seating[p]`` in seat p.

    The deals depend on the seed alone, never on who plays.

    Args:
        seating: Who plays; one player may have several seats.
        game: ``terz`` or ``tetka``.
        deals: How many.
        seed: Picks the deals and the players' chance.
        advance: Told how many more deals have been played.

    Raises:
        PlayerError: If a player does not play this game, or not by its default rules.
    """
    for player in seating:
        check_plays(player, game, get_game(game).rules(None))
    parts = []
    for first in range(0, deals, CHUNK):
        size = min(CHUNK, deals - first)
        parts.append(_play_chunk(seating, game, first, size, seed))
        advance(size)
    return Played(
        np.concatenate([part.deals for part in parts]),
        np.concatenate([part.states for part in parts]),
        np.concatenate([part.actions for part in parts]),
        np.concatenate([part.finals for part in parts]),
    )


def _play_chunk(seating: Sequence[Player], game: str, first: int, size: int, seed: int) -> Played:
    batch = batch_for(seating, game, size, seed, first_environment=first)
    rng = np.random.default_rng((seed, first))
    players = list({id(player): player for player in seating}.values())
    sides = np.array([[player is one for one in players].index(True) for player in seating])
    rows_of, states_of, actions_of = [], [], []

    def ask(side: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        actions = players[side].act(Decisions.of_batch(batch, rows), rng)
        rows_of.append(rows)
        states_of.append(batch.states[rows])
        actions_of.append(actions)
        return actions

    first_episodes(batch, sides, ask)
    rows = np.concatenate(rows_of)
    order = np.argsort(rows, kind="stable")
    rows, actions = rows[order], np.concatenate(actions_of)[order].astype(np.int64)
    states = np.concatenate(states_of)[order]
    last = np.flatnonzero(np.diff(rows, append=-1))
    finals = states[last].copy()
    for words, action in zip(finals, actions[last], strict=True):
        batch.game.kernels.step_one(words, int(action))
    return Played(rows + first, states, actions, finals)

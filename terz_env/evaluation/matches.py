"""Duplicate deals: the same cards played in every seating, so that the luck of the deal cancels."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from terz_env.errors import TerzEnvError
from terz_env.evaluation.statistics import LEAST_UNITS, Estimate, estimate
from terz_env.games import get_game
from terz_env.players import Decisions, Player, check_plays, needs_log
from terz_env.players.results import own_result
from terz_env.search.logged_batch import LoggedBatch
from terz_env.selfplay import SelfPlayBatch

CHUNK = 2048

Rules = dict[str, str | int] | None


class MatchError(TerzEnvError, ValueError):
    """A match that cannot be played; the message says why."""


def duplicate_match(
    player: Player,
    opponent: Player,
    game: str,
    deals: int,
    seed: int,
    rules: Rules = None,
) -> Estimate:
    """Return the mean of `duplicate_results`, with an interval whose unit is the deal."""
    return estimate(duplicate_results(player, opponent, game, deals, seed, rules))


def duplicate_results(
    player: Player,
    opponent: Player,
    game: str,
    deals: int,
    seed: int,
    rules: Rules = None,
) -> NDArray[np.float64]:
    """Return what ``player`` gets in each deal ``(D,)``: points in Terz, own marks in Tetka.

    Each deal is played once with the player in each seat, against ``opponent`` in all others, and
    counts as the mean over its seatings.

    Args:
        player: Whose result is wanted.
        opponent: Plays every other seat.
        game: ``terz`` or ``tetka``.
        deals: How many deals, at least two.
        seed: Picks the deals and the players' chance.
        rules: Options of the rule set; None for the default.

    Raises:
        PlayerError: If a player does not play this game, or not by these rules.
        MatchError: If there are too few deals.
    """
    played = get_game(game).rules(None if rules is None else {**rules})
    for side in (player, opponent):
        check_plays(side, game, played)
    if deals < LEAST_UNITS:
        raise MatchError(f"a match needs at least {LEAST_UNITS} deals, not {deals}")
    n_seats = get_game(game).n_seats
    rng = np.random.default_rng(seed)
    units = np.zeros(deals)
    for seat in range(n_seats):
        seating = [player if place == seat else opponent for place in range(n_seats)]
        for first in range(0, deals, CHUNK):
            size = min(CHUNK, deals - first)
            rewards = play_seating(seating, game, size, seed, rng, rules, first)
            units[first : first + size] += own_result(game, rewards[:, seat]) / n_seats
    return units


def batch_for(
    players: Sequence[Player],
    game: str,
    deals: int,
    seed: int,
    rules: Rules = None,
    scope: str = "deal",
    first_environment: int = 0,
) -> SelfPlayBatch:
    """Return a batch that keeps the logs of its deals where one of the players reads them."""
    logged = game == "terz" and any(needs_log(player) for player in players)
    kind = LoggedBatch if logged else SelfPlayBatch
    return kind(
        game, deals, seed=seed, rules=rules, scope=scope, first_environment=first_environment
    )


def play_seating(
    seating: Sequence[Player],
    game: str,
    deals: int,
    seed: int,
    rng: np.random.Generator,
    rules: Rules = None,
    first_environment: int = 0,
) -> NDArray[np.float64]:
    """Play one deal an environment with ``seating[p]`` in seat p; return rewards ``(B, P)``.

    The deals depend on the seed and the environment alone, never on who plays.
    """
    batch = batch_for(seating, game, deals, seed, rules, first_environment=first_environment)
    players = list({id(player): player for player in seating}.values())
    sides = np.array([next(n for n, p in enumerate(players) if p is q) for q in seating])

    def ask(side: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return players[side].act(Decisions.of_batch(batch, rows), rng)

    return first_episodes(batch, sides, ask)


def first_episodes(
    batch: SelfPlayBatch,
    sides: NDArray[np.int64],
    ask: Callable[[int, NDArray[np.int64]], NDArray[np.int64]],
) -> NDArray[np.float64]:
    """Play the first episode of every row; return the rewards ``(B, P)``.

    Args:
        batch: Where it is played.
        sides: ``(P,)`` the side that has each seat.
        ask: Gives the actions of a side for some rows of the batch.
    """
    rewards = np.zeros(batch.rewards.shape)
    playing = np.ones(len(batch.seats), dtype=np.bool_)
    while playing.any():
        actions = batch.masks.argmax(axis=1)
        acting = sides[batch.seats]
        for side in range(int(sides.max()) + 1):
            rows = np.flatnonzero(playing & (acting == side))
            if len(rows):
                actions[rows] = ask(side, rows)
        batch.step(actions)
        ended = playing & batch.ends
        rewards[ended] = batch.rewards[ended]
        playing &= ~ended
    return rewards

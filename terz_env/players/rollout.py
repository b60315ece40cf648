"""Deals played to their end by rule players, at the speed of the kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from terz_env.game import Game
from terz_env.games import get_game
from terz_env.heuristics.codes import ALWAYS, CODES
from terz_env.players.protocol import Decisions, PlayerError
from terz_env.search.lines import kernels_of
from terz_env.search.sampled_search import PIMC, SampledSearch, means

MARKS_OF_A_DEAL = 7
"""Of Tetka, all seats together (Rule K4)."""


def play_out(
    game: str,
    states: NDArray[np.int64],
    seating: Sequence[str],
    *,
    epsilon: float = 0.0,
    seed: int = 0,
) -> NDArray[np.int64]:
    """Return each seat's result of the deals ``(B, P)``, played on from the given positions.

    The result is the difference of the deal's points in Terz (Rule T23), the marks in Tetka
    (Rule K4). A deal that is over is only counted.

    Args:
        game: Name of the game, small ones included.
        states: ``(B, W)`` int64, the words of the positions; they are not changed.
        seating: The rule player of each seat, by name.
        epsilon: The chance that an action is drawn uniformly instead.
        seed: Picks the chance of the random players and of `epsilon`.

    Raises:
        UnknownGameError: If there is no such game.
        PlayerError: If the seating does not fit the game, or `epsilon` is no chance.
    """
    record = get_game(game)
    names = _names(record)
    if len(seating) != record.n_seats or any(name not in names for name in seating):
        raise PlayerError(
            f"seating {list(seating)!r}: {game} needs {record.n_seats} of {', '.join(names)}"
        )
    played = _checked(record, states)
    chance = _chance(epsilon)
    codes = np.array([CODES[name] for name in seating], dtype=np.int64)
    streams = _streams(len(played), seed)
    results = np.zeros((len(played), record.n_seats), dtype=np.int64)
    if record.family == "terz":
        from terz_env.heuristics.rollout_terz import play_out_deals as terz

        terz(played, codes, chance, streams, results)
    else:
        from terz_env.heuristics.rollout_tetka import play_out_deals as tetka

        tetka(played, codes, chance, streams, results)
    return results


def action_values(
    game: str,
    states: NDArray[np.int64],
    masks: NDArray[np.int8],
    *,
    player: str = "heuristic",
    epsilon: float = 0.0,
    seed: int = 0,
) -> NDArray[np.float32]:
    """Return what the seat to act receives if a rule player plays on after each legal action.

    Every legal action is played out once, in the true world and by the same chance: a sample of its
    value for each, as a network learns it (the first iteration of Deep CFR, arXiv 1811.00164).

    Args:
        game: ``terz`` or ``tetka``.
        states: ``(B, W)`` int64, the words of positions whose deal is not over.
        masks: ``(B, A)`` int8, the legal actions of the seats to act.
        player: The rule player that has every seat after the action, by name.
        epsilon: The chance that an action is drawn uniformly instead.
        seed: Picks the chance of the random players and of `epsilon`.

    Returns:
        ``(B, A)``, in the unit of the engine's results (difference of points, or settlement of the
        deal in marks, Rule K7), 0 where an action is not legal.

    Raises:
        UnknownGameError: If there is no such game.
        PlayerError: If states or masks do not fit the game, there is no such rule player, or
            `epsilon` is no chance.
    """
    record = get_game(game)
    code = _code(record, player)
    played = _checked(record, states)
    if masks.shape != (len(played), record.n_actions) or masks.dtype != np.int8:
        raise PlayerError(
            f"masks of shape {masks.shape} and dtype {masks.dtype}; int8 of shape "
            f"({len(played)}, {record.n_actions}) are needed"
        )
    chance = _chance(epsilon)
    streams = _streams(len(played), seed)
    values = np.zeros(masks.shape, dtype=np.float32)
    if record.family == "terz":
        from terz_env.heuristics.rollout_terz import value_actions as terz

        terz(played, np.ascontiguousarray(masks), code, chance, streams, values)
    else:
        from terz_env.heuristics.rollout_tetka import value_actions as tetka

        tetka(played, np.ascontiguousarray(masks), code, chance, streams, values)
    return values


def sampled_values(
    decisions: Decisions, worlds: int, *, player: str = "heuristic", seed: int = 0
) -> NDArray[np.float32]:
    """Return what each seat to act receives on average over sampled worlds after a legal action.

    Every legal action is tried in the same worlds, which agree with what the seat knows, and is
    played out there by a rule player: the values of `pimc`.

    Args:
        decisions: Positions in ``terz`` or ``tetka`` whose deal is not over; in Terz their logs
            are used where they are kept.
        worlds: Worlds a position.
        player: The rule player that has every seat after the action, by name.
        seed: Picks the worlds.

    Returns:
        ``(N, A)``, in the unit of the engine's results (difference of points, before they are
        rounded, or settlement of the deal in marks, Rule K7), 0 where an action is not legal.

    Raises:
        PlayerError: If there is no such rule player, or the game is a small one.
        PositionError: If no deal agrees with what a seat would know.
    """
    game = decisions.game
    search = SampledSearch(game, PIMC, _code(game, player), worlds)
    tallies = search.run(decisions.states, decisions.logs, _streams(len(decisions), seed))
    so_far = np.zeros((len(decisions), game.n_seats))
    for seat in range(game.n_seats):
        kernels_of(game).standings(decisions.states, seat, so_far[:, seat])
    final = means(tallies) + so_far[np.arange(len(decisions)), decisions.seats, None]
    received = final if game.family == "terz" else MARKS_OF_A_DEAL - game.n_seats * final
    return np.where(decisions.masks != 0, received, 0).astype(np.float32)


def _names(record: Game) -> list[str]:
    """Return the rule players of a game by name."""
    return [name for name in CODES if record.family == "terz" or ":" not in name]


def _code(record: Game, player: str) -> int:
    """Return the code of the rule player that plays a large game on, or refuse it."""
    if player not in _names(record) or record.name != record.family:
        raise PlayerError(
            f"{player!r} in {record.name}: use terz or tetka and {', '.join(_names(record))}"
        )
    return CODES[player]


def _checked(record: Game, states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a copy of the states, or refuse their shape."""
    played = np.array(states, dtype=np.int64, order="C")
    if played.ndim != 2 or played.shape[1] != record.n_words:
        raise PlayerError(
            f"states of shape {played.shape}; {record.name} needs (B, {record.n_words})"
        )
    return played


def _chance(epsilon: float) -> int:
    """Return the chance of a uniform action as the kernels take it."""
    if not 0 <= epsilon <= 1:
        raise PlayerError(f"epsilon={epsilon!r} is no chance between 0 and 1")
    return round(epsilon * ALWAYS)


def _streams(rows: int, seed: int) -> NDArray[np.uint64]:
    """Return a random stream a row ``(B, 1)``."""
    return np.random.default_rng(seed).integers(1 << 63, size=(rows, 1), dtype=np.uint64)

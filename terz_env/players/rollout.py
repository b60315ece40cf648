"""Deals played to their end by rule players, at the speed of the kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from terz_env.games import get_game
from terz_env.heuristics.codes import ALWAYS, CODES
from terz_env.players.protocol import PlayerError


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
    names = list(CODES) if record.family == "terz" else [n for n in CODES if ":" not in n]
    if len(seating) != record.n_seats or any(name not in names for name in seating):
        raise PlayerError(
            f"seating {list(seating)!r}: {game} needs {record.n_seats} of {', '.join(names)}"
        )
    if not 0 <= epsilon <= 1:
        raise PlayerError(f"epsilon={epsilon!r} is no chance between 0 and 1")
    played = np.array(states, dtype=np.int64, order="C")
    if played.ndim != 2 or played.shape[1] != record.n_words:
        raise PlayerError(f"states of shape {played.shape}; {game} needs (B, {record.n_words})")
    codes = np.array([CODES[name] for name in seating], dtype=np.int64)
    rng = np.random.default_rng(seed)
    streams = rng.integers(1 << 63, size=(len(played), 1), dtype=np.uint64)
    results = np.zeros((len(played), record.n_seats), dtype=np.int64)
    chance = round(epsilon * ALWAYS)
    if record.family == "terz":
        from terz_env.heuristics.rollout_terz import play_out_deals as terz

        terz(played, codes, chance, streams, results)
    else:
        from terz_env.heuristics.rollout_tetka import play_out_deals as tetka

        tetka(played, codes, chance, streams, results)
    return results

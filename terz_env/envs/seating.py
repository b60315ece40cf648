"""Who sits in the seats that do not learn: names, players, a list of them, or a mixture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from terz_env.game import Game
from terz_env.heuristics.codes import CODES
from terz_env.heuristics.seating import ANY_SEAT, CAST_MASK, CERTAIN, OUTSIDE, ROTATE
from terz_env.players import NAMED, Player, PlayerError, check_plays, load_player
from terz_env.ruleset import RuleSet

Opponent: TypeAlias = str | Path | Player
"""A player's name, the directory of a policy, or a player."""
Chair: TypeAlias = Opponent | Mapping[Opponent, float]
"""One player, or a mixture: players with their weights, drawn anew for every episode."""
Opponents: TypeAlias = Chair | Sequence[Chair]
"""One chair for all other seats, or one for each, from the learner's left neighbour on."""

SEATS = ("rotate", "random")


@dataclass(frozen=True)
class Cast:
    """The players of the other seats, and the chances of each to sit there.

    Attributes:
        players: K players.
        codes: (K,) int64, the rule player that a kernel plays for each, or `OUTSIDE`.
        odds: (P - 1, K) int64, the chances summed up and out of `CERTAIN`, by seat from the
            learner's left neighbour on.
    """

    players: tuple[Player, ...]
    codes: NDArray[np.int64]
    odds: NDArray[np.int64]

    @classmethod
    def of(cls, opponents: Opponents, game: Game, rules: RuleSet) -> Cast:
        """Finds the players; one named in several places is loaded once.

        Raises:
            PlayerError: There is no such player, it plays another game or by other rules, there are
                too few or too many, or a weight is no chance.
        """
        chairs: list[Chair]
        if isinstance(opponents, Sequence) and not isinstance(opponents, str):
            chairs = list(opponents)
        else:
            chairs = [opponents] * (game.n_seats - 1)
        if len(chairs) != game.n_seats - 1:
            raise PlayerError(
                f"opponents={opponents!r} are {len(chairs)}; {game.name} has {game.n_seats - 1} "
                "other seats: give one for each, or one for all"
            )
        mixtures = [chair if isinstance(chair, Mapping) else {chair: 1.0} for chair in chairs]
        wanted = list(dict.fromkeys(entry for mixture in mixtures for entry in mixture))
        if len(wanted) > CAST_MASK:
            raise PlayerError(f"{len(wanted)} opponents are too many; {CAST_MASK} is the most")
        players = [_player(entry, game, rules) for entry in wanted]
        odds = [_odds([mixture.get(entry, 0.0) for entry in wanted]) for mixture in mixtures]
        codes = [_code(player) for player in players]
        return cls(tuple(players), np.array(codes, dtype=np.int64), np.array(odds, dtype=np.int64))


def seat_rule(seat: int | str, game: Game) -> int:
    """Returns the learner's seat as the kernels know it.

    Raises:
        ValueError: There is no such seat.
    """
    if isinstance(seat, str) and seat in SEATS:
        return ROTATE if seat == "rotate" else ANY_SEAT
    is_number = isinstance(seat, (int, np.integer)) and not isinstance(seat, bool)
    if is_number and 0 <= int(seat) < game.n_seats:
        return int(seat)
    raise ValueError(f"seat={seat!r}; use 0 to {game.n_seats - 1}, {', '.join(SEATS)}")


def _player(wanted: Opponent, game: Game, rules: RuleSet) -> Player:
    """Returns a player of the game and rules by name, directory, or as it is."""
    if isinstance(wanted, (str, Path)):
        player = load_player(wanted)
    elif callable(getattr(wanted, "act", None)) and hasattr(wanted, "game"):
        player = wanted
    else:
        raise PlayerError(
            f"{wanted!r} is no player: give a name ({', '.join(NAMED)}), the directory of a "
            "policy, an object with `name`, `game` and `act`, a list or a mapping to weights"
        )
    check_plays(player, game.name, rules)
    return player


def _code(player: Player) -> int:
    """Returns the number by which kernels know a rule player of this package, or `OUTSIDE`."""
    own = type(player).__module__.startswith("terz_env.players")
    return CODES.get(player.name, OUTSIDE) if own and player.name in NAMED else OUTSIDE


def _odds(weights: Sequence[float]) -> list[int]:
    """Returns the weights summed up and scaled to `CERTAIN`."""
    total = sum(weights)
    if not all(np.isfinite(weight) and weight >= 0 for weight in weights) or not total > 0:
        raise PlayerError(f"the weights {list(weights)} are no chances: give positive numbers")
    odds = [round(CERTAIN * (part / total)) for part in accumulate(weights)]
    last = max(index for index, weight in enumerate(weights) if weight > 0)
    return odds[:last] + [CERTAIN] * (len(odds) - last)

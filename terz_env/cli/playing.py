"""Seats players at the table of a single game."""

from __future__ import annotations

import numpy as np

from terz_env.games import get_game
from terz_env.players import Player, PlayerError, check_plays, decide, load_player
from terz_env.records import Choose
from terz_env.state import State


def seat_players(
    game: str, names: list[str], rules: str | None = None, *, any_rules: bool = False
) -> list[Player]:
    """Returns a player a seat: the one named, those named, or `random`.

    Raises:
        UnknownGameError, PlayerError: There is no such game or player, or they do not fit.
    """
    record = get_game(game)
    seats, played = record.n_seats, record.rules(rules)
    chosen = names or ["random"]
    if len(chosen) not in (1, seats):
        raise PlayerError(f"{len(chosen)} players; {game} takes one for all seats, or {seats}")
    players = [load_player(name, any_rules=any_rules) for name in chosen]
    for player in players:
        check_plays(player, game, played)
    return players if len(players) == seats else players * seats


def seated(players: list[Player], seed: int, number: int) -> Choose:
    """Returns what chooses for the seat to act in game `number`, with a generator of its own."""
    rng = np.random.default_rng((seed, number))

    def choose(state: State) -> int:
        return decide(players[state.seat_to_act], state, rng)

    return choose

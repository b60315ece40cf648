"""Measures how long the search players think for a whole deal of one seat, on one core."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from terz_env.cli.solver_bench import Latency
from terz_env.players import Decisions, Player, decide, load_player, needs_log
from terz_env.state import State

SEED = 1
PLAYERS = {"pimc": "pimc:50", "ismcts": "ismcts:1000"}
DEALS = 50


def measure(game: str) -> Iterator[Latency]:
    """Yields a row a player: the decisions of seat 0 in a deal against `greedy`."""
    for name, kind in PLAYERS.items():
        player = load_player(kind)
        times = [_think(game, player, seed) for seed in range(DEALS + 1)][1:]
        found = map(float, np.percentile(times, [50, 90, 99]))
        yield Latency(f"{name}_{kind.partition(':')[2]}_deal", game, DEALS, *found)


def _think(game: str, player: Player, seed: int) -> float:
    """Returns the milliseconds of processor time that a player takes for its part of a deal."""
    greedy = load_player("greedy")
    rng, state, spent = np.random.default_rng(SEED), State.new(game, seed=seed), 0.0
    while not state.deal_is_over:
        if state.seat_to_act != 0:
            state.apply(decide(greedy, state, rng))
            continue
        decisions = Decisions.of_state(state, with_log=needs_log(player))
        start = time.process_time()
        action = int(player.act(decisions, rng)[0])
        spent += time.process_time() - start
        state.apply(action)
    return 1000 * spent

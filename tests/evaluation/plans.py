"""Plans of small arenas, also of players that `load_player` does not know."""

from __future__ import annotations

import dataclasses

from terz_env.evaluation.plan import Plan


def plan(game: str, *players: str, deals: int = 6, chunk: int = 3, **options: object) -> Plan:
    named = ["random", "greedy", "heuristic"][: len(players)]
    made = Plan.make(game, named, deals, 5, chunk=chunk, **options)  # type: ignore[arg-type]
    return dataclasses.replace(made, players=players)

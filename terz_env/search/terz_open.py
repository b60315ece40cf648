"""Terz with all cards and the talon known: the value of a position, and of each of its actions."""

from __future__ import annotations

import numpy as np

from terz_env.games.terz.batch import step_one
from terz_env.games.terz.state import (
    BREAK,
    BREAK_PENDING,
    LEGAL,
    MATCH,
    N_WORDS,
    RULES,
    TABLE,
    State,
    get,
    is_deal_over,
)
from terz_env.kernel import kernel, lowest
from terz_env.search import terz_hands as hands
from terz_env.search.terz_hands import Workspace
from terz_env.search.terz_objectives import (
    EQUITY,
    FAR,
    NODES,
    OBJECTIVE,
    POINTS_TO_COME,
    SIZE,
    final,
)
from terz_env.search.terz_open_leaf import UNFINISHED, first_guess
from terz_env.search.terz_open_search import (
    ALL_BREAKS,
    BOUND,
    DEPTH,
    ENTRIES,
    ENTRY,
    FRAMES,
    search,
    standing,
)

__all__ = ["UNFINISHED", "solve", "solve_actions", "states", "workspace"]


def workspace(table_bits: int) -> Workspace:
    """Returns a workspace whose table has 2 ** `table_bits` entries."""
    plan = np.zeros(ENTRIES + (ENTRY << table_bits), dtype=np.int64)
    plan[SIZE] = 1 << table_bits
    return plan


def states() -> Workspace:
    """Returns the rows that hold the states of a line of play."""
    return np.zeros((DEPTH + 1, N_WORDS), dtype=np.int64)


@kernel
def solve(
    plan: Workspace, rows: Workspace, work: Workspace, table: Workspace, state: State, limit: int
) -> int:
    """Returns the objective's value of a position for seat 0, or UNFINISHED at `limit` nodes."""
    for word in range(N_WORDS):
        rows[0, word] = state[word]
    if plan[OBJECTIVE] != EQUITY:
        rows[0, RULES] &= ~(1 << MATCH)
    if is_deal_over(rows[0]):
        return final(plan, table, rows[0])
    low, high = -FAR, FAR
    value = first_guess(plan, work, table, rows[0])
    while low < high:
        bound = value if value > low else low + 1
        plan[FRAMES + BOUND] = bound
        before = plan[NODES] + work[hands.NODES]
        value = search(plan, rows, work, table, bound, limit)
        if value == UNFINISHED:
            return UNFINISHED
        limit -= plan[NODES] + work[hands.NODES] - before
        if value >= bound:
            low = value
        else:
            high = value
    return low


@kernel
def solve_actions(
    plan: Workspace,
    rows: Workspace,
    work: Workspace,
    table: Workspace,
    state: State,
    values: Workspace,
    limit: int,
) -> int:
    """Writes the value for seat 0 of each legal action (A,); returns how many nodes are unused.

    Returns UNFINISHED at `limit` nodes.
    """
    child = rows[DEPTH]
    pending = get(state, TABLE, BREAK_PENDING, 1)
    moves = ALL_BREAKS if pending else state[LEGAL]
    while moves != 0:
        action = lowest(moves) + (BREAK if pending else 0)
        moves &= moves - 1
        for word in range(N_WORDS):
            child[word] = state[word]
        if plan[OBJECTIVE] != EQUITY:
            child[RULES] &= ~(1 << MATCH)
        step_one(child, action)
        before = plan[NODES] + work[hands.NODES]
        value = solve(plan, rows, work, table, child, limit)
        if value == UNFINISHED:
            return UNFINISHED
        limit -= plan[NODES] + work[hands.NODES] - before
        if plan[OBJECTIVE] == POINTS_TO_COME:
            value += standing(child) - standing(state)
        values[action] = value
    return limit

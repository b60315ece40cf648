"""Counts lines of play, depth first on copies of a position's words: the loop of both games."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import inline, lowest, row_of

Words = NDArray[np.int64]


@inline
def go_on(
    stack: Words,
    untried: Words,
    tally: Words,
    budget: int,
    actions: Callable[[Words], int],
    play: Callable[[Words, int], None],
    is_over: Callable[[Words], int],
) -> int:
    """Goes on with a count for at most `budget` actions; returns 1 while some are left.

    Args:
        stack: The positions of the present line (depth + 1, words); row 0 is the first, not over.
        untried: The actions not yet tried at each of them (depth + 1,), as a set.
        tally: The present level, -1 to begin with; the lines; the lines that end the deal.
        budget: The actions to play before it returns.
        actions: Gives the legal actions of a position as a set.
        play: Plays a member of that set.
        is_over: Tells whether the deal is over.
    """
    depth = stack.shape[0] - 1
    level, lines, ends = tally[0], tally[1], tally[2]
    if level < 0:
        level = 0
        untried[0] = actions(row_of(stack, 0))
    while budget > 0 and (level > 0 or untried[0] != 0):
        if untried[level] == 0:
            level -= 1
            continue
        budget -= 1
        action = lowest(untried[level])
        untried[level] &= untried[level] - 1
        child = row_of(stack, level + 1)
        for word in range(child.shape[0]):
            child[word] = stack[level, word]
        play(child, action)
        if is_over(child):
            lines += 1
            ends += 1
        elif level + 1 == depth:
            lines += 1
        else:
            level += 1
            untried[level] = actions(child)
    tally[0], tally[1], tally[2] = level, lines, ends
    return 1 if level > 0 or untried[0] != 0 else 0

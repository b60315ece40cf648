"""Terz: worlds for a search, from the log of the deal where there is one, else without proofs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_member, random_subset
from terz_env.games.terz.history import (
    ENTRIES,
    ENTRY_SEAT,
    ENTRY_VALUE,
    N_ENTRIES,
    PLAYED_CARD,
    Log,
)
from terz_env.games.terz.state import (
    ALL_CARDS,
    BREAK_PENDING,
    FULL_GAME,
    HAND,
    KNOWN,
    MATCH,
    MICRO_CARDS,
    MINI_CARDS,
    N_WORDS,
    PLAYED,
    RULES,
    TABLE,
    TALON_TRICKS,
    TRUMP_CARD,
    State,
    get,
    talon_size,
    trick_number,
)
from terz_env.games.terz.talon import set_talon_card
from terz_env.kernel import inline, kernel, popcount
from terz_env.search.terz_plan import TOTAL, Plan
from terz_env.search.terz_worlds import draw_world, prepare_worlds


@inline
def log_fits(log: Log, state: State) -> int:
    """Tells whether the cards played in a log are those of the position."""
    first, second = 0, 0
    for index in range(log[N_ENTRIES]):
        head = log[ENTRIES + 2 * index]
        if head & 3 == PLAYED_CARD:
            bit = 1 << (head >> ENTRY_VALUE)
            if (head >> ENTRY_SEAT) & 1:
                second |= bit
            else:
                first |= bit
    own, other = state[PLAYED] & ALL_CARDS, state[PLAYED + 1] & ALL_CARDS
    return 1 if first == own and second == other else 0


@kernel
def gather_beliefs(state: State, seat: int, logs: NDArray[np.int64], row: int, plan: Plan) -> None:
    """Prepares a plan from a row of the logs (N, L); it stays empty where no log fits."""
    plan[TOTAL] = 0
    if logs.shape[0] > 0 and log_fits(logs[row], state):
        prepare_worlds(state, seat, logs[row], plan)


@inline
def deal_unseen(state: State, seat: int, stream: NDArray[np.uint64], out: State) -> None:
    """Writes a uniform deal of the cards that a seat does not see now, past events left aside."""
    other = 1 - seat
    shown = state[KNOWN + other]
    unseen = ALL_CARDS
    if not get(state, RULES, FULL_GAME, 1):
        unseen = MINI_CARDS if get(state, RULES, TALON_TRICKS, 15) == 2 else MICRO_CARDS
    unseen &= ~(state[HAND + seat] | state[PLAYED] | state[PLAYED + 1] | shown)
    if talon_size(state) > 0:
        unseen &= ~(1 << get(state, TABLE, TRUMP_CARD, 31))
    size = popcount(state[HAND + other]) - popcount(shown)
    hand = random_subset(unseen, size, stream)
    for word in range(N_WORDS):
        out[word] = state[word]
    out[HAND + other] = shown | hand
    face_down = unseen & ~hand
    place = 2 * (trick_number(state) - get(state, TABLE, BREAK_PENDING, 1))
    while face_down != 0:
        card = random_member(face_down, stream)
        face_down ^= 1 << card
        set_talon_card(out, place, card)
        place += 1


@kernel
def imagine(state: State, seat: int, plan: Plan, stream: NDArray[np.uint64], out: State) -> None:
    """Writes a world that is played to the end of its deal, in a match too.

    Args:
        state: The position; of the hidden cards nothing is read.
        seat: The seat to act, whose knowledge counts.
        plan: What `gather_beliefs` has written. Where it is empty, or no world is found in the
            sampler's bounded number of tries, the unseen cards are dealt without proofs.
        stream: The random stream; it advances.
        out: Receives the world.
    """
    if plan[TOTAL] != 0 and not draw_world(state, seat, plan, stream, out):
        plan[TOTAL] = 0  # the next worlds need not try again
    if plan[TOTAL] == 0:
        deal_unseen(state, seat, stream, out)
    out[RULES] &= ~(1 << MATCH)

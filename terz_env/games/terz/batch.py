"""Terz: kernels over a batch of B deals, with auto-reset, and the steps of a single deal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_member
from terz_env.games.terz.observation import observe
from terz_env.games.terz.rules import (
    deal_cards,
    is_legal,
    next_dealer,
    result,
    start_deal,
    step,
)
from terz_env.games.terz.state import (
    BREAK_PENDING,
    DEAL,
    LEGAL,
    N_SEATS,
    RAISES,
    RULES,
    SCORES,
    TABLE,
    State,
    get,
    is_deal_over,
    is_episode_over,
    seat_to_act,
)
from terz_env.kernel import inline, kernel, write_32
from terz_env.rng import DEAL_STREAM, random_below, start_stream

RAISED = -1
_BREAKS = ((1 << 12) - 1) << 20


@inline
def write_mask(state: State, mask: NDArray[np.int8]) -> None:
    """Writes the action mask (74,) of the seat to act: zeros and ones."""
    legal = state[LEGAL]
    write_32(mask, 0, legal)
    write_32(mask, 32, legal >> 32)
    breaks = _BREAKS if get(state, TABLE, BREAK_PENDING, 1) else 0
    write_32(mask, 42, (legal >> 42) | breaks)


@inline
def sample_action(state: State, stream: NDArray[np.uint64]) -> int:
    """Returns a uniform legal action."""
    if get(state, TABLE, BREAK_PENDING, 1):
        return 62 + random_below(stream, 12)
    return random_member(state[LEGAL], stream)


@inline
def start_episode(state: State, config: int) -> None:
    """Clears scores and raises and sets rule set and scope."""
    for seat in range(N_SEATS):
        state[SCORES + seat] = 0
        state[RAISES + seat] = 0
    state[RULES] = config


@inline
def deal_next(
    state: State, dealer: int, seed: int, environment: int, stream: NDArray[np.uint64]
) -> None:
    """Deals deal number `state[DEAL]`; a negative dealer is drawn by lot (Rule T4)."""
    start_stream(stream, seed, environment, state[DEAL], DEAL_STREAM)
    lot = random_below(stream, N_SEATS)
    deal_cards(state, stream)
    start_deal(state, dealer if dealer >= 0 else lot)


@inline
def move_on(
    state: State, config: int, seed: int, environment: int, stream: NDArray[np.uint64]
) -> None:
    """Starts the next deal where one is over, and the next episode where that is over too."""
    state[DEAL] += 1
    dealer = next_dealer(state)
    if is_episode_over(state):
        start_episode(state, config)
        dealer = -1
    deal_next(state, dealer, seed, environment, stream)


@kernel
def reset_batch(states: NDArray[np.int64], config: int, seed: int, first: int) -> None:
    """Starts the first episode of every row; row i is environment `first + i`."""
    stream = np.empty(1, np.uint64)
    for row in range(states.shape[0]):
        state = states[row]
        state[DEAL] = 0
        start_episode(state, config)
        deal_next(state, -1, seed, first + row, stream)


@kernel
def describe_batch(
    states: NDArray[np.int64],
    seats: NDArray[np.int64],
    masks: NDArray[np.int8],
    words: NDArray[np.int64],
) -> None:
    """Writes seat to act (B,), masks (B, A) and, unless it has no rows, observations as bits."""
    for row in range(states.shape[0]):
        state = states[row]
        seats[row] = seat_to_act(state)
        write_mask(state, masks[row])
        if words.shape[0] > 0:
            observe(state, seats[row], words[row])


@kernel
def first_refused(states: NDArray[np.int64], actions: NDArray[np.int64]) -> int:
    """Returns the first row whose action is not lawful, -1 if there is none."""
    for row in range(states.shape[0]):
        if is_deal_over(states[row]) or not is_legal(states[row], actions[row]):
            return row
    return -1


@kernel
def step_batch(
    states: NDArray[np.int64],
    actions: NDArray[np.int64],
    rewards: NDArray[np.float32],
    ends: NDArray[np.bool_],
    config: int,
    seed: int,
    first: int,
) -> None:
    """Plays an action (B,) in every row and moves on; refused actions change nothing.

    Writes `rewards` (B, P), unscaled results where an episode ended and zeros elsewhere, and
    `ends` (B,).
    """
    stream = np.empty(1, np.uint64)
    for row in range(states.shape[0]):
        state = states[row]
        step(state, actions[row])
        over = is_episode_over(state)
        ends[row] = over == 1
        for seat in range(N_SEATS):
            rewards[row, seat] = result(state, seat) if over else 0
        if is_deal_over(state):
            move_on(state, config, seed, first + row, stream)


@kernel
def roll_out(
    states: NDArray[np.int64],
    steps: int,
    streams: NDArray[np.uint64],
    config: int,
    seed: int,
    first: int,
) -> int:
    """Plays `steps` uniform legal actions in every row, moving on; returns the episodes ended.

    `streams` (B, 1) are the rows' own random streams.
    """
    stream = np.empty(1, np.uint64)
    episodes = 0
    for row in range(states.shape[0]):
        state = states[row]
        own = streams[row]
        for _ in range(steps):
            step(state, sample_action(state, own))
            if is_deal_over(state):
                episodes += is_episode_over(state)
                move_on(state, config, seed, first + row, stream)
    return episodes


@kernel
def start_one(
    state: State, config: int, seed: int, environment: int, number: int, dealer: int
) -> None:
    """Starts an episode with one deal of the stream; a negative dealer is drawn by lot."""
    stream = np.empty(1, np.uint64)
    state[DEAL] = number
    start_episode(state, config)
    deal_next(state, dealer, seed, environment, stream)


@kernel
def deal_one(state: State, seed: int, environment: int, dealer: int) -> None:
    """Deals the next deal of an episode from the stream."""
    stream = np.empty(1, np.uint64)
    state[DEAL] += 1
    deal_next(state, dealer, seed, environment, stream)


@kernel
def step_one(state: State, action: int) -> int:
    """Plays an action; returns 0, or -1 where it is refused and nothing has changed."""
    return step(state, action)


@kernel
def observe_one(state: State, seat: int, words: NDArray[np.int64]) -> None:
    """Writes what a seat sees as bits (n_words,)."""
    observe(state, seat, words)


@kernel
def mask_one(state: State, mask: NDArray[np.int8]) -> None:
    """Writes the action mask (A,) of the seat to act."""
    write_mask(state, mask)


@kernel
def result_one(state: State, seat: int) -> int:
    """Returns what a seat receives at the end of an episode."""
    return result(state, seat)


@kernel
def restart_one(state: State, dealer: int) -> None:
    """Begins the play of a deal whose hands and talon have been written into the state."""
    start_deal(state, dealer)

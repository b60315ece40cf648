"""Tetka: kernels over a batch of B deals, with auto-reset, and the steps of a single deal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_member
from terz_env.games.tetka.observation import observe
from terz_env.games.tetka.rules import (
    deal_cards,
    legal_actions,
    next_dealer,
    result,
    start_deal,
    step,
)
from terz_env.games.tetka.state import (
    DEAL,
    N_SEATS,
    SCORES,
    TABLE,
    State,
    is_deal_over,
    is_episode_over,
    seat_to_act,
)
from terz_env.kernel import inline, kernel, write_32
from terz_env.rng import DEAL_STREAM, random_below, start_stream

RAISED = -1


@inline
def is_legal(state: State, action: int) -> int:
    """Tells whether an action is lawful for the seat to act."""
    if action < 0 or action >= 52:
        return 0
    return (legal_actions(state) >> action) & 1


@inline
def write_mask(state: State, mask: NDArray[np.int8]) -> None:
    """Writes the action mask (52,) of the seat to act: zeros and ones."""
    legal = legal_actions(state)
    write_32(mask, 0, legal)
    write_32(mask, 20, legal >> 20)


@inline
def sample_action(state: State, stream: NDArray[np.uint64]) -> int:
    """Returns a uniform legal action."""
    return random_member(legal_actions(state), stream)


@inline
def start_episode(state: State, config: int) -> None:
    """Clears the scores and sets rule set and scope."""
    state[SCORES] = 0
    state[TABLE] = config


@inline
def deal_next(
    state: State, dealer: int, seed: int, environment: int, stream: NDArray[np.uint64]
) -> None:
    """Deals deal number `state[DEAL]`; a negative dealer is drawn by lot (Rule K1)."""
    start_stream(stream, seed, environment, state[DEAL], DEAL_STREAM)
    lot = random_below(stream, N_SEATS)
    photo = deal_cards(state, stream)
    start_deal(state, dealer if dealer >= 0 else lot, photo)


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
def restart_one(state: State, dealer: int, photo: int) -> None:
    """Begins the play of a deal whose hands have been written into the state."""
    start_deal(state, dealer, photo)

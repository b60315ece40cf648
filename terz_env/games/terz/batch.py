"""Terz: kernels over a batch of B deals, with auto-reset, and the steps of a single deal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_member
from terz_env.games.terz.history import Log, begin_log, is_log, note, step_logged
from terz_env.games.terz.observation import LAYOUT, observe
from terz_env.games.terz.relabel import (
    canonical_order,
    relabel,
    relabel_log,
    relabel_observation,
    renamed_action,
    renamed_names,
)
from terz_env.games.terz.rules import next_dealer, play_lawful, start_deal, step
from terz_env.games.terz.scoring import result, standing
from terz_env.games.terz.state import (
    ANY_BREAK,
    BREAK,
    DEAL,
    LEGAL,
    N_ACTIONS,
    N_SEATS,
    N_WORDS,
    RAISES,
    RULES,
    SCORES,
    State,
    is_deal_over,
    is_episode_over,
    seat_to_act,
)
from terz_env.games.terz.talon import deal_cards
from terz_env.games.terz.view_state import whole_state
from terz_env.kernel import bytes_at, expand_row, inline, kernel, row_of, words_at, write_32
from terz_env.rng import DEAL_STREAM, random_below, start_stream
from terz_env.suits import INVERSE

_MASK_OFFSET = 8 * (N_WORDS + LAYOUT.n_words)
_BYTES_OFFSET = _MASK_OFFSET + (N_ACTIONS + 7) // 8 * 8
_OBSERVATION_WORDS = LAYOUT.n_words
_BELOW_BREAKS = (1 << 20) - 1
_BREAKS = ((1 << 12) - 1) << 20


@inline
def write_mask(legal: int, mask: NDArray[np.int8]) -> None:
    """Writes a set of legal actions as a mask (74,) of zeros and ones."""
    write_32(mask, 0, legal)
    write_32(mask, 32, legal >> 32)
    write_32(mask, 42, ((legal >> 42) & _BELOW_BREAKS) | (_BREAKS if legal >> ANY_BREAK else 0))


@inline
def sample_action(state: State, stream: NDArray[np.uint64]) -> int:
    """Returns a uniform legal action."""
    legal = state[LEGAL]
    if legal >> ANY_BREAK:
        return BREAK + random_below(stream, 12)
    return random_member(legal, stream)


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
        state = row_of(states, row)
        state[DEAL] = 0
        start_episode(state, config)
        deal_next(state, -1, seed, first + row, stream)


@kernel
def describe_batch(
    states: NDArray[np.int64],
    seats: NDArray[np.int64],
    legal: NDArray[np.int64],
    masks: NDArray[np.int8],
    words: NDArray[np.int64],
    padded: NDArray[np.uint8],
) -> None:
    """Writes the seats to act (B,), their legal sets (B,), masks (B, A) and observations.

    `words` (B, W) and `padded` (B, 64 · W) hold the observation as bits and as bytes; where one has
    no rows it is not written.
    """
    for row in range(states.shape[0]):
        state = row_of(states, row)
        seat = seat_to_act(state)
        lawful = state[LEGAL]
        seats[row] = seat
        legal[row] = lawful
        write_mask(lawful, row_of(masks, row))
        if words.shape[0] > 0:
            observe(state, seat, row_of(words, row))
            if padded.shape[0] > 0:
                expand_row(row_of(words, row), row_of(padded, row))


@kernel
def step_batch(
    states: NDArray[np.int64],
    actions: NDArray[np.int64],
    seats: NDArray[np.int64],
    legal: NDArray[np.int64],
    masks: NDArray[np.int8],
    words: NDArray[np.int64],
    padded: NDArray[np.uint8],
    rewards: NDArray[np.float32],
    ends: NDArray[np.bool_],
    scale: float,
    config: int,
    seed: int,
    first: int,
) -> None:
    """Plays an action (B,) in every row, moves on, and describes the row.

    Writes `rewards` (B, P), scaled results where an episode ended and zeros elsewhere, and `ends`
    (B,); then what `describe_batch` writes. A refused action changes nothing.
    """
    stream = np.empty(1, np.uint64)
    for row in range(states.shape[0]):
        state = row_of(states, row)
        step(state, actions[row])
        over = is_episode_over(state)
        ends[row] = over == 1
        for place in range(N_SEATS):
            rewards[row, place] = result(state, place) * scale if over else 0.0
        if is_deal_over(state):
            move_on(state, config, seed, first + row, stream)
        seat = seat_to_act(state)
        lawful = state[LEGAL]
        seats[row] = seat
        legal[row] = lawful
        write_mask(lawful, row_of(masks, row))
        if words.shape[0] > 0:
            observe(state, seat, row_of(words, row))
            if padded.shape[0] > 0:
                expand_row(row_of(words, row), row_of(padded, row))


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
        state = row_of(states, row)
        own = row_of(streams, row)
        for _ in range(steps):
            play_lawful(state, sample_action(state, own))
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
    write_mask(state[LEGAL], mask)


@kernel
def result_one(state: State, seat: int) -> int:
    """Returns what a seat receives at the end of an episode."""
    return result(state, seat)


@kernel
def standing_one(state: State, seat: int) -> float:
    """Returns what a seat would receive if everything counted so far were settled now."""
    return standing(state, seat)


@kernel
def move_on_one(state: State, config: int, seed: int, environment: int) -> None:
    """Starts the next deal of the stream, and the next episode where that one is over."""
    stream = np.empty(1, np.uint64)
    move_on(state, config, seed, environment, stream)


@kernel
def restart_one(state: State, dealer: int) -> None:
    """Begins the play of a deal whose hands and talon have been written into the state."""
    start_deal(state, dealer)


@inline
def describe_block(address: int, seat: int) -> None:
    """Writes mask and observation of a seat into a block (see `step_at`)."""
    state = words_at(address, N_WORDS)
    words = words_at(address + 8 * N_WORDS, _OBSERVATION_WORDS)
    mask = bytes_at(address + _MASK_OFFSET, N_ACTIONS)
    write_mask(state[LEGAL] if seat == seat_to_act(state) else 0, mask)
    observe(state, seat, words)
    expand_row(words, bytes_at(address + _BYTES_OFFSET, 64 * _OBSERVATION_WORDS))


@kernel
def describe_at(address: int, seat: int) -> int:
    """Writes mask and observation of any seat into the block at an address (see `step_at`).

    A negative seat is the one to act. Returns the seat.
    """
    described = seat if seat >= 0 else seat_to_act(words_at(address, N_WORDS))
    describe_block(address, described)
    return described


@kernel
def step_at(address: int, action: int) -> int:
    """Plays an action on the block at an address and describes the next seat to act.

    A block holds, one after another: the state (N_WORDS int64), an observation as bits (W int64),
    the action mask (A uint8, padded to a multiple of 8), the observation as bytes (64 · W uint8).

    Returns:
        The seat to act, plus 8 where the deal is over, plus 16 where the episode is; -1 where the
        action is refused and nothing has changed.
    """
    state = words_at(address, N_WORDS)
    if step(state, action) < 0:
        return -1
    seat = seat_to_act(state)
    describe_block(address, seat)
    return seat | (is_deal_over(state) << 3) | (is_episode_over(state) << 4)


@kernel
def begin_log_one(log: Log, state: State) -> None:
    """Empties a log for a deal that has just been dealt."""
    begin_log(log, state)


@kernel
def note_one(log: Log, seat: int, action: int, state: State) -> None:
    """Adds an action to a log; `state` is the position after it (see `note`)."""
    note(log, seat, action, state)


@kernel
def is_log_one(log: Log, state: State) -> int:
    """Tells whether a log has the cards played and the trump card of a position."""
    return is_log(log, state)


@kernel
def step_logged_one(state: State, log: Log, action: int) -> int:
    """Plays an action and adds it to the log; returns what `step_one` returns."""
    return step_logged(state, log, action)


@kernel
def relabel_one(state: State, order: int, out: State) -> None:
    """Writes a position with the suits renamed into `out` (see `terz_env.suits`)."""
    relabel(state, order, out)


@kernel
def relabel_log_one(log: Log, order: int, out: Log) -> None:
    """Writes a log with the suits renamed into `out`."""
    relabel_log(log, order, out)


@kernel
def canonical_order_one(words: NDArray[np.int64]) -> int:
    """Returns the order that brings the bits of an observation into canonical form."""
    return canonical_order(words, np.empty(8, np.int64))


@kernel
def rename_action_one(action: int, order: int) -> int:
    """Returns the number of an action when the suits are renamed."""
    return renamed_action(action, order)


@kernel
def canonical_batch(
    legal: NDArray[np.int64],
    masks: NDArray[np.int8],
    words: NDArray[np.int64],
    padded: NDArray[np.uint8],
    orders: NDArray[np.int64],
) -> None:
    """Brings observations (B, W), bytes and masks into canonical form; writes the orders (B,)."""
    keys = np.empty(8, np.int64)
    for row in range(words.shape[0]):
        order = canonical_order(row_of(words, row), keys)
        orders[row] = order
        relabel_observation(row_of(words, row), order)
        write_mask(renamed_names(legal[row], order), row_of(masks, row))
        if padded.shape[0] > 0:
            expand_row(row_of(words, row), row_of(padded, row))


@kernel
def rename_actions_back(
    actions: NDArray[np.int64], orders: NDArray[np.int64], out: NDArray[np.int64]
) -> None:
    """Writes the actions (B,) that were chosen in canonical form as the game knows them."""
    for row in range(actions.shape[0]):
        out[row] = renamed_action(actions[row], INVERSE[orders[row]])


@kernel
def whole_state_batch(
    states: NDArray[np.int64],
    seats: NDArray[np.int64],
    orders: NDArray[np.int64],
    words: NDArray[np.int64],
) -> None:
    """Writes the view of everything (B, W) for seats (B,), the suits renamed by orders (B,)."""
    renamed_state = np.empty(states.shape[1], np.int64)
    no_log = np.zeros(1, np.int64)
    for row in range(states.shape[0]):
        relabel(row_of(states, row), orders[row], renamed_state)
        whole_state(renamed_state, no_log, seats[row], row_of(words, row))

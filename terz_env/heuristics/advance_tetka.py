"""Tetka: rows in which one seat learns; the others play until it is to act."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.tetka.batch import deal_next, start_episode, write_mask
from terz_env.games.tetka.observation import observe
from terz_env.games.tetka.rules import legal_actions, next_dealer, standing, step
from terz_env.games.tetka.state import (
    DEAL,
    N_SEATS,
    State,
    is_deal_over,
    is_episode_over,
    seat_to_act,
)
from terz_env.heuristics.advance import advance
from terz_env.heuristics.rollout_tetka import choose
from terz_env.heuristics.seating import DEALT, ENVIRONMENT, SEED
from terz_env.kernel import inline, kernel


@inline
def deal_again(
    state: State, dealer: int, book: NDArray[np.int64], dealing: NDArray[np.uint64]
) -> None:
    """Deals the row's next deal; a negative dealer is drawn by lot."""
    state[DEAL] = book[DEALT]
    book[DEALT] += 1
    deal_next(state, dealer, book[SEED], book[ENVIRONMENT], dealing)


@inline
def begin_log(log: NDArray[np.int64], state: State) -> None:
    """Does nothing: the words of the state keep the order of play."""


@inline
def note(log: NDArray[np.int64], seat: int, action: int, state: State) -> None:
    """Does nothing (see `begin_log`)."""


@kernel
def advance_batch(
    states: NDArray[np.int64],
    books: NDArray[np.int64],
    logs: NDArray[np.int64],
    streams: NDArray[np.uint64],
    actions: NDArray[np.int64],
    codes: NDArray[np.int64],
    odds: NDArray[np.int64],
    seats: NDArray[np.int64],
    legal: NDArray[np.int64],
    masks: NDArray[np.int8],
    words: NDArray[np.int64],
    padded: NDArray[np.uint8],
    finals: NDArray[np.uint8],
    standings: NDArray[np.float64],
    fresh: NDArray[np.bool_],
    rewards: NDArray[np.float64],
    ends: NDArray[np.bool_],
    config: int,
    seat_rule: int,
    given: int,
    same_step: bool,
    shaped: bool,
    scale: float,
) -> int:
    """Plays on until every row waits for somebody (see `terz_env.heuristics.advance.advance`)."""
    return advance(
        states,
        books,
        logs,
        streams,
        actions,
        codes,
        odds,
        seats,
        legal,
        masks,
        words,
        padded,
        finals,
        standings,
        fresh,
        rewards,
        ends,
        config,
        seat_rule,
        given,
        same_step,
        shaped,
        scale,
        N_SEATS,
        deal_again,
        begin_log,
        note,
        start_episode,
        next_dealer,
        seat_to_act,
        is_deal_over,
        is_episode_over,
        step,
        choose,
        standing,
        legal_actions,
        write_mask,
        observe,
    )

"""Rows in which one seat learns; the others play until it is to act: the loop of both games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terz_env.heuristics.seating import (
    AT_LEARNER,
    AT_PLAYER,
    ENDED,
    FIRST_CARDS,
    GIVEN_FIRST,
    GIVEN_NEXT,
    LEARNER,
    NEXT_CARDS,
    PLAY,
    RESTART,
    RESUME,
    STATUS,
    draw_seating,
    player_of,
)
from terz_env.kernel import expand_row, inline, row_of

Rule = Callable[..., Any]
"""An inlined function of one of the games."""


@inline
def advance(
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
    n_seats: int,
    deal_again: Rule,
    begin_log: Rule,
    note: Rule,
    start_episode: Rule,
    next_dealer: Rule,
    seat_to_act: Rule,
    is_deal_over: Rule,
    is_episode_over: Rule,
    step: Rule,
    choose: Rule,
    standing: Rule,
    legal_actions: Rule,
    write_mask: Rule,
    observe: Rule,
) -> int:
    """Takes up the rows whose status says so, plays the others' turns, and describes the rows.

    A row stops where the learner is to act, where a player without a code is (both are described),
    where cards are needed, or at the end of an episode. With `same_step` the next episode begins
    at once, and what the learner saw last goes into `finals`.

    Args:
        states: Positions (B, N_WORDS).
        books: Their books (B, N_COLUMNS), see `seating`.
        logs: What has happened in their deals (B, L), written; without rows nobody keeps it.
        streams: The chance of the players (B, 1).
        actions: What is played first where the status is PLAY (B,).
        codes: The rule player that each of K players is, or OUTSIDE.
        odds: Who may sit where, see `draw_seating`.
        seats: The seat to act (B,), written, as all that follow.
        legal: Its legal actions as a set (B,).
        masks: The same as a mask (B, A).
        words: What it sees as bits (B, W); at the end of an episode, what the learner sees.
        padded: The same as bytes (B, 64 · W), for the learner.
        finals: What the learner saw last in the episode that ended (B, 64 · W).
        standings: What the learner has been paid of the episode in progress, unscaled (B,).
        fresh: Whether the learner has not acted in the episode in progress (B,); an episode that
            ends so is passed over and pays nobody, and what it pays earlier is paid later.
        rewards: What the learner earned is added here (B,).
        ends: Set where an episode ended (B,).
        config: The game's rule set and scope.
        seat_rule: The learner's seat, ROTATE or ANY_SEAT.
        given: GIVEN_FIRST and GIVEN_NEXT.
        same_step: Whether the next episode begins where one ends.
        shaped: Whether rewards are paid before the end.
        scale: What rewards are multiplied by.
        n_seats: The number of seats P.
        deal_again: Deals the row's next deal: (state, dealer, book, dealing); a negative dealer is
            drawn by lot.
        begin_log: Empties the log of a deal that has just been dealt: (log, state).
        note: Adds an action to a log: (log, seat, action, state), the position after it.
        start_episode: Begins an episode: (state, config).
        next_dealer: Gives the dealer of the next deal (Rules T25, K1).
        seat_to_act: Gives the seat to act.
        is_deal_over: Tells whether the deal is over.
        is_episode_over: Tells whether the episode is.
        step: Plays an action: (state, action).
        choose: Gives a rule player's action: (state, code, stream).
        standing: Gives what a seat would receive now: (state, seat).
        legal_actions: Gives the legal actions as a set.
        write_mask: Writes a set of actions as a mask: (legal, mask).
        observe: Writes what a seat sees: (state, seat, words).

    Returns:
        How many rows wait for another player or for cards.
    """
    dealing = np.empty(1, np.uint64)
    keeps_logs = logs.shape[0] > 0
    waiting = 0
    for row in range(states.shape[0]):
        book = row_of(books, row)
        status = book[STATUS]
        if status > RESUME:
            continue
        state = row_of(states, row)
        stream = row_of(streams, row)
        action = actions[row]
        while True:
            while status <= RESUME:
                if status == PLAY:
                    actor = seat_to_act(state)
                    step(state, action)
                    if keeps_logs:
                        note(row_of(logs, row), actor, action, state)
                    status = RESUME
                if status == RESUME and is_episode_over(state):
                    if not fresh[row]:
                        status = ENDED
                        continue
                    status = RESTART
                if status == RESTART or is_deal_over(state):
                    dealer = next_dealer(state)
                    flag = GIVEN_NEXT
                    if status == RESTART:
                        draw_seating(book, stream, n_seats, seat_rule, odds)
                        standings[row] = 0.0
                        start_episode(state, config)
                        dealer = -1
                        flag = GIVEN_FIRST
                    if given & flag:
                        status = NEXT_CARDS if flag == GIVEN_NEXT else FIRST_CARDS
                        continue
                    deal_again(state, dealer, book, dealing)
                    if keeps_logs:
                        begin_log(row_of(logs, row), state)
                    status = RESUME
                seat = seat_to_act(state)
                code = codes[player_of(book, seat)]
                if seat == book[LEARNER]:
                    status = AT_LEARNER
                elif code < 0:
                    status = AT_PLAYER
                else:
                    action = choose(state, code, stream)
                    status = PLAY
            if status >= FIRST_CARDS:
                waiting += 1
                break
            seat = book[LEARNER] if status == ENDED else seat_to_act(state)
            last = status == ENDED and same_step
            if status == ENDED or (shaped and status == AT_LEARNER and not fresh[row]):
                now = standing(state, seat)
                rewards[row] += (now - standings[row]) * scale
                standings[row] = now
            observe(state, seat, row_of(words, row))
            if status == AT_PLAYER:
                waiting += 1
            else:
                expand_row(row_of(words, row), row_of(finals if last else padded, row))
            if status == ENDED:
                ends[row] = True
                fresh[row] = True
            if last:
                status = RESTART
                continue
            lawful = legal_actions(state)
            seats[row] = seat
            legal[row] = lawful
            write_mask(lawful, row_of(masks, row))
            break
        book[STATUS] = status
    return waiting

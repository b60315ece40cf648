"""What a learner's row keeps beside the state: who sits where, what it waits for, what comes next.

A row's book is eight int64 words: status, the learner's seat, the players of the other seats, the
number of the next episode and of the next deal, the seed and the number of the environment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import inline, kernel
from terz_env.rng import random_below, start_stream

STATUS, LEARNER, CAST, EPISODE, DEALT, SEED, ENVIRONMENT = range(7)
N_COLUMNS = 8

PLAY, RESTART, RESUME = 0, 1, 2
"""Statuses that a kernel takes up: an action is given, an episode begins, cards were laid."""
AT_LEARNER, AT_PLAYER, ENDED, FIRST_CARDS, NEXT_CARDS = 3, 4, 5, 6, 7
"""Statuses that wait: for the learner, another player, a reset, the cards of a deal."""

ROTATE, ANY_SEAT = -1, -2
"""Seats of the learner that are no seat: the next one in every episode, or one by lot."""

GIVEN_FIRST, GIVEN_NEXT = 1, 2
"""Flags: the first deal of an episode, or the deals after it, are laid from outside."""

PLAYERS_STREAM = 2
"""The random stream of an episode that seats the players and is their chance."""
CAST_BITS = 15
CAST_MASK = (1 << CAST_BITS) - 1
CERTAIN = 1 << 31
OUTSIDE = -1
"""The code of a player that no kernel plays."""


@inline
def draw_seating(
    book: NDArray[np.int64],
    stream: NDArray[np.uint64],
    n_seats: int,
    seat_rule: int,
    odds: NDArray[np.int64],
) -> None:
    """Seats the learner and the others for the next episode, and starts the episode's stream.

    `odds` (P - 1, K) are the chances of K players, summed up and out of `CERTAIN`, to sit as the
    learner's left neighbour, and so on to the left.
    """
    start_stream(stream, book[SEED], book[ENVIRONMENT], book[EPISODE], PLAYERS_STREAM)
    learner = seat_rule
    if seat_rule == ROTATE:
        learner = (book[ENVIRONMENT] + book[EPISODE]) % n_seats
    elif seat_rule == ANY_SEAT:
        learner = random_below(stream, n_seats)
    cast = 0
    for step in range(1, n_seats):
        draw = random_below(stream, CERTAIN)
        player = 0
        while draw >= odds[step - 1, player]:
            player += 1
        cast |= player << (CAST_BITS * ((learner + step) % n_seats))
    book[LEARNER] = learner
    book[CAST] = cast
    book[EPISODE] += 1


@inline
def player_of(book: NDArray[np.int64], seat: int) -> int:
    """Returns the number of the player in a seat that is not the learner's."""
    return (book[CAST] >> (CAST_BITS * seat)) & CAST_MASK


@kernel
def take_up(books: NDArray[np.int64], fresh: NDArray[np.bool_]) -> int:
    """Lets the rows that wait for the learner play, and those that have ended begin anew.

    Writes `fresh` (B,): whether an episode begins. Returns -1, or the first row that waits for
    something else; then no row has changed.
    """
    for row in range(books.shape[0]):
        if books[row, STATUS] != AT_LEARNER and books[row, STATUS] != ENDED:
            return row
    for row in range(books.shape[0]):
        fresh[row] = books[row, STATUS] == ENDED
        books[row, STATUS] = RESTART if fresh[row] else PLAY
    return -1

"""Tetka: who gets which marks."""

from collections.abc import Sequence

import numpy as np

from training.habits.tally import Numbers, Tally
from training.habits.tetka_deals import SEATS, TetkaDeals

MOST_TRICKS = 6
"""A seat with more tricks is counted as one with so many."""
MANY = 4


def marks_by_source(deals: TetkaDeals) -> dict[str, Numbers]:
    """Return the marks of the seats ``(D, 4)`` for queens, photo, counting trick, most tricks."""
    seats = np.arange(SEATS)
    took = deals.taker[..., None] == seats
    return {
        "queens": (took & deals.is_queen[..., None]).sum(axis=(1, 2)),
        "photo": (took & deals.is_photo[..., None]).sum(axis=(1, 2)),
        "counting": ((deals.winner[..., None] == seats) & deals.is_counting[..., None]).sum(axis=1),
        "most": (deals.most[:, None] == seats).astype(np.int64),
    }


def tally_results(deals: TetkaDeals, tally: Tally) -> None:
    """Count how marks and tricks fall among players of one kind."""
    marks, taken = deals.marks, deals.taken
    for tricks in range(MOST_TRICKS + 1):
        with_so_many = taken == tricks if tricks < MOST_TRICKS else taken >= tricks
        tally.mean(f"marks.tricks.{tricks}", marks, with_so_many)
        tally.mean(f"tricks.{tricks}", with_so_many)
    tally.mean("marks.none", marks == 0)
    tally.mean("marks.many", marks >= MANY)
    tally.mean("marks.worst", marks.max(axis=1))
    units, most = np.arange(len(marks)), deals.most
    tricks_of_most = taken[units, most]
    tally.mean("most.tricks", tricks_of_most)
    tally.mean("most.tied", (taken == tricks_of_most[:, None]).sum(axis=1) > 1)
    tally.mean("most.other_marks", marks[units, most] - 1)
    tally.mean("most.only_mark", marks[units, most] == 1)
    tally.mean("most.took_last", deals.winner[:, -1] == most)
    for place in range(SEATS):
        tally.mean(f"marks.place.{place + 1}", marks[units, (deals.first + place) % SEATS])


def tally_duel(games: Sequence[TetkaDeals], tally: Tally) -> None:
    """Count the marks of the policy among three of the other players.

    Args:
        games: The same deals; in game s the policy has seat s.
        tally: What is filled.
    """
    own = [
        {name: marks[:, s] for name, marks in marks_by_source(game).items()}
        for s, game in enumerate(games)
    ]
    for name in own[0]:
        tally.mean(f"duel.{name}", np.stack([marks[name] for marks in own], axis=1))
    tally.mean("duel.marks", np.stack([game.marks[:, s] for s, game in enumerate(games)], axis=1))
    tally.mean("duel.tricks", np.stack([game.taken[:, s] for s, game in enumerate(games)], axis=1))

"""Tetka: reads what the tricks gave that are not told (docs/notation.md).

Their cards are *gone*: who played them is told or assumed, in which trick is not known.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from terz_env.cards import SUITS
from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games.tetka.batch import restart_one
from terz_env.games.tetka.notation.cards import Cards
from terz_env.games.tetka.state import (
    HAND,
    ILLEGAL,
    LAST_TAKEN,
    LEADER,
    MARKS,
    N_SEATS,
    PENALISE,
    PLAYED,
    QUEENS,
    REVOKES,
    SUIT_CARDS,
    TABLE,
    TALLY,
    TRICK,
    TRICKS_TAKEN,
    VOIDS,
    State,
)
from terz_env.notation import Fields, members

GONE_FIELDS = ("taken", "latest", "marks", "voids", "revokes")


def gone_words(game: Game, cards: Cards, fields: Fields) -> State:
    """Returns the position after the gone tricks: every card of the told tricks is in hand."""
    words = np.zeros(game.n_words, dtype=np.int64)
    words[TABLE] = cards.config
    hands = list(cards.hands)
    for leader, trick in cards.tricks:
        for place, card in enumerate(trick):
            hands[(leader + place) % N_SEATS] |= 1 << card
    if not any(hands):
        raise fields.refuse("hands", "nobody has a card left; the last trick belongs in tricks=")
    words[HAND : HAND + N_SEATS] = hands
    restart_one(words, cards.dealer, cards.photo)
    if cards.gone_tricks == 0:
        for name in GONE_FIELDS:
            if fields.has(name):
                raise fields.refuse(name, "it follows from tricks=, as no cards are gone")
        return words
    table = int(words[TABLE]) & ~(3 << LEADER)
    words[TABLE] = table | (cards.leader << LEADER) | (cards.gone_tricks << TRICK)
    words[TALLY] = _tally(cards, fields)
    voids = _voids(cards, fields, hands)
    revokes = _revokes(cards, fields)
    for seat in range(N_SEATS):
        words[PLAYED + seat] = (
            cards.gone[seat] | (voids[seat] << VOIDS) | (revokes[seat] << REVOKES)
        )
    return words


def _tally(cards: Cards, fields: Fields) -> int:
    """Returns tricks, marks and last tricks of the gone tricks as a word (Rules K4, K5)."""
    n_gone, leader = cards.gone_tricks, cards.leader
    taken = fields.numbers("taken", 0, n_gone)
    if taken is None:
        taken = [n_gone if seat == leader else 0 for seat in range(N_SEATS)]
    if sum(taken) != n_gone:
        raise PositionError(f"taken: {sum(taken)} tricks taken; {n_gone} are gone")
    latest = fields.numbers("latest", 0, n_gone) or _latest(taken, leader, n_gone)
    _check_latest(taken, latest, leader, n_gone)
    gone = [card for pile in cards.gone for card in members(pile)]
    due = marks_due(gone, cards.photo, n_gone)
    marks = fields.numbers("marks", 0, due)
    if marks is None:
        marks = [due if seat == leader else 0 for seat in range(N_SEATS)]
    if sum(marks) != due:
        raise PositionError(
            f"marks: {sum(marks)} given; the gone tricks held {due} (queens, photo, counting "
            "trick; Rule K4)"
        )
    word = 0
    for seat in range(N_SEATS):
        if marks[seat] and not taken[seat]:
            raise PositionError(f"marks: seat_{seat} has {marks[seat]}, but took no trick")
        word |= taken[seat] << (TRICKS_TAKEN + 4 * seat)
        word |= (marks[seat] << (MARKS + 4 * seat)) | (latest[seat] << (LAST_TAKEN + 4 * seat))
    return word


def marks_due(cards: Sequence[int], photo: int, n_tricks: int) -> int:
    """Returns the marks that the first tricks give, if these are their cards (Rule K4)."""
    counting = 1 if photo % 13 == 12 else photo % 13 + 2
    queens = sum(QUEENS >> card & 1 for card in cards)
    return queens + (photo in cards) + (counting <= n_tricks)


def _latest(taken: list[int], leader: int, n_gone: int) -> list[int]:
    """Returns last tricks as if each seat took its own in one go, the leader's at the end."""
    latest = [0] * N_SEATS
    for step in range(N_SEATS):
        seat = (leader + step) % N_SEATS
        if taken[seat]:
            latest[seat] = n_gone
            n_gone -= taken[seat]
    return latest


def _check_latest(taken: list[int], latest: list[int], leader: int, n_gone: int) -> None:
    """Refuses numbers of last tricks that no sequence of winners gives."""
    if latest[leader] != n_gone:
        raise PositionError(
            f"latest: the leader seat_{leader} took trick {n_gone}, not {latest[leader]}"
        )
    takers = [seat for seat in range(N_SEATS) if taken[seat]]
    for seat in range(N_SEATS):
        if (seat in takers) != (latest[seat] > 0):
            raise PositionError(
                f"latest: seat_{seat} took {taken[seat]} tricks, the last was {latest[seat]}"
            )
        before = [taken[other] for other in takers if latest[other] <= latest[seat]]
        twins = [other for other in takers if other != seat and latest[other] == latest[seat]]
        if seat in takers and (twins or sum(before) > latest[seat]):
            raise PositionError(
                f"latest: trick {latest[seat]} cannot be the last of seat_{seat} with "
                f"taken={','.join(map(str, taken))}"
            )


def _voids(cards: Cards, fields: Fields, hands: list[int]) -> list[int]:
    """Returns the suits, as sets of four, that each seat has proved not to hold (Rule K3)."""
    voids = []
    for seat, names in enumerate(fields.groups("voids") or [[]] * N_SEATS):
        suits = 0
        for name in names:
            if name not in tuple(SUITS):
                raise fields.refuse("voids", f"{name!r} is no suit of {SUITS}")
            suit = SUITS.index(name)
            if suits >> suit & 1 or hands[seat] & SUIT_CARDS << 13 * suit:
                raise fields.refuse("voids", f"seat_{seat}, {name}: twice, or such a card is held")
            suits |= 1 << suit
        voids.append(suits)
    if any(voids) and cards.config >> ILLEGAL & 3 == PENALISE:
        raise fields.refuse("voids", "under penalise a discard proves no void (Rule K10)")
    return voids


def _revokes(cards: Cards, fields: Fields) -> list[int]:
    """Returns the revokes of each seat in the gone tricks (Rule K10)."""
    revokes = fields.numbers("revokes", 0, cards.gone_tricks) or [0] * N_SEATS
    if any(revokes) and cards.config >> ILLEGAL & 3 != PENALISE:
        raise fields.refuse("revokes", "there are none without penalise (Rule K10)")
    return revokes

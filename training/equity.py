"""Terz: the chance to win the match from a score, by dynamic programming over played deals."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.state import DEALER, SCORES, TABLE
from terz_env.selfplay import SelfPlayBatch

EDGE, STEP = 51, 10
"""Totals 0 to 500 in tens; higher ones count as 500, lower ones as 0."""
TARGET = 501
SWEEPS = 200
TOLERANCE = 1e-6
MATCHES = 4096


@dataclass(frozen=True)
class EquityTable:
    """What a score is worth before a deal, from 1, the match won, to -1 (Rule T24).

    Attributes:
        values: ``(2, 51, 51)``: by the seat that deals next and the totals of seats 0 and 1 in
            tens, the value for seat 0.
        starts: ``(K, 3)``: dealer and totals at which deals of matches begin, as often as they do.
        scale: The factor that gives results of deals the same spread as points over 100.
    """

    values: NDArray[np.float32]
    starts: NDArray[np.int64]
    scale: float

    @classmethod
    def of_deals(cls, deals: NDArray[np.int64], rng: np.random.Generator) -> "EquityTable":
        """Return the table of a sample of deals, as if both seats played alike.

        Args:
            deals: ``(N, 3)``: the points of the dealer, of the other, and whether the dealer deals
                next (Rule T25).
            rng: Source of the matches that give `starts`.
        """
        values = match_values(deals)
        starts = _starts(deals, rng)
        after = values[starts[:, 0], starts[:, 1] // STEP, starts[:, 2] // STEP]
        spread = float(np.std(deals[:, 0] - deals[:, 1])) / 100
        return cls(values, starts, spread / max(float(after.std()), 1e-3))

    def settle(self, batch: SelfPlayBatch, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the worth ``(rows, 2)`` of the scores after deals that have just ended."""
        states = batch.states[rows]
        won = np.where(batch.ends[rows], np.sign(batch.rewards[rows, 0]), 0.0)
        worth = self.values[
            dealers_of(states), _index(states[:, SCORES]), _index(states[:, SCORES + 1])
        ]
        first = np.where(batch.ends[rows], won, worth).astype(np.float32) * np.float32(self.scale)
        return np.stack([first, -first], axis=1)


def dealers_of(states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return who deals ``(N,)`` in positions ``(N, W)``."""
    dealers: NDArray[np.int64] = (states[:, TABLE] >> DEALER) & 1
    return dealers


def match_values(deals: NDArray[np.int64]) -> NDArray[np.float32]:
    """Solve the match for a distribution of deals (see `EquityTable.of_deals`).

    The value of a score is the mean, over the deals, of that of the score after it. Sweeps go on
    until nothing changes; deals that end in mid-play by a meld are taken as played out.
    """
    own, other, again = deals.T
    totals = np.arange(EDGE) * STEP
    # The dealer's view: dealer's total, other's total. values[a, b] is the dealer's worth.
    values = np.zeros((EDGE, EDGE))
    outcomes, counts = np.unique(np.stack([own, other, again], axis=1), axis=0, return_counts=True)
    weights = counts / counts.sum()
    for _ in range(SWEEPS):
        updated = np.zeros_like(values)
        for (mine, yours, stays), weight in zip(outcomes, weights, strict=True):
            a, b = totals[:, None] + mine, totals[None, :] + yours
            deal_again = values[_index(a), _index(b)]
            passed_on = -values.T[_index(a), _index(b)]
            going_on = deal_again if stays else passed_on
            lead = np.sign(a - b)
            over = np.where(lead > 0, a, b) >= TARGET
            updated += weight * np.where(over & (lead != 0), lead, going_on)
        change = np.abs(updated - values).max()
        values = updated
        if change < TOLERANCE:
            break
    return np.stack([values, -values.T]).astype(np.float32)


def _index(totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of totals in the table."""
    return np.clip(totals // STEP, 0, EDGE - 1)


def _starts(deals: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return dealer and totals before every deal of matches made of the sample's deals."""
    dealer = rng.integers(2, size=MATCHES)
    scores = np.zeros((MATCHES, 2), dtype=np.int64)
    rows = np.arange(MATCHES)
    found: list[NDArray[np.int64]] = []
    while len(rows):
        shown = np.clip(scores[rows], 0, (EDGE - 1) * STEP) // STEP * STEP
        found.append(np.column_stack([dealer[rows], shown]))
        drawn = deals[rng.integers(len(deals), size=len(rows))]
        scores[rows, dealer[rows]] += drawn[:, 0]
        scores[rows, 1 - dealer[rows]] += drawn[:, 1]
        dealer[rows] = np.where(drawn[:, 2] == 1, dealer[rows], 1 - dealer[rows])
        over = (scores[rows].max(axis=1) >= TARGET) & (scores[rows, 0] != scores[rows, 1])
        rows = rows[~over]
    return np.concatenate(found)


def random_scores(batch: SelfPlayBatch, table: EquityTable, rng: np.random.Generator) -> None:
    """Let every row's deal begin at a score at which deals of matches begin, for its dealer."""
    dealers = dealers_of(batch.states)
    for dealer in range(2):
        rows = np.flatnonzero(dealers == dealer)
        starts = table.starts[table.starts[:, 0] == dealer]
        batch.states[rows, SCORES : SCORES + 2] = starts[
            rng.integers(len(starts), size=len(rows)), 1:
        ]
    batch.refresh()


def points_of(dealers: NDArray[np.int64], states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ``(rows, 3)`` as `EquityTable.of_deals` takes them, of deals begun at 0:0.

    Args:
        dealers: ``(rows,)`` who dealt.
        states: ``(rows, W)`` the positions at the start of the next deal.
    """
    scores = states[:, SCORES : SCORES + 2]
    rows = np.arange(len(states))
    following = dealers_of(states)
    return np.column_stack(
        [scores[rows, dealers], scores[rows, 1 - dealers], following == dealers]
    ).astype(np.int64)

"""Terz: where the points of a deal come from, and who gets them."""

from collections.abc import Sequence

import numpy as np

from training.habits.tally import Numbers, Tally
from training.habits.terz_deals import TerzDeals

CLOSE = 20
"""A margin that the last trick, ten points to one side instead of the other, can turn."""


def tally_results(deals: TerzDeals, tally: Tally) -> None:
    """Count how cards, melds and the last trick split the deals of players of one kind."""
    cards, melds, total = deals.recorded_points, deals.meld_points, deals.results
    margin = total[:, 0] - total[:, 1]
    winner = (margin < 0).astype(np.int64)
    units, decided = np.arange(len(winner)), margin != 0
    by_cards = cards[units, winner] - cards[units, 1 - winner]
    by_melds = melds[units, winner] - melds[units, 1 - winner]
    tally.mean("split.melds", melds.sum(axis=1))
    tally.mean("split.no_melds", melds.sum(axis=1) == 0)
    tally.mean("split.margin", np.abs(margin))
    tally.mean("split.by_cards", by_cards, decided)
    tally.mean("split.by_melds", by_melds, decided)
    tally.mean("split.despite_cards", by_cards < 0, decided)
    tally.mean("split.despite_melds", by_melds < 0, decided)
    last = deals.tricks.winner[:, -1]
    tally.mean("split.last_wins", last == winner, decided)
    tally.mean("split.last_turns", np.abs(margin) <= CLOSE, decided & (last == winner))
    first = deals.forehand
    for name, points in (("points", total), ("cards", cards), ("melds", melds)):
        tally.mean(f"forehand.{name}", points[units, first] - points[units, 1 - first])
    tally.mean("forehand.wins", total[units, first] > total[units, 1 - first], decided)
    tally.mean("forehand.last", last == first)


def tally_duel(games: Sequence[TerzDeals], tally: Tally) -> None:
    """Count what the policy gains from the other player.

    Args:
        games: The same deals; in game s the policy has seat s.
        tally: What is filled.
    """
    sides = list(enumerate(games))

    def gains(points: Sequence[Numbers]) -> Numbers:
        return np.stack([points[s][:, s] - points[s][:, 1 - s] for s, _ in sides], axis=1)

    lasts = np.stack([game.tricks.winner[:, -1] == s for s, game in sides], axis=1)
    total = gains([game.results for game in games])
    tally.mean("duel.points", total)
    tally.mean("duel.cards", gains([game.recorded_points for game in games]))
    tally.mean("duel.melds", gains([game.meld_points for game in games]))
    tally.mean("duel.last", lasts)
    tally.mean("duel.wins", total > 0, total != 0)

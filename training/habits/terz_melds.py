"""Terz: which melds are announced or kept, and what becomes of their cards."""

from dataclasses import dataclass

import numpy as np

from terz_env.games.terz.state import MARRIAGE, PLAYED, RUN, SEVEN
from training.habits.tally import Numbers, Tally, Truths
from training.habits.terz_deals import (
    ACE,
    JACK,
    KING,
    NO_MELD,
    QUEEN,
    RANKS,
    TALON_TRICKS,
    TerzDeals,
    count,
    holds,
)
from training.habits.terz_holdings import BEATABLE, CLASSES, HELD, USED, WAITING

NAMES = SEVEN + 1
"""Actions below this one are cards, melds and the exchange."""
ANNOUNCING_TRICKS = 8
RANK_WORDS = {"jacks": JACK, "queens": QUEEN, "kings": KING, "aces": ACE}


@dataclass(frozen=True)
class Chances:
    """The first turn in which a seat could announce a meld of one name; M of them.

    Attributes:
        rows: ``(M,)`` the decision.
        names: ``(M,)`` the meld's action.
        at_once: ``(M,)`` whether it was announced in that turn.
        ever: ``(M,)`` whether it was announced at all, under that name.
        wait: ``(M,)`` how many tricks it waited; 0 where it never came.
    """

    rows: Numbers
    names: Numbers
    at_once: Truths
    ever: Truths
    wait: Numbers

    @classmethod
    def of(cls, deals: TerzDeals, first_name: int, last_name: int) -> "Chances":
        """Find the chances of the actions from the first name to the last."""
        offered = np.arange(first_name, last_name + 1)
        rows, places = np.nonzero(deals.legal[:, None] >> offered & 1)
        names = offered[places]
        _, first = np.unique(_keys(deals, rows, names), return_index=True)
        rows, names = rows[first], names[first]
        said = first_said(deals)[_keys(deals, rows, names)]
        ever = said < len(deals.actions)
        said = np.where(ever, said, rows)
        at_once = ever & (deals.turns[said] == deals.turns[rows])
        return cls(rows, names, at_once, ever, deals.trick[said] - deals.trick[rows])


def _keys(deals: TerzDeals, rows: Numbers, names: Numbers) -> Numbers:
    """Return a number for each pair of a seat in a deal and a name."""
    keys: Numbers = (deals.deals[rows] * 2 + deals.seats[rows]) * NAMES + names
    return keys


def first_said(deals: TerzDeals, counted: Truths | bool = True) -> Numbers:
    """Return the first counted decision for each key of `_keys`; N where there is none."""
    first = np.full(deals.n_deals * 2 * NAMES, len(deals.actions), dtype=np.int64)
    rows = np.flatnonzero((deals.actions >= RUN) & (deals.actions < NAMES) & counted)
    np.minimum.at(first, _keys(deals, rows, deals.actions[rows]), rows)
    return first


def tally_melds(deals: TerzDeals, tally: Tally) -> None:
    """Count announcements, points and broken melds."""
    _announcements(deals, tally)
    _again(deals, tally)
    _points(deals, tally)
    _broken(deals, tally)
    _three_of_four(deals, tally)
    _seven(deals, tally)
    _marriage(deals, tally)


def _announcements(deals: TerzDeals, tally: Tally) -> None:
    chances = Chances.of(deals, RUN, MARRIAGE)
    rows, bits = chances.rows, 1 << chances.names
    of_deal = deals.deals[rows]
    beatable = (deals.melds[rows, BEATABLE] & bits) != 0
    for kind, name in enumerate(CLASSES):
        own = (deals.melds[rows, HELD + kind] & bits) != 0
        tally.rate(f"meld.{name}.chances", own, deals=of_deal, per=2)
        tally.mean(f"meld.{name}.at_once", chances.at_once, own, of_deal)
        tally.mean(f"meld.{name}.ever", chances.ever, own, of_deal)
        tally.mean(f"meld.{name}.beatable", beatable, own, of_deal)
        tally.mean(f"meld.{name}.at_once.safe", chances.at_once, own & ~beatable, of_deal)
        tally.mean(f"meld.{name}.at_once.beatable", chances.at_once, own & beatable, of_deal)
        tally.mean(f"meld.{name}.wait", chances.wait, own & chances.ever, of_deal)
        held = count(deals.melds[:, HELD + kind])
        said = (deals.melds[:, HELD + kind] >> np.minimum(deals.actions, 62) & 1) == 1
        for phase, inside in (
            ("talon", deals.trick <= TALON_TRICKS),
            ("last_chance", deals.trick == ANNOUNCING_TRICKS),
        ):
            silent = np.where(deals.plays, held, 0)
            events = np.where(said, 1, silent)
            _weighted(tally, f"meld.{name}.a_turn.{phase}", said, events, inside, deals.deals)
        tally.mean(f"meld.{name}.beaten", deals.beaten, said, deals.deals)


def _again(deals: TerzDeals, tally: Tally) -> None:
    """Count how a meld fares that has been announced and beaten before."""
    offered = np.arange(RUN, MARRIAGE)
    rows, places = np.nonzero(deals.legal[:, None] >> offered & 1)
    names = offered[places]
    said = deals.actions[rows] == names
    before = first_said(deals, deals.beaten)[_keys(deals, rows, names)] < rows
    of_deal, beaten = deals.deals[rows], deals.beaten[rows]
    tally.mean("meld.first.beaten", beaten, said & ~before, of_deal)
    tally.mean("meld.again.beaten", beaten, said & before, of_deal)
    tally.mean("meld.again.said", said, before & (said | deals.plays[rows]), of_deal)


def _weighted(
    tally: Tally, name: str, said: Truths, events: Numbers, where: Truths, deals: Numbers
) -> None:
    """Note the share of what was said among all that could have been; several fit in a turn."""
    rows = np.repeat(np.arange(len(events)), np.where(where, events, 0))
    tally.mean(name, said[rows], deals=deals[rows])


def _points(deals: TerzDeals, tally: Tally) -> None:
    kinds, points = deals.scored_class, deals.scored_points
    for kind, name in enumerate(CLASSES):
        tally.rate(f"meld.{name}.points", points, kinds == kind, deals.deals, per=2)
    tally.rate("meld.points", points, kinds != NO_MELD, deals.deals, per=2)
    announced = (deals.actions >= RUN) & (deals.actions < MARRIAGE)
    tally.mean("meld.beaten", deals.beaten, announced, deals.deals)
    paid = deals.beaten & (kinds != NO_MELD)
    tally.mean("meld.beaten.paid", paid, deals.beaten, deals.deals)
    tally.mean("meld.beaten.cost", points, paid, deals.deals)


def _broken(deals: TerzDeals, tally: Tally) -> None:
    """Count how often a card of a held meld is played although another card was lawful."""
    cards = deals.legal & ((1 << RUN) - 1)
    played = 1 << np.where(deals.plays, deals.actions, 0)
    early = deals.plays & (deals.trick <= ANNOUNCING_TRICKS)
    used = deals.melds[:, USED] & ~deals.melds[:, WAITING]
    for name, meld in (("waiting", deals.melds[:, WAITING]), ("scored", used)):
        free = early & ((cards & meld) != 0) & ((cards & ~meld) != 0)
        tally.mean(f"broken.{name}", (played & meld) != 0, free, deals.deals)
        chance = count(cards & meld) / np.maximum(count(cards), 1)
        tally.mean(f"broken.{name}.by_chance", chance, free, deals.deals)


def _three_of_four(deals: TerzDeals, tally: Tally) -> None:
    """Count how often one of three is given up while the fourth may still come."""
    cards = deals.legal & ((1 << RUN) - 1)
    played = 1 << np.where(deals.plays, deals.actions, 0)
    states = deals.played.states
    gone = states[:, PLAYED] | states[:, PLAYED + 1]
    early = deals.plays & (deals.trick <= TALON_TRICKS)
    for name, rank in RANK_WORDS.items():
        four = 0x01010101 << rank
        for size, word in ((3, "three"), (2, "two")):
            there = (count(deals.hands & four) == size) & ((gone & four) == 0)
            free = early & there & ((cards & four) != 0) & ((cards & ~four) != 0)
            tally.mean(f"{word}.{name}", (played & four) != 0, free, deals.deals)


def _seven(deals: TerzDeals, tally: Tally) -> None:
    chances = Chances.of(deals, SEVEN, SEVEN)
    of_deal = deals.deals[chances.rows]
    tally.rate("seven.chances", np.ones(len(of_deal)), deals=of_deal)
    tally.mean("seven.at_once", chances.at_once, deals=of_deal)
    tally.mean("seven.ever", chances.ever, deals=of_deal)
    tally.mean("seven.wait", chances.wait, chances.ever, of_deal)
    done = deals.actions == SEVEN
    tally.mean("seven.trick", deals.trick, done, deals.deals)
    then = np.append(deals.actions[1:], 0)
    says = (then >= RUN) & (then <= MARRIAGE) & (then != SEVEN)
    tally.mean("seven.then_announces", says, done, deals.deals)


def _marriage(deals: TerzDeals, tally: Tally) -> None:
    said = deals.actions == MARRIAGE
    tally.mean("marriage.trick", deals.trick, said, deals.deals)
    tally.mean("marriage.on_lead", deals.leads, said, deals.deals)
    tally.mean("marriage.closed", deals.trick > TALON_TRICKS, said, deals.deals)
    states = deals.played.states
    gone = states[:, PLAYED] | states[:, PLAYED + 1]
    king, queen = RANKS * deals.trump + KING, RANKS * deals.trump + QUEEN
    has_king, has_queen = holds(deals.hands, king), holds(deals.hands, queen)
    half = np.where(has_king, king, queen)
    other = np.where(has_king, queen, king)
    hopes = (has_king ^ has_queen) & ~holds(gone, other) & (deals.trick <= TALON_TRICKS)
    lawful = holds(deals.legal, half) & (count(deals.legal & ((1 << RUN) - 1)) > 1)
    tally.mean("marriage.half", deals.actions == half, hopes & lawful & deals.plays, deals.deals)

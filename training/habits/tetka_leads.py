"""Tetka: leads, and taking or ducking, by the photo and the counting trick."""

import numpy as np

from training.habits.tally import Numbers, Tally, Truths
from training.habits.tetka_deals import (
    KING,
    PIPS,
    QUEEN,
    RANKS,
    SEATS,
    TRICKS,
    TetkaDeals,
    count,
    suit_cards,
)

FARTHEST = 4
"""Tricks before and after the counting trick that are told apart."""
EARLY, LOW = 3, 4
"""The first tricks; the highest rank, a six, that is called low."""
SUITS = "SCDH"
STAGES = ("before", "at", "after")


def tally_leads(deals: TetkaDeals, tally: Tally) -> None:
    """Count what is led and when a trick is ducked."""
    _leads(deals, tally)
    _photo_suit(deals, tally)
    _early(deals, tally)
    _ducking(deals, tally)
    _counting(deals, tally)


def _leads(deals: TetkaDeals, tally: Tally) -> None:
    rank = deals.ranks[..., 0]
    for trick in range(1, TRICKS + 1):
        tally.mean(f"lead.rank.trick.{trick}", rank + PIPS, deals.number == trick)
    sides = np.sign(deals.distance)
    for side, stage in enumerate(STAGES, start=-1):
        tally.mean(f"lead.rank.{stage}", rank + PIPS, sides == side)
        tally.mean(f"lead.low.{stage}", rank <= LOW, sides == side)
    for away in range(-FARTHEST, FARTHEST + 1):
        tally.mean(f"lead.rank.away.{away}", rank + PIPS, deals.distance == away)
    early = deals.number <= EARLY
    tally.mean("early.low", rank <= LOW, early)
    tally.mean("early.middle", (rank > LOW) & (rank < QUEEN), early)
    tally.mean("early.top", rank >= QUEEN, early)
    first = deals.number == 1
    length = count(suit_cards(deals.hands[..., 0], deals.suits[..., 0]))
    for suit, name in enumerate(SUITS):
        tally.mean(f"lead.first.suit.{name}", deals.suits[..., 0] == suit, first)
    tally.mean("lead.first.length", length, first)
    tally.mean("lead.first.rank", rank + PIPS, first)


def _photo_suit(deals: TetkaDeals, tally: Tally) -> None:
    """Count leads of the photo's suit, by where the photo is."""
    hand, lead = deals.hands[..., 0], deals.cards[..., 0]
    photo = deals.photo[:, None]
    suit = photo // RANKS
    ours = (hand >> photo & 1) == 1
    anywhere = (np.bitwise_or.reduce(deals.all_hands, axis=-1) >> photo & 1) == 1
    own = count(suit_cards(hand, np.broadcast_to(suit, hand.shape)))
    choice = (own > 0) & (own < count(hand))
    into = lead // RANKS == suit
    rank = lead % RANKS
    for name, where in (
        ("other", anywhere & ~ours),
        ("own", ours),
        ("gone", ~anywhere),
    ):
        tally.mean(f"photo_suit.{name}", into, choice & where)
        tally.mean(f"photo_suit.{name}.by_chance", own / count(hand), choice & where)
        tally.mean(f"photo_suit.{name}.rank", rank + PIPS, into & where)
        tally.mean(f"other_suits.{name}.rank", rank + PIPS, ~into & where)
    tally.mean("photo_suit.other.under", lead < photo, into & anywhere & ~ours)


def _early(deals: TetkaDeals, tally: Tally) -> None:
    """Count aces and kings led in the first tricks, by where the queen of their suit is."""
    hand, lead = deals.hands[..., 0], deals.cards[..., 0]
    rank, early = lead % RANKS, deals.number <= EARLY
    high = (hand & sum(3 << (RANKS * suit + KING) for suit in range(4))) != 0
    tally.mean("early.high", rank >= KING, high & early)
    bare, backed = np.zeros(hand.shape, np.bool_), np.zeros(hand.shape, np.bool_)
    for suit in range(4):
        cards = suit_cards(hand, np.full_like(hand, suit))
        top = cards >> KING != 0
        with_queen = (cards >> QUEEN & 1) == 1
        bare |= top & ~with_queen
        backed |= top & with_queen
    of_suit = suit_cards(hand, lead // RANKS)
    with_queen = (of_suit >> QUEEN & 1) == 1
    tally.mean("early.high.without_queen", (rank >= KING) & ~with_queen, bare & early)
    tally.mean("early.high.with_queen", (rank >= KING) & with_queen, backed & early)
    short = count(of_suit) <= 3
    tally.mean("early.high.short", short, (rank >= KING) & early)


def _choices(deals: TetkaDeals) -> tuple[Truths, Numbers, Numbers]:
    """Return where a seat may take or duck, and the cards that go over and under ``(D, 13, 4)``.

    Over and under the best card so far, of the suit led, as ranks.
    """
    own = suit_cards(deals.hands, np.broadcast_to(deals.led, deals.hands.shape))
    best = np.maximum(deals.best, 0)
    over, under = own >> best + 1 << best + 1, own & (1 << best) - 1
    follows = np.arange(SEATS) > 0
    return follows & (over != 0) & (under != 0), over, under


def _ducking(deals: TetkaDeals, tally: Tally) -> None:
    choice, over, under = _choices(deals)
    ducks = (deals.ranks < deals.best) & (deals.suits == deals.led)
    for place in range(1, SEATS):
        tally.mean(f"duck.place.{place + 1}", ducks[..., place], choice[..., place])
    distance = np.broadcast_to(deals.distance[..., None], choice.shape)
    for away in range(-FARTHEST, FARTHEST + 1):
        tally.mean(f"duck.away.{away}", ducks, choice & (distance == away))
    for side, stage in enumerate(STAGES, start=-1):
        tally.mean(f"duck.{stage}", ducks, choice & (np.sign(distance) == side))
    for name, bad in (("clean", ~deals.is_bad_so_far), ("bad", deals.is_bad_so_far)):
        last = choice[..., 3] & bad[..., 3]
        tally.mean(f"duck.last.{name}", ducks[..., 3], last)
        tally.mean(f"duck.last.{name}.early", ducks[..., 3], last & (deals.number <= EARLY))
    takes = choice & ~ducks
    highest = deals.ranks == _highest(over)
    tally.mean("take.last.highest", highest[..., 3], (takes & (count(over) > 1))[..., 3])
    deepest = deals.ranks == _highest(under)
    tally.mean("duck.highest", deepest, choice & ducks & (count(under) > 1))


def _highest(cards: Numbers) -> Numbers:
    """Return the highest rank of each set, -1 of an empty one."""
    ranks: Numbers = np.frexp(cards.astype(np.float64))[1] - 1
    return ranks


def _counting(deals: TetkaDeals, tally: Tally) -> None:
    at, leader = deals.is_counting, deals.seats[..., 0]
    tally.mean("counting.leader_takes", deals.winner == leader, at)
    tally.mean("other.leader_takes", deals.winner == leader, ~at)
    queens = deals.is_queen.sum(axis=-1)
    tally.mean("counting.queens", queens, at)
    tally.mean("other.queens", queens, ~at)

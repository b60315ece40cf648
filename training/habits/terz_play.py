"""Terz: the trump jack, and what is led."""

import numpy as np

from terz_env.games.terz.state import HAND
from training.habits.tally import Numbers, Tally, Truths
from training.habits.terz_deals import (
    ACE,
    JACK,
    RANKS,
    TALON_TRICKS,
    TRICKS,
    TerzDeals,
    count,
    holds,
    suit_cards,
    values,
)

TEN = 3
RANK_NAMES = "789TJQKA"
TRUMP_COUNTS = {"few": (1, 2), "some": (3, 4), "many": (5, 9)}
"""How many trumps the holder of the jack has when the talon is gone."""
STAGES = {"early": (1, 7), "middle": (8, 12), "late": (13, 16)}
"""Tricks in which the jack is played."""
RICH = 10
"""Points of a card that is worth a jack."""


def tally_play(deals: TerzDeals, tally: Tally) -> None:
    """Count when the trump jack is played and what is led."""
    _jack(deals, tally)
    _leads(deals, tally)


def _jack(deals: TerzDeals, tally: Tally) -> None:
    tricks = deals.tricks
    trump = deals.trump[tricks.rows]
    jack = RANKS * trump + JACK
    is_led, is_reply = tricks.led == jack, tricks.reply == jack
    here = is_led | is_reply  # (D, 16), one trick a deal
    number = np.broadcast_to(np.arange(1, TRICKS + 1), here.shape)
    for trick in range(1, TRICKS + 1):
        tally.mean(f"jack.trick.{trick}", number == trick, here)
    tally.mean("jack.trick", number, here)
    tally.mean("jack.led", is_led, here)
    caught = values(np.where(is_led, tricks.reply, tricks.led), trump)
    tally.mean("jack.caught", caught, here)
    tally.mean("jack.caught.on_reply", caught, is_reply)
    tally.mean("jack.caught.rich", caught >= RICH, is_reply)
    for name, (least, most) in STAGES.items():
        tally.mean(f"jack.{name}", (number >= least) & (number <= most), here)
    seats = np.where(is_led, tricks.leader, 1 - tricks.leader)
    holder = seats[here]  # (D,)
    when = number[here]
    result = deals.results
    units = np.arange(deals.n_deals)
    margin = result[units, holder] - result[units, 1 - holder]
    for name, (least, most) in STAGES.items():
        then = (when >= least) & (when <= most)
        tally.mean(f"jack.{name}.margin", margin, then)
        tally.mean(f"jack.{name}.wins", margin > 0, then)
    tally.mean("jack.margin", margin)
    tally.mean("jack.wins", margin > 0)
    start = tricks.rows[:, TALON_TRICKS]
    hand = deals.played.states[start, HAND + holder]
    trumps = count(suit_cards(hand, deals.trump[start]))
    kept = when > TALON_TRICKS
    for name, (least, most) in TRUMP_COUNTS.items():
        fits = kept & (trumps >= least) & (trumps <= most)
        tally.mean(f"jack.trumps.{name}", when, fits)
        tally.mean(f"jack.trumps.{name}.led", is_led[here], fits)


def _leads(deals: TerzDeals, tally: Tally) -> None:
    tricks = deals.tricks
    trump = deals.trump[tricks.rows]
    suit, rank, hand = tricks.led // RANKS, tricks.led % RANKS, tricks.hands
    number = np.broadcast_to(np.arange(1, TRICKS + 1), suit.shape)
    trumps = count(suit_cards(hand, trump))
    choice = (trumps > 0) & (trumps < count(hand))
    plain = suit != trump
    lengths = np.stack([count(suit_cards(hand, np.full_like(trump, s))) for s in range(4)], axis=-1)
    own = np.take_along_axis(lengths, suit[..., None], axis=-1)[..., 0]
    is_plain = np.arange(4) != trump[..., None]
    longest = np.where(is_plain, lengths, 0).max(axis=-1)
    shortest = np.where(is_plain & (lengths > 0), lengths, RANKS + 1).min(axis=-1)
    uneven = plain & (longest > shortest)
    in_longest = np.where(is_plain & (lengths == longest[..., None]), lengths, 0).sum(axis=-1)
    chance = in_longest / np.maximum(count(hand) - trumps, 1)
    aces, others = _plain_of(hand, trump, ACE)
    tens, no_tens = _plain_of(hand, trump, TEN)
    bare = tens & ~_guarded_ten(hand, trump)
    for phase, inside in (("talon", number <= TALON_TRICKS), ("closed", number > TALON_TRICKS)):
        name = f"lead.{phase}"
        tally.mean(f"{name}.trump", ~plain, inside & choice)
        tally.mean(f"{name}.trump.by_chance", trumps / count(hand), inside & choice)
        tally.mean(f"{name}.longest", own == longest, inside & uneven)
        tally.mean(f"{name}.longest.by_chance", chance, inside & uneven)
        tally.mean(f"{name}.shortest", own == shortest, inside & uneven)
        tally.mean(f"{name}.ace", plain & (rank == ACE), inside & aces & others)
        tally.mean(f"{name}.ten", plain & (rank == TEN), inside & tens & no_tens)
        tally.mean(f"{name}.ten.without_ace", plain & (rank == TEN), inside & bare & no_tens)
        for place, word in enumerate(RANK_NAMES):
            tally.mean(f"{name}.rank.{word}", rank == place, inside & plain)
        tally.mean(f"{name}.takes", tricks.winner == tricks.leader, inside)


def _plain_of(hand: Numbers, trump: Numbers, rank: int) -> tuple[Truths, Truths]:
    """Tell whether hands hold a plain card of a rank, and whether they hold anything else."""
    cards = (0x01010101 << rank) & ~(1 << (RANKS * trump + rank))
    return (hand & cards) != 0, (hand & ~cards) != 0


def _guarded_ten(hand: Numbers, trump: Numbers) -> Truths:
    """Tell whether hands hold the ace to one of their plain tens."""
    found = np.zeros(hand.shape, dtype=np.bool_)
    for suit in range(4):
        ten = RANKS * suit + TEN
        both = holds(hand, ten) & holds(hand, ten - TEN + ACE)
        found |= both & (trump != suit)
    return found

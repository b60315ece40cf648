"""Tetka: how queens and the photo leave the hand, and what is discarded on a void."""

import numpy as np

from training.habits.tally import Tally
from training.habits.tetka_deals import (
    KING,
    QUEEN,
    RANKS,
    SEATS,
    TRICKS,
    TetkaDeals,
    count,
    has_queen,
    suit_cards,
)

MIDDLE = 6
"""The rank of the eight, the middle of a suit."""
GUARDED = 3
"""With so many lower cards of its suit a queen has cover."""


def tally_queens(deals: TetkaDeals, tally: Tally) -> None:
    """Count how queens and the photo go, and the discards."""
    _leaving(deals, tally)
    _discards(deals, tally)


def _leaving(deals: TetkaDeals, tally: Tally) -> None:
    place = np.arange(SEATS)
    follows = (deals.suits == deals.led) & (place > 0)
    discarded = (deals.suits != deals.led) & (place > 0)
    number = np.broadcast_to(deals.number[:, None], deals.cards.shape)
    own = deals.taker == deals.seats
    for name, which in (("queen", deals.is_queen), ("photo", deals.is_photo & ~deals.is_queen)):
        tally.mean(f"{name}.led", np.broadcast_to(place == 0, which.shape), which)
        tally.mean(f"{name}.followed", follows, which)
        tally.mean(f"{name}.discarded", discarded, which)
        tally.mean(f"{name}.own", own, which)
        tally.mean(f"{name}.trick", number, which)
    plain = deals.is_photo & ~deals.is_queen
    tally.mean("photo.own.low", own, plain & (deals.ranks < MIDDLE))
    tally.mean("photo.own.high", own, plain & (deals.ranks >= MIDDLE))
    for trick in range(1, TRICKS + 1):
        tally.mean(f"queen.trick.{trick}", number == trick, deals.is_queen)
    for suit, name in enumerate("SCDH"):
        which = deals.is_queen & (deals.suits == suit)
        tally.mean(f"queen.own.{name}", own, which)


def _discards(deals: TetkaDeals, tally: Tally) -> None:
    hands, place = deals.hands, np.arange(SEATS)
    void = (suit_cards(hands, np.broadcast_to(deals.led, hands.shape)) == 0) & (place > 0)
    queen, photo = deals.is_queen, deals.is_photo
    holds_queen = has_queen(hands)
    holds_photo = (hands >> deals.photo[:, None, None] & 1) == 1
    high = ~queen & ~photo & (deals.ranks >= KING)
    other = ~queen & ~photo & ~high
    several = count(hands) > 1
    tally.mean("void.queen", queen, void & holds_queen & several)
    plain_photo = deals.photo[:, None, None] % RANKS != QUEEN
    with_photo = void & holds_photo & plain_photo & several
    tally.mean("void.photo", photo, with_photo & ~holds_queen)
    both = with_photo & holds_queen
    tally.mean("void.both.queen", queen, both)
    tally.mean("void.both.photo", photo, both)
    stays = void & holds_queen & ~queen & several
    tally.mean("void.instead.photo", photo, stays)
    tally.mean("void.instead.high", high, stays)
    tally.mean("void.instead.other", other, stays)
    empty = void & ~holds_queen & ~holds_photo & several
    has_high = (hands & sum(3 << (RANKS * suit + KING) for suit in range(4))) != 0
    tally.mean("void.none.high", high, empty & has_high)
    for name, few in (("guarded", False), ("bare", True)):
        kept = np.zeros(hands.shape, dtype=np.bool_)
        shed = np.zeros(hands.shape, dtype=np.bool_)
        for suit in range(4):
            cards = suit_cards(hands, np.full_like(hands, suit))
            lower = count(cards & (1 << QUEEN) - 1)
            fits = (cards >> QUEEN & 1 == 1) & ((lower < GUARDED) == few)
            kept |= fits
            shed |= fits & queen & (deals.suits == suit)
        tally.mean(f"void.queen.{name}", shed, void & kept & several)
    first = deals.number[:, None]
    for word, least, most in (("early", 1, 4), ("middle", 5, 8), ("late", 9, 12)):
        inside = (first >= least) & (first <= most)
        tally.mean(f"void.queen.{word}", queen, void & holds_queen & inside)

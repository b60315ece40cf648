"""Deals of which a test names only the cards that matter."""

from __future__ import annotations

from terz_env.cards import FULL_DECK, SHORT_DECK
from terz_env.state import Deal, State


def terz_deal(hand: str, trump_card: str, other: str = "", dealer: int = 1) -> State:
    """Deals a hand to seat 0 and named cards to seat 1; the dealer's opponent leads."""
    own, theirs = hand.split(), other.split()
    rest = [c for c in SHORT_DECK.names if c not in {*own, *theirs, trump_card}]
    theirs += rest[: 9 - len(theirs)]
    talon = [card for card in rest if card not in theirs]
    return State.from_deal("terz", Deal(dealer, [own, theirs], trump_card=trump_card, talon=talon))


def tetka_deal(hands: dict[int, str], photo: str) -> State:
    """Deals the named cards to their seats, the rest in ascending order; seat 0 leads."""
    given = {seat: text.split() for seat, text in hands.items()}
    named = {card for hand in given.values() for card in hand}
    rest = iter([card for card in FULL_DECK.names if card not in named])
    full = [given.get(seat, []) for seat in range(4)]
    dealt = [hand + [next(rest) for _ in range(13 - len(hand))] for hand in full]
    return State.from_deal("tetka", Deal(3, dealt, photo=photo))

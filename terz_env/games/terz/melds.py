"""Terz: melds and their strength (T14–T16, T20, T22), on sets of cards."""

from __future__ import annotations

from terz_env.games.terz.state import FOUR, LANE, RUN, SCORED_FOURS
from terz_env.kernel import highest, inline, lowest

_NOT_LOWEST = 0xFEFEFEFE
_NOT_TWO_LOWEST = 0xFCFCFCFC
_NOT_HIGHEST = 0x7F7F7F7F
_KING_AND_QUEEN = 0b01100000
_FOUR_KEYS = 0x2103
"""Strength among fours, four bits each from the jacks on: J 3, Q 0, K 1, A 2 (Rule T14)."""


@inline
def run_tops(hand: int) -> int:
    """Returns the top cards of the maximal runs of three or more (Rule T15)."""
    tops = hand & ((hand << 1) & _NOT_LOWEST) & ((hand << 2) & _NOT_TWO_LOWEST)
    return tops & ~((hand >> 1) & _NOT_HIGHEST)


@inline
def run_length(hand: int, top: int) -> int:
    """Returns the length of the run of a hand that ends at `top`, within its suit."""
    rank = top & 7
    gaps = ~(hand >> (top - rank)) & ((2 << rank) - 1)
    return rank + 1 - highest(2 * gaps + 1)


@inline
def run_cards(hand: int, top: int) -> int:
    """Returns the cards of the run of a hand that ends at `top`."""
    length = run_length(hand, top)
    return ((1 << length) - 1) << (top - length + 1)


@inline
def fours_held(hand: int) -> int:
    """Returns the ranks held in all four suits, bit 0 the jacks … bit 3 the aces (Rule T14)."""
    return ((hand & (hand >> 8) & (hand >> 16) & (hand >> 24)) >> 4) & 15


@inline
def marriage_cards(trump: int) -> int:
    """Returns king and queen of trumps (Rule T22)."""
    return _KING_AND_QUEEN << (8 * trump)


@inline
def run_action(top: int) -> int:
    """Returns the action that announces the run with this top card."""
    return RUN + 6 * (top >> 3) + (top & 7) - 2


@inline
def run_top(action: int) -> int:
    """Returns the top card that a run's action names."""
    suit = (action - RUN) // 6
    return 8 * suit + (action - RUN - 6 * suit) + 2


@inline
def run_can_score(cards: int, scored: int, growth: int) -> int:
    """Tells whether a run may still score (Rule T20): `growth` 0 new_card, 1 none."""
    if growth == 0:
        return 1 if (cards & ~scored) != 0 else 0
    return 1 if (cards & scored) == 0 else 0


@inline
def run_value(length: int) -> int:
    """Returns the points of a run (Rule T14)."""
    if length >= 5:
        return 100
    return 50 if length == 4 else 20


@inline
def four_value(action: int) -> int:
    """Returns the points of a four (Rule T14)."""
    return 200 if action == FOUR else 100


@inline
def run_strength(length: int, top: int, trump: int) -> int:
    """Returns a key that orders runs: length, top rank, in trumps (Rule T16)."""
    return 16 * length + 2 * (top & 7) + (1 if top >> 3 == trump else 0)


@inline
def four_strength(action: int) -> int:
    """Returns a key that orders fours, above every run (Rules T14, T16)."""
    return 200 + ((_FOUR_KEYS >> (4 * (action - FOUR))) & 15)


@inline
def four_cards(action: int) -> int:
    """Returns the cards of a four."""
    return 0x10101010 << (action - FOUR)


@inline
def strongest_meld(hand: int, scored: int, only_unscored: int, growth: int, trump: int) -> int:
    """Returns 128 · strength + action of the strongest meld held, 0 if there is none.

    Among equals the first suit in the order S, C, D, H (Rule T19).
    """
    best = 0
    fours = fours_held(hand)
    if only_unscored:
        fours &= ~(scored >> SCORED_FOURS)
    while fours != 0:
        action = FOUR + lowest(fours)
        fours &= fours - 1
        if four_strength(action) > best >> 7:
            best = (four_strength(action) << 7) | action
    tops = run_tops(hand)
    while tops != 0:
        top = lowest(tops)
        tops &= tops - 1
        length = run_length(hand, top)
        if only_unscored and not run_can_score(run_cards(hand, top), scored, growth):
            continue
        strength = run_strength(length, top, trump)
        if strength > best >> 7:
            best = (strength << 7) | run_action(top)
    return best


@inline
def meld_cards(hand: int, action: int, trump: int) -> int:
    """Returns the cards of a hand that belong to the named meld."""
    if action < FOUR:
        return run_cards(hand, run_top(action))
    if action < FOUR + 4:
        return four_cards(action)
    return marriage_cards(trump)


@inline
def holds_meld(hand: int, action: int, trump: int) -> int:
    """Tells whether the named maximal run, four or marriage is in the hand (Rule T27)."""
    if action < FOUR:
        return (run_tops(hand) >> run_top(action)) & 1
    if action < FOUR + 4:
        return (fours_held(hand) >> (action - FOUR)) & 1
    cards = (hand >> (8 * trump)) & LANE & _KING_AND_QUEEN
    return 1 if cards == _KING_AND_QUEEN else 0

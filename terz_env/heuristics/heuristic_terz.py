"""Terz: the rule player `heuristic`.

Its maxims, as a player at the table would say them:

1. Announce at once, the strongest meld first, then the marriage; exchange the seven when you can.
2. While cards are drawn, hold together what may grow into a meld: runs, cards that lack one card to
   a run, two or three jacks, queens, kings or aces, king or queen of trumps. They are the dearer,
   the more draws are left and the more the meld pays. A card that is played, or that the opponent
   has shown, can no longer be drawn.
3. While cards are drawn, save the trumps, the jack and the nine above all: do not lead them, and
   spend them on rich tricks only, the lowest first.
4. Do not lead points into a higher card that the opponent may hold, and lose the cheapest card.
5. When the talon is gone you know his hand: what he does not beat, wins. Where you must lose a
   trick, lose the fewest points; lead no points that his trump jack may take.
6. Pull his trumps with trumps that he cannot beat, and make him spend them on cheap cards of a suit
   that he no longer holds.
7. Once he has no trumps, keep yours for the end, and win with cards that he could still beat: the
   last trick is worth ten.

Each maxim is a few numbers below, in tenths of a point; a card's value is their sum, and the card
of the greatest value is played, among equals the first in the order S C D H, each suit from 7 to A.
The numbers were found by hill climbing on duplicate deals against both random players, `greedy` and
earlier versions of itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.games.terz.melds import marriage_cards
from terz_env.games.terz.observation import may_hold
from terz_env.games.terz.state import (
    ALL_CARDS,
    BREAK_PENDING,
    GROWTH,
    HAND,
    HAS_LED,
    KNOWN,
    LANE,
    LED,
    LEGAL,
    RULES,
    SCORED,
    TABLE,
    State,
    get,
    seat_to_act,
    talon_size,
    trump_suit,
)
from terz_env.games.terz.tricks import beats, card_value
from terz_env.heuristics.announcing import NOTHING, next_announcement
from terz_env.heuristics.greedy_terz import (
    BREAK_TWO,
    WORST,
    higher_cards,
    is_closed,
    place_of,
    unseen_cards,
)
from terz_env.kernel import inline, kernel, lowest, popcount

LACK_3, LACK_4, LACK_5, HELD_RUN = 8, 14, 12, 54
THREE_JACKS, TWO_JACKS, THREE_ALIKE, TWO_ALIKE = 115, 17, 53, 10
HALF_MARRIAGE = 4
LEAD_RISK, LEAD_TRUMP = 11, 50
WIN_POINTS, WIN_JACK, WIN_NINE, WIN_TRUMP_PLACE = 5, 92, 28, 13
LOSE_POINTS, LOSE_PLACE, LOSE_TRUMP = 9, 22, 110
END_WIN, END_WIN_OWN, END_PULL, END_RESERVE, END_JACK_RISK = 8, 3, 194, 76, 7
END_LOSE, END_LOSE_OWN, END_RUFF = 2, 4, 123
TAKE_TRUMP, TAKE_MASTER = 56, 5
GIVE_POINTS = 11

_STARTS_3, _STARTS_4, _STARTS_5 = 0x3F3F3F3F, 0x1F1F1F1F, 0x0F0F0F0F
_RANK = 0x01010101
_NINE, _JACK = 2, 4


@inline
def nearly_runs(hand: int, missing: int) -> tuple[int, int, int, int]:
    """Returns the cards in runs of three held, and those that lack one card to 3, 4 and 5."""
    full, lack = hand & (hand >> 1), (missing & (hand >> 1)) | (hand & (missing >> 1))
    lack = ((lack & (hand >> 2)) | (full & (missing >> 2))) & _STARTS_3
    full = full & (hand >> 2) & _STARTS_3
    held = full | (full << 1) | (full << 2)
    lack_3 = lack | (lack << 1) | (lack << 2)
    lack = ((lack & (hand >> 3)) | (full & (missing >> 3))) & _STARTS_4
    full = full & (hand >> 3) & _STARTS_4
    lack_4 = lack | (lack << 1) | (lack << 2) | (lack << 3)
    lack = ((lack & (hand >> 4)) | (full & (missing >> 4))) & _STARTS_5
    lack_5 = lack | (lack << 1) | (lack << 2) | (lack << 3) | (lack << 4)
    return held, lack_3, lack_4, lack_5


@inline
def alike_worth(card: int, hand: int, missing: int) -> int:
    """Returns what a jack, queen, king or ace is worth to a four, for one draw (Maxim 2)."""
    rank = card & 7
    if rank < _JACK:
        return 0
    kind = _RANK << rank
    if kind & ~(hand | missing):
        return 0
    count = popcount(hand & kind)
    if count == 3:
        return THREE_JACKS if rank == _JACK else THREE_ALIKE
    if count == 2:
        return TWO_JACKS if rank == _JACK else TWO_ALIKE
    return 0


@inline
def open_lead(card: int, trump: int, theirs: int) -> int:
    """Returns the value of a lead while cards are drawn (Maxims 3, 4)."""
    if card >> 3 == trump:
        return -LEAD_TRUMP
    if higher_cards(card, trump) & theirs:
        return -LEAD_RISK * card_value(card, trump)
    return 0


@inline
def open_reply(card: int, led: int, trump: int) -> int:
    """Returns the value of a reply while cards are drawn (Maxims 3, 4)."""
    points = card_value(card, trump)
    is_trump = card >> 3 == trump
    if beats(led, card, trump):
        value = WIN_POINTS * (points + card_value(led, trump))
        if is_trump:
            value -= WIN_TRUMP_PLACE * place_of(card, trump)
            if card & 7 == _JACK:
                value -= WIN_JACK
            elif card & 7 == _NINE:
                value -= WIN_NINE
        return value
    value = -LOSE_POINTS * points - LOSE_PLACE * place_of(card, trump)
    return value - LOSE_TRUMP if is_trump else value


@inline
def closed_lead(card: int, trump: int, theirs: int) -> int:
    """Returns the value of a lead against a known hand (Maxims 5–7)."""
    points = card_value(card, trump)
    trumps = theirs & (LANE << (8 * trump))
    is_trump = card >> 3 == trump
    if higher_cards(card, trump) & theirs:
        return -END_LOSE - END_LOSE_OWN * points
    value = END_WIN + END_WIN_OWN * points
    if theirs & (LANE << (8 * (card >> 3))):
        if is_trump:
            return value + END_PULL
    elif trumps:
        return END_RUFF - END_LOSE_OWN * points
    elif is_trump:
        return value - END_RESERVE
    if (trumps >> (8 * trump + _JACK)) & 1:
        value -= END_JACK_RISK * points
    return value


@inline
def closed_reply(card: int, led: int, trump: int, theirs: int) -> int:
    """Returns the value of a reply against a known hand (Maxims 5, 7)."""
    if beats(led, card, trump):
        value = 10 * card_value(led, trump)
        if higher_cards(card, trump) & theirs == 0:
            value -= TAKE_MASTER
        return value - TAKE_TRUMP if card >> 3 == trump else value
    return -GIVE_POINTS * card_value(card, trump) - place_of(card, trump)


@inline
def heuristic_action(state: State) -> int:
    """Returns the action of the seat to act."""
    if get(state, TABLE, BREAK_PENDING, 1):
        return BREAK_TWO
    named = next_announcement(state)
    if named != NOTHING:
        return named
    cards = state[LEGAL] & ALL_CARDS
    if cards & (cards - 1) == 0:
        return lowest(cards)
    seat = seat_to_act(state)
    trump = trump_suit(state)
    closed = is_closed(state)
    replying = get(state, TABLE, HAS_LED, 1)
    led = get(state, TABLE, LED, 31)
    hand = state[HAND + seat]
    theirs = may_hold(state, seat)
    draws = talon_size(state) // 2
    missing = unseen_cards(state, seat) & ~state[KNOWN + 1 - seat]
    if replying:
        missing &= ~(1 << led)
    free = hand
    if get(state, RULES, GROWTH, 1):
        free = hand & ~state[SCORED + seat]
    held, lack_3, lack_4, lack_5 = nearly_runs(free, missing)
    couple = marriage_cards(trump)
    if couple & ~(hand | missing) or hand & couple == couple:
        couple = 0
    best, most = lowest(cards), WORST
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if closed:
            value = closed_lead(card, trump, theirs)
            if replying:
                value = closed_reply(card, led, trump, theirs)
        else:
            value = open_reply(card, led, trump) if replying else open_lead(card, trump, theirs)
            growing = LACK_3 * ((lack_3 >> card) & 1) + LACK_4 * ((lack_4 >> card) & 1)
            growing += LACK_5 * ((lack_5 >> card) & 1) + alike_worth(card, hand, missing)
            growing += HALF_MARRIAGE * ((couple >> card) & 1)
            value -= draws * growing + HELD_RUN * ((held >> card) & 1)
        if value > most:
            best, most = card, value
    return best


@kernel
def heuristic_actions(states: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
    """Writes the action of the seat to act of every row (N,)."""
    for row in range(states.shape[0]):
        actions[row] = heuristic_action(states[row])

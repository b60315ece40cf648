"""Terz: the rule player `heuristic`.

Its maxims, as a player at the table would say them:

1. Announce at once, the strongest meld first, then the marriage; exchange the seven when you can.
2. While cards are drawn, hold together what may grow into a meld: a run held, cards that lack one
   card to a run, three or two of a kind of jacks, queens, kings and aces, king or queen of trumps.
   The more draws are left, and the more the meld pays, the dearer they are. A card that is gone, or
   that the opponent has shown, no longer counts as missing.
3. Save trumps in the talon phase, the jack and the nine above all, and spend them only on rich
   tricks.
4. Do not lead points into a higher card that the opponent may hold; give him the cheapest card of
   a trick that he wins.
5. When the talon is gone you know his hand. Lead cards that he cannot beat, and count what he must
   add to them; where you must lose a trick, lose a cheap card.
6. Once he has no trumps left, cash your masters; while he has some, pull them or make him spend
   them on nothing.
7. Keep the sure winners for the end: the last trick is worth ten.

Each maxim is a few numbers below, in tenths of a point; a card's value is their sum, and the card
of the greatest value is played, among equals the first in the order S C D H, each suit from 7 to A.
The numbers were found by hill climbing on duplicate deals against `greedy` and `random:announce`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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

LACK_3, LACK_4, LACK_5 = 2, 5, 10
HELD_RUN = 5
THREE_JACKS, TWO_JACKS, THREE_ALIKE, TWO_ALIKE = 20, 4, 10, 2
HALF_MARRIAGE = 3
LEAD_JACK, LEAD_NINE, LEAD_TRUMP, LEAD_TRUMP_PLACE = 200, 130, 60, 5
LEAD_RISK, LEAD_PLACE, LEAD_MASTER, LEAD_MASTER_BASE = 10, 1, 3, 0
LEAD_LENGTH, LEAD_THEIRS = 0, 0
WIN_POINTS, WIN_BASE = 10, 0
WIN_JACK, WIN_NINE, WIN_TRUMP, WIN_TRUMP_PLACE = 160, 150, 90, 10
LOSE_POINTS, LOSE_PLACE, LOSE_TRUMP, LOSE_TRUMP_PLACE = 15, 1, 60, 10
END_WIN, END_WIN_OWN, END_WIN_HIS, END_PULL, END_RESERVE = 50, 10, 10, 150, 0
END_LOSE, END_LOSE_OWN, END_RUFF, END_LOSE_HIS = 0, 10, 20, 3
END_JACK_RISK, END_PLACE = 0, 1
TAKE_BASE, TAKE_POINTS, TAKE_TRUMP, TAKE_TRUMP_PLACE, TAKE_MASTER = 0, 10, 30, 5, 0
GIVE_POINTS, GIVE_PLACE, GIVE_TRUMP, GIVE_TRUMP_PLACE = 15, 1, 60, 10

_STARTS_3, _STARTS_4, _STARTS_5 = 0x3F3F3F3F, 0x1F1F1F1F, 0x0F0F0F0F
_RANK = 0x01010101
_JACK, _QUEEN, _ACE, _NINE = 4, 5, 7, 2


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
def trump_lead_cost(card: int) -> int:
    """Returns what leading a trump costs while cards are drawn (Maxim 3)."""
    if card & 7 == _JACK:
        return LEAD_JACK
    return LEAD_NINE if card & 7 == _NINE else LEAD_TRUMP


@inline
def trump_win_cost(card: int) -> int:
    """Returns what winning with a trump costs while cards are drawn (Maxim 3)."""
    if card & 7 == _JACK:
        return WIN_JACK
    return WIN_NINE if card & 7 == _NINE else WIN_TRUMP


@inline
def open_lead(card: int, trump: int, hand: int, theirs: int) -> int:
    """Returns the value of a lead in the talon phase (Maxims 3, 4)."""
    points = card_value(card, trump)
    place = place_of(card, trump)
    suit = LANE << (8 * (card >> 3))
    if card >> 3 == trump:
        return -trump_lead_cost(card) - LEAD_TRUMP_PLACE * place
    value = LEAD_LENGTH * popcount(hand & suit) + LEAD_THEIRS * popcount(theirs & suit)
    if higher_cards(card, trump) & theirs:
        return value - LEAD_RISK * points - LEAD_PLACE * place
    return value + LEAD_MASTER * points + LEAD_MASTER_BASE


@inline
def open_reply(card: int, led: int, trump: int) -> int:
    """Returns the value of a reply in the talon phase (Maxims 3, 4)."""
    points = card_value(card, trump)
    place = place_of(card, trump)
    is_trump = card >> 3 == trump
    if beats(led, card, trump):
        value = WIN_POINTS * (points + card_value(led, trump)) + WIN_BASE
        if is_trump:
            value -= trump_win_cost(card) + WIN_TRUMP_PLACE * place
        return value
    value = -LOSE_POINTS * points - LOSE_PLACE * place
    if is_trump:
        value -= LOSE_TRUMP + LOSE_TRUMP_PLACE * place
    return value


@inline
def cheapest(cards: int, trump: int) -> int:
    """Returns the least points among some cards, which are not none."""
    least = 99
    while cards != 0:
        points = card_value(lowest(cards), trump)
        cards &= cards - 1
        least = min(least, points)
    return least


@inline
def closed_lead(card: int, trump: int, theirs: int) -> int:
    """Returns the value of a lead against a known hand (Maxims 5–7)."""
    points = card_value(card, trump)
    suit = LANE << (8 * (card >> 3))
    trumps = theirs & (LANE << (8 * trump))
    higher = higher_cards(card, trump) & theirs
    is_trump = card >> 3 == trump
    if higher:
        return -END_LOSE - END_LOSE_OWN * points + END_LOSE_HIS * cheapest(higher, trump)
    value = END_WIN + END_WIN_OWN * points - END_PLACE * place_of(card, trump)
    if theirs & suit:
        value += END_WIN_HIS * cheapest(theirs & suit, trump)
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
    points = card_value(card, trump)
    place = place_of(card, trump)
    is_trump = card >> 3 == trump
    if beats(led, card, trump):
        value = TAKE_BASE + TAKE_POINTS * points + 10 * card_value(led, trump)
        if higher_cards(card, trump) & theirs == 0:
            value -= TAKE_MASTER
        if is_trump:
            value -= TAKE_TRUMP + TAKE_TRUMP_PLACE * place
        return value
    value = -GIVE_POINTS * points - GIVE_PLACE * place
    if is_trump:
        value -= GIVE_TRUMP + GIVE_TRUMP_PLACE * place
    return value


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
    couple = (3 << _QUEEN) << (8 * trump)
    if couple & ~(hand | missing) or hand & couple == couple:
        couple = 0
    best, most = lowest(cards), WORST
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        if closed:
            if replying:
                value = closed_reply(card, led, trump, theirs)
            else:
                value = closed_lead(card, trump, theirs)
        else:
            if replying:
                value = open_reply(card, led, trump)
            else:
                value = open_lead(card, trump, hand, theirs)
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

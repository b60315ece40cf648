"""Tetka: the rules of play (K1–K5, K10, K11), on the words of one deal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_member, random_subset
from terz_env.games.tetka.state import (
    ALL_CARDS,
    BEST_CARD,
    BEST_MASK,
    BEST_SEAT,
    COUNT,
    DEAL_OVER,
    DEALER,
    EPISODE_OVER,
    FORFEITED,
    HAND,
    ILLEGAL,
    LAST_TAKEN,
    LEADER,
    MARKS,
    MICRO_CARDS,
    MICRO_PHOTO,
    N_CARDS,
    N_TRICKS,
    PENALISE,
    PHOTO,
    PLAYED,
    QUEENS,
    RAISE,
    REVOKES,
    RUBBER,
    SCORE_BITS,
    SCORES,
    SUIT_CARDS,
    TABLE,
    TALLY,
    TRICK,
    TRICK_OF,
    VOIDS,
    State,
    counting_trick,
    get,
    is_deal_over,
    marks_of,
    score_of,
    seat_to_act,
    suit_of,
    tricks_of,
)
from terz_env.kernel import first_of, inline, popcount

RUBBER_TARGET = 21
FORFEIT_MARKS = 7


@inline
def start_deal(state: State, dealer: int, photo: int) -> None:
    """Clears the play of the last deal; hands, scores, mode, scope and deal number stay."""
    for word in range(PLAYED, TABLE):
        state[word] = 0
    kept = state[TABLE] & ((15 << N_TRICKS) | (3 << ILLEGAL) | (1 << RUBBER))
    leader = (dealer + 1) & 3  # (Rule K3)
    state[TABLE] = kept | (dealer << DEALER) | (photo << PHOTO) | (leader << LEADER)
    state[TALLY] = 0


@inline
def deal_cards(state: State, stream: NDArray[np.uint64]) -> int:
    """Deals the hands (Rule K1) and returns the photo, a card of a second pack (Rule K2)."""
    if get(state, TABLE, N_TRICKS, 15) == 2:
        cards, size, photo = MICRO_CARDS, 2, MICRO_PHOTO
    else:
        cards, size = ALL_CARDS, 13
        photo = random_member(ALL_CARDS, stream)
    half = random_subset(cards, 2 * size, stream)
    state[HAND] = random_subset(half, size, stream)
    state[HAND + 1] = half & ~state[HAND]
    rest = cards & ~half
    state[HAND + 2] = random_subset(rest, size, stream)
    state[HAND + 3] = rest & ~state[HAND + 2]
    return photo


@inline
def legal_actions(state: State) -> int:
    """Returns the cards that the seat to act may play: it follows suit if able (Rule K3)."""
    if is_deal_over(state):
        return 0
    table = state[TABLE]
    hand = state[HAND + seat_to_act(state)]
    led = SUIT_CARDS << (13 * suit_of(table & 63))
    leading = (((table >> COUNT) & 3) - 1) >> 63
    return first_of(hand & (led | leading), hand)


@inline
def is_legal(state: State, action: int) -> int:
    """Tells whether an action is lawful for the seat to act."""
    if action < 0 or action >= N_CARDS:
        return 0
    return (legal_actions(state) >> action) & 1


@inline
def play(state: State, card: int) -> None:
    """Plays a card of the hand of the seat to act, takes the trick and ends the deal."""
    table = state[TABLE]
    count = (table >> COUNT) & 3
    seat = ((table >> LEADER) + count) & 3
    suit = suit_of(card)
    bit = 1 << card
    state[HAND + seat] ^= bit
    state[PLAYED + seat] |= bit
    trick = (table >> TRICK) & 15
    state[TRICK_OF + suit] |= trick << (4 * (card - 13 * suit))
    if count == 0:
        table = (table & ~(((1 << 24) - 1) | BEST_MASK)) | card
        table |= (seat << BEST_SEAT) | (card << BEST_CARD) | (1 << COUNT)
        state[TABLE] = table
        return
    table |= card << (6 * count)
    best = (table >> BEST_CARD) & 63
    led = suit_of(best)
    follows = 1 if suit == led else 0
    winning = follows & (1 if card > best else 0)
    new_best = (seat << BEST_SEAT) | (card << BEST_CARD)
    table ^= (table ^ new_best) & BEST_MASK & -winning
    noted = 0 if (table >> ILLEGAL) & 3 == PENALISE else 1 - follows
    state[PLAYED + seat] |= noted << (VOIDS + led)
    if count < 3:
        state[TABLE] = table + (1 << COUNT)
        return
    state[TABLE] = table
    take_trick(state)


@inline
def take_trick(state: State) -> None:
    """Gives the full trick and its marks to its winner, who leads next (Rules K3, K4)."""
    table = state[TABLE]
    winner = (table >> BEST_SEAT) & 3
    trick = (table >> TRICK) & 15
    cards = (1 << (table & 63)) | (1 << ((table >> 6) & 63))
    cards |= (1 << ((table >> 12) & 63)) | (1 << ((table >> 18) & 63))
    marks = popcount(cards & QUEENS) + ((cards >> ((table >> PHOTO) & 63)) & 1)
    if trick + 1 == counting_trick(state):
        marks += 1
    tally = state[TALLY] + (1 << (4 * winner)) + (marks << (MARKS + 4 * winner))
    last = LAST_TAKEN + 4 * winner
    state[TALLY] = (tally & ~(15 << last)) | ((trick + 1) << last)
    table = table & ~((3 << COUNT) | (3 << LEADER))
    state[TABLE] = (table | (winner << LEADER)) + (1 << TRICK)
    if trick + 1 == (table >> N_TRICKS) & 15:
        winner = most_tricks(state)
        state[TALLY] += 1 << (MARKS + 4 * winner)
        end_deal(state)


@inline
def most_tricks(state: State) -> int:
    """Returns the seat with the most tricks, revokes counted (Rules K5, K10).

    Among the tied the one whose own last trick came latest; where none of them has taken a trick,
    the first from the dealer's left.
    """
    revokes = 0
    for seat in range(4):
        revokes += (state[PLAYED + seat] >> REVOKES) & 15
    dealer = get(state, TABLE, DEALER, 3)
    best, best_count, best_last = 0, -1000, -1
    for step in range(1, 5):
        seat = (dealer + step) & 3
        own = (state[PLAYED + seat] >> REVOKES) & 15
        count = tricks_of(state, seat) + 4 * own - revokes
        last = get(state, TALLY, LAST_TAKEN + 4 * seat, 15)
        if count > best_count or (count == best_count and last > best_last):
            best, best_count, best_last = seat, count, last
    return best


@inline
def end_deal(state: State) -> None:
    """Adds the marks to the scores; a rubber is over at 21 marks or more (Rule K6)."""
    over = 1 - get(state, TABLE, RUBBER, 1)
    for seat in range(4):
        state[SCORES] += marks_of(state, seat) << (SCORE_BITS * seat)
        if score_of(state, seat) >= RUBBER_TARGET:
            over = 1
    state[TABLE] |= (1 << DEAL_OVER) | (over << EPISODE_OVER)


@inline
def forfeit(state: State) -> None:
    """Gives the seat to act all seven marks and ends the deal (Rule K11)."""
    seat = seat_to_act(state)
    state[TALLY] &= ~(((1 << 16) - 1) << MARKS)
    state[TALLY] |= FORFEIT_MARKS << (MARKS + 4 * seat)
    state[TABLE] |= 1 << FORFEITED
    end_deal(state)


@inline
def step(state: State, action: int) -> int:
    """Plays an action; returns 0, or -1 with nothing changed where `raise` refuses it.

    Other modes adjudicate what is illegal: a card of the hand that breaks K3 is a revoke under
    `penalise` (Rule K10), anything else forfeits (Rule K11).
    """
    if is_deal_over(state):
        return -1
    if is_legal(state, action):
        play(state, action)
        return 0
    mode = get(state, TABLE, ILLEGAL, 3)
    if mode == RAISE:
        return -1
    seat = seat_to_act(state)
    if mode == PENALISE and 0 <= action < N_CARDS and (state[HAND + seat] >> action) & 1:
        state[PLAYED + seat] += 1 << REVOKES
        play(state, action)
    else:
        forfeit(state)
    return 0


@inline
def result(state: State, seat: int) -> int:
    """Returns what a seat receives: the settlement of the deal or of the rubber (Rule K7)."""
    total = 0
    rubber = get(state, TABLE, RUBBER, 1)
    for other in range(4):
        total += score_of(state, other) if rubber else marks_of(state, other)
    return total - 4 * (score_of(state, seat) if rubber else marks_of(state, seat))


@inline
def standing(state: State, seat: int) -> float:
    """Returns what a seat would receive if the marks given so far were settled now (Rule K7)."""
    total, own = 0, 0
    for other in range(4):
        marks = marks_of(state, other)
        if get(state, TABLE, RUBBER, 1):
            marks = score_of(state, other) + (0 if is_deal_over(state) else marks)
        total += marks
        if other == seat:
            own = marks
    return float(total - 4 * own)


@inline
def next_dealer(state: State) -> int:
    """Returns the dealer of the next deal of a rubber: the left neighbour (Rule K1)."""
    return (get(state, TABLE, DEALER, 3) + 1) & 3

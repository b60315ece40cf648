"""Terz: what an action does (T4–T28), on the words of one deal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from terz_env.dealing import random_member, random_subset
from terz_env.games.terz.melds import (
    four_strength,
    four_value,
    fours_held,
    holds_meld,
    marriage_cards,
    meld_cards,
    run_action,
    run_can_score,
    run_cards,
    run_length,
    run_strength,
    run_top,
    run_tops,
    run_value,
    strongest_meld,
)
from terz_env.games.terz.scoring import deal_points, end_deal, has_reached, win_match
from terz_env.games.terz.state import (
    ALL_CARDS,
    ALL_TRICKS,
    ANNOUNCED,
    BEATEN,
    BLOCKING,
    BREAK,
    BREAK_CHOICE,
    BREAK_PENDING,
    BREAK_SIZE,
    CARD_POINTS,
    DEAL_OVER,
    DEALER,
    DEDUCTIONS,
    EPISODE_OVER,
    EVENT,
    EVENT_LENGTH,
    EVENT_OUTCOME,
    EVENT_POINTS,
    EVENT_SCORED,
    EVENT_SEAT,
    EVENT_SHOWN,
    EVENT_TOP,
    EVENT_TRUMP,
    FALSE_ANNOUNCED,
    FORFEITED,
    FOUR,
    FULL_GAME,
    GROWTH,
    HAND,
    HAS_LED,
    ILLEGAL,
    KNOWN,
    LEADER,
    LED,
    LEGAL,
    MARRIAGE,
    MATCH,
    MELD_POINTS,
    MICRO_CARDS,
    MINI_CARDS,
    N_ACTIONS,
    OFFENDER,
    OUTCOME_BEATEN,
    OUTCOME_FALSE,
    OUTCOME_SCORED,
    PLAYED,
    POINTS,
    RAISES,
    RULES,
    RUN,
    SCORED,
    SCORED_FOURS,
    SCORED_MARRIAGE,
    SCORES,
    SEVEN,
    SEVEN_MIN,
    TABLE,
    TALON,
    TALON_TRICKS,
    TARGET_ANNOUNCE,
    TRICK,
    TRUMP_CARD,
    WIDE,
    WINNER,
    State,
    get,
    is_deal_over,
    seat_to_act,
    set_field,
    talon_size,
    trick_number,
    trump_suit,
)
from terz_env.games.terz.tricks import LAST_TRICK_POINTS, beats, card_value, legal_cards
from terz_env.kernel import inline, lowest

RAISE, PENALISE = 0, 2
LAST_ANNOUNCING_TRICK = 8
AUTO_BREAK = 2
MARRIAGE_VALUE = 20
LEAST_RUN_VALUE = 20
_TALON_WORD = 7


@inline
def talon_card(state: State, place: int) -> int:
    """Returns the card drawn as number `place`, from 0."""
    word = place // _TALON_WORD
    return get(state, TALON + word, 5 * (place - _TALON_WORD * word), 31)


@inline
def set_talon_card(state: State, place: int, card: int) -> None:
    """Puts a card into the order of drawing."""
    word = place // _TALON_WORD
    set_field(state, TALON + word, 5 * (place - _TALON_WORD * word), 31, card)


@inline
def start_deal(state: State, dealer: int) -> None:
    """Clears the last deal's play; hands, talon, scores, raises and rules stay (Rules T4, T5)."""
    for word in range(PLAYED, TALON):
        state[word] = 0
    place = 2 * get(state, RULES, TALON_TRICKS, 15) - 1
    state[TABLE] = (dealer << DEALER) | ((1 - dealer) << LEADER)
    state[TABLE] |= talon_card(state, place) << TRUMP_CARD
    state[ANNOUNCED] = 0
    state[POINTS] = 0
    state[POINTS + 1] = 0
    state[EVENT] = 0
    refresh_legal(state)


@inline
def deal_cards(state: State, stream: NDArray[np.uint64]) -> None:
    """Deals the hands and lays the talon, the trump card last (Rule T4, M1, M2)."""
    talon = 2 * get(state, RULES, TALON_TRICKS, 15)
    cards, size = ALL_CARDS, 9
    if not get(state, RULES, FULL_GAME, 1):
        cards, size = MINI_CARDS if talon == 4 else MICRO_CARDS, 2
    state[HAND] = random_subset(cards, size, stream)
    cards &= ~state[HAND]
    state[HAND + 1] = random_subset(cards, size, stream)
    cards &= ~state[HAND + 1]
    state[TALON] = 0
    state[TALON + 1] = 0
    for place in range(talon):
        card = random_member(cards, stream)
        cards &= ~(1 << card)
        set_talon_card(state, place, card)


@inline
def refresh_legal(state: State) -> None:
    """Computes the legal actions below the breaks and keeps them in the state."""
    if is_deal_over(state) or get(state, TABLE, BREAK_PENDING, 1):
        state[LEGAL] = 0
        return
    seat = seat_to_act(state)
    hand = state[HAND + seat]
    trump = trump_suit(state)
    legal = legal_cards(state)
    scored = state[SCORED + seat]
    names = 0
    if trick_number(state) < LAST_ANNOUNCING_TRICK and get(state, RULES, FULL_GAME, 1):
        names = (fours_held(hand) & ~(scored >> SCORED_FOURS)) << FOUR
        growth = get(state, RULES, GROWTH, 1)
        tops = run_tops(hand)
        while tops != 0:
            top = lowest(tops)
            tops &= tops - 1
            if run_can_score(run_cards(hand, top), scored, growth):
                names |= 1 << run_action(top)
    pair = marriage_cards(trump)
    if hand & pair == pair and not (scored >> SCORED_MARRIAGE) & 1:
        names |= 1 << MARRIAGE
    legal |= names & ~state[ANNOUNCED]
    if (hand >> (8 * trump)) & 1 and talon_size(state) >= get(state, RULES, SEVEN_MIN, 7):
        legal |= 1 << SEVEN
    state[LEGAL] = legal


@inline
def is_legal(state: State, action: int) -> int:
    """Tells whether an action is lawful for the seat to act."""
    if action < 0 or action >= N_ACTIONS:
        return 0
    if get(state, TABLE, BREAK_PENDING, 1):
        return 1 if action >= BREAK else 0
    return (state[LEGAL] >> action) & 1 if action < BREAK else 0


@inline
def step(state: State, action: int) -> int:
    """Plays an action; returns 0, or -1 with nothing changed where `raise` refuses it.

    The other modes adjudicate what is illegal: a false announcement under `penalise` (Rule T27),
    else a forfeit (Rule T28).
    """
    if is_deal_over(state):
        return -1
    if is_legal(state, action):
        state[EVENT] = 0
        if action < RUN:
            play(state, action)
        elif action < SEVEN:
            announce(state, action)
        elif action == SEVEN:
            exchange(state)
        else:
            break_deck(state, action - BREAK + 1)
            draw(state)
        refresh_legal(state)
        return 0
    mode = get(state, RULES, ILLEGAL, 3)
    if mode == RAISE:
        return -1
    state[EVENT] = 0
    if mode == PENALISE and is_false_announcement(state, action):
        announce_falsely(state, action)
    else:
        forfeit(state)
    refresh_legal(state)
    return 0


@inline
def play(state: State, card: int) -> None:
    """Plays a card of the hand of the seat to act and completes the trick."""
    seat = seat_to_act(state)
    bit = 1 << card
    state[HAND + seat] &= ~bit
    state[KNOWN + seat] &= ~bit
    state[PLAYED + seat] |= bit
    state[ANNOUNCED] = 0
    table = state[TABLE] & ~(1 << FALSE_ANNOUNCED)
    if not (table >> HAS_LED) & 1:
        state[TABLE] = (table & ~31) | (card << LED) | (1 << HAS_LED)
        return
    led = table & 31
    trump = trump_suit(state)
    winner = seat if beats(led, card, trump) else 1 - seat
    points = card_value(led, trump) + card_value(card, trump)
    table &= ~((1 << HAS_LED) | (1 << LEADER))
    state[TABLE] = (table | (winner << LEADER)) + (1 << TRICK)
    done = trick_number(state)
    if done == get(state, RULES, ALL_TRICKS, 31):
        state[POINTS + winner] += (points + LAST_TRICK_POINTS) << CARD_POINTS
        end_deal(state)
        return
    state[POINTS + winner] += points << CARD_POINTS
    if done == 1 and get(state, RULES, FULL_GAME, 1):
        if get(state, RULES, BREAK_CHOICE, 1):
            state[TABLE] |= 1 << BREAK_PENDING
            return
        break_deck(state, AUTO_BREAK)
    if done <= get(state, RULES, TALON_TRICKS, 15):
        draw(state)


@inline
def draw(state: State) -> None:
    """Draws a card each, the winner first; the trump card goes last and is public (Rule T7)."""
    done = trick_number(state)
    winner = get(state, TABLE, LEADER, 1)
    state[HAND + winner] |= 1 << talon_card(state, 2 * done - 2)
    last = 1 << talon_card(state, 2 * done - 1)
    state[HAND + 1 - winner] |= last
    if done == get(state, RULES, TALON_TRICKS, 15):
        state[KNOWN + 1 - winner] |= last


@inline
def break_deck(state: State, size: int) -> None:
    """Moves the top cards to the bottom and turns the order of drawing (Rule T8).

    With face-down cards c1 … c13 the order of drawing is ck … c1, c13 … ck+1.
    """
    low, high = state[TALON], state[TALON + 1]
    for place in range(13):
        source = size - 1 - place if place < size else 12 - (place - size)
        word = low if source < _TALON_WORD else high
        shift = 5 * (source if source < _TALON_WORD else source - _TALON_WORD)
        set_talon_card(state, place, (word >> shift) & 31)
    state[TABLE] &= ~(1 << BREAK_PENDING)
    state[TABLE] |= size << BREAK_SIZE


@inline
def exchange(state: State) -> None:
    """Exchanges the trump seven for the trump card, in public (Rule T13)."""
    seat = seat_to_act(state)
    gained = get(state, TABLE, TRUMP_CARD, 31)
    seven = 8 * trump_suit(state)
    state[HAND + seat] ^= (1 << seven) | (1 << gained)
    state[KNOWN + seat] = (state[KNOWN + seat] & ~(1 << seven)) | (1 << gained)
    set_talon_card(state, 13, seven)
    set_field(state, TABLE, TRUMP_CARD, 31, seven)


@inline
def record_meld(state: State, seat: int, action: int) -> int:
    """Scores and shows a meld; ends the match at the target (Rules T14, T20–T22, T24)."""
    trump = trump_suit(state)
    cards = meld_cards(state[HAND + seat], action, trump)
    if action < FOUR:
        state[SCORED + seat] |= cards
        value = run_value(run_length(state[HAND + seat], run_top(action)))
    elif action < MARRIAGE:
        state[SCORED + seat] |= 1 << (SCORED_FOURS + action - FOUR)
        value = four_value(action)
    else:
        state[SCORED + seat] |= 1 << SCORED_MARRIAGE
        value = MARRIAGE_VALUE
    state[KNOWN + seat] |= cards
    state[POINTS + seat] += value << MELD_POINTS
    state[SCORES + seat] += value
    if has_reached(state, seat, TARGET_ANNOUNCE):
        win_match(state, seat)
    return value


@inline
def announce(state: State, action: int) -> None:
    """Announces a meld: the contest, who records, and what becomes public (Rules T18–T22)."""
    seat = seat_to_act(state)
    other = 1 - seat
    state[ANNOUNCED] |= 1 << action
    event = action | (seat << EVENT_SEAT)
    if action == MARRIAGE:
        value = record_meld(state, seat, action)
        event |= (OUTCOME_SCORED << EVENT_OUTCOME) | ((action + 1) << EVENT_SHOWN)
        event |= ((2 | seat) << EVENT_SCORED) | (value << EVENT_POINTS)
        state[EVENT] = event
        return
    hand = state[HAND + seat]
    trump = trump_suit(state)
    length = 0
    if action < FOUR:
        length = run_length(hand, run_top(action))
        strength = run_strength(length, run_top(action), trump)
    else:
        strength = four_strength(action)
    event |= length << EVENT_LENGTH
    growth = get(state, RULES, GROWTH, 1)
    only_unscored = get(state, RULES, BLOCKING, 1)
    rival = state[HAND + other]
    blocker = strongest_meld(rival, state[SCORED + other], only_unscored, growth, trump)
    if blocker >> 7 <= strength:
        value = record_meld(state, seat, action)
        event |= (OUTCOME_SCORED << EVENT_OUTCOME) | ((action + 1) << EVENT_SHOWN)
        event |= ((2 | seat) << EVENT_SCORED) | (value << EVENT_POINTS)
        state[EVENT] = event
        return
    state[PLAYED + seat] |= 1 << (BEATEN + (6 if length == 0 else length - 3))
    shown = blocker & 127
    scoring = strongest_meld(rival, state[SCORED + other], 1, growth, trump)
    if scoring >> 7 > strength:
        shown = scoring & 127
        value = record_meld(state, other, shown)
        event |= ((2 | other) << EVENT_SCORED) | (value << EVENT_POINTS)
    else:
        state[KNOWN + other] |= meld_cards(rival, shown, trump)
    if action >= FOUR and shown >= FOUR:
        event |= 1 << EVENT_TOP
    elif action < FOUR and shown < FOUR and run_length(rival, run_top(shown)) == length:
        event |= 1 << EVENT_TOP
        if run_top(shown) & 7 == run_top(action) & 7:
            event |= 1 << EVENT_TRUMP
    state[EVENT] = event | (OUTCOME_BEATEN << EVENT_OUTCOME) | ((shown + 1) << EVENT_SHOWN)


@inline
def is_false_announcement(state: State, action: int) -> int:
    """Tells whether an illegal action is a first false announcement of the turn (Rule T27)."""
    if action < RUN or action >= SEVEN or get(state, TABLE, BREAK_PENDING, 1):
        return 0
    if get(state, TABLE, FALSE_ANNOUNCED, 1):
        return 0
    return 1 - holds_meld(state[HAND + seat_to_act(state)], action, trump_suit(state))


@inline
def announce_falsely(state: State, action: int) -> None:
    """Charges a false announcement: a raise in a match, else a deduction (Rule T27)."""
    seat = seat_to_act(state)
    value = LEAST_RUN_VALUE
    if FOUR <= action < MARRIAGE:
        value = four_value(action)
    state[ANNOUNCED] |= 1 << action
    state[TABLE] |= 1 << FALSE_ANNOUNCED
    if get(state, RULES, MATCH, 1):
        state[RAISES + seat] += value
    else:
        state[POINTS + seat] += value << DEDUCTIONS
        state[SCORES + seat] -= value
    event = action | (seat << EVENT_SEAT) | (OUTCOME_FALSE << EVENT_OUTCOME)
    state[EVENT] = event | (value << EVENT_POINTS)


@inline
def forfeit(state: State) -> None:
    """Ends the deal or the match against the seat to act (Rule T28)."""
    seat = seat_to_act(state)
    state[TABLE] |= (1 << FORFEITED) | (seat << OFFENDER)
    if get(state, RULES, MATCH, 1):
        win_match(state, 1 - seat)
        return
    state[TABLE] |= (1 << DEAL_OVER) | (1 << EPISODE_OVER)
    melds = get(state, POINTS + seat, MELD_POINTS, WIDE)
    state[SCORES + seat] -= melds
    state[SCORES + 1 - seat] += 150


@inline
def result(state: State, seat: int) -> int:
    """Returns what a seat receives: the difference of the deal's points, or ±1 for a match."""
    if get(state, RULES, MATCH, 1):
        return win_sign(state, seat)
    return deal_points(state, seat) - deal_points(state, 1 - seat)


@inline
def win_sign(state: State, seat: int) -> int:
    """Returns 1 for the winner of a match, -1 for the loser."""
    return 1 if get(state, TABLE, WINNER, 1) == seat else -1


@inline
def next_dealer(state: State) -> int:
    """Returns the dealer of the next deal: the winner of the last trick (Rule T25)."""
    return get(state, TABLE, LEADER, 1)

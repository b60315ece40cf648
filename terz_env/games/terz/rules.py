"""Terz: what is lawful and what an action does (T5–T13, T18, T25, T28)."""

from __future__ import annotations

from terz_env.games.terz.announcing import announce, announce_falsely, is_false_announcement
from terz_env.games.terz.melds import (
    fours_held,
    marriage_cards,
    run_action,
    run_can_score,
    run_cards,
    run_tops,
)
from terz_env.games.terz.scoring import end_deal, win_match
from terz_env.games.terz.state import (
    ALL_TRICKS,
    ANNOUNCED,
    ANY_BREAK,
    BREAK,
    BREAK_CHOICE,
    BREAK_PENDING,
    CARD_POINTS,
    DEAL_OVER,
    DEALER,
    EPISODE_OVER,
    EVENT,
    FALSE_ANNOUNCED,
    FORFEITED,
    FOUR,
    FULL_GAME,
    GROWTH,
    HAND,
    HAS_LAST,
    HAS_LED,
    ILLEGAL,
    KNOWN,
    LAST_LEADER,
    LAST_LED,
    LAST_REPLY,
    LAST_TRICK_MASK,
    LEADER,
    LED,
    LEGAL,
    MARRIAGE,
    MATCH,
    MELD_POINTS,
    N_ACTIONS,
    OFFENDER,
    PLAYED,
    POINTS,
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
    TRICK,
    TRUMP_CARD,
    WIDE,
    State,
    get,
    is_deal_over,
    seat_to_act,
    talon_size,
    trick_number,
    trump_suit,
)
from terz_env.games.terz.talon import break_deck, draw, exchange, talon_card
from terz_env.games.terz.tricks import LAST_TRICK_POINTS, beats, card_value, legal_cards
from terz_env.kernel import inline, lowest

RAISE, PENALISE = 0, 2
LAST_ANNOUNCING_TRICK = 8
AUTO_BREAK = 2


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
def refresh_legal(state: State) -> None:
    """Computes the legal actions and keeps them in the state; one bit stands for all breaks."""
    if is_deal_over(state):
        state[LEGAL] = 0
        return
    if get(state, TABLE, BREAK_PENDING, 1):
        state[LEGAL] = 1 << ANY_BREAK
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
def legal_actions(state: State) -> int:
    """Returns the legal actions of the seat to act as a set; bit 62 stands for every break."""
    return state[LEGAL]


@inline
def is_legal(state: State, action: int) -> int:
    """Tells whether an action is lawful for the seat to act."""
    if action < 0 or action >= N_ACTIONS:
        return 0
    return (state[LEGAL] >> (action if action < ANY_BREAK else ANY_BREAK)) & 1


@inline
def step(state: State, action: int) -> int:
    """Plays an action; returns 0, or -1 with nothing changed where `raise` refuses it.

    The other modes adjudicate what is illegal: a false announcement under `penalise` (Rule T27),
    else a forfeit (Rule T28).
    """
    if is_deal_over(state):
        return -1
    if is_legal(state, action):
        play_lawful(state, action)
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
def play_lawful(state: State, action: int) -> None:
    """Plays a lawful action of the seat to act."""
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
    leader = (table >> LEADER) & 1
    table &= ~((1 << HAS_LED) | (1 << LEADER) | (LAST_TRICK_MASK << LAST_LED))
    table |= (led << LAST_LED) | (card << LAST_REPLY) | (1 << HAS_LAST) | (leader << LAST_LEADER)
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
def next_dealer(state: State) -> int:
    """Returns the dealer of the next deal: the winner of the last trick (Rule T25)."""
    return get(state, TABLE, LEADER, 1)

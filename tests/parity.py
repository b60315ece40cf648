"""Drives the engine and the slow reference with the same actions and compares every step."""

from __future__ import annotations

import os
import random
from typing import Any

from terz_env.games.terz.variant import TerzRules
from terz_env.state import State
from tests.reference.terz import TerzReference, TerzSmallReference
from tests.reference.tetka import TetkaMicroReference, TetkaReference

DEALS = int(os.environ.get("TERZ_PARITY_DEALS", "500"))
ILLEGAL_SHARE = 0.03
AUTO_BREAK = "break:2"


def random_terz_rules(chooser: random.Random) -> dict[str, Any]:
    """Returns a random value of every option."""
    rules: dict[str, Any] = {
        name: chooser.choice(values) for name, values in TerzRules.CHOICES.items()
    }
    rules["target_settle"] = chooser.choice([501, 300, 510])
    rules["target_announce"] = min(chooser.choice([500, 501, 300]), rules["target_settle"])
    return rules


def talon_of(state: State) -> list[str]:
    """Returns the face-down talon of a freshly dealt Terz state, top to bottom."""
    words = [int(state.words[8]), int(state.words[9])]
    numbers = [words[place // 7] >> 5 * (place % 7) & 31 for place in range(14)]
    return [state.game.deck.names[number] for number in numbers]


def choose(state: State, mode: str, chooser: random.Random) -> str:
    """Returns a random action: lawful, or now and then any at all where that is adjudicated."""
    if mode != "raise" and chooser.random() < ILLEGAL_SHARE:
        return chooser.choice([*state.game.actions, "invalid"])
    return chooser.choice(state.legal_names())


def compare_terz(state: State, slow: TerzReference, before: dict[str, Any]) -> None:
    """Compares everything that both know of the position."""
    assert state.deal_is_over == slow.deal_over, before
    assert state.raises == list(slow.raises), before
    for seat in range(2):
        known = state.game.deck.members(int(state.words[4 + seat]))
        assert set(known) == slow.known(seat), before
    if slow.deal_over:
        assert state.scores == list(slow.scores), before
        assert state.is_over == (slow.match_over or state.scope == "deal"), before
        assert state.winner == slow.winner, before
        return
    assert state.seat_to_act == slow.to_act, before
    assert state.legal_names() == sorted(slow.legal(), key=state.game.actions.index), before


def compare_events(state: State, events: list[dict[str, Any]], before: dict[str, Any]) -> None:
    """Compares what the last announcement made public with the reference's event."""
    word = int(state.words[20])
    told = [event for event in events if event["type"] == "announcement"]
    if not told:
        assert word == 0, before
        return
    event = told[0]
    outcome = ("", "scored", "beaten", "false")[word >> 8 & 3]
    assert (outcome, word >> 7 & 1) == (event["outcome"], event["player"]), before
    assert (word >> 23 & 1023) == event["points"], before
    scorer = word >> 21 & 1 if word >> 22 & 1 else None
    assert scorer == event["scorer"], before
    if outcome == "beaten":
        assert (word >> 33 & 1 == 1) == (event["top"] is not None), before
        assert (word >> 34 & 1 == 1) == (event["trump"] is not None), before
        assert (word >> 10 & 15) == (event["length"] or 0), before


def play_terz(seed: int) -> None:
    """Plays one random deal or match of Terz under random rules through both."""
    chooser = random.Random(seed)
    rules = random_terz_rules(chooser)
    scope = chooser.choice(["deal"] * 9 + ["match"])
    state = State.new("terz", rules, scope=scope, seed=seed)
    talon = talon_of(state)
    hands = [state.hand(seat) for seat in range(2)]
    slow = TerzReference(rules, scope, state.dealer, hands, talon[13], talon[:13])
    history: list[str] = []
    before = {"seed": seed, "rules": rules, "scope": scope, "actions": history}
    while True:
        compare_terz(state, slow, before)
        if state.is_over:
            return
        if state.deal_is_over:
            state.next_deal(seed=seed)
            talon = talon_of(state)
            hands = [state.hand(seat) for seat in range(2)]
            slow.next_deal(hands, talon[13], talon[:13])
            assert slow.to_act == state.seat_to_act, before
            continue
        action = choose(state, str(rules["illegal_actions"]), chooser)
        history.append(action)
        state.apply(action)
        compare_events(state, slow.apply(action), before)


def play_tetka(seed: int) -> None:
    """Plays one random deal or rubber of Tetka under a random mode through both."""
    chooser = random.Random(seed)
    mode = chooser.choice(["raise", "forfeit", "penalise"])
    scope = chooser.choice(["deal"] * 9 + ["rubber"])
    rules = {"illegal_actions": mode}
    state = State.new("tetka", rules, scope=scope, seed=seed)
    hands = [state.hand(seat) for seat in range(4)]
    slow = TetkaReference(rules, scope, state.dealer, hands, photo_of(state))
    before = {"seed": seed, "rules": rules, "scope": scope}
    while True:
        assert state.deal_is_over == slow.deal_over, before
        assert state.marks == list(slow.marks), before
        assert state.trick_counts == list(slow.trick_counts), before
        for seat in range(4):
            voids = {
                "SCDH"[suit] for suit in range(4) if int(state.words[4 + seat]) >> 52 + suit & 1
            }
            assert voids == slow.public_voids(seat), before
        if state.deal_is_over:
            assert state.scores == list(slow.scores), before
            assert state.is_over == (slow.rubber_over or scope == "deal"), before
        if state.is_over:
            settled = sum(state.scores)
            assert slow.settlement == [settled - 4 * score for score in state.scores], before
            return
        if state.deal_is_over:
            state.next_deal(seed=seed)
            slow.next_deal([state.hand(seat) for seat in range(4)], photo_of(state))
            continue
        assert state.seat_to_act == slow.to_act, before
        assert state.legal_names() == sorted(slow.legal(), key=state.game.actions.index), before
        action = chooser.choice(state.legal_names())
        if mode != "raise" and chooser.random() < ILLEGAL_SHARE:
            held = state.hand(state.seat_to_act)
            action = chooser.choice([*held, *held, *state.game.actions[:2], "invalid"])
        state.apply(action)
        slow.apply(action)


def photo_of(state: State) -> str:
    """Returns the photo of a Tetka state."""
    return state.game.deck.names[int(state.words[12]) >> 42 & 63]


def play_terz_small(name: str, seed: int) -> None:
    """Plays one random deal of Terz-mini or Terz-micro through both."""
    chooser = random.Random(seed)
    state = State.new(name, seed=seed)
    talon = talon_of(state)[: state.game.talon_size]
    slow = TerzSmallReference(state.dealer, [state.hand(0), state.hand(1)], talon)
    before = {"seed": seed, "game": name}
    while not state.is_over:
        compare_terz(state, slow, before)
        action = chooser.choice(state.legal_names())
        state.apply(action)
        slow.apply(action)
    assert slow.deal_over, before
    assert state.scores == list(slow.scores), before


def play_tetka_micro(seed: int) -> None:
    """Plays one random deal of Tetka-micro through both."""
    chooser = random.Random(seed)
    state = State.new("tetka_micro", seed=seed)
    slow = TetkaMicroReference(state.dealer, [state.hand(seat) for seat in range(4)])
    while not state.is_over:
        assert state.seat_to_act == slow.to_act, seed
        assert state.legal_names() == sorted(slow.legal(), key=state.game.actions.index), seed
        action = chooser.choice(state.legal_names())
        state.apply(action)
        slow.apply(action)
    assert slow.deal_over, seed
    assert state.marks == list(slow.marks), seed

"""Positions: copies, identity, bytes, refusals."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from terz_env.errors import IllegalActionError, PositionError, RuleSetError, UnknownGameError
from terz_env.games import NAMES
from terz_env.state import Deal, State
from tests.parity import photo_of, talon_of


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.rule("M1", "M2", "M3")
def test_a_position_survives_copies_at_every_ply(name: str) -> None:
    chooser = random.Random(1)
    for seed in range(5):
        state = State.new(name, seed=seed)
        while not state.is_over:
            assert state.clone() == state
            assert hash(state.clone()) == hash(state)
            assert pickle.loads(pickle.dumps(state)) == state
            assert State.from_bytes(name, state.to_bytes()) == state
            before = state.clone()
            action = chooser.choice(state.legal_actions())
            state.apply(action)
            assert state != before
            state.undo()
            assert state == before
            state.apply(action)
        assert sum(state.returns()) == 0
        assert state.legal_actions() == []


@pytest.mark.parametrize("name", NAMES)
def test_the_points_or_marks_of_a_deal_add_up(name: str) -> None:
    totals = {"terz": 150, "tetka": 7, "tetka_micro": 5, "terz_mini": 63, "terz_micro": 42}
    for seed in range(20):
        state = State.new(name, seed=seed)
        chooser = random.Random(seed)
        while not state.is_over:
            state.apply(chooser.choice(state.legal_actions()))
        counted = state.marks if state.game.family == "tetka" else state.card_points
        assert sum(counted) == totals[name]


def test_an_illegal_action_changes_nothing_and_names_the_legal_ones() -> None:
    for name in NAMES:
        state = State.new(name)
        before = state.to_bytes()
        lawful = state.legal_actions()
        wrong = [a for a in range(-2, state.game.n_actions + 2) if a not in lawful]
        for action in [*wrong, "no such action", 1.5, float("nan"), None, True, np.float32(1)]:
            with pytest.raises(IllegalActionError):
                state.apply(action)  # type: ignore[arg-type]
            assert state.to_bytes() == before


@pytest.mark.rule("T4")
def test_a_given_deal_is_played_as_given() -> None:
    source = State.new("terz", seed=3)
    talon = talon_of(source)
    hands = [source.hand(0), source.hand(1)]
    deal = Deal(source.dealer, hands, trump_card=talon[13], talon=talon[:13])
    copy = State.from_deal("terz", deal)
    assert copy.to_bytes()[:144] == source.to_bytes()[:144]


@pytest.mark.rule("K2")
def test_a_given_tetka_deal_is_played_as_given() -> None:
    source = State.new("tetka", seed=3)
    hands = [source.hand(seat) for seat in range(4)]
    copy = State.from_deal("tetka", Deal(source.dealer, hands, photo=photo_of(source)))
    assert copy == source


def test_impossible_deals_are_refused_with_the_reason() -> None:
    source = State.new("terz", seed=3)
    talon = talon_of(source)
    hands = [source.hand(0), source.hand(1)]
    twice = [[*hands[0][:8], hands[1][0]], hands[1]]
    ten = [[*hands[0], talon[0]], hands[1]]
    for bad, reason in ((twice, "twice"), (ten, "10 cards"), (hands[:1], "hands")):
        with pytest.raises(PositionError, match=reason):
            State.from_deal("terz", Deal(0, bad, trump_card=talon[13], talon=talon[:13]))
    with pytest.raises(PositionError, match="talon"):
        State.from_deal("terz", Deal(0, hands, trump_card=talon[13], talon=talon[:12]))
    with pytest.raises(PositionError, match="seat 2"):
        State.from_deal("terz", Deal(2, hands, trump_card=talon[13], talon=talon[:13]))
    with pytest.raises(PositionError, match="1Z"):
        State.from_deal(
            "terz",
            Deal(0, [["1Z", *hands[0][1:]], hands[1]], trump_card=talon[13], talon=talon[:13]),
        )


def test_foreign_bytes_are_refused() -> None:
    state = State.new("terz", seed=3)
    with pytest.raises(PositionError, match="bytes"):
        State.from_bytes("terz", b"123")
    with pytest.raises(PositionError, match="rule set"):
        State.from_bytes("terz", state.to_bytes(), "classic")
    words = state.words.copy()
    words[1] = words[0]
    with pytest.raises(PositionError, match="twice"):
        State.from_bytes("terz", words.tobytes())


def test_wrong_games_scopes_and_options_are_refused() -> None:
    with pytest.raises(UnknownGameError, match="terz, tetka"):
        State.new("whist")
    with pytest.raises(RuleSetError, match="deal, match"):
        State.new("terz", scope="rubber")
    for rules in ("follow=never", "colour=red", "english,target_announce=502", "polish"):
        with pytest.raises(RuleSetError):
            State.new("terz", rules)


@pytest.mark.rule("T24")
def test_start_scores_beyond_the_target_are_refused_unless_equal() -> None:
    source = State.new("terz", seed=3)
    talon = talon_of(source)
    hands = [source.hand(0), source.hand(1)]
    deal = Deal(0, hands, trump_card=talon[13], talon=talon[:13])
    with pytest.raises(PositionError, match="T24"):
        State.from_deal("terz", deal, scope="match", start_scores=[510, 100])
    assert not State.from_deal("terz", deal, scope="match", start_scores=[510, 510]).is_over


def test_the_drawing_shows_suits_and_whose_turn_it_is() -> None:
    drawing = str(State.new("tetka", seed=1))
    assert "♠" in drawing
    assert "→ seat_" in drawing

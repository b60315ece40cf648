"""Positions: copies, identity, bytes, refusals."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

from terz_env.errors import (
    IllegalActionError,
    PositionError,
    RuleSetError,
    SeedError,
    UnknownGameError,
)
from terz_env.games import NAMES
from terz_env.state import Deal, State
from tests.parity import photo_of, talon_of
from tests.reference.terz import TerzReference
from tests.reference.tetka import TetkaReference, counting_trick


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


def test_what_lies_where_is_what_the_reference_says_in_terz() -> None:
    for seed in range(6):
        chooser = random.Random(seed)
        state = State.new("terz", "break_deck=choose", seed=seed)
        talon = talon_of(state)
        hands = [state.hand(0), state.hand(1)]
        rules: dict[str, str | int] = {"break_deck": "choose"}
        slow = TerzReference(rules, "deal", state.dealer, hands, talon[13], talon[:13])
        while not state.deal_is_over:
            assert state.leader == slow.leader
            assert state.table == ([] if slow.lead is None else [(slow.leader, slow.lead)])
            assert state.break_is_pending == slow.break_pending
            assert state.trick == slow.trick_number + slow.break_pending
            assert state.talon_size == slow.talon_count
            if slow.trump_card is not None:
                assert state.trump_card == slow.trump_card
            melds = [sum(m["points"] for m in slow.melds if m["player"] == s) for s in range(2)]
            assert state.meld_points == melds
            for seat in range(2):
                assert set(state.known_cards(seat)) == slow.known(seat)
            action = chooser.choice(state.legal_names())
            before = state.table
            seat = state.seat_to_act
            state.apply(action)
            slow.apply(action)
            if before and state.table == [] and len(action) == 2:
                assert state.last_trick == [*before, (seat, action)]
        assert state.trick == 16
        assert state.card_points == slow.card_points
        assert state.next_dealer == slow.next_dealer
        assert (state.photo, state.counting_trick) == (None, None)
        assert (state.marks, state.trick_counts) == ([], [])


def test_what_lies_where_is_what_the_reference_says_in_tetka() -> None:
    for seed in range(6):
        chooser = random.Random(seed)
        state = State.new("tetka", seed=seed)
        hands = [state.hand(seat) for seat in range(4)]
        slow = TetkaReference({}, "deal", state.dealer, hands, str(state.photo))
        assert state.counting_trick == counting_trick(str(state.photo))
        told: list[tuple[int, str]] = []
        while not state.deal_is_over:
            assert state.table == slow.trick
            assert state.trick == slow.trick_number
            assert state.leader == (state.seat_to_act - len(slow.trick)) % 4
            action = chooser.choice(state.legal_names())
            before = state.table
            seat = state.seat_to_act
            state.apply(action)
            slow.apply(action)
            if len(before) == 3:
                told = [*before, (seat, action)]
            assert state.last_trick == told
        assert state.next_dealer == slow.next_dealer
        assert (state.trump_card, state.talon_size, state.winner) == (None, 0, None)
        assert state.raises == state.card_points == state.meld_points == state.deductions == []
        assert state.known_cards(0) == []


def test_seats_and_keys_that_do_not_exist_are_refused() -> None:
    state = State.new("terz")
    for read in (state.hand, state.known_cards):
        for seat in (-1, 2):
            with pytest.raises(PositionError, match="no seat"):
                read(seat)
    for key in (-1, 1 << 63, 1.5, True, "1", None):
        for name in ("seed", "environment", "deal"):
            with pytest.raises(SeedError, match="whole number"):
                State.new("terz", **{name: key})  # type: ignore[arg-type]
    for dealer in (True, 1.0, "0"):
        with pytest.raises(PositionError, match="no seat number"):
            State.new("terz", dealer=dealer)  # type: ignore[arg-type]
    assert State.new("terz", seed=np.int64(3)) == State.new("terz", seed=3)  # type: ignore[arg-type]


def test_a_next_deal_is_refused_before_its_time_and_to_another_dealer() -> None:
    state = State.new("tetka", scope="rubber", seed=1)
    with pytest.raises(PositionError, match="no next deal"):
        state.next_deal()
    with pytest.raises(PositionError, match="nothing to take back"):
        state.undo()
    while not state.deal_is_over:
        state.apply(state.legal_actions()[0])
    hands = [State.new("tetka", seed=9).hand(seat) for seat in range(4)]
    with pytest.raises(PositionError, match="deals; it is"):
        state.next_deal(Deal((state.dealer + 2) % 4, hands, photo="AS"))
    before = state.clone()
    state.next_deal(Deal(state.next_dealer, hands, photo="AS"))
    assert state.scores == before.scores
    state.undo()
    assert state == before
    assert state != "no state"


@pytest.mark.rule("K2", "K6", "M3")
def test_impossible_deals_of_tetka_are_refused_with_the_reason() -> None:
    hands = [State.new("tetka", seed=9).hand(seat) for seat in range(4)]
    for scores, raises, scope, reason in (
        ([21, 0, 0, 0], None, "rubber", "0 to 20"),
        ([-1, 0, 0, 0], None, "deal", "K6"),
        ([1, 0, 0], None, "deal", "4 whole numbers"),
        ([True, 0, 0, 0], None, "deal", "4 whole numbers"),
        ([1 << 20, 0, 0, 0], None, "deal", "beyond"),
        (None, [20, 0, 0, 0], "deal", "no raises"),
    ):
        with pytest.raises(PositionError, match=reason):
            State.from_deal(
                "tetka",
                Deal(0, hands, photo="AS"),
                scope=scope,
                start_scores=scores,
                start_raises=raises,
            )
    with pytest.raises(PositionError, match="photo is missing"):
        State.from_deal("tetka", Deal(0, hands))
    micro = [State.new("tetka_micro", seed=9).hand(seat) for seat in range(4)]
    with pytest.raises(PositionError, match="M3"):
        State.from_deal("tetka_micro", Deal(0, micro, photo="KH"))
    micro[0][0] = "2S"
    with pytest.raises(PositionError, match="2S: no cards of tetka_micro"):
        State.from_deal("tetka_micro", Deal(0, micro, photo="AH"))


@pytest.mark.rule("T27")
def test_impossible_raises_and_small_deals_are_refused() -> None:
    source = State.new("terz", seed=3)
    talon = talon_of(source)
    deal = Deal(0, [source.hand(0), source.hand(1)], trump_card=talon[13], talon=talon[:13])
    for raises, scope in (([-20, 0], "match"), ([20, 0], "deal")):
        with pytest.raises(PositionError, match="T27"):
            State.from_deal("terz", deal, scope=scope, start_raises=raises)
    started = State.from_deal("terz", deal, scope="match", start_raises=[20, 0])
    assert started.raises == [20, 0]
    mini = State.new("terz_mini", seed=3)
    hands = [["7S", "8S"], mini.hand(1)]
    small = talon_of(mini)[:4]
    with pytest.raises(PositionError, match="7S 8S: no cards of terz_mini"):
        State.from_deal("terz_mini", Deal(0, hands, trump_card=small[3], talon=small[:3]))


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_fits_eighty_columns_and_shows_whose_turn_it_is(name: str) -> None:
    rules = "illegal_actions=penalise,break_deck=choose" if name == "terz" else None
    chooser = random.Random(name)
    for scope in State.new(name).game.scopes:
        state = State.new(name, rules, scope=scope, seed=1)
        while True:
            drawing = str(state)
            assert max(map(len, drawing.splitlines())) <= 80
            assert ("→" in drawing) == (not state.deal_is_over)
            for seat in range(state.game.n_seats):
                for card in state.hand(seat):
                    assert card[0] in drawing.splitlines()[2 + seat]
            if state.is_over:
                assert f"the {scope} is over" in drawing
                break
            if state.deal_is_over:
                assert "deals next" in drawing
                state.next_deal(seed=1)
                continue
            assert f"seat_{state.seat_to_act} " in drawing.splitlines()[1]
            if rules and chooser.random() < 0.05 and not state.break_is_pending:
                state.apply("four:J" if "JS" not in state.hand(state.seat_to_act) else "run:AS")
            else:
                state.apply(chooser.choice(state.legal_actions()))

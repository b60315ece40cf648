"""The text of a position: read, written, refused."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import numpy as np
import pytest

from terz_env.errors import PositionError, RuleSetError, TerzEnvError, UnknownGameError
from terz_env.games import NAMES
from terz_env.games.terz.notation.reading import FIELDS as TERZ_FIELDS
from terz_env.games.tetka.notation.reading import FIELDS as TETKA_FIELDS
from terz_env.notation import MAX_TEXT
from terz_env.state import State
from tests.parity import random_terz_rules
from tests.sources import SeededSource

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
GAMES = 3 if UNCOMPILED else 12
MUTATIONS = 60 if UNCOMPILED else 700

TERZ = (
    "terz trump=9D hands=7S,8S,9S,TS,JS,QS,KS,AS,7C|8C,9C,TC,JC,QC,KC,AC,7D,8D "
    "talon=TD,JD,QD,KD,AD,7H,8H,9H,TH,JH,QH,KH,AH"
)
CLOSED = "terz trump=9D hands=7D,KS|QS,TS"
TETKA = (
    "tetka photo=5H hands=2S,3S,4S,5S,6S,7S,8S,9S,TS,JS,QS,KS,AS|"
    "2C,3C,4C,5C,6C,7C,8C,9C,TC,JC,QC,KC,AC|2D,3D,4D,5D,6D,7D,8D,9D,TD,JD,QD,KD,AD|"
    "2H,3H,4H,5H,6H,7H,8H,9H,TH,JH,QH,KH,AH"
)
ENDING = "tetka photo=5H hands=KS,AS|KC,AC|KD,AD|KH,AH leader=2"
MINI = "terz_mini trump=JH hands=AS,KS|QS,JS talon=AH,KH,QH"
MICRO = "terz_micro trump=AH hands=KS,AS|QS,KH talon=QH"
TETKA_MICRO = "tetka_micro hands=JS,QS|KS,AS|JH,QH|KH,AH"


def changed(text: str, **fields: str | None) -> str:
    """Returns a text with fields set, or taken away where the value is None."""
    game, *parts = text.split()
    values = dict(part.split("=", 1) for part in parts)
    values |= {name.rstrip("_"): value for name, value in fields.items()}
    return " ".join([game, *(f"{k}={v}" for k, v in values.items() if v is not None)])


def random_state(name: str, chooser: random.Random, seed: int) -> State:
    rules: dict[str, object] = {}
    scope = "deal"
    if name == "terz":
        rules, scope = random_terz_rules(SeededSource(seed)), chooser.choice(["deal", "match"])
    if name == "tetka":
        rules = {"illegal_actions": chooser.choice(["raise", "forfeit", "penalise"])}
        scope = chooser.choice(["deal", "rubber"])
    return State.new(name, rules, scope=scope, seed=seed)


def random_action(state: State, chooser: random.Random, unlawful: float = 0.04) -> str:
    """Returns a lawful action, announcements often, or any at all where that is adjudicated."""
    mode = state.rules.to_dict().get("illegal_actions", "raise")
    if mode != "raise" and chooser.random() < unlawful:
        hand = state.hand(state.seat_to_act)
        return chooser.choice([*hand, *hand, *state.game.actions[-45:], "invalid"])
    names = state.legal_names()
    special = [name for name in names if len(name) > 2]
    return chooser.choice(special if special and chooser.random() < 0.5 else names)


def check_round_trip(state: State) -> None:
    text = state.to_text()
    again = State.from_text(text)
    assert again == state, text
    assert again.to_text() == text
    assert len(text) * 4 < MAX_TEXT
    name, rules, scope = state.game.name, state.rules, state.scope
    assert State.from_bytes(name, state.to_bytes(), rules, scope=scope) == state


@pytest.mark.parametrize("name", NAMES)
def test_a_position_survives_as_text_at_every_ply_under_any_rules(name: str) -> None:
    for seed in range(GAMES):
        chooser = random.Random(f"{name} {seed}")
        state = random_state(name, chooser, seed)
        for _ in range(3):
            while not state.deal_is_over:
                check_round_trip(state)
                state.apply(random_action(state, chooser))
            check_round_trip(state)
            if state.is_over:
                break
            state.next_deal(seed=seed)


@pytest.mark.parametrize("name", NAMES)
def test_hands_alone_make_a_position_that_can_be_played_out(name: str) -> None:
    few = ("dealer", "photo", "trump", "hands", "table", "talon", "rules", "scope")
    for seed in range(GAMES):
        chooser = random.Random(f"{name} {seed}")
        state = random_state(name, chooser, seed)
        for _ in range(chooser.randrange(8, 45) if state.game.n_actions > 9 else 3):
            if not state.break_is_pending:
                state.apply(chooser.choice([name for name in state.legal_names() if len(name) < 3]))
            if state.deal_is_over or (state.table == [] and chooser.random() < 0.05):
                break
        if state.deal_is_over or (state.break_is_pending or state.trick == 2):
            continue
        text = state.to_text()
        bare = [part for part in text.split() if part.split("=")[0] in (name, *few)]
        hand_made = State.from_text(" ".join(bare))
        assert hand_made.trick == state.trick
        assert [hand_made.hand(s) for s in range(2)] == [state.hand(s) for s in range(2)]
        while not hand_made.deal_is_over:
            check_round_trip(hand_made)
            hand_made.apply(random_action(hand_made, chooser))
        check_round_trip(hand_made)


def test_the_least_text_of_a_deal_begins_it() -> None:
    state = State.from_text(TERZ)
    assert (state.trick, state.leader, state.seat_to_act, state.talon_size) == (1, 1, 1, 14)
    assert State.from_text(TETKA).seat_to_act == 1
    for text in (MINI, MICRO, TETKA_MICRO):
        check_round_trip(State.from_text(text))


def test_what_is_not_told_follows_from_the_cards() -> None:
    state = State.from_text(CLOSED)
    assert (state.trick, state.leader, state.talon_size) == (15, 1, 0)
    assert sum(state.card_points) == 150 - 10 - 4 - 3 - 2 - 10 + 4
    tetka = State.from_text(ENDING)
    assert (tetka.trick, tetka.trick_counts, tetka.marks) == (12, [0, 0, 11, 0], [0, 0, 6, 0])
    tetka.apply("KD")
    assert tetka.table == [(2, "KD")]


def test_every_field_of_terz_is_read() -> None:
    text = (
        "terz scope=match rules=illegal_actions=penalise dealer=1 trump=9D trick=2 leader=1 "
        "hands=7S,8S,9S,TS,JS,QC,JC,TC,8C|8H,9H,TH,7C,QD,KD,AD,7D,8D "
        "talon=JD,AC,7H,JH,QH,KH,AH,QS,KS,AS,TD drawn=8C,8D played=KC|9C known=JS|QD,KD "
        "scored=7S,8S,9S,TS,JS|marriage beaten=3|3,four announced=run:TH event=run:TH/beaten/"
        "run:JS points=0,3 melds=100,20 scores=150,20 raises=20,0 deal=7"
    )
    state = State.from_text(text)
    assert state.scores == [150, 20]
    assert state.raises == [20, 0]
    assert state.meld_points == [100, 20]
    assert state.known_cards(1) == ["QD", "KD"]
    assert "run:TH" not in state.legal_names()
    check_round_trip(state)


def test_a_meld_that_reached_the_target_has_won_the_match() -> None:
    melds = changed(
        TERZ,
        dealer="1",
        scope="match",
        scored="7S,8S,9S,TS,JS,QS,KS,AS|",
        announced="run:AS",
        event="run:AS/scored",
        melds="100,0",
        scores="500,0",
    )
    state = State.from_text(melds)
    assert state.is_over
    assert state.winner == 0
    check_round_trip(state)
    with pytest.raises(PositionError, match="has won the match"):
        State.from_text(changed(melds, event=None))


def test_the_seat_to_act_may_have_forfeited() -> None:
    rules = "illegal_actions=forfeit"
    state = State.from_text(changed(TERZ, rules=rules, forfeit="1"))
    assert state.scores == [150, 0]
    check_round_trip(state)
    match = State.from_text(changed(TERZ, rules=rules, forfeit="1", scope="match"))
    assert match.winner == 0
    tetka = State.from_text(changed(ENDING, rules=rules, forfeit="2", scores="0,0,9,0"))
    assert tetka.marks == [0, 0, 7, 0]
    assert tetka.scores == [0, 0, 9, 0]
    check_round_trip(tetka)


def test_raises_may_be_of_this_deal_under_penalise() -> None:
    equal = changed(TERZ, scope="match", scores="510,510", raises="20,0")
    with pytest.raises(PositionError, match="T24"):
        State.from_text(equal)
    check_round_trip(State.from_text(changed(equal, rules="illegal_actions=penalise")))


def test_the_last_trick_may_be_told() -> None:
    state = State.from_text(
        changed(CLOSED, played="QD,7S,8S,9S,JS,AS,7C,8C,9C,TC,JC,QC,KC,AC|" + _REST, last="0:QD,KD")
    )
    check_round_trip(state)
    assert "last=0:QD,KD" in state.to_text()
    state.apply("TS")
    assert "last=0:QD,KD" in state.to_text()


_REST = "KD,8D,9D,TD,JD,AD,7H,8H,9H,TH,JH,QH,KH,AH"
_PLAYED = "QD,7S,8S,9S,JS,AS,7C,8C,9C,TC,JC,QC,KC,AC|" + _REST

PENDING = changed(
    TERZ,
    hands="7S,8S,9S,TS,JS,QS,KS,AS|8C,9C,TC,JC,QC,KC,AC,7D",
    played="7C|8D",
    break_="pending",
    rules="break_deck=choose",
)

REFUSED_TERZ = [
    (PENDING, None),
    (changed(PENDING, rules=None), "break_deck=choose only"),
    (changed(PENDING, table="0:7C", played="8D|9D"), "while the break is pending"),
    (changed(PENDING, break_=None), "belong|9 are due"),
    (changed(TERZ, trump=None), "trump is missing"),
    (changed(TERZ, hands=None), "hands is missing"),
    (changed(TERZ, hands="7S"), "1 lists; 2 are needed"),
    (changed(TERZ, hands=",".join(["7S", "8S"]) + "|8C"), "in trick 1 9 are due"),
    (TERZ.replace("7C|", "7C,TD|"), "seat_0 holds 10 cards; at most 9"),
    (TERZ.replace("7C|", "7S|"), "7S is there twice"),
    (TERZ.replace("7C|", "2C|"), "'2C' is no card"),
    (TERZ.replace(",AH", ",AH,7S,8S"), "15 face-down cards"),
    (TERZ.replace(",AH", ""), "12 face-down cards"),
    (changed(TERZ.replace("=TD,JD,", "="), trick="1"), "belong to trick 2"),
    (changed(TERZ, trick="2"), "belong to trick 1"),
    (changed(TERZ, trick="17"), "not between 1 and 16"),
    (changed(TERZ, trick="x"), "no whole number"),
    (changed(TERZ, leader="0"), "Rule T5"),
    (changed(TERZ, leader="1", table="0:7S", hands=TERZ.split()[2][6:].replace("7S,", "")), "led"),
    (changed(TERZ, table="0:7S,8S"), "one card"),
    (changed(TERZ, table="0"), "the seat that led"),
    (changed(TERZ, table="0:7S,8S,9S"), "3 cards in a trick"),
    (changed(TERZ, break_="2"), "not broken yet"),
    (changed(CLOSED, break_="3"), "not between 2 and 2"),
    (changed(CLOSED, break_="pending"), "0 face-down cards"),
    (changed(CLOSED, rules="break_deck=choose", break_="13"), "not between 1 and 12"),
    (changed(CLOSED, played="7S|8S"), "has played 1 cards"),
    (changed(CLOSED, played=_PLAYED.replace("QD", "7D")), "7D is there twice"),
    (changed(CLOSED, drawn="7S,8S"), "2 cards; 13 have been drawn"),
    (changed(CLOSED, drawn="9D"), None),
    (changed(TERZ, drawn="7S,8S"), "0 have been drawn"),
    (changed(CLOSED, known="QS|"), "does not hold"),
    (changed(CLOSED, last="7D"), "the seat that led"),
    (changed(CLOSED, last="0:7S"), "two cards"),
    (changed(CLOSED, played=_PLAYED, last="1:QD,KD"), "not been played so"),
    (changed(CLOSED, played=_PLAYED, last="1:KD,QD"), None),
    (changed(CLOSED, played=_PLAYED, last="0:QD,KD", leader="0"), "seat_1 took it"),
    (changed(CLOSED, scored="7S,7S|"), "twice"),
    (changed(CLOSED, scored="four:J,four:J|"), "twice"),
    (changed(CLOSED, scored="four:J|"), "never held"),
    (changed(CLOSED, scored="KS,QS,TS|"), "never held"),
    (changed(CLOSED, scored="KS|"), "three cards"),
    (changed(CLOSED, beaten="2|"), "beaten"),
    (changed(CLOSED, beaten="3,3|"), "beaten"),
    (changed(CLOSED, announced="run:7S"), "no meld"),
    (changed(CLOSED, announced="marriage,marriage"), "twice"),
    (changed(CLOSED, hands="|", announced="marriage", trick="16"), "middle of a turn"),
    (changed(CLOSED, false="no"), "only value is yes"),
    (changed(CLOSED, false="yes"), "penalise"),
    (changed(CLOSED, points="60,60"), "120 card points"),
    (changed(CLOSED, points="200,0"), "not between 0 and 150"),
    (changed(CLOSED, melds="20,0"), "gives 0 to 0"),
    (changed(CLOSED, deductions="20,0"), "T27"),
    (changed(CLOSED, raises="20,0"), "T27"),
    (changed(CLOSED, scope="match", raises="-20,0"), "T27"),
    (changed(CLOSED, scope="match", scores="510,0"), "T24"),
    (changed(CLOSED, scores="1"), "2 whole numbers"),
    (changed(CLOSED, scores="1,99999999999"), "not between"),
    (changed(CLOSED, forfeit="1"), "under raise"),
    (changed(CLOSED, rules="illegal_actions=forfeit", forfeit="0"), "seat to act"),
    (changed(MINI, scored="four:J|"), "never held"),
    (changed(MINI, break_="2"), "or never"),
    (changed(MINI, break_="pending"), "face-down"),
    (changed(MINI, beaten="3|"), "full game"),
    (changed(MINI, announced="run:JH"), "no meld"),
    (changed(MINI, trump="9D"), "9D: no cards of terz_mini"),
    ("terz_mini trump=9D hands=AS|KS", "no card of terz_mini"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED_TERZ)
def test_impossible_positions_of_terz_are_refused_with_the_reason(
    text: str, reason: str | None
) -> None:
    if reason is None:
        check_round_trip(State.from_text(text))
    else:
        with pytest.raises(PositionError, match=reason):
            State.from_text(text)


MELDS = changed(
    TERZ, dealer="1", rules="illegal_actions=penalise", scored="TS,JS,QS,KS,AS|", melds="100,0"
)
REFUSED_EVENTS = [
    ("run:AS", "run:AS/scored", None, None),
    ("run:AS", "run:AS", None, "write meld/scored"),
    ("run:AS", "run:AS/won", None, "write meld/scored"),
    ("run:AS", "run:AS/scored/run:AC", None, "write meld/scored"),
    ("run:AS", "run:AS/beaten", None, "write meld/scored"),
    ("run:AS", "run:AS/beaten/run:AC/lost", None, "no marriage"),
    ("marriage", "marriage/beaten/run:AC", None, "cannot be beaten"),
    ("run:AS", "run:AS/beaten/marriage", None, "no marriage"),
    ("run:AS", "run:AS/beaten/run:KC", None, "seat_1 does not hold"),
    ("run:AS", "run:AS/beaten/run:AC", None, None),
    ("run:AS", "run:AS/beaten/run:AC/scored", None, "not among the scored"),
    ("run:KS", "run:KS/scored", None, "cannot be scored"),
    ("run:AS", "run:KS/false", "yes", "not among the announced"),
    ("run:AS", "run:AS/false", "yes", "cannot be false"),
    ("run:KS", "run:KS/false", None, "needs false=yes"),
    ("run:KS", "run:KS/false", "yes", None),
    ("four:J", "four:J/false", "yes", None),
    ("marriage", "marriage/false", "yes", None),
]


@pytest.mark.parametrize(("announced", "event", "false", "reason"), REFUSED_EVENTS)
@pytest.mark.rule("T21")
def test_what_an_announcement_made_public_must_fit_the_hands(
    announced: str, event: str, false: str | None, reason: str | None
) -> None:
    text = changed(MELDS, announced=announced, event=event, false=false)
    if reason is None:
        check_round_trip(State.from_text(text))
    else:
        with pytest.raises(PositionError, match=reason):
            State.from_text(text)


FOURS = (
    "terz trump=9D dealer=1 hands=QS,QC,QD,QH,8S,9S,TS,7C,8C|KS,KC,KD,KH,8D,TD,8H,9H,TH "
    "talon=7S,JS,AS,9C,TC,JC,AC,7D,JD,AD,7H,JH,AH"
)
EQUAL_TOPS = (
    "terz trump=7S dealer=1 hands=TH,JH,QH,7C,8C,7D,8D,AC,AD|TS,JS,QS,AS,9C,TC,9D,TD,AH "
    "talon=8S,9S,KS,JC,QC,KC,JD,QD,KD,7H,8H,9H,KH"
)


@pytest.mark.rule("T21")
def test_a_contest_told_is_the_contest_played() -> None:
    for announced in ("four:Q", "run:TS"):
        state = State.from_text(FOURS)
        state.apply(announced)
        assert "/beaten/" in state.to_text()
        check_round_trip(state)
    state = State.from_text(EQUAL_TOPS)
    state.apply("run:QH")
    assert "event=run:QH/beaten/run:QS/scored" in state.to_text()
    check_round_trip(state)


UNEVEN = State.from_text(ENDING).to_text().split("gone=")[1].split()[0]
UNEVEN = UNEVEN.replace("2S,", "").replace("|2C", "|2S,2C")
REFUSED_TETKA = [
    (changed(TETKA, photo=None), "photo is missing"),
    (changed(TETKA, hands=None), "hands is missing"),
    (TETKA.replace("AS|", "AS,2C|"), "seat_0 holds 14 cards"),
    (TETKA.replace("AS|", "2C|"), "2C is there twice"),
    (changed(TETKA, trick="2"), "by the cards it is 1"),
    (changed(TETKA, leader="0"), "by the cards it is 1"),
    (changed(TETKA, marks="1,0,0,0"), "no cards are gone"),
    (changed(ENDING, hands="KS,AS|KC,AC|KD,AD|KH"), "was dealt|gone"),
    (changed(ENDING, hands="|||"), "nobody has a card left"),
    (changed(ENDING, gone="|||"), "in no hand, no trick"),
    (changed(ENDING, gone="2S|2S||"), "2S is there twice"),
    (changed(ENDING, gone=UNEVEN), "seat_0 was dealt 12 cards in all, not 13"),
    (changed(ENDING, tricks="0:KS,AS"), "2 cards in a trick"),
    (changed(ENDING, table="0:KS,AS,KC,KD"), "not complete"),
    (changed(ENDING, table="0:KS|1:KC"), "not complete"),
    (changed(ENDING, marks="0,0,5,0"), "5 given; the gone tricks held 6"),
    (changed(ENDING, marks="1,0,5,0"), "seat_0 has 1, but took no trick"),
    (changed(ENDING, marks="7,0,0,0"), "not between 0 and 6"),
    (changed(ENDING, taken="5,0,5,0"), "10 tricks taken; 11 are gone"),
    (changed(ENDING, taken="11,0,0,0"), "took trick 11, not 0"),
    (changed(ENDING, taken="5,0,6,0", latest="11,0,11,0"), "cannot be the last"),
    (changed(ENDING, taken="5,0,6,0", latest="4,0,11,0"), "cannot be the last"),
    (changed(ENDING, taken="5,0,6,0", latest="0,0,11,0"), "took 5 tricks, the last was 0"),
    (changed(ENDING, taken="5,0,6,0", latest="5,0,11,0"), None),
    (changed(ENDING, voids="S|||"), "such a card is held"),
    (changed(ENDING, voids="C,C|||"), "twice"),
    (changed(ENDING, voids="X|||"), "no suit"),
    (changed(ENDING, voids="C,D|S||"), None),
    (changed(ENDING, voids="C|||", rules="illegal_actions=penalise"), "Rule K10"),
    (changed(ENDING, revokes="1,0,0,0"), "Rule K10"),
    (changed(ENDING, revokes="1,0,0,2", rules="illegal_actions=penalise"), None),
    (changed(ENDING, scope="rubber", scores="21,0,0,0"), "Rule K6"),
    (changed(ENDING, scope="rubber", scores="20,0,0,0"), None),
    (changed(ENDING, scores="-1,0,0,0"), "not between"),
    (changed(ENDING, forfeit="2"), "under raise"),
    (changed(ENDING, rules="illegal_actions=forfeit", forfeit="1"), "seat to act"),
    (TETKA.replace("2S,", "").replace("2C,", "").replace("2D,", "").replace("2H,", ""), "tricks="),
    (changed(TETKA_MICRO, photo="KH"), "Rule M3"),
    (changed(TETKA_MICRO, hands="JS,QS|KS,AS|JH,2H|KH,AH"), "2H: no cards of tetka_micro|QH"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED_TETKA)
def test_impossible_positions_of_tetka_are_refused_with_the_reason(
    text: str, reason: str | None
) -> None:
    if reason is None:
        check_round_trip(State.from_text(text))
    else:
        with pytest.raises(PositionError, match=reason):
            State.from_text(text)


@pytest.mark.rule("K3", "K10")
@pytest.mark.parametrize("mode", ["raise", "forfeit", "penalise"])
def test_told_tricks_must_follow_suit_unless_a_revoke_is_noted(mode: str) -> None:
    text = "tetka photo=5H hands=AS|AC|AD|AH tricks=2:KD,KH,KS,KC"
    rules = f"rules=illegal_actions={mode}"
    check_round_trip(State.from_text(f"{text} {rules}"))
    broken = f"tetka photo=5H hands=AS|AD|KC|AH tricks=2:KD,KH,KS,AC {rules}"
    if mode == "penalise":
        check_round_trip(State.from_text(broken))
    else:
        with pytest.raises(PositionError, match="seat_1 may not play AC, as it holds"):
            State.from_text(broken)


def test_a_trick_is_led_by_who_took_the_last() -> None:
    text = "tetka photo=5H hands=|||  tricks=2:KD,KH,KS,KC|2:AD,AH,AS,AC"
    check_round_trip(State.from_text(text))
    with pytest.raises(PositionError, match="trick 13: seat_2 leads, not seat_3"):
        State.from_text(text.replace("|2:AD,AH,AS,AC", "|3:AH,AS,AC,AD"))


def test_a_text_is_refused_that_is_no_list_of_fields() -> None:
    for text, reason in (
        ("", "begins with the name"),
        (None, "begins with the name"),
        ("terz " + "x" * MAX_TEXT, "characters"),
        ("terz dealer", "no field; write name=value"),
        ("terz dealer=", "no field; write name=value"),
        ("terz =1", "no field; write name=value"),
        (TERZ + " dealer=0 dealer=0", "dealer is there twice"),
        (TERZ + " colour=red", "no field 'colour'; the fields are scope, rules, dealer"),
        (TERZ + " " + "c" * 80 + "=red", "c{60}…"),
        (TERZ + " photo=5H", "no field 'photo'"),
    ):
        with pytest.raises(PositionError, match=reason):
            State.from_text(text)  # type: ignore[arg-type]
    with pytest.raises(UnknownGameError, match="whist"):
        State.from_text("whist")
    for rules in ("rules=follow=never", "rules=follow=--5", "scope=rubber"):
        with pytest.raises(RuleSetError):
            State.from_text(f"{TERZ} {rules}")


def test_words_that_no_play_reaches_are_refused() -> None:
    chooser = random.Random(1)
    for name in NAMES:
        state = State.new(name, seed=5)
        for _ in range(3):
            state.apply(state.legal_actions()[0])
        kept = 0
        for word in range(state.game.n_words):
            for bit in range(63):
                if chooser.random() > (0.05 if UNCOMPILED else 0.4):
                    continue
                words = state.words.copy()
                words[word] ^= np.int64(1 << bit)
                try:
                    read = State.from_bytes(name, words.tobytes())
                except PositionError:
                    continue
                kept += 1
                check_round_trip(read)
        assert kept < 130, name


def test_a_photo_that_is_no_card_is_refused() -> None:
    words = State.from_text(TETKA).words.copy()
    words[12] |= 63 << 42
    with pytest.raises(PositionError, match="no position"):
        State.from_bytes("tetka", words.tobytes())


ODD = ("0", "9", "-1", "99999999999999999999", "AS", "7H", ",", "|", ":", "=", "/", "x", "é", "٣")


def mutated(text: str, chooser: random.Random) -> str:
    """Returns a text with something left out, put in, doubled, exchanged or counted up."""
    parts = text.split(" ")
    for _ in range(chooser.choice([1, 1, 2, 3])):
        place = chooser.randrange(len(parts))
        part = parts[place]
        at = chooser.randrange(len(part) + 1)
        kind = chooser.randrange(6)
        if kind == 0:
            parts[place] = part[:at] + part[at + 1 :]
        elif kind == 1:
            parts[place] = part[:at] + chooser.choice(ODD) + part[at + chooser.randrange(2) :]
        elif kind == 2:
            parts.insert(chooser.randrange(len(parts) + 1), part)
        elif kind == 3:
            parts[place] = re.sub(r"\d+", lambda m: str(int(m[0]) + chooser.choice([-1, 1])), part)
        elif kind == 4 and len(parts) > 1:
            del parts[place]
        else:
            cards = list(re.finditer(r"[2-9TJQKA][SCDH]", part))
            if len(cards) > 1:
                one, two = sorted(chooser.sample(cards, 2), key=lambda found: found.start())
                middle = part[one.end() : two.start()]
                parts[place] = part[: one.start()] + two[0] + middle + one[0] + part[two.end() :]
    return " ".join(parts)


def test_a_mutated_text_is_refused_or_a_position_that_can_be_played_out() -> None:
    read = 0
    for number in range(MUTATIONS):
        chooser = random.Random(number)
        state = random_state(chooser.choice(NAMES), chooser, number)
        for _ in range(chooser.randrange(50)):
            if not state.deal_is_over:
                state.apply(random_action(state, chooser))
        text = mutated(state.to_text(), chooser)
        try:
            state = State.from_text(text)
        except (PositionError, RuleSetError, UnknownGameError):
            continue
        read += 1
        str(state)
        while not state.deal_is_over:
            state.apply(random_action(state, chooser, unlawful=0.1))
        check_round_trip(state)
        assert not state.is_over or sum(state.returns()) == 0, text
    assert read > MUTATIONS // 20


DOCUMENT = Path(__file__).parent.parent / "docs" / "notation.md"


def documented(kind: str) -> list[str]:
    text = DOCUMENT.read_text(encoding="utf-8")
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


def test_every_position_of_the_document_is_read() -> None:
    texts = documented("position")
    assert len(texts) >= 6
    for text in texts:
        check_round_trip(State.from_text(text))


def test_every_refusal_of_the_document_is_made() -> None:
    refusals = [block.rstrip().rsplit("\n", 1) for block in documented("refused")]
    assert len(refusals) >= 4
    for text, reason in refusals:
        with pytest.raises(TerzEnvError) as caught:
            State.from_text(text)
        assert str(caught.value) == reason


def test_the_drawings_of_the_document_are_drawn() -> None:
    drawings = documented("text")
    assert drawings
    positions = documented("position")
    for drawing in drawings:
        assert drawing.rstrip("\n") in {str(State.from_text(text)) for text in positions}


def test_the_document_names_every_field() -> None:
    text = DOCUMENT.read_text(encoding="utf-8").partition("## Positions")[2]
    named = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    assert named == {*TERZ_FIELDS, *TETKA_FIELDS, "scope", "rules"}

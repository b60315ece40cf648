"""The worked examples of the rules, each a sentence."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from terz_env.cards import SHORT_DECK
from terz_env.cli import playing
from terz_env.cli.app import app
from terz_env.games.terz import melds, scoring, tricks
from terz_env.games.terz.game import ACTIONS
from terz_env.games.tetka import series
from terz_env.kernel import kernel
from terz_env.records import Choose, record_game
from terz_env.state import Deal, State

RANKS_SPADES = ["2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS", "AS"]


def cards(text: str) -> int:
    return SHORT_DECK.card_set(text.split())


@kernel
def _strongest(hand: int, trump: int) -> int:
    return melds.strongest_meld(hand, 0, 0, 0, trump)


@kernel
def _tops(hand: int) -> int:
    return melds.run_tops(hand)


@kernel
def _rounded(points: int, rounding: int) -> int:
    return scoring.rounded(points, rounding)


@kernel
def _reply(hand: int, led: int, trump: int, closed: int, option: int) -> int:
    return tricks.follow(hand, led, trump, closed, option)


@kernel
def _beats(led: int, reply: int, trump: int) -> int:
    return tricks.beats(led, reply, trump)


def strength(text: str, trump: int) -> int:
    return _strongest(cards(text), trump) >> 7


@pytest.mark.rule("T1", "T23")
@pytest.mark.parametrize(
    ("points", "recorded"), [(134, 130), (135, 130), (136, 140), (5, 0), (145, 140), (150, 150)]
)
def test_points_are_rounded_to_the_nearest_ten_half_down(points: int, recorded: int) -> None:
    assert _rounded(points, 0) == recorded


@pytest.mark.rule("T23")
def test_the_other_roundings() -> None:
    assert [_rounded(points, 1) for points in (134, 139, 140)] == [130, 130, 140]
    assert [_rounded(points, 2) for points in (134, 135, 139)] == [134, 130, 139]
    assert _rounded(137, 3) == 137


@pytest.mark.rule("T15")
def test_runs_follow_the_natural_order() -> None:
    assert _tops(cards("AS TS KS")) == 0
    assert _tops(cards("TS JS QS")) == cards("QS")
    assert _tops(cards("7S 8S 9S JS QS KS")) == cards("9S KS")
    assert _tops(cards("KS AS 7C")) == 0


@pytest.mark.rule("T14", "T16")
def test_the_order_of_melds() -> None:
    queens = strength("QS QC QD QH", 0)
    assert queens > strength("7S 8S 9S TS JS QS KS AS", 0)
    assert strength("7C 8C 9C TC JC", 0) > strength("JC QC KC AC", 0)
    assert strength("QS JS TS", 0) > strength("QH JH TH", 0)
    assert strength("QC JC TC", 0) == strength("QH JH TH", 0)
    fours = [strength(" ".join(rank + suit for suit in "SCDH"), 0) for rank in "JAKQ"]
    assert fours == sorted(fours, reverse=True)


@pytest.mark.rule("T17", "T19")
def test_among_equal_melds_the_first_suit_is_shown() -> None:
    best = _strongest(cards("QD JD TD QC JC TC"), 0)
    assert ACTIONS[best & 127] == "run:QC"


@pytest.mark.rule("T2", "T6")
def test_the_higher_card_of_the_suit_or_a_trump_wins() -> None:
    deck = SHORT_DECK
    assert _beats(deck.number("KC"), deck.number("TC"), 0)
    assert not _beats(deck.number("TC"), deck.number("KC"), 0)
    assert _beats(deck.number("AS"), deck.number("9S"), 0)
    assert _beats(deck.number("9S"), deck.number("JS"), 0)
    assert _beats(deck.number("AC"), deck.number("7S"), 0)
    assert not _beats(deck.number("7C"), deck.number("AD"), 0)


@pytest.mark.rule("T10", "T11", "T12")
def test_the_duty_to_follow() -> None:
    led = SHORT_DECK.number("QC")
    hand = cards("7C TC AS 8D")
    assert _reply(hand, led, 0, 0, 0) == cards("7C TC")
    assert _reply(hand, led, 0, 0, 1) == cards("7C TC AS")
    assert _reply(hand, led, 0, 0, 2) == hand
    assert _reply(hand, led, 0, 1, 0) == cards("TC")
    assert _reply(cards("7C 8C AS"), led, 0, 1, 0) == cards("7C 8C")
    assert _reply(cards("AS 8D"), led, 0, 1, 0) == cards("AS")
    assert _reply(cards("8D"), led, 0, 1, 0) == cards("8D")


@pytest.mark.rule("T3")
def test_the_points_of_the_pack() -> None:
    assert int(tricks.CARD_VALUES[0].sum()) * 3 + int(tricks.CARD_VALUES[1].sum()) + 10 == 150


def terz(hand: str, other: str, trump: str, **options: object) -> State:
    """Returns a deal in which seat_0 leads with the named hand."""
    left = [card for card in SHORT_DECK.names if card not in f"{hand} {other} {trump}"]
    hands = [hand.split(), other.split()]
    deal = Deal(1, hands, trump_card=trump, talon=left)
    return State.from_deal("terz", deal, **options)  # type: ignore[arg-type]


OTHER = "7C 8C JC 7D 8D JD 7H 8H AH"


@pytest.mark.rule("T13", "T22")
def test_the_seven_and_the_marriage_are_offered_when_held() -> None:
    state = terz("7S KS 9D TD AC KC QC 9H KH", OTHER, "QS")
    assert "seven" in state.legal_names()
    assert "marriage" not in state.legal_names()
    state.apply("seven")
    assert "marriage" in state.legal_names()
    state.apply("marriage")
    assert state.scores == [20, 0]
    assert "marriage" not in state.legal_names()


@pytest.mark.rule("T24")
def test_a_marriage_at_480_wins_in_mid_deal() -> None:
    state = terz("7S KS QS TD AC KC QC 9H KH", OTHER, "AS", scope="match", start_scores=[480, 0])
    state.apply("marriage")
    assert state.is_over
    assert state.winner == 0


@pytest.mark.rule("T8")
def test_the_loser_of_the_first_trick_breaks_the_deck_where_he_may_choose() -> None:
    state = terz("AC KS 9D TD 7S KC QC 9H KH", OTHER, "QS", rules="break_deck=choose")
    state.apply("AC")
    state.apply("JC")
    assert state.seat_to_act == 1
    assert state.legal_names() == [f"break:{size}" for size in range(1, 13)]
    state.apply("break:3")
    assert state.seat_to_act == 0
    assert len(state.hand(0)) == len(state.hand(1)) == 9


@pytest.mark.rule("T19", "T20", "T21")
def test_a_stronger_meld_of_the_opponent_scores_instead_and_once_only() -> None:
    state = terz("TD JD QD 7S 8H 9H 7H AC KS", "9C TC JC QC 7D 8D AH KH JS", "QS")
    state.apply("run:QD")
    assert state.scores == [0, 50]
    state.apply("run:9H")
    assert state.scores == [0, 50]


@pytest.mark.rule("T27", "T28")
def test_false_announcements_and_forfeits_are_adjudicated() -> None:
    rules = "illegal_actions=penalise"
    state = terz("QD KD AD 7S TH KC 9H AC KS", OTHER, "QS", rules=rules, scope="match")
    state.apply("four:J")
    assert state.raises == [200, 0]
    assert state.seat_to_act == 0
    state.apply("four:A")
    assert state.winner == 1
    alone = terz("QD KD AD 7S TH KC 9H AC KS", OTHER, "QS", rules=rules)
    alone.apply("run:AD")
    alone.apply("7D")
    assert alone.scores == [0, 150]


@pytest.mark.rule("K4")
@pytest.mark.parametrize(
    ("photo", "number"), [("QS", 12), ("AH", 1), ("KD", 13), ("5C", 5), ("JS", 11), ("TD", 10)]
)
def test_the_value_of_the_photo_numbers_the_counting_trick(photo: str, number: int) -> None:
    suits = [[rank[0] + suit for rank in RANKS_SPADES] for suit in "SCDH"]
    state = State.from_deal("tetka", Deal(3, suits, photo=photo))
    before = 0
    for trick in range(13):
        for _ in range(4):
            state.apply(state.legal_actions()[0])
        ordinary = 4 * int(trick == 10) + int(RANKS_SPADES[trick][0] == photo[0])
        most = int(trick == 12)
        gained = sum(state.marks) - before - ordinary - most
        assert gained == int(trick + 1 == number)
        before = sum(state.marks)
    assert state.marks == [7, 0, 0, 0]


@pytest.mark.rule("K8")
def test_rubbers_are_dealt_first_by_the_next_to_the_left_until_seats_are_redrawn() -> None:
    assert [series.first_dealer(3, rubber) for rubber in range(5)] == [3, 0, 1, 2, 3]
    assert [series.first_of_seating(rubber) for rubber in (0, 3, 4, 7)] == [0, 0, 4, 4]
    dealers = [
        record_game("tetka", None, "rubber", 5, rubber, lambda state: state.legal_actions()[0])[
            "deals"
        ][0]["dealer"]
        for rubber in range(8)
    ]
    for seating in (dealers[:4], dealers[4:]):
        assert seating == [(seating[0] + step) % 4 for step in range(4)]


@pytest.mark.rule("K8")
def test_seats_are_drawn_anew_after_four_rubbers() -> None:
    seatings = [series.seating(7, rubber) for rubber in range(400)]
    for first in range(0, 400, 4):
        assert seatings[first : first + 4] == [seatings[first]] * 4
        assert sorted(seatings[first]) == [0, 1, 2, 3]
    assert seatings[0] == [0, 1, 2, 3]
    assert seatings == [series.seating(7, rubber) for rubber in range(400)]
    drawn = {tuple(seating) for seating in seatings[4:]}
    assert len(drawn) == 24
    assert seatings != [series.seating(8, rubber) for rubber in range(400)]


@pytest.mark.rule("K8")
def test_the_players_of_a_recorded_series_change_their_seats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables: list[tuple[str, ...]] = []

    def note(players: list[str], seed: int, number: int) -> Choose:
        tables.append(tuple(players))
        return lambda state: state.legal_actions()[0]

    monkeypatch.setattr(playing, "seat_players", lambda game, names, *rest, **more: names)
    monkeypatch.setattr(playing, "seated", note)
    words = ["record", "--game", "tetka", "--scope", "rubber", "--games", "9", "--seed", "2"]
    for name in "NESW":
        words += ["--player", name]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 9
    assert tables[:4] == [("N", "E", "S", "W")] * 4
    assert tables[4:8] == [tables[4]] * 4
    assert len({tables[0], tables[4], tables[8]}) == 3

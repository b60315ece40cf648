"""The four views: what they say, what they keep to themselves, and that they can be read back."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import pytest
from numpy.typing import NDArray

from terz_env.describing import describe
from terz_env.errors import ObservationError, UnknownGameError
from terz_env.games import NAMES, get_game
from terz_env.kernel import COMPILED
from terz_env.observation import VIEWS
from terz_env.readings import Fact
from terz_env.state import Deal, State
from terz_env.suits import NEW_SUIT
from terz_env.views import begin_log, get_view, look, play, relabelled, relabelled_log
from tests.parity import talon_of
from tests.witness import Played, other_world, random_deal

DEALS = 64 if COMPILED else 8
PLIES = {"terz": 60, "tetka": 56, "terz_mini": 12, "terz_micro": 9, "tetka_micro": 9}
LEAK_FREE = ("observation", "table", "history")


def seen(played: Played, seat: int, view: str) -> bytes:
    return look(played.state, seat, view, played.log).tobytes()


@pytest.mark.rule("T21")
@pytest.mark.parametrize("name", NAMES)
def test_positions_that_a_seat_cannot_tell_apart_look_the_same_and_only_these(name: str) -> None:
    same = different = 0
    for seed in range(DEALS):
        played = random_deal(name, seed, PLIES[name])
        chooser = random.Random(seed)
        for seat in range(played.game.n_seats):
            for _ in range(3):
                world = other_world(played, seat, chooser)
                if world is None:
                    continue
                alike = world.witness(seat) == played.witness(seat)
                assert alike == (seen(world, seat, "history") == seen(played, seat, "history"))
                if not alike:
                    different += 1
                    continue
                same += 1
                for view in LEAK_FREE:
                    assert seen(world, seat, view) == seen(played, seat, view), view
    assert same > DEALS
    assert different > 0 or name != "terz" or not COMPILED


@pytest.mark.parametrize("name", ["terz_micro", "tetka_micro", "terz_mini"])
def test_histories_of_the_small_games_are_the_information_states(name: str) -> None:
    told: dict[bytes, set[str]] = defaultdict(set)
    histories: dict[str, set[bytes]] = defaultdict(set)
    views: dict[bytes, set[bytes]] = defaultdict(set)
    for seed in range(4 * DEALS):
        chooser = random.Random(seed)
        played = Played(State.new(name, seed=seed))
        while not played.state.deal_is_over:
            played.play(chooser.choice(played.state.legal_names()))
            for seat in range(played.game.n_seats):
                history, witness = seen(played, seat, "history"), f"{seat}{played.witness(seat)}"
                told[bytes([seat]) + history].add(witness)
                histories[witness].add(history)
                views[history].add(seen(played, seat, "table") + seen(played, seat, "observation"))
    assert {len(witnesses) for witnesses in told.values()} == {1}
    assert {len(found) for found in histories.values()} == {1}
    assert {len(found) for found in views.values()} == {1}


@pytest.mark.parametrize("name", NAMES)
def test_a_history_that_goes_on_keeps_its_rows(name: str) -> None:
    for seed in range(DEALS // 8):
        state = State.new(name, seed=seed)
        log, chooser = begin_log(state), random.Random(seed)
        before = [look(state, seat, "history", log) for seat in range(state.game.n_seats)]
        while not state.deal_is_over:
            play(state, log, chooser.choice(state.legal_actions()))
            for seat, old in enumerate(before):
                new = look(state, seat, "history", log)
                used = int(old.any(axis=1).sum())
                np.testing.assert_array_equal(new[:used], old[:used])
                assert not new[int(new.any(axis=1).sum()) :].any()
                before[seat] = new


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", NAMES)
def test_every_view_reads_back_and_writes_itself_again(name: str, view: str) -> None:
    layout = get_view(name, view).layout
    for seed in range(DEALS // 8 + 1):
        played = random_deal(name, seed, PLIES[name])
        for seat in range(played.game.n_seats):
            entries = look(played.state, seat, view, played.log)
            for row in entries if entries.ndim == 2 else [entries]:
                np.testing.assert_array_equal(layout.encode(layout.decode(row)), row)


@pytest.mark.parametrize("name", NAMES)
def test_the_state_view_says_where_every_card_is(name: str) -> None:
    for seed in range(DEALS // 8 + 1):
        state = random_deal(name, seed, PLIES[name]).state
        for seat in range(state.game.n_seats):
            facts = get_view(name, "state").layout.decode(look(state, seat, "state"))
            others = [(seat + step) % state.game.n_seats for step in range(state.game.n_seats)]
            hands = [state.hand(other) for other in others]
            if state.game.family == "tetka":
                told = [facts[f] for f in ("hand", "hand_left", "hand_opposite", "hand_right")]
                exact = [state.scores[other] for other in others]
                assert facts["exact_scores"] == dict(
                    zip(("own", "left", "opposite", "right"), exact, strict=True)
                )
            else:
                told = [facts["hand"], facts["their_hand"]]
                talon = facts["talon"]
                assert isinstance(talon, dict)
                hidden = {card for card in talon.values() if card}
                assert len(hidden) == max(state.talon_size - 1, 0)
                assert not hidden & {*hands[0], *hands[1]}
                points = [state.card_points[other] for other in others]
                assert facts["points"] == dict(zip(("own", "opponent"), points, strict=True))
            assert told == [tuple(hand) for hand in hands]
            assert facts["over"] == state.deal_is_over


@pytest.mark.rule("T26")
def test_the_tricks_may_be_looked_through_while_the_talon_holds_four_cards() -> None:
    layout = get_view("terz", "table").layout
    for seed in range(DEALS // 8 + 1):
        state = State.new("terz", seed=seed)
        log, chooser = begin_log(state), random.Random(seed)
        plays: list[tuple[int, str]] = []
        while not state.deal_is_over:
            seat, action = state.seat_to_act, chooser.choice(state.legal_names())
            play(state, log, action)
            if action in state.game.deck.names:
                plays.append((seat, action))
            facts = layout.decode(look(state, 0, "table", log))
            past, leaders = facts["past"], facts["past_leader"]
            assert isinstance(past, dict)
            assert isinstance(leaders, dict)
            shown = len(plays) // 2 if state.talon_size >= 4 else 0
            for trick in range(5):
                cards = dict(plays[2 * trick : 2 * trick + 2] if trick < shown else [])
                assert past[f"own card {trick + 1}"] == cards.get(0)
                assert past[f"opponent card {trick + 1}"] == cards.get(1)
                leader = ("own", "opponent")[plays[2 * trick][0]] if trick < shown else None
                assert leaders[str(trick + 1)] == leader
            led = facts["led"]
            assert isinstance(led, dict)
            lead = dict(plays[-1:] if len(plays) % 2 else [])
            assert led == {"own": lead.get(0), "opponent": lead.get(1)}


@pytest.mark.rule("K9")
def test_the_last_two_tricks_may_be_looked_at_before_the_next_lead_then_only_the_last() -> None:
    layout, seats = get_view("tetka", "table").layout, ("own", "left", "opposite", "right")
    for seed in range(DEALS // 8 + 1):
        state = State.new("tetka", seed=seed)
        chooser = random.Random(seed)
        plays: list[tuple[int, str]] = []
        while not state.deal_is_over:
            seat, action = state.seat_to_act, chooser.choice(state.legal_names())
            state.apply(action)
            plays.append((seat, action))
            whole, count = divmod(len(plays), 4)
            facts = layout.decode(look(state, 1, "table"))
            wanted = {
                "table": plays[4 * whole :],
                "last": plays[4 * whole - 4 : 4 * whole] if whole > 0 else [],
                "before": plays[4 * whole - 8 : 4 * whole - 4] if whole > 1 and not count else [],
            }
            for name, trick in wanted.items():
                cards = {seats[(other - 1) % 4]: card for other, card in trick}
                assert facts[name] == {relative: cards.get(relative) for relative in seats}
                if name != "table":
                    leader = seats[(trick[0][0] - 1) % 4] if trick else None
                    assert facts[f"{name}_leader"] == leader


@pytest.mark.rule("T21")
def test_the_opponent_does_not_see_the_name_of_a_beaten_announcement() -> None:
    views: list[list[bytes]] = []
    names = ("run:AH", "run:AD")
    for suit, name in zip("HD", names, strict=True):
        run = [f"Q{suit}", f"K{suit}", f"A{suit}"]
        hands = [
            [*run, *["JS", "KS", "7H", "9H", "TC", "KC"]],
            ["7S", "8S", "9S", "TS", "7C", "9C", "JC", "7D", "9D"],
        ]
        talon = ["8H", "TH", "JH", "8D", "TD", "JD", "QS", "AS", "QC", "AC"]
        rest = [card for card in ["QH", "KH", "AH", "QD", "KD", "AD"] if card not in run]
        deal = Deal(1, hands, trump_card="8C", talon=[*talon, *rest])
        state = State.from_deal("terz", deal)
        log = begin_log(state)
        play(state, log, name)
        assert name in describe(look(state, 0))
        assert name not in describe(look(state, 1))
        assert "class run of 3" in describe(look(state, 1, "history", log), view="history")
        views.append([look(state, 1, view, log).tobytes() for view in LEAK_FREE])
    assert views[0] == views[1]


def two_runs(mode: str = "raise") -> State:
    """Returns a deal in which seat 1 holds a run of four against two of three; clubs are trumps."""
    hands = [
        ["QH", "KH", "AH", "QD", "KD", "AD", "JS", "7H", "9H"],
        ["7S", "8S", "9S", "TS", "7C", "9C", "JC", "7D", "9D"],
    ]
    talon = ["8H", "TH", "JH", "8D", "TD", "JD", "QS", "KS", "AS", "TC", "QC", "KC", "AC"]
    deal = Deal(1, hands, trump_card="8C", talon=talon)
    return State.from_deal("terz", deal, {"illegal_actions": mode})


def rows_of(state: State, seat: int, log: NDArray[np.int64]) -> list[dict[str, Fact]]:
    """Returns the facts of the rows of a history that are used."""
    layout = get_view(state.game.name, "history").layout
    rows = look(state, seat, "history", log)
    return [layout.decode(row) for row in rows if row.any()]


@pytest.mark.rule("T19")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_history_says_who_records_and_that_nobody_does(seat: int) -> None:
    state = two_runs()
    log = begin_log(state)
    play(state, log, "run:AH")
    play(state, log, "run:AD")
    first, second = rows_of(state, seat, log)[2:]
    assert first["recorded"] == ("opponent", "own")[seat]
    assert second["recorded"] is None
    assert first["shown"] == second["shown"] == "run:TS"
    assert first["cards"] == second["cards"] == ("7S", "8S", "9S", "TS")
    assert second["name"] == ("run:AD", None)[seat]


@pytest.mark.rule("T27")
@pytest.mark.parametrize("seat", [0, 1])
def test_a_false_announcement_is_public_and_keeps_its_suit_when_suits_are_renamed(
    seat: int,
) -> None:
    state = two_runs("penalise")
    log = begin_log(state)
    play(state, log, "run:KS")
    row = rows_of(state, seat, log)[2]
    assert (row["name"], row["outcome"], row["class"]) == ("run:KS", "false", None)
    order = 5
    other, told = relabelled(state, order), relabelled_log(state, log, order)
    suit = "SCDH"[NEW_SUIT[order, 0]]
    assert rows_of(other, seat, told)[2]["name"] == f"run:K{suit}"
    facts = get_view("terz", "state").layout.decode(look(state, 0, "state"))
    assert facts["false_announced"] is True


@pytest.mark.rule("T13")
def test_a_seven_that_was_given_and_comes_back_was_dealt() -> None:
    back = 0
    for seed in range(24):
        state = State.new("terz", seed=seed)
        hands, turned = [state.hand(0), state.hand(1)], talon_of(state)[13]
        log, chooser = begin_log(state), random.Random(seed)
        giver = None
        while not state.deal_is_over and state.trick < 8:
            names = state.legal_names()
            if "seven" in names:
                giver = state.seat_to_act
            play(state, log, "seven" if "seven" in names else chooser.choice(names))
        seven = "7" + turned[1]
        back += giver is not None and seven in hands[giver] and seven in state.hand(giver)
        for seat in range(2):
            assert rows_of(state, seat, log)[0]["cards"] == tuple(hands[seat])
    assert back > 0


@pytest.mark.rule("T24")
def test_a_match_shows_what_each_needs_and_who_has_won() -> None:
    table, whole = get_view("terz", "table").layout, get_view("terz", "state").layout
    for seed in range(3):
        chooser = random.Random(seed)
        source = State.new("terz", seed=seed)
        talon = talon_of(source)
        hands = [source.hand(0), source.hand(1)]
        deal = Deal(0, hands, trump_card=talon[13], talon=talon[:13])
        state = State.from_deal("terz", deal, scope="match", start_scores=[395, 410])
        log = begin_log(state)
        while not state.is_over:
            if state.deal_is_over:
                state.next_deal(seed=seed)
                log = begin_log(state)
            play(state, log, chooser.choice(state.legal_names()))
            for seat in range(2):
                need = table.decode(look(state, seat, "table", log))["need"]
                scores = [state.scores[seat], state.scores[1 - seat]]
                most = [min(score // 20 * 20, 600) for score in scores]
                assert need == dict(zip(("own", "opponent"), most, strict=True))
        for seat in range(2):
            winner = whole.decode(look(state, seat, "state"))["winner"]
            assert winner == ("own" if state.winner == seat else "opponent")


@pytest.mark.parametrize("name", ["terz", "tetka"])
def test_the_kernel_that_steps_and_logs_does_what_step_and_note_do(name: str) -> None:
    state = State.new(name, seed=3)
    log, chooser, kernels = begin_log(state), random.Random(3), state.game.kernels
    words, own = state.words.copy(), log.copy()
    while not state.deal_is_over:
        action = chooser.choice(state.legal_actions())
        assert kernels.step_logged_one(words, own, -1) == -1
        assert kernels.step_logged_one(words, own, action) == 0
        play(state, log, action)
        np.testing.assert_array_equal(words, state.words)
        np.testing.assert_array_equal(own, log)


def test_no_deal_has_more_rows_than_a_history_or_more_entries_than_a_log() -> None:
    """Three runs and fours at most in nine cards, by the shapes of the four suits."""
    best = {(0, 0, 0xF)}
    for _ in range(4):
        best = {
            (cards + lane.bit_count(), runs + runs_of(lane), high & lane >> 4)
            for cards, runs, high in best
            for lane in range(256)
            if cards + lane.bit_count() <= 9
        }
    assert max(runs + high.bit_count() for _, runs, high in best) == 3
    assert get_view("terz", "history").steps == 2 + 32 + 7 + 1 + 1 + (16 * 3 + 3 + 2) + 32
    assert get_view("tetka", "history").steps == 2 + 52 + 1


def runs_of(lane: int) -> int:
    """Returns the number of maximal runs of three or more in a suit."""
    return sum(len(piece) >= 3 for piece in f"{lane:08b}".split("0"))


def test_a_full_log_takes_no_more() -> None:
    state = State.new("terz", seed=1)
    log, kernels = begin_log(state), state.game.kernels
    for _ in range(500):
        kernels.note_one(log, 0, 0, state.words)
    assert log[0] == (log.size - 6) // 2


def test_a_view_without_its_log_is_refused() -> None:
    state = State.new("terz", seed=1)
    assert look(state, 0, "history").any()
    log = begin_log(state)
    late = State.new("terz", seed=2)
    state.apply(state.legal_actions()[0])
    for wrong in (None, log, begin_log(late), log[:4]):
        with pytest.raises(ObservationError, match="log"):
            look(state, 0, "history", wrong)
    for view in ("observation", "state"):
        assert look(state, 0, view).any()


def test_views_and_seats_that_do_not_exist_are_refused() -> None:
    state = State.new("tetka", seed=1)
    with pytest.raises(ObservationError, match="observation, table, state, history"):
        look(state, 0, "pixels")
    for seat in (-1, 4, True):
        with pytest.raises(ObservationError, match="seat"):
            look(state, seat)
    with pytest.raises(UnknownGameError):
        get_view("whist", "table")


def test_fields_and_fingerprints_belong_to_a_layout() -> None:
    prints = {get_view(name, view).fingerprint for name in ("terz", "tetka") for view in VIEWS}
    assert len(prints) == 8
    assert get_view("terz_mini", "history").fingerprint not in prints
    assert get_view("terz_mini", "table").fingerprint in prints
    assert get_game("terz").layout.fingerprint in prints
    with pytest.raises(KeyError, match="fields: hand"):
        get_game("terz").layout.field("foot")


def test_tetka_keeps_no_log_and_any_position_has_the_empty_one() -> None:
    state = State.new("tetka", seed=1)
    log = begin_log(state)
    assert log.size == state.game.log_size
    for action in state.legal_actions()[:1]:
        play(state, log, action)
    assert not log.any()
    assert state.game.kernels.is_log_one(log, state.words) == 1

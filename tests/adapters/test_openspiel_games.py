"""The games in OpenSpiel: chance, parity with the engine, its own tests, and what it is refused."""

from __future__ import annotations

import collections
import copy
import itertools
import math
import pickle
import subprocess
import sys
import unittest
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python.observation import make_observation
from open_spiel.python.tests import games_sim_test

from terz_env.adapters.libraries import LibraryError, require
from terz_env.adapters.openspiel.dealing import Dealing, Past
from terz_env.adapters.openspiel.games import utility_bounds
from terz_env.errors import IllegalActionError, ObservationError, PositionError, RuleSetError
from terz_env.games import get_game
from terz_env.kernel import COMPILED
from terz_env.search.game_tree import small_deals
from terz_env.state import State
from terz_env.views import begin_log, look, play
from tests.adapters.spiel import GAMES, dealt, random_course, tree_of_dealer

RULES = "follow=free,break_deck=choose,seven_min_talon=4,growth=none,rounding=floor"
VARIANTS = [f"python_{name}" for name in GAMES]
VARIANTS += [f"python_terz({RULES})", "python_tetka(dealer=2)", "python_terz_micro(dealer=1)"]
SEEDS = range(6 if COMPILED else 1)


def deal_by_name(game: str, dealer: int = -1) -> tuple[Dealing, Past, list[str]]:
    """Deals with the first outcome of every event; returns the events in words."""
    dealing, past, words = Dealing(get_game(game), dealer), Past(), []
    for _ in range(dealing.n_events):
        outcome = dealing.outcomes(past)[0]
        words.append(dealing.name(past.outcomes, outcome))
        past = dealing.after(past, outcome)
    return dealing, past, words


@pytest.mark.parametrize("name", GAMES)
def test_importing_the_adapter_registers_every_game(name: str) -> None:
    game = pyspiel.load_game(f"python_{name}")
    assert game.num_players() == get_game(name).n_seats
    assert game.num_distinct_actions() == get_game(name).n_actions
    assert game.utility_sum() == 0


def test_the_page_tells_players_actions_and_random_events() -> None:
    page = (Path(__file__).parents[2] / "docs" / "openspiel.md").read_text(encoding="utf-8")
    for name in GAMES:
        game = pyspiel.load_game(f"python_{name}")
        numbers = (game.num_players(), game.num_distinct_actions())
        row = (f"`python_{name}`", *numbers, game.max_chance_nodes_in_history())
        assert f"| {' | '.join(map(str, row))} |" in page


@pytest.mark.rule("T4")
def test_terz_is_dealt_in_packets_of_three_the_dealer_last_then_trump_card_and_talon() -> None:
    dealing, past, words = deal_by_name("terz")
    assert words[0] == "dealer:seat_0"
    assert [word[-1] for word in words[1:19]] == list("111000" * 3)
    assert words[19] == "trump_card:9D"
    assert words[20] == "talon:TD"
    assert len(words) == 32
    deal = dealing.deal(past)
    assert deal.hands[1][:4] == ["7S", "8S", "9S", "KS"]
    assert len(deal.talon) == 13
    assert deal.talon[-1] == "AH"


@pytest.mark.rule("K1", "K2")
def test_in_tetka_the_photo_is_turned_first_from_a_pack_of_its_own() -> None:
    dealing, past, words = deal_by_name("tetka", dealer=2)
    assert words[:4] == ["photo:2S", "card:2S:seat_3", "card:3S:seat_0", "card:4S:seat_1"]
    assert len(words) == 52
    deal = dealing.deal(past)
    assert (deal.dealer, deal.photo) == (2, "2S")
    assert [len(hand) for hand in deal.hands] == [13] * 4


@pytest.mark.rule("M1", "M2", "M3")
@pytest.mark.parametrize("name", ["terz_micro", "tetka_micro"])
def test_the_chance_of_a_small_game_brings_every_deal_with_the_same_probability(name: str) -> None:
    dealing = Dealing(get_game(name))
    ends: dict[tuple[Any, ...], float] = {}

    def go_on(past: Past, chance: float) -> None:
        if len(past.outcomes) == dealing.n_events:
            deal = dealing.deal(past)
            hands = tuple(tuple(sorted(hand)) for hand in deal.hands)
            key = (deal.dealer, hands, deal.trump_card, tuple(deal.talon), deal.photo)
            assert key not in ends
            ends[key] = chance
            assert tuple(dealing.outcomes_of(deal)) == past.outcomes
            return
        outcomes = dealing.outcomes(past)
        for outcome in outcomes:
            go_on(dealing.after(past, outcome), chance / len(outcomes))

    go_on(Past(), 1.0)
    expected = sum(1 for _ in small_deals(get_game(name)))
    assert len(ends) == expected
    np.testing.assert_allclose(list(ends.values()), 1 / expected)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_any_deal_can_be_given_as_outcomes(name: str, seed: int) -> None:
    state = dealt(pyspiel.load_game(f"python_{name}"), seed)
    dealing = state.play.dealing
    again = Past()
    for outcome in dealing.outcomes_of(dealing.deal(state.play.past)):
        again = dealing.after(again, outcome)
    position = State.from_deal(name, dealing.deal(again))
    assert position == state.play.position


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_deal_goes_as_in_the_engine(variant: str, seed: int) -> None:
    game = pyspiel.load_game(variant)
    course = random_course(game, seed)
    state = next(state for state in course if not state.is_chance_node())
    played = State.from_deal(game.record.name, game.dealing.deal(state.play.past), game.rules)
    log = begin_log(played)
    while not state.is_terminal():
        assert state.current_player() == played.seat_to_act
        assert state.legal_actions() == played.legal_actions()
        names = [state.action_to_string(action) for action in state.legal_actions()]
        assert names == played.legal_names()
        for seat in range(game.num_players()):
            for view, tensor in (
                ("history", state.information_state_tensor(seat)),
                ("observation", state.observation_tensor(seat)),
            ):
                expected = look(played, seat, view, log).ravel()
                player = np.eye(game.num_players())[seat]
                np.testing.assert_array_equal(tensor, np.concatenate([player, expected]))
        assert state.returns() == [0.0] * game.num_players()
        next(course)
        play(played, log, state.history()[-1])
    assert played.is_over
    assert state.returns() == played.returns()
    assert str(state) == played.to_text()
    lowest, highest = utility_bounds(game.record)
    assert lowest <= min(state.returns()) <= max(state.returns()) <= highest


@pytest.mark.rule("T8")
def test_the_break_is_an_action_of_the_loser_where_the_rules_let_him_choose() -> None:
    state = dealt(pyspiel.load_game("python_terz(break_deck=choose)"), 3)
    for _ in range(2):
        state.apply_action(state.legal_actions()[0])
    loser = state.current_player()
    assert [state.action_to_string(a) for a in state.legal_actions()] == [
        f"break:{size}" for size in range(1, 13)
    ]
    state.apply_action(state.legal_actions()[4])
    assert state.current_player() == 1 - loser


@pytest.mark.parametrize("name", GAMES)
def test_the_strings_tell_apart_what_a_seat_can_tell_apart(name: str) -> None:
    game = pyspiel.load_game(f"python_{name}")
    seen: dict[tuple[int, str], bytes] = {}
    for seed in SEEDS:
        for state in random_course(game, seed):
            for seat in range(game.num_players()):
                if state.is_chance_node():
                    assert state.observation_string(seat) == f"p{seat} | dealing"
                    continue
                key = (seat, state.information_state_string(seat))
                tensor = np.array(state.information_state_tensor(seat), np.int8).tobytes()
                assert seen.setdefault(key, tensor) == tensor
    assert len(set(seen.values())) == len(seen)


def test_an_information_state_reads_as_a_story() -> None:
    game = pyspiel.load_game("python_terz_micro(dealer=1)")
    state = game.new_initial_state()
    for outcome in (0, 12, 5):
        state.apply_action(outcome)
    state.apply_action(0)
    told = "terz_micro dealer=1 trump=AH trick=1 hands=KS|QH,KH table=0:QS talon=AS"
    assert str(state) == told
    assert state.information_state_string(1) == (
        "p1 | kind: start; seat: own; cards: QH KH | kind: turned; seat: own; cards: AH | "
        "kind: play; seat: opponent; cards: QS"
    )


@pytest.mark.parametrize("name", GAMES)
def test_observers_show_the_views_by_named_pieces(name: str) -> None:
    game, record = pyspiel.load_game(f"python_{name}"), get_game(name)
    state = dealt(game, 1)
    observer = make_observation(game)
    observer.set_from(state, 1)
    layout = record.views["observation"].layout
    assert list(observer.dict) == ["player", *(field.name for field in layout.fields)]
    assert observer.dict["player"].tolist() == np.eye(record.n_seats)[1].tolist()
    facts = layout.decode(observer.tensor[record.n_seats :].astype(np.uint8))
    assert facts["hand"] == tuple(state.play.position.hand(1))
    recall = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    assert recall.dict["history"].shape == record.views["history"].shape
    everything = pyspiel.IIGObservationType(
        perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS
    )
    whole = make_observation(game, everything)
    whole.set_from(state, 0)
    expected = look(state.play.position, 0, "state").ravel()
    np.testing.assert_array_equal(whole.tensor[record.n_seats :], expected)


@pytest.mark.parametrize(
    ("public", "private"),
    list(itertools.product([True, False], ["NONE", "SINGLE_PLAYER", "ALL_PLAYERS"])),
)
def test_observations_without_a_view_are_none_as_openspiel_has_it(
    public: bool, private: str
) -> None:
    kind = pyspiel.IIGObservationType(
        public_info=public,
        perfect_recall=True,
        private_info=getattr(pyspiel.PrivateInfoType, private),
    )
    observer = make_observation(pyspiel.load_game("python_terz_micro"), kind)
    assert (observer is not None) == (public and private == "SINGLE_PLAYER")


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_simulations_of_openspiel_pass(variant: str) -> None:
    game = pyspiel.load_game(variant)
    pyspiel.random_sim_test(game, 2 if COMPILED else 1, True, False)
    games_sim_test.GamesSimTest().sim_game(game)


def passed(base: type[unittest.TestCase], game: Any, name: str) -> list[str]:
    """Runs the tests of a class of OpenSpiel's on a game; returns what failed."""
    case = type("Case", (base,), {"game": game, "game_name": name})
    result = unittest.TestResult()
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    suite.run(result)
    assert result.testsRun >= 5
    return [trace for _, trace in result.failures + result.errors]


@pytest.mark.parametrize("name", GAMES)
def test_the_api_tests_of_openspiel_pass_on_sampled_states(name: str) -> None:
    game = pyspiel.load_game(f"python_{name}")
    assert passed(api_test.EnforceAPIOnPartialTreeBase, game, name) == []


@pytest.mark.slow
def test_the_api_tests_of_openspiel_pass_on_the_whole_tree_of_terz_micro(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = tree_of_dealer("terz_micro", 1)
    ends = int((tree.seat < 0).sum())
    events = 1 + math.comb(6, 2) + math.comb(6, 2) * math.comb(4, 2)
    counts = (events, len(tree.seat) - ends, ends)
    monkeypatch.setitem(api_test.TOTAL_NUM_STATES, "terz_micro", counts)
    monkeypatch.setitem(api_test.PERFECT_RECALL_NUM_STATES, "terz_micro", len(tree.info_seat))
    game = pyspiel.load_game("python_terz_micro(dealer=1)")
    assert passed(api_test.EnforceAPIOnFullTreeBase, game, "terz_micro") == []


@pytest.mark.parametrize("name", GAMES)
def test_states_are_copied_and_written_whole(name: str) -> None:
    game = pyspiel.load_game(f"python_{name}")
    for state in itertools.islice(random_course(game, 5), 0, None, 7):
        assert list(state.__dict__) == ["play"]
        for other in (state.clone(), pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
            assert str(other) == str(state)
            assert other.history() == state.history()
            if not state.is_chance_node():
                assert other.information_state_string(0) == state.information_state_string(0)
            if not state.is_terminal():
                before = str(state)
                other.apply_action(other.legal_actions()[-1])
                assert str(state) == before


def test_actions_and_outcomes_that_cannot_be_are_refused_and_change_nothing() -> None:
    game = pyspiel.load_game("python_terz(dealer=0)")
    state = game.new_initial_state()
    state.apply_action(3)
    with pytest.raises(IllegalActionError, match="chance cannot bring 3 here: the next event is"):
        state.apply_action(3)
    with pytest.raises(IllegalActionError, match="chance cannot bring 32"):
        state.apply_action(32)
    state = dealt(game, 0)
    before = str(state)
    with pytest.raises(IllegalActionError, match=r"seat_1 may not play break:1: .* legal: "):
        state.apply_action(62)
    assert str(state) == before


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("python_terz(target_settle=300)", pyspiel.SpielError, "Unknown parameter"),
        ("python_terz(follow=never)", RuleSetError, "follow='never' is no value of this option"),
        ("python_tetka(dealer=4)", PositionError, "there is no seat 4 to deal; 0 to 3"),
        ("python_tetka(follow=free)", pyspiel.SpielError, "Available parameters are: dealer"),
    ],
)
def test_unknown_options_and_values_are_named(
    text: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pyspiel.load_game(text)


def test_an_observation_takes_no_parameters() -> None:
    with pytest.raises(ObservationError, match="an observation of terz_micro has none"):
        make_observation(pyspiel.load_game("python_terz_micro"), None, {"suits": 1})


def test_a_missing_or_old_library_is_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(LibraryError, match=r"nosuch is not installed: pip install 'terz-env\[x\]'"):
        require("nosuch", "x", (1,))
    monkeypatch.setattr(metadata, "version", lambda _: "1.6.11")
    with pytest.raises(LibraryError, match=r"open_spiel 1.6.11: 2.0 or newer is needed: pip inst"):
        require("open_spiel", "openspiel", (2, 0))
    monkeypatch.setattr(metadata, "version", lambda _: "2.0.2")
    require("open_spiel", "openspiel", (2, 0))


def test_a_process_that_has_played_ends_in_peace() -> None:
    code = (
        "import pyspiel, terz_env.adapters.openspiel as a; a.games.register();"
        "print(pyspiel.load_game('python_tetka').new_initial_state())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "tetka dealing \n", "")


@pytest.mark.parametrize("name", ["terz_micro", "tetka_micro"] if COMPILED else ["terz_micro"])
def test_no_deal_pays_more_than_the_bounds(name: str) -> None:
    returns = tree_of_dealer(name, 0).returns
    lowest, highest = utility_bounds(get_game(name))
    assert lowest <= returns.min()
    assert returns.max() <= highest
    assert collections.Counter(returns.sum(axis=1).tolist()) == {0.0: len(returns)}

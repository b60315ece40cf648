"""States drawn from what a seat knows, and the searches of OpenSpiel that use them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import get_all_states
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator
from scipy import stats

from terz_env.adapters.openspiel import SpielState, resampler
from terz_env.adapters.openspiel.play import Play
from terz_env.adapters.openspiel.retelling import actions_of, deal_of, imagined
from terz_env.errors import PositionError
from terz_env.kernel import COMPILED
from terz_env.views import begin_log
from tests.adapters.spiel import GAMES, dealt, random_course

VARIANTS = [*(f"python_{name}" for name in GAMES), "python_terz(break_deck=choose,follow=free)"]
SEEDS = range(8 if COMPILED else 1)


def draw(state: SpielState, seat: int, rng: np.random.Generator) -> SpielState:
    return state.resample_from_infostate(seat, rng.random)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_drawn_state_looks_the_same_to_the_seat_and_has_a_history_of_its_own(
    variant: str,
) -> None:
    game, rng = pyspiel.load_game(variant), np.random.default_rng(0)
    others = 0
    for seed in SEEDS:
        for step, state in enumerate(random_course(game, seed)):
            if state.is_chance_node() or state.is_terminal() or step % 3:
                continue
            for seat in range(game.num_players()):
                other = draw(state, seat, rng)
                told = state.information_state_string(seat)
                assert other.information_state_string(seat) == told
                assert other.observation_string(seat) == state.observation_string(seat)
                assert other.current_player() == state.current_player()
                if state.current_player() == seat:
                    assert other.legal_actions() == state.legal_actions()
                again = game.new_initial_state()
                for action in other.history():
                    assert action in again.legal_actions()
                    again.apply_action(action)
                assert str(again) == str(other)
                others += other.history() != state.history()
    assert others > 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_chance_and_the_actions_are_read_back_from_any_position(variant: str) -> None:
    game = pyspiel.load_game(variant)
    for seed in SEEDS:
        for state in random_course(game, seed):
            if not state.is_chance_node():
                position, log = state.play.dealt, state.play.log
                events = len(state.play.past.outcomes)
                assert actions_of(position, log) == state.history()[events:]
                told = game.dealing.outcomes_of(deal_of(position, log))
                replayed = Play(game.dealing, game.rules)
                for outcome in told:
                    replayed.chance(outcome)
                for action in state.history()[events:]:
                    replayed.act(action)
                assert replayed.position == position


def beaten_announcements(state: SpielState, seat: int) -> list[str]:
    """Returns the announcements of the opponent that a seat has seen beaten."""
    events = state.information_state_string(seat).split(" | ")
    return [event for event in events if "seat: opponent" in event and "outcome: beaten" in event]


@pytest.mark.rule("T21")
@pytest.mark.slow
def test_the_name_of_a_beaten_announcement_is_drawn_where_the_seat_cannot_know_it() -> None:
    game, rng = pyspiel.load_game("python_terz"), np.random.default_rng(1)
    names: list[bool] = []
    for seed in range(100):
        for state in random_course(game, seed):
            if state.is_chance_node() or state.is_terminal():
                continue
            events = len(state.play.past.outcomes)
            seats = [seat for seat in range(2) if beaten_announcements(state, seat)]
            for seat in seats * 5:
                other = draw(state, seat, rng)
                told = state.information_state_string(seat)
                assert other.information_state_string(seat) == told
                names.append(other.history()[events:] == state.history()[events:])
            if seats:
                break
    assert len(names) > 50
    assert 0.2 < np.mean(names) < 0.95


@pytest.mark.parametrize("name", ["terz_micro", "tetka_micro"])
def test_drawn_states_are_uniform_over_the_deals_that_agree(name: str) -> None:
    game = pyspiel.load_game(f"python_{name}(dealer=0)")
    state = dealt(game, 2)
    state.apply_action(state.legal_actions()[0])
    seat, action = state.current_player(), state.history()[-1]
    told = state.information_state_string(seat)
    deals = get_all_states.get_all_states(game, depth_limit=game.dealing.n_events)
    agreeing = set()
    for deal in deals.values():
        if not deal.is_chance_node() and action in deal.legal_actions():
            deal.apply_action(action)
            if deal.information_state_string(seat) == told:
                agreeing.add(tuple(deal.history()))
    rng = np.random.default_rng(3)
    draws = (40 if COMPILED else 8) * len(agreeing)
    drawn = Counter(tuple(draw(state, seat, rng).history()) for _ in range(draws))
    assert set(drawn) <= agreeing
    counts = [drawn[history] for history in sorted(agreeing)]
    assert stats.chisquare(counts).pvalue > 1e-4


def test_nothing_is_drawn_while_cards_are_dealt_or_after_the_end() -> None:
    game = pyspiel.load_game("python_terz_micro")
    with pytest.raises(PositionError, match="only while the deal is played"):
        game.new_initial_state().resample_from_infostate(0, lambda: 0.5)
    *_, last = random_course(game, 0)
    with pytest.raises(PositionError, match="only while the deal is played"):
        last.resample_from_infostate(0, lambda: 0.5)


def test_a_course_that_no_deal_explains_is_refused() -> None:
    game = pyspiel.load_game("python_terz")
    state = dealt(game, 0)
    position = state.play.dealt
    seat = 1 - state.current_player()
    run, start = game.record.actions.index("run:AS"), Play(game.dealing, game.rules)
    with pytest.raises(PositionError, match=f"no deal that seat_{seat} can imagine"):
        imagined(start, position, begin_log(position), [run], seat, 0)


def bots(game: Any, kind: str, simulations: int) -> list[Any]:
    """Returns a bot a seat, with chance of their own."""
    made = []
    for seat in range(game.num_players()):
        chance = np.random.RandomState(seat)
        evaluator = RandomRolloutEvaluator(1, chance)
        if kind == "mcts":
            made.append(MCTSBot(game, 50.0, simulations, evaluator, random_state=chance))
            continue
        bot = ISMCTSBot(game, evaluator, 50.0, simulations, random_state=chance)
        if kind == "ismcts":
            bot.set_resampler(resampler(seat))
        made.append(bot)
    return made


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("kind", ["mcts", "ismcts", "ismcts without a resampler"])
def test_the_searches_of_openspiel_play_to_the_end(name: str, kind: str) -> None:
    game = pyspiel.load_game(f"python_{name}")
    full = name in ("terz", "tetka")
    state = dealt(game, 4)
    makers = bots(game, kind, 4 if full else 20)
    while not state.is_terminal():
        state.apply_action(int(makers[state.current_player()].step(state)))
    assert sum(state.returns()) == 0

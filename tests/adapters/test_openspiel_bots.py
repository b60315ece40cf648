"""Bots of OpenSpiel in the arena, and players of this package as bots."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator

from terz_env.adapters.openspiel import BotPlayer, PlayerBot, resampler
from terz_env.errors import IllegalActionError
from terz_env.evaluation.backends import OneProcess
from terz_env.evaluation.plan import Plan
from terz_env.evaluation.running import run
from terz_env.games import get_game
from terz_env.kernel import COMPILED
from terz_env.players import Decisions, Player, PlayerError, decide, load_player
from terz_env.search.logged_batch import LoggedBatch
from terz_env.search.worlds import DealLog, Worlds
from terz_env.selfplay import SelfPlayBatch
from terz_env.state import State
from tests.adapters.spiel import dealt

Make = Callable[[Any, int, int], Any]


def uniform(game: Any, seat: int, seed: int) -> Any:
    return pyspiel.make_uniform_random_bot(seat, seed)


def perfect_information_search(game: Any, seat: int, seed: int) -> Any:
    chance = np.random.RandomState(seed)
    return MCTSBot(game, 50.0, 3, RandomRolloutEvaluator(1, chance), random_state=chance)


def hidden_card_search(game: Any, seat: int, seed: int) -> Any:
    chance = np.random.RandomState(seed)
    bot = ISMCTSBot(game, RandomRolloutEvaluator(1, chance), 50.0, 5, random_state=chance)
    bot.set_resampler(resampler(seed))
    return bot


def load(name: str) -> Player:
    """Loads the players of the arena of these tests."""
    kind, _, game = name.partition("@")
    makers: dict[str, Make] = {"uniform": uniform, "mcts": perfect_information_search}
    return BotPlayer(name, f"python_{game}", makers[kind]) if game else load_player(name)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_a_bot_of_openspiel_sits_in_the_arena_and_is_never_refused(game: str) -> None:
    names = (f"uniform@{game}", f"mcts@{game}")
    plan = Plan.make(game, names, 2, 1, forms=["1v1" if game == "terz" else "3v1"], load=load)
    results = run(plan, OneProcess(load))
    assert all(not forfeits for forfeits in results.forfeits.values())
    again = run(plan, OneProcess(load))
    for pairing in plan.pairings:
        np.testing.assert_array_equal(results.units(pairing), again.units(pairing))


@pytest.mark.parametrize("make", [uniform, perfect_information_search, hidden_card_search])
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_a_bot_chooses_the_same_whatever_the_hidden_cards_are(game: str, make: Make) -> None:
    player = BotPlayer("bot", f"python_{game}", make)
    for seed in range(3 if COMPILED else 1):
        state = State.new(game, seed=seed)
        log = DealLog(state) if game == "terz" else None
        rng = np.random.default_rng(seed)
        for _ in range(9):
            action = rng.choice(state.legal_actions())
            if log is not None:
                log.apply(state, action)
            else:
                state.apply(action)
        logs = None if log is None else log.words[None]
        chosen = set()
        worlds = Worlds(state, state.seat_to_act, log, seed=seed)
        for position in (state, worlds.draw(), worlds.draw()):
            decisions = dataclasses.replace(Decisions.of_state(position), logs=logs)
            chosen.add(int(player.act(decisions, np.random.default_rng(7))[0]))
        assert len(chosen) == 1
        assert chosen <= set(state.legal_actions())


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("greedy", "python_terz"),
        ("random:announce", "python_terz"),
        ("heuristic", "python_tetka"),
        ("random", "python_tetka"),
        ("greedy", "python_terz_mini"),
    ],
)
def test_a_player_sits_at_a_table_of_openspiel(name: str, game: str) -> None:
    table = pyspiel.load_game(game)
    bots = [PlayerBot(load_player(name), seat) for seat in range(table.num_players())]
    chance = np.random.RandomState(1)
    assert sum(evaluate_bots(table.new_initial_state(), bots, chance)) == 0
    assert sum(pyspiel.evaluate_bots(table.new_initial_state(), bots, 1)) == 0


def test_a_player_decides_there_as_it_does_here() -> None:
    for name in ("greedy", "heuristic"):
        for game in ("terz", "tetka"):
            state = dealt(pyspiel.load_game(f"python_{game}"), 2)
            bot, player = PlayerBot(load_player(name)), load_player(name)
            while not state.is_terminal():
                action = bot.step(state)
                assert action == decide(player, state.play.dealt, np.random.default_rng(0))
                state.apply_action(action)
            with pytest.raises(IllegalActionError, match="the deal is over"):
                bot.step(state)


def test_the_search_players_are_told_what_has_happened() -> None:
    state = dealt(pyspiel.load_game("python_terz"), 2)
    seen = []

    class Watching:
        name = "watching"
        game = None

        def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
            assert decisions.logs is not None
            seen.append(decisions.logs[0].copy())
            return decisions.masks.argmax(axis=1)

    for _ in range(4):
        state.apply_action(PlayerBot(Watching()).step(state))
    assert [int(log[0]) for log in seen] == [0, 1, 2, 3]


def test_a_table_of_another_game_is_refused() -> None:
    with pytest.raises(PlayerError, match="greedy plays states of python_terz and the like, not o"):
        PlayerBot(load_player("greedy")).step(pyspiel.load_game("kuhn_poker").new_initial_state())
    state = dealt(pyspiel.load_game("python_tetka"), 0)
    with pytest.raises(PlayerError, match="random:announce plays terz, not tetka"):
        PlayerBot(load_player("random:announce")).step(state)
    with pytest.raises(PlayerError, match="kuhn_poker is no game of this package"):
        BotPlayer("bot", "kuhn_poker", uniform)
    with pytest.raises(PlayerError, match="has a fixed dealer; leave that parameter out"):
        BotPlayer("bot", "python_terz(dealer=1)", uniform)
    beginning = pyspiel.load_game("python_terz").new_initial_state()
    with pytest.raises(IllegalActionError, match="the cards are still being dealt"):
        PlayerBot(load_player("greedy")).step(beginning)


@pytest.mark.parametrize(
    ("game", "options", "scope"),
    [
        ("terz", {"follow": "free"}, "deal"),
        ("terz", {"illegal_actions": "penalise"}, "deal"),
        ("terz", {}, "match"),
        ("tetka", {"illegal_actions": "penalise"}, "deal"),
        ("tetka", {}, "rubber"),
    ],
)
def test_a_bot_refuses_rules_and_scopes_that_its_game_does_not_have(
    game: str, options: dict[str, str | int], scope: str
) -> None:
    batch = LoggedBatch(game, 1, rules=options, scope=scope) if game == "terz" else None
    batch = batch or SelfPlayBatch(game, 1, rules=options, scope=scope)
    player = BotPlayer("bot", f"python_{game}", uniform)
    with pytest.raises(PlayerError, match=f"bot plays python_{game}.*, a single deal without pen"):
        player.act(Decisions.of_batch(batch, np.array([0])), np.random.default_rng(0))


def test_a_bot_plays_the_options_of_its_game_and_needs_logs() -> None:
    player = BotPlayer("bot", "python_terz(follow=free,break_deck=choose)", uniform)
    batch = LoggedBatch("terz", 4, rules={"follow": "free", "break_deck": "choose"})
    rng = np.random.default_rng(0)
    for _ in range(6):
        batch.step(player.act(Decisions.of_batch(batch, np.arange(4)), rng))
    plain = SelfPlayBatch("terz", 1)
    with pytest.raises(PlayerError, match="bot needs the logs of the deals"):
        player.act(Decisions.of_batch(plain, np.array([0])), rng)


@pytest.mark.parametrize("name", ["terz_mini", "tetka_micro"])
def test_a_bot_plays_the_small_games(name: str) -> None:
    player = BotPlayer("bot", f"python_{name}", hidden_card_search)
    state = State.new(name, seed=1)
    rng = np.random.default_rng(0)
    while not state.is_over:
        assert decide(player, state, rng) in state.legal_actions()
        state.apply(decide(player, state, rng))
    assert state.game is get_game(name)

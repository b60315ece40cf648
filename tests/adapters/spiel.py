"""What the tests of the OpenSpiel adapter share: playing at random, policies as tables."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyspiel

from terz_env.adapters.openspiel import SpielState
from terz_env.adapters.openspiel.observer import Observer
from terz_env.adapters.openspiel.play import Play
from terz_env.games import get_game
from terz_env.search.game_tree import GameTree, Policy, small_deals
from terz_env.search.tree_levels import TreeBuilder
from terz_env.state import State
from terz_env.views import begin_log, play

GAMES = ("terz", "tetka", "terz_mini", "terz_micro", "tetka_micro")


def random_course(game: Any, seed: int) -> Iterator[SpielState]:
    """Yields the one state of a random deal before each event and action, and at its end."""
    rng = np.random.default_rng(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        yield state
        state.apply_action(int(rng.choice(state.legal_actions())))
    yield state


def dealt(game: Any, seed: int) -> SpielState:
    """Returns a random deal before its first card."""
    return next(state for state in random_course(game, seed) if not state.is_chance_node())


def at(game: Any, position: State, log: Any) -> Any:
    """Returns what observers read, standing at a position."""
    stand_in = Play(game.dealing, game.rules)
    stand_in.position, stand_in.log, stand_in.seat = position, log, position.seat_to_act
    return SimpleNamespace(play=stand_in)


def tree_of_dealer(name: str, dealer: int) -> GameTree:
    """Returns the part of a small game's tree in which one seat deals."""
    game = get_game(name)
    deals = tuple(deal for deal in small_deals(game) if deal.dealer == dealer)
    states = np.stack([State.from_deal(name, deal).words for deal in deals])
    return GameTree(game=game, deals=deals, **TreeBuilder(game, states).arrays())


def information_states(game: Any, tree: GameTree) -> list[str]:
    """Returns the string of every information state of a tree."""
    observer = game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=True), {})
    assert isinstance(observer, Observer)
    strings = []
    for info in range(len(tree.info_seat)):
        position, log = with_log(tree, info)
        state = at(game, position, log)
        strings.append(observer.string_from(state, position.seat_to_act))
    return strings


def with_log(tree: GameTree, info: int) -> tuple[State, Any]:
    """Returns a position of an information state, and the log of its deal."""
    actions, node = [], int(tree.info_node[info])
    while tree.parent[node] >= 0:
        actions.append(tree.game.engine_actions.index(int(tree.action[node])))
        node = int(tree.parent[node])
    position = State.from_deal(tree.game.name, tree.deals[node])
    log = begin_log(position)
    for action in reversed(actions):
        play(position, log, action)
    return position, log


def as_table(policy: Any, strings: list[str], tree: GameTree) -> Policy:
    """Returns a policy of OpenSpiel as a table of this package."""
    rows = []
    for info, string in enumerate(strings):
        size = int(tree.entry[info + 1] - tree.entry[info])
        chances = [chance for _, chance in sorted(policy.get_state_policy(string))]
        assert len(chances) == size
        rows.append(chances)
    return tree.checked(np.concatenate(rows))

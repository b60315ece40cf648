"""Compiles every kernel ahead: what is called, so that later nothing is left to compile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from terz_env import terz_v0, tetka_v0, views
from terz_env.bit_layer import bit_gradient, bit_sums
from terz_env.canonical import canonical_rows
from terz_env.cli.counting import count_lines
from terz_env.describing import describe
from terz_env.envs.single import LearnerEnv
from terz_env.envs.vector import LearnerVectorEnv
from terz_env.errors import UnknownGameError
from terz_env.observation import VIEWS
from terz_env.players import NAMED, check_plays, decide, load_player
from terz_env.players.policy import PolicyPlayer
from terz_env.players.policy_search import PolicySearchPlayer
from terz_env.players.protocol import Decisions, Player, PlayerError
from terz_env.players.rollout import action_values, play_out
from terz_env.players.solver import ClosedSolver
from terz_env.records import record_game, replay
from terz_env.search import terz_plan, terz_worlds, tetka_worlds
from terz_env.search.best_response import nash_conv
from terz_env.search.cfr import CfrPlus
from terz_env.search.game_tree import GameTree
from terz_env.search.solving import TerzSolver, TetkaSolver
from terz_env.search.worlds import DealLog, Worlds
from terz_env.selfplay import SelfPlayBatch, expand_bits
from terz_env.state import State

GAMES = ("terz", "tetka")
SERIES = {"terz": "match", "tetka": "rubber"}
FACES = {"terz": terz_v0, "tetka": tetka_v0}
TABLE_BITS = 10
"""The size of a solver's table here: small, the positions are nearly played out."""
LAST_ACTIONS = 4
"""So many actions are left in the positions that are solved."""
STEPS = 16
MORE_THAN_A_DEAL = 80


@dataclass(frozen=True)
class Part:
    """Some kernels of a game: what they are for, and a function that calls each of them."""

    game: str
    name: str
    use: Callable[[str], object]


def parts(game: str) -> Iterator[Part]:
    """Yields the parts of "terz", "tetka" or "both".

    Raises:
        UnknownGameError: It is another word.
    """
    if game not in (*GAMES, "both"):
        raise UnknownGameError(f"no game {game!r}; use {', '.join(GAMES)} or both")
    for name in GAMES if game == "both" else (game,):
        for part, use in PARTS.items():
            yield Part(name, part, use)


def _first_action(state: State) -> int:
    return state.legal_actions()[0]


def _finish(state: State, which: int = 0) -> list[State]:
    """Plays the first or last (-1) legal actions; returns a copy of each position passed."""
    passed = [state.clone()]
    while not state.deal_is_over:
        state.apply(state.legal_actions()[which])
        passed.append(state.clone())
    return passed


def _batches(game: str) -> None:
    for observation, suits in (("uint8", "plain"), ("float32", "canonical"), ("none", "plain")):
        table = SelfPlayBatch(game, 2, observation=observation, suits=suits)
        table.step(table.masks.argmax(axis=1))
    config = table.game.config_word(table.rules, table.scope)
    table.game.kernels.roll_out(table.states, 1, np.zeros((2, 1), np.uint64), config, 0, 0)
    expand_bits(SelfPlayBatch(game, 2).bits, table.game.layout.n_entries)


def _positions(game: str) -> None:
    state = State.new(game, scope=SERIES[game], seed=1)
    for passed in (*_finish(state), *_finish(State.new(game, seed=1), -1)):
        State.from_text(passed.to_text())
    state.next_deal()
    state.why_not(len(state.game.actions) - 1)
    state.undo()
    state.returns()
    str(state)
    kernels = state.game.kernels
    kernels.mask_one(state.words, np.zeros(kernels.N_ACTIONS, np.int8))
    kernels.result_one(state.words, 0)
    count_lines(State.new(game), 1)


def _views(game: str) -> None:
    state = State.new(game)
    log = views.begin_log(state)
    views.play(state, log, _first_action(state))
    for view in VIEWS:
        describe(views.look(state, 0, view, log), game, view)
    kernels = state.game.kernels
    kernels.is_log_one(log, state.words)
    kernels.step_logged_one(state.words, log, state.game.engine_actions[_first_action(state)])
    order = views.canonical_order(state, 0)
    views.relabelled_log(views.relabelled(state, order), log, order)
    views.action_to_canonical(game, 0, order)


def _records(game: str) -> None:
    replay(record_game(game, None, SERIES[game], 1, 0, _first_action, True))


def _turns(game: str) -> None:
    for view in VIEWS:
        for rewards in ("terminal", "shaped"):
            table = FACES[game].raw_env(view=view, rewards=rewards, scope=SERIES[game])
            table.reset(seed=1)
            for _ in range(MORE_THAN_A_DEAL):
                seen, _, over, _, _ = table.last()
                if over:
                    break
                table.step(int(seen["action_mask"].argmax()))
            table.state()


def _learners(game: str) -> None:
    single = LearnerEnv(game)
    seen, _ = single.reset(seed=1)
    single.step(int(seen["action_mask"].argmax()))
    players: list[str] = [name for name in NAMED if _plays(name, game)]
    for opponent in players:
        vector = LearnerVectorEnv(game, 2, opponents=opponent)
        seen, _ = vector.reset(seed=1)
        for _ in range(STEPS):
            seen, *_ = vector.step(seen["action_mask"].argmax(axis=1))


def _plays(player: str, game: str) -> bool:
    try:
        check_plays(load_player(player), game)
    except PlayerError:
        return False
    return True


def _players(game: str) -> None:
    state, rng = State.new(game), np.random.default_rng(0)
    for name in NAMED:
        if _plays(name, game):
            decide(load_player(name), state, rng)
    play_out(game, state.words[None], ["random"] * state.game.n_seats)
    action_values(game, state.words[None], Decisions.of_state(state).masks)
    bits, table = Decisions.of_state(state).bits, np.zeros((1000, 1), dtype=np.float32)
    bit_gradient(bits, bit_sums(bits, table, table[0]), len(table))
    canonical_rows(state.game, bits, Decisions.of_state(state).masks)


def _worlds(game: str) -> None:
    state = State.new(game, seed=1)
    log = DealLog(state) if game == "terz" else None
    seat, other = state.seat_to_act, np.zeros_like(state.words)
    Worlds(state, seat, log).draw()
    stream = np.zeros(1, np.uint64)
    if log is not None:
        plan = np.zeros(terz_plan.PLAN_SIZE, np.int64)
        terz_worlds.sample_world(state.words, seat, log.words, stream, other, plan)
    else:
        plan = np.zeros(tetka_worlds.PLAN_SIZE, np.int64)
        tetka_worlds.sample_world(state.words, seat, stream, other, plan)
        tetka_worlds.count_revokes_one(other, seat)


def _solvers(game: str) -> None:
    state = _finish(State.new(game, seed=1))[-1 - LAST_ACTIONS]
    solver = TerzSolver(TABLE_BITS) if game == "terz" else TetkaSolver(TABLE_BITS)
    solver.solve(state)
    solver.value(state)


def _searches(game: str) -> None:
    state, rng = State.new(game, seed=1), np.random.default_rng(0)
    record = state.game
    layer = np.zeros((record.n_actions, record.layout.n_entries), np.float32)
    bias = np.zeros(record.n_actions, np.float32)
    policy = PolicyPlayer(game, {"policy.weight": layer, "policy.bias": bias})
    state.apply(_first_action(state))
    players: list[Player] = [load_player("pimc:1"), load_player("ismcts:1")]
    players += [PolicySearchPlayer(1, policy, roll_out=rule) for rule in (None, "greedy")]
    players += [PolicySearchPlayer(1, policy, weights=policy)]
    for player in players:
        decide(player, state, rng)
    if game == "terz":
        from terz_env.search.logged_batch import LoggedBatch
        from terz_env.search.replay_terz import mark_names

        batch = LoggedBatch(game, 1)
        batch.step(batch.masks.argmax(axis=1))
        mark_names(batch.states, 0, np.zeros(batch.masks.shape, np.bool_))
        closed = _finish(state)[-1 - LAST_ACTIONS]
        ClosedSolver().analyse(closed)
        ClosedSolver().worths(closed.words[None], 0)


def _small_games(game: str) -> None:
    tree = GameTree.of(f"{game}_micro")
    nash_conv(tree, CfrPlus(tree).run(1).average())


PARTS: Mapping[str, Callable[[str], object]] = {
    "batches": _batches,
    "positions": _positions,
    "views": _views,
    "records": _records,
    "PettingZoo": _turns,
    "Gymnasium": _learners,
    "players": _players,
    "worlds": _worlds,
    "solvers": _solvers,
    "searches": _searches,
    "small games": _small_games,
}
"""What each game is warmed up by: a new kernel that a face calls belongs into one of these."""

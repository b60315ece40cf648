"""What learners see in the other views, and the log of the deal that opponents are given."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from numpy.typing import NDArray

from terz_env.envs.single import LearnerEnv
from terz_env.envs.vector import LearnerVectorEnv
from terz_env.errors import PositionError
from terz_env.games.terz.history import ENTRIES, N_ENTRIES
from terz_env.observation import VIEWS
from terz_env.players import Decisions
from terz_env.state import State
from terz_env.views import begin_log, look, play


class Witness:
    """Plays the highest legal action, and follows the deal from its cards on.

    Attributes:
        given: The learner's actions that it has not yet followed.
        logs: The logs that it was given.
    """

    name = "witness"
    game: str | None = None

    def __init__(self, *, needs_log: bool) -> None:
        self.needs_log = needs_log
        self.logs: list[NDArray[np.int64] | None] = []

    def sit_down(self, state: State) -> None:
        self.state, self.log = state, begin_log(state)
        self.given: list[int] = []

    def follow(self) -> None:
        for action in self.given:
            play(self.state, self.log, action)
        self.given.clear()

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        self.follow()
        np.testing.assert_array_equal(decisions.states[0], self.state.words)
        self.logs.append(decisions.logs)
        if decisions.logs is not None:
            used = ENTRIES + 2 * int(self.log[N_ENTRIES])
            np.testing.assert_array_equal(decisions.logs[0, :used], self.log[:used])
        action = self.state.legal_actions()[-1]
        play(self.state, self.log, action)
        return np.array([action])


def witnessed(env: LearnerEnv, witness: Witness, seed: int, view: str) -> None:
    """Plays a deal with uniform actions and compares all that the learner sees."""
    game, rng = env.options.game, np.random.default_rng(seed)
    start = State.new(game.name, env.options.rules, seed=seed)
    witness.sit_down(start.clone())
    seen, info = env.reset(seed=seed, options={"state": start})
    over = False
    while True:
        witness.follow()
        shown = look(witness.state, info["seat"], view, witness.log)
        np.testing.assert_array_equal(seen["observation"], shown)
        assert env.observation_space.contains(seen)
        if over:
            return
        action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        witness.given.append(action)
        seen, _, over, _, info = env.step(action)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_a_learner_sees_what_the_position_shows_in_every_view(game: str, view: str) -> None:
    witness = Witness(needs_log=False)
    env = LearnerEnv(game, view=view, opponents=witness, rules="illegal_actions=forfeit")
    for seed in range(3):
        witnessed(env, witness, seed, view)


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_an_opponent_that_asks_for_it_is_given_the_log_of_the_deal(game: str) -> None:
    witness = Witness(needs_log=True)
    env = LearnerEnv(game, opponents="random")
    env.reset(seed=1)
    env.set_opponents(witness)
    for seed in range(4):
        witnessed(env, witness, seed, "observation")
    assert {logs is None for logs in witness.logs} == {game == "tetka"}
    silent = Witness(needs_log=False)
    witnessed(LearnerEnv(game, opponents=silent), silent, 1, "observation")
    assert all(logs is None for logs in silent.logs)


def test_logs_begin_anew_with_every_deal_of_a_match() -> None:
    class Checker(Witness):
        def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
            assert decisions.logs is not None
            fits = decisions.game.kernels.is_log_one
            for log, state in zip(decisions.logs, decisions.states, strict=True):
                assert fits(log, state) == 1
            self.logs.append(decisions.logs)
            return decisions.masks.argmax(axis=1)

    checker = Checker(needs_log=True)
    envs = LearnerVectorEnv("terz", 3, opponents=checker, scope="match", view="history")
    seen, _ = envs.reset(seed=1)
    for _ in range(120):
        seen, *_ = envs.step(seen["action_mask"].argmax(axis=1))
    assert len(checker.logs) > 100


def test_a_search_sits_among_the_opponents() -> None:
    env = LearnerEnv("terz", opponents="pimc:2")
    seen, _ = env.reset(seed=1)
    over = False
    while not over:
        seen, _, over, _, _ = env.step(int(seen["action_mask"].argmax()))
    assert env.position.is_over


@pytest.mark.parametrize(("game", "view"), [("terz", "history"), ("tetka", "table")])
def test_gymnasiums_checker_passes_with_other_views(game: str, view: str) -> None:
    check_env(LearnerEnv(game, view=view), skip_render_check=True)


def test_a_view_that_needs_a_log_begins_with_the_cards() -> None:
    env = LearnerEnv("terz", view="history", seat=0)
    env.reset(seed=1)
    before = env.position
    within = State.new("terz", env.options.rules, seed=3)
    within.apply(within.legal_actions()[0])
    with pytest.raises(PositionError, match="history"):
        env.reset(options={"state": within})
    assert env.position == before
    envs = LearnerVectorEnv("terz", 2, view="history", copy=False)
    seen, _ = envs.reset(options={"state": State.new("terz", envs.options.rules, seed=3)})
    assert seen["observation"].any()

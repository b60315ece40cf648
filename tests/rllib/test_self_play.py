"""Self-play: the seating, and who is let into the pool."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from terz_env.adapters.rllib import LEARNER, SelfPlay, module_spec, player_of, ppo_config
from terz_env.adapters.rllib import self_play as pool_of
from terz_env.adapters.rllib.self_play import Seating, Trial
from terz_env.evaluation.statistics import Estimate
from terz_env.players import load_player


def seated(seating: Seating, episode: int) -> list[str]:
    named = SimpleNamespace(id_=f"{episode:032x}")
    return [seating(f"seat_{seat}", named) for seat in range(seating.n_seats)]


def test_a_learner_sits_at_every_table_and_in_every_seat() -> None:
    seating = Seating(n_seats=4, snapshots=3, share=0.5)
    tables = [seated(seating, episode) for episode in range(2000)]
    assert all(LEARNER in table for table in tables)
    for seat in range(4):
        shares = Counter(table[seat] for table in tables)
        assert shares[LEARNER] / 2000 == pytest.approx(1 - 0.5 * 3 / 4, abs=0.04)
        for name in ("snapshot_0", "snapshot_1", "snapshot_2"):
            assert shares[name] / 2000 == pytest.approx(0.5 / 4, abs=0.03)
    assert tables[7] == seated(seating, 7)


def test_without_a_pool_all_seats_learn() -> None:
    for seating in (Seating(2, snapshots=0, share=0.5), Seating(2, snapshots=3, share=0.0)):
        assert {name for episode in range(50) for name in seated(seating, episode)} == {LEARNER}


def trial(game: str, *means: float) -> Trial:
    return Trial(game, tuple(Estimate(mean, 3.0, 100) for mean in means))


def test_points_are_good_and_marks_are_bad() -> None:
    terz = trial("terz", 10.0, 20.0, 0.0, 2.0)
    assert (terz.mean, terz.half_width, terz.lead, terz.weakest) == (8.0, 1.5, 8.0, 1)
    tetka = trial("tetka", 1.0, 2.0, 1.5, 1.5)
    assert (tetka.mean, tetka.lead, tetka.weakest) == (1.5, 0.25, 0)


class Algorithm:
    """Holds modules, and takes new weights for them as RLlib does."""

    def __init__(self, game: str) -> None:
        names = (LEARNER, "snapshot_0", "snapshot_1")
        self.modules = {name: module_spec({"game": game}, (8,)).build() for name in names}
        self.iteration = 0
        self.learner_group = self

    def get_module(self, name: str) -> Any:
        return self.modules[name]

    def get_state(self, components: str) -> dict[str, Any]:
        name = components.removeprefix("learner/rl_module/")
        return {"learner": {"rl_module": {name: self.modules[name].get_state()}}}

    def set_state(self, state: dict[str, Any]) -> None:
        for name, weights in state["learner_group"]["learner"]["rl_module"].items():
            self.modules[name].set_state(weights)

    def same(self) -> list[bool]:
        """Whether each snapshot has the learner's weights."""
        learner, *snapshots = (module.get_state() for module in self.modules.values())
        return [all(np.array_equal(one[key], learner[key]) for key in one) for one in snapshots]


def result_of(callback: SelfPlay, algorithm: Algorithm, iteration: int) -> dict[str, Any]:
    algorithm.iteration = iteration
    result: dict[str, Any] = {}
    callback.on_train_result(algorithm=algorithm, result=result)
    return result


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_the_pool_begins_as_the_learner_and_lets_in_only_who_is_better(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    algorithm = Algorithm(game)
    assert algorithm.same() == [False, False]
    callback = SelfPlay(game, snapshots=2, every=2, deals=60)
    callback.on_algorithm_init(algorithm=algorithm)
    assert algorithm.same() == [True, True]
    assert result_of(callback, algorithm, 1) == {}
    unit = "points" if game == "terz" else "marks"
    par = 0.0 if game == "terz" else 1.75
    even = result_of(callback, algorithm, 2)["self_play"]
    assert even[unit] == pytest.approx(par)
    assert not even["admitted"]

    weights = {name: 0.0 * part for name, part in algorithm.modules[LEARNER].get_state().items()}
    algorithm.modules[LEARNER].set_state(weights)
    real = pool_of.player_of

    def strong(module: Any, *, name: str) -> Any:
        return load_player("heuristic") if name == LEARNER else real(module, name=name)

    monkeypatch.setattr(pool_of, "player_of", strong)
    better = result_of(callback, algorithm, 4)["self_play"]
    assert better["admitted"]
    assert (better[unit] - par) * (1 if game == "terz" else -1) > better["half_width"] > 0
    assert sorted(algorithm.same()) == [False, True]


def test_a_weaker_learner_is_not_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    algorithm = Algorithm("terz")
    callback = SelfPlay("terz", snapshots=2, every=1, deals=60)

    def strong_pool(module: Any, *, name: str) -> Any:
        return player_of(module, name=name) if name == LEARNER else load_player("heuristic")

    monkeypatch.setattr(pool_of, "player_of", strong_pool)
    assert not result_of(callback, algorithm, 1)["self_play"]["admitted"]
    assert algorithm.same() == [False, False]


def test_numbers_that_make_no_sense_are_refused() -> None:
    for numbers in ({"snapshots": 0}, {"every": 0}, {"deals": 1}):
        with pytest.raises(ValueError, match="give one snapshot, one iteration and two deals"):
            SelfPlay("terz", **{"snapshots": 2, **numbers})
    for numbers in ({"snapshots": -1}, {"share": 1.5}):
        with pytest.raises(ValueError, match="give 0 snapshots or more and a share from 0 to 1"):
            ppo_config({"game": "terz"}, **numbers)

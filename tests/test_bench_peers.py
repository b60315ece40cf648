"""`terz bench` beside other libraries: stand-ins with their interfaces take their places."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from terz_env.cli import bench
from terz_env.cli.bench import Row
from terz_env.cli.bench_peers import PEERS, measure_peers

OURS = [Row("rollout", "terz", 4, 3e7, 0.1), Row("aec_env", "tetka", 1, 1e5, 0.1)]


class Turns:
    """A deal of three decisions; the first card is dealt by chance."""

    def __init__(self) -> None:
        self.left = 3
        self.chance = True

    def is_terminal(self) -> bool:
        return self.left == 0

    def is_chance_node(self) -> bool:
        return self.chance

    def legal_actions(self) -> list[int]:
        return [4, 7]

    def apply_action(self, action: int) -> None:
        assert action in (4, 7)
        self.left -= not self.chance
        self.chance = False


class Belote:
    @staticmethod
    def deal(seed: int) -> Belote:
        return Belote()

    def set_contract(self, trump: int, value: int, team: int, coinche: int) -> None:
        self.contract = trump, value, team, coinche

    def set_phase_playing(self) -> None:
        assert self.contract == (0, 80, 0, 0)
        self.playing = True

    def rollout(self, number: int) -> tuple[float, float]:
        assert self.playing
        return 1.0, float(number)


class Bridge:
    def reset(self) -> tuple[dict[str, Any], int]:
        self.left = 3
        return {"legal_actions": {4: None, 7: None}}, 0

    def is_over(self) -> bool:
        return self.left == 0

    def step(self, action: int) -> tuple[dict[str, Any], int]:
        assert action in (4, 7)
        self.left -= 1
        return {"legal_actions": {4: None, 7: None}}, 0


class Holdem:
    def reset(self, seed: int) -> None:
        self.left = 3

    def last(self) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        mask = np.array([0, 1, 0, 1], np.int8)
        return {"action_mask": mask}, 0.0, self.left == 0, False, {}

    def step(self, action: int) -> None:
        assert action in (1, 3)
        self.left -= 1


STAND_INS = {
    "colver": {"Env": Belote},
    "pyspiel": {"load_game": lambda name: SimpleNamespace(new_initial_state=Turns)},
    "rlcard": {"make": lambda name, config: Bridge()},
    "pettingzoo.classic.texas_holdem_v4": {"raw_env": Holdem},
}


@pytest.fixture(autouse=True)
def none_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "MIN_SECONDS", 0.001)
    for peer in PEERS:
        monkeypatch.setitem(sys.modules, peer.module, None)  # its import raises ImportError


def stand_in(name: str) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(STAND_INS[name])
    return module


def test_a_library_that_is_not_installed_is_not_shown() -> None:
    assert list(measure_peers(OURS, 1)) == []


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.module)
def test_an_installed_library_gets_a_row_and_the_ratio_to_our_game(
    peer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, peer.module, stand_in(peer.module))
    (found,) = measure_peers(OURS, 1)
    assert (found.row.name, found.row.game) == (peer.module.split(".")[0], peer.game)
    ours = next(row for row in OURS if row.game == peer.ours)
    assert found.ratios == {ours.name: ours.per_second / found.row.per_second}


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.module)
def test_decisions_are_counted_and_cards_dealt_by_chance_are_not(peer: Any) -> None:
    deal = peer.deal(stand_in(peer.module))
    expected = 3200 if peer.module == "colver" else 3
    assert (deal(), deal()) == (expected, expected)


def test_a_library_is_not_measured_where_its_game_of_ours_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in STAND_INS:
        monkeypatch.setitem(sys.modules, name, stand_in(name))
    names = [found.row.name for found in measure_peers(OURS[:1], 1)]
    assert names == ["colver", "pettingzoo"]

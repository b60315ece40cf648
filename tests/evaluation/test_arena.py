"""Playing an arena: seatings, chunks, processes, interruptions, forfeits."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from terz_env.errors import RuleSetError
from terz_env.evaluation.backends import OneProcess, Processes, RayCluster
from terz_env.evaluation.journal import Journal
from terz_env.evaluation.plan import ArenaError, Plan, Task
from terz_env.evaluation.playing import Played, play_chunk
from terz_env.evaluation.results import Results, advantages, read_results
from terz_env.evaluation.running import run
from terz_env.evaluation.sequential import Sprt, SprtError
from terz_env.players import PlayerError
from tests.evaluation.plans import plan
from tests.evaluation.players import load


def lasting(results: Results) -> dict[str, Any]:
    """Everything but the times."""
    return {key: value for key, value in results.to_dict().items() if key != "times"}


def test_two_players_meet_in_every_seating() -> None:
    assert plan("terz", "random", "greedy").seatings == ["AB", "BA"]
    every = plan("tetka", "random", "greedy").seatings
    assert len(every) == 14
    assert [sum(text.count("A") == n for text in every) for n in (1, 2, 3)] == [4, 6, 4]
    assert plan("tetka", "random", "greedy", forms=["1v3"]).seatings == [
        "ABBB",
        "BABB",
        "BBAB",
        "BBBA",
    ]


def test_every_deal_is_in_exactly_one_chunk_of_each_pairing() -> None:
    tasks = list(plan("terz", "random", "greedy", "heuristic", deals=8).tasks())
    for pairing in plan("terz", "random", "greedy", "heuristic").pairings:
        own = [task for task in tasks if task.pairing == pairing]
        assert [range(task.first, task.first + task.deals) for task in own] == [
            range(3),
            range(3, 6),
            range(6, 8),
        ]


@pytest.mark.parametrize(("game", "scope"), [("terz", "deal"), ("terz", "match")])
def test_the_same_player_under_two_names_is_exactly_at_par(game: str, scope: str) -> None:
    results = run(plan(game, "first", "also", scope=scope), OneProcess(lambda _: load("first")))
    assert results.units(("first", "also")).tolist() == [0] * 6


def test_the_same_player_under_two_names_is_at_par_in_tetka_rubbers() -> None:
    twins = plan("tetka", "first", "also", deals=3, scope="rubber")
    results = run(twins, OneProcess(lambda _: load("first")))
    np.testing.assert_allclose(results.units(("first", "also")), 0, atol=1e-12)


def test_the_advantage_is_the_difference_of_points_and_of_marks() -> None:
    terz = np.array([[[30, -30], [-10, 10]]])
    assert advantages(terz, ["AB", "BA"]).tolist() == [[30, 10]]
    marks = np.array([0, 1, 2, 4])
    settled = (7 - 4 * marks)[None, None]
    assert advantages(settled, ["ABBB"]).item() == pytest.approx(7 / 3 - 0)
    assert advantages(settled, ["ABBA"]).item() == pytest.approx(1.5 - 2)


def test_a_pairing_plays_the_same_whoever_else_takes_part() -> None:
    alone = run(plan("terz", "random", "greedy"))
    among = run(plan("terz", "random", "greedy", "heuristic"))
    pairing = ("random", "greedy")
    np.testing.assert_array_equal(alone.played[pairing], among.played[pairing])


def test_eight_players_meet_in_every_pairing_and_the_progress_reaches_the_end() -> None:
    names = ["random", "random:announce", "greedy", "heuristic", "pimc:1", "ismcts:2"]
    names += ["greedy+solver", "heuristic+solver"]
    counts: list[tuple[int, int]] = []
    wanted = Plan.make("terz", names, 4, 5, chunk=2)
    results = run(wanted, progress=lambda *both: counts.append(both))
    assert counts == [(done, 56) for done in range(57)]
    assert len(wanted.pairings) == 28
    for pairing in wanted.pairings:
        assert results.played[pairing].shape == (4, 2, 2)


def test_two_processes_play_what_one_plays() -> None:
    wanted = plan("tetka", "random", "cheats", deals=5, chunk=2)
    one = run(wanted, OneProcess(load))
    two = run(wanted, Processes(2, load))
    assert lasting(one) == lasting(two)


class Interrupted(OneProcess):
    """Is interrupted at the third chunk."""

    def take(self) -> tuple[Task, Played]:
        task, played = super().take()
        if task.chunk == 2:
            raise KeyboardInterrupt
        return task, played


def test_an_interrupted_run_goes_on_and_loses_nothing(tmp_path: Path) -> None:
    wanted = plan("terz", "random", "raises", deals=8, chunk=2)
    file = tmp_path / "journal"
    journal = Journal(file, wanted)
    with pytest.raises(KeyboardInterrupt):
        run(wanted, Interrupted(load), journal=journal)
    journal.close()
    with pytest.raises(ArenaError, match="interrupted run: give --resume"):
        Journal(file, wanted)

    with file.open("ab") as ending:
        ending.write(b'{"pairing": ["random", "rai')
    again = Journal(file, wanted, resume=True)
    assert [chunk for _, chunk in again.chunks] == [0, 1]
    counts: list[tuple[int, int]] = []
    results = run(
        wanted, OneProcess(load), journal=again, progress=lambda *both: counts.append(both)
    )
    again.close()
    assert counts == [(2, 4), (3, 4), (4, 4)]
    assert lasting(results) == lasting(run(wanted, OneProcess(load)))

    whole = Journal(file, wanted, resume=True)
    assert len(whole.chunks) == 4
    whole.close()


def test_the_journal_of_another_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "journal"
    Journal(file, plan("terz", "random", "greedy")).close()
    with pytest.raises(ArenaError, match="deals is 6 there and 9 here"):
        Journal(file, plan("terz", "random", "greedy", deals=9), resume=True)
    file.write_text('{"format": "terz-arena-journal/0"}\n')
    with pytest.raises(ArenaError, match="'terz-arena-journal/1' is expected"):
        Journal(file, plan("terz", "random", "greedy"), resume=True)
    file.write_text("no journal\n")
    with pytest.raises(ArenaError, match=r"journal:1: no line of a journal"):
        Journal(file, plan("terz", "random", "greedy"), resume=True)


@pytest.mark.rule("T28")
def test_a_player_that_raises_forfeits_the_deal_with_its_trace_and_the_run_goes_on() -> None:
    results = run(plan("terz", "raises", "first", deals=30, chunk=30), OneProcess(load))
    forfeits = results.forfeits["raises", "first"]
    assert {forfeit.player for forfeit in forfeits} == {"raises"}
    assert {forfeit.reason for forfeit in forfeits} == {"RuntimeError: three is too many"}
    traces = [forfeit.trace for forfeit in forfeits if forfeit.trace]
    assert len(traces) == 1
    assert "in act" in traces[0]
    lost = {(forfeit.deal, forfeit.seating) for forfeit in forfeits}
    assert len(lost) == len(forfeits)
    assert 0 < len(lost) < 60
    for forfeit in forfeits:
        number = results.plan.seatings.index(forfeit.seating)
        assert results.played["raises", "first"][forfeit.deal, number, forfeit.seat] <= -150


@pytest.mark.rule("K11")
@pytest.mark.parametrize(("name", "said"), [("cheats", "answered action 51"), ("floats", "dtype")])
def test_an_illegal_answer_takes_all_seven_marks(name: str, said: str) -> None:
    results = run(plan("tetka", name, "first", forms=["1v3"]), OneProcess(load))
    forfeits = results.forfeits[name, "first"]
    assert forfeits
    for forfeit in forfeits:
        assert said in forfeit.reason
        seats = results.played[name, "first"][forfeit.deal]
        row = seats[results.plan.seatings.index(forfeit.seating)].tolist()
        assert row == [-21 if seat == forfeit.seat else 7 for seat in range(4)]


def test_a_match_is_lost_by_a_forfeit() -> None:
    results = run(plan("terz", "floats", "first", scope="match", deals=2), OneProcess(load))
    assert results.units(("floats", "first")).tolist() == [-1, -1]


def test_results_are_written_and_read_alike(tmp_path: Path) -> None:
    results = run(plan("tetka", "cheats", "first"), OneProcess(load), sprt=Sprt(0, 1))
    file = tmp_path / "results.json"
    results.write(file)
    assert read_results(file).to_dict() == results.to_dict()
    assert list(tmp_path.iterdir()) == [file]


def test_results_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    good = run(plan("terz", "random", "greedy")).to_dict()
    for change, message in (
        ({"format": "terz-arena/0"}, "format 'terz-arena/0'; 'terz-arena/1' is expected"),
        ({"seatings": ["AB"]}, "the seatings do not fit"),
        ({"pairings": []}, "the pairings do not fit"),
        ({"times": {}}, "the times do not fit"),
        ({"plan": {}}, "no plan of an arena"),
        ({"plan": good["plan"] | {"players": ["one"]}}, "players, forms or numbers"),
    ):
        file.write_text(json.dumps(good | change))
        with pytest.raises(ArenaError, match=message):
            read_results(file)
    bad = json.loads(json.dumps(good))
    bad["pairings"][0]["results"][0][0][0] += 1
    file.write_text(json.dumps(bad))
    with pytest.raises(ArenaError, match="do not sum to zero"):
        read_results(file)
    file.write_text("{")
    with pytest.raises(ArenaError, match="no JSON"):
        read_results(file)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"players": ["random"]}, ArenaError, "players random; name at least two"),
        ({"players": ["greedy", "greedy"]}, ArenaError, "each once"),
        ({"players": ["random", "nobody"]}, PlayerError, "no player is called 'nobody'"),
        ({"deals": 1}, ArenaError, "deals=1; use 2 to"),
        ({"chunk": 0}, ArenaError, "chunk=0; use 1 to"),
        ({"forms": ["4v0"]}, ArenaError, "terz has no form 4v0; use 1v1"),
        ({"game": "terz_mini"}, ArenaError, "not terz_mini"),
        ({"scope": "rubber"}, RuleSetError, "no scope 'rubber'"),
        ({"rules": "illegal_actions=penalise"}, ArenaError, "is a forfeit; leave it out"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(
    given: dict[str, Any], error: type[Exception], message: str
) -> None:
    options: dict[str, Any] = {"game": "terz", "players": ["random", "greedy"], "deals": 4} | given
    with pytest.raises(error, match=message):
        Plan.make(**options)


def test_a_sequential_test_stops_early_and_the_same_in_any_order() -> None:
    wanted = plan("terz", "random", "heuristic", deals=400, chunk=20)
    one = run(wanted, sprt=Sprt(-40, 0))

    class Backwards(OneProcess):
        capacity = 7

        def take(self) -> tuple[Task, Played]:
            given, task = self._waiting.pop()
            return task, play_chunk(given, task)

    other = run(wanted, Backwards(), sprt=Sprt(-40, 0))
    assert lasting(one) == lasting(other)
    count = len(one.units(("random", "heuristic")))
    assert 30 <= count < 400
    assert count % 20 == 0


def test_a_sequential_test_that_is_none_is_refused() -> None:
    for text in ("5", "a:b", "nan:1"):
        with pytest.raises(SprtError):
            Sprt.parse(text)
    with pytest.raises(SprtError, match="the second has to be larger"):
        Sprt.parse("5:0")
    with pytest.raises(SprtError, match="error rates"):
        Sprt(0, 1, alpha=0.7)


class Reference:
    """What a remote call gives back: hashable, and opened by `get` alone."""

    def __init__(self, function: Any, given: tuple[Any, ...]) -> None:
        self.function, self.given = function, given

    def call(self) -> Played:
        played: Played = self.function(*self.given)
        return played


class FakeRay:
    """Ray's functions that the arena calls, in this process and in another order."""

    def __init__(self) -> None:
        self.cancelled: list[object] = []
        self.address = ""
        self.is_shut_down = False

    def init(self, address: str) -> None:
        self.address = address

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def remote(self, function: Any) -> SimpleNamespace:
        return SimpleNamespace(remote=lambda *given: Reference(function, given))

    def wait(self, references: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        return references[-num_returns:], references[:-num_returns]

    def get(self, reference: Reference) -> Played:
        return reference.call()

    def cancel(self, reference: object) -> None:
        self.cancelled.append(reference)

    def shutdown(self) -> None:
        self.is_shut_down = True


def test_a_ray_cluster_plays_what_one_process_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", ray)  # type: ignore[arg-type]
    wanted = plan("terz", "random", "greedy", deals=12, chunk=2)
    results = run(wanted, RayCluster("ray://head:10001"))
    assert (ray.address, ray.is_shut_down) == ("ray://head:10001", True)
    assert lasting(results) == lasting(run(wanted))

    cluster = RayCluster("auto")
    cluster.submit(wanted, next(wanted.tasks()))
    cluster.close()
    assert len(ray.cancelled) == 1


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ArenaError, match=r"ray is missing; pip install 'terz-env\[ray\]'"):
        RayCluster("auto")


def test_no_processes_are_refused() -> None:
    with pytest.raises(ArenaError, match="processes=0"):
        Processes(0)

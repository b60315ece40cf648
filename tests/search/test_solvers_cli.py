"""`terz solve`: positions out of records, and what is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from terz_env.cli.app import app
from terz_env.errors import RecordError
from terz_env.records import record_game, state_at
from terz_env.records.writing import Record
from terz_env.search.solving import TerzSolver, TetkaSolver
from terz_env.state import State

RUNNER = CliRunner()


def a_record(game: str, scope: str = "deal") -> Record:
    chooser = random.Random(4)
    return record_game(game, None, scope, 4, 0, lambda state: chooser.choice(state.legal_names()))


def run(path: Path, record: object, *arguments: str) -> tuple[int, str]:
    path.write_text("\n" + json.dumps(record) + "\n", encoding="utf-8")
    found = RUNNER.invoke(app, ["solve", "--record", str(path), *arguments])
    return found.exit_code, found.output


def after(game: str, record: Record, step: int) -> State:
    """Returns the position after some recorded actions, the automatic break passed over."""
    state = State.new(game, seed=4)
    for _, name in record["deals"][0]["actions"][:step]:
        if name != "break:2":
            state.apply(name)
    return state


def test_every_legal_action_of_a_recorded_position_of_terz_is_valued(tmp_path: Path) -> None:
    record = a_record("terz")
    step = len(record["deals"][0]["actions"]) - 5
    state = after("terz", record, step)
    code, output = run(tmp_path / "r.jsonl", record, "--deal", "0", "--step", str(step), "--json")
    assert code == 0
    solution = TerzSolver(table_bits=10).solve(state)
    wanted = {"to_act": state.seat_to_act, "unit": "points", "values": solution.values}
    assert json.loads(output) == wanted
    assert list(solution.values) == state.legal_names()


@pytest.mark.parametrize("model", ["paranoid", "teams"])
def test_every_card_of_a_recorded_position_of_tetka_is_valued(tmp_path: Path, model: str) -> None:
    record = a_record("tetka")
    state = after("tetka", record, 41)
    arguments = ("--step", "41", "--model", model)
    code, output = run(tmp_path / "r.jsonl", record, *arguments, "--json")
    assert code == 0
    solution = TetkaSolver(table_bits=10).solve(state, model)
    wanted = {"to_act": state.seat_to_act, "unit": "marks", "values": solution.values}
    assert json.loads(output) == wanted
    code, table = run(tmp_path / "r.jsonl", record, *arguments)
    assert code == 0
    assert all(name in table for name in solution.values)


@pytest.mark.parametrize(("game", "scope"), [("terz", "match"), ("tetka", "rubber")])
def test_a_later_deal_is_found_with_its_scores(game: str, scope: str) -> None:
    record = a_record(game, scope)
    last = len(record["deals"]) - 1
    actions = record["deals"][last]["actions"]
    state = state_at(record, last, len(actions) - 1)
    assert state.seat_to_act == actions[-1][0]
    state.apply(actions[-1][1])
    assert state.is_over
    assert state.scores == record["scores"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--deal", "1"), "no deal 1; the record has 1"),
        (("--step", "99"), "no step 99"),
        (("--step", "52"), "the deal is over"),
        (("--step", "41", "--model", "friends"), "paranoid or teams"),
        (("--nodes", "50"), "50 nodes"),
        (("--nodes", "0"), "leaves nothing"),
        (("--position", "tetka"), "either a record or a position"),
    ],
)
def test_what_cannot_be_solved_is_said_in_a_line(
    tmp_path: Path, arguments: tuple[str, ...], reason: str
) -> None:
    code, output = run(tmp_path / "r.jsonl", a_record("tetka"), *arguments)
    assert code == 2
    assert reason in output


def test_a_damaged_record_is_refused_where_it_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    record = a_record("tetka")
    record["deals"][0]["actions"][3][1] = "9Z"
    with pytest.raises(RecordError, match="deal 0, step 3"):
        state_at(record, 0, 5)
    assert state_at(record, 0, 3).seat_to_act == record["deals"][0]["actions"][3][0]
    record["deals"][0]["hands"][0][0] = "9Z"
    assert run(path, record)[0] == 2
    path.write_text("", encoding="utf-8")
    assert "no record" in RUNNER.invoke(app, ["solve", "--record", str(path)]).output


def test_the_benchmark_measures_the_solvers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("terz_env.cli.bench.MIN_SECONDS", 0.001)
    monkeypatch.setattr("terz_env.cli.bench.STEPS", 4)
    monkeypatch.setattr("terz_env.cli.solver_bench.TERZ_POSITIONS", 3)
    monkeypatch.setattr("terz_env.cli.solver_bench.CLOSED_TRICK", 13)
    monkeypatch.setattr("terz_env.cli.solver_bench.TETKA_ENDINGS", {2: 3})
    path = tmp_path / "bench.json"
    found = RUNNER.invoke(
        app, ["bench", "--batch", "2", "--repeats", "1", "--json", str(path)], env={"COLUMNS": "99"}
    )
    assert found.exit_code == 0
    latencies = json.loads(path.read_text())["latencies"]
    names = ["solve_tetka_2", "solve_tetka_2_teams", "solve_terz_closed"]
    assert [row["name"] for row in latencies if row["name"].startswith("solve")] == names
    searches = [row["name"] for row in latencies if not row["name"].startswith("solve")]
    assert searches == ["pimc_50_deal", "ismcts_1000_deal"] * 2
    for row in latencies:
        assert 0 < row["median_ms"] <= row["p90_ms"] <= row["p99_ms"]
        assert row["name"] in found.output

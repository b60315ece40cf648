"""The strength report: a plan, its measurements, and the page that is written from them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from terz_env.cli.app import app as terz
from terz_env.evaluation.evaluating import score_of
from terz_env.evaluation.plan import Plan
from terz_env.evaluation.results import Results, read_results
from terz_env.evaluation.statistics import Estimate
from terz_env.records import replay
from training.config import ConfigError
from training.errors import TrainingError
from training.measuring import Outcome, measure
from training.strength import arenas
from training.strength.arenas import Arena, by_place, own_results
from training.strength.commands import app
from training.strength.deal_text import drawing
from training.strength.deals import Played, Step, picked
from training.strength.goals import CLEARLY, MISSED, NEARLY, REACHED, Goal
from training.strength.page import page_of, render, units_of
from training.strength.plan import DrawnDeals, ReportPlan, load_plan
from training.units import Tell, Unit, file_name

ROOT = Path(__file__).parents[2]
PLAN_FILE = Path("configs/strength.yaml")
LADDER = {
    "kind": "ladder",
    "name": "ladder",
    "title": "A ladder",
    "note": "How it was.",
    "game": "terz",
    "scope": "deal",
    "players": ["terz/small"],
    "against": {"random": 12, "greedy": 12},
    "aims": {"terz/small": {"greedy": 5}},
    "places": ["greedy"],
}
OTHERS: list[dict[str, Any]] = [
    {
        **LADDER,
        "name": "rubbers",
        "title": "Rubbers",
        "game": "tetka",
        "scope": "rubber",
        "players": ["tetka/small"],
        "against": {"greedy": 3},
        "aims": {},
    },
    {
        "kind": "cross_play",
        "name": "cross",
        "title": "Cross-play",
        "note": "",
        "game": "tetka",
        "players": ["random", "greedy", "tetka/small"],
        "deals": 4,
    },
    {
        "kind": "regret",
        "name": "regret",
        "title": "Regret",
        "note": "",
        "game": "terz",
        "players": ["terz/small"],
        "deals": 4,
        "aims": {"terz/small": 1000},
    },
    {
        "kind": "times",
        "name": "times",
        "title": "Times",
        "note": "",
        "game": "terz",
        "players": ["terz/small"],
        "deals": 1,
        "aims": {"terz/small": 0.0001},
    },
    {
        "kind": "deals",
        "name": "deals",
        "title": "Deals",
        "note": "",
        "game": "terz",
        "player": "terz/small",
        "opponent": "greedy",
        "deals": 6,
    },
    {
        "kind": "run",
        "name": "run",
        "title": "A run",
        "note": "",
        "game": "tetka",
        "folder": "run",
        "command": "python -m training train configs/tetka/small.yaml",
        "opponents": ["greedy"],
        "aims": {"greedy": 1.2},
    },
    {
        "kind": "run",
        "name": "mini",
        "title": "A small game",
        "note": "",
        "game": "terz_mini",
        "folder": "run",
        "command": "python -m training train configs/terz_micro/small.yaml",
        "opponents": [],
        "aims": {"nash_conv": 0.3},
    },
    {
        "kind": "run",
        "name": "attack",
        "title": "An exploiter",
        "note": "",
        "game": "tetka",
        "folder": "run",
        "command": "python -m training train configs/tetka/exploiter.yaml",
        "opponents": ["greedy"],
        "aims": {"greedy": 1.2},
        "attacks": True,
    },
]
CURVE = """states,decisions,entropy,greedy,greedy ±,nash_conv
1000,0,1.1,,,
1000,500,1.0,2.5,0.25,0.5
1000,900,0.9,,,
1000,1300,0.8,1.5,0.125,0.25
"""


def planned(folder: Path, *entries: dict[str, Any]) -> Path:
    """The file of a plan whose results lie in a folder."""
    file = folder / "plan.yaml"
    measurements = [
        {**entry, "folder": str(folder / entry["folder"])} if "folder" in entry else entry
        for entry in entries
    ]
    data = {
        "title": "How strong",
        "folder": str(folder / "strength"),
        "seed": 5,
        "measurements": measurements,
    }
    file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return file


def all_units(file: Path) -> tuple[ReportPlan, list[Unit]]:
    plan = load_plan(file)
    units = [unit for entry in plan.measurements for unit in units_of(entry, plan.seed, file)]
    return plan, units


def measured(file: Path) -> tuple[ReportPlan, list[Outcome]]:
    plan, units = all_units(file)
    return plan, measure(units, Path(plan.folder), lambda unit: lambda done, total: None)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plan of a report of everything, measured and written."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "run").mkdir()
    (folder / "run" / "curve.csv").write_text(CURVE, encoding="utf-8")
    facts = {"config": {"evaluation": {"deals": 30}}, "versions": {"numpy": "2.0"}}
    (folder / "run" / "run.yaml").write_text(yaml.safe_dump(facts), encoding="utf-8")
    file = planned(folder, LADDER, *OTHERS)
    plan, outcomes = measured(file)
    assert [outcome.failure for outcome in outcomes if outcome.failure] == []
    assert all(outcome.is_new for outcome in outcomes)
    assert render(plan, file) == []
    return file


def text_of(file: Path) -> str:
    return page_of(load_plan(file)).read_text(encoding="utf-8")


# What is measured.


def test_what_is_measured_is_not_measured_again(report: Path) -> None:
    _, outcomes = measured(report)
    assert not any(outcome.is_new or outcome.failure for outcome in outcomes)


def test_every_file_says_how_where_and_with_what_it_was_measured(report: Path) -> None:
    plan, units = all_units(report)
    for unit in units:
        data = json.loads((Path(plan.folder) / unit.file).read_bytes())
        known = data.get("measured") or data["notes"]
        assert known["command"] == unit.command
        assert known["machine"]
        assert "numpy" in known["versions"]


@pytest.mark.parametrize("change", [{"deals": 14}, {"seed": 6}])
def test_results_of_other_deals_count_as_missing(
    report: Path, tmp_path: Path, change: dict[str, int]
) -> None:
    plan, _ = all_units(report)
    shutil.copytree(plan.folder, tmp_path / "strength")
    data = yaml.safe_load(report.read_text(encoding="utf-8"))
    data |= {"folder": str(tmp_path / "strength"), "seed": change.get("seed", 5)}
    data["measurements"] = data["measurements"][:1]
    deals = change.get("deals", 12)
    data["measurements"][0]["against"] = {"random": deals, "greedy": deals}
    file = tmp_path / "plan.yaml"
    file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    assert render(load_plan(file), file) == [
        "A ladder: terz/small against random",
        "A ladder: terz/small against greedy",
    ]
    _, outcomes = measured(file)
    assert all(outcome.is_new for outcome in outcomes)
    assert render(load_plan(file), file) == []


@pytest.mark.parametrize("name", ["ladder", "cross", "regret", "deals"])
def test_results_of_other_weights_are_shown_until_they_are_measured_again(
    report: Path, tmp_path: Path, name: str
) -> None:
    plan, units = all_units(report)
    unit = next(unit for unit in units if unit.file.parts[0] == name)
    kept = Path(plan.folder) / unit.file
    data = json.loads(kept.read_bytes())
    digests = data["plan"]["digests"] if "plan" in data else data.get("digests")
    if digests is None:
        data["digest"] = "0" * 64
    else:
        digests[next(iter(digests))] = "0" * 64
    file = tmp_path / "changed.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    assert unit.fits(file)
    assert unit.is_kept(kept)
    assert not unit.is_kept(file)


def test_an_interrupted_arena_goes_on_where_it_was(report: Path, tmp_path: Path) -> None:
    plan, units = all_units(report)
    unit = units[0]
    file = tmp_path / unit.file.name

    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        unit.measure(file, stop)
    assert not file.exists()
    seen: list[int] = []
    unit.measure(file, lambda done, total: seen.append(done))
    assert seen[0] == 3
    whole, resumed = read_results(Path(plan.folder) / unit.file), read_results(file)
    assert whole.played.keys() == resumed.played.keys()
    for pairing, played in whole.played.items():
        np.testing.assert_array_equal(played, resumed.played[pairing])
    assert [path.name for path in tmp_path.iterdir()] == [unit.file.name]


def test_a_run_that_went_on_is_read_again_and_one_that_is_gone_is_kept(
    report: Path, tmp_path: Path
) -> None:
    plan, units = all_units(report)
    unit = next(unit for unit in units if unit.file.parts[0] == "run")
    kept = Path(plan.folder) / unit.file
    curve = report.parent / "run" / "curve.csv"
    try:
        curve.write_text(CURVE + "1000,1700,0.7,1.25,0.125,\n", encoding="utf-8")
        assert not unit.is_kept(kept)
        curve.unlink()
        assert unit.is_kept(kept)
        with pytest.raises(TrainingError, match="no results for greedy"):
            unit.measure(tmp_path / "run.json", lambda done, total: None)
    finally:
        curve.write_text(CURVE, encoding="utf-8")


def test_a_player_that_does_not_exist_does_not_stop_the_others(tmp_path: Path) -> None:
    entry = {**LADDER, "players": ["terz/none", "greedy"], "aims": {}, "places": []}
    file = planned(tmp_path, {**entry, "against": {"random": 4}})
    plan, outcomes = measured(file)
    assert [outcome.is_new for outcome in outcomes] == [False, True]
    assert "no player is called 'terz/none'" in outcomes[0].failure
    assert render(plan, file) == ["A ladder: terz/none against random"]
    assert "## Not measured\n\n- A ladder: terz/none against random\n" in text_of(file)


# What the figures are.


def results_of(game: str, scope: str, forms: tuple[str, ...], played: list[Any]) -> Results:
    plan = Plan.make(game, ["random", "greedy"], len(played), scope=scope, forms=forms)
    pairing = plan.pairings[0]
    return Results(plan, {pairing: np.array(played)}, {pairing: []}, {})


def test_a_match_counts_one_if_it_is_won() -> None:
    results = results_of("terz", "match", (), [[[1, -1], [1, -1]], [[1, -1], [-1, 1]]])
    assert own_results(results).tolist() == [[1, 0], [1, 1]]


@pytest.mark.rule("K7")
def test_equal_lowest_totals_share_a_rubber() -> None:
    seats = [[35, 7, -9, -33], [10, 10, 10, -30], [7, 35, -33, -9], [20, -20, -20, 20]]
    results = results_of("tetka", "rubber", ("1v3",), [seats[:1] * 4, seats])
    order = results.plan.seatings
    assert order == ["ABBB", "BABB", "BBAB", "BBBA"]
    assert own_results(results)[0].tolist() == [1, 0, 0, 0]
    assert own_results(results)[1].tolist() == pytest.approx([1, 1 / 3, 0, 1 / 2])


def test_places_are_counted_from_the_left_of_the_dealer() -> None:
    marks = [[7, 3, 3, -13], [7, 3, 3, -13], [7, 3, 3, -13], [7, 3, 3, -13]]
    results = results_of("tetka", "deal", ("1v3",), [marks, marks])
    assert own_results(results)[0].tolist() == [0, 1, 1, 5]
    ordered = by_place(results, np.array([3, 0]))
    assert ordered.tolist() == [[0, 1, 1, 5], [1, 1, 5, 0]]


@pytest.mark.parametrize(("game", "forms"), [("terz", ()), ("tetka", ("1v3",))])
def test_a_deal_counts_as_in_an_evaluation(game: str, forms: tuple[str, ...]) -> None:
    if game == "terz":
        played: list[Any] = [[[30, -30], [10, -10]], [[-20, 20], [5, -5]]]
    else:
        played = [[[7, 3, 3, -13]] * 4, [[-21, 7, 7, 7], [3, 3, 3, -9], [7, 7, 7, -21], [7] * 4]]
        played[1][3] = [3, -1, -1, -1]
    results = results_of(game, "deal", forms, played)
    results.times["random"] = (1, 0.0)
    assert own_results(results).mean() == pytest.approx(score_of(results).row.result.mean)


def test_the_command_of_a_row_gives_the_row(report: Path, tmp_path: Path) -> None:
    _, units = all_units(report)
    words = units[0].command.split()
    assert words[:2] == ["terz", "evaluate"]
    json_file = tmp_path / "again.json"
    ended = CliRunner().invoke(terz, [*words[1:], "--json", str(json_file)])
    assert ended.exit_code == 0
    (score,) = json.loads(json_file.read_bytes())["scores"]
    found = score["row"]["result"]
    assert f"| terz/small | random | {found['mean']:+.2f} |" in text_of(report)


# The deals that are drawn.


def one(number: int, mean: float, lost: float | None, chance: float = 0.5) -> Played:
    step = Step(8, 0, "9S", (("9S", chance), ("TS", 0.25)), lost, 30.0)
    return Played(number, 0, mean, mean, (step,))


def test_each_rule_picks_a_deal_and_none_is_picked_twice() -> None:
    played = [one(0, -50, 0), one(1, 40, 3), one(2, 0, 30), one(3, 0, 20, 0.9), one(4, 0, 0)]
    assert [deal.number for _, deal in picked("terz", played)] == [0, 1, 2, 3, 4]


def test_in_tetka_many_marks_are_bad() -> None:
    found = picked("tetka", [one(0, 3, None), one(1, 1, None)])
    assert [(rule.split()[1], deal.number) for rule, deal in found] == [("worst", 0), ("best", 1)]


def test_the_deals_are_records_that_can_be_played_again(report: Path) -> None:
    plan, units = all_units(report)
    unit = next(unit for unit in units if unit.file.parts[0] == "deals")
    data = json.loads((Path(plan.folder) / unit.file).read_bytes())
    assert len(data["picked"]) >= 3
    for deal in data["picked"]:
        replay(deal["record"])
        own, other = (
            deal["record"]["scores"][deal["seat"]],
            deal["record"]["scores"][1 - deal["seat"]],
        )
        assert own - other == deal["result"]
        thought = [step for step in deal["steps"] if step["top"]]
        assert thought
        for step in thought:
            chances = dict(step["top"])
            assert step["seat"] == deal["seat"]
            assert max(chances, key=chances.__getitem__) == step["action"]
            assert sum(chances.values()) <= 1.001
            assert (step["lost"] is None) == (step["trick"] < 8)


def test_a_deal_is_drawn_trick_by_trick() -> None:
    entry = DrawnDeals.model_validate(
        {
            "kind": "deals",
            "name": "deals",
            "title": "",
            "note": "",
            "game": "terz",
            "player": "terz/small",
            "opponent": "greedy",
            "deals": 2,
        }
    )
    steps = [
        {"trick": 7, "seat": 1, "action": "9S", "top": [["9S", 0.75], ["TS", 0.2]], "lost": None},
        {"trick": 7, "seat": 0, "action": "KS", "top": [], "lost": None},
        {"trick": 8, "seat": 0, "action": "run:JH", "top": [], "lost": None},
        {"trick": 8, "seat": 0, "action": "JH", "top": [], "lost": None},
        {"trick": 8, "seat": 1, "action": "7D", "top": [["7D", 0.9], ["8D", 0.1]], "lost": 12.0},
    ]
    deal = {"number": 3, "seat": 1, "result": -40.0, "mean": -5.0, "rule": "The worst"}
    rule, words, text = drawing({**deal, "drawing": "the cards", "steps": steps}, entry)
    assert rule == "The worst"
    assert words.startswith("Deal 3: `terz/small` is seat_1 and gets -40 points;")
    assert text.splitlines() == [
        "the cards",
        "",
        "  7  seat_1* 9S  seat_0 KS",
        "       9S 75%, TS 20%",
        "  8  seat_0 run:JH JH  seat_1* 7D",
        "       7D 90%, 8D 10%; 7D gives away 12",
    ]


def test_a_player_without_chances_is_refused(tmp_path: Path) -> None:
    entry = next(entry for entry in OTHERS if entry["kind"] == "deals")
    _, outcomes = measured(planned(tmp_path, {**entry, "player": "heuristic"}))
    assert [outcome.failure for outcome in outcomes] == [
        "heuristic is no trained policy alone: its chances cannot be told"
    ]


# The page.


def test_the_page_shows_every_measurement(report: Path) -> None:
    text = text_of(report)
    for title in ("A ladder", "Rubbers", "Cross-play", "Regret", "Times", "Deals", "A run"):
        assert f"\n## {title}\n" in text
    assert "How it was." in text
    assert "| ≥ +5 |" in text
    assert "Cyclic residue" in text
    assert "| greedy | last | 2,300 | 1.500 | 0.125 |" in text
    assert "| nash_conv | last | 2,300 | 0.250 |  |" in text
    assert "Not measured" not in text
    folder = page_of(load_plan(report)).parent
    links = [line.partition("](")[2][:-1] for line in text.splitlines() if line.startswith("![")]
    assert len(links) == 8
    assert all((folder / link).is_file() for link in links)


def test_the_page_says_what_was_aimed_for_and_what_was_reached(report: Path) -> None:
    plan = load_plan(report)
    render(plan, report)
    text = page_of(plan).read_text(encoding="utf-8")
    _, _, table = text.partition("## What was aimed for\n")
    table, _, _ = table.partition("\n## ")
    run = ", against greedy, marks"
    for row in (
        "| regret of terz/small, points | ≤ 1000.00 | ",
        "| terz/small, milliseconds a move | ≤ 0.0 | ",
        f"| A run{run} | ≤ 1.20 | 1.50 (1.38 to 1.62) | missed |",
        f"| An exploiter{run} | ≥ 1.20 | 1.50 (1.38 to 1.62) | reached |",
        "| NashConv in terz_mini, share of the uniform policy's | ≤ 30.0% | 25.0% | reached |",
    ):
        assert row in table
    assert "| terz/small against greedy, points | ≥ +5.00 | " in table
    assert len(table.strip().splitlines()) == 2 + 6


@pytest.mark.parametrize(
    ("mean", "verdict"), [(12.0, REACHED), (10.5, NEARLY), (9.5, MISSED), (8.0, CLEARLY)]
)
def test_a_goal_is_reached_by_the_mean_or_by_the_whole_interval(mean: float, verdict: str) -> None:
    assert Goal("points", Estimate(mean, 1.5, 9), 10.0, at_least=True).verdict == verdict
    assert Goal("marks", Estimate(-mean, 1.5, 9), -10.0, at_least=False).verdict == verdict


def test_every_command_stands_on_the_page(report: Path) -> None:
    text = text_of(report)
    _, units = all_units(report)
    for unit in units[2:]:
        assert f"    {unit.command}\n" in text
    both = "terz evaluate terz/small --game terz --against random --against greedy --deals 12"
    assert f"    {both} --regret-deals 0 --seed 5\n" in text


def test_the_page_is_written_without_the_players(
    report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = text_of(report)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a player was loaded")

    monkeypatch.setattr(arenas.Plan, "make", refuse)
    assert render(load_plan(report), report) == []
    assert text_of(report) == before


def test_the_committed_page_is_what_its_results_give(tmp_path: Path) -> None:
    plan = load_plan(ROOT / PLAN_FILE)
    page = ROOT / page_of(plan)
    shutil.copytree(ROOT / plan.folder, tmp_path / page.stem)
    moved = plan.model_copy(update={"folder": str(tmp_path / page.stem)})
    render(moved, PLAN_FILE)
    assert page_of(moved).read_text(encoding="utf-8") == page.read_text(encoding="utf-8")


# What is refused.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "quiz"}, "quiz"),
        ({"deal": 3}, "ladder.deal: unknown key"),
        ({"scope": "game"}, "scope"),
        ({"places": ["heuristic"]}, "heuristic in aims or places do not play"),
        ({"aims": {"greedy": {"random": 1}}}, "greedy in aims or places do not play"),
        ({"against": {"pimc:5@x,weights": 9}, "aims": {}, "places": []}, "has a comma"),
        ({"name": "A B"}, "name"),
    ],
)
def test_a_wrong_plan_says_what_is_wrong(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=r"plan\.yaml: ") as refused:
        load_plan(planned(tmp_path, {**LADDER, **change}))
    assert message in str(refused.value)


def test_two_measurements_need_two_names(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="two measurements are called ladder"):
        load_plan(planned(tmp_path, LADDER, LADDER))


def test_damaged_results_are_named(report: Path, tmp_path: Path) -> None:
    _, units = all_units(report)
    unit = next(unit for unit in units if unit.file.parts[0] == "times")
    file = tmp_path / "times.json"
    file.write_text("{", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"times\.json: no JSON"):
        unit.fits(file)
    file.write_text('{"format": "terz-strength-times/0"}', encoding="utf-8")
    with pytest.raises(TrainingError, match="is expected: measure it again"):
        unit.fits(file)


def test_files_are_called_by_the_players() -> None:
    assert file_name("pimc:20@terz/base,weights") == "pimc_20_terz_base_weights.json"
    arena = Arena("x", "terz", "deal", ("a", "b", "c"), 10, 0, ("1v1",))
    assert arena.file == Path("x/results.json")


def test_the_command_measures_and_writes(tmp_path: Path) -> None:
    entry = {**LADDER, "players": ["greedy"], "against": {"random": 4, "terz/none": 4}}
    file = planned(tmp_path, {**entry, "aims": {}, "places": []})
    runner = CliRunner()
    ended = runner.invoke(app, ["measure", str(file)])
    assert ended.exit_code == 1
    assert "no player is called 'terz/none'" in ended.output
    assert "1 measured, 0 there already, 1 could not be" in ended.output
    ended = runner.invoke(app, ["measure", str(file), "--only", "ladder"])
    assert "0 measured, 1 there already, 1 could not be" in ended.output
    ended = runner.invoke(app, ["render", str(file)])
    assert (ended.exit_code, "1 results are missing" in ended.output) == (0, True)
    ended = runner.invoke(app, ["measure", str(file), "--only", "none"])
    assert (ended.exit_code, "use ladder" in ended.output) == (2, True)
    ended = runner.invoke(app, ["render", str(tmp_path / "no.yaml")])
    assert (ended.exit_code, "no.yaml" in ended.output) == (2, True)


def test_an_interruption_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Arena, file: Path, tell: Tell) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Arena, "measure", interrupt)
    file = planned(tmp_path, {**LADDER, "players": ["greedy"], "aims": {}, "places": []})
    ended = CliRunner().invoke(app, ["measure", str(file)])
    assert ended.exit_code == 130
    assert "the same command goes on" in ended.output

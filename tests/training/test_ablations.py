"""The ablations: a plan, its runs, and the page that is written from them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from terz_env.evaluation.matches import duplicate_match
from terz_env.players import load_player
from tests.training.tiny_runs import tiny
from training.ablations.clock import Clock
from training.ablations.commands import app
from training.ablations.figures import difference, over_seeds
from training.ablations.page import page_of, render
from training.ablations.plan import AblationPlan, load_plan
from training.ablations.runs import AblationRun, runs_of
from training.config import ConfigError
from training.errors import TrainingError
from training.measuring import Outcome, measure
from training.units import Tell

ROOT = Path(__file__).parents[2]
PLAN_FILE = Path("configs/ablations.yaml")
GROUP: dict[str, Any] = {
    "game": "tetka",
    "config": "tetka.yaml",
    "budget": ["ppo.epochs=1"],
    "note": "How it was.",
    "yardsticks": {"random": 4, "greedy": 6},
    "variants": [
        {"name": "base", "title": "nothing", "overrides": []},
        {"name": "bare", "title": "no bootstrap", "overrides": ["bootstrap.states=0"]},
    ],
}


def silent(run: AblationRun) -> Tell:
    return lambda done, total: None


def planned(folder: Path, home: Path | None = None, **changes: Any) -> Path:
    """The file of a plan whose runs and results lie in a folder, its configurations at home."""
    home = home or folder
    group = {**GROUP, **{key: value for key, value in changes.items() if key in GROUP}}
    game = group["game"]
    config = home / f"{game}.yaml"
    if not config.exists():
        tree = tiny(game, "decisions=2000").model_dump(by_alias=True)
        config.write_text(yaml.safe_dump(tree), encoding="utf-8")
    data = {
        "title": "What it takes",
        "folder": str(folder / "ablations"),
        "runs": str(folder / "runs"),
        "seeds": [1, 2],
        "deals_seed": 8,
        **{key: value for key, value in changes.items() if key not in GROUP},
    }
    data["groups"] = data.get("groups", [{**group, "config": str(home / group["config"])}])
    file = folder / "plan.yaml"
    file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return file


def measured(file: Path) -> tuple[AblationPlan, list[Outcome]]:
    plan = load_plan(file)
    return plan, measure(runs_of(plan, file), Path(plan.folder), silent)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plan of two variants with two seeds, measured and written."""
    file = planned(tmp_path_factory.mktemp("ablations"))
    plan, outcomes = measured(file)
    assert [(outcome.is_new, outcome.failure) for outcome in outcomes] == [(True, "")] * 4
    assert render(plan, file) == []
    return file


def copied(report: Path, folder: Path, **changes: Any) -> Path:
    """A plan with the runs and results of another one, in a folder of its own."""
    shutil.copytree(report.parent, folder, dirs_exist_ok=True)
    return planned(folder, report.parent, **changes)


def text_of(file: Path) -> str:
    return page_of(load_plan(file)).read_text(encoding="utf-8")


def data_of(file: Path) -> dict[str, dict[str, Any]]:
    """What is kept, by the names of the files."""
    folder = Path(load_plan(file).folder)
    return {path.stem: json.loads(path.read_bytes()) for path in folder.glob("*.json")}


# What is measured.


def test_a_file_holds_a_run_with_what_it_took_and_what_it_reached(report: Path) -> None:
    kept = data_of(report)
    assert sorted(kept) == ["tetka-bare-1", "tetka-bare-2", "tetka-base-1", "tetka-base-2"]
    assert [kept[name]["states"] for name in ("tetka-base-1", "tetka-bare-1")] == [1000, 0]
    for name, data in kept.items():
        assert data["decisions"] >= 2000
        assert data["cpu_seconds"] > 0
        assert data["wall_seconds"] > 0
        assert data["measured"]["machine"]
        assert "torch" in data["measured"]["versions"]
        assert data["measured"]["command"].endswith(f"plan.yaml --only {name[:-2]}")
        for yardstick, deals in GROUP["yardsticks"].items():
            result = data["results"][yardstick]
            assert len(result["deals"]) == deals
            assert np.mean(result["deals"]) == pytest.approx(result["mean"])
            assert result["low"] <= result["mean"] <= result["high"]


def test_the_results_are_those_of_a_duplicate_match(report: Path) -> None:
    run = runs_of(load_plan(report), report)[0]
    match = duplicate_match(load_player(run.output), load_player("greedy"), "tetka", 6, 8)
    assert data_of(report)["tetka-base-1"]["results"]["greedy"]["mean"] == match.mean


def test_what_is_measured_is_not_measured_again(report: Path) -> None:
    _, outcomes = measured(report)
    assert not any(outcome.is_new or outcome.failure for outcome in outcomes)


def test_terz_is_played_with_the_solver_where_the_configuration_says_so(tmp_path: Path) -> None:
    yardsticks = {"greedy+solver": 20}
    file = planned(tmp_path, game="terz", config="terz.yaml", yardsticks=yardsticks)
    plan = load_plan(file)
    run = next(run for run in runs_of(plan, file) if run.variant.name == "bare")
    run.measure(tmp_path / "kept.json", silent(run))
    kept = json.loads((tmp_path / "kept.json").read_bytes())["results"]["greedy+solver"]
    other = load_player("greedy+solver")
    match = duplicate_match(load_player(f"{run.output}+solver"), other, "terz", 20, 8)
    assert kept["mean"] == match.mean


def test_an_interrupted_run_goes_on_from_its_last_checkpoint(report: Path, tmp_path: Path) -> None:
    plan = load_plan(planned(tmp_path))
    run = runs_of(plan, tmp_path / "plan.yaml")[0]
    file = tmp_path / "kept.json"

    def stop(done: int, total: int) -> None:
        if done > 1000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.measure(file, stop)
    assert not file.exists()
    before = Clock.go_on(run.output, 2)
    seen: list[int] = []
    run.measure(file, lambda done, total: seen.append(done))
    assert seen[0] > 1000
    resumed, whole = json.loads(file.read_bytes()), data_of(report)["tetka-base-1"]
    assert resumed["results"] == whole["results"]
    assert (resumed["states"], resumed["decisions"]) == (whole["states"], whole["decisions"])
    assert before.states == 1000
    assert resumed["cpu_seconds"] >= round(before.cpu, 1)


@pytest.mark.parametrize("lost", ["configuration", "clock"])
def test_the_remains_of_another_run_are_begun_anew(report: Path, tmp_path: Path, lost: str) -> None:
    file = copied(report, tmp_path, seeds=[1, 3])
    if lost == "configuration":
        shutil.copytree(tmp_path / "runs/tetka/base/1", tmp_path / "runs/tetka/base/3")
        run = next(run for run in runs_of(load_plan(file), file) if run.seed == 3)
    else:
        run = runs_of(load_plan(file), file)[0]
        (run.output / "clock.csv").unlink()
    seen: list[int] = []
    run.measure(tmp_path / "kept.json", lambda done, total: seen.append(done))
    assert seen[0] <= 1000
    assert seen[-1] >= 3000


@pytest.mark.parametrize(
    "change",
    [
        {"deals_seed": 9},
        {"yardsticks": {"random": 4, "greedy": 8}},
        {
            "variants": [
                GROUP["variants"][0],
                {**GROUP["variants"][1], "overrides": ["decisions=9"]},
            ]
        },
    ],
)
def test_results_of_another_plan_count_as_missing(
    report: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    file = copied(report, tmp_path, **change)
    missing = render(load_plan(file), file)
    bare = ["tetka, bare, seed 1", "tetka, bare, seed 2"]
    assert missing == bare if "variants" in change else len(missing) == 4
    assert all(f"- {label}\n" in text_of(file) for label in missing)


def test_results_may_be_older_than_some_keys(report: Path, tmp_path: Path) -> None:
    file = copied(report, tmp_path)
    run = runs_of(load_plan(file), file)[0]
    kept = tmp_path / "ablations" / run.file
    data = json.loads(kept.read_bytes())
    del data["config"]["solver"], data["config"]["start"]
    kept.write_text(json.dumps(data), encoding="utf-8")
    assert run.fits(kept)


@pytest.mark.parametrize("change", ["the base", "its settings", "its keys"])
def test_results_of_another_base_count_as_missing(
    report: Path, tmp_path: Path, change: str
) -> None:
    file = copied(report, tmp_path)
    run = runs_of(load_plan(file), file)[0]
    kept = tmp_path / "ablations" / run.file
    assert run.fits(kept)
    data = json.loads(kept.read_bytes())
    if change == "the base":
        data["base"] = "configs/tetka/base.yaml"
    elif change == "its keys":
        del data["config"]["ppo"]
    else:
        data["config"]["ppo"]["epochs"] += 1
    kept.write_text(json.dumps(data), encoding="utf-8")
    assert not run.fits(kept)


# What the figures are.


def test_the_interval_is_that_of_student() -> None:
    found = over_seeds({1: 1.0, 2: 2.0, 3: 4.0})
    assert found is not None
    assert found.mean == pytest.approx(7 / 3)
    assert found.half_width == pytest.approx(4.302653 * np.sqrt(7 / 3) / np.sqrt(3))
    assert over_seeds({1: 1.0}) is None


def test_differences_are_taken_in_pairs_of_a_seed() -> None:
    found = difference({1: 2.0, 2: 5.0, 4: 9.0}, {2: 4.0, 1: 1.5, 3: 0.0})
    assert found is not None
    assert found.mean == pytest.approx(0.75)
    assert found.half_width == pytest.approx(12.706205 * 0.25)
    assert difference({1: 2.0, 2: 5.0}, {2: 4.0}) is None


# The page.


def test_the_page_tells_the_variants_from_the_base(report: Path, tmp_path: Path) -> None:
    file = copied(report, tmp_path)
    plan = load_plan(file)
    means = {"base-1": (2.0, 1.0), "base-2": (2.2, 1.0), "bare-1": (1.0, 1.5), "bare-2": (1.3, 0.5)}
    for name, values in means.items():
        kept = tmp_path / "ablations" / f"tetka-{name}.json"
        data = json.loads(kept.read_bytes())
        for yardstick, value in zip(("random", "greedy"), values, strict=True):
            data["results"][yardstick]["mean"] = value
        data |= {"cpu_seconds": 300.0, "decisions": 2000}
        kept.write_text(json.dumps(data), encoding="utf-8")
    render(plan, file)
    text = page_of(plan).read_text(encoding="utf-8")
    assert "| base | 2 | 2,000 | 1,000 | 5.0 | 2.10 ± 1.27 |  | 1.00 ± 0.00 |  |\n" in text
    cells = "1.15 ± 1.91 | -0.95 ± 0.64 | 1.00 ± 6.35 | +0.00 ± 6.35"
    assert f"| bare | 2 | 2,000 | 0 | 5.0 | {cells} |\n" in text
    assert "Against random `bare` is better than the base." in text
    assert "Against greedy `bare` is not distinguishable from the base." in text


def test_the_page_shows_what_there_is(report: Path, tmp_path: Path) -> None:
    file = copied(report, tmp_path)
    plan = load_plan(file)
    (tmp_path / "ablations/tetka-base-1.json").unlink()
    (tmp_path / "ablations/tetka-bare-2.json").unlink()
    assert render(plan, file) == ["tetka, base, seed 1", "tetka, bare, seed 2"]
    text = page_of(plan).read_text(encoding="utf-8")
    assert "Against greedy nothing can be compared yet." in text
    (tmp_path / "ablations/tetka-base-2.json").unlink()
    assert len(render(plan, file)) == 3


def test_the_page_is_labelled_and_complete(report: Path) -> None:
    text = text_of(report)
    assert text.startswith("# What it takes\n\n**Short runs.**")
    assert "How it was." in text
    assert "| bare | no bootstrap | bootstrap.states=0 |\n" in text
    assert f"    python -m training.ablations measure {report} " in text
    assert "Not measured" not in text
    assert "![Results of each seed](ablations/tetka.svg)" in text
    assert (Path(load_plan(report).folder) / "tetka.svg").is_file()


def test_the_committed_page_is_what_its_results_give(tmp_path: Path) -> None:
    plan = load_plan(ROOT / PLAN_FILE)
    page = ROOT / page_of(plan)
    folder = tmp_path / page.stem
    folder.mkdir()
    for file in (ROOT / plan.folder).glob("*.json"):
        shutil.copy(file, folder)
    moved = plan.model_copy(update={"folder": str(folder)})
    render(moved, PLAN_FILE)
    assert page_of(moved).read_text(encoding="utf-8") == page.read_text(encoding="utf-8")


# What is refused.


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 3}, "seed: unknown key"),
        ({"seeds": [1]}, "seeds"),
        ({"seeds": [1, 1]}, "a seed is given twice"),
        ({"deals_seed": 2}, "runs are trained on the deals of 2"),
        ({"deals_seed": 1000002}, "for the evaluations of its runs"),
        ({"variants": GROUP["variants"][::-1]}, "the first variant, bare, has to change nothing"),
        ({"variants": GROUP["variants"][:1] * 2}, "two variants are called base"),
        (
            {"variants": [*GROUP["variants"], {"name": "x", "title": "", "overrides": ["a=1"]}]},
            "tetka, x: ",
        ),
        ({"config": "none.yaml"}, "none.yaml"),
        ({"game": "terz", "config": "tetka.yaml"}, "is of tetka, not of terz"),
    ],
)
def test_a_wrong_plan_says_what_is_wrong(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    planned(tmp_path)
    with pytest.raises(ConfigError, match=r"plan\.yaml: ") as refused:
        load_plan(planned(tmp_path, **change))
    assert message in str(refused.value)


def test_a_game_has_one_group(tmp_path: Path) -> None:
    group = {**GROUP, "config": str(tmp_path / "tetka.yaml")}
    with pytest.raises(ConfigError, match="a game has two groups"):
        load_plan(planned(tmp_path, groups=[group, group]))


def test_damaged_results_are_named(report: Path, tmp_path: Path) -> None:
    run = runs_of(load_plan(report), report)[0]
    (tmp_path / "x.json").write_text("{", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"x\.json: no JSON"):
        run.fits(tmp_path / "x.json")


def test_the_command_measures_and_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def note(run: AblationRun, file: Path, tell: Tell) -> None:
        file.with_suffix(".txt").write_text("", encoding="utf-8")

    monkeypatch.setattr(AblationRun, "measure", note)
    file = planned(tmp_path)
    runner = CliRunner()
    for only, files in (("bare", 2), ("tetka-base", 4), ("tetka", 4)):
        ended = runner.invoke(app, ["measure", str(file), "--only", only])
        assert ended.exit_code == 0
        assert len(list((tmp_path / "ablations").glob("*.txt"))) == files
    assert "4 measured, 0 there already, 0 could not be" in ended.output
    ended = runner.invoke(app, ["render", str(file)])
    assert (ended.exit_code, "4 runs are missing" in ended.output) == (0, True)
    ended = runner.invoke(app, ["measure", str(file), "--only", "none"])
    assert (ended.exit_code, "tetka-bare" in ended.output) == (2, True)
    ended = runner.invoke(app, ["render", str(tmp_path / "no.yaml")])
    assert ended.exit_code == 2
    assert ended.output.startswith("error: ")
    assert "no.yaml" in ended.output

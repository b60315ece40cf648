"""A player against the yardsticks: what is played, its files, and the command."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from terz_env.cli import arena
from terz_env.cli.app import app
from terz_env.evaluation.backends import OneProcess
from terz_env.evaluation.evaluating import (
    Evaluation,
    evaluate,
    plans,
    read_evaluation,
)
from terz_env.evaluation.evaluation_files import card_text, write_report
from terz_env.evaluation.matches import MatchError, duplicate_match
from terz_env.evaluation.plan import ArenaError
from terz_env.evaluation.regret import regret
from terz_env.evaluation.running import run
from terz_env.evaluation.yardsticks import SELECTIONS, is_search, select
from terz_env.games import get_game
from terz_env.players import PlayerError, check_plays, load_player
from tests.evaluation.players import load
from tests.models import save_model


def opponents(*words: str, **options: object) -> list[str]:
    return [plan.players[1] for plan in plans(*words, **options)]  # type: ignore[arg-type]


def small(game: str = "tetka", **options: object) -> Evaluation:
    planned = plans("greedy", game=game, yardsticks="random,heuristic", deals=6, seed=3)
    return evaluate(planned, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_every_yardstick_is_a_player_of_its_game(game: str, selection: str) -> None:
    names = SELECTIONS[selection].names[game]
    assert len(set(names)) == len(names) > 3
    for name in names:
        check_plays(load_player(name), game)


def test_a_named_player_meets_the_other_yardsticks() -> None:
    assert opponents("greedy", game="terz") == ["random", "random:announce", "heuristic", "pimc:10"]
    assert opponents("random:announce", yardsticks=["greedy"]) == ["greedy"]
    assert opponents("random:announce", yardsticks="greedy, heuristic") == ["greedy", "heuristic"]
    assert "pimc:100+solver" in opponents("greedy", game="terz", yardsticks="full")


def test_players_that_search_play_fewer_deals_unless_told() -> None:
    quick = select("tetka")
    found = {plan.players[1]: plan.deals for plan in plans("greedy", game="tetka")}
    assert found["random"] == quick.deals > quick.search_deals == found["pimc:10"]
    assert {plan.deals for plan in plans("pimc:5", game="tetka")} == {quick.search_deals}
    assert {plan.deals for plan in plans("greedy", game="tetka", deals=9)} == {9}
    assert [is_search(name) for name in ("pimc:5", "ismcts:10+solver", "greedy")] == [1, 1, 0]


def test_an_evaluation_that_cannot_be_is_refused() -> None:
    with pytest.raises(MatchError, match="greedy plays both: name the game"):
        plans("greedy")
    with pytest.raises(MatchError, match="not 'terz_mini'"):
        plans("greedy", game="terz_mini")
    with pytest.raises(PlayerError, match="no player is called 'nobody'"):
        plans("nobody")
    with pytest.raises(PlayerError, match="random:announce plays terz, not tetka"):
        plans("random:announce", game="tetka")
    with pytest.raises(ArenaError, match="greedy has nobody to play against"):
        plans("greedy", game="terz", yardsticks="greedy")
    with pytest.raises(ArenaError, match="yardsticks ','; use quick, full, or names and commas"):
        plans("greedy", game="terz", yardsticks=",")


def test_a_trained_policy_plays_by_the_rules_of_its_training(tmp_path: Path) -> None:
    name = str(save_model(tmp_path, "terz", "follow=free,illegal_actions=penalise"))
    (plan,) = plans(name, yardsticks=["random"])
    assert (plan.rules["follow"], plan.rules["illegal_actions"]) == ("free", "forfeit")
    with pytest.raises(PlayerError, match=r"follow=free .*, not under follow=strict"):
        plans(name, yardsticks=["random"], rules={})
    (plan,) = plans(name, yardsticks=["random"], rules={}, any_rules=True)
    assert plan.rules["follow"] == "strict"
    found = evaluate(plans(f"{name}+solver", yardsticks=["random"], deals=2))
    assert (len(found.digest), found.rules["follow"]) == (64, "free")


@pytest.mark.parametrize(("game", "par"), [("terz", 0.0), ("tetka", 1.75)])
def test_a_player_against_itself_is_exactly_at_par(game: str, par: float) -> None:
    planned = plans("greedy", game=game, yardsticks="heuristic", deals=6)

    def play(plan):  # type: ignore[no-untyped-def]
        return run(plan, OneProcess(lambda _: load("first")))

    (score,) = evaluate(planned, play=play).scores
    assert (score.row.result.mean, score.row.result.half_width) == (par, 0.0)


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_results_are_those_of_a_match_on_the_same_deals(game: str) -> None:
    for score in small(game).scores:
        if score.row.opponent != "random":  # no chance but the deal
            other = load_player(score.row.opponent)
            match = duplicate_match(load_player("greedy"), other, game, 6, 3)
            assert score.row.result.mean == pytest.approx(match.mean)
            assert score.row.result.half_width == pytest.approx(match.half_width)


def test_answers_that_were_none_are_counted() -> None:
    def play(plan):  # type: ignore[no-untyped-def]
        return run(plan, OneProcess(lambda name: load("cheats" if name == "greedy" else name)))

    (score,) = evaluate(
        plans("greedy", game="terz", yardsticks="random", deals=4), play=play
    ).scores
    assert score.forfeits == 8


def test_an_evaluation_is_read_as_it_was_written(tmp_path: Path) -> None:
    given = regret("terz", "greedy", 2)
    found = small("terz", regret=given, notes={"command": "terz evaluate", "machine": "a | b"})
    file = tmp_path / "evaluation.json"
    file.write_text(found.to_json(), encoding="utf-8")
    assert read_evaluation(file) == found


def test_a_damaged_evaluation_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "evaluation.json"
    good = json.loads(small().to_json())
    for change in ({"scores": 3}, {"scores": [{}]}, {"game": 1}, {"odd": 1}, {"regret": [1]}):
        file.write_text(json.dumps({**good, **change}), encoding="utf-8")
        with pytest.raises(ArenaError, match=r"evaluation\.json: damaged evaluation"):
            read_evaluation(file)
    for text in ("[1]", '{"format": "terz-evaluation/9"}'):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ArenaError, match="'terz-evaluation/1' is expected: evaluate again"):
            read_evaluation(file)
    file.write_bytes(b"\xff")
    with pytest.raises(ArenaError, match="damaged evaluation"):
        read_evaluation(file)


def test_the_table_of_a_card_is_markdown_with_its_conditions() -> None:
    notes = {"command": "terz evaluate greedy", "machine": "fast"}
    text = card_text(dataclasses.replace(small(notes=notes), player="tetka/small"))
    lines = text.splitlines()
    assert "tetka/small against the yardsticks:" in lines
    assert "    terz evaluate greedy" in lines
    assert [line.split(" | ")[0] for line in lines if line.startswith("|")] == [
        "| against",
        "| ---",
        "| random",
        "| heuristic",
    ]
    assert "1.75 marks are a fair share" in text
    assert "Seed 3; 95 % intervals" in text


def test_a_report_has_its_tables_plot_and_data(tmp_path: Path) -> None:
    found = small("terz", notes={"machine": "fast"})
    for folder in ("one", "two"):
        write_report(found, tmp_path / folder)
    files = {path.name: path for path in (tmp_path / "one").iterdir()}
    assert set(files) == {"report.md", "yardsticks.svg", "evaluation.json"}
    for name, path in files.items():
        assert path.read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert ElementTree.parse(files["yardsticks.svg"]).getroot().tag.endswith("svg")
    assert read_evaluation(files["evaluation.json"]) == found
    text = files["report.md"].read_text(encoding="utf-8")
    assert text.startswith("# greedy: terz\n\ngreedy against the yardsticks:\n")
    assert "![yardsticks.svg](yardsticks.svg)" in text
    assert "\n\n- machine: fast\n" in text


def terz(*options: object) -> tuple[int, str]:
    """Runs the command; returns its status and what it prints."""
    words = [str(option) for option in ("evaluate", *options)]
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, words)
    return result.exit_code, result.output


SHORT = ("greedy", "--game", "terz", "--deals", 4, "--yardsticks", "random,heuristic")


def test_the_command_prints_and_writes_what_it_finds(tmp_path: Path) -> None:
    file, report = tmp_path / "e.json", tmp_path / "report"
    status, output = terz(*SHORT, "--regret-deals", 2, "--json", file, "--report", report)
    assert status == 0, output
    for word in ("greedy against the yardsticks", "heuristic", "Regret of greedy, points"):
        assert word in output
    found = read_evaluation(file)
    assert found == read_evaluation(report / "evaluation.json")
    assert set(found.notes) == {"command", "machine", "versions"}
    assert {path.name for path in (report / "deals").iterdir()} == {
        "random.json",
        "heuristic.json",
    }


def test_the_command_prints_the_table_of_a_card_alone() -> None:
    for deals in (0, 2):
        words = ["evaluate", *map(str, SHORT), "--regret-deals", str(deals), "--card"]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        printed = result.stdout
        assert printed.startswith("greedy against the yardsticks:\n\n| against | result |")
        assert ("Regret of greedy" in printed) == (deals > 0)


def test_a_policy_is_evaluated_by_its_file(tmp_path: Path) -> None:
    folder = save_model(tmp_path, "tetka")
    status, output = terz(folder / "model.safetensors", "--against", "random", "--deals", 2)
    assert status == 0, output
    assert "model.safetensors against the yardsticks" in output.replace("\n", "")


def test_an_interrupted_report_is_taken_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(OneProcess):
        count = 0

        def take(self):  # type: ignore[no-untyped-def]
            Stopped.count += 1
            if Stopped.count == 6:
                raise KeyboardInterrupt
            return super().take()

    report = tmp_path / "report"
    options = (*SHORT, "--regret-deals", 0, "--report", report)
    monkeypatch.setattr(arena, "OneProcess", Stopped)
    status, output = terz(*options)
    assert (status, "interrupted; go on with --resume" in output) == (130, True)
    assert sorted(path.name for path in (report / "deals").iterdir()) == [
        "heuristic.json.journal",
        "random.json",
    ]
    assert terz(*options, "--resume")[0] == 0
    assert Stopped.count == 6 + 3
    resumed = read_evaluation(report / "evaluation.json")
    again = evaluate(plans("greedy", game="terz", yardsticks="random,heuristic", deals=4))
    assert [score.row for score in resumed.scores] == [score.row for score in again.scores]
    status, output = terz(*options, "--resume", "--seed", 9)
    assert (status, "random.json holds other deals" in output) == (2, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("greedy",), "greedy plays both: name the game"),
        ((*SHORT, "--resume"), "--resume needs the --report"),
        ((*SHORT, "--rules", "odd"), "'odd' is no preset"),
        (("no such file.onnx",), "no policy can be read"),
    ],
)
def test_a_command_that_makes_no_sense_says_why(options: tuple[object, ...], message: str) -> None:
    status, output = terz(*options)
    assert status == 2
    assert message in output.replace("\n", " ")


def test_the_command_lets_a_policy_play_by_other_rules_when_told_so(tmp_path: Path) -> None:
    folder = save_model(tmp_path, "terz")
    words = (folder, "--against", "random", "--deals", 2, "--rules", "classic")
    status, output = terz(*words)
    assert (status, "was trained under follow=strict" in output) == (2, True)
    assert terz(*words, "--any-rules")[0] == 0
    assert get_game("terz").rules("classic").fingerprint in output

"""The command and the report's files."""

from __future__ import annotations

import itertools
import json
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from terz_env.cli import arena as command
from terz_env.cli.app import app
from terz_env.evaluation.backends import OneProcess
from terz_env.evaluation.control import controls
from terz_env.evaluation.report_files import write_report
from terz_env.evaluation.results import read_results
from terz_env.evaluation.running import run
from terz_env.evaluation.summary import summarise
from tests.evaluation.plans import plan
from tests.evaluation.players import load


class Balanced(HTMLParser):
    """Keeps the open elements, the images and the links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.files: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "img"):
            self.open.append(tag)
        self.files += [text for name, text in attrs if name in ("src", "href") and text]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.slow
def test_the_report_is_well_formed_and_the_same_each_time(tmp_path: Path) -> None:
    wanted = plan("tetka", "random", "raises", "first", deals=40, chunk=10)
    results = run(wanted, OneProcess(load))
    summary = summarise(results, controls(wanted, reference=100))
    files = write_report(summary, tmp_path / "one")
    again = write_report(summary, tmp_path / "two")
    assert [file.read_bytes() for file in files] == [file.read_bytes() for file in again]

    page = Balanced()
    page.feed((tmp_path / "one" / "report.html").read_text())
    assert page.open == []
    assert set(page.files) == {
        "advantages.svg",
        "cross_play.svg",
        "ratings.svg",
        "results.json",
    }
    assert all((tmp_path / "one" / name).is_file() for name in page.files)
    for file in (tmp_path / "one").glob("*.svg"):
        assert ElementTree.parse(file).getroot().tag.endswith("svg")

    lines = (tmp_path / "one" / "report.md").read_text().splitlines()
    for before, line in itertools.pairwise(lines):
        if before.startswith("|") and line.startswith("|"):
            assert before.count(" | ") == line.count(" | ")
    assert lines.count("## Forfeits") == 1
    assert any(line.startswith("| raises | ") and "three is too many" in line for line in lines)


def test_names_stay_text_in_the_pages(tmp_path: Path) -> None:
    results = run(plan("terz", "<b>|x", "[red]"), OneProcess(lambda _: load("first")))
    write_report(summarise(results), tmp_path)
    assert "<b>" not in (tmp_path / "report.html").read_text()
    assert "&lt;b>\\|x – [red]" in (tmp_path / "report.md").read_text()


def terz(*options: object) -> tuple[int, str]:
    """Runs the command; returns its status and what it prints."""
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, [str(option) for option in options])
    return result.exit_code, result.output


MEETING = ("arena", "--game", "terz", "--players", "random", "greedy", "--deals", 4, "--seed", 2)


def test_the_command_plays_writes_and_reads_again(tmp_path: Path) -> None:
    file, report = tmp_path / "r.json", tmp_path / "report"
    status, output = terz(*MEETING, "--json", file, "--report", report, "--chunk", 2)
    assert status == 0, output
    assert "random – greedy" in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.json", "report"]
    assert json.loads(file.read_text())["format"] == "terz-arena/1"
    assert read_results(file).to_dict() == read_results(report / "results.json").to_dict()
    status, again = terz("arena", "--read", file)
    assert status == 0
    assert again.splitlines()[0] in output


def test_the_command_goes_on_where_it_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(OneProcess):
        count = 0

        def take(self):  # type: ignore[no-untyped-def]
            Stopped.count += 1
            if Stopped.count == 2:
                raise KeyboardInterrupt
            return super().take()

    whole, file = tmp_path / "whole.json", tmp_path / "r.json"
    assert terz(*MEETING, "--chunk", 1, "--json", whole)[0] == 0
    options = (*MEETING, "--chunk", 1, "--json", file)
    monkeypatch.setattr(command, "OneProcess", Stopped)
    status, output = terz(*options)
    assert (status, "interrupted; go on with --resume" in output) == (130, True)
    status, output = terz(*options)
    assert (status, "give --resume" in output) == (2, True)
    assert terz(*options, "--resume")[0] == 0
    assert Stopped.count == 5
    first, second = (read_results(path).to_dict() for path in (whole, file))
    assert first["pairings"] == second["pairings"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.json", "whole.json"]


@pytest.mark.slow
def test_the_command_takes_all_its_options(tmp_path: Path) -> None:
    status, output = terz(
        *("arena", "--game", "tetka", "--players", "greedy", "random", "--deals", 6),
        *("--form", "1v3", "--form", "3v1", "--sprt", "0:1", "--control", "--chunk", 3),
        *("--report", tmp_path / "new" / "folder"),
    )
    assert status == 0, output
    assert "open" in output
    assert "variance ratio" in output
    assert not (tmp_path / "new" / "folder" / "arena.journal").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("arena",), "give --game and --players"),
        (("arena", "--read", "x", "--game", "terz"), "--read takes no --game"),
        ((*MEETING, "--resume"), "--resume needs the --json or --report"),
        ((*MEETING, "--sprt", "1"), "use LOW:HIGH"),
        (("arena", "--game", "terz", "--players", "random"), "name at least two"),
        (("arena", "--read", "no such file"), "no such file"),
        (("regret", "--game", "go", "--player", "random"), "no game 'go'"),
    ],
)
def test_a_command_that_makes_no_sense_says_why(options: tuple[object, ...], message: str) -> None:
    status, output = terz(*options)
    assert status == 2
    assert message in output.replace("\n", " ")


@pytest.mark.slow
def test_regret_has_a_table() -> None:
    status, output = terz("regret", "--game", "terz", "--player", "greedy", "--deals", 3)
    assert status == 0
    assert "Regret of greedy, points" in output

"""The guides: every block of Python in them runs, and every page that they name is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
PAGES = (
    "README.md",
    "docs/guide.md",
    "docs/models.md",
    "docs/openspiel.md",
    "docs/sb3.md",
    "docs/tianshou.md",
    "docs/torchrl.md",
)
LEARNING = "docs/selfplay.md"


def run_blocks(page: str) -> int:
    """Runs the blocks of a page one after another in one namespace; returns how many there are."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    return len(blocks)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_the_guides_runs(page: str) -> None:
    assert run_blocks(page) > 1


@pytest.mark.slow
def test_the_learner_of_forty_lines_learns(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_blocks(LEARNING) > 1
    marks = float(capsys.readouterr().out.split()[0])
    assert marks < 1.67


@pytest.mark.parametrize("page", sorted(path.name for path in (ROOT / "docs").glob("*.md")))
def test_every_page_that_is_linked_is_there(page: str) -> None:
    folder = ROOT / "docs"
    for target in re.findall(r"\]\(([^)#:]+)\)", (folder / page).read_text(encoding="utf-8")):
        assert (folder / target).exists(), target


def test_everything_the_readme_links_is_there() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target

"""docs/observations.md says what the layouts say, and its examples run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from terz_env.observations_doc import observations_doc

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "docs" / "observations.md"


def test_the_document_is_what_the_layouts_say() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == observations_doc()


def test_the_document_is_written_by_its_command(tmp_path: Path) -> None:
    target = tmp_path / "observations.md"
    command = [sys.executable, "-m", "terz_env.observations_doc", str(target)]
    subprocess.run(command, check=True, cwd=ROOT)
    assert target.read_text(encoding="utf-8") == observations_doc()


def test_the_examples_of_the_document_run() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    blocks = re.findall(r"(?m)(?:^ {4}.*\n(?:\n(?= {4}))?)+", text)
    assert len(blocks) == 2
    names: dict[str, object] = {}
    exec("".join(re.sub(r"(?m)^ {4}", "", block) for block in blocks), names)
    assert isinstance(names["action"], int)

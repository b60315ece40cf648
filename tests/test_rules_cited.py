"""Every numbered rule has a test that cites it, and every cited number exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
NUMBERS = {
    *(f"T{number}" for number in range(1, 30)),
    *(f"K{number}" for number in range(1, 12)),
    *(f"M{number}" for number in range(1, 4)),
}

# What a player may look back at: no state, observation or record of this package shows it.
NOT_SHOWN = {"T26", "K9"}


def cited_by_tests() -> set[str]:
    cited: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        for mark in re.findall(r"mark\.rule\(([^)]*)\)", path.read_text(encoding="utf-8")):
            cited.update(re.findall(r'"([^"]+)"', mark))
    return cited


def test_every_rule_that_shows_has_a_test_and_every_cited_rule_exists() -> None:
    assert cited_by_tests() == NUMBERS - NOT_SHOWN


def test_the_documents_state_every_rule_and_the_code_cites_no_other() -> None:
    for name in ("rules_en.md", "rules_ru.md"):
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert set(re.findall(r"\b[TKM]\d+\b", text)) >= NUMBERS
    for path in (ROOT / "terz_env").rglob("*.py"):
        for rule in re.findall(r"Rules? ([TKM]\d+)", path.read_text(encoding="utf-8")):
            assert rule in NUMBERS, path

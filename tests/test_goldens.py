"""Seeded play stays what it was: golden records, byte for byte, and fingerprints."""

from __future__ import annotations

import json

import pytest

from terz_env.games.terz.variant import TerzRules
from terz_env.records import read_record, replay
from tests.golden_play import RECORDED, SERIES, file_of, fingerprint, golden_records

FINGERPRINTS = {
    ("terz", "deal"): "8164e43b7ca1ce7f",
    ("terz", "match"): "41aae910520e481a",
    ("tetka", "deal"): "87fefecc881fe8cb",
    ("tetka", "rubber"): "382763bfb40074fa",
    ("terz_mini", "deal"): "6af8a6006a1087d8",
    ("terz_micro", "deal"): "5862c336fbc8d83e",
    ("tetka_micro", "deal"): "c3bae7a19880161e",
}
ADVICE = (
    "Seeded play has changed. If a rule was meant to move, name it in CHANGELOG.md and run"
    " python -m tests.golden_play"
)


@pytest.mark.parametrize(("game", "scope"), RECORDED)
def test_the_golden_records_are_written_again_byte_for_byte(game: str, scope: str) -> None:
    golden = file_of(game, scope).read_bytes().splitlines(keepends=True)
    for number, line in enumerate(golden_records(game, scope)):
        assert line.encode() == golden[number], f"{ADVICE}: {game}, {scope}, line {number + 1}"
    assert len(golden) == number + 1


@pytest.mark.parametrize(("game", "scope"), RECORDED)
def test_the_golden_records_can_be_replayed(game: str, scope: str) -> None:
    for line in file_of(game, scope).read_bytes().splitlines():
        record = json.loads(line)
        steps = sum(len(deal["actions"]) for deal in record["deals"])
        assert replay(read_record(line)) == steps > 0


def test_the_golden_records_hold_every_preset_and_penalty() -> None:
    records = [
        json.loads(line)
        for series in RECORDED
        for line in file_of(*series).read_text(encoding="utf-8").splitlines()
    ]
    rules = [record["rules"] for record in records if record["game"] == "terz"]
    assert all(TerzRules.parse(preset).to_dict() in rules for preset in TerzRules.PRESETS)
    kinds = {
        (record["game"], penalty["kind"])
        for record in records
        for deal in record["deals"]
        for penalty in deal.get("penalties", [])
    }
    assert kinds == {
        ("terz", "false_announcement"),
        ("terz", "forfeit"),
        ("tetka", "revoke"),
        ("tetka", "forfeit"),
    }


@pytest.mark.parametrize(("game", "scope"), SERIES)
def test_the_fingerprint_of_seeded_play_is_what_it_was(game: str, scope: str) -> None:
    assert fingerprint(game, scope) == FINGERPRINTS[game, scope], f"{ADVICE}: {game}, {scope}"

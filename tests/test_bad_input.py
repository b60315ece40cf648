"""What cannot be played is refused with the documented error, and nothing has changed."""

from __future__ import annotations

import copy
import io
import json
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from terz_env.cli.app import app
from terz_env.cli.replaying import check_lines
from terz_env.errors import IllegalActionError, RecordError, RuleSetError, SeedError
from terz_env.kernel import COMPILED
from terz_env.records import read_record, record_game, replay
from terz_env.rng import checked_number
from terz_env.selfplay import SelfPlayBatch, expand_bits
from terz_env.state import State

SERIES = [("terz", "deal"), ("terz", "match"), ("tetka", "deal"), ("tetka", "rubber")]
WILD: list[Any] = [
    None, True, -1, 1 << 70, 1.5, float("inf"), "", "\ud800", "\x00", "7S", [], {}, [[]], "x" * 999
]  # fmt: skip


def line_of(game: str, scope: str = "deal", seed: int = 0) -> str:
    chooser = random.Random(seed)
    record = record_game(
        game, None, scope, seed, 0, lambda state: chooser.choice(state.legal_actions()), True
    )
    return json.dumps(record)


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_actions_that_mean_nothing_leave_the_state_byte_for_byte(game: str) -> None:
    state = State.new(game, seed=2)
    before = state.to_bytes()
    wrong: list[Any] = [
        float("nan"), None, True, np.True_, 1e9, 10**400, -(10**400), np.float64(0), np.int8(-1),
        np.uint64(1 << 63), np.array([0]), np.array([[0]]), b"7S", "7s", "", "7S\n", "\ud800", [0],
        {}, object(), 0j, slice(1),
    ]  # fmt: skip
    for action in wrong:
        with pytest.raises(IllegalActionError):
            state.apply(action)
        assert state.to_bytes() == before


@pytest.mark.parametrize("mode", ["raise", "forfeit", "penalise"])
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_no_action_follows_the_end(game: str, mode: str) -> None:
    state = State.new(game, f"illegal_actions={mode}", seed=2)
    while not state.is_over:
        state.apply(state.legal_actions()[0])
    before = state.to_bytes()
    for action in (0, "2S", "invalid", -1, 10**30, None):
        words = "the deal is over" if action is not None else "no action"
        with pytest.raises(IllegalActionError, match=words):
            state.apply(action)  # type: ignore[arg-type]
        assert state.to_bytes() == before


@pytest.mark.parametrize("mode", ["raise", "penalise"])
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_a_batch_takes_integers_of_its_own_shape_only(game: str, mode: str) -> None:
    batch = SelfPlayBatch(game, 3, rules=f"illegal_actions={mode}")
    before = [batch.states.tobytes(), batch.masks.tobytes(), batch.bits.tobytes()]
    wrong: list[Any] = [
        [0, 0], [[0], [0], [0]], [0.0, 0.0, 0.0], [float("nan")] * 3, [True] * 3, [None] * 3,
        [1 << 70] * 3, "abc", None, {}, [[1], [2, 3]], np.zeros(3, complex), np.zeros(3, object),
        np.zeros(3, "M8[s]"), 0, np.zeros((0,), int),
    ]  # fmt: skip
    for actions in wrong:
        with pytest.raises(ValueError, match=r"integers of shape|inhomogeneous"):
            batch.step(actions)
        assert [batch.states.tobytes(), batch.masks.tobytes(), batch.bits.tobytes()] == before


def test_numbers_out_of_range_are_judged_without_reaching_an_array() -> None:
    numbers = [-1, 1 << 40, -(1 << 62), 10_000]
    for game in ("terz", "tetka"):
        batch = SelfPlayBatch(game, 4, rules="illegal_actions=forfeit")
        batch.step(np.array(numbers))
        assert batch.ends.all()
        wide = np.array([(1 << 64) - 1] * 4, np.uint64)
        with pytest.raises(IllegalActionError, match="row 0"):
            SelfPlayBatch(game, 4).step(wide)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [0, -5, True, 1.5, "3", None, [2], 1 << 70])
def test_a_batch_of_no_size_is_refused(size: Any) -> None:
    with pytest.raises(ValueError, match="at least one"):
        SelfPlayBatch("terz", size)


@pytest.mark.parametrize(
    "seed", [-1, 1 << 63, 1 << 20_000, True, np.True_, 1.0, "1", None, [1]], ids=type
)
def test_a_seed_is_a_whole_number_of_63_bits(seed: Any) -> None:
    with pytest.raises(SeedError, match="seed"):
        checked_number(seed, "seed")
    with pytest.raises(SeedError, match="seed"):
        SelfPlayBatch("terz", 1, seed=seed)
    with pytest.raises(SeedError, match="first_environment"):
        SelfPlayBatch("tetka", 1, first_environment=seed)
    assert checked_number(np.uint64((1 << 63) - 1), "seed") == (1 << 63) - 1


def test_no_more_is_expanded_than_the_bits_hold() -> None:
    bits = np.zeros((3, 2), np.uint64)
    assert expand_bits(bits, 128).shape == (3, 128)
    for wrong, entries in ((bits, 129), (bits, -1), (bits[0], 5), (bits.astype(float), 5)):
        with pytest.raises(ValueError, match="entries from bits"):
            expand_bits(wrong, entries)


@pytest.mark.parametrize(
    "rules",
    [
        5, ["russian"], {1: 2}, {"follow": ["strict"]}, {"follow": np.array([1, 2])},
        {"seven_min_talon": 2.0}, {"seven_min_talon": True}, {"target_settle": 10**400},
        {"target_settle": 501.0}, {"follow": float("nan")}, {"\ud800": "strict"},
        "target_announce=--5", "target_settle=" + "9" * 5000, "seven_min_talon=٢", "follow=",
        "=strict", "follow=strict=free", "\x00", "russian russian",
    ],
    ids=lambda rules: ascii(rules)[:30],
)  # fmt: skip
def test_rules_that_are_none_are_refused(rules: Any) -> None:
    with pytest.raises(RuleSetError):
        State.new("terz", rules)


def wrong_lines() -> Iterator[tuple[str, bytes]]:
    line = line_of("terz")
    yield "no UTF-8: .* in byte", line.encode("utf-16")
    yield "no UTF-8: .* in byte", line.replace("terz", "tërz").encode("latin-1")
    yield "no JSON", line.encode("utf-16-le")
    yield "no JSON: .*BOM", line.encode("utf-8-sig")
    yield "no JSON", line.encode() + b"\x00"
    yield "no JSON", line.replace('"terz"', '"te\x00rz"').encode()
    yield "no JSON", line.encode()[:-1]
    yield "no JSON", (line + line).encode()
    yield "'seed' stands twice", line.replace('"seed"', '"seed": 1, "seed"').encode()
    yield "'dealer' stands twice", line.replace('"dealer"', '"dealer": 0, "dealer"').encode()
    for number in ("1e400", "-1e400", "NaN", "Infinity", "0.0", "1E2"):
        seed = '"seed": 0'
        assert seed in line
        yield "whole numbers only", line.replace(seed, f'"seed": {number}').encode()
    yield "number is too long", line.replace(seed, '"seed": ' + "9" * 5000).encode()
    yield "whole number or null", line.replace(seed, '"seed": ' + "9" * 50).encode()
    yield "nested too deeply", b"[" * 100_000
    yield "nested too deeply", b'{"a":' * 100_000
    yield "an object is expected", b"[" * 500 + b"]" * 500
    yield "format", b"{" + b",".join(b'"%d":0' % n for n in range(100_000)) + b"}"
    yield "stands twice", b"{" + b'"a":0,' * 100_000 + b'"b":0}'


def test_lines_in_the_wrong_form_are_refused_with_the_reason() -> None:
    for reason, line in wrong_lines():
        with pytest.raises(RecordError, match=reason) as refused:
            replay(read_record(line))
        assert len(str(refused.value)) < 1000


def test_a_file_of_wrong_lines_is_read_to_its_end() -> None:
    lines = [line for _, line in wrong_lines() if b"\n" not in line]
    lines.append(line_of("tetka").encode())
    reports: list[str] = []
    good, bad = check_lines(io.BytesIO(b"\n".join(lines)), "file", reports.append)
    assert (good, bad) == (1, len(lines) - 1)
    assert all(len(report) < 1000 for report in reports)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yields the path of every value within a record."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


@pytest.mark.parametrize(("game", "scope"), SERIES)
def test_a_record_with_anything_anywhere_is_refused_or_means_the_same(
    game: str, scope: str
) -> None:
    record = json.loads(line_of(game, scope, 1))
    chooser = random.Random(3)
    unchanged = json.dumps(record)
    everywhere = [path for path in places(record) if path]
    shallow = [path for path in everywhere if len(path) < 4]
    reasons, harmless = [], []
    for _ in range(400 if COMPILED else 40):
        changed = copy.deepcopy(record)
        path = chooser.choice(chooser.choice((everywhere, shallow)))
        holder = changed
        for key in path[:-1]:
            holder = holder[key]
        if chooser.random() < 0.2:
            del holder[path[-1]]
        else:
            holder[path[-1]] = chooser.choice(WILD)
        try:
            replay(changed)
        except RecordError as error:
            reasons.append(str(error))
        else:
            if json.dumps(changed) != unchanged:
                harmless.append(path)
    assert max(map(len, reasons)) < 2000
    # A seed is not checked, an option may take its default, and lists of legal actions may lack.
    assert all(path[0] in {"seed", "rules"} or path[-1] == "legal" for path in harmless), harmless


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_a_line_with_bytes_changed_is_refused_or_a_record(game: str) -> None:
    line = line_of(game).encode()
    chooser = random.Random(4)
    for _ in range(300 if COMPILED else 40):
        changed = bytearray(line)
        for _ in range(chooser.randint(1, 3)):
            changed[chooser.randrange(len(changed))] = chooser.randrange(256)
        good, bad = check_lines(io.BytesIO(bytes(changed)), "file", len)
        assert good + bad >= 1


@pytest.mark.parametrize(
    "words",
    [
        ("record", "--game", "terz", "--seed", str(1 << 63)),
        ("record", "--game", "terz", "--games", "-1"),
        ("record", "--game", "terz", "--games", "many"),
        ("record", "--game", "terz", "--scope", "rubber"),
        ("record", "--game", "tetka", "--scope", "match"),
        ("record", "--game", "terz", "--rules", "target_announce=--5"),
        ("record", "--game", "terz", "--rules", "target_settle=" + "9" * 5000),
        ("record", "--game", "terz_mini"),
        ("record", "--game", ""),
        ("record", "--game", "tetka", "--player", "\x00"),
        ("count", "--game", "terz", "--depth", "-1"),
        ("count", "--game", "terz", "--step", str(10**30)),
        ("replay", "/"),
        ("bench", "--game", "whist"),
        ("bench", "--batch", "0"),
    ],
)
def test_the_command_ends_with_a_message_and_status_2(words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 2, result.exception
    assert result.stdout == ""
    assert result.stderr
    assert "Traceback" not in result.stderr

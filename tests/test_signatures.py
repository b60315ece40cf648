"""Every kernel is compiled for one signature, however odd the dtypes and arrays that come in."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from terz_env.kernel import COMPILED
from terz_env.records import record_game
from terz_env.selfplay import SelfPlayBatch, expand_bits
from terz_env.state import State


def kernels() -> dict[str, Any]:
    """Returns the compiled entry points of the package's modules that are loaded, by name."""
    return {
        f"{module.__name__}.{name}": entry
        for path, module in list(sys.modules.items())
        if path.startswith("terz_env.")
        for name, entry in vars(module).items()
        if getattr(entry, "targetoptions", {}).get("nogil")
    }


@pytest.mark.parametrize("scope", ["deal", "series"])
@pytest.mark.parametrize("observation", ["bits", "uint8", "float32", "none"])
@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_odd_arrays_play_as_plain_ones_and_compile_nothing_new(
    game: str, observation: str, scope: str
) -> None:
    series = {"deal": "deal", "series": "match" if game == "terz" else "rubber"}[scope]

    def batch(number: Any) -> SelfPlayBatch:
        return SelfPlayBatch(
            game,
            number(4),
            seed=number(3),
            first_environment=number(2),
            scope=series,
            observation=observation,
        )

    plain = batch(int)
    odd = [batch(kind) for kind in (np.int32, np.uint8, np.int64, np.uint64, np.int16, int)]
    for _ in range(3):
        chosen = plain.masks.argmax(axis=1)
        wide = np.zeros(8, np.int64)
        wide[::2] = chosen
        fixed = chosen.copy()
        fixed.flags.writeable = False
        askew = np.frombuffer(b"x" + chosen.tobytes(), np.int64, offset=1)
        forms = [chosen.astype(">i4"), chosen.astype(np.uint8), wide[::2], chosen.tolist()]
        plain.step(chosen)
        for table, actions in zip(odd, [*forms, fixed, askew], strict=True):
            table.step(actions)
            assert table.states.tobytes() == plain.states.tobytes()
            np.testing.assert_array_equal(table.observations, plain.observations)
    if observation != "none":
        entries = plain.game.layout.n_entries
        floats = expand_bits(plain.bits, entries)
        np.testing.assert_array_equal(floats[::2], expand_bits(plain.bits[::2], entries))
        turned = np.asfortranarray(plain.bits)
        np.testing.assert_array_equal(floats, expand_bits(turned, entries))
        turned.flags.writeable = False
        np.testing.assert_array_equal(floats, expand_bits(turned, entries))


@pytest.mark.parametrize("game", ["terz", "tetka"])
def test_odd_actions_play_as_plain_ones(game: str) -> None:
    plain, odd = State.new(game, seed=5), State.new(game, seed=5)
    kinds = [np.int8, np.uint16, np.int64, np.array, str]
    for step in range(20):
        action = plain.legal_actions()[0]
        kind = kinds[step % len(kinds)]
        plain.apply(action)
        odd.apply(odd.game.actions[action] if kind is str else kind(action))
        assert odd == plain
    assert State.from_bytes(game, bytearray(odd.to_bytes())) == plain
    record_game(game, None, "deal", 0, 0, lambda state: state.legal_actions()[-1], True)


def test_no_kernel_has_more_than_one_signature() -> None:
    for game in ("terz", "tetka"):
        test_odd_arrays_play_as_plain_ones_and_compile_nothing_new(game, "uint8", "series")
        test_odd_arrays_play_as_plain_ones_and_compile_nothing_new(game, "float32", "deal")
        test_odd_actions_play_as_plain_ones(game)
    counts = {name: len(entry.signatures) for name, entry in kernels().items()}
    assert bool(counts) == COMPILED
    assert {name: count for name, count in counts.items() if count > 1} == {}
    used = [name for name in counts if name.endswith((".step_batch", ".step_one", "expand_floats"))]
    assert {counts[name] for name in used} == ({1} if COMPILED else set())

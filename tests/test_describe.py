"""An observation in words."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import terz_env
from terz_env.errors import ObservationError, UnknownGameError
from terz_env.games import NAMES
from terz_env.observation import VIEWS
from terz_env.state import State
from terz_env.views import get_view, look
from tests.witness import random_deal


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", NAMES)
def test_every_view_of_every_game_is_told_with_the_seats_own_cards(name: str, view: str) -> None:
    played = random_deal(name, 5, 6)
    for seat in range(played.game.n_seats):
        seen = look(played.state, seat, view, played.log)
        text = terz_env.describe(seen, game=name, view=view)
        assert text.splitlines()[0] == f"{name}, view {view}"
        cards = played.hands[seat] if view == "history" else played.state.hand(seat)
        assert " ".join(cards) in text
        for dtype in (np.float32, bool, np.int64):
            assert terz_env.describe(seen.astype(dtype), game=name, view=view) == text


def test_the_game_is_found_by_the_shape_and_the_mask_is_told() -> None:
    state = State.new("tetka", seed=1)
    seat = state.seat_to_act
    mask = np.zeros(52, np.int8)
    mask[state.legal_actions()] = 1
    text = terz_env.describe({"observation": look(state, seat), "action_mask": mask})
    assert text.startswith("tetka, view observation\n")
    assert text.endswith(f"legal: {' '.join(state.legal_names())}")
    idle = terz_env.describe({"observation": look(state, seat), "action_mask": 0 * mask})
    assert idle.endswith("legal: -")
    assert terz_env.describe({"observation": look(state, seat)}).splitlines()[-1][:6] == "scores"
    for name in ("terz", "tetka_micro", "terz_micro"):
        seen = look(State.new(name), 0, "history")
        assert terz_env.describe(seen, view="history").startswith(f"{name}, ") or name == "terz"


def test_what_is_no_observation_is_refused_with_the_shapes_that_are() -> None:
    seen = look(State.new("terz"), 0)
    cases: list[tuple[object, dict[str, str], str]] = [
        (seen[:-1], {}, r"terz \(533,\)"),
        (seen, {"game": "tetka"}, r"tetka \(627,\)"),
        (seen, {"view": "pixels"}, "observation, table, state, history"),
        (2 * seen, {}, "zeros and ones"),
        (np.full(533, np.nan), {}, "zeros and ones"),
        ("no observation", {}, "array of zeros and ones"),
        ({"action_mask": seen}, {}, "shape"),
        ({"observation": seen, "action_mask": [1, 0]}, {}, "74 actions"),
    ]
    for observation, options, reason in cases:
        with pytest.raises(ObservationError, match=reason):
            terz_env.describe(observation, **options)  # type: ignore[arg-type]
    with pytest.raises(UnknownGameError):
        terz_env.describe(seen, game="whist")


def test_importing_the_package_loads_neither_numba_nor_torch() -> None:
    code = "import sys, terz_env; sys.exit(bool({'numba', 'torch'} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="explain"):
        terz_env.explain  # noqa: B018


def test_a_view_is_expanded_in_its_shape() -> None:
    for name in NAMES:
        for view in VIEWS:
            shown = get_view(name, view)
            words = np.full(shown.n_words, -1, np.int64)
            assert shown.expand(words).shape == shown.shape
            assert shown.expand(words).sum() == shown.n_entries

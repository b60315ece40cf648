"""The engine and the slow reference agree after every step, for every option."""

from __future__ import annotations

import pytest

from tests.parity import DEALS, play_terz, play_terz_small, play_tetka, play_tetka_micro

CHUNKS = 8


@pytest.mark.rule("T4", "T5", "T7", "T9", "T18", "T25", "T26", "T29")
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_terz_agrees_with_the_reference_on_random_play(chunk: int) -> None:
    for seed in range(chunk, DEALS, CHUNKS):
        play_terz(seed)


@pytest.mark.rule("K1", "K2", "K3", "K4", "K5", "K6", "K7", "K9", "K10", "K11")
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_tetka_agrees_with_the_reference_on_random_play(chunk: int) -> None:
    for seed in range(chunk, DEALS, CHUNKS):
        play_tetka(seed)


@pytest.mark.rule("M1", "M2")
@pytest.mark.parametrize("name", ["terz_mini", "terz_micro"])
def test_the_small_terz_games_agree_with_the_reference(name: str) -> None:
    for seed in range(min(DEALS, 500)):
        play_terz_small(name, seed)


@pytest.mark.rule("M3")
def test_the_small_tetka_game_agrees_with_the_reference() -> None:
    for seed in range(min(DEALS, 500)):
        play_tetka_micro(seed)

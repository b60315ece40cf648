"""The engine and the slow reference agree after every step, for every option."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import pytest

from terz_env.games.terz.variant import TerzRules
from tests.parity import DEALS, play_terz, play_terz_small, play_tetka, play_tetka_micro
from tests.sources import SeededSource

CHUNKS = 8
FULL_RUN = 20_000


def evenly(names: Iterable[str], often: int) -> dict[str, int]:
    return dict.fromkeys(names, often)


MODES = evenly((f"illegal_actions={mode}" for mode in ("raise", "forfeit", "penalise")), 4000)

# What has to occur in a run of 20,000 games.
TERZ_FLOORS = MODES | {
    **evenly((f"{name}={v}" for name, values in TerzRules.CHOICES.items() for v in values), 1000),
    **evenly((f"target_announce={value}" for value in (300, 500, 501)), 1000),
    **evenly((f"target_settle={value}" for value in (300, 501, 510)), 1000),
    **evenly(TerzRules.PRESETS, 1000),
    **evenly(("scope=deal", "scope=match"), 4000),
    **evenly(("false_announcement", "forfeit", "exchange"), 2000),
    **evenly(("run false", "run scored, scored by the announcer"), 4000),
    **evenly(("four false", "run beaten, scored by the opponent"), 600),
    **evenly(("run beaten", "four scored, scored by the announcer", "marriage false"), 100),
    "marriage scored, scored by the announcer": 1500,
    **evenly(("match won in mid-deal", "match won at settlement", "match forfeited"), 100),
}
TETKA_FLOORS = MODES | {
    **evenly(("scope=deal", "scope=rubber", "revoke"), 4000),
    **evenly(("forfeit", "rubbers ended"), 1000),
}


def shortfalls(tally: Mapping[str, int], floors: Mapping[str, int], games: int) -> dict[str, int]:
    """Returns what occurred less often than its share of the games asks.

    Few games may miss it by three standard deviations; a full run may not.
    """
    wanted = {name: floor * games / FULL_RUN for name, floor in floors.items()}
    slack = 0 if games * CHUNKS >= FULL_RUN else 3
    return {
        name: tally[name]
        for name, often in wanted.items()
        if tally[name] < often - slack * often**0.5
    }


@pytest.mark.rule("T4", "T5", "T7", "T9", "T18", "T25", "T29")
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_terz_agrees_with_the_reference_on_random_play(chunk: int) -> None:
    tally: Counter[str] = Counter()
    seeds = range(chunk, DEALS, CHUNKS)
    for seed in seeds:
        play_terz(SeededSource(seed), tally)
    assert not shortfalls(tally, TERZ_FLOORS, len(seeds))


@pytest.mark.rule("K1", "K2", "K3", "K4", "K5", "K6", "K7", "K10", "K11")
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_tetka_agrees_with_the_reference_on_random_play(chunk: int) -> None:
    tally: Counter[str] = Counter()
    seeds = range(chunk, DEALS, CHUNKS)
    for seed in seeds:
        play_tetka(SeededSource(seed), tally)
    assert not shortfalls(tally, TETKA_FLOORS, len(seeds))


@pytest.mark.rule("M1", "M2")
@pytest.mark.parametrize("name", ["terz_mini", "terz_micro"])
def test_the_small_terz_games_agree_with_the_reference(name: str) -> None:
    for seed in range(min(DEALS, 500)):
        play_terz_small(name, SeededSource(seed))


@pytest.mark.rule("M3")
def test_the_small_tetka_game_agrees_with_the_reference() -> None:
    for seed in range(min(DEALS, 500)):
        play_tetka_micro(SeededSource(seed))

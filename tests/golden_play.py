"""Seeded play that must not change: the records under `tests/goldens` and the fingerprints.

`python -m tests.golden_play` writes the records anew and prints the fingerprints. A changed one
needs a line in CHANGELOG.md that names the rule that moved.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from terz_env.games import NAMES, get_game
from terz_env.records import record_game
from terz_env.state import State
from tests.parity import choose_terz, choose_tetka
from tests.sources import SeededSource

FOLDER = Path(__file__).parent / "goldens"
SEED = 2026
SERIES = tuple((name, scope) for name in NAMES for scope in get_game(name).scopes)
RECORDED = tuple((name, scope) for name, scope in SERIES if name in {"terz", "tetka"})
RULES = {
    "terz": (
        "russian",
        "english",
        "classic",
        "russian,break_deck=choose,trump_jack=none,rounding=none",
        "classic,growth=none,blocking=unscored,seven_min_talon=4,rounding=only_fives",
        "follow=suit_or_trump,trump_jack=not_forced,rounding=floor",
        "russian,illegal_actions=penalise",
        "english,illegal_actions=penalise",
        "russian,illegal_actions=forfeit",
    ),
    "tetka": ("russian", "illegal_actions=penalise", "illegal_actions=forfeit"),
}


def golden_records(game: str, scope: str) -> Iterator[str]:
    """Yields a record, one line, for each rule set."""
    choose_any = choose_terz if game == "terz" else choose_tetka
    for number, rules in enumerate(RULES[game]):
        source = SeededSource(number)
        mode = rules.partition("illegal_actions=")[2] or "raise"

        def choose(state: State, source: SeededSource = source, mode: str = mode) -> str:
            return choose_any(state, mode, source)

        record = record_game(game, rules, scope, SEED, number, choose, scope == "deal")
        yield json.dumps(record, separators=(",", ":")) + "\n"


def fingerprint(game: str, scope: str, games: int = 10) -> str:
    """Returns a hash of what is dealt, lawful, played and scored in seeded games."""
    digest = hashlib.sha256()
    presets = ("russian", "english", "classic") if game == "terz" else (None,)
    for number in range(games):
        source = SeededSource(number)
        rules = presets[number % len(presets)]
        state = State.new(game, rules, scope=scope, seed=SEED, environment=number)
        while not state.is_over:
            if state.deal_is_over:
                state.next_deal(seed=SEED, environment=number)
            action = source.pick(state.legal_names())
            seats = range(state.game.n_seats)
            words = [f"seat_{state.seat_to_act}", action, "of", *state.legal_names()]
            words += [card for seat in seats for card in ("|", *state.hand(seat))]
            state.apply(action)
            digest.update(" ".join([*words, *map(str, state.scores)]).encode())
        digest.update(str(state.returns()).encode())
    return digest.hexdigest()[:16]


def file_of(game: str, scope: str) -> Path:
    """Returns the file with the golden records of a game and scope."""
    return FOLDER / f"{game}_{scope}.jsonl"


if __name__ == "__main__":
    for series in RECORDED:
        file_of(*series).write_text("".join(golden_records(*series)), encoding="utf-8")
    for series in SERIES:
        sys.stdout.write(f"    {series}: {fingerprint(*series)!r},\n")

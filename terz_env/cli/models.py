"""Lists the shipped policies for `terz models`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from terz_env.games import get_game
from terz_env.players.model_facts import CARD_FILE, ModelFacts
from terz_env.players.policy import read_policy
from terz_env.players.shipped import shipped_models

HEADINGS = ("name", "layout", "rules", "kB", "card")


def rows() -> Iterator[tuple[str, ...]]:
    """Yields the cells of each shipped policy, in the columns of `HEADINGS`.

    Raises:
        PlayerError: A file is damaged, or safetensors is missing.
    """
    for name, folder in shipped_models().items():
        facts, _ = read_policy(folder)
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
        yield (
            name,
            facts.layout_fingerprint,
            options(facts),
            f"{size / 1000:,.0f}",
            first_line(folder / CARD_FILE),
        )


def options(facts: ModelFacts) -> str:
    """Returns the options of a policy's rule set that are not the default, in words."""
    default = get_game(facts.game).rules().to_dict()
    changed = [f"{name}={value}" for name, value in facts.rules.items() if value != default[name]]
    return ", ".join(changed) or "default"


def first_line(card: Path) -> str:
    """Returns the title of a card, "" where there is none."""
    if not card.is_file():
        return ""
    lines = card.read_text(encoding="utf-8").splitlines()
    return next((line.strip("# ") for line in lines if line.strip("# ")), "")

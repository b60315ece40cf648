"""Tetka's rule set, and its packing into the words of a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from terz_env.games.tetka.state import ILLEGAL, N_TRICKS, RUBBER
from terz_env.ruleset import Option, RuleSet

ILLEGAL_ACTIONS = ("raise", "forfeit", "penalise")


@dataclass(frozen=True, kw_only=True)
class TetkaRules(RuleSet):
    """The one option of Tetka: what becomes of an illegal action (Rules K10, K11)."""

    CHOICES: ClassVar[Mapping[str, tuple[Option, ...]]] = {"illegal_actions": ILLEGAL_ACTIONS}
    PRESETS: ClassVar[Mapping[str, Mapping[str, Option]]] = {"russian": {}}

    illegal_actions: str = "raise"


def table_word(rules: RuleSet, scope: str, n_tricks: int) -> int:
    """Returns the mode, scope and number of tricks as bits of the table word."""
    mode = ILLEGAL_ACTIONS.index(getattr(rules, "illegal_actions", "raise"))
    return (n_tricks << N_TRICKS) | (mode << ILLEGAL) | (int(scope == "rubber") << RUBBER)

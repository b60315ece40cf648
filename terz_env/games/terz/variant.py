"""Terz's rule set: every option and preset, and its packing into the words of a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from terz_env.errors import RuleSetError
from terz_env.games.terz import state as words
from terz_env.ruleset import Option, RuleSet

MAX_TARGET = 60_000


@dataclass(frozen=True, kw_only=True)
class TerzRules(RuleSet):
    """The options of Terz; the first value of each is the default.

    `follow` T10, `trump_jack` T12, `seven_min_talon` T13, `growth` T20, `blocking` T19,
    `rounding` T23, the targets T24, `break_deck` T8, `illegal_actions` T27 and T28.
    """

    CHOICES: ClassVar[Mapping[str, tuple[Option, ...]]] = {
        "follow": ("strict", "suit_or_trump", "free"),
        "trump_jack": ("discretion", "not_forced", "none"),
        "seven_min_talon": (2, 4),
        "growth": ("new_card", "none"),
        "blocking": ("held", "unscored"),
        "rounding": ("nearest_half_down", "floor", "only_fives", "none"),
        "break_deck": ("auto", "choose"),
        "illegal_actions": ("raise", "forfeit", "penalise"),
    }
    PRESETS: ClassVar[Mapping[str, Mapping[str, Option]]] = {
        "russian": {},
        "english": {"target_announce": 501},
        "classic": {"follow": "free", "target_announce": 501},
    }

    follow: str = "strict"
    trump_jack: str = "discretion"
    seven_min_talon: int = 2
    growth: str = "new_card"
    blocking: str = "held"
    rounding: str = "nearest_half_down"
    target_announce: int = 500
    target_settle: int = 501
    break_deck: str = "auto"
    illegal_actions: str = "raise"

    def __post_init__(self) -> None:
        """Refuses wrong values and targets that contradict each other (Rule T24)."""
        super().__post_init__()
        for name in ("target_announce", "target_settle"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int):
                raise RuleSetError(f"{name}={value!r} is no whole number")
            if not 1 <= value <= MAX_TARGET:
                raise RuleSetError(f"{name}={value} is not between 1 and {MAX_TARGET}")
        if self.target_announce > self.target_settle:
            raise RuleSetError(
                f"target_announce={self.target_announce} is above "
                f"target_settle={self.target_settle}; it may be at most that"
            )


def rules_word(rules: RuleSet, scope: str, talon_tricks: int, all_tricks: int) -> int:
    """Returns the rule set, scope and size of the game as bits of the rules word."""
    if not isinstance(rules, TerzRules):
        rules = TerzRules(rounding="none")
    word = int(scope == "match") << words.MATCH
    word |= (talon_tricks << words.TALON_TRICKS) | (all_tricks << words.ALL_TRICKS)
    word |= int(all_tricks == 16) << words.FULL_GAME
    word |= rules.seven_min_talon << words.SEVEN_MIN
    word |= rules.target_announce << words.TARGET_ANNOUNCE
    word |= rules.target_settle << words.TARGET_SETTLE
    for name, shift in (
        ("follow", words.FOLLOW),
        ("trump_jack", words.TRUMP_JACK),
        ("growth", words.GROWTH),
        ("blocking", words.BLOCKING),
        ("rounding", words.ROUNDING),
        ("break_deck", words.BREAK_CHOICE),
        ("illegal_actions", words.ILLEGAL),
    ):
        word |= rules.CHOICES[name].index(getattr(rules, name)) << shift
    return word

"""The frozen record of a game: its constants, its names and its kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from terz_env.cards import Deck
from terz_env.deal import Deal
from terz_env.errors import RuleSetError
from terz_env.explaining import Reason
from terz_env.notation import Fields
from terz_env.observation import Layout, View
from terz_env.ruleset import RuleSet

Words = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game as data; `kernels` is the module with the compiled functions of its family.

    `engine_actions[a]` is the number that the kernels know action `a` by. `layout` is that of the
    view `observation`; `log_size` is the number of words of the log that `history` reads. The seven
    functions work on the words of a position: `read_facts` writes its facts into an array
    (`terz_env.facts`), `why_not` says why an action is not lawful, `count_lines` goes on with a
    count, `lay_out` begins a given deal, `set_scores` sets what a game starts with, `read_fields`
    and `write_fields` turn text into words and back.
    """

    name: str
    family: str
    n_seats: int
    n_words: int
    actions: tuple[str, ...]
    engine_actions: tuple[int, ...]
    scopes: tuple[str, ...]
    deck: Deck
    cards: int
    hand_size: int
    talon_size: int
    layout: Layout
    views: Mapping[str, View]
    log_size: int
    rules_type: type[RuleSet]
    config_word: Callable[[RuleSet, str], int]
    kernels: ModuleType
    read_facts: Callable[[Words, Words], None]
    why_not: Callable[[Game, Words, int], Reason | None]
    count_lines: Callable[[Words, Words, Words, int], int]
    lay_out: Callable[[Game, Words, Deal], None]
    set_scores: Callable[[Game, RuleSet, str, Words, Sequence[int], Sequence[int]], None]
    read_fields: Callable[[Game, RuleSet, str, Fields], Words]
    write_fields: Callable[[Game, RuleSet, str, Words], dict[str, str]]
    reward_scale: float

    @property
    def n_actions(self) -> int:
        """The number of actions A."""
        return len(self.actions)

    def rules(self, rules: RuleSet | str | dict[str, object] | None = None) -> RuleSet:
        """Returns a rule set of this game from a preset, `key=value` text, options or None.

        Raises:
            RuleSetError: an option is unknown, wrong or contradictory.
        """
        if rules is None:
            return self.rules_type()
        if isinstance(rules, str):
            return self.rules_type.parse(rules)
        if isinstance(rules, self.rules_type):
            return rules
        if isinstance(rules, RuleSet):
            raise RuleSetError(f"{type(rules).__name__} are no rules of {self.name}")
        return self.rules_type.from_mapping(rules)

    def check_scope(self, scope: str) -> str:
        """Returns the scope; raises RuleSetError when the game has no such scope."""
        if scope not in self.scopes:
            raise RuleSetError(f"{self.name} has no scope {scope!r}; use {', '.join(self.scopes)}")
        return scope

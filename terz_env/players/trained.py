"""What all trained policies share: what they are shown, and how they choose among legal actions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from terz_env.canonical import actions_back, canonical_rows
from terz_env.games import get_game
from terz_env.players.protocol import Decisions, PlayerError
from terz_env.ruleset import Option
from terz_env.selfplay import SUITS


class TrainedPlayer(ABC):
    """A policy that gives logits of all actions.

    Attributes:
        name: How tables call the player.
        game: The game it was trained on.
        rules: The options of the rule set it was trained under; None where that is not known.
        rules_fingerprint: The fingerprint of the rule set it insists on; None if it plays by any.
        suits: Whether it is shown the suits in canonical order or as they are.
        sample: Whether it draws from the policy instead of taking the most probable action.
    """

    def __init__(
        self,
        game: str,
        *,
        name: str,
        rules: Mapping[str, Option] | None,
        suits: str,
        sample: bool,
        any_rules: bool,
    ) -> None:
        """Take over what the policy is (see the attributes).

        Raises:
            PlayerError: If the order of the suits is of no known kind.
            RuleSetError: If there is no such rule set.
        """
        if suits not in SUITS:
            raise PlayerError(f"{name}: suits={suits!r}; use {' or '.join(SUITS)}")
        self.name = name
        self.game = game
        self.rules = None if rules is None else dict(rules)
        self.rules_fingerprint: str | None = None
        self.suits = suits
        self.sample = sample
        self._record = get_game(game)
        if rules is not None and not any_rules:
            self.rules_fingerprint = self._record.rules(dict(rules)).fingerprint

    @abstractmethod
    def scores(self, bits: NDArray[np.uint64], masks: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return logits of all actions ``(N, A)`` for bits and masks as the policy is shown them.

        Those of illegal actions may be anything.
        """

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the most probable legal action a row, or a sample (see `Player.act`)."""
        return self.choose(decisions.bits, decisions.masks, rng if self.sample else None)

    def choose(
        self, bits: NDArray[np.uint64], masks: NDArray[np.int8], rng: np.random.Generator | None
    ) -> NDArray[np.int64]:
        """Return the most probable legal action a row ``(N,)``; with a generator, a sample.

        Args:
            bits: ``(N, n_words)`` packed observations of the seats to act.
            masks: ``(N, A)`` their legal actions, at least one a row.
            rng: The source of chance, or None for the most probable action.
        """
        bits, masks, orders = self.shown(bits, masks)
        logits = np.where(masks != 0, self.scores(bits, masks), np.float32(-np.inf))
        if rng is not None:
            logits = logits + rng.gumbel(size=logits.shape)
        actions: NDArray[np.int64] = logits.argmax(axis=1)
        return actions if orders is None else actions_back(self._record, actions, orders)

    def shown(
        self, bits: NDArray[np.uint64], masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int8], NDArray[np.int64] | None]:
        """Return bits and masks as the policy is shown them, and the orders of renamed suits."""
        if self.suits == "plain":
            return bits, masks, None
        return canonical_rows(self._record, bits, masks)

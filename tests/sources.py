"""Where the parity runs take deals, rules and actions from, and the record of what was played."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from terz_env.state import State

Choice = TypeVar("Choice")
Rules = dict[str, Any]


class Source(Protocol):
    """Makes every decision of a parity run."""

    seed: int | None

    def pick(self, options: Sequence[Choice]) -> Choice:
        """Returns one of the options."""

    def happens(self, share: float) -> bool:
        """Tells whether something happens that is to happen in this share of the cases."""

    def start(self, game: str, rules: Rules, scope: str) -> State:
        """Returns the first deal of a game."""

    def next_deal(self, state: State) -> None:
        """Deals the next deal of a match or rubber."""


class SeededSource:
    """Decides by a generator of Python; the engine deals."""

    def __init__(self, seed: int) -> None:
        self.seed: int | None = seed
        self._seed = seed
        self._chooser = random.Random(seed)

    def pick(self, options: Sequence[Choice]) -> Choice:
        return self._chooser.choice(options)

    def happens(self, share: float) -> bool:
        return self._chooser.random() < share

    def start(self, game: str, rules: Rules, scope: str) -> State:
        return State.new(game, rules, scope=scope, seed=self._seed)

    def next_deal(self, state: State) -> None:
        state.next_deal(seed=self._seed)


def talon_of(state: State) -> list[str]:
    """Returns the talon of a freshly dealt Terz state, the trump card last."""
    words = [int(state.words[8]), int(state.words[9])]
    numbers = [words[place // 7] >> 5 * (place % 7) & 31 for place in range(14)]
    return [state.game.deck.names[number] for number in numbers]


def photo_of(state: State) -> str:
    """Returns the photo of a Tetka state."""
    return state.game.deck.names[int(state.words[12]) >> 42 & 63]


class Story:
    """What has been played so far, as an unfinished record; its text is what a failure shows."""

    def __init__(self, state: State, seed: int | None) -> None:
        self.fields = {
            "format": "terz-record/1",
            "game": state.game.name,
            "scope": state.scope,
            "rules": state.rules.to_dict(),
            "seed": seed,
        }
        self.deals: list[dict[str, Any]] = []
        self.begin_deal(state)

    def begin_deal(self, state: State) -> None:
        """Notes the cards of a fresh deal."""
        hands = [state.hand(seat) for seat in range(state.game.n_seats)]
        deal: dict[str, Any] = {"dealer": state.dealer, "hands": hands}
        if state.game.family == "terz":
            talon = talon_of(state)[: state.game.talon_size]
            deal |= {"trump_card": talon[-1], "talon": talon[:-1]}
        else:
            deal["photo"] = photo_of(state)
        deal["actions"] = []
        self.deals.append(deal)

    def __str__(self) -> str:
        return json.dumps({**self.fields, "deals": self.deals}, separators=(",", ":"))

"""What an environment plays, shows and pays: one set of options for every face."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games import get_game
from terz_env.observation import VIEWS, View
from terz_env.records import read_record, start_of
from terz_env.ruleset import RuleSet
from terz_env.state import Deal, Rules, State

REWARDS = ("terminal", "shaped")
DTYPES = ("uint8", "float32")


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of an environment, checked; build them with `Options.of`.

    Attributes:
        game: What is played.
        rules: By which rule set.
        scope: "deal", or "match" (Terz), "rubber" (Tetka).
        rewards: "terminal" pays at the end, "shaped" as soon as points or marks are counted; both
            pay the same in all.
        reward_scale: What the result by the rules is multiplied by.
        view: The view that agents observe.
        dtype: The type of its entries, all 0 or 1.
        copy: Whether observations are copies; without, the next step or look overwrites them.
        deals: The deals to play, one after another; empty to deal from the seed.
        start_scores: The scores that an episode starts with; None for zeros.
        start_raises: The raises that a match starts with (Rule T27); None for zeros.
    """

    game: Game
    rules: RuleSet
    scope: str
    rewards: str
    reward_scale: float
    view: View
    dtype: str
    copy: bool
    deals: tuple[Deal, ...]
    start_scores: tuple[int, ...] | None
    start_raises: tuple[int, ...] | None

    @classmethod
    def of(
        cls,
        game: str,
        *,
        rules: Rules = None,
        scope: str | None = None,
        illegal_actions: str | None = None,
        rewards: str = "terminal",
        reward_scale: float | None = None,
        view: str = "observation",
        dtype: str = "uint8",
        copy: bool = True,
        deals: Sequence[Deal] | None = None,
        record: Mapping[str, Any] | str | None = None,
    ) -> Options:
        """Checks and completes the options.

        Args:
            game: The name of the game.
            rules: A rule set, a preset, `key=value` text or a mapping.
            scope: What an episode is; None is a deal, or what the record says.
            illegal_actions: "raise", "forfeit" or "penalise"; None leaves the rule set's own.
            rewards: When rewards are paid.
            reward_scale: None divides the points of a Terz deal by 100 and leaves the rest.
            view: Which view agents observe.
            dtype: "uint8" or "float32".
            copy: Whether observations are copies.
            deals: Deals to play instead of those of the seed, cyclically.
            record: A game record, as JSON text or parsed: its rules, scores and deals are played.

        Raises:
            UnknownGameError, RuleSetError: The game, its rules or the scope do not exist.
            RecordError: The record is damaged or breaks the rules.
            ValueError: Another option has no such value; the message lists those that fit.
        """
        _check("rewards", rewards, REWARDS)
        _check("view", view, VIEWS)
        _check("dtype", dtype, DTYPES)
        start = None
        if record is not None:
            if deals is not None or rules is not None or scope is not None:
                raise ValueError("a record brings its own rules, scope and deals; give it alone")
            start = start_of(read_record(record) if isinstance(record, str) else record)
            if start.game != game:
                raise ValueError(f"the record is one of {start.game}, not of {game}")
            rules, scope, deals = start.rules, start.scope, start.deals
        played = get_game(game)
        chosen = played.rules(dict(rules) if isinstance(rules, Mapping) else rules)
        if illegal_actions is not None:
            chosen = played.rules({**chosen.to_dict(), "illegal_actions": illegal_actions})
        chosen_scope = played.check_scope(scope or "deal")
        scale = reward_scale
        if scale is None:
            scale = played.reward_scale if chosen_scope == "deal" else 1.0
        if not np.isfinite(scale):
            raise ValueError(f"reward_scale={reward_scale!r} is no finite number")
        return cls(
            game=played,
            rules=chosen,
            scope=chosen_scope,
            rewards=rewards,
            reward_scale=float(scale),
            view=played.views[view],
            dtype=dtype,
            copy=copy,
            deals=tuple(deals or ()),
            start_scores=start.start_scores if start else None,
            start_raises=start.start_raises if start else None,
        )

    def position(self, start: Deal | State) -> State:
        """Returns what an episode starts with, from given cards or anywhere within a game.

        Raises:
            PositionError: The start is impossible, over, or of another game, rule set or scope.
        """
        if isinstance(start, Deal):
            return State.from_deal(
                self.game.name,
                start,
                self.rules,
                scope=self.scope,
                start_scores=self.start_scores,
                start_raises=self.start_raises,
            )
        mine = (self.game.name, self.rules, self.scope)
        if (start.game.name, start.rules, start.scope) != mine:
            raise PositionError(f"{start!r} is no position of {' '.join(map(str, mine))}")
        if start.is_over:
            raise PositionError("the position is the end of a game")
        return start

    def check_log(self, log: NDArray[np.int64], position: State) -> None:
        """Refuses a log that is not that of the position, where the view reads it.

        Raises:
            PositionError: The position is one within a deal.
        """
        if self.view.needs_log and not self.game.kernels.is_log_one(log, position.words):
            raise PositionError(
                f"the view {self.view.name} needs all that has happened in a deal; "
                "start with its cards"
            )

    def observation_space(self) -> gymnasium.spaces.Dict:
        """Returns a new space of `{"observation": (O,), "action_mask": (A,)}`."""
        return gymnasium.spaces.Dict(
            {
                "observation": gymnasium.spaces.Box(
                    0, 1, self.view.shape, np.dtype(self.dtype).type
                ),
                "action_mask": gymnasium.spaces.Box(0, 1, (self.game.n_actions,), np.int8),
            }
        )


def start_of_options(options: Mapping[str, Any] | None) -> Deal | State | None:
    """Returns what the options of a reset start an episode with, None to deal.

    Raises:
        ValueError: They give both a deal and a state.
        PositionError: The start is neither.
    """
    given = options or {}
    deal, state = given.get("deal"), given.get("state")
    if deal is not None and state is not None:
        raise ValueError("options give a deal and a state; give one of them")
    if not isinstance(deal, Deal | None) or not isinstance(state, State | None):
        raise PositionError(f"{deal or state!r}: give a `Deal` as deal or a `State` as state")
    return state if deal is None else deal


def dealt_by(dealer: int, deal: Deal) -> Deal:
    """Returns the same cards, dealt by the seat whose turn it is (Rules T25, K1)."""
    return Deal(dealer, deal.hands, trump_card=deal.trump_card, talon=deal.talon, photo=deal.photo)


def _check(name: str, value: object, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{name}={value!r}; use {', '.join(allowed)}")

"""What a player is: decisions in, legal actions out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from terz_env.errors import IllegalActionError, TerzEnvError
from terz_env.game import Game
from terz_env.ruleset import Option, RuleSet
from terz_env.search.logged_batch import LoggedBatch
from terz_env.selfplay import SelfPlayBatch
from terz_env.state import State


class PlayerError(TerzEnvError, ValueError):
    """A player that does not exist or cannot be used; the message says why."""


@dataclass(frozen=True)
class Decisions:
    """N positions in which somebody is to act, each with what that seat sees.

    A player reads of `states` only what the seat to act may know: its own hand and public facts.
    It writes into none of the arrays.

    Attributes:
        game: The game of all rows.
        states: ``(N, W)`` int64, the words of the positions, hidden cards included.
        bits: ``(N, n_words)`` uint64, packed observations of the seats to act.
        masks: ``(N, A)`` int8, their legal actions, at least one a row.
        seats: ``(N,)`` int64, the seats to act.
        logs: ``(N, L)`` int64, what has happened in the deals (`terz_env.games.terz.history`), or
            None where nobody has kept it. A player does without it, but then forgets past events.
    """

    game: Game
    states: NDArray[np.int64]
    bits: NDArray[np.uint64]
    masks: NDArray[np.int8]
    seats: NDArray[np.int64]
    logs: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        """Return the number of decisions N."""
        return len(self.seats)

    @classmethod
    def of_batch(cls, batch: SelfPlayBatch, rows: NDArray[np.int64]) -> Decisions:
        """Return the decisions of some rows of a batch, as copies; with logs if it keeps them."""
        logs = batch.logs[rows] if isinstance(batch, LoggedBatch) else None
        return cls(
            batch.game,
            batch.states[rows],
            batch.bits[rows],
            batch.masks[rows],
            batch.seats[rows],
            logs,
        )

    @classmethod
    def of_state(cls, state: State, *, with_log: bool = False) -> Decisions:
        """Return the one decision of a position.

        Args:
            state: The position.
            with_log: In Terz, add the log of the deal, if the state remembers its beginning.

        Raises:
            IllegalActionError: If the deal is over.
        """
        if state.deal_is_over:
            raise IllegalActionError("the deal is over: there is nothing to decide")
        game, seat = state.game, state.seat_to_act
        words = np.zeros((1, game.layout.n_words), dtype=np.int64)
        game.kernels.observe_one(state.words, seat, words[0])
        mask = np.zeros((1, game.n_actions), dtype=np.int8)
        mask[0, state.legal_actions()] = 1
        log = None
        if with_log and game.family == "terz":
            from terz_env.search.terz_past import log_of

            log = log_of(state)
        logs = None if log is None else log[None]
        bits = words.view(np.uint64)
        return cls(game, state.words[None].copy(), bits, mask, np.array([seat]), logs)

    def take(self, rows: NDArray[np.int64]) -> Decisions:
        """Return some of the decisions, as copies."""
        return Decisions(
            self.game,
            self.states[rows],
            self.bits[rows],
            self.masks[rows],
            self.seats[rows],
            None if self.logs is None else self.logs[rows],
        )


class Player(Protocol):
    """Chooses an action for each of many decisions, from the view of the seat to act.

    A player that has an attribute `needs_log` that is true asks for `Decisions.logs` in Terz.
    """

    @property
    def name(self) -> str:
        """How tables call the player."""

    @property
    def game(self) -> str | None:
        """The game it plays, or None if it plays any."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return a legal action a row ``(N,)``.

        Args:
            decisions: What is to be decided.
            rng: The only source of chance.
        """


def needs_log(player: Player) -> bool:
    """Tell whether a player asks for the logs of the deals."""
    return bool(getattr(player, "needs_log", False))


def check_plays(player: Player, game: str, rules: RuleSet | None = None) -> None:
    """Refuse a player that does not play the game, or not by these rules.

    A trained policy has a `rules_fingerprint`, that of the rule set it was trained under. How
    illegal actions are treated is no part of it.

    Args:
        player: Who is to play.
        game: What is played.
        rules: By which rule set; None if that does not matter.

    Raises:
        PlayerError: If it plays another game, or insists on other rules.
    """
    if player.game not in (None, game):
        raise PlayerError(f"{player.name} plays {player.game}, not {game}")
    wanted = getattr(player, "rules_fingerprint", None)
    if rules is None or wanted is None or wanted == rules.fingerprint:
        return
    own = type(rules).from_mapping(getattr(player, "rules", None) or {}).to_dict()
    given = rules.to_dict()
    differing = [name for name in own if own[name] != given[name] and name != "illegal_actions"]
    raise PlayerError(
        f"{player.name} was trained under {_options(own, differing)} ({wanted}), not under "
        f"{_options(given, differing)} ({rules.fingerprint}); play by its rules, or let it play "
        "by any: any_rules=True, or --any-rules"
    )


def _options(rules: Mapping[str, Option], names: list[str]) -> str:
    return ", ".join(f"{name}={rules[name]}" for name in names)


def decide(player: Player, state: State, rng: np.random.Generator) -> int:
    """Return the action of a player in one position.

    Raises:
        PlayerError: If the player does not play this game, or not by these rules.
        IllegalActionError: If the deal is over.
    """
    check_plays(player, state.game.name, state.rules)
    decisions = Decisions.of_state(state, with_log=needs_log(player))
    return int(player.act(decisions, rng)[0])

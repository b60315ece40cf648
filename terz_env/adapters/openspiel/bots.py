"""Bots of OpenSpiel as players of this package, and players of this package as bots."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from terz_env.adapters.openspiel.dealing import BY_LOT
from terz_env.adapters.openspiel.games import SpielGame, SpielState, begun
from terz_env.adapters.openspiel.play import Play
from terz_env.adapters.openspiel.retelling import actions_of, imagined
from terz_env.errors import IllegalActionError
from terz_env.game import Game
from terz_env.games.terz.state import RULES
from terz_env.games.tetka.state import ILLEGAL, PENALISE, RUBBER, TABLE
from terz_env.players import Decisions, Player, PlayerError, check_plays
from terz_env.ruleset import RuleSet
from terz_env.state import State

MakeBot = Callable[[SpielGame, int, int], Any]
"""Makes a bot for a game, a seat and a seed."""
_SEEDS = 1 << 31
_MODE_MASK = 3


class PlayerBot(pyspiel.Bot):
    """A player of this package that sits at a table of OpenSpiel."""

    def __init__(self, player: Player, seed: int = 0) -> None:
        """Takes the player and the seed of its chance."""
        super().__init__()
        self._player = player
        self._rng = np.random.default_rng(seed)

    def restart_at(self, state: Any) -> None:
        """Begins another deal: a player decides by what it sees, and remembers nothing."""

    def step(self, state: Any) -> int:
        """Returns the player's action.

        Raises:
            PlayerError: The state is of another game, or of one that the player does not play.
            IllegalActionError: Nobody is to act.
        """
        if not isinstance(state, SpielState):
            raise PlayerError(
                f"{self._player.name} plays states of python_terz and the like, not of "
                f"{state.get_game()}"
            )
        if state.is_chance_node():
            raise IllegalActionError("the cards are still being dealt: there is nothing to decide")
        position = state.play.dealt
        check_plays(self._player, position.game.name)
        decisions = Decisions.of_state(position)
        if position.game.family == "terz":
            decisions = dataclasses.replace(decisions, logs=state.play.log[None])
        return int(self._player.act(decisions, self._rng)[0])


class BotPlayer:
    """A bot of OpenSpiel that sits in the arena of this package.

    It is shown a state drawn from what the seat knows, uniformly over the deals, never the real
    one: so a bot that looks at all cards plays as if it had guessed them. A bot is made anew for
    every decision, with a seed of its own.

    Attributes:
        name: How tables call it.
        game: The game.
        needs_log: True: in Terz it is told what has happened in the deal.
    """

    needs_log = True

    def __init__(self, name: str, game: str, make: MakeBot) -> None:
        """Takes a name, a game of OpenSpiel with its parameters, and what makes the bots.

        Args:
            name: How tables call it.
            game: What `pyspiel.load_game` takes, such as ``python_terz(follow=free)``; its options
                have to be those that are played.
            make: Called with the game, the seat and a seed.

        Raises:
            PlayerError: It is no game of this package, or its dealer is fixed.
        """
        loaded = pyspiel.load_game(game)
        if not isinstance(loaded, SpielGame):
            raise PlayerError(f"{name}: {game} is no game of this package, such as python_terz")
        if loaded.dealing.dealer != BY_LOT:
            raise PlayerError(f"{name}: {game} has a fixed dealer; leave that parameter out")
        self.name = name
        self.game: str | None = loaded.record.name
        self._spiel_game = loaded
        self._make = make

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the bot's action a row (see `Player.act`).

        Raises:
            PlayerError: If another game, scope or rule set is played, or the logs are missing.
        """
        check_plays(self, decisions.game.name)
        if decisions.game.family == "terz" and decisions.logs is None:
            raise PlayerError(f"{self.name} needs the logs of the deals (Decisions.logs)")
        seeds = rng.integers(_SEEDS, size=(len(decisions), 2)).tolist()
        actions = [self._step(decisions, row, *seeds[row]) for row in range(len(decisions))]
        return np.array(actions, dtype=np.int64)

    def _step(self, decisions: Decisions, row: int, world: int, seed: int) -> int:
        game, words = decisions.game, decisions.states[row]
        rules = self._played_rules(game, words)
        position = State(game, rules, "deal", np.ascontiguousarray(words))
        log = np.zeros(0, np.int64) if decisions.logs is None else decisions.logs[row]
        seat = int(decisions.seats[row])
        start = Play(self._spiel_game.dealing, self._spiel_game.rules)
        told = imagined(start, position, log, actions_of(position, log), seat, world)
        bot = self._make(self._spiel_game, seat, seed)
        return int(bot.step(begun(self._spiel_game, told)))

    def _played_rules(self, game: Game, words: NDArray[np.int64]) -> RuleSet:
        """Returns the bot's rules; raises PlayerError where others are played."""
        rules = self._spiel_game.rules
        if game.family == "tetka":
            mode = int(words[TABLE]) >> ILLEGAL & _MODE_MASK
            fits = mode != PENALISE and not int(words[TABLE]) >> RUBBER & 1
        else:
            fits = int(words[RULES]) in _deal_configs(game, rules)
        if not fits:
            raise PlayerError(
                f"{self.name} plays {self._spiel_game}, a single deal without penalties; other "
                "rules or another scope are played here: give its game the same options"
            )
        return rules


def _deal_configs(game: Game, rules: RuleSet) -> list[int]:
    """Returns the rule words of deals that differ in nothing that lawful play shows."""
    configs = [game.config_word(rules, "deal")]
    options = rules.to_dict()
    if options:
        forfeit = game.rules({**options, "illegal_actions": "forfeit"})
        configs.append(game.config_word(forfeit, "deal"))
    return configs

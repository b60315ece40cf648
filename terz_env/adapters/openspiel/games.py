"""The games as OpenSpiel knows them: types, parameters, bounds, states; a game is one deal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pyspiel

from terz_env.adapters.openspiel.dealing import BY_LOT, Dealing
from terz_env.adapters.openspiel.observer import Observer, shown_view
from terz_env.adapters.openspiel.play import Play
from terz_env.adapters.openspiel.retelling import imagined
from terz_env.errors import PositionError
from terz_env.game import Game
from terz_env.games import get_game
from terz_env.games.terz.history import MOST_ANNOUNCEMENTS

PREFIX = "python_"
"""What OpenSpiel puts before the names of games that are written in Python."""
NOT_OFFERED = ("target_announce", "target_settle", "illegal_actions")
"""Options that say nothing about a deal in which only lawful actions are played."""

_LONG_NAMES = {
    "terz": "Terz",
    "tetka": "Tetka",
    "terz_mini": "Terz-mini",
    "terz_micro": "Terz-micro",
    "tetka_micro": "Tetka-micro",
}
_CARD_POINTS = {"terz": 150, "terz_mini": 63, "terz_micro": 42}
_MARRIAGE = 20
_MOST_MELDS = 500 + 2 * (20 + 50 + 4 * 100)
"""All fours, and runs that grow card by card in two whole suits: who announces has held at most
seventeen cards (Rules T7, T13, T18), and a run scores only with a new one (Rule T20)."""
_SEED_RANGE = 1 << 53


def option_defaults(game: Game) -> dict[str, str | int]:
    """Returns the options of a deal that parameters of the game can set, with their defaults."""
    options = game.rules().to_dict()
    return {name: value for name, value in options.items() if name not in NOT_OFFERED}


def most_actions(game: Game) -> int:
    """Returns the most actions that a deal can have: cards, announcements, exchange and break."""
    cards = game.cards.bit_count()
    if game.family == "tetka":
        return cards
    small = game.name != game.family
    return cards + (game.n_seats if small else MOST_ANNOUNCEMENTS + 2)


def utility_bounds(game: Game) -> tuple[float, float]:
    """Returns bounds of what a seat can receive (Rules T3, T14, K4, K7)."""
    if game.family == "tetka":
        queens = sum(card[0] == "Q" for card in game.deck.members(game.cards))
        marks = queens + 3
        return -3.0 * marks, float(marks)
    most = _CARD_POINTS[game.name] + _MARRIAGE
    if game.name == game.family:
        most += _MOST_MELDS
    return -float(most), float(most)


def game_type(game: Game) -> Any:
    """Returns the type of a game, with its parameters."""
    return pyspiel.GameType(
        short_name=PREFIX + game.name,
        long_name=_LONG_NAMES[game.name],
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.n_seats,
        min_num_players=game.n_seats,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"dealer": BY_LOT, **option_defaults(game)},
    )


class SpielGame(pyspiel.Game):
    """One deal of a game, from the lot for the dealer to the last card.

    Attributes:
        record: The game of this package.
        dealing: Its random events.
        rules: Its rule set.
    """

    name: ClassVar[str]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        """Takes the parameters: `dealer` and the options of the rules.

        Raises:
            RuleSetError, PositionError: An option has no such value, or there is no such dealer.
        """
        self.record = get_game(self.name)
        given = {"dealer": BY_LOT, **option_defaults(self.record), **(params or {})}
        options = {key: value for key, value in given.items() if key != "dealer"}
        self.dealing = Dealing(self.record, given["dealer"])
        self.rules = self.record.rules(options)
        lowest, highest = utility_bounds(self.record)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.record.n_actions,
            max_chance_outcomes=self.dealing.most_outcomes,
            num_players=self.record.n_seats,
            min_utility=lowest,
            max_utility=highest,
            utility_sum=0.0,
            max_game_length=most_actions(self.record),
        )
        super().__init__(game_type(self.record), info, dict(params or {}))

    def new_initial_state(self) -> SpielState:
        """Returns a state in which nothing has been dealt."""
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Returns the number of random events of a deal."""
        return self.dealing.n_events

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer | None:
        """Returns an observer, None where there is no view of this kind (see `shown_view`)."""
        view = shown_view(self.record, iig_obs_type)
        return None if view is None else Observer(self.record, view, params)


class TerzGame(SpielGame):
    """A deal of Terz."""

    name = "terz"


class TetkaGame(SpielGame):
    """A deal of Tetka."""

    name = "tetka"


class TerzMiniGame(SpielGame):
    """A deal of Terz-mini (Rule M1)."""

    name = "terz_mini"


class TerzMicroGame(SpielGame):
    """A deal of Terz-micro (Rule M2)."""

    name = "terz_micro"


class TetkaMicroGame(SpielGame):
    """A deal of Tetka-micro (Rule M3)."""

    name = "tetka_micro"


KINDS = (TerzGame, TetkaGame, TerzMiniGame, TerzMicroGame, TetkaMicroGame)
"""Classes, not functions: OpenSpiel keeps what it makes games with beyond the interpreter's end."""


class SpielState(pyspiel.State):
    """A state of a deal. OpenSpiel copies its attributes with every clone: there is but one."""

    def __init__(self, game: SpielGame) -> None:
        """Begins a deal; call `game.new_initial_state()`."""
        super().__init__(game)
        self.play = Play(game.dealing, game.rules)

    def current_player(self) -> int:
        """Returns the seat to act, or that it is chance's turn, or that the deal is over."""
        if self.play.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        return self.play.seat if self.play.seat >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Tells whether the deal is over."""
        return self.play.position is not None and self.play.seat < 0

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the outcomes of the next random event, equally likely."""
        outcomes = self.play.dealing.outcomes(self.play.past)
        return [(outcome, 1.0 / len(outcomes)) for outcome in outcomes]

    def _legal_actions(self, player: int) -> list[int]:
        return self.play.dealt.legal_actions()

    def _apply_action(self, action: int) -> None:
        if self.play.position is None:
            self.play.chance(action)
        else:
            self.play.act(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return self.play.dealing.name(self.play.past.outcomes, action)
        return self.play.game.actions[action]

    def returns(self) -> list[float]:
        """Returns the result of the deal: the difference of points, or K7 of the marks."""
        if self.play.position is None:
            return [0.0] * self.play.game.n_seats
        return [float(value) for value in self.play.position.returns()]

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> Any:
        """Returns a uniform state that a player cannot tell from this one, with its own history.

        Args:
            player: The player, whether it is its turn or not.
            sampler: Gives a number between 0 and 1, the only source of chance.

        Raises:
            PositionError: The cards are still being dealt, or the deal is over.
        """
        if self.play.position is None or self.is_terminal():
            raise PositionError("there are hidden cards only while the deal is played")
        actions = self.history()[len(self.play.past.outcomes) :]
        seed = int(sampler() * _SEED_RANGE)
        start = Play(self.play.dealing, self.play.rules)
        told = imagined(start, self.play.position, self.play.log, actions, player, seed)
        return begun(self.get_game(), told)

    def __str__(self) -> str:
        if self.play.position is None:
            dealt = self.play.dealing.words(self.play.past.outcomes)
            return f"{self.play.game.name} dealing {dealt}"
        return self.play.position.to_text()


def begun(game: Any, history: Sequence[int]) -> Any:
    """Returns the state of a game after these outcomes and actions."""
    state = game.new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


def resampler(seed: int = 0) -> Callable[[SpielState, int], SpielState]:
    """Returns what the Python ISMCTS of OpenSpiel takes by `set_resampler`."""
    rng = np.random.default_rng(seed)
    return lambda state, player: state.resample_from_infostate(player, rng.random)


def register() -> None:
    """Makes the games known to OpenSpiel, once."""
    known = pyspiel.registered_names()
    for kind in KINDS:
        if PREFIX + kind.name not in known:
            pyspiel.register_game(game_type(get_game(kind.name)), kind)

"""What the single and the vector environment of one learner share: options, actions, errors."""

from __future__ import annotations

import inspect
import operator
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from terz_env.envs.options import Options
from terz_env.errors import IllegalActionError

NO_ACTION = 1 << 32
"""A number that no action has; larger ones need not fit a word."""
SEED_MASK = (1 << 63) - 1
OPTIONS = tuple(
    name for name in inspect.signature(Options.of).parameters if name not in {"cls", "game"}
)


class InvalidActionError(IllegalActionError, gymnasium.error.InvalidAction):
    """An action that Gymnasium's space or the rules do not allow; nothing has changed."""


def learner_options(game: str, given: dict[str, Any], others: tuple[str, ...]) -> Options:
    """Returns the checked options of an environment of one learner.

    Where the rule set says `raise`, its default, an illegal action forfeits instead: Gymnasium's
    own checker plays without the mask. `illegal_actions` says otherwise.

    Args:
        game: The name of the game.
        given: Options of `Options.of`.
        others: The names of the options that the environment itself knows.

    Raises:
        TypeError: There is no such option.
        ValueError: An option has a wrong value, or the game is a small one.
    """
    unknown = [name for name in given if name not in OPTIONS]
    if unknown:
        raise TypeError(
            f"no option {', '.join(map(repr, unknown))}; the options are "
            f"{', '.join((*others, *OPTIONS))}"
        )
    options = Options.of(game, **given)
    if options.game.name != options.game.family:
        raise ValueError(f"{game} is played by State, not by learners; use terz or tetka")
    silent = given.get("illegal_actions") is None
    if silent and options.rules.to_dict()["illegal_actions"] == "raise":
        return Options.of(game, **{**given, "illegal_actions": "forfeit"})
    return options


def action_number(action: Any) -> int:
    """Returns an action of any integer type as an int that fits a word.

    Raises:
        InvalidActionError: It is no integer.
    """
    try:
        if isinstance(action, (bool, np.bool_)):
            raise TypeError
        number = operator.index(action)
    except TypeError:
        raise InvalidActionError(
            f"{action!r} of type {type(action).__name__} is no action; give an integer"
        ) from None
    return number if -1 <= number < NO_ACTION else NO_ACTION


def action_numbers(actions: Any, size: int) -> NDArray[np.int64]:
    """Returns one action for each environment (B,).

    Raises:
        InvalidActionError: They are no integers of shape (B,).
    """
    try:
        given = np.asarray(actions)
    except ValueError as error:
        raise InvalidActionError(f"{actions!r} is no array of actions: {error}") from None
    if given.shape != (size,) or given.dtype.kind not in "iu":
        raise InvalidActionError(
            f"actions of shape {given.shape} and dtype {given.dtype}; "
            f"integers of shape ({size},) are needed"
        )
    return np.ascontiguousarray(given, dtype=np.int64)

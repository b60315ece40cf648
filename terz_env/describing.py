"""What an observation says, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from terz_env.errors import ObservationError
from terz_env.game import Game
from terz_env.games import NAMES, get_game
from terz_env.observation import VIEWS, View
from terz_env.readings import in_words

Observed = ArrayLike | Mapping[str, Any]


def describe(observation: Observed, game: str | None = None, view: str = "observation") -> str:
    """Says what an observation holds, field by field; of a sequence, row by row.

    Args:
        observation: Zeros and ones of any dtype in the view's shape, or the dictionary of an
            environment, whose `action_mask` is told too.
        game: The name of the game; None finds it by the shape. The small games share the layouts
            of the large ones, but the mask is told by the game's own actions.
        view: One of "observation", "table", "state", "history".

    Returns:
        A line for each field, its name first; a dash where there is nothing.

    Raises:
        UnknownGameError: There is no such game.
        ObservationError: There is no such view, or the vector does not have its shape.
    """
    if view not in VIEWS:
        raise ObservationError(f"view={view!r}; use {', '.join(VIEWS)}")
    mask = None
    if isinstance(observation, Mapping):
        mask = observation.get("action_mask")
        observation = observation.get("observation", ())
    entries = _zeros_and_ones(observation)
    found, shown = _find(entries, game, view)
    lines = [f"{found.name}, view {view}"]
    if shown.steps:
        lines += _rows(shown, entries)
    else:
        facts = shown.layout.decode(entries)
        width = max(map(len, facts))
        lines += [f"{name:{width}}  {in_words(fact)}" for name, fact in facts.items()]
    if mask is not None:
        lines.append(f"legal: {' '.join(_legal(found, mask)) or '-'}")
    return "\n".join(lines)


def _zeros_and_ones(observation: object) -> NDArray[np.uint8]:
    try:
        entries = np.asarray(observation, dtype=np.float64)
    except (TypeError, ValueError):
        raise ObservationError("an observation is an array of zeros and ones") from None
    if not np.isin(entries, (0, 1)).all():
        wrong = entries[~np.isin(entries, (0, 1))].flat[0]
        raise ObservationError(f"the observation holds {wrong}; its entries are zeros and ones")
    return entries.astype(np.uint8)


def _find(entries: NDArray[np.uint8], game: str | None, view: str) -> tuple[Game, View]:
    names: Sequence[str] = NAMES if game is None else (game,)
    games = [get_game(name) for name in names]
    for candidate in games:
        if candidate.views[view].shape == entries.shape:
            return candidate, candidate.views[view]
    shapes = ", ".join(f"{one.name} {one.views[view].shape}" for one in games)
    raise ObservationError(
        f"an observation of shape {entries.shape}; the view {view} has the shapes {shapes}"
    )


def _rows(view: View, entries: NDArray[np.uint8]) -> list[str]:
    """Returns a line for each row that is used, with the fields that say something."""
    lines = []
    for row in entries:
        if row.any():
            facts = {name: in_words(fact) for name, fact in view.layout.decode(row).items()}
            kind = facts.pop("kind")
            told = [f"{name} {text}" for name, text in facts.items() if _tells(text)]
            lines.append("; ".join([kind, *told]))
    return lines


def _tells(text: str) -> bool:
    """Tells whether a text is more than dashes, zeros and noes, part by part."""
    return any(part.split()[-1] not in {"-", "no", "0"} for part in text.split(", "))


def _legal(game: Game, mask: Any) -> list[str]:
    flags = np.asarray(mask).astype(bool)
    if flags.shape != (game.n_actions,):
        raise ObservationError(
            f"an action mask of shape {flags.shape}; {game.name} has {game.n_actions} actions"
        )
    return [game.actions[action] for action in np.flatnonzero(flags)]

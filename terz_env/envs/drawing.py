"""Draws a position as an environment's render mode asks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from terz_env.state import State

RENDER_MODES = ("ansi", "human", "rgb_array")
RENDER_FPS = 2


def check_render_mode(mode: str | None, modes: Sequence[str] = RENDER_MODES) -> str | None:
    """Returns the render mode; raises ValueError when there is no such mode."""
    if mode is not None and mode not in modes:
        raise ValueError(f"render_mode={mode!r}; use None, {', '.join(modes)}")
    return mode


def draw(
    position: State, mode: str, names: Sequence[str] | None = None
) -> str | NDArray[np.uint8] | None:
    """Draws the table with open hands.

    Args:
        position: What is drawn.
        mode: One of `RENDER_MODES`.
        names: A name for each seat.

    Returns:
        Text for "ansi", (480, 640, 3) for "rgb_array", None for "human", which prints.
    """
    from terz_env.envs.render import View, ansi, rgb_array, show

    view = View.of(position, names=names)
    if mode == "ansi":
        return ansi(view)
    if mode == "rgb_array":
        return rgb_array(view)
    show(view)
    return None

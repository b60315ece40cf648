"""Drawings for a person at a terminal, each in the place of the one before."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from terz_env.envs.render.ansi import ansi
from terz_env.envs.render.view import View

HOME_AND_CLEAR = "\x1b[H\x1b[2J"


def show(view: View, stream: TextIO | None = None) -> None:
    """Clears the terminal and draws on it; anything else than a terminal gets plain lines.

    The variable `NO_COLOR` turns colours off, as is the custom (https://no-color.org).
    """
    out = sys.stdout if stream is None else stream
    if out.isatty():
        out.write(HOME_AND_CLEAR + ansi(view, coloured="NO_COLOR" not in os.environ) + "\n")
    else:
        out.write(ansi(view) + "\n\n")
    out.flush()

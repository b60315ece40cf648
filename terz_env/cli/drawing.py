"""Draws a recorded deal into a file or as text."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from terz_env.cli.replaying import MAX_LINE
from terz_env.envs.render import View, animated_svg, ansi, gif, png, recorded_views, svg
from terz_env.envs.render.raster import SIZE
from terz_env.errors import RecordError, RenderError
from terz_env.records import read_record

SUFFIXES = (".gif", ".svg", ".png", ".txt")


def read_views(
    file: Path, line: int, deal: int, seat: int | None, language: str, names: Sequence[str] | None
) -> list[View]:
    """Returns the views of a deal of the record in line `line`, from 1.

    Raises:
        OSError: The file cannot be read.
        RecordError: There is no such line, or no good record in it.
        RenderError: There is no such deal, seat or language.
    """
    with file.open("rb") as lines:
        for number in range(1, line + 1):
            text = lines.readline(MAX_LINE)
            if not text:
                raise RecordError(f"{file} has no line {line}; it ends after {number - 1}")
    return recorded_views(read_record(text), deal, seat, language=language, names=names)


def choose_step(views: list[View], step: int) -> View:
    """Returns the view after `step` actions; raises RenderError when there are fewer."""
    if not 0 <= step < len(views):
        raise RenderError(f"there is no step {step}; the deal has steps 0 to {len(views) - 1}")
    return views[step]


def parse_size(text: str) -> tuple[int, int]:
    """Returns width and height from text such as `640x480`."""
    width, _, height = text.partition("x")
    try:
        return int(width), int(height)
    except ValueError:
        raise RenderError(f"size {text!r}; use WIDTHxHEIGHT, such as 640x480") from None


def draw(
    views: list[View],
    output: Path,
    step: int | None,
    size: tuple[int, int] = SIZE,
    seconds: float = 1.0,
) -> int:
    """Writes a picture, or an animation of a whole deal where no step is named.

    The file appears under its name when it is complete.

    Returns:
        The number of its pictures.

    Raises:
        RenderError: The suffix is unknown, there is no such step, or as the drawing raises it.
        OSError: The file cannot be written.
    """
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        raise RenderError(f"{output}: unknown suffix {suffix!r}; use {', '.join(SUFFIXES)}")
    chosen = views if step is None else [choose_step(views, step)]
    if step is None and suffix in (".png", ".txt"):
        chosen = views[:1]
    _replace(output, _drawn(chosen, suffix, size, seconds))
    return len(chosen)


def _drawn(views: list[View], suffix: str, size: tuple[int, int], seconds: float) -> bytes:
    if suffix == ".gif":
        return gif(views, size, seconds)
    if suffix == ".png":
        return png(views[0], size)
    if suffix == ".txt":
        return (ansi(views[0]) + "\n").encode()
    text = svg(views[0]) if len(views) == 1 else animated_svg(views, seconds)
    return text.encode()


def _replace(output: Path, data: bytes) -> None:
    """Writes a file under a temporary name beside it, then renames it."""
    if not output.parent.is_dir():
        raise RenderError(f"{output}: there is no directory {output.parent}")
    if output.is_dir():
        raise RenderError(f"{output} is a directory; name a file")
    handle, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # A temporary file is private; the picture gets the permissions of a new file.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(output)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise

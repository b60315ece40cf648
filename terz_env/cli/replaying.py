"""Replays a file of records line by line, however large it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from terz_env.errors import RecordError
from terz_env.records import read_record, replay

MAX_LINE = 1 << 26
"""Bytes of the longest line that is read; the longest match takes a tenth of it."""
MAX_MESSAGE = 600


def check_lines(lines: BinaryIO, name: str, report: Callable[[str], object]) -> tuple[int, int]:
    """Replays every line that is not blank and reports the bad ones as `FILE:LINE: …`.

    Returns:
        The number of good records and of bad ones.
    """
    good = bad = 0
    for number, line in enumerate(_lines(lines), start=1):
        if line is not None and not line.strip():
            continue
        try:
            if line is None:
                raise RecordError(f"the line is longer than {MAX_LINE:,} bytes")
            replay(read_record(line))
            good += 1
        except RecordError as error:
            bad += 1
            text = str(error)
            if len(text) > MAX_MESSAGE:
                text = text[:MAX_MESSAGE] + " …"
            report(f"{name}:{number}: {text}")
    return good, bad


def _lines(lines: BinaryIO) -> Iterator[bytes | None]:
    """Yields the lines, None for one that is too long to be read."""
    while line := lines.readline(MAX_LINE):
        if len(line) < MAX_LINE or line.endswith(b"\n"):
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = lines.readline(MAX_LINE)
        yield None

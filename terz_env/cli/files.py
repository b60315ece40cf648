"""Writes files that are either there as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(output: Path, data: bytes) -> None:
    """Writes a file under a temporary name beside it, then renames it."""
    handle, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # A temporary file is private; the new one gets the permissions of any new file.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(output)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def append_line(output: Path, line: str) -> None:
    """Adds a line to a file, or begins one; the file is replaced as a whole."""
    path = output.resolve()
    there = path.read_bytes() if path.exists() else b""
    if there and not there.endswith(b"\n"):
        there += b"\n"
    replace_file(path, there + line.encode() + b"\n")

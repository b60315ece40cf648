"""Files that are there whole or not at all."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from terz_env.errors import TerzEnvError


class FileError(TerzEnvError, OSError):
    """A file that cannot be written; the message says which and why."""


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a temporary neighbour of ``path``, then rename it into place.

    What was there before stays until the new file is on the disk.

    Raises:
        FileError: If the disk is full, or the file cannot be written for another reason.
    """
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(temporary)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()

"""What adapters say where the library that they adapt to is missing or too old."""

from __future__ import annotations

import re
from importlib import metadata

from terz_env.errors import TerzEnvError


class LibraryError(TerzEnvError, ImportError):
    """A library that an adapter needs is not installed, or its version does not fit."""


def require(library: str, extra: str, least: tuple[int, ...]) -> None:
    """Refuses to go on without a library of at least this version.

    Args:
        library: The name that it is installed by.
        extra: The extra of this package that installs it.
        least: The first version that fits, number by number.

    Raises:
        LibraryError: It is not installed, or older.
    """
    command = f"pip install 'terz-env[{extra}]'"
    try:
        version = metadata.version(library)
    except metadata.PackageNotFoundError as error:
        raise LibraryError(f"{library} is not installed: {command}") from error
    if tuple(int(number) for number in re.findall(r"\d+", version)) < least:
        needed = ".".join(map(str, least))
        raise LibraryError(f"{library} {version}: {needed} or newer is needed: {command}")

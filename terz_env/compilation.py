"""What this process compiles: a count, one line for the user, and a listener that may replace it.

A kernel that lies in the cache is loaded in milliseconds; one that does not takes about a second,
once for each version of the package and each machine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

VERBOSE = "TERZ_ENV_VERBOSE"
"""The variable of the environment: 1 shows the line everywhere, 0 nowhere."""
SECONDS = 100
"""About how long all kernels of both games take on one core."""
NOTICE = (
    "terz_env: compiling the kernels, once for this version and machine "
    f"(about {SECONDS} s for all of them); `terz compile` does it ahead"
)

compiled: list[str] = []
"""The kernels that this process has compiled because the cache did not hold them, in order."""
_listeners: list[Callable[[str], object]] = []


def note(kernel: str) -> None:
    """Notes that a kernel is about to be compiled, and tells the user of the first one."""
    compiled.append(kernel)
    for listener in _listeners:
        listener(kernel)
    if len(compiled) == 1 and not _listeners and _is_shown():
        sys.stderr.write(NOTICE + "\n")
        sys.stderr.flush()


@contextmanager
def listening(listener: Callable[[str], object]) -> Iterator[None]:
    """Calls the listener with the name of each kernel to be compiled, instead of the line."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def _is_shown() -> bool:
    """Tells whether somebody reads the line: at a terminal, or who asks for it."""
    if sys.stderr is None:
        return False
    wanted = os.environ.get(VERBOSE, "")
    return wanted == "1" or (wanted != "0" and sys.stderr.isatty())

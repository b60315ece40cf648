"""Environments for the card games Terz and Tetka."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from terz_env.describing import describe as describe

__version__ = "0.1.0"
__all__ = ["__version__", "describe"]


def __getattr__(name: str) -> Any:
    """Loads what is asked for: importing the package compiles nothing."""
    if name == "describe":
        from terz_env.describing import describe

        return describe
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Terz: the text of a position (docs/notation.md)."""

from terz_env.games.terz.notation.reading import read_fields
from terz_env.games.terz.notation.writing import write_fields

__all__ = ["read_fields", "write_fields"]

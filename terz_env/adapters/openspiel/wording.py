"""Views as text: every field that says something, by name, a line of a sequence after another."""

from __future__ import annotations

from functools import lru_cache

from terz_env.adapters.openspiel.play import Words
from terz_env.observation import View
from terz_env.readings import in_words

KEPT = 1 << 16
"""So many rows are remembered as text: the strings of solvers are made of few different ones."""


class Wording:
    """Says the words of a view as text; different views never read the same."""

    def __init__(self, view: View) -> None:
        """Takes the view."""
        self._layout = view.layout
        self._row_bytes = 8 * view.layout.n_words
        self._row = lru_cache(maxsize=KEPT)(self._describe)

    def say(self, words: Words) -> str:
        """Returns the rows that say something, as text."""
        data, size = words.tobytes(), self._row_bytes
        rows = (data[first : first + size] for first in range(0, len(data), size))
        return " | ".join(filter(None, map(self._row, rows)))

    def _describe(self, row: bytes) -> str:
        bits = int.from_bytes(row, "little")
        parts = []
        for field in self._layout.fields:
            entries = bits >> field.offset & (1 << field.size) - 1
            if entries:
                said = in_words(field.reading.decode(entries, field.size))
                parts.append(f"{field.name}: {said}")
        return "; ".join(parts)

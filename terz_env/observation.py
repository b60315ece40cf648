"""Observations as data: named fields of bits, from which offsets and fingerprints follow."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import inline, to_word

WORD_BITS = 64


@dataclass(frozen=True, kw_only=True)
class Field:
    """A run of observation entries: its name, size and meaning."""

    name: str
    size: int
    meaning: str
    offset: int = 0


@dataclass(frozen=True)
class Layout:
    """The fields of one view in order; entry e is bit e % 64 of word e // 64."""

    fields: tuple[Field, ...]

    @classmethod
    def of(cls, *declared: tuple[str, int, str]) -> Layout:
        """Builds a layout from (name, size, meaning), placing the fields one after another."""
        fields, offset = [], 0
        for name, size, meaning in declared:
            fields.append(Field(name=name, size=size, meaning=meaning, offset=offset))
            offset += size
        return cls(tuple(fields))

    @property
    def n_entries(self) -> int:
        """The number of entries O."""
        last = self.fields[-1]
        return last.offset + last.size

    @property
    def n_words(self) -> int:
        """The number of 64-bit words that hold the entries."""
        return (self.n_entries + 63) // 64

    def field(self, name: str) -> Field:
        """Returns a field by name; raises KeyError listing the names there are."""
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(f"no field {name!r}; fields: {', '.join(f.name for f in self.fields)}")

    @property
    def fingerprint(self) -> str:
        """A hash of names, sizes and order: models refuse another layout."""
        text = ";".join(f"{field.name}:{field.size}" for field in self.fields)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@inline
def put(words: NDArray[np.int64], offset: int, size: int, bits: int) -> None:
    """Sets the members of a set of at most `size` ≤ 62 entries from `offset` on; the rest stays."""
    index = offset >> 6
    shift = offset & 63
    words[index] |= to_word(bits << shift)
    if shift + size > WORD_BITS:
        words[index + 1] |= bits >> (WORD_BITS - shift)


@inline
def thermometer(level: int) -> int:
    """Returns the set of the `level` lowest entries: 3 → 0b111."""
    return (1 << level) - 1

"""Observations as data: named fields of bits; offsets, shapes and fingerprints follow."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terz_env.kernel import inline, to_word
from terz_env.readings import FLAG, Fact, Reading

WORD_BITS = 64
VIEWS = ("observation", "table", "state", "history")

Words = NDArray[np.int64]
Declared = tuple[str, int, str] | tuple[str, int, str, Reading]


@dataclass(frozen=True, kw_only=True)
class Field:
    """A run of observation entries: its name, size, meaning and reading."""

    name: str
    size: int
    meaning: str
    offset: int = 0
    reading: Reading = FLAG


@dataclass(frozen=True)
class Layout:
    """The fields of one view in order; entry e is bit e % 64 of word e // 64."""

    fields: tuple[Field, ...]

    @classmethod
    def of(cls, *declared: Declared) -> Layout:
        """Builds a layout from (name, size, meaning, reading), one field after another.

        Without a reading a field is a flag.
        """
        return cls(()).extended(*declared)

    def extended(self, *declared: Declared) -> Layout:
        """Returns this layout with more fields at its end."""
        fields = list(self.fields)
        offset = self.n_entries
        for name, size, meaning, *rest in declared:
            reading = rest[0] if rest else FLAG
            fields.append(
                Field(name=name, size=size, meaning=meaning, offset=offset, reading=reading)
            )
            offset += size
        return Layout(tuple(fields))

    @property
    def n_entries(self) -> int:
        """The number of entries O."""
        return self.fields[-1].offset + self.fields[-1].size if self.fields else 0

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

    def decode(self, entries: NDArray[np.uint8]) -> dict[str, Fact]:
        """Returns what zeros and ones (O,) say, field by field."""
        bits = int.from_bytes(np.packbits(entries, bitorder="little").tobytes(), "little")
        return {
            field.name: field.reading.decode(
                bits >> field.offset & ((1 << field.size) - 1), field.size
            )
            for field in self.fields
        }

    def encode(self, facts: Mapping[str, Fact]) -> NDArray[np.uint8]:
        """Returns the zeros and ones (O,) that say the facts: the inverse of `decode`."""
        bits = sum(
            field.reading.encode(facts[field.name], field.size) << field.offset
            for field in self.fields
        )
        data = np.frombuffer(bits.to_bytes(8 * self.n_words, "little"), dtype=np.uint8)
        return np.unpackbits(data, bitorder="little")[: self.n_entries]

    @property
    def fingerprint(self) -> str:
        """A hash of names, sizes and order: models refuse another layout."""
        text = ";".join(f"{field.name}:{field.size}" for field in self.fields)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True)
class View:
    """One way to look at a position: its layout and the kernel that writes its bits.

    Attributes:
        name: One of `VIEWS`.
        layout: The fields; in a sequence those of one row.
        steps: The number of rows T of a sequence, enough for every deal; 0 for a plain vector.
        needs_log: The kernel reads the log of the deal.
        write: `write(state, log, seat, words)`, the kernel: the words of a position, its log, the
            seat that looks, and where the bits go (n_words,).
    """

    name: str
    layout: Layout
    steps: int = 0
    needs_log: bool = False
    write: Callable[[Words, Words, int, Words], None]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the expanded view: (O,), or (T, F) for a sequence."""
        entries = self.layout.n_entries
        return (self.steps, entries) if self.steps else (entries,)

    @property
    def n_entries(self) -> int:
        """The number of entries, those of all rows together."""
        return int(np.prod(self.shape))

    @property
    def n_words(self) -> int:
        """The number of 64-bit words; every row of a sequence begins a new word."""
        return self.layout.n_words * max(self.steps, 1)

    @property
    def fingerprint(self) -> str:
        """A hash of layout and length: models refuse another one."""
        if not self.steps:
            return self.layout.fingerprint
        text = f"{self.layout.fingerprint}:{self.steps}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def expand(self, words: Words) -> NDArray[np.uint8]:
        """Returns the bits of words (…, n_words) as zeros and ones of this view's shape (…)."""
        data = words.astype("<i8").view(np.uint8)
        rows = data.reshape(*words.shape[:-1], max(self.steps, 1), -1)
        entries = np.unpackbits(rows, axis=-1, bitorder="little")[..., : self.layout.n_entries]
        return np.ascontiguousarray(entries).reshape(*words.shape[:-1], *self.shape)


@inline
def put(words: NDArray[np.int64], offset: int, size: int, bits: int) -> None:
    """Sets the members of a set of at most `size` ≤ 62 entries from `offset` on; the rest stays."""
    index = offset >> 6
    shift = offset & 63
    words[index] |= to_word(bits << shift)
    if shift + size > WORD_BITS:
        words[index + 1] |= bits >> (WORD_BITS - shift)


@inline
def take(words: NDArray[np.int64], offset: int, size: int) -> int:
    """Returns at most 62 entries from `offset` on as a set: what `put` has written."""
    index = offset >> 6
    shift = offset & 63
    bits = words[index] >> shift
    if shift + size > WORD_BITS:
        low = WORD_BITS - shift
        bits = (bits & ((1 << low) - 1)) | to_word(words[index + 1] << low)
    taken: int = bits & ((1 << size) - 1)
    return taken


@inline
def flip(words: NDArray[np.int64], offset: int, size: int, bits: int) -> None:
    """Turns the members of a set of at most `size` ≤ 62 entries from `offset` on."""
    index = offset >> 6
    shift = offset & 63
    words[index] ^= to_word(bits << shift)
    if shift + size > WORD_BITS:
        words[index + 1] ^= bits >> (WORD_BITS - shift)


@inline
def thermometer(level: int) -> int:
    """Returns the set of the `level` lowest entries: 3 → 0b111."""
    return (1 << level) - 1

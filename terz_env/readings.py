"""Readings: what the entries of a field mean, as values that can be read and written back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Value = bool | int | str | tuple[str, ...] | None
Fact = Value | dict[str, Value]
RELATIVE_SEATS = {2: ("own", "opponent"), 4: ("own", "left", "opposite", "right")}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the entries of a field are read.

    Attributes:
        kind: `set` any labels, `one` at most one label, `level` a thermometer, `number` binary
            with the lowest bit first, `flag` a truth.
        labels: The names of the entries of a set or a choice.
        unit: What a step of a level or a number stands for.
        signed: The number is a two's complement.
        parts: The names of equal parts of the field; without them it is read as a whole.
    """

    kind: str
    labels: tuple[str, ...] = ()
    unit: int = 1
    signed: bool = False
    parts: tuple[str, ...] = ()

    def decode(self, bits: int, size: int) -> Fact:
        """Returns what `size` entries say.

        >>> one_of("SCDH").decode(0b0100, 4), level(5).decode(0b111, 32)
        ('D', 15)
        """
        if not self.parts:
            return self._value(bits, size)
        width = size // len(self.parts)
        lane = (1 << width) - 1
        return {
            part: self._value(bits >> width * place & lane, width)
            for place, part in enumerate(self.parts)
        }

    def encode(self, fact: Fact, size: int) -> int:
        """Returns the entries that say a fact: the inverse of `decode`."""
        if not isinstance(fact, dict):
            return self._bits(fact, size)
        width = size // len(self.parts)
        return sum(
            self._bits(fact[part], width) << width * place for place, part in enumerate(self.parts)
        )

    def _value(self, bits: int, size: int) -> Value:
        if self.kind == "flag":
            return bits == 1
        if self.kind == "level":
            return bits.bit_count() * self.unit
        if self.kind == "number":
            negative = self.signed and bits >> (size - 1)
            return (bits - (1 << size) if negative else bits) * self.unit
        named = tuple(label for place, label in enumerate(self.labels) if bits >> place & 1)
        if self.kind == "set":
            return named
        return named[0] if named else None

    def _bits(self, value: Value, size: int) -> int:
        if isinstance(value, bool):
            return int(value)
        if isinstance(value, int):
            steps = value // self.unit
            return (1 << steps) - 1 if self.kind == "level" else steps & ((1 << size) - 1)
        names = (value,) if isinstance(value, str) else value or ()
        return sum(1 << self.labels.index(name) for name in names)


FLAG = Reading(kind="flag")


def set_of(labels: Sequence[str], parts: Sequence[str] = ()) -> Reading:
    """Returns the reading of a set of labels."""
    return Reading(kind="set", labels=tuple(labels), parts=tuple(parts))


def one_of(labels: Sequence[str], parts: Sequence[str] = ()) -> Reading:
    """Returns the reading of a choice: at most one of the labels."""
    return Reading(kind="one", labels=tuple(labels), parts=tuple(parts))


def level(unit: int = 1, parts: Sequence[str] = ()) -> Reading:
    """Returns the reading of a thermometer."""
    return Reading(kind="level", unit=unit, parts=tuple(parts))


def number(unit: int = 1, parts: Sequence[str] = (), *, signed: bool = False) -> Reading:
    """Returns the reading of a binary number."""
    return Reading(kind="number", unit=unit, parts=tuple(parts), signed=signed)


def in_words(fact: Fact) -> str:
    """Returns a fact as text: names, numbers, yes or no; a dash where there is nothing.

    >>> in_words(("7S", "TS")), in_words({"own": 3, "left": None})
    ('7S TS', 'own 3, left -')
    """
    if isinstance(fact, Mapping):
        return ", ".join(f"{part} {in_words(value)}" for part, value in fact.items())
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    if isinstance(fact, tuple):
        return " ".join(fact) or "-"
    return "-" if fact is None else str(fact)

"""Reads the fields of a record and says what is wrong with them; trusts no type and no size."""

from __future__ import annotations

import json
import reprlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

from terz_env.errors import RecordError

MAX_TEXT = 80
LIMIT = 1 << 63
_SHORT = reprlib.Repr()
_SHORT.maxlevel = 3
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80
_SHORT.maxlist = _SHORT.maxdict = 8


def read_record(text: str | bytes) -> object:
    """Returns the JSON value of a line of UTF-8; raises RecordError where there is none."""
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        value: object = json.loads(
            text, object_pairs_hook=_object, parse_float=_number, parse_constant=_number
        )
    except RecordError:
        raise
    except RecursionError:
        raise RecordError("no record: it is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise RecordError(f"no UTF-8: {error.reason} in byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise RecordError(f"no JSON: {error}") from None
    except ValueError:
        raise RecordError("no record: a number is too long") from None
    return value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Returns a JSON object; a key that stands twice has no one value."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise RecordError(f"the field {show(twice)} stands twice in an object")
    return fields


def _number(text: str) -> object:
    """Refuses what is no whole number, infinities and NaN among it."""
    raise RecordError(f"found the number {show(text)}; a record has whole numbers only")


def show(value: object) -> str:
    """Returns a value as short text, however large or deep it is."""
    try:
        return _SHORT.repr(value)
    except (RecursionError, ValueError):
        return f"a value of type {type(value).__name__}"


def is_int(value: object) -> TypeGuard[int]:
    """Tells whether a value is a whole number of 64 bits; true and 1.0 are none."""
    return isinstance(value, int) and not isinstance(value, bool) and -LIMIT <= value < LIMIT


def as_mapping(value: object, name: str) -> dict[str, Any]:
    """Returns a JSON object."""
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise RecordError(f"{name}: found {show(value)}; an object is expected")
    return value


def as_list(value: object, name: str) -> list[Any]:
    """Returns a JSON array."""
    if not isinstance(value, list):
        raise RecordError(f"{name}: found {show(value)}; a list is expected")
    return value


def as_text(value: object, name: str) -> str:
    """Returns a text."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise RecordError(f"{name}: found {show(value)}; a short text is expected")
    return value


def as_texts(value: object, name: str) -> list[str]:
    """Returns a list of texts."""
    return [as_text(entry, name) for entry in as_list(value, name)]


def check_keys(
    fields: Mapping[str, Any], known: Iterable[str], needed: Iterable[str], where: str
) -> None:
    """Refuses fields that the format does not have, and the lack of those it needs."""
    missing = [name for name in needed if name not in fields]
    if missing:
        raise RecordError(f"{where} lacks {', '.join(missing)}")
    unknown = sorted(set(fields) - set(known))
    if unknown:
        raise RecordError(f"{where} has no field {show(unknown[0])}; use {', '.join(known)}")


def same(found: object, wanted: object) -> bool:
    """Tells whether two JSON values are the same, types included."""
    if type(found) is not type(wanted):
        return False
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(
            same(found[name], value) for name, value in wanted.items()
        )
    return found == wanted


def compare(
    fields: Mapping[str, Any], wanted: Mapping[str, Any], name: str, number: int | None = None
) -> None:
    """Compares a field, which has to be absent where the rules give it no value."""
    if name not in wanted and name in fields:
        raise RecordError(f"{name}: found {show(fields[name])}; there is none here", number)
    if name in wanted and name not in fields:
        raise RecordError(f"{name} is missing; the rules say {wanted[name]}", number)
    if name in wanted and not same(fields[name], wanted[name]):
        raise RecordError(
            f"{name}: found {show(fields[name])}; the rules say {wanted[name]}", number
        )

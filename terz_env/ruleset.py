"""What rule sets share: validation that lists what fits, dictionaries and fingerprints."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from terz_env.errors import RuleSetError

Option = str | int
_WHOLE = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, kw_only=True)
class RuleSet:
    """Base of the rule sets: options with named values, frozen, hashable, keyword-only."""

    CHOICES: ClassVar[Mapping[str, tuple[Option, ...]]] = {}
    PRESETS: ClassVar[Mapping[str, Mapping[str, Option]]] = {}

    def __post_init__(self) -> None:
        """Refuses a value that no option has; raises RuleSetError listing what fits."""
        for name, allowed in self.CHOICES.items():
            value = getattr(self, name)
            if type(value) not in (int, str) or value not in allowed:
                values = ", ".join(map(str, allowed))
                raise RuleSetError(f"{name}={value!r} is no value of this option; use {values}")

    @classmethod
    def from_mapping(cls, options: Mapping[str, object]) -> Self:
        """Builds a rule set; missing options take their defaults, unknown ones are errors."""
        if not isinstance(options, Mapping):
            raise RuleSetError(f"{options!r} is no preset, no key=value and no mapping of options")
        known = [field.name for field in dataclasses.fields(cls)]
        unknown = [str(name) for name in options if name not in known]
        if unknown:
            raise RuleSetError(
                f"unknown option {', '.join(unknown)}; the options are {', '.join(known)}"
            )
        return cls(**options)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Reads `PRESET`, `key=value[,key=value…]` or a preset followed by options."""
        options: dict[str, object] = {}
        for part in filter(None, (piece.strip() for piece in text.split(","))):
            name, equals, value = part.partition("=")
            if equals:
                options[name] = int(value) if _WHOLE.fullmatch(value) else value
            elif part in cls.PRESETS:
                options.update(cls.PRESETS[part])
            else:
                presets = ", ".join(cls.PRESETS)
                raise RuleSetError(f"{part!r} is no preset ({presets}) and no key=value")
        return cls.from_mapping(options)

    def to_dict(self) -> dict[str, Option]:
        """Returns every option with its value, in the order of declaration."""
        return dataclasses.asdict(self)

    @property
    def fingerprint(self) -> str:
        """A hash of the options that shape play; `illegal_actions` is not one of them."""
        options = {key: value for key, value in self.to_dict().items() if key != "illegal_actions"}
        return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True)
class SmallRules(RuleSet):
    """The rule set of a small game: it has no options (Rules M1–M3)."""

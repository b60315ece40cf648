"""Reads what a person types: a card, another action, its number, or a command."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from terz_env.envs.render.words import LANGUAGES

_COMMANDS = (
    {
        "?": "help", "help": "help", "h": "help",
        "legal": "legal", "why": "why", "hint": "hint", "last": "last", "undo": "undo",
        "save": "save", "quit": "quit", "q": "quit", "exit": "quit",
    },
    {
        "помощь": "help", "можно": "legal", "почему": "why", "подсказка": "hint",
        "взятка": "last", "взятки": "last", "назад": "undo", "сохранить": "save",
        "выход": "quit", "конец": "quit",
    },
)  # fmt: skip
_KINDS = (
    {"run": "run", "four": "four", "break": "break", "marriage": "marriage", "seven": "seven"},
    {
        "ряд": "run", "четыре": "four", "четверка": "four", "сломать": "break",
        "марьяж": "marriage", "семерка": "seven", "обмен": "seven",
    },
)  # fmt: skip
_RANKS = (
    {**{rank: rank for rank in "23456789TJQKA"}, "10": "T"},
    {"В": "J", "Д": "Q", "К": "K", "Т": "A"},
)
_SUITS = (
    {"S": "S", "C": "C", "D": "D", "H": "H", "♠": "S", "♣": "C", "♦": "D", "♥": "H"}
    | {"♤": "S", "♧": "C", "♢": "D", "♡": "H"},
    {"П": "S", "Т": "C", "Б": "D", "Ч": "H"},
)
_NUMBER = re.compile(r"[0-9]{1,9}")
_EMOJI = "\ufe0f"
"""The sign that asks for a suit in colour, as telephones write it."""
MAX_SHOWN = 40


@dataclass(frozen=True)
class Command:
    """A command by its English name, "" for an empty line, and what stands after it."""

    name: str
    rest: str = ""


@dataclass(frozen=True)
class Move:
    """An action by its name; `insists` where it is to be played although it is illegal."""

    name: str
    insists: bool = False


@dataclass(frozen=True)
class Unknown:
    """What is no action and no command; `is_number` where it is a number beyond the list."""

    text: str
    is_number: bool = False


def read_entry(text: str, legal: Sequence[str], language: str) -> Command | Move | Unknown:
    """Returns what a line means; the English words and Latin letters do in every language.

    Args:
        text: The line.
        legal: The names of the legal actions, in the order of the numbers that choose them.
        language: "en" or "ru"; the letters and words of Russian mean nothing in "en".
    """
    line = text.strip()
    if not line:
        return Command("")
    head, *rest = line.split(maxsplit=1)
    command = _known(_COMMANDS, language).get(head.lower())
    if command is not None:
        return Command(command, *rest)
    insists, line = line.endswith("!"), line.removesuffix("!").strip()
    if _NUMBER.fullmatch(line):
        number = int(line)
        if 1 <= number <= len(legal):
            return Move(legal[number - 1])
        return Unknown(_short(line), is_number=True)
    name = read_action(line, language)
    return Unknown(_short(text.strip())) if name is None else Move(name, insists)


def read_action(text: str, language: str) -> str | None:
    """Returns the name of an action of either game, None where the text names none.

    >>> read_action("♠10", "en"), read_action("run jh", "en"), read_action("дч", "ru")
    ('TS', 'run:JH', 'QH')
    """
    head, *after = text.replace(":", " ", 1).split(maxsplit=1) or [""]
    kind = _known(_KINDS, language).get(head.lower().replace("ё", "е"))
    detail = after[0].strip() if after else ""
    if kind is None:
        return _read_card(text, language)
    if kind == "run":
        card = _read_card(detail, language)
        return card and f"run:{card}"
    if kind == "four":
        rank = _known(_RANKS, language).get(detail.upper())
        return rank and f"four:{rank}"
    if kind == "break":
        return f"break:{int(detail)}" if _NUMBER.fullmatch(detail) else None
    return None if detail else kind


def _read_card(text: str, language: str) -> str | None:
    """Returns a card, its rank before its suit or after it."""
    letters = "".join(text.split()).replace(_EMOJI, "").upper()
    ranks, suits = _known(_RANKS, language), _known(_SUITS, language)
    for rank, suit in ((letters[:-1], letters[-1:]), (letters[1:], letters[:1])):
        if rank in ranks and suit in suits:
            return ranks[rank] + suits[suit]
    return None


def _known(tables: Sequence[Mapping[str, str]], language: str) -> dict[str, str]:
    """Returns the words that a language understands."""
    known: dict[str, str] = {}
    for table in tables[: LANGUAGES.index(language) + 1]:
        known |= table
    return known


def _short(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"

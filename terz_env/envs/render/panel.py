"""The panel beside the table: game, trick, photo, last trick, melds, announcements."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from terz_env.envs.render import cards
from terz_env.envs.render.primitives import (
    FAINT,
    GOLD,
    PANEL,
    TABLE_DARK,
    TEXT,
    Box,
    Item,
    Label,
    Placed,
)
from terz_env.envs.render.view import View

_MARGIN = 10
_MOST_MELDS = 6
_LOWEST = 376
"""Where the list of announcements has to end."""
_LINE_LETTERS = 18


class _Column:
    """A column of lines and cards that are put one below the other."""

    def __init__(self, left: float, top: float) -> None:
        self.left = left
        self.y = top
        self.items: list[Item] = []

    def line(self, text: str, size: float = 12, fill: str = TEXT, bold: bool = False) -> None:
        """Adds a line of text."""
        self.y += size + 4
        self.items.append(Label(self.left, self.y, text, size, fill, bold=bold))

    def gap(self, height: float) -> None:
        """Leaves room."""
        self.y += height


def panel(view: View, left: float, width: float, height: float) -> Iterator[Item]:
    """Yields the panel, `left` the end of the table."""
    yield Box(left, 4, width - 4, height - 8, PANEL, 12)
    column = _Column(left + _MARGIN, 10)
    words = view.words
    column.line(words(view.game), 17, TEXT, bold=True)
    column.line(words(f"scope {view.scope}"), 12, FAINT)
    column.gap(4)
    column.line(words("trick of", view.trick, view.n_tricks), 13)
    if view.photo is not None:
        _photo(view, column)
    if view.last_trick and view.table:
        _last_trick(view, column)
    _melds(view, column)
    _announcements(view, column, width - 2 * _MARGIN - 4)
    yield from column.items
    yield from _bottom(view, left, height)


def _photo(view: View, column: _Column) -> None:
    """Adds the photo, set apart in a frame, with the number of the counting trick."""
    assert view.photo is not None
    words, scale = view.words, 0.78
    column.gap(8)
    column.line(words("photo"), 12, FAINT)
    column.gap(7)
    counts = view.counting_trick == view.trick and not view.is_over
    frame = (column.left, column.y, cards.WIDTH * scale + 10, cards.HEIGHT * scale + 10)
    column.items.append(Box(*frame, TABLE_DARK, 6, GOLD, 2 if counts else 1))
    face = cards.face(view.photo, words.rank(view.photo))
    column.items.append(Placed(face, column.left + 5, column.y + 5, scale))
    column.gap(cards.HEIGHT * scale + 12)
    text = f"{words('counting trick')} {view.counting_trick}"
    column.line(text, 11, GOLD if counts else TEXT)


def _last_trick(view: View, column: _Column) -> None:
    words, scale = view.words, 0.46
    column.gap(10)
    column.line(words("last trick"), 12, FAINT)
    column.gap(6)
    for number, (seat, card) in enumerate(view.last_trick):
        x, y = column.left + 29 * number, column.y
        if seat == view.leader:
            frame = (x - 1.5, y - 1.5, cards.WIDTH * scale + 3, cards.HEIGHT * scale + 3)
            column.items.append(Box(*frame, GOLD, 3))
        column.items.append(Placed(cards.face(card, words.rank(card)), x, y, scale))
    column.gap(cards.HEIGHT * scale)
    column.line(_short(words("taken by", view.seats[view.leader].name), 21), 10.5, FAINT)


def _melds(view: View, column: _Column) -> None:
    """Adds the melds that have been recorded, seat by seat."""
    melds = [(seat.name, meld) for seat in view.seats for meld in seat.melds]
    if not melds:
        return
    column.gap(10)
    column.line(view.words("melds"), 12, FAINT)
    last = ""
    for name, meld in melds[-_MOST_MELDS:]:
        if name != last:
            column.line(name, 11.5, TEXT, bold=True)
            last = name
        column.line(_meld(view, meld), 11.5)


def _meld(view: View, meld: tuple[str, ...]) -> str:
    """Returns a meld in short: a four by its ranks, cards of one suit with the symbol once."""
    words = view.words
    ranks = [words.rank(card) for card in meld]
    if len({card[1] for card in meld}) > 1:
        return words(f"four {meld[0][0]}")
    symbol = words.card(meld[0])[-1]
    if len(meld) > 5:
        return f"{symbol} {ranks[0]} … {ranks[-1]}"
    return f"{symbol} {' '.join(ranks)}"


def _announcements(view: View, column: _Column, width: float) -> None:
    """Adds the legal actions that are no cards, with their probabilities."""
    names = sorted(view.announcements, key=lambda name: -view.probabilities.get(name, 0))
    if not names:
        return
    column.gap(10)
    column.line(view.words("announcements"), 12, FAINT)
    for name in names:
        if column.y + 30 > _LOWEST and name != names[-1]:
            column.line("…", 12, GOLD)
            return
        column.line(view.words.action(name), 12, GOLD)
        if name in view.probabilities:
            _bar(column, width, view.probabilities[name])


def _bar(column: _Column, width: float, share: float) -> None:
    """Adds the probability of an announcement."""
    column.gap(4)
    length = width - 36
    column.items.append(Box(column.left, column.y, length, 6, TABLE_DARK, 3))
    column.items.append(Box(column.left, column.y, max(1.0, length * min(share, 1)), 6, GOLD, 3))
    text = f"{share:.0%}"
    column.items.append(Label(column.left + width, column.y + 7, text, 10.5, TEXT, "end"))
    column.gap(6)


def _bottom(view: View, left: float, height: float) -> Iterator[Item]:
    """Yields whose turn it is and what was played last, at the foot of the panel."""
    lines = _broken(view.caption)
    top = height - 18 - 15 * (len(lines) + 1)
    yield Box(left + 6, top - 14, 120, 15 * (len(lines) + 1) + 8, TABLE_DARK, 6)
    for number, line in enumerate(lines):
        yield Label(left + _MARGIN + 2, top + 15 * number, line, 10.5, TEXT)
    status = _short(view.status, 18)
    yield Label(left + _MARGIN + 2, top + 15 * len(lines), status, 10.5, GOLD, bold=True)


def _broken(text: str) -> list[str]:
    """Breaks a caption into lines of the panel."""
    return textwrap.wrap(text, _LINE_LETTERS)


def _short(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1] + "…"

"""Drawings as text for a terminal, plain or coloured, at most 80 columns wide."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from terz_env.envs.render.view import Seat, View, is_card

WIDTH = 80
BACK = "▒▒"
MOST_ACTIONS = 8
_BAR = 24
_RESET, _BOLD, _DIM, _RED, _GOLD = "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[1;33m"
_CODES = re.compile(r"\x1b\[[0-9;]*m")


def ansi(view: View, *, coloured: bool = False) -> str:
    """Returns the drawing; without its colour codes the coloured one is the plain one."""
    text = "\n".join(_lines(view))
    return text if coloured else _CODES.sub("", text)


def _lines(view: View) -> Iterator[str]:
    words = view.words
    trick = words("trick of", view.trick, view.n_tricks)
    yield f"{_BOLD}{view.title}{_RESET} · {trick}"
    yield " · ".join(_middle_of_table(view))
    for seat in _from_viewer(view):
        yield ""
        yield from _seat(view, seat)
    yield ""
    yield from _tricks(view)
    if view.caption:
        yield from textwrap.wrap(view.caption, WIDTH)
    yield f"{_GOLD}{view.status}{_RESET}"
    yield from _choice(view)


def _card(view: View, card: str) -> str:
    colour = _RED if card[1] in "DH" else _BOLD
    return f"{colour}{view.words.card(card)}{_RESET}"


def _middle_of_table(view: View) -> list[str]:
    """Returns trump card and talon, or photo and counting trick."""
    words = view.words
    if view.trump_card is not None:
        shown = words.card(view.trump_card) if view.talon_size else words.card(view.trump_card)[-1]
        colour = _RED if view.trump_card[1] in "DH" else _BOLD
        return [
            f"{words('trump')} {colour}{shown}{_RESET}",
            f"{words('talon')} {view.talon_size}",
        ]
    assert view.photo is not None
    return [
        f"{words('photo')} {_card(view, view.photo)}",
        f"{words('counting trick')} {view.counting_trick}",
    ]


def _from_viewer(view: View) -> list[Seat]:
    """Returns the seats in the order of play, the viewer last and so nearest to the prompt."""
    own = view.viewer if view.viewer is not None else len(view.seats) - 1
    return [*view.seats[own + 1 :], *view.seats[: own + 1]]


def _seat(view: View, seat: Seat) -> Iterator[str]:
    words = view.words
    arrow, colour = ("▸", _GOLD) if seat.acts else (" ", _BOLD)
    tallies = [f"{words(key)} {value}" for key, value in seat.tallies]
    facts = [*tallies, f"{words('score')} {seat.score}"]
    if seat.deals:
        facts.append(words("dealer"))
    yield f"{colour}{arrow} {seat.name}{_RESET}  {' · '.join(facts)}"
    if seat.cards:
        marked = seat.acts and bool(view.legal)
        yield "    " + " ".join(_held(view, card, marked) for card in seat.cards)
    if seat.melds:
        melds = " ".join("-".join(words.card(card) for card in meld) for meld in seat.melds)
        text = f"{words('melds')}: {melds}"
        yield from textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="      ")


def _held(view: View, card: str | None, marked: bool) -> str:
    """Returns a card of a hand; where a choice is shown the other cards are dim."""
    if card is None:
        return f"{_DIM}{BACK}{_RESET}"
    if marked and card not in view.legal:
        return f"{_DIM}{view.words.card(card)}{_RESET}"
    return _card(view, card)


def _tricks(view: View) -> Iterator[str]:
    words = view.words
    if view.table:
        yield f"{words('table')}: {_played(view, view.table)}"
    if view.last_trick:
        yield f"{words('last trick')}: {_played(view, view.last_trick)}"


def _played(view: View, trick: Iterable[tuple[int, str]]) -> str:
    return "  ".join(f"{view.seats[seat].name} {_card(view, card)}" for seat, card in trick)


def _choice(view: View) -> Iterator[str]:
    """Yields the legal actions, and the likeliest of a policy with bars."""
    words = view.words
    if view.legal:
        # Announcements of several words stay together when the line is broken.
        said = [words.action(name).replace(" ", "\u00a0") for name in view.legal]
        separator = " " if all(map(is_card, view.legal)) else " · "
        text = f"{words('legal')}: {separator.join(said)}"
        for line in textwrap.wrap(text, WIDTH, subsequent_indent="  "):
            yield line.replace("\u00a0", " ")
    ranked = sorted(view.probabilities.items(), key=lambda pair: -pair[1])[:MOST_ACTIONS]
    if ranked:
        yield f"{words('policy')}:"
    for name, share in ranked:
        bar = "█" * round(_BAR * min(share, 1))
        yield f"  {words.action(name):<22}{share:>5.0%} {bar}".rstrip()

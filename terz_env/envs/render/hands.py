"""Where the cards of a hand lie, what marks them, and the bars of a policy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from terz_env.envs.render import cards
from terz_env.envs.render.primitives import GOLD, TEXT, Box, Item, Label, Placed, Shape
from terz_env.envs.render.view import Seat, View

_BAR_LENGTH = 30
_BAR_WIDTH = 12
_LEAST_SHOWN = 0.005


@dataclass(frozen=True)
class Place:
    """Where a hand lies.

    Attributes:
        x: Centre of the hand.
        y: Centre of the hand.
        length: Room along the hand.
        scale: Size of a card.
        upright: Whether the cards lie below each other.
        inward: Direction in which cards are raised and bars grow: -1 up or left, 1 down or right.
    """

    x: float
    y: float
    length: float
    scale: float
    upright: bool
    inward: int


def hand(view: View, seat: Seat, place: Place) -> Iterator[Item]:
    """Yields the cards of a hand; the legal ones are raised and the others shaded."""
    marked = seat.acts and bool(view.legal)
    width, height = cards.WIDTH * place.scale, cards.HEIGHT * place.scale
    along = height if place.upright else width
    count = len(seat.cards)
    room = (place.length - along) / max(1, count - 1)
    step = min(room, along + 4)
    start = -(step * (count - 1) + along) / 2
    for number, card in enumerate(seat.cards):
        is_last = number == count - 1
        offset = start + step * number
        x, y = place.x - width / 2, place.y - height / 2
        x, y = (x, place.y + offset) if place.upright else (place.x + offset, y)
        raised = marked and card in view.legal
        if raised:
            lift = place.inward * 9 * place.scale
            x, y = (x + lift, y) if place.upright else (x, y + lift)
        yield Placed(_shape(view, card, marked and not raised), x, y, place.scale)
        if card is not None and seat.acts and view.probabilities.get(card, 0) > _LEAST_SHOWN:
            visible = along if is_last else min(step, along)
            yield from _bar(place, x, y, visible, view.probabilities[card])


def _shape(view: View, card: str | None, shaded: bool) -> Shape:
    if card is None:
        return cards.back()
    return cards.face(card, view.words.rank(card), shaded)


def _bar(place: Place, x: float, y: float, visible: float, share: float) -> Iterator[Item]:
    """Yields the bar of a card whose corner lies at (x, y), and its percentage."""
    width, height = cards.WIDTH * place.scale, cards.HEIGHT * place.scale
    length = max(1.5, _BAR_LENGTH * min(share, 1))
    text = f"{share:.0%}"
    if place.upright:
        edge = x + width + 3 if place.inward > 0 else x - 3
        left = edge if place.inward > 0 else edge - length
        middle = y + visible / 2
        yield Box(left, middle - 4, length, 8, GOLD, 2)
        anchor_x = left + length + 2 if place.inward > 0 else left - 2
        yield Label(anchor_x, middle + 4, text, 10, TEXT, "start" if place.inward > 0 else "end")
        return
    middle = x + visible / 2
    if place.inward < 0:
        top = y - 4 - length
        yield Box(middle - _BAR_WIDTH / 2, top, _BAR_WIDTH, length, GOLD, 2)
        yield Label(middle, top - 3, text, 10.5, TEXT, "middle")
        return
    top = y + height + 4
    yield Box(middle - _BAR_WIDTH / 2, top, _BAR_WIDTH, length, GOLD, 2)
    yield Label(middle, top + length + 11, text, 10.5, TEXT, "middle")

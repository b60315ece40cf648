"""The table as shapes on 640 × 480 units: the viewer below, the others clockwise from the left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from terz_env.envs.render import cards
from terz_env.envs.render.hands import Place, hand
from terz_env.envs.render.panel import panel
from terz_env.envs.render.primitives import (
    FAINT,
    GOLD,
    INK,
    PANEL,
    RIM,
    TABLE,
    TABLE_DARK,
    TEXT,
    Box,
    Item,
    Label,
    Placed,
    Scene,
)
from terz_env.envs.render.view import Seat, View

WIDTH, HEIGHT = 640, 480
FELT = 504
"""Width of the table; the panel lies on its right."""
_MIDDLE = FELT / 2

_TERZ_PLACES = (
    Place(_MIDDLE, 398, 484, 0.92, False, -1),
    Place(_MIDDLE, 66, 420, 0.74, False, 1),
)
_TETKA_PLACES = (
    Place(_MIDDLE, 406, 484, 0.82, False, -1),
    Place(29, 190, 284, 0.66, True, 1),
    Place(_MIDDLE, 60, 340, 0.66, False, 1),
    Place(FELT - 29, 190, 284, 0.66, True, -1),
)
_TERZ_TRICK = ((_MIDDLE + 42, 244), (_MIDDLE + 94, 208))
_TETKA_TRICK = ((_MIDDLE, 252), (_MIDDLE - 56, 212), (_MIDDLE, 172), (_MIDDLE + 56, 212))
_TALON = (112, 226)


def scene_of(view: View) -> Scene:
    """Returns the picture of a position."""
    items: list[Item] = [
        Box(0, 0, WIDTH, HEIGHT, RIM),
        Box(4, 4, FELT - 8, HEIGHT - 8, TABLE, 16, TABLE_DARK, 3),
    ]
    own = view.viewer or 0
    around = [view.seats[(own + step) % len(view.seats)] for step in range(len(view.seats))]
    terz = view.family == "terz"
    places, spots = (_TERZ_PLACES, _TERZ_TRICK) if terz else (_TETKA_PLACES, _TETKA_TRICK)
    if terz:
        items += _talon(view)
    items += _trick(view, around, spots)
    # The sides lie below the hand of the viewer, and plates below the bars of a policy.
    for seat, place in zip(around, places, strict=True):
        items += _plate(view, seat, place)
    for seat, place in reversed(list(zip(around, places, strict=True))):
        items += hand(view, seat, place)
    items += panel(view, FELT, WIDTH - FELT, HEIGHT)
    return Scene(WIDTH, HEIGHT, tuple(items))


def _talon(view: View) -> Iterator[Item]:
    """Yields the talon on its crosswise trump card, or the trump suit once it is drawn."""
    assert view.trump_card is not None
    x, y = _TALON
    words, scale = view.words, 0.78
    width, height = cards.WIDTH * scale, cards.HEIGHT * scale
    if not view.talon_size:
        yield Box(x - 27, y - 32, 54, 50, TABLE_DARK, 10)
        yield Placed(cards.suit_shape(view.trump_card[1]), x, y - 7, 1.7)
        yield Label(x, y + 36, words("trump"), 12, FAINT, "middle")
        return
    shape = cards.lying(view.trump_card, words.rank(view.trump_card))
    yield Placed(shape, x - 4, y - width / 2, scale)
    layers = min(4, (view.talon_size + 1) // 4 + 1) if view.talon_size > 1 else 0
    for layer in range(layers):
        yield Placed(cards.back(), x - width / 2 - 2 * layer, y - height / 2 - 2 * layer, scale)
    text = f"{words('talon')} {view.talon_size}"
    yield Label(x, y + height / 2 + 18, text, 12, FAINT, "middle")


def _trick(
    view: View, around: Sequence[Seat], spots: Sequence[tuple[float, float]]
) -> Iterator[Item]:
    """Yields the trick in progress; before a lead, the one just taken and who took it."""
    scale = 0.92 if view.family == "terz" else 0.8
    shown = view.table or view.last_trick
    taken = not view.table and bool(shown)
    spot_of = {seat.number: spot for seat, spot in zip(around, spots, strict=True)}
    width, height = cards.WIDTH * scale, cards.HEIGHT * scale
    for seat, card in shown:
        x, y = spot_of[seat][0] - width / 2, spot_of[seat][1] - height / 2
        if taken and seat == view.leader:
            yield Box(x - 2, y - 2, width + 4, height + 4, GOLD, 7, GOLD, 2)
        yield Placed(cards.face(card, view.words.rank(card)), x, y, scale)
    if taken:
        x = sum(spot[0] for spot in spots) / len(spots)
        y = max(spot[1] for spot in spots) + height / 2 + 15
        text = view.words("taken by", view.seats[view.leader].name)
        yield Label(x, y, text, 12, TEXT, "middle")


def _plate(view: View, seat: Seat, place: Place) -> Iterator[Item]:
    """Yields the name of a seat and what it has; gold where it is the seat's turn."""
    words = view.words
    fill, ink, faint = (GOLD, INK, INK) if seat.acts else (PANEL, TEXT, FAINT)
    tallies = [f"{words(key)} {value}" for key, value in seat.tallies]
    lines = [*tallies, f"{words('score')} {seat.score}"]
    if place.upright:
        width, height = 82, 34 + 14 * len(lines)
        barred = seat.acts and bool(view.probabilities)
        gap = 72 if barred else 34
        x = place.x + gap if place.inward > 0 else place.x - gap - width
        y = place.y - height / 2
        yield Box(x, y, width, height, fill, 8)
        yield Label(x + 8, y + 18, seat.name, 12.5, ink, bold=True)
        for number, line in enumerate(lines):
            yield Label(x + 8, y + 36 + 14 * number, line, 11.5, faint)
        if seat.deals:
            yield from _dealer(view, x + width - 4, y + 2)
        return
    width, height = 360, 21
    x = place.x - width / 2
    y = HEIGHT - 8 - height if place.inward < 0 else 7
    yield Box(x, y, width, height, fill, 8)
    yield Label(x + 12, y + 15, seat.name, 13, ink, bold=True)
    yield Label(x + width - 12, y + 15, "  ·  ".join(lines), 12, faint, "end")
    if seat.deals:
        yield from _dealer(view, x - 12, y + height / 2)


def _dealer(view: View, x: float, y: float) -> Iterator[Item]:
    """Yields the disc that marks the dealer."""
    yield Box(x - 9, y - 9, 18, 18, TEXT, 9, RIM, 1)
    yield Label(x, y + 4.3, view.words("dealer letter"), 12, INK, "middle", bold=True)

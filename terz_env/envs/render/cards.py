"""Suits, faces and backs of cards, drawn as polygons."""

from __future__ import annotations

import math
from functools import cache

from terz_env.envs.render.primitives import (
    BACK,
    BACK_LIGHT,
    BLACK,
    EDGE,
    GOLD,
    PAPER,
    RED,
    SHADED,
    Box,
    Item,
    Label,
    Placed,
    Point,
    Polygon,
    Shape,
)

WIDTH, HEIGHT, RADIUS = 60, 84, 6
_CURVE_POINTS = 7
_CIRCLE_POINTS = 20
_PIP_CENTRE = (36, 56)
_CROWN_PAPER = "#f7e7b4"


def _curve(start: Point, first: Point, second: Point, end: Point) -> list[Point]:
    """Returns points of a cubic Bézier curve, its end left out."""
    points = []
    for step in range(_CURVE_POINTS):
        t = step / _CURVE_POINTS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        knots = (start, first, second, end)
        x, y = (sum(w * k[axis] for w, k in zip(weights, knots, strict=True)) for axis in (0, 1))
        points.append((x, y))
    return points


def _circle(x: float, y: float, radius: float) -> tuple[Point, ...]:
    turns = [2 * math.pi * step / _CIRCLE_POINTS for step in range(_CIRCLE_POINTS)]
    return tuple((x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns)


def _mirrored(half: list[Point]) -> tuple[Point, ...]:
    """Returns an outline from its left half, which starts and ends on the axis."""
    return (*half, *((-x, y) for x, y in reversed(half[1:-1])))


_HEART = _mirrored(
    [
        *_curve((0, 9.5), (-3.5, 5), (-9.5, 1.5), (-9.5, -4)),
        *_curve((-9.5, -4), (-9.5, -10.5), (-2, -11), (0, -4.8)),
        (0, -4.8),
    ]
)
_STEM = _mirrored([(0, 0), *_curve((-0.6, 2), (-0.8, 6.5), (-2, 8.5), (-4.2, 9.5)), (0, 9.5)])
_DIAMOND = _mirrored(
    [
        *_curve((0, -10), (-2, -6.3), (-4.4, -3), (-7.4, 0)),
        *_curve((-7.4, 0), (-4.4, 3), (-2, 6.3), (0, 10)),
        (0, 10),
    ]
)
_OUTLINES: dict[str, tuple[tuple[Point, ...], ...]] = {
    "H": (_HEART,),
    "D": (_DIAMOND,),
    "S": (tuple((x, 0.88 * -y - 1.6) for x, y in _HEART), _STEM),
    "C": (_circle(0, -5.1, 4.5), _circle(-5, 1.9, 4.5), _circle(5, 1.9, 4.5), _STEM),
}
_CROWNS: dict[str, tuple[Point, ...]] = {
    "J": ((-9, 6), (-9, -3), (-5, -6), (2, -7), (8, -4), (9, 0), (5, 0), (9, 6)),
    "Q": ((-9, 6), (-11, -4), (-5, 0), (-3.5, -7), (0, 0), (3.5, -7), (5, 0), (11, -4), (9, 6)),
    "K": ((-9, 6), (-11, -6), (-4.5, 0), (0, -9), (4.5, 0), (11, -6), (9, 6)),
}


def suit_colour(suit: str) -> str:
    """Returns red or black."""
    return RED if suit in "DH" else BLACK


@cache
def suit_shape(suit: str) -> Shape:
    """Returns a suit around its origin, about twenty units wide and high."""
    fill = suit_colour(suit)
    return Shape(suit, tuple(Polygon(points, fill) for points in _OUTLINES[suit]))


@cache
def face(card: str, rank: str, shaded: bool = False) -> Shape:
    """Returns the face of a card, its corner at the origin.

    Args:
        card: The card.
        rank: Its rank as it is written on the card.
        shaded: Whether it is grey, as one that may not be played.
    """
    suit, fill = card[1], suit_colour(card[1])
    x, y = _PIP_CENTRE
    items: list[Item] = [
        Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, SHADED if shaded else PAPER, RADIUS, EDGE),
        Label(4, 21, rank, 21 if len(rank) == 1 else 18, fill, bold=True),
        Placed(suit_shape(suit), 35 if len(rank) > 1 else 28, 13.5, 0.72),
    ]
    if card[0] in _CROWNS:
        crown = tuple((x + 1.25 * px, 39 + 1.1 * py) for px, py in _CROWNS[card[0]])
        items += [Polygon(crown, GOLD), Box(x - 11.3, 44, 22.6, 3.4, fill, 1)]
        items.append(Placed(suit_shape(suit), x, 63, 1.25))
    else:
        items.append(Placed(suit_shape(suit), x, y, 2.1 if card[0] == "A" else 1.65))
    return Shape(f"{card}{'-' if shaded else ''}", tuple(items))


@cache
def back() -> Shape:
    """Returns the back of a card, its corner at the origin."""
    items: list[Item] = [
        Box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, PAPER, RADIUS, EDGE),
        Box(4, 4, WIDTH - 8, HEIGHT - 8, BACK, 3),
    ]
    for row in range(6):
        for column in range(4):
            x, y = 12 + 12 * column, 12 + 12 * row
            rhombus = ((x, y - 4.5), (x + 4.5, y), (x, y + 4.5), (x - 4.5, y))
            items.append(Polygon(rhombus, BACK_LIGHT))
    return Shape("back", tuple(items))


@cache
def lying(card: str, rank: str) -> Shape:
    """Returns the face of a card that lies crosswise, the left half meant to be covered."""
    fill = suit_colour(card[1])
    return Shape(
        f"{card}-lying",
        (
            Box(0.5, 0.5, HEIGHT - 1, WIDTH - 1, PAPER, RADIUS, EDGE),
            Label(HEIGHT - 6, 23, rank, 21, fill, "end", bold=True),
            Placed(suit_shape(card[1]), HEIGHT - 17, 42, 1.1),
        ),
    )

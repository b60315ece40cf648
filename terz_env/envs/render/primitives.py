"""The shapes that a picture is made of, and the colours; two back ends draw them.

Coordinates run to the right and down. Every shape is filled with one plain colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]

TABLE, TABLE_DARK, PANEL, RIM = "#1f7a4d", "#196640", "#12402b", "#0d3021"
PAPER, SHADED, EDGE = "#fdfcf7", "#cfd3c8", "#8f9489"
BLACK, RED = "#1d2126", "#c8202f"
BACK, BACK_LIGHT = "#2b4a8b", "#7f9bd1"
TEXT, FAINT, GOLD, INK = "#f4f4ea", "#b5d0bf", "#f5c542", "#23271f"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle with round corners; `stroke` is the colour of its edge, none if empty."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0
    stroke: str = ""
    stroke_width: float = 1


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed polygon."""

    points: tuple[Point, ...]
    fill: str


@dataclass(frozen=True, slots=True)
class Label:
    """One line of text; (x, y) lies on its baseline."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: Anchor = "start"
    bold: bool = False


@dataclass(frozen=True)
class Shape:
    """A drawing that is used again and again, such as a card; the key names it."""

    key: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Placed:
    """A shape at a place, its origin at (x, y)."""

    shape: Shape
    x: float
    y: float
    scale: float = 1


Item = Box | Polygon | Label | Placed


@dataclass(frozen=True)
class Scene:
    """A whole picture."""

    width: int
    height: int
    items: tuple[Item, ...]

"""Pictures as SVG: shapes that come back are defined once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from terz_env.envs.render.primitives import Box, Item, Label, Placed, Polygon, Scene, Shape
from terz_env.envs.render.scene import scene_of
from terz_env.envs.render.view import View
from terz_env.errors import RenderError

_FONT = "'DejaVu Sans', 'Segoe UI', Helvetica, Arial, sans-serif"


def svg(view: View) -> str:
    """Returns a picture of 640 × 480 units that scales to any size."""
    scene = scene_of(view)
    return _document([scene], "".join(_drawn(scene.items)))


def animated_svg(views: Iterable[View], seconds: float = 1.0) -> str:
    """Returns a picture that shows the views one after another, over and over.

    Raises:
        RenderError: There is nothing to show, or the time of a view is not above 0.
    """
    scenes = [scene_of(view) for view in views]
    if not scenes or not 0 < seconds < math.inf:
        raise RenderError(f"{len(scenes)} pictures of {seconds} seconds each make no animation")
    whole, share = len(scenes) * seconds, 100 / len(scenes)
    # The first picture always lies below, so that a program that does not animate shows it.
    style = (
        f"<style>.f{{visibility:hidden;animation:f {whole:g}s step-end infinite}}"
        f"@keyframes f{{0%{{visibility:visible}}{share:.5g}%{{visibility:hidden}}}}</style>"
    )
    frames = [f"<g>{''.join(_drawn(scenes[0].items))}</g>"]
    for number, scene in enumerate(scenes[1:], start=1):
        delay = f'style="animation-delay:{number * seconds:g}s"'
        frames.append(f'<g class="f" {delay}>{"".join(_drawn(scene.items))}</g>')
    return _document(scenes, style + "\n".join(frames))


def _document(scenes: list[Scene], body: str) -> str:
    width, height = scenes[0].width, scenes[0].height
    shapes: dict[str, Shape] = {}
    for scene in scenes:
        _collect(scene.items, shapes)
    definitions = "".join(
        f"<g id={quoteattr(key)}>{''.join(_drawn(shape.items))}</g>"
        for key, shape in shapes.items()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="{_FONT}">'
        f"<defs>{definitions}</defs>\n{body}</svg>\n"
    )


def _collect(items: Iterable[Item], shapes: dict[str, Shape]) -> None:
    """Gathers the shapes in use, those within others first."""
    for item in items:
        if isinstance(item, Placed) and item.shape.key not in shapes:
            _collect(item.shape.items, shapes)
            shapes[item.shape.key] = item.shape


def _drawn(items: Iterable[Item]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Box):
            yield _box(item)
        elif isinstance(item, Polygon):
            points = " ".join(f"{x:.4g},{y:.4g}" for x, y in item.points)
            yield f'<polygon points="{points}" fill="{item.fill}"/>'
        elif isinstance(item, Label):
            yield _label(item)
        else:
            place = f"translate({item.x:.4g} {item.y:.4g})"
            scale = "" if item.scale == 1 else f" scale({item.scale:.4g})"
            yield f'<use href={quoteattr("#" + item.shape.key)} transform="{place}{scale}"/>'


def _box(box: Box) -> str:
    radius = f' rx="{box.radius:.4g}"' if box.radius else ""
    edge = f' stroke="{box.stroke}" stroke-width="{box.stroke_width:.4g}"' if box.stroke else ""
    return (
        f'<rect x="{box.x:.4g}" y="{box.y:.4g}" width="{box.width:.4g}" '
        f'height="{box.height:.4g}"{radius} fill="{box.fill}"{edge}/>'
    )


def _label(label: Label) -> str:
    anchor = "" if label.anchor == "start" else f' text-anchor="{label.anchor}"'
    weight = ' font-weight="bold"' if label.bold else ""
    return (
        f'<text x="{label.x:.4g}" y="{label.y:.4g}" font-size="{label.size:.4g}" '
        f'fill="{label.fill}"{anchor}{weight}>{escape(label.text)}</text>'
    )

"""Pictures as pixels, drawn by Pillow at twice their size and reduced."""

from __future__ import annotations

import io
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from terz_env.cards import SYMBOLS
from terz_env.envs.render.cards import suit_shape
from terz_env.envs.render.primitives import RIM, Box, Item, Label, Placed, Polygon
from terz_env.envs.render.scene import scene_of
from terz_env.envs.render.view import View
from terz_env.errors import RenderError

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

SIZE = (640, 480)
MAX_SIDE = 8192
CYRILLIC_FONTS = (
    "DejaVuSans.ttf",
    "Arial.ttf",
    "arial.ttf",
    "LiberationSans-Regular.ttf",
    "NotoSans-Regular.ttf",
)
LONGEST = 600
"""Seconds a picture of a GIF may stay; the format ends at 655."""
_SAMPLES = 2
_SUITS = {symbol: suit for suit, symbol in SYMBOLS.items()}
_PALETTE = 96


def rgb_array(view: View, size: tuple[int, int] = SIZE) -> NDArray[np.uint8]:
    """Returns a picture as (height, width, 3), from the top left.

    Raises:
        RenderError: Pillow is missing, the size cannot be, or no font has the letters of a word.
    """
    return np.array(picture(view, size), dtype=np.uint8)


def png(view: View, size: tuple[int, int] = SIZE) -> bytes:
    """Returns a picture as a PNG file; raises as `rgb_array` does."""
    buffer = io.BytesIO()
    picture(view, size).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def gif(views: Iterable[View], size: tuple[int, int] = SIZE, seconds: float = 1.0) -> bytes:
    """Returns an animated GIF with one frame a view; it starts over at its end.

    Raises:
        RenderError: As `rgb_array`; or nothing is given, or the time is not within 0 and 600.
    """
    pictures = [picture(view, size) for view in views]
    if not pictures or not 0 < seconds <= LONGEST:
        raise RenderError(f"{len(pictures)} pictures of {seconds} seconds each make no animation")
    from PIL import Image

    # One palette for all frames, so that a pixel that stays is the same in the next frame.
    samples = [pictures[0], pictures[len(pictures) // 2], pictures[-1]]
    sheet = Image.new("RGB", (size[0], size[1] * len(samples)))
    for place, sample in enumerate(samples):
        sheet.paste(sample, (0, place * size[1]))
    palette = sheet.quantize(_PALETTE, dither=Image.Dither.NONE)
    frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in pictures]
    buffer = io.BytesIO()
    frames[0].save(
        buffer,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=round(1000 * seconds),
        loop=0,
    )
    return buffer.getvalue()


def picture(view: View, size: tuple[int, int] = SIZE) -> Image:
    """Returns a picture as an image of Pillow; raises as `rgb_array` does."""
    try:
        from PIL import Image, ImageDraw
    except ModuleNotFoundError:
        raise RenderError(
            "Pillow is missing; pip install 'terz-env[render]' (the extra render)"
        ) from None
    width, height = size
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise RenderError(f"a picture of {width} by {height}: 1 to {MAX_SIDE} pixels a side")
    scene = scene_of(view)
    scale = _SAMPLES * min(width / scene.width, height / scene.height)
    image = Image.new("RGB", (_SAMPLES * width, _SAMPLES * height), RIM)
    left = (_SAMPLES * width - scale * scene.width) / 2
    top = (_SAMPLES * height - scale * scene.height) / 2
    _Brush(ImageDraw.Draw(image)).draw(scene.items, left, top, scale)
    return image.reduce(_SAMPLES)


class _Brush:
    """Draws shapes on one image."""

    def __init__(self, canvas: ImageDraw) -> None:
        self.canvas = canvas

    def draw(self, items: Iterable[Item], x: float, y: float, scale: float) -> None:
        """Draws shapes whose origin lies at (x, y)."""
        for item in items:
            if isinstance(item, Box):
                self._box(item, x, y, scale)
            elif isinstance(item, Polygon):
                points = [(x + scale * px, y + scale * py) for px, py in item.points]
                self.canvas.polygon(points, fill=item.fill)
            elif isinstance(item, Label):
                self._label(item, x, y, scale)
            elif isinstance(item, Placed):
                place = (x + scale * item.x, y + scale * item.y)
                self.draw(item.shape.items, *place, scale * item.scale)

    def _box(self, box: Box, x: float, y: float, scale: float) -> None:
        edge = max(1, round(scale * box.stroke_width)) if box.stroke else 0
        # SVG draws an edge half inside and half outside, Pillow draws it inside.
        left, top = x + scale * box.x - edge / 2, y + scale * box.y - edge / 2
        right = left + scale * box.width + edge - 1
        bottom = top + scale * box.height + edge - 1
        # Whole pixels: older versions of Pillow fail at some fractions of them.
        corners = (round(left), round(top), round(max(left, right)), round(max(top, bottom)))
        self.canvas.rounded_rectangle(
            corners,
            radius=round(scale * box.radius),
            fill=box.fill,
            outline=box.stroke or None,
            width=edge,
        )

    def _label(self, label: Label, x: float, y: float, scale: float) -> None:
        """Writes a line; the symbols of suits, which few fonts have, are drawn."""
        size = scale * label.size
        font = _font(size, label.text)
        runs = _runs(label.text)
        widths = [size if run in _SUITS else font.getlength(run) for run in runs]
        shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor] * sum(widths)
        left, base = x + scale * label.x - shift, y + scale * label.y
        for run, width in zip(runs, widths, strict=True):
            if run in _SUITS:
                self.draw(_tinted(run, label.fill), left + size / 2, base - 0.36 * size, size / 24)
            else:
                self.canvas.text((left, base), run, label.fill, font, "ls")
                if label.bold:
                    # The font has one weight; a second stroke to the right makes it heavier.
                    shifted = (left + size / 28, base)
                    self.canvas.text(shifted, run, label.fill, font, "ls")
            left += width


def _tinted(symbol: str, fill: str) -> list[Item]:
    """Returns the polygons of a suit in the colour of the text around it."""
    shapes = suit_shape(_SUITS[symbol]).items
    return [Polygon(shape.points, fill) for shape in shapes if isinstance(shape, Polygon)]


def _runs(text: str) -> list[str]:
    """Cuts a line into stretches of letters and single symbols of suits."""
    runs = [""]
    for sign in text:
        if sign in _SUITS:
            runs += [sign, ""]
        else:
            runs[-1] += sign
    return [run for run in runs if run]


def _font(size: float, text: str) -> FreeTypeFont:
    """Returns a font that has the letters of a line."""
    letters = text.translate({ord(symbol): None for symbol in _SUITS})
    return _loaded(max(1, round(size)), all(sign.isascii() or sign in "·…" for sign in letters))


@lru_cache(maxsize=256)
def _loaded(size: int, latin: bool) -> FreeTypeFont:
    from PIL import ImageFont

    if latin:
        font = ImageFont.load_default(size)
        if isinstance(font, ImageFont.FreeTypeFont):
            return font
    for name in CYRILLIC_FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    raise RenderError(
        f"no font with the letters of this text: none of {', '.join(CYRILLIC_FONTS)} is "
        'installed; the language "en" and SVG need none'
    )

"""Drawings of positions: text, SVG, pixels and animations, all of them from a `View`."""

from terz_env.envs.render.ansi import ansi
from terz_env.envs.render.human import show
from terz_env.envs.render.raster import gif, png, rgb_array
from terz_env.envs.render.replayed import recorded_views
from terz_env.envs.render.svg import animated_svg, svg
from terz_env.envs.render.view import View

__all__ = [
    "View",
    "animated_svg",
    "ansi",
    "gif",
    "png",
    "recorded_views",
    "rgb_array",
    "show",
    "svg",
]

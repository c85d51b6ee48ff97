"""The pictures: a landscape for each suit, with as many of its motif as the card's number.

By day the sun travels across the sky with the number, by night the moon waxes with it, so no two cards
of a suit are alike. Everything is drawn from the card's id alone: a reprint is the same picture.
"""

import math
import pathlib
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from companion.objects.cards import SuitCard
from companion.objects.geometry import Box
from companion.printing.cards.emblems import moon
from companion.printing.cards.palette import Palette
from companion.printing.drawings import Drawings
from companion.printing.pen import Path, Pen, circle, mix, polygon, rectangle, smooth, star

_FIGURES: Final = Drawings(pathlib.Path(__file__).with_name("figures.svg"))
_BODY, _SHADE, _TRIM, _GLOW = "#C9B48C", "#8F7A52", "#3F3524", "#F0B429"  # in the file: form, its shade, edges, light
_HALOS: Final = 6
_HILL_STEP: Final = 4.0  # mm between the points of a hill's outline


@dataclass(frozen=True, slots=True)
class Sky:
    """The colours of a landscape, and where its sun or moon stands (mm)."""

    ground: str
    halo: str
    body: str
    near: str
    far: str
    x: float
    y: float
    radius: float


def draw_landscape(pen: Pen, panel: Box, card: SuitCard, palette: Palette) -> None:
    """Draw a card's picture.

    Args:
        panel: the widest clear part of the window, mm; sky also fills what lies above, ground what lies
            below. The caller clips to the window.
    """
    luck = Random(card.id)
    sky = _sky(panel, card, palette)
    _draw_sky(pen, panel, sky, card, palette, luck)
    foot = panel.y + panel.height * 0.9
    _hills(pen, panel, sky, card, luck)
    _figures(pen, panel, foot, card, palette, luck)


def _sky(panel: Box, card: SuitCard, palette: Palette) -> Sky:
    share = (card.number - 0.5) / card.rank
    radius = min(panel.height * 0.2, 9.0)
    x = panel.x + panel.width * (0.36 + 0.5 * share)
    y = panel.y + panel.height * (0.44 - 0.2 * math.sin(math.pi * share))
    if card.half == "day":
        ground = mix(palette.light, palette.main, 0.16)
        return Sky(
            ground, mix(palette.light, palette.accent, 0.25), palette.accent, palette.main, palette.light, x, y, radius
        )
    return Sky(
        palette.dark,
        mix(palette.dark, palette.main, 0.62),
        mix(palette.accent, "#FFFFFF", 0.72),
        palette.dark,
        palette.main,
        x,
        y,
        radius,
    )


def _draw_sky(pen: Pen, panel: Box, sky: Sky, card: SuitCard, palette: Palette, luck: Random) -> None:
    pen.fill(rectangle(0, 0, panel.x * 2 + panel.width, panel.y + panel.height * 2), sky.ground)
    for ring in range(_HALOS, 0, -1):
        share = (1 - ring / (_HALOS + 1)) ** 1.2
        pen.fill(circle(sky.x, sky.y, sky.radius * (1 + ring * 0.85)), mix(sky.ground, sky.halo, share))
    if card.half == "day":
        _day_sky(pen, panel, sky, palette, luck)
    else:
        _night_sky(pen, panel, sky, card, luck)


def _day_sky(pen: Pen, panel: Box, sky: Sky, palette: Palette, luck: Random) -> None:
    rays = 24
    for i in range(rays):
        with pen.at(sky.x, sky.y, turn=360 * (i + luck.random() * 0.2) / rays, scale=sky.radius):
            long = 1.75 if i % 2 else 1.45
            pen.fill(polygon([(-0.07, -1.16), (0.07, -1.16), (0, -long)]), sky.body)
    pen.fill(circle(sky.x, sky.y, sky.radius), sky.body)
    pen.stroke(circle(sky.x, sky.y, sky.radius * 0.8), mix(sky.body, "#FFFFFF", 0.45), sky.radius * 0.06)
    cloud = mix(sky.ground, "#FFFFFF", 0.75)
    for x in (panel.x + panel.width * 0.12, panel.x + panel.width * (0.5 + 0.4 * luck.random())):
        with pen.at(x, panel.y + panel.height * (0.2 + 0.3 * luck.random()), scale=panel.width * 0.085):
            _FIGURES.draw(pen, "cloud", {_BODY: cloud})
    for _ in range(3):
        x, y = (
            panel.x + panel.width * (0.06 + 0.3 * luck.random()),
            panel.y + panel.height * (0.08 + 0.25 * luck.random()),
        )
        with pen.at(x, y, scale=1.1 + luck.random() * 0.5):
            _FIGURES.draw(pen, "bird", {_TRIM: palette.main})


def _night_sky(pen: Pen, panel: Box, sky: Sky, card: SuitCard, luck: Random) -> None:
    width, height = panel.width + 2 * panel.x, panel.y + panel.height * 0.7
    for _ in range(int(width * height / 26)):
        x, y = width * luck.random(), height * luck.random()
        size = 0.28 + 0.75 * luck.random() ** 4
        color = mix(sky.ground, sky.body, 0.45 + 0.55 * luck.random())
        pen.fill(star(x, y, size, size * 0.3, 4), color)
    pen.fill(circle(sky.x, sky.y, sky.radius), mix(sky.ground, sky.halo, 0.75))  # its dark part, faintly seen
    pen.fill(moon(sky.x, sky.y, sky.radius, 0.12 + 0.88 * card.number / card.rank), sky.body)


def _hills(pen: Pen, panel: Box, sky: Sky, card: SuitCard, luck: Random) -> None:
    """Four ridges, each nearer and stronger than the one behind it."""
    steps = (0.3, 0.5, 0.72, 1.0) if card.half == "day" else (0.42, 0.3, 0.17, 0.06)
    for i, share in enumerate(steps):
        top = panel.y + panel.height * (0.56 + 0.11 * i)
        if card.half == "day":
            color = mix(sky.far, sky.near, share * 0.72)
        else:
            color = mix(mix(sky.near, sky.far, share * 1.3), "#000000", 0.1)
        pen.fill(_ridge(panel, top, panel.height * (0.1 - 0.018 * i), card.rank, luck), color)


def _ridge(panel: Box, top: float, swing: float, rank: int, luck: Random) -> Path:
    """A hill's outline down to below the picture; jagged in the World, level on the Commons' fields."""
    right, bottom = panel.width + 2 * panel.x, panel.y + panel.height * 2
    turn, waves = luck.random() * 7, 1.2 + luck.random() * 1.6
    count = int(right / _HILL_STEP) + 2
    height = {4: 0.5, 7: 0.45}.get(rank, 1.0) * swing
    line = [
        (
            i * _HILL_STEP,
            top + height * math.sin(turn + waves * 6.28 * i / count) + height * 0.3 * (luck.random() - 0.5),
        )
        for i in range(count)
    ]
    return Path((*smooth(line).steps, ("L", right + _HILL_STEP, bottom), ("L", 0, bottom), ("Z",)))


def _figures(pen: Pen, panel: Box, foot: float, card: SuitCard, palette: Palette, luck: Random) -> None:
    """The motif, ``number`` times, standing in a loose row on the nearest hill but one."""
    n = card.number
    size = min(panel.height * (0.78 if n < 3 else 0.62), panel.width / (n * 0.62 + 0.9), 30.0)
    tones = _tones(card, palette)
    for i in range(n):
        # A single figure stands aside: the sun or moon is in the middle of its picture.
        along = 0.26 if n == 1 else (i + 0.5 + 0.16 * (luck.random() - 0.5)) / n
        x = panel.x + panel.width * along
        y = foot - panel.height * 0.1 * ((i % 2) if n > 1 else 0.5) + luck.random() * 0.5
        with pen.at(x, y, scale=size * (0.94 + 0.12 * luck.random())):
            _FIGURES.draw(pen, f"{card.half}-{card.rank}", tones)


def _tones(card: SuitCard, palette: Palette) -> Mapping[str, str]:
    """Return the colours that a card's figures are printed in, by those in the file."""
    main, light = palette.main, palette.light
    if card.half == "night":
        body, shade, trim, glow = mix(main, light, 0.5), mix(main, light, 0.08), mix(main, light, 0.22), palette.accent
    else:
        body = {6: mix(main, light, 0.12), 7: palette.accent}.get(card.rank, mix(light, "#FFFFFF", 0.5))
        shade = {6: mix(main, palette.dark, 0.4), 7: mix(palette.accent, palette.dark, 0.45)}.get(card.rank, main)
        trim = palette.dark
        glow = {3: "#A3301E", 4: "#FFFFFF"}.get(card.rank, palette.accent)  # red flags, white snow
    return {_BODY: body, _SHADE: shade, _TRIM: trim, _GLOW: glow}

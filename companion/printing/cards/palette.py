"""A palette for each suit. Suits differ in hue and lightness, and always also in emblem and number."""

from dataclasses import dataclass
from typing import Final

PAPER: Final = "#FFFFFF"
INK: Final = "#1B1A22"


@dataclass(frozen=True, slots=True)
class Palette:
    """Roles: ``main`` borders and numerals, ``dark`` night backgrounds, ``light`` day skies, ``accent`` glows."""

    main: str
    dark: str
    light: str
    accent: str


PALETTES: Final = {
    2: Palette("#5F3292", "#24123F", "#EDE4F7", "#F2C14E"),  # Mages: violet
    3: Palette("#B57A00", "#3F2A05", "#FBF0D3", "#F08C2E"),  # Realm: gold
    4: Palette("#1480C0", "#0A2742", "#DFF0FA", "#F4D06F"),  # World: blue
    5: Palette("#C0301F", "#3E0D0C", "#FCE6DC", "#F2B84B"),  # Valor: red
    6: Palette("#17855F", "#073226", "#E0F4EA", "#F7C65B"),  # Kin: green
    7: Palette("#4A4D5A", "#1C1D26", "#F0ECE6", "#E0A030"),  # Commons: slate and straw
}

BACK: Final = Palette("#2B3F73", "#18244A", "#E9DDB8", "#D9B45B")
"""Night blue and gold, as on the card back."""

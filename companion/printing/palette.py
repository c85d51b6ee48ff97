"""One palette a suit: told apart by hue, by lightness and (always) by emblem and number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from companion.printing.pen import mix

PAPER: Final = "#FFFFFF"
INK: Final = "#1B1A22"


@dataclass(frozen=True, slots=True)
class Palette:
    """``main`` for borders and numerals, ``dark`` for night grounds, ``light`` for day skies, ``accent`` glows."""

    main: str
    dark: str
    light: str
    accent: str

    def shade(self, share: float) -> str:
        """Return a colour from dark (0) over main (0.5) to light (1)."""
        if share < 0.5:
            return mix(self.dark, self.main, share * 2)
        return mix(self.main, self.light, share * 2 - 1)


PALETTES: Final = {
    2: Palette("#6A3D9A", "#24123F", "#EDE4F7", "#F2C14E"),  # Mages: violet
    3: Palette("#B57A00", "#3F2A05", "#FBF0D3", "#D1495B"),  # Realm: gold
    4: Palette("#1273B5", "#0A2742", "#DFF0FA", "#F4D06F"),  # World: blue
    5: Palette("#B3202A", "#3B0B12", "#FBE3DC", "#F2B84B"),  # Valor: red
    6: Palette("#2E7D4F", "#0D2F22", "#E4F4E2", "#F7C65B"),  # Kin: green
    7: Palette("#6B4A36", "#271A14", "#F6EBDD", "#E3A33B"),  # Commons: brown
}

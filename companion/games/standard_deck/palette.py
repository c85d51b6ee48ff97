"""The colours of the suits: two, or four for players who tell suits apart by color first. Shapes always differ, too."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

GOLD: Final = "#D0A03A"


@dataclass(frozen=True, slots=True)
class Inks:
    """The colours of a suit: ``main`` for pips and indices, ``dark`` and ``light`` for courts, and their hair."""

    main: str
    dark: str
    light: str
    hair: str
    lock: str


TWO_COLORS: Final[Mapping[str, Inks]] = {
    "S": Inks("#1D2130", "#5D668A", "#E7EAF2", "#23201F", "#5A5450"),
    "H": Inks("#B01E2C", "#5C0D18", "#FBE9E3", "#7A4320", "#B27842"),
    "D": Inks("#B01E2C", "#5C0D18", "#FBEEDD", "#A8772E", "#E0B567"),
    "C": Inks("#1D2130", "#5F6B62", "#E8EEE7", "#4B3424", "#86664A"),
}
FOUR_COLORS: Final[Mapping[str, Inks]] = {
    **TWO_COLORS,
    "D": Inks("#1B5FA6", "#0B2E57", "#E3EEF8", "#A8772E", "#E0B567"),
    "C": Inks("#177245", "#083A22", "#E2F2E8", "#4B3424", "#86664A"),
}

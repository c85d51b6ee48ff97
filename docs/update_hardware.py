"""Write the tables of hardware.md anew: what each camera sees from which height, and the parts by number.

Run: python docs/update_hardware.py
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.config.panel import PanelConfig
from companion.objects.geometry import QR_MM, QR_MODULES
from hardware.panel.pin_map import wires

PAGE: Final = Path(__file__).with_name("hardware.md")
BLOCK: Final = re.compile(r"(?P<mark><!-- \$ (?P<name>\w+) -->\n).*?(?P<end><!-- end -->)", re.DOTALL)
HEIGHTS_CM: Final = (50, 70, 90, 110, 130)
CARD_PX_PER_MODULE: Final = 2.3
DIE_MM: Final = 21.0
"""Across a usual d20."""
DIE_PX: Final = 90.0


@dataclass(frozen=True, slots=True)
class Lens:
    """A camera as it is used.

    Attributes:
        across_px: pixels from left to right of the picture that is asked for.
        across_deg: the angle that they see, by the maker's data sheet or its sensor and focal length.
    """

    name: str
    across_px: int
    across_deg: float

    def width_mm(self, height_mm: float) -> float:
        """Return how much of the table is seen from a height, straight above it."""
        return 2 * height_mm * math.tan(math.radians(self.across_deg / 2))

    def px_per_mm(self, height_mm: float) -> float:
        """Return the scale in the middle of the picture."""
        return self.across_px / self.width_mm(height_mm)


def by_focal_length(sensor_mm: float, focal_mm: float) -> float:
    """Return the angle that a lens without distortion sees, degrees."""
    return math.degrees(2 * math.atan(sensor_mm / 2 / focal_mm))


LENSES: Final = (
    Lens("webcam 1080p (70° across)", 1920, 70.4),
    Lens("webcam 4K (70° across)", 3840, 70.4),
    Lens("Pi Camera 3, 1080p", 1920, 66.0),
    Lens("Pi Camera 3, 2304 × 1296", 2304, 66.0),
    Lens("Pi Camera 3, 4608 × 2592", 4608, 66.0),
    Lens("Pi HQ, 6 mm lens, 2028 × 1520", 2028, by_focal_length(6.287, 6.0)),
    Lens("Pi HQ, 16 mm lens, 2028 × 1520", 2028, by_focal_length(6.287, 16.0)),
)


def lens_table() -> str:
    """Return what each camera sees from each height: px/mm, and how wide."""
    rows = ["| camera | " + " | ".join(f"{cm} cm" for cm in HEIGHTS_CM) + " |", "| --- |" + " --- |" * len(HEIGHTS_CM)]
    rows += [f"| {lens.name} | " + " | ".join(_cell(lens, cm * 10) for cm in HEIGHTS_CM) + " |" for lens in LENSES]
    cards = f"**bold** is enough for cards ({card_px_per_mm():.2f} px/mm)"
    needs = f"{cards}, † for a die too ({die_px_per_mm():.1f} px/mm)"
    return "\n".join([*rows, "", f"px/mm · cm of the table from left to right; {needs}."])


def card_px_per_mm() -> float:
    """Return the scale that a card's code needs."""
    return CARD_PX_PER_MODULE * QR_MODULES / QR_MM


def die_px_per_mm() -> float:
    """Return the scale that a die needs."""
    return DIE_PX / DIE_MM


def _cell(lens: Lens, height_mm: float) -> str:
    scale, wide = lens.px_per_mm(height_mm), lens.width_mm(height_mm) / 10
    shown = f"{scale:.1f}{' †' if scale >= die_px_per_mm() else ''}"
    return f"**{shown}** · {wide:.0f}" if scale >= card_px_per_mm() else f"{shown} · {wide:.0f}"


def parts_table() -> str:
    """Return what the panel of the default configuration is made of."""
    plan = wires(PanelConfig())
    lines = Counter(wire.line.split("/")[0] for wire in plan)
    resistors = Counter(wire.ohm for wire in plan)
    ohms = ", ".join(f"{count} × {ohm} Ω" for ohm, count in sorted(resistors.items()))
    rows = {
        "push buttons, closing, each with a lamp (a bare LED)": lines["button"],
        "LEDs for the suits, any colours": lines["suit"],
        "LED of three colours, common cathode": 1,
        "active buzzer, 5 V, with an NPN transistor (BC547, 2N3904)": lines["buzzer"],
        f"resistors, ¼ W: {ohms}": len(plan),
        "wires to the 40-pin header, and one to ground": len(plan) + 1,
    }
    return "\n".join(["| part | number |", "| --- | --- |", *(f"| {part} | {count} |" for part, count in rows.items())])


TABLES: Final[Mapping[str, Callable[[], str]]] = {"lenses": lens_table, "parts": parts_table}


def updated(page: str) -> str:
    """Return the page with every table computed afresh."""
    return BLOCK.sub(lambda found: f"{found['mark']}\n{TABLES[found['name']]()}\n\n{found['end']}", page)


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

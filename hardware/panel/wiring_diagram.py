"""Draws the wiring diagram as SVG: the 40-pin header in the middle, the parts on either side. Pure.

Parts are in the order of their pins, so that no two wires cross.
"""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from companion.config.panel import PanelConfig
from companion.printing.cards.palette import PALETTES
from hardware.panel.pin_map import GROUNDS, HEADER_OF, Wire, bus_pins, faults, usable_wires

WIDTH: Final = 1200
ROW: Final = 58
TOP: Final = 150
PIN_STEP: Final = 30
_CENTRE: Final = WIDTH / 2
_INK, _PAPER, _GRID, _SOFT = "#1B1A22", "#FBF8F0", "#E6DFCC", "#6B6672"
_BOARD, _HOLE, _GOLD = "#1F6B4A", "#0F2E21", "#D9A436"
_FONT: Final = "font-family='Alegreya Sans,Segoe UI,Helvetica,Arial,sans-serif'"
_COLOURS: Final = {"button": "#2B3F73", "lamp": "#D98A12", "buzzer": "#8A3FA0", "bus": "#7A5A3A"}
_STATUS: Final = {"red": "#D0342C", "green": "#2C9A4B", "blue": "#2B6CD4"}
_BCM_AT: Final = {place: bcm for bcm, place in HEADER_OF.items()}
_POWER: Final = {1: "3.3 V", 17: "3.3 V", 2: "5 V", 4: "5 V", **dict.fromkeys(GROUNDS, "GND")}


def draw_wiring(config: PanelConfig) -> str:
    """Return the panel's wiring diagram as an SVG document; faults of the pin plan are listed below in red."""
    configured = usable_wires(config)
    left = _side(configured, odd=True)
    right = _side(configured, odd=False)
    rows = max(len(left), len(right), -(-(20 * PIN_STEP + 32) // ROW))  # at least the height of the board
    bottom = TOP + rows * ROW + 20
    notes = _footnotes(config)
    height = bottom + 60 + 24 * len(notes)
    header_top = TOP + (rows * ROW - 20 * PIN_STEP) / 2
    parts = [
        *_head(height),
        *_wires(left, header_top, _rows_of(left, rows), -1),
        *_wires(right, header_top, _rows_of(right, rows), 1),
        *_header(header_top, configured, config),
        *_rail(left, _rows_of(left, rows), bottom, -1),
        *_rail(right, _rows_of(right, rows), bottom, 1),
        *_ground_note(bottom),
        *(_note(text, kind, bottom + 66 + 24 * place) for place, (text, kind) in enumerate(notes)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _side(configured: Sequence[Wire], *, odd: bool) -> list[Wire]:
    here = [wire for wire in configured if wire.header is not None and wire.header % 2 == int(odd)]
    return sorted(here, key=lambda wire: wire.header or 0)


def _rows_of(side: Sequence[Wire], rows: int) -> list[float]:
    """Return the y coordinate of each part's row; the rows are centred vertically."""
    top = TOP + (rows - len(side)) * ROW / 2
    return [top + (place + 0.5) * ROW for place in range(len(side))]


# ---- the sheet


def _head(height: float) -> Iterator[str]:
    yield (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height:.0f}' width='{WIDTH}' "
        f"height='{height:.0f}' role='img' aria-label='Wiring of the panel'>"
    )
    yield f"<rect width='100%' height='100%' fill='{_PAPER}'/>"
    yield _text(_CENTRE, 58, "The panel’s wires", size=34, weight=700)
    words = "Raspberry Pi, 40-pin header seen from above, pin 1 in its white square towards the board’s corner"
    yield _text(_CENTRE, 90, words, size=17, fill=_SOFT)


def _text(
    x: float, y: float, words: str, *, size: float = 15, fill: str = _INK, weight: int = 400, anchor: str = "middle"
) -> str:
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' {_FONT} font-size='{size}' font-weight='{weight}' fill='{fill}' "
        f"text-anchor='{anchor}'>{escape(words)}</text>"
    )


# ---- the header


def _header(top: float, configured: Sequence[Wire], config: PanelConfig) -> Iterator[str]:
    used = {wire.pin: _colour(wire) for wire in configured} | dict.fromkeys(bus_pins(config), _COLOURS["bus"])
    yield (
        f"<rect x='{_CENTRE - 92}' y='{top - 16}' width='184' height='{20 * PIN_STEP + 32}' rx='14' fill='{_BOARD}'/>"
        f"<rect x='{_CENTRE - 32}' y='{top - 6}' width='64' height='{20 * PIN_STEP + 12}' rx='6' fill='{_HOLE}'/>"
    )
    for place in range(1, 41):
        x = _CENTRE + (-15 if place % 2 else 15)
        y = top + ((place - 1) // 2 + 0.5) * PIN_STEP
        yield from _header_pin(place, x, y, used)


def _header_pin(place: int, x: float, y: float, used: dict[int, str]) -> Iterator[str]:
    bcm = _BCM_AT.get(place)
    fill = used.get(bcm, _GOLD) if bcm is not None else _GOLD
    side = -1 if place % 2 else 1
    if place == 1:
        yield f"<rect x='{x - 9}' y='{y - 9}' width='18' height='18' fill='none' stroke='#fff' stroke-width='1.5'/>"
    yield f"<circle cx='{x}' cy='{y:.1f}' r='7' fill='{fill}' stroke='#fff' stroke-opacity='.5'/>"
    words = _POWER.get(place) or f"GPIO{bcm}"
    is_used = bcm in used or place in GROUNDS
    shade = "#FFFFFF" if is_used else "#A9D2BD"
    yield _text(_CENTRE + side * 62, y + 4.5, words, size=12.5, fill=shade, weight=700 if bcm in used else 400)
    yield _text(x, y + 3.5, str(place), size=8.5, fill="#fff" if bcm in used else _INK, weight=700)


# ---- wires and parts


def _wires(side: Sequence[Wire], top: float, rows: Sequence[float], sign: int) -> Iterator[str]:
    """Draw each part's row: pin, wire, resistor and part, with the part's other leg on the ground rail.

    ``sign`` is -1 for the left side and 1 for the right.
    """
    for wire, y in zip(side, rows, strict=True):
        pin_y = top + (((wire.header or 1) - 1) // 2 + 0.5) * PIN_STEP
        x0, x1 = _CENTRE + sign * 93, _CENTRE + sign * 210
        colour = _colour(wire)
        yield (
            f"<path d='M{x0} {pin_y:.1f} C{x0 + sign * 60} {pin_y:.1f} {x1 - sign * 60} {y:.1f} {x1} {y:.1f}' "
            f"fill='none' stroke='{colour}' stroke-width='3' stroke-linecap='round'/>"
        )
        yield from _resistor(x1, y, wire.ohm, sign, colour)
        yield from _part(wire, _CENTRE + sign * 330, y, sign, colour)


def _resistor(x: float, y: float, ohm: int, sign: int, colour: str) -> Iterator[str]:
    middle, end = x + sign * 38, x + sign * 76
    value = f"{ohm // 1000} kΩ" if ohm >= 1000 else f"{ohm} Ω"
    yield f"<path d='M{x} {y:.1f} H{end + sign * 22}' stroke='{colour}' stroke-width='3'/>"
    yield (
        f"<rect x='{middle - 30}' y='{y - 10:.1f}' width='60' height='20' rx='6' fill='#EFE3C6' stroke='{_INK}' "
        "stroke-width='1.2'/>"
    )
    yield _text(middle, y + 4.5, value, size=12.5, weight=700)


def _part(wire: Wire, x: float, y: float, sign: int, colour: str) -> Iterator[str]:
    rail = _CENTRE + sign * 560
    yield f"<path d='M{x + sign * 18} {y:.1f} H{rail}' stroke='{_INK}' stroke-width='2' stroke-opacity='.75'/>"
    yield from (_buzzer if wire.line == "buzzer" else _button if wire.is_button else _led)(x, y, sign, colour)
    title, below = _names(wire)
    at = x + sign * 34
    anchor = "start" if sign > 0 else "end"
    yield _text(at, y - 8, title, size=16, weight=700, anchor=anchor)
    yield _text(at, y + 19, below, size=12.5, fill=_SOFT, anchor=anchor)


def _names(wire: Wire) -> tuple[str, str]:
    kind, _, name = wire.line.partition("/")
    position = f"GPIO{wire.pin} · pin {wire.header}"
    if kind == "status":
        return f"Status light, {name}", position
    title = wire.part[0].upper() + wire.part[1:]
    return title, f"{position} · NPN transistor" if kind == "buzzer" else position


def _button(x: float, y: float, sign: int, colour: str) -> Iterator[str]:
    yield f"<circle cx='{x}' cy='{y:.1f}' r='19' fill='#fff' stroke='{_INK}' stroke-width='1.6'/>"
    yield f"<circle cx='{x}' cy='{y:.1f}' r='12.5' fill='{colour}'/>"
    yield f"<circle cx='{x - 3.5}' cy='{y - 4:.1f}' r='3.5' fill='#fff' fill-opacity='.45'/>"


def _led(x: float, y: float, sign: int, colour: str) -> Iterator[str]:
    tip, back = x + sign * 9, x - sign * 9
    ring = f"fill='{colour}' fill-opacity='.16' stroke='{colour}' stroke-width='2'"
    yield f"<circle cx='{x}' cy='{y:.1f}' r='19' {ring}/>"
    yield f"<path d='M{back} {y - 10:.1f} V{y + 10:.1f} L{tip} {y:.1f} Z' fill='{colour}'/>"
    yield f"<path d='M{tip} {y - 10:.1f} V{y + 10:.1f}' stroke='{colour}' stroke-width='3'/>"


def _buzzer(x: float, y: float, sign: int, colour: str) -> Iterator[str]:
    yield f"<circle cx='{x}' cy='{y:.1f}' r='19' fill='{_INK}'/>"
    yield f"<circle cx='{x}' cy='{y:.1f}' r='4' fill='{_PAPER}'/>"
    for radius in (9, 13.5):
        yield (
            f"<circle cx='{x}' cy='{y:.1f}' r='{radius}' fill='none' stroke='{colour}' stroke-width='1.8' "
            "stroke-dasharray='9 5'/>"
        )


def _colour(wire: Wire) -> str:
    kind, _, name = wire.line.partition("/")
    if kind == "suit":
        return PALETTES[int(name)].main
    return _STATUS[name] if kind == "status" else _COLOURS[kind]


# ---- ground and notes


def _rail(side: Sequence[Wire], rows: Sequence[float], bottom: float, sign: int) -> Iterator[str]:
    """Draw the common ground of a side's parts."""
    if not side:
        return
    x = _CENTRE + sign * 560
    x_end = _CENTRE + sign * 60
    yield f"<path d='M{x} {rows[0]:.1f} V{bottom} H{x_end}' fill='none' stroke='{_INK}' stroke-width='4'/>"
    for y in rows:
        yield f"<circle cx='{x}' cy='{y:.1f}' r='4.5' fill='{_INK}'/>"


def _ground_note(bottom: float) -> Iterator[str]:
    yield f"<rect x='{_CENTRE - 150}' y='{bottom - 18}' width='300' height='36' rx='18' fill='{_INK}'/>"
    pins = ", ".join(str(place) for place in GROUNDS)
    yield _text(_CENTRE, bottom + 5, f"Ground: pins {pins}", size=14.5, fill="#fff", weight=700)


def _footnotes(config: PanelConfig) -> list[tuple[str, str]]:
    """Return the notes below the diagram with their kind, ``wrong`` or ``note``; faults first."""
    notes: list[tuple[str, str]] = [(fault.text, "wrong") for fault in faults(config)]
    buses = bus_pins(config)
    if buses:
        entries = ", ".join(f"{what.removeprefix(_DISPLAY)} on GPIO{pin} (pin {HEADER_OF[pin]})"
                         for pin, what in buses.items())  # fmt: skip
        notes.append((f"Display: {entries}; its power from 5 V (pin 2) or 3.3 V (pin 1) as its maker says.", "note"))
    notes.append(("Status light: one LED of three colours; its common cathode goes to ground.", "note"))
    notes.append(
        ("Buzzer: an active one between 5 V and the collector; emitter to ground, base through the resistor.", "note")
    )
    notes.append(
        ("Lamps of 5 or 12 V need a transistor or driver of their own; never more than 16 mA from a pin.", "note")
    )
    return notes


_DISPLAY: Final = "the display's "


def _note(text: str, kind: str, y: float) -> str:
    fill = "#B3261E" if kind == "wrong" else _SOFT
    return _text(_CENTRE, y, text, size=14, fill=fill, weight=700 if kind == "wrong" else 400)

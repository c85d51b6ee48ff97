"""Draws the symbols of SVG files with a `Pen`, so that print and web pages share the same files."""

import pathlib
import re
from collections.abc import Mapping
from typing import Final
from xml.etree import ElementTree as ET

from companion.printing.pen import Path, Pen

_STEP: Final = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_NUMBERS: Final = {"M": 2, "L": 2, "C": 6, "Z": 0}
_KNOWN: Final = frozenset({"d", "fill", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin"})


class Drawings:
    """The symbols of an SVG file.

    Raises:
        ValueError: a symbol contains anything but filled or stroked paths of straight lines and cubic curves.
    """

    def __init__(self, file: pathlib.Path) -> None:
        symbols = [found for found in ET.parse(file).iter() if _tag(found) == "symbol"]
        self._paths = {
            symbol.attrib["id"]: [(_path(part), part.attrib) for part in _parts(symbol)] for symbol in symbols
        }

    def draw(self, pen: Pen, name: str, colors: Mapping[str, str]) -> None:
        """Draw a symbol in its own coordinates.

        Args:
            name: the symbol's id.
            colors: color in the file -> color to print.
        """
        for path, style in self._paths[name]:
            if "stroke" in style:
                cap = int(style.get("stroke-linecap") == "round")
                pen.stroke(path, colors[style["stroke"]], float(style["stroke-width"]), cap=cap)
            else:
                pen.fill(path, colors[style["fill"]])


def _parts(symbol: ET.Element) -> list[ET.Element]:
    parts = [part for part in symbol if _tag(part) != "desc"]
    for part in parts:
        if _tag(part) != "path" or not part.attrib.keys() <= _KNOWN:
            wrong = f"<{_tag(part)} {' '.join(part.attrib)}>"
            raise ValueError(f"symbol {symbol.get('id')}: only paths without transforms can be printed, not {wrong}")
    return parts


def _path(part: ET.Element) -> Path:
    steps = tuple((kind, *map(float, numbers.split())) for kind, numbers in _STEP.findall(part.attrib["d"]))
    for kind, *numbers in steps:
        if _NUMBERS.get(kind) != len(numbers):
            raise ValueError(f"only the steps M, L, C and Z can be printed, each with its letter, not {kind} {numbers}")
    return Path(steps)


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]

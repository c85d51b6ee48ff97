"""The embedded fonts of all printed output, both under the SIL Open Font License (license texts included).

Cinzel Bold for numerals and names, Alegreya Sans for everything small; the Latin subset of each.
"""

import unicodedata
from functools import cache
from importlib import resources
from typing import Final

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

TITLE: Final = "Cinzel-Bold"
TEXT: Final = "AlegreyaSans-Medium"
BOLD: Final = "AlegreyaSans-Bold"

CAP_HEIGHT: Final = {TITLE: 0.70, TEXT: 0.642, BOLD: 0.644}
"""Height of a capital letter or numeral, in ems."""


@cache
def register_fonts() -> None:
    """Register the fonts with reportlab; later calls do nothing."""
    folder = resources.files(__package__)
    for name in (TITLE, TEXT, BOLD):
        with resources.as_file(folder / f"{name}.ttf") as path:
            pdfmetrics.registerFont(TTFont(name, str(path)))


def text_width(text: str, font: str, size: float) -> float:
    """Return the width of a text, in the unit of ``size`` (the em)."""
    register_fonts()
    return float(pdfmetrics.stringWidth(text, font, size))


def printable(text: str, font: str) -> str:
    """Replace characters that the font lacks, by the letter without diacritics if possible, else by a question mark.

    >>> printable("Café Nguyễn 東", TEXT)
    'Café Nguyên ?'
    """
    return "".join(_shown(char, font) or "?" for char in text)


def can_write(name: str, font: str) -> bool:
    """Whether a name can be written in a font, at least without some of its diacritics.

    >>> can_write("Café", TITLE), can_write("東", TITLE)
    (True, False)
    """
    return all(_shown(char, font) for char in name)


def _shown(char: str, font: str) -> str:
    """Return a letter with as many of its diacritics as the font has; empty if the font lacks the letter itself."""
    register_fonts()
    known = pdfmetrics.getFont(font).face.charToGlyph
    parts = unicodedata.normalize("NFD", char)
    for length in range(len(parts), 0, -1):
        composed = unicodedata.normalize("NFC", parts[:length])
        if len(composed) == 1 and ord(composed) in known:
            return composed
    return ""

"""Emblems of the installed decks, as SVG symbols for every page."""

from markupsafe import Markup

from companion.objects.designs import Designs


def emblem_sheets(designs: Designs) -> Markup:
    """Return the hidden SVGs with the symbols of all designs, without duplicates."""
    files = dict.fromkeys(design.emblems for design in designs.values() if design.emblems is not None)
    return Markup("\n".join(file.read_text(encoding="utf-8").rstrip() for file in files))

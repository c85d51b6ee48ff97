"""The 54 cards' own names, day and night of each suit counted from 1."""

from __future__ import annotations

from typing import Final

_NAMES: Final = {
    "2D": ("The Kindled Eye", "The Glass Garden"),
    "2N": ("The Silent Bell", "The Unlit Door"),
    "3D": ("The Salt Throne", "The Open Gate", "The Three Banners"),
    "3N": ("The Hollow Crown", "The Listening Wall", "The Winter Court"),
    "4D": ("The First Shore", "The High Pass", "The River Road", "The Four Winds"),
    "4N": ("The Black Tide", "The Lost Island", "The Sleeping Hills", "The Pole Star"),
    "5D": ("The Drawn Blade", "The Bridge Held", "The Young Captain", "The Long Charge", "The Laurel Field"),
    "5N": ("The Last Watch", "The Broken Lance", "The Red Lantern", "The Widow's Guard", "The Quiet Field"),
    "6D": (
        "The Cradle Tree",
        "The Two Sisters",
        "The Name Giving",
        "The Orchard Wall",
        "The Wedding Road",
        "The Full Table",
    ),
    "6N": (
        "The Empty Chair",
        "The Lullaby",
        "The Banked Fire",
        "The Far Cousin",
        "The Sealed Letter",
        "The Old Root",
    ),
    "7D": (
        "The Warm Loaf",
        "The Market Bell",
        "The Mended Net",
        "The Potter's Hand",
        "The Ferry Toll",
        "The Mill Song",
        "The Harvest Home",
    ),
    "7N": (
        "The Lamplighter",
        "The Tavern Oath",
        "The Honest Thief",
        "The Night Market",
        "The Spilled Salt",
        "The Empty Purse",
        "The Bonfire Dance",
    ),
}

CARD_NAMES: Final[dict[str, str]] = {
    f"{half}{number}": name for half, names in _NAMES.items() for number, name in enumerate(names, start=1)
}
"""Name of each Roche card by id."""

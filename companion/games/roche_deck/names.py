"""The 54 cards' own names, day and night of each suit counted from 1."""

from typing import Final

from companion.kernel.messages import Message, message

_NAMES: Final = {
    "2D": (message("The Kindled Eye"), message("The Glass Garden")),
    "2N": (message("The Silent Bell"), message("The Unlit Door")),
    "3D": (message("The Salt Throne"), message("The Open Gate"), message("The Three Banners")),
    "3N": (message("The Hollow Crown"), message("The Listening Wall"), message("The Winter Court")),
    "4D": (message("The First Shore"), message("The High Pass"), message("The River Road"), message("The Four Winds")),
    "4N": (
        message("The Black Tide"),
        message("The Lost Island"),
        message("The Sleeping Hills"),
        message("The Pole Star"),
    ),
    "5D": (
        message("The Drawn Blade"),
        message("The Bridge Held"),
        message("The Young Captain"),
        message("The Long Charge"),
        message("The Laurel Field"),
    ),
    "5N": (
        message("The Last Watch"),
        message("The Broken Lance"),
        message("The Red Lantern"),
        message("The Widow's Guard"),
        message("The Quiet Field"),
    ),
    "6D": (
        message("The Cradle Tree"),
        message("The Two Sisters"),
        message("The Name Giving"),
        message("The Orchard Wall"),
        message("The Wedding Road"),
        message("The Full Table"),
    ),
    "6N": (
        message("The Empty Chair"),
        message("The Lullaby"),
        message("The Banked Fire"),
        message("The Far Cousin"),
        message("The Sealed Letter"),
        message("The Old Root"),
    ),
    "7D": (
        message("The Warm Loaf"),
        message("The Market Bell"),
        message("The Mended Net"),
        message("The Potter's Hand"),
        message("The Ferry Toll"),
        message("The Mill Song"),
        message("The Harvest Home"),
    ),
    "7N": (
        message("The Lamplighter"),
        message("The Tavern Oath"),
        message("The Honest Thief"),
        message("The Night Market"),
        message("The Spilled Salt"),
        message("The Empty Purse"),
        message("The Bonfire Dance"),
    ),
}

CARD_NAMES: Final[dict[str, Message]] = {
    f"{half}{number}": name for half, names in _NAMES.items() for number, name in enumerate(names, start=1)
}
"""Name of each Roche card by id; printed in the language of the sheet."""

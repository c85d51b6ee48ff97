"""The pages of chinchirorin."""

from __future__ import annotations

from typing import Final

from companion.plugins.web import PAGES, Texts, WebPart


def spot(on: str, t: Texts) -> str:
    """Return what a bet is on, or a side of the odds."""
    return t(f"cspot_{on}")


WEB: Final = WebPart(
    package="companion.games.chinchirorin",
    family="chinchirorin",
    pages=PAGES,
    styles=("chinchirorin.css",),
    spot=spot,
)

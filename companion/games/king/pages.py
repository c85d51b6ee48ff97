"""King of Roulette's pages: the room's show, the phones' secret choices, and the dealer's console."""

from __future__ import annotations

from typing import Final

from companion.plugins.web import WebPart

WEB: Final = WebPart(
    package="companion.games.king", family="king", pages=("dealer", "seat", "table"), styles=("king.css",)
)

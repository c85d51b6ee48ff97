"""The artwork of the printed cards, for pages that show a card in large."""

from functools import lru_cache
from typing import Final

from flask import Blueprint, Response, abort, request

from companion.objects.designs import DeckDesign
from companion.objects.geometry import Box
from web_ui.access.rights import service

blueprint = Blueprint("art", __name__)
PICTURE: Final = Box(0, 0, 56, 44)
"""Size of a picture, mm: the area between the indices that a page draws."""
KEPT_S: Final = 24 * 3600


@blueprint.get("/art/<card>.svg")
def show_picture(card: str) -> Response:
    """Return a card's picture."""
    design = next((one for one in service().games.decks.values() if one.picture and card in one.cards), None)
    if design is None:
        abort(404)
    response = Response(_drawn(design, card), mimetype="image/svg+xml")
    response.cache_control.max_age = KEPT_S
    response.add_etag()
    return response.make_conditional(request)  # type: ignore[return-value]


@lru_cache(maxsize=64)
def _drawn(design: DeckDesign, card: str) -> str:
    from companion.printing.svg import SvgPen  # large imports, not needed by tables without such cards

    pen = SvgPen(PICTURE)
    assert design.picture is not None, "asked for by the view"
    design.picture(pen, PICTURE, card)
    return pen.picture()

"""Printed table mats: corner tags and zones, in millimetres.

Pure data for the printer (`companion.printing.mats.sheet`) and the camera alike. The origin is the mat's
top-left corner, x to the right, y down, seen from above with the dealer at the top; every mat has its own
tags, so the camera can identify it.

Zone names: ``stack/6``, ``deck``, ``discard``, ``pot/6``, ``seat/1`` and ``bet/`` with the bet's own name,
such as ``bet/cut/6`` or ``bet/card/6D3``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from companion.objects.cards import MAT_TAGS
from companion.objects.geometry import Box

if TYPE_CHECKING:
    from companion.printing.pen import Pen

MAT_TAG_MM: Final = 30.0
MAT_TAG_QUIET_MM: Final = 6.0
_TAG_INSET: Final = 14.0

DrawMat = Callable[["Pen", "Mat", str | None], None]
"""Draws what lies inside a mat's frame, with the prices of a kind of deck (None: the usual one)."""


@dataclass(frozen=True, slots=True, eq=False)
class Mat:
    """One mat.

    Attributes:
        tags: a 36h11 number -> its black square; the first is the top left, then clockwise.
        art: returns who draws it; called when it is printed.
        places: what the zones of the players' cards are called, as in ``seat/1``.
    """

    name: str
    width_mm: float
    height_mm: float
    tags: Mapping[int, Box]
    zones: Mapping[str, Box]
    art: Callable[[], DrawMat]
    places: str = "seat"

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats with a place for cards; none on a mat without such places."""
        found = (name.partition("/") for name in self.zones)
        return tuple(sorted(int(number) for kind, _, number in found if kind == self.places and number.isdecimal()))

    def zone_at(self, x: float, y: float) -> str | None:
        """Return the zone that a point (mm) lies in; None between zones."""
        for name, box in self.zones.items():
            if box.x <= x <= box.x + box.width and box.y <= y <= box.y + box.height:
                return name
        return None


class Mats(Mapping[str, Mat]):
    """The known mats by name, in the order of their corner tags.

    Attributes:
        of_tag: the mat that a corner tag belongs to.

    Raises:
        ValueError: two mats have the same name or a tag in common, or one has a tag that is no mat's.
    """

    def __init__(self, mats: Iterable[Mat]) -> None:
        known = sorted(mats, key=lambda mat: min(mat.tags, default=0))
        self._of = {mat.name: mat for mat in known}
        self.of_tag = {tag: mat for mat in known for tag in mat.tags}
        if len(self._of) < len(known) or len(self.of_tag) < sum(len(mat.tags) for mat in known):
            raise ValueError("two mats have the same name, or a corner tag in common")
        if not self.of_tag.keys() <= set(MAT_TAGS):
            raise ValueError("a mat has a corner tag that is none of a mat's")

    def __getitem__(self, name: str) -> Mat:
        return self._of[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)


def corner_tags(first: int, width: float, height: float) -> dict[int, Box]:
    """Return where a mat's corner tags lie.

    Args:
        first: the place of its first tag among the tags of mats (`MAT_TAGS`); four in a row are its own for ever.
        width, height: the mat's, mm.

    >>> list(corner_tags(4, 760, 735))
    [169, 170, 171, 172]
    """
    right, bottom = width - _TAG_INSET - MAT_TAG_MM, height - _TAG_INSET - MAT_TAG_MM
    corners = ((_TAG_INSET, _TAG_INSET), (right, _TAG_INSET), (right, bottom), (_TAG_INSET, bottom))
    numbers = MAT_TAGS[first : first + 4]
    return {tag: Box(x, y, MAT_TAG_MM, MAT_TAG_MM) for tag, (x, y) in zip(numbers, corners, strict=True)}

"""Printed table mats: corner tags and zones, in millimetres.

Pure data, shared by the printer (`companion.printing.mats.sheet`) and the camera. The origin is the mat's top-left
corner, x to the right, y down, seen from above with the dealer at the top. Every mat has its own tags, by which the
camera identifies it.

Zone names: ``stack/6``, ``deck``, ``discard``, ``pot/6``, ``seat/1``, and ``bet/`` followed by the bet's own name, such
as ``bet/cut/6`` or ``bet/card/6D3``.
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
"""Draws the area inside a mat's frame, with the payouts for a kind of deck (None: the default one)."""


@dataclass(frozen=True, slots=True, eq=False)
class Mat:
    """A printed mat.

    Attributes:
        tags: 36h11 tag number -> its black square; clockwise from the top left.
        zones: zone name -> its area.
        art: returns its drawing function; called at printing.
        places: prefix of the players' card zones, as in ``seat/1``.
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
        """Return the zone that contains a point (mm); None if there is none."""
        for name, box in self.zones.items():
            if box.x <= x <= box.x + box.width and box.y <= y <= box.y + box.height:
                return name
        return None


class Mats(Mapping[str, Mat]):
    """The known mats by name, sorted by their corner tags.

    Attributes:
        of_tag: corner tag number -> its mat.

    Raises:
        ValueError: two mats share a name or a tag, or a tag is not reserved for mats.
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
    """Return a mat's corner tags with their positions.

    Args:
        first: index of its first tag in `MAT_TAGS`; the mat permanently owns four consecutive tags.
        width, height: size of the mat, mm.

    >>> list(corner_tags(4, 760, 735))
    [169, 170, 171, 172]
    """
    right, bottom = width - _TAG_INSET - MAT_TAG_MM, height - _TAG_INSET - MAT_TAG_MM
    corners = ((_TAG_INSET, _TAG_INSET), (right, _TAG_INSET), (right, bottom), (_TAG_INSET, bottom))
    numbers = MAT_TAGS[first : first + 4]
    return {tag: Box(x, y, MAT_TAG_MM, MAT_TAG_MM) for tag, (x, y) in zip(numbers, corners, strict=True)}

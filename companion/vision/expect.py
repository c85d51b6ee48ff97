"""Filters readings by the cards and tokens that are expected on the table."""

from collections.abc import Collection, Iterable

from companion.objects.designs import Designs
from companion.vision.cards import Pieces


def expected_pieces(expect: Iterable[str] | None, designs: Designs) -> frozenset[str]:
    """Return the ids of the cards and tokens that may lie on the table.

    Args:
        expect: names of `Designs.groups`; None for all of them.

    Raises:
        ValueError: a name is unknown.
    """
    names = designs.groups if expect is None else frozenset(expect)
    unknown = sorted(names - designs.groups.keys())
    if unknown:
        raise ValueError(f"Cannot expect {unknown[0]!r} on the table. Choose from {', '.join(designs.groups)}.")
    return frozenset[str]().union(*(designs.groups[name] for name in names))


def only_expected(found: Pieces, pieces: Collection[str]) -> Pieces:
    """Drop unexpected cards and tokens, with a warning for each.

    Forged and foreign cards always stay: the dealer must see them.
    """
    strange = [c.id for c in found.cards if c.status in ("ok", "tag") and c.id not in pieces]
    strange += [t.id for t in found.tokens if t.id not in pieces]
    if not strange:
        return found
    warnings = [f"not expected: {piece} lies in the picture but is no part of this game." for piece in strange if piece]
    unwanted = set(strange)
    return Pieces(
        tuple(c for c in found.cards if c.status not in ("ok", "tag") or c.id not in unwanted),
        tuple(t for t in found.tokens if t.id not in unwanted),
        tuple(w for w in found.warnings if not _about(w, unwanted)) + tuple(dict.fromkeys(warnings)),
    )


def _about(warning: str, pieces: Iterable[str | None]) -> bool:
    return any(warning.startswith(f"duplicate: {piece} ") for piece in pieces)

"""Filters readings by what is expected on the table; anything else gets no value."""

from collections.abc import Collection, Iterable

from companion.objects.designs import Designs
from companion.vision.cards import Understood


def expected_pieces(expect: Iterable[str] | None, designs: Designs) -> frozenset[str]:
    """Return the ids of the cards and tokens that may lie on the table.

    Args:
        expect: names of `Designs.groups`; None for all of them.

    Raises:
        ValueError: a name is none of them.
    """
    names = designs.groups if expect is None else frozenset(expect)
    unknown = sorted(names - designs.groups.keys())
    if unknown:
        raise ValueError(f"Cannot expect {unknown[0]!r} on the table. Choose from {', '.join(designs.groups)}.")
    return frozenset[str]().union(*(designs.groups[name] for name in names))


def only_expected(found: Understood, pieces: Collection[str]) -> Understood:
    """Leave out cards and tokens that are not expected, with a warning that names each.

    A forged or foreign card stays whatever it claims to be: it must be seen by the dealer.
    """
    strange = [c.id for c in found.cards if c.status in ("ok", "tag") and c.id not in pieces]
    strange += [t.id for t in found.tokens if t.id not in pieces]
    if not strange:
        return found
    warnings = [f"not expected: {piece} lies in the picture but is no part of this game." for piece in strange if piece]
    unwanted = set(strange)
    return Understood(
        tuple(c for c in found.cards if c.status not in ("ok", "tag") or c.id not in unwanted),
        tuple(t for t in found.tokens if t.id not in unwanted),
        tuple(w for w in found.warnings if not _about(w, unwanted)) + tuple(dict.fromkeys(warnings)),
    )


def _about(warning: str, pieces: Iterable[str | None]) -> bool:
    return any(warning.startswith(f"duplicate: {piece} ") for piece in pieces)

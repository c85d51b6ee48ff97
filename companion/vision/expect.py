"""What may lie on the table: everything else gets no value."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from companion.objects.cards import LEADER_BUTTON, ROCHE_CARDS, STANDARD_DECK, TOKENS
from companion.vision.cards import Understood
from companion.vision.sightings import EXPECTABLE

_PIECES: Final[dict[str, frozenset[str]]] = {
    "roche": frozenset(ROCHE_CARDS),
    "standard": frozenset(STANDARD_DECK),
    "tokens": frozenset((*TOKENS, LEADER_BUTTON)),
}


def check_expect(expect: Iterable[str]) -> frozenset[str]:
    """Return the names as a set.

    Raises:
        ValueError: a name is not one of `EXPECTABLE`.
    """
    names = frozenset(expect)
    unknown = sorted(names - frozenset(EXPECTABLE))
    if unknown:
        raise ValueError(f"Cannot expect {unknown[0]!r} on the table. Choose from {', '.join(EXPECTABLE)}.")
    return names


def only_expected(found: Understood, expect: Collection[str]) -> Understood:
    """Leave out cards and tokens that are not expected, with a warning that names each.

    A forged or foreign card stays whatever it claims to be: it must be seen by the dealer.
    """
    pieces = {piece for name in expect for piece in _PIECES.get(name, ())}
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

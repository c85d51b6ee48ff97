"""The black and white squares of a printed code."""

from __future__ import annotations

import segno


def qr_modules(text: str) -> tuple[tuple[bool, ...], ...]:
    """Return the 21 x 21 modules of a piece's code as they are printed, True is black; see `companion.objects.codes`."""
    qr = segno.make(text, version=1, error="q", mode="alphanumeric", boost_error=False)
    return tuple(tuple(bool(module) for module in row) for row in qr.matrix)

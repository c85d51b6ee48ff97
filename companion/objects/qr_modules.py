"""The modules (black and white squares) of a printed QR code."""

import segno


def qr_modules(text: str) -> tuple[tuple[bool, ...], ...]:
    """Return the 21 x 21 modules of a code (see `companion.objects.codes`), row by row; True is black."""
    qr = segno.make(text, version=1, error="q", mode="alphanumeric", boost_error=False)
    return tuple(tuple(bool(module) for module in row) for row in qr.matrix)

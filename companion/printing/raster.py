"""PNG files at 300 dpi, rasterised from the very drawing that the PDF prints."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import pypdfium2
from PIL import Image
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from companion.printing.files import write_atomically
from companion.printing.pen import Pen
from companion.printing.pieces import Piece

DPI: Final = 300
_MM_PER_INCH: Final = 25.4
BATCH: Final = 9  # pieces drawn into one document: their fonts are embedded once


def pixels(size_mm: float) -> int:
    """Return a length in pixels at 300 dpi.

    >>> pixels(63), pixels(88)
    (744, 1039)
    """
    return round(size_mm * DPI / _MM_PER_INCH)


def write_pngs(pieces: Iterable[Piece], folder: Path, advance: Callable[[], None] = lambda: None) -> tuple[Path, ...]:
    """Write each piece as ``NAME.png``, RGB, exactly its size; files of the same names are replaced."""
    waiting, written = list(pieces), []
    for start in range(0, len(waiting), BATCH):
        batch = waiting[start : start + BATCH]
        for piece, image in zip(batch, render(batch), strict=True):
            path = folder / f"{piece.name}.png"
            write_atomically(path, _png(image))
            written.append(path)
            advance()
    return tuple(written)


def render(pieces: Iterable[Piece]) -> Iterable[Image.Image]:
    """Yield each piece as an RGB picture at 300 dpi."""
    batch = list(pieces)
    document = pypdfium2.PdfDocument(_pages(batch))
    try:
        for page, piece in zip(document, batch, strict=True):
            yield _render_page(page, pixels(piece.width), pixels(piece.height))
            page.close()
    finally:
        document.close()


def _pages(pieces: list[Piece]) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pageCompression=0, invariant=1)
    for piece in pieces:
        # A whole number of pixels to the page, so that the grid starts at the piece's corner.
        canvas.setPageSize((math.ceil(piece.width) * mm, math.ceil(piece.height) * mm))
        with Pen(canvas, math.ceil(piece.height)).page() as pen:
            piece.draw(pen)
    canvas.save()
    return buffer.getvalue()


def _render_page(page: Any, width: int, height: int) -> Image.Image:
    bitmap = page.render(scale=DPI / 72, rev_byteorder=True, may_draw_forms=False)
    image: Image.Image = bitmap.to_pil().convert("RGB").crop((0, 0, width, height))
    bitmap.close()
    return image


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", dpi=(DPI, DPI), compress_level=6)
    return buffer.getvalue()

"""PNG files at 300 dpi, rasterized from the same drawing as the PDF."""

import io
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import pypdfium2
import pypdfium2.raw as raw
from PIL import Image
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from companion.kernel.messages import Translate
from companion.printing.files import write_atomically
from companion.printing.fonts import TEXT, register_fonts
from companion.printing.pen import Pen
from companion.printing.pieces import Piece

DPI: Final = 300
_MM_PER_INCH: Final = 25.4
BAND_PX: Final = 1500
_WHITE: Final = 0xFFFFFFFF
BATCH: Final = 9  # pieces per intermediate document, which embeds the fonts once
_DRAWING: Final = threading.Lock()  # the renderer and its font tables are not thread-safe


def pixels(size_mm: float) -> int:
    """Return a length in pixels at 300 dpi.

    >>> pixels(63), pixels(88)
    (744, 1039)
    """
    return round(size_mm * DPI / _MM_PER_INCH)


def write_pngs(
    pieces: Iterable[Piece], folder: Path, advance: Callable[[], None] = lambda: None, say: Translate = str
) -> tuple[Path, ...]:
    """Write each piece at its exact size as ``NAME.png``, RGB; existing files are replaced."""
    waiting, written = list(pieces), []
    for start in range(0, len(waiting), BATCH):
        batch = waiting[start : start + BATCH]
        for piece, image in zip(batch, render(batch, say), strict=True):
            path = folder / f"{piece.name}.png"
            write_atomically(path, _png(image))
            written.append(path)
            advance()
    return tuple(written)


def render(pieces: Iterable[Piece], say: Translate = str) -> Iterable[Image.Image]:
    """Yield each piece as an RGB image at 300 dpi. Thread-safe: the lock is held for one image at a time."""
    batch = list(pieces)
    with _DRAWING:
        document = pypdfium2.PdfDocument(_pages(batch, say))
    try:
        for number, piece in enumerate(batch):
            with _DRAWING:
                image = _render_page(document, number, pixels(piece.width), pixels(piece.height))
            yield image
    finally:
        with _DRAWING:
            document.close()


def _pages(pieces: list[Piece], say: Translate) -> bytes:
    buffer = io.BytesIO()
    register_fonts()
    canvas = Canvas(buffer, pageCompression=0, invariant=1, initialFontName=TEXT)
    for piece in pieces:
        canvas.setPageSize((piece.width * mm, piece.height * mm))
        with Pen(canvas, piece.height, say).page() as pen:
            piece.draw(pen)
    canvas.save()
    return buffer.getvalue()


def _render_page(document: Any, number: int, width: int, height: int) -> Image.Image:
    """Render in bands: a mat of 760 mm would otherwise need a gigabyte of memory."""
    image = Image.new("RGB", (width, height))
    page = document[number]
    try:
        for top in range(0, height, BAND_PX):
            rows = min(BAND_PX, height - top)
            image.paste(_render_band(page, width, height, top, rows), (0, top))
    finally:
        page.close()
    return image


def _render_band(page: Any, width: int, height: int, top: int, rows: int) -> Image.Image:
    bitmap = pypdfium2.PdfBitmap.new_native(width, rows, raw.FPDFBitmap_BGR, rev_byteorder=True)
    try:
        raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, rows, _WHITE)
        raw.FPDF_RenderPageBitmap(bitmap, page, 0, -top, width, height, 0, raw.FPDF_REVERSE_BYTE_ORDER)
        return bitmap.to_pil().copy()  # type: ignore[no-any-return]
    finally:
        bitmap.close()


def _png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", dpi=(DPI, DPI), compress_level=6)
    return buffer.getvalue()

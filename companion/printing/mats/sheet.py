"""Table mats on paper: one large sheet, or tiles that overlap by one centimeter and are glued together."""

import io
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from companion.kernel.messages import Translate, message
from companion.objects.mat import Mat
from companion.printing.fonts import BOLD
from companion.printing.mats.art import draw_mat
from companion.printing.pen import Pen, polygon, rectangle
from companion.printing.pieces import Piece
from companion.printing.sheets import PAPERS, Paper, new_canvas

OVERLAP_MM: Final = 10.0
_MARGINS_MM: Final[dict[Paper, float]] = {"a4": 9.0, "letter": 9.0, "a3": 8.0}
"""White margin around the printed part. With 8 mm the usual mat needs four A3 sheets, with 9 mm six."""
_GREY: Final = "#6A6A72"


@dataclass(frozen=True, slots=True)
class Tiling:
    """The division of a mat into landscape pages; lengths in mm.

    Attributes:
        mat: its width and height. It is centered on the pages, so that no seam comes near its corners, where its tags
            are, and no outer page holds only a centimetre of it.
    """

    page: tuple[float, float]
    columns: int
    rows: int
    margin: float
    mat: tuple[float, float]

    @property
    def window(self) -> tuple[float, float]:
        """Width and height of the printed part of a page."""
        return self.page[0] - 2 * self.margin, self.page[1] - 2 * self.margin

    def corner(self, column: int, row: int) -> tuple[float, float]:
        """Return the mat position of a page's top-left printable corner; negative beyond the mat."""
        wide, high = (length - OVERLAP_MM for length in self.window)
        left = (self.columns * wide + OVERLAP_MM - self.mat[0]) / 2
        top = (self.rows * high + OVERLAP_MM - self.mat[1]) / 2
        return column * wide - left, row * high - top


def tiling(mat: Mat, paper: Paper) -> Tiling:
    """Return the division with the fewest landscape pages.

    >>> mat = Mat("any", 760, 550, {}, {}, lambda: lambda pen, mat, deck: None)
    >>> t = tiling(mat, "a4"); t.columns, t.rows
    (3, 3)
    >>> t = tiling(mat, "a3"); t.columns, t.rows
    (2, 2)
    """
    high, wide = PAPERS[paper]
    margin = _MARGINS_MM[paper]
    counts = [
        math.ceil((size - OVERLAP_MM) / (page - 2 * margin - OVERLAP_MM))
        for size, page in ((mat.width_mm, wide), (mat.height_mm, high))
    ]
    return Tiling((wide, high), counts[0], counts[1], margin, (mat.width_mm, mat.height_mm))


def mat_piece(mat: Mat, deck: str | None = None) -> Piece:
    """Return the whole mat as one piece."""
    return Piece(f"mat-{mat.name}", mat.width_mm, mat.height_mm, partial(draw_mat, mat=mat, deck=deck))


def whole_mat_pdf(mat: Mat, deck: str | None = None, say: Translate = str) -> bytes:
    """Return the mat as a PDF with one page of the mat's size."""
    buffer = io.BytesIO()
    canvas = new_canvas(buffer, f"Mat {mat.name}", (mat.width_mm, mat.height_mm))
    with Pen(canvas, mat.height_mm, say).page() as pen:
        draw_mat(pen, mat, deck)
    canvas.save()
    return buffer.getvalue()


def mat_tiles(
    mat: Mat,
    paper: Paper,
    deck: str | None = None,
    show: Callable[[int, int], None] = lambda done, total: None,
    say: Translate = str,
) -> bytes:
    """Return the mat as a PDF of pages to glue together; ``show`` is called with (pages done, pages)."""
    plan = tiling(mat, paper)
    total = plan.columns * plan.rows
    buffer = io.BytesIO()
    canvas = new_canvas(buffer, f"Mat {mat.name}", plan.page)
    for i in range(total):
        row, column = divmod(i, plan.columns)
        with Pen(canvas, plan.page[1], say).page() as pen:
            _tile(pen, mat, deck, plan, column, row)
            _foot(pen, mat, plan, column, row)
        show(i + 1, total)
    canvas.save()
    return buffer.getvalue()


def tile_name(column: int, row: int) -> str:
    """Return a page's name on the plan: a letter for the row, a number for the column.

    >>> tile_name(0, 0), tile_name(2, 1)
    ('A1', 'B3')
    """
    return f"{'ABCDEFGH'[row]}{column + 1}"


def _tile(pen: Pen, mat: Mat, deck: str | None, plan: Tiling, column: int, row: int) -> None:
    (x, y), (wide, high) = plan.corner(column, row), plan.window
    with pen.at(plan.margin, plan.margin):
        with pen.clip(rectangle(0, 0, wide, high)), pen.at(-x, -y):
            pen.once(f"mat-{mat.name}", partial(draw_mat, mat=mat, deck=deck))
        _glue_marks(pen, plan, column, row)


def _foot(pen: Pen, mat: Mat, plan: Tiling, column: int, row: int) -> None:
    text = message(
        "Mat {mat} · {tile} · page {page} of {pages} · print at 100 % · "
        "cut along the left and top lines, lay the page over the grey triangles of the one before",
        mat=mat.name,
        tile=tile_name(column, row),
        page=row * plan.columns + column + 1,
        pages=plan.columns * plan.rows,
    )
    room = plan.window[0] - 14 - 112 - 3  # between its start and the scale bar
    pen.text(plan.margin + 14, plan.page[1] - 4.6, text, 2.8, _GREY, font=BOLD, fit=room)
    _scale(pen, plan.page[0] - plan.margin - 112, plan.page[1] - 5.4)


def _glue_marks(pen: Pen, plan: Tiling, column: int, row: int) -> None:
    """Draw triangles where the next page overlaps this one, and lines where this page is cut."""
    wide, high = plan.window
    if column:
        pen.line(0, -6, 0, high + 3, _GREY, 0.2)
    if row:
        pen.line(-6, 0, wide + 3, 0, _GREY, 0.2)
    if column < plan.columns - 1:
        for y in (-1.0, high + 1.0):
            pen.fill(polygon([(wide - OVERLAP_MM, y), (wide - 4, y - 1), (wide - 4, y + 1)]), _GREY)
    if row < plan.rows - 1:
        for x in (-1.2, wide + 1.2):
            pen.fill(polygon([(x, high - OVERLAP_MM), (x - 1, high - 4), (x + 1, high - 4)]), _GREY)


def _scale(pen: Pen, x: float, y: float) -> None:
    pen.line(x, y, x + 100, y, _GREY, 0.2)
    for i in range(11):
        pen.line(x + 10 * i, y, x + 10 * i, y + (1.6 if i % 5 == 0 else 0.9), _GREY, 0.2)
    pen.text(x + 101.5, y + 1.4, "100 mm", 2.3, _GREY)

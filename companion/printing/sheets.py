"""Page layout: pieces in a grid with cut marks, and backs aligned with their faces."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from companion.kernel.messages import Message, Translate, message
from companion.printing.fonts import BOLD, TEXT, register_fonts
from companion.printing.pen import Pen, circle
from companion.printing.pieces import Piece

Paper = Literal["a4", "letter", "a3"]
Duplex = Literal["long", "short", "none"]
Cut = Literal["straight", "round", "labels"]

PAPERS: Final[dict[Paper, tuple[float, float]]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4), "a3": (297.0, 420.0)}
_GREY: Final = "#6A6A72"
_MARK_MM: Final = 2.2  # a cut mark's length
_MARK_GAP_MM: Final = 0.8  # between a cut mark and the piece
_MIN_MARGIN_MM: Final = 7.5
SCALE_NOTE: Final = message("this line is 100 mm long")
"""Label of the scale bar, which shows whether the printer scales the page."""
_HINTS: Final[dict[Duplex, Message]] = {
    "long": message("Print at 100 %, turn on the long edge"),
    "short": message("Print at 100 %, turn on the short edge"),
    "none": message("Print at 100 %, one-sided"),
}


@dataclass(frozen=True, slots=True)
class Grid:
    """A centered grid of pieces of equal size; lengths in mm."""

    page: tuple[float, float]
    piece: tuple[float, float]
    gap: float
    columns: int
    rows: int

    @property
    def count(self) -> int:
        return self.columns * self.rows

    @property
    def origin(self) -> tuple[float, float]:
        """The first piece's top-left corner. The grid is centered, so that both sides of a sheet align."""
        wide = self.columns * (self.piece[0] + self.gap) - self.gap
        high = self.rows * (self.piece[1] + self.gap) - self.gap
        return (self.page[0] - wide) / 2, (self.page[1] - high) / 2

    def slot(self, i: int) -> tuple[float, float]:
        """Return the top-left corner of the i-th piece, row by row."""
        row, column = divmod(i, self.columns)
        x, y = self.origin
        return x + column * (self.piece[0] + self.gap), y + row * (self.piece[1] + self.gap)

    def back_slot(self, i: int, duplex: Duplex) -> tuple[float, float]:
        """Return the top-left corner of the i-th piece's back, aligned with its face after duplexing."""
        x, y = self.slot(i)
        if duplex == "short":
            return x, self.page[1] - y - self.piece[1]
        return self.page[0] - x - self.piece[0], y


def fit_grid(paper: Paper, piece: tuple[float, float], gap: float = 0.0) -> Grid:
    """Return the grid with the most pieces that fit on the paper.

    >>> fit_grid("a4", (63, 88)).count, fit_grid("letter", (63, 88)).count, fit_grid("a4", (70, 120)).count
    (9, 9, 4)
    """
    page = PAPERS[paper]
    columns, rows = (int((page[i] - 2 * _MIN_MARGIN_MM + gap) // (piece[i] + gap)) for i in (0, 1))
    return Grid(page, piece, gap, columns, rows)


@dataclass(frozen=True, slots=True)
class Job:
    """The content of the pages.

    ``backs`` is empty (no back side), one piece for all faces, or one for each face.
    """

    title: str
    faces: tuple[Piece, ...]
    backs: tuple[Piece, ...] = ()
    cut: Cut = "straight"
    gap: float = 0.0
    note: str = ""  # footer of the faces' pages
    offset: tuple[float, float] = (0.0, 0.0)  # shift of the printer's back sides, see `correction`
    say: Translate = str  # translates into the language of the pages


def correction(offset: tuple[float, float], duplex: Duplex) -> tuple[float, float]:
    """Return the shift to apply to a back side, so that it aligns with its face.

    Args:
        offset: the printer's uncorrected shift of back sides: mm to the right and down, seen from the face against
            the light.

    >>> correction((1.5, 0.5), "long"), correction((1.5, 0.5), "short")
    ((1.5, -0.5), (-1.5, 0.5))
    """
    right, down = offset
    return (-right, down) if duplex == "short" else (right, -down)


def page_count(job: Job, paper: Paper, duplex: Duplex) -> int:
    """Return a job's number of pages, including backs."""
    fronts = -(-len(job.faces) // _grid(job, paper).count)
    return fronts * (2 if job.backs and duplex != "none" else 1)


def make_pdf(
    job: Job, paper: Paper = "a4", duplex: Duplex = "long", advance: Callable[[], None] = lambda: None
) -> bytes:
    """Return the job as a PDF with vector graphics and embedded fonts; ``advance`` is called after each page."""
    grid, total = _grid(job, paper), page_count(job, paper, duplex)
    two_sided = bool(job.backs) and duplex != "none"
    buffer = io.BytesIO()
    canvas = new_canvas(buffer, job.title, grid.page, duplex if two_sided else "none")
    pages = [range(s, min(s + grid.count, len(job.faces))) for s in range(0, len(job.faces), grid.count)]
    number = 0
    for members in pages:
        for back in (False, True) if two_sided else (False,):
            number += 1
            with Pen(canvas, grid.page[1], job.say).page() as pen:
                page = job.say(_page_name(number, total, back))
                _page_marks(pen, grid, job, page, duplex if two_sided else "none", back)
                _page(pen, grid, job, members, duplex, back)
            advance()
    canvas.save()
    return buffer.getvalue()


def whole_pages(title: str, pieces: Sequence[Piece], duplex: Duplex) -> bytes:
    """Return a PDF of whole-page pieces, alternating faces and backs; with ``duplex`` none only the faces."""
    shown = pieces if duplex != "none" else pieces[::2]
    buffer = io.BytesIO()
    canvas = new_canvas(buffer, title, (shown[0].width, shown[0].height), duplex)
    for piece in shown:
        with Pen(canvas, piece.height).page() as pen:
            piece.draw(pen)
    canvas.save()
    return buffer.getvalue()


def _grid(job: Job, paper: Paper) -> Grid:
    grid = fit_grid(paper, (job.faces[0].width, job.faces[0].height), job.gap)
    if len(job.faces) >= grid.count:
        return grid
    columns = min(grid.columns, len(job.faces))  # a single, partly filled page: center its pieces
    return replace(grid, columns=columns, rows=-(-len(job.faces) // columns))


def new_canvas(buffer: io.BytesIO, title: str, page: tuple[float, float], duplex: Duplex = "none") -> Canvas:
    """Return a PDF canvas with pages of this width and height, mm, with print scaling turned off."""
    register_fonts()
    canvas = Canvas(buffer, pagesize=(page[0] * mm, page[1] * mm), pageCompression=1, invariant=1, initialFontName=TEXT)
    canvas.setTitle(title)
    canvas.setCreator("companion print")
    canvas.setViewerPreference("PrintScaling", "None")
    if duplex != "none":
        canvas.setViewerPreference("Duplex", f"DuplexFlip{duplex.title()}Edge")
    return canvas


def _page_name(page: int, pages: int, back: bool) -> Message:
    if back:
        return message("Page {page} of {pages} · backs", page=page, pages=pages)
    return message("Page {page} of {pages} · faces", page=page, pages=pages)


def _page(pen: Pen, grid: Grid, job: Job, members: Sequence[int], duplex: Duplex, back: bool) -> None:
    for place, i in enumerate(members):
        piece = job.backs[i % len(job.backs)] if back else job.faces[i]
        x, y = grid.back_slot(place, duplex) if back else grid.slot(place)
        dx, dy = correction(job.offset, duplex) if back else (0.0, 0.0)
        with pen.at(x + dx, y + dy):
            if back and duplex == "short":
                # Rotated, so that a piece turned over like a page shows its back upright.
                pen.canvas.translate(piece.width, piece.height)
                pen.canvas.rotate(180)
            if back and len(job.backs) == 1:
                pen.once(piece.name, piece.draw)
            else:
                piece.draw(pen)
        if not back:
            _cut_marks(pen, grid, job.cut, x, y)
    if job.cut == "straight" and not back:
        _edge_marks(pen, grid)


def _cut_marks(pen: Pen, grid: Grid, cut: Cut, x: float, y: float) -> None:
    """Draw a piece's outline for round cuts; straight cuts are marked at the edges of the grid instead."""
    width, height = grid.piece
    if cut == "round":
        pen.stroke(circle(x + width / 2, y + height / 2, width / 2 + 0.1), _GREY, 0.15)


def _edge_marks(pen: Pen, grid: Grid) -> None:
    """Draw crop marks outside the grid, one for each cut."""
    (left, top), (width, height) = grid.origin, grid.piece
    right, bottom = left + grid.columns * width, top + grid.rows * height
    near, far = _MARK_GAP_MM, _MARK_GAP_MM + _MARK_MM
    for column in range(grid.columns + 1):
        x = left + column * width
        pen.line(x, top - far, x, top - near, _GREY, 0.15)
        pen.line(x, bottom + near, x, bottom + far, _GREY, 0.15)
    for row in range(grid.rows + 1):
        y = top + row * height
        pen.line(left - far, y, left - near, y, _GREY, 0.15)
        pen.line(right + near, y, right + far, y, _GREY, 0.15)


def _page_marks(pen: Pen, grid: Grid, job: Job, page: str, duplex: Duplex, back: bool) -> None:
    """Draw header, scale bar, footer, and the register marks that show how well both sides align."""
    _header(pen, grid, job.title, page, job.say(_HINTS[duplex]))
    if not back:
        _scale_bar(pen, 5.0, 24.0, job.say(SCALE_NOTE))
        pen.text(grid.page[0] / 2, grid.page[1] - 5.0, job.note, 2.9, _GREY, align="center", fit=grid.page[0] - 30)
    if duplex != "none":
        for x in (5.0, grid.page[0] - 5.0):
            with pen.at(*(correction(job.offset, duplex) if back else (0.0, 0.0))):
                _register_mark(pen, x, grid.page[1] / 2, back)


def _header(pen: Pen, grid: Grid, title: str, page: str, hint: str) -> None:
    y = min(grid.origin[1] - 1.2, 9.0)  # next to the crop marks if the margin is small
    width, inset = grid.page[0], min(max(grid.origin[0], 12.0), 14.0) + 1.5
    third = (width - 2 * inset) / 3 - 3
    pen.text(inset, y, title, 2.9, _GREY, font=BOLD, fit=third)
    pen.text(width / 2, y, page, 2.9, _GREY, align="center", fit=third)
    pen.text(width - inset, y, hint, 2.9, _GREY, align="right", fit=third)


def _scale_bar(pen: Pen, x: float, y: float, note: str) -> None:
    """Draw a line of 100 mm down the left margin, with a tick every 10 mm."""
    pen.line(x, y, x, y + 100, _GREY, 0.2)
    for i in range(11):
        pen.line(x, y + 10 * i, x + (1.6 if i % 5 == 0 else 0.9), y + 10 * i, _GREY, 0.2)
    with pen.at(x - 0.7, y + 50, turn=-90):
        pen.text(0, 0, note, 2.3, _GREY, font=TEXT, align="center")


def _register_mark(pen: Pen, x: float, y: float, back: bool) -> None:
    """Draw a cross on the face or rings on the back; if the sides align, the cross is inside the rings."""
    if back:
        pen.stroke(circle(x, y, 1.0), _GREY, 0.2)
        pen.stroke(circle(x, y, 2.0), _GREY, 0.15)
        return
    pen.line(x - 2.5, y, x + 2.5, y, _GREY, 0.15)
    pen.line(x, y - 2.5, x, y + 2.5, _GREY, 0.15)

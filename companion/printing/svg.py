"""A `Pen` that draws SVG, so that web pages can show the artwork of printed cards."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from companion.objects.geometry import Box
from companion.printing.pen import Path, Pen


class SvgPen(Pen):
    """Draws filled and stroked paths, no text, into an SVG with the view box `box` (mm)."""

    def __init__(self, box: Box) -> None:
        self._box = box
        self._parts: list[str] = []
        self._clips = 0

    def picture(self) -> str:
        """Return the SVG document."""
        box = self._box
        view = f'viewBox="{_n(box.x)} {_n(box.y)} {_n(box.width)} {_n(box.height)}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {view}>{"".join(self._parts)}</svg>'

    @contextmanager
    def at(
        self, x: float = 0, y: float = 0, *, turn: float = 0, scale: float = 1, flip: bool = False
    ) -> Iterator[None]:
        """Move the origin, then turn clockwise by degrees, then scale (``flip`` mirrors left and right)."""
        steps = f"translate({_n(x)} {_n(y)})"
        if turn:
            steps += f"rotate({_n(turn)})"
        if scale != 1 or flip:
            steps += f"scale({_n(-scale if flip else scale)} {_n(scale)})"
        with self._group(f'transform="{steps}"'):
            yield

    @contextmanager
    def clip(self, path: Path) -> Iterator[None]:
        """Draw only inside the path."""
        self._clips += 1
        self._parts.append(f'<clipPath id="c{self._clips}"><path d="{_d(path)}"/></clipPath>')
        with self._group(f'clip-path="url(#c{self._clips})"'):
            yield

    def fill(self, path: Path, color: str) -> None:
        """Fill a path."""
        self._parts.append(f'<path fill="{color}" d="{_d(path)}"/>')

    def stroke(self, path: Path, color: str, width: float, *, dash: Sequence[float] = (), cap: int = 0) -> None:
        """Draw a path's outline, ``width`` mm thick."""
        ends = ' stroke-linecap="round" stroke-linejoin="round"' if cap else ""
        dashes = f' stroke-dasharray="{" ".join(map(_n, dash))}"' if dash else ""
        self._parts.append(
            f'<path fill="none" stroke="{color}" stroke-width="{_n(width)}"{ends}{dashes} d="{_d(path)}"/>'
        )

    @contextmanager
    def _group(self, attribute: str) -> Iterator[None]:
        self._parts.append(f"<g {attribute}>")
        yield
        self._parts.append("</g>")


def _d(path: Path) -> str:
    return "".join(kind + " ".join(map(_n, xy)) for kind, *xy in path.steps)


def _n(value: float) -> str:
    """Return a number with at most three decimals, enough as figures are drawn in units of their own height."""
    return f"{value:.3f}".rstrip("0").rstrip(".")

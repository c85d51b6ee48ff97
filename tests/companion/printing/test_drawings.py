"""SVG drawings: supported paths are printed, others refused."""

from pathlib import Path

import numpy as np
import pytest

from companion.printing.drawings import Drawings
from companion.printing.pieces import Piece
from companion.printing.raster import pixels, render


def drawings(tmp_path: Path, inside: str) -> Drawings:
    file = tmp_path / "some.svg"
    file.write_text(f'<svg xmlns="http://www.w3.org/2000/svg"><symbol id="it"><desc>It</desc>{inside}</symbol></svg>')
    return Drawings(file)


def test_paths_are_printed_where_and_in_the_colours_asked_for(tmp_path):
    """A square, a disk of four curves and a line, ten millimetres apart."""
    drawn = drawings(
        tmp_path,
        '<path fill="#000000" d="M1 1L3 1L3 3L1 3Z"/>'
        '<path fill="#FFFFFF" d="M13 2C13 2.55 12.55 3 12 3C11.45 3 11 2.55 11 2'
        'C11 1.45 11.45 1 12 1C12.55 1 13 1.45 13 2Z"/>'
        '<path fill="none" stroke="#000000" stroke-width="2" d="M21 2L23 2"/>',
    )
    piece = Piece("it", 30, 5, lambda pen: drawn.draw(pen, "it", {"#000000": "#0000FF", "#FFFFFF": "#FF0000"}))
    (image,) = (np.asarray(picture) for picture in render([piece]))
    at = {x: tuple(int(v) for v in image[pixels(2), pixels(x)]) for x in (2, 12, 22, 7, 17)}
    assert at == {2: (0, 0, 255), 12: (255, 0, 0), 22: (0, 0, 255), 7: (255, 255, 255), 17: (255, 255, 255)}
    disk_mm2 = (image[:, pixels(10) : pixels(14), 1] < 128).sum() / (300 / 25.4) ** 2
    assert 3.0 < disk_mm2 < 3.3


@pytest.mark.parametrize("steps", ["M0 0l1 1", "M0 0L1 1 2 2", "M0 0A1 1 0 0 0 2 0", "M0 0H3"])
def test_steps_that_the_pen_does_not_know_are_refused(tmp_path, steps):
    with pytest.raises(ValueError, match=r"^only the steps M, L, C and Z can be printed, each with its letter, not "):
        drawings(tmp_path, f'<path fill="#000000" d="{steps}"/>')


@pytest.mark.parametrize(
    "part", ['<circle r="1"/>', '<g><path d="M0 0Z"/></g>', '<path transform="scale(2)" fill="#000000" d="M0 0Z"/>']
)
def test_what_would_be_printed_wrongly_is_refused(tmp_path, part):
    with pytest.raises(ValueError, match=r"^symbol it: only paths without transforms can be printed, not <"):
        drawings(tmp_path, part)

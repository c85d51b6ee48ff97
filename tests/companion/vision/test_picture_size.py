"""Oversized pictures are refused by their headers."""

import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from companion.cli.pictures import UnreadableFile, open_file
from companion.vision.picture_size import MAX_SIDE, excess, is_decodable
from hardware.cameras.base import CameraError
from hardware.cameras.pixels import read_image


def png(width: int, height: int) -> bytes:
    """Return the first few bytes of a PNG with that size in its header."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header)) + b"\0\0\0\0IDAT"
    )


@pytest.mark.parametrize(
    ("width", "height", "refused"),
    [
        (1_000_000, 1, True),
        (1, 1_000_000, True),
        (MAX_SIDE + 1, 10, True),
        (10_001, 10_000, True),
        (100_000, 100_000, True),
        (MAX_SIDE, 10, False),
        (8000, 6000, False),
    ],
)
def test_the_header_decides(width: int, height: int, refused: bool) -> None:
    assert bool(excess(png(width, height))) is refused


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n", b"GARBAGE" * 9])
def test_what_has_no_header_is_not_decoded(content: bytes) -> None:
    assert not is_decodable(content)


def test_a_stripe_is_refused_with_what_is_wrong_with_it(tmp_path: Path) -> None:
    made = io.BytesIO()
    Image.new("RGB", (1_000_000, 1)).save(made, "PNG")
    path = tmp_path / "stripe.png"
    path.write_bytes(made.getvalue())
    with pytest.raises(UnreadableFile, match="a side of 1000000 pixels, more than 16384"):
        open_file(path)
    with pytest.raises(CameraError, match="no picture that can be read"):
        read_image(path)

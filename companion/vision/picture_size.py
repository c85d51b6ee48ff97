"""Refuses a picture by its header, before a pixel of it is decoded: a file of a few bytes can promise gigabytes."""

import io
import warnings
from typing import Final

from PIL import Image as Pillow

LONGEST_SIDE: Final = 16_384
MOST_PIXELS: Final = 100_000_000
"More than any camera of ours gives; decoded they take 300 MB."
TOO_MANY: Final = f"more than {MOST_PIXELS // 1_000_000} million pixels"


def is_decodable(content: bytes) -> bool:
    """Say whether a picture's header can be read, and promises no more than anything that shows a table."""
    try:
        return not excess(content)
    except ValueError:
        return False


def excess(content: bytes) -> str:
    """Say what a picture has more of than anything that shows a table: "" for nothing.

    Raises:
        ValueError: it has no header that can be read.
    """
    try:
        with warnings.catch_warnings(action="ignore"), Pillow.open(io.BytesIO(content)) as picture:
            width, height = picture.size
    except Pillow.DecompressionBombError:
        return TOO_MANY
    except (OSError, SyntaxError) as error:
        raise ValueError("no picture") from error
    if max(width, height) > LONGEST_SIDE:
        return f"a side of {max(width, height)} pixels, more than {LONGEST_SIDE}"
    return TOO_MANY if width * height > MOST_PIXELS else ""

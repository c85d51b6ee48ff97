"""Refuses a picture by its header, before a pixel of it is decoded: a file of a few bytes can promise gigabytes."""

from __future__ import annotations

import io
import warnings
from typing import Final

from PIL import Image as Pillow

LONGEST_SIDE: Final = 16_384
MOST_PIXELS: Final = 100_000_000
"More than any camera of ours gives; decoded they take 300 MB."


def is_decodable(content: bytes) -> bool:
    """Say whether a picture's header can be read, and promises no more than anything that shows a table."""
    try:
        return not is_too_large(content)
    except ValueError:
        return False


def is_too_large(content: bytes) -> bool:
    """Say whether a picture has more pixels, or a longer side, than anything that shows a table.

    Raises:
        ValueError: it has no header that can be read.
    """
    try:
        with warnings.catch_warnings(action="ignore"), Pillow.open(io.BytesIO(content)) as picture:
            width, height = picture.size
    except Pillow.DecompressionBombError:
        return True
    except (OSError, SyntaxError) as error:
        raise ValueError("no picture") from error
    return max(width, height) > LONGEST_SIDE or width * height > MOST_PIXELS

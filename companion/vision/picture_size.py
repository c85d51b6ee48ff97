"""Checks a picture's size in its header before decoding: a file of a few bytes can decompress to gigabytes."""

import io
import warnings
from typing import Final

from PIL import Image as Pillow

MAX_SIDE: Final = 16_384
MAX_PIXELS: Final = 100_000_000
"More than any supported camera produces; 300 MB when decoded."
TOO_MANY: Final = f"more than {MAX_PIXELS // 1_000_000} million pixels"


def is_decodable(content: bytes) -> bool:
    """Whether a picture's header is readable and its size within the limits."""
    try:
        return not excess(content)
    except ValueError:
        return False


def excess(content: bytes) -> str:
    """Return which limit a picture exceeds, as text, or "".

    Raises:
        ValueError: its header is not readable.
    """
    try:
        with warnings.catch_warnings(action="ignore"), Pillow.open(io.BytesIO(content)) as picture:
            width, height = picture.size
    except Pillow.DecompressionBombError:
        return TOO_MANY
    except (OSError, SyntaxError) as error:
        raise ValueError("no picture") from error
    if max(width, height) > MAX_SIDE:
        return f"a side of {max(width, height)} pixels, more than {MAX_SIDE}"
    return TOO_MANY if width * height > MAX_PIXELS else ""

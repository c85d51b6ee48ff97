"""Computer vision: arrays in, small frozen values out. No files, no clock, no window.

A frame is uint8 (H, W, 3), BGR. Points are pixels (x, y), corners run clockwise from the printed thing's
own top left. `read_image` reads one still picture, a `Reader` a running camera.
"""

from companion.vision.decoders.zbar import ZbarRescue
from companion.vision.frame import Frame
from companion.vision.live.reader import Reader
from companion.vision.sightings import (
    CardSighting,
    CodeSeen,
    FrameReading,
    TagSeen,
    TokenSighting,
)
from companion.vision.still import read_image

__all__ = [
    "CardSighting",
    "CodeSeen",
    "Frame",
    "FrameReading",
    "Reader",
    "TagSeen",
    "TokenSighting",
    "ZbarRescue",
    "read_image",
]

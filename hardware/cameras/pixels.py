"""Conversion to the common frame format: uint8 (H, W, 3), BGR."""

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.picture_size import is_decodable
from hardware.cameras.base import CameraError

Image = NDArray[np.uint8]

IMAGE_SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})


def as_bgr(image: object) -> Image:
    """Convert a device's frame to BGR.

    Args:
        image: uint8 (H, W) gray, (H, W, 3) BGR or (H, W, 4) BGRA.

    Raises:
        CameraError: another type or shape.
    """
    if isinstance(image, np.ndarray) and image.dtype == np.uint8:
        if image.ndim == 2:
            return cv2.cvtColor(image, cv2.COLOR_GRAY2BGR).astype(np.uint8, copy=False)
        if image.ndim == 3 and image.shape[2] in (3, 4):
            return np.ascontiguousarray(image[:, :, :3])
    shape = f"{getattr(image, 'dtype', type(image).__name__)} {getattr(image, 'shape', '')}"
    raise CameraError.saying("The camera gives {shape} instead of uint8 (H, W, 3). Choose another camera.", shape=shape)


def read_image(path: Path) -> Image:
    """Read an image file as BGR.

    Raises:
        CameraError: the file cannot be read, or is not a complete image of a supported format.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CameraError.saying(
            "{file} cannot be read ({error}). Check the path and its permissions.",
            file=str(path),
            error=str(error.strerror),
        ) from error
    try:
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR) if is_decodable(content) else None
    except cv2.error:  # for example, an absurd size in the header
        image = None
    if image is None:
        raise CameraError.saying(
            "{file} is no picture that can be read; it may be cut short. Save it again as PNG or JPEG.", file=str(path)
        )
    return image.astype(np.uint8, copy=False)

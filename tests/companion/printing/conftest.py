"""Decks to print, and decoding of the printed pages."""

from collections.abc import Callable

import cv2
import numpy as np
import pypdfium2
import pytest
import zxingcpp

from companion.objects.decks import Deck
from companion.testing import DECKS

Image = np.ndarray
MM_PER_INCH = 25.4


def make_deck(kind: str = "roche", deck_id: str = "K7QX") -> Deck:
    return Deck(deck_id, DECKS[kind], "Home deck", b"k" * 32, "2026-01-01T00:00:00.000+00:00")


@pytest.fixture(scope="session")
def deck() -> Deck:
    return make_deck()


@pytest.fixture(scope="session")
def deck_of() -> Callable[..., Deck]:
    return make_deck


def render_pdf(pdf: bytes, dpi: float) -> list[Image]:
    """Return the pages as BGR images."""
    document = pypdfium2.PdfDocument(pdf)
    pages = [page.render(scale=dpi / 72).to_numpy().copy() for page in document]
    document.close()
    return pages


def read_codes(image: Image) -> dict[str, tuple[float, float]]:
    """Return text -> center (px) of every QR code."""
    found = zxingcpp.read_barcodes(image, formats=zxingcpp.BarcodeFormat.QRCode)
    middles = {}
    for code in found:
        p = code.position
        corners = (p.top_left, p.top_right, p.bottom_right, p.bottom_left)
        middles[code.text] = (sum(c.x for c in corners) / 4, sum(c.y for c in corners) / 4)
    return middles


def read_tags(image: Image) -> list[tuple[int, np.ndarray]]:
    """Return (number, corners px) of every 36h11 tag."""
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    corners, numbers, _ = cv2.aruco.ArucoDetector(family).detectMarkers(image)
    return [] if numbers is None else [(int(n), c[0]) for n, c in zip(numbers.ravel(), corners, strict=True)]


@pytest.fixture(scope="session")
def pdf_pages() -> Callable[[bytes, float], list[Image]]:
    return render_pdf


@pytest.fixture(scope="session")
def codes_on() -> Callable[[Image], dict[str, tuple[float, float]]]:
    return read_codes


@pytest.fixture(scope="session")
def tags_on() -> Callable[[Image], list[tuple[int, np.ndarray]]]:
    return read_tags

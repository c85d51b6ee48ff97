"""The look: names, colours, the window that the codes leave."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from companion.games.roche_deck.design import FULL_DECK
from companion.games.roche_deck.names import CARD_NAMES
from companion.objects.geometry import CARD_GEOMETRY, QR_QUIET_MM, TAG_QUIET_MM
from companion.printing.cards.palette import PALETTES
from companion.printing.cards.window import column, panel, plate
from companion.printing.fonts import TITLE, printable

# Machado, Oliveira, Fernandes 2009: what people without red, green or blue cones see (linear RGB).
_BLINDNESS = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def test_every_card_has_a_name_of_its_own():
    assert set(CARD_NAMES) == set(FULL_DECK)
    assert len(set(CARD_NAMES.values())) == 54
    assert all(printable(name, TITLE) == name for name in CARD_NAMES.values())


@pytest.mark.parametrize("kind", _BLINDNESS)
def test_suits_are_told_apart_without_full_colour_vision(kind):
    """Any two suits' main colours stay a clearly visible step apart (CIE 1976, 10 or more)."""
    lab = {rank: _lab(np.array(_BLINDNESS[kind]) @ _linear(p.main)) for rank, p in PALETTES.items()}
    for a, b in itertools.combinations(lab, 2):
        assert np.linalg.norm(lab[a] - lab[b]) >= 10, (kind, a, b)


def _linear(color: str) -> np.ndarray:
    srgb = np.array(list(bytes.fromhex(color[1:]))) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def _lab(rgb: np.ndarray) -> np.ndarray:
    matrix = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    xyz = np.array(matrix) @ np.clip(rgb, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("size", ["poker", "tarot"])
def test_art_keeps_half_a_millimetre_from_every_quiet_zone(size):
    geometry = CARD_GEOMETRY[size]
    marks = ((geometry.qr, QR_QUIET_MM), (geometry.first_tag, TAG_QUIET_MM), (geometry.second_tag, TAG_QUIET_MM))
    line = 0.35 / 2  # half of the window's frame
    for part, (mark, quiet) in itertools.product((column(geometry), panel(geometry), plate(geometry)), marks):
        gap_x = max(mark.x - quiet - (part.x + part.width), part.x - (mark.x + mark.width + quiet))
        gap_y = max(mark.y - quiet - (part.y + part.height), part.y - (mark.y + mark.height + quiet))
        assert max(gap_x, gap_y) - line > 0.4

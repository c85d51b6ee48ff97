"""Fixtures with printed faces; `table_scene` and `printed` are helper modules in this folder."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import printed
from table_scene import Face, Look, Placed, Truth, grid, photograph, random_look

NAMES = ("6D3", "2N1", "7N5", "3D2", "4D4", "5N1", "7D7", "6N6", "2D1", "3N3", "4N2", "5D5")


@pytest.fixture(scope="session")
def pictures() -> dict[str, np.ndarray]:
    """A dozen printed cards as the product's PNG pictures, BGR at 300 dpi."""
    return printed.printed(printed.DECK, NAMES)


@pytest.fixture(scope="session")
def faces() -> dict[str, Face]:
    """The same cards as faces for `table_scene`."""
    return printed.faces(printed.DECK, NAMES)


Snap = Callable[..., tuple[np.ndarray, list[Truth], Look]]


@pytest.fixture(scope="session")
def snap(faces: dict[str, Face]) -> Snap:
    """Photograph some of the cards: `snap(seed, ["6D3"], tilt_deg=20)`, or exactly where they are `placed`."""

    def take(
        seed: int,
        names: Sequence[str] = NAMES[:6],
        placed: Callable[[Look], list[Placed]] | None = None,
        **fixed: object,
    ) -> tuple[np.ndarray, list[Truth], Look]:
        rng = np.random.default_rng(seed)
        fixed = {"size": (1280, 720), "px_per_module": 3.0, **fixed}
        look = random_look(rng, **fixed)
        lay = placed(look) if placed else grid([(n, faces[n]) for n in names], look, rng)
        return *photograph(lay, look, rng), look

    return take

"""The hardware page: its tables and its picture agree with the current output of the commands."""

import importlib.util
import math
from pathlib import Path
from typing import Any

import pytest

from companion.config.panel import PanelConfig
from hardware.panel.wiring_diagram import draw_wiring

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def page() -> Any:
    spec = importlib.util.spec_from_file_location("update_hardware", DOCS / "update_hardware.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_tables_are_up_to_date(page: Any) -> None:
    text = (DOCS / "hardware.md").read_text(encoding="utf-8")
    assert page.updated(text) == text, "run: python docs/update_hardware.py"


def test_the_picture_is_up_to_date() -> None:
    assert (DOCS / "wiring.svg").read_text(encoding="utf-8") == draw_wiring(PanelConfig()), (
        "run: companion wiring --out docs/wiring.svg"
    )


def test_the_scale_is_what_geometry_says(page: Any) -> None:
    """A 90 degree lens covers twice its height: 1920 pixels over 1000 mm from half a metre."""
    lens = page.Lens("square", 1920, 90.0)
    assert lens.width_mm(500) == pytest.approx(1000)
    assert lens.px_per_mm(500) == pytest.approx(1.92)
    assert page.by_focal_length(10.0, 5.0) == pytest.approx(90.0)
    assert page.card_px_per_mm() == pytest.approx(2.3 * 21 / 30)
    assert math.isclose(page.die_px_per_mm(), 90 / 21)

"""The pages' type hints say what the program's types say."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.testing import INSTALLED
from tools.browser_types import made

FILES = made(INSTALLED)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.parent.name)
def test_the_type_hints_are_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == FILES[path], "write them with: python -m tools.browser_types"


def test_a_field_is_described_optional_and_of_its_type() -> None:
    engine = next(text for path, text in FILES.items() if path.parent.name == "js")
    assert "  /** Why the table is on hold. */\n  hold: string | null;\n" in engine
    assert "  prompt?: string;\n" in engine
    assert "  players: Player[];\n" in engine

"""The pages' type hints say what the program's types say."""

from pathlib import Path

import pytest

from companion.testing import INSTALLED
from tools.browser_types import made


@pytest.fixture(scope="module")
def files() -> dict[Path, str]:
    return made(INSTALLED)


def test_the_type_hints_are_up_to_date(files: dict[Path, str]) -> None:
    stale = [path for path, text in files.items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "write them with: python -m tools.browser_types"


def test_a_field_is_described_optional_and_of_its_type(files: dict[Path, str]) -> None:
    engine = next(text for path, text in files.items() if path.parent.name == "js")
    assert "  /** Why the table is on hold. */\n  hold: string | null;\n" in engine
    assert "  prompt?: string;\n" in engine
    assert "  players: Player[];\n" in engine

"""Whatever is imported on demand is there: no type checker sees these names."""

import re
from pathlib import Path
from typing import Final

import pytest

import companion
from companion.on_demand import OnDemand

SOURCES: Final = Path(companion.__file__).parent.parent
NAMED: Final = sorted(
    {
        where
        for folder in ("companion", "hardware", "web_ui")
        for path in (SOURCES / folder).rglob("*.py")
        for where in re.findall(r'\bOnDemand\("([^"]+)"\)(?!\()', path.read_text(encoding="utf-8"))
    }
)


@pytest.mark.parametrize("where", NAMED)
def test_it_is_there(where: str) -> None:
    assert OnDemand(where).get() is not None


def test_they_are_found() -> None:
    assert len(NAMED) > 30

"""The configurations in the documents can be used as they are."""

import re
from pathlib import Path

import pytest

from companion.config.file import parse_config
from companion.testing import INSTALLED

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize(
    ("page", "before"),
    [
        ("settings.md", ""),
        ("playing.md", ""),
        ("holdem-tournament.md", '[table]\ngame = "holdem-tournament"\n'),
    ],
)
def test_a_documented_configuration_is_accepted(page: str, before: str) -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        parse_config(DOCS / page, before + block, INSTALLED)

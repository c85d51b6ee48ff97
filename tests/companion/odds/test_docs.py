"""The page with the table's edges is up to date."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.thorough
def test_odds_page_is_up_to_date() -> None:
    """docs/odds.md shows what `companion odds` prints; if not, run `python docs/update_odds.py`."""
    spec = importlib.util.spec_from_file_location("update_odds", DOCS / "update_odds.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    page = (DOCS / "odds.md").read_text(encoding="utf-8")
    assert len(tool.BLOCK.findall(page)) == 20
    assert tool.updated(page) == page, "run: python docs/update_odds.py"
    assert "| cut/6 | Kin cut | 10.09 % | 8.911:1 | 8:1 | 9.19 % |" in page

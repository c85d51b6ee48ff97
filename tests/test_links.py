"""Every link of README, SECURITY and the docs leads to a file, and to a heading that is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def links_of(page: Path) -> list[str]:
    return [link for link in LINK.findall(CODE.sub("", page.read_text())) if "://" not in link]


def anchors_of(page: Path) -> set[str]:
    """As GitHub names them: lower case, without punctuation, a hyphen for each space."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links_of(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


def test_the_readme_leads_to_every_page() -> None:
    told = {link.partition("#")[0] for page in PAGES for link in links_of(page)}
    assert {page.name for page in PAGES if page.name != "README.md"} <= {Path(link).name for link in told}

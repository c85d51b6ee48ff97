"""Every installed game passes the conformance suite, which third parties run on their games, too."""

import json
from pathlib import Path

import pytest

from companion.testing import INSTALLED, check_game

PLAYTHROUGHS = Path(__file__).parents[2] / "playthroughs"
MORE = Path(__file__).parents[2] / "golden" / "scripts"


def scripts_of(game: str) -> list[list[dict[str, object]]]:
    files = sorted(folder / game for folder in (PLAYTHROUGHS, MORE))
    found = [path for folder in files if folder.is_dir() for path in sorted(folder.glob("*.jsonl"))]
    return [lines for path in found if "game" in (lines := commands(path))[0]]


def commands(path: Path) -> list[dict[str, object]]:
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    header, *rest = map(json.loads, lines)
    return [header, *(record for record in rest if "do" in record)]


@pytest.mark.parametrize("game", sorted(INSTALLED))
def test_an_installed_game_keeps_what_the_engine_relies_on(game: str) -> None:
    check_game(INSTALLED[game], scripts_of(game), steps=120)

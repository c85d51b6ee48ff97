"""A broken package is omitted and reported; other games are not affected."""

from pathlib import Path

import pytest

from companion.plugins.registry import installed_games

_GAME = """
from companion.plugins.plugin import GamePlugin

class Rules:
    name = "damaged"
    {title}

GAME = GamePlugin(rules=Rules())
"""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (_GAME.format(title="pass"), "has no attribute 'title'"),
        (_GAME.format(title="title = 5"), "not supported between instances of"),
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
    ],
)
def test_a_damaged_package_takes_no_other_game_with_it(
    text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
):
    module = f"damaged_{abs(hash(request.node.name))}"
    (tmp_path / f"{module}.py").write_text(text)
    info = tmp_path / f"{module}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[table_companion.games]\ndamaged = {module}:GAME\n")
    known = set(installed_games())
    monkeypatch.syspath_prepend(str(tmp_path))
    games = installed_games()
    assert set(games) == known
    (problem,) = (source.problem for source in games.sources if source.game == "damaged")
    assert problem is not None
    assert why in problem

"""What an owner may not choose: rules and limits that leave the players an edge."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.config.file import ConfigError, load_config
from companion.kernel.game import Options
from companion.testing import INSTALLED


def options(folder: Path, text: str) -> Options:
    file = folder / "companion.toml"
    file.write_text(f'[table]\ngame = "blackjack"\n{text}')
    return load_config(file, INSTALLED)[1].options


def test_the_usual_rules_favour_the_house(tmp_path: Path) -> None:
    found = options(tmp_path, "min = 12")
    assert {
        "decks": 2,
        "soft17": "stand",
        "surrender": "late",
        "split_aces": "play-on",
        "min": 12,
    }.items() <= found.items()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[blackjack]\nsurrender = "early"',
            "blackjack.surrender: these rules leave the players an edge of 0.55%",
        ),
        ("[blackjack]\ndecks = 1", "line 4: blackjack.decks: these rules leave the players an edge of 0.26%"),
        ("min = 11", "line 3: table.min: half a stake is rounded down, so bets below 12 leave the players an edge"),
    ],
)
def test_an_edge_for_the_players_is_refused_unless_the_owner_insists(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as error:
        options(tmp_path, text)
    assert said in str(error.value)
    assert options(tmp_path, f"insist = true\n{text}")

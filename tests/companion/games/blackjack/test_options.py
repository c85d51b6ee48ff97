"""Rules and limits that give the players an edge are rejected."""

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


def test_a_shoe_has_as_many_decks_as_the_rules_say(tmp_path: Path) -> None:
    assert options(tmp_path, 'shoe = ["K7QX", "AC4D"]')["decks"] == 2
    assert options(tmp_path, 'shoe = ["K7QX", "AC4D", "B2B2"]\n[blackjack]\ndecks = 3')["decks"] == 3
    for text, said in (
        ('shoe = ["K7QX"]', "table.shoe: decks in the shoe: 1, decks that Blackjack is played with: 2. Change one"),
        (
            'shoe = ["K7QX", "AC4D"]\n[blackjack]\ndecks = 6',
            "decks in the shoe: 2, decks that Blackjack is played with: 6",
        ),
        ('shoe = ["K7QX", "K7QX"]', "line 3: table.shoe: a deck stands here twice"),
    ):
        with pytest.raises(ConfigError) as error:
            options(tmp_path, text)
        assert said in str(error.value)


def test_another_game_may_have_a_shoe_of_any_size(tmp_path: Path) -> None:
    file = tmp_path / "companion.toml"
    file.write_text('[table]\ngame = "roche"\nshoe = ["K7QX", "AC4D", "B2B2"]')
    assert len(load_config(file, INSTALLED)[0].table.shoe) == 3


def test_hints_can_be_forbidden(tmp_path: Path) -> None:
    assert options(tmp_path, "[blackjack]\nhints = false")["hints"] is False

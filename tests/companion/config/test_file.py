"""The configuration: its effect on the table, and errors with file, line and key."""

from pathlib import Path

import pytest

from companion.config.file import ConfigError, load_config
from companion.config.toml_lines import line_of
from companion.games.roche.paytable import PaytableError
from companion.locale import Translator
from companion.testing import INSTALLED

SOUND = """\
[table]
layout = "grand"
min = 1
max = 500

[table.paytable]
cut = { 6 = "8:1" }
cavalry = 100

[[players]]
name = "Ann"
coins = 100

[[players]]
name = "Bo"

[camera]
source = "demo"
width = 1280

[web]
port = 9000
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "companion.toml"
    file.write_text(SOUND)
    return file


def test_a_sound_file(path: Path) -> None:
    """Settings take effect, missing ones have defaults, and only non-default prices go into the header."""
    config, header = load_config(path, INSTALLED)
    assert header.to_json() == {
        "game": "roche",
        "players": [{"name": "Ann", "coins": 100}, {"name": "Bo", "coins": 0}],
        "options": {
            "layout": "grand",
            "deck": "full",
            "min": 1,
            "max": 500,
            "cap": 200,
            "bank": 2000,
            "paytable": {"cavalry": "100:1"},
        },
    }
    assert (config.camera.source, config.camera.width, config.camera.height, config.camera.fps) == (
        "demo",
        1280,
        1080,
        30,
    )
    assert (config.web.host, config.web.port, config.evidence.limit_mb) == ("0.0.0.0", 9000, 500)


def test_no_file_is_all_defaults() -> None:
    """Without a file: the basic layout, the full deck and the printed prices."""
    _, header = load_config(None, INSTALLED)
    limits = {"max": 200, "cap": 200, "bank": 2000}
    assert header.to_json() == {
        "game": "roche", "players": [], "options": {"layout": "basic", "deck": "full", **limits},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("game", "said", "limits"),
    [
        ("roche", "", {"max": 200, "cap": 200, "bank": 2000}),
        ("rugen-house", "bank = 5000", {"max": 500, "cap": 500, "bank": 5000}),
        ("rugen-capital", "bank = 777", {"max": 70, "cap": 70, "bank": 777}),
        ("roche", "bank = 0", {}),
        ("roche", "bank = 0\ncap = 300", {"cap": 300}),
        ("roche", "bank = 1000\nmax = 5000\nmin = 2", {"min": 2, "max": 5000, "cap": 100, "bank": 1000}),
        ("roche", "min = 300", {"min": 300, "max": 300, "cap": 300, "bank": 2000}),
        ("rochi", "", {}),
        ("captains", "bank = 50", {}),
        ("rugen-street", "bank = 50", {}),
    ],
)
def test_limits_come_from_the_bank_unless_the_owner_says_otherwise(
    path: Path, game: str, said: str, limits: dict[str, int]
) -> None:
    """By default a tenth of the bank per bet; the owner's limits override it; 0 is no limit; only banked games."""
    path.write_text(f'[table]\ngame = "{game}"\n{said}\n')
    options = load_config(path, INSTALLED)[1].options
    assert {key: options[key] for key in ("min", "max", "cap", "bank") if key in options} == limits


@pytest.mark.parametrize("bank", ["-1", "2.5", '"2000"', "true"])
def test_a_bank_is_a_whole_number_of_coins(path: Path, bank: str) -> None:
    path.write_text(f"[table]\nbank = {bank}\n")
    with pytest.raises(ConfigError, match=r"line 2: table\.bank: this should be"):
        load_config(path, INSTALLED)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("max = 500", "maxx = 500", 4, "table.maxx: there is no such key. Did you mean 'max'?"),
        ("[web]", "[wbe]", 21, "wbe: there is no such key. Did you mean 'web'?"),
        ("[web]", "[zzz]", 21, "zzz: there is no such key. Known here: table, coins, players, "),
        ("max = 500", 'max = "500"', 4, "table.max: this should be a valid integer, not '500'. Correct it."),
        ("max = 500", "max = 5.5", 4, "table.max: this should be a valid integer, not 5.5. Correct it."),
        ("max = 500", "max = true", 4, "table.max: this should be a valid integer, not True. Correct it."),
        ("min = 1", "min = 0", 3, "table.min: this should be greater than or equal to 1, not 0. Correct it."),
        ("min = 1", "min = 501", 3, "table.min: the minimum 501 is above the maximum 500. Correct one."),
        ('"grand"', '"big"', 2, "table.layout: this should be 'basic' or 'grand', not 'big'. Correct it."),
        ("min = 1", 'game = "bridge"', 3, "table.game: there is no game 'bridge' to run. Choose one of "),
        ("coins = 100", "coins = -1", 12, "players.1.coins: this should be greater than or equal to 0, not -1."),
        ('name = "Bo"', "coins = 5", 14, "players.2.name: this is needed. Add it."),
        ('"Bo"', '"Ann"', 15, "players.2.name: A player called Ann sits here already. Choose another name."),
        ('"Bo"', '" "', 15, "players.2.name: "),
        ("port = 9000", "port = 70000", 22, "web.port: this should be less than or equal to 65535, not 70000."),
        (
            '"8:1"',
            '"8-1"',
            7,
            "table.paytable.cut.6: The paytable's price for cut/6 cannot be used: '8-1' is not a price",
        ),
        (
            "6 =",
            "9 =",
            7,
            "table.paytable.cut.9: The paytable's cut names suit '9', which the full deck does not have.",
        ),
        ("cut =", "cuts =", 7, "table.paytable.cuts.6: The paytable has no bets named 'cuts'."),
        ("cavalry = 100", "cavalry = []", 8, "table.paytable.cavalry: "),
        (
            "min = 1",
            "min 1",
            3,
            "this is not TOML: Expected '=' after a key in a key/value pair (column 5). Correct it.",
        ),
        ("port = 9000", "port = [", 22, "this is not TOML: "),
    ],
)
def test_errors_name_file_line_and_key(path: Path, old: str, new: str, line: int, said: str) -> None:
    """Each mistake is reported with its line, its key, and what to do."""
    assert SOUND.count(old) == 1 or old in ("min = 1", "coins = 100", "[web]", "max = 500")
    path.write_text(SOUND.replace(old, new, 1))
    with pytest.raises(ConfigError) as error:
        load_config(path, INSTALLED)
    assert str(error.value).startswith(f"{path}, line {line}: {said}")


def test_prices_that_favour_the_players_are_refused(path: Path) -> None:
    """A price with a players' edge is refused, naming the bet, the edge and the override; the override allows it."""
    path.write_text(SOUND.replace('"8:1"', '"12:1"'))
    with pytest.raises(ConfigError) as error:
        load_config(path, INSTALLED)
    assert str(error.value) == (
        f"{path}, line 7: table.paytable.cut.6: cut/6 pays 12:1, which leaves the players an edge of 31.17%. "
        "Lower the price, or write insist = true under [table]."
    )
    path.write_text(SOUND.replace('"8:1"', '"12:1"').replace("min = 1", "min = 1\ninsist = true"))
    assert load_config(path, INSTALLED)[1].options["paytable"]["cut"] == {"6": "12:1"}


def test_a_price_table_in_its_own_file(path: Path) -> None:
    """A price file's path is relative to the configuration, and it must be for the same deck."""
    (path.parent / "prices.toml").write_text('deck = "red"\ncavalry = 50\n')
    path.write_text('[table]\nbank = 0\ndeck = "red"\nlayout = "grand"\npaytable_file = "prices.toml"\n')
    assert load_config(path, INSTALLED)[1].options == {
        "layout": "grand",
        "deck": "red",
        "paytable": {"cavalry": "50:1"},
    }
    path.write_text('[table]\ndeck = "full"\npaytable_file = "prices.toml"\n')
    with pytest.raises(ConfigError, match=r"line 3: table\.paytable_file: its prices are for the red deck"):
        load_config(path, INSTALLED)


def test_a_broken_price_file_is_named_itself(path: Path) -> None:
    """An error in the price file names the price file's line."""
    (path.parent / "prices.toml").write_text('deck = "full"\n[cut]\n6 = "x"\n')
    path.write_text('[table]\npaytable_file = "prices.toml"\n')
    with pytest.raises(PaytableError, match=r"prices\.toml, line 3"):
        load_config(path, INSTALLED)


def test_a_missing_price_file_names_the_key_that_asks_for_it(path: Path) -> None:
    path.write_text('[table]\nmin = 1\npaytable_file = "none.toml"\n')
    with pytest.raises(ConfigError, match=r"line 3: table\.paytable_file: there is no file .*none\.toml"):
        load_config(path, INSTALLED)


def test_a_mark_before_the_text_is_no_mistake(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf[table]\nmin = 7\n")
    assert load_config(path, INSTALLED)[0].table.min == 7


def test_nesting_without_end_is_an_error_like_any_other(path: Path) -> None:
    path.write_text("a = " + "[" * 5000 + "]" * 5000)
    with pytest.raises(ConfigError, match="nested too deeply"):
        load_config(path, INSTALLED)


@pytest.mark.parametrize("content", [b"\xff\xfe[table]", None])
def test_a_file_that_cannot_be_read(path: Path, content: bytes | None) -> None:
    """A missing file and a binary file have different errors."""
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    expected = "No such file or directory. Check --config." if content is None else "is not UTF-8 text"
    with pytest.raises(ConfigError, match=expected):
        load_config(path, INSTALLED)


@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("", ("a",), 1),
        ("a = 1\nb = 2", ("b",), 2),
        ("[t]\n'a b' = 1", ("t", "a b"), 2),
        ("[t]\na.b = 1", ("t", "a", "b"), 2),
        ("[[p]]\nx = 1\n[[p]]\nx = 2", ("p", 1, "x"), 4),
        ("[[p]]\n[p.q]\nx = 1\n[[p]]\n[p.q]\nx = 2", ("p", 1, "q", "x"), 6),
        ('a = """\nb = 1\n"""\nb = 2', ("b",), 4),
        ("# b = 1\nb = 2", ("b",), 2),
    ],
)
def test_lines_of_keys(text: str, path: tuple[str | int, ...], line: int) -> None:
    """The line of a key in tables, lists of tables, dotted and quoted keys; not in strings or comments."""
    assert line_of(text, path) == line


def test_a_game_of_the_command_line_that_is_none_is_not_looked_for_in_a_file() -> None:
    with pytest.raises(ConfigError, match=r"^There is no game 'bridge' here\. Choose one of "):
        load_config(None, INSTALLED, "bridge")


@pytest.mark.parametrize(
    ("content", "german"),
    [
        ("[table]\ngame = 'holdem'\n[holdem]\nsmall_blind = 100\nbig_blind = 50\n",
         "Der Small Blind ist nicht größer als der Big Blind. Einen von beiden berichtigen."),
        ("[table]\ngame = 'holdem'\n[holdem]\nsmall_blind = 30\n",
         "30 lässt sich mit Chips zu 25 nicht legen. Eines von beiden berichtigen."),
        ("[table.paytable.cut]\n6 = '12:1'\n",
         "cut/6 zahlt 12:1, das lässt den Spielern einen Vorteil von 31.17%. Den Preis senken, oder insist = true "
         "unter [table] schreiben."),
        ("[table.paytable.cut]\n6 = '12:1'\n5 = '12:1'\n", "Ebenso 1 weiterer Einsatz. Den Preis senken"),
        (None, "lässt sich nicht lesen: Die Datei oder den Ordner gibt es nicht. --config prüfen."),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_in_the_language_of_the_page_that_asks(
    path: Path, content: str | None, german: str
) -> None:
    """Regression: errors about blinds, prices and a missing file were in English on a German page."""
    if content is None:
        path.unlink()
    else:
        path.write_text(content)
    with pytest.raises(ConfigError) as refused:
        load_config(path, INSTALLED)
    assert german in Translator(INSTALLED.packages)(refused.value.message, "de")

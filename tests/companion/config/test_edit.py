"""Editing the configuration: the owner's text is preserved, and nothing invalid is written."""

from pathlib import Path

import pytest

from companion.config.edit import edited, save_changes
from companion.config.file import ConfigError, load_config
from companion.testing import INSTALLED

OWNERS = """# Aubrey's table, since 2019
[table]
game = "rochi"       # on Fridays
min = 2

# prices that my uncle insists on
[table.paytable.cut]
6 = "8:1"

[[players]]
name = "Aubrey"
coins = 100
"""


def test_comments_order_and_what_was_not_touched_stay() -> None:
    text = edited(OWNERS, {"table.game": "roche", "table.max": 50, "rugen-house.late_chain": True})
    for line in OWNERS.splitlines():
        assert (line in text) != line.startswith("game"), line
    assert 'game = "roche"       # on Fridays' in text
    assert text.index("# Aubrey") < text.index("[table]") < text.index("my uncle") < text.index("[[players]]")
    assert "[rugen-house]\nlate_chain = true" in text


def test_none_takes_a_key_out() -> None:
    assert "min" not in edited(OWNERS, {"table.min": None, "table.cap": None, "camera.source": None})


def test_the_file_is_written_whole_with_its_rights_and_means_what_was_asked(tmp_path: Path) -> None:
    path = tmp_path / "companion.toml"
    path.write_text(OWNERS)
    path.chmod(0o640)
    config = save_changes(path, {"table.game": "roche", "table.min": 5}, INSTALLED)
    assert (config.table.game, config.table.min) == ("roche", 5)
    assert load_config(path, INSTALLED)[0] == config
    assert path.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["companion.toml"]


def test_a_new_file_is_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "companion.toml"
    save_changes(path, {"table.game": "captains"}, INSTALLED)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().startswith("# The table companion's settings.")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"table.game": "whist"}, "companion.toml, line 3: table.game: there is no game 'whist'"),
        ({"table.game": "roche", "table.max": 1}, "the minimum 2 is above the maximum 1"),
        ({"table.min": "much"}, "table.min: this should be a valid integer, not 'much'"),
        ({"table.colour": "red"}, "table.colour: there is no such key"),
        ({"rochi.leader": 9}, "rochi.leader"),
    ],
)
def test_what_cannot_be_used_is_named_and_not_written(tmp_path: Path, changes: dict[str, object], says: str) -> None:
    path = tmp_path / "companion.toml"
    path.write_text(OWNERS)
    with pytest.raises(ConfigError) as told:
        save_changes(path, changes, INSTALLED)
    assert says in str(told.value)
    assert path.read_text() == OWNERS
    assert [file.name for file in tmp_path.iterdir()] == ["companion.toml"]


def test_a_broken_file_is_not_made_worse(tmp_path: Path) -> None:
    path = tmp_path / "companion.toml"
    path.write_text("[table\n")
    with pytest.raises(ConfigError, match="Correct it by hand"):
        save_changes(path, {"table.min": 5}, INSTALLED)
    assert path.read_text() == "[table\n"

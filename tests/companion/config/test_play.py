"""``[play]``: responsible play."""

from pathlib import Path

import pytest

from companion.config.file import ConfigError, load_config
from companion.testing import INSTALLED


def loaded(folder: Path, text: str):
    path = folder / "companion.toml"
    path.write_text(text)
    return load_config(path, INSTALLED)[0].settings


def test_by_default_there_are_reminders_and_no_limit() -> None:
    settings = load_config(None, INSTALLED)[0].settings
    assert (settings.remind_minutes, settings.most_brought, settings.notice) == (60, 0, None)


def test_the_table_gets_what_the_file_says(tmp_path: Path) -> None:
    settings = loaded(tmp_path, '[play]\nremind_minutes = 0\nmost_brought = 300\nnotice = "Only fun."\n')
    assert (settings.remind_minutes, settings.most_brought, settings.notice) == (0, 300, "Only fun.")


@pytest.mark.parametrize("wrong", ["remind_minutes = -1", "most_brought = -5", 'notice = " "', 'notice = "a\\nb"'])
def test_what_cannot_be_is_refused_with_its_line(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(ConfigError, match=f"line 2: play.{wrong.split()[0]}"):
        loaded(tmp_path, f"[play]\n{wrong}\n")


def test_nobody_comes_with_more_than_they_may_bring(tmp_path: Path) -> None:
    text = '[play]\nmost_brought = 99\n[[players]]\nname = "Ann"\ncoins = 100\n'
    with pytest.raises(ConfigError, match=r"players\.1\.coins: a player may bring at most 99 coins"):
        loaded(tmp_path, text)

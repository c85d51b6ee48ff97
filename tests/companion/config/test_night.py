"""``[[night]]``: the plan of a casino night, checked before anything starts."""

from pathlib import Path

import pytest

from companion.config.file import ConfigError, parse_config, planned_keys
from companion.service.night import Planned
from companion.testing import INSTALLED

PLAN = """\
[table]
game = "roche"

[[night]]
game = "roche"
at = "20:00"

[[night]]
game = "rugen-house"
minutes = 60
options = { chain_day_night = "own", bank = 500 }

[[night]]
game = "roulette"
at = "21:30"
options = { wheel = "american" }
"""


def test_games_with_times_and_options() -> None:
    """Absolute and relative times; options map to the keys that the set-up page would write."""
    config, header = parse_config(Path("x.toml"), PLAN, INSTALLED)
    assert header.game == "roche"
    assert [one.minutes for one in config.plan] == [0, 60, 0]
    assert isinstance(config.plan[0], Planned)
    keys = planned_keys(config.night[1], INSTALLED["rugen-house"])
    assert keys == {"rugen-house.chain_day_night": "own", "table.bank": 500}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"roulette"', '"poker"', "line 14: night.3.game: there is no game 'poker' to run"),
        ("american", "martian", "line 16: night.3.options: this should be 'european' or 'american'"),
        ("wheel", "whee", "night.3.options.whee: there is no such key. Known here: "),
        ('at = "20:00"', "minutes = 5", "line 6: night.1.minutes: the first game needs a time"),
        ('at = "21:30"', 'at = "20:30"', "line 15: night.3.at: the games' times are not one after the other"),
        ('at = "21:30"', "", "night.3: this should have either at"),
        ('at = "21:30"', 'at = "24:30"', "line 15: night.3.at: "),
        ("bank = 500", "min = 9, max = 3", "the minimum 9 is above the maximum 3"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(old: str, new: str, told: str) -> None:
    """An invalid plan is refused at the start, not in the middle of the night."""
    with pytest.raises(ConfigError) as error:
        parse_config(Path("x.toml"), PLAN.replace(old, new), INSTALLED)
    assert told in error.value.message

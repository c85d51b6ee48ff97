"""Kill real tables of any game: before each write, sync and rename in its turn, and at random moments."""

import random
from pathlib import Path

import pytest

from companion.app.torture.command_fuzzer import new_header
from companion.app.torture.crash_test import CrashTest, CrashTestResult
from companion.journal.store import FILE_NAME
from companion.testing import INSTALLED

GAMES = sorted(INSTALLED)
KILLS = 42
"""Of each game: some five hundred of all."""


def killed(folder: Path, game: str, kills: int) -> CrashTestResult:
    crash_test = CrashTest(folder / FILE_NAME, new_header(INSTALLED[game], random.Random(game)), INSTALLED, seed=1)
    for number in range(kills):
        crash_test.kill(number)
    return crash_test.result


def test_nine_kills(tmp_path: Path) -> None:
    """Six at the first boundaries of a journal's life, three at random moments."""
    told = killed(tmp_path, GAMES[0], 9)
    assert (told.kills, told.at_boundaries) == (9, 6)
    assert told.acknowledged > 10


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_every_game_killed_at_its_boundaries(tmp_path: Path, game: str) -> None:
    told = killed(tmp_path, game, KILLS)
    assert told.acknowledged > KILLS

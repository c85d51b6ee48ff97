"""A long evening leaves memory, threads and files as they are; what grows is found."""

from dataclasses import replace

import pytest

from companion.testing import INSTALLED
from tools.soak import MAX_BYTES, Look, main, soak, wrong_with

GAME = sorted(INSTALLED)[0]


def test_half_an_hour_leaves_threads_and_files(capsys: pytest.CaptureFixture[str]) -> None:
    looks = list(soak(0.5, GAME, INSTALLED))
    assert looks[-1].hour == pytest.approx(0.5, abs=0.01)
    assert looks[-1].commands > 30
    assert (looks[-1].threads, looks[-1].handles) == (looks[0].threads, looks[0].handles)
    main(["--hours", "0.01", "--game", GAME])
    assert "open files" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("grown", "said"),
    [
        ({"memory": 100 * (MAX_BYTES + 1)}, "each command costs"),
        ({"threads": 2}, "threads went from 1 to 2"),
        ({"handles": 12}, "open files from 10 to 12"),
    ],
)
def test_what_grows_is_said(grown: dict[str, int], said: str) -> None:
    first = Look(0.0, 0, 0, 1, 10)
    last = replace(first, hour=8.0, commands=100)
    assert wrong_with([first, first, first, last]) is None
    assert said in (wrong_with([first, first, first, replace(last, **grown)]) or "")

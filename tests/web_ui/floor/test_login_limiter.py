"""How wrong PINs are counted at the floor."""

import time

import pytest

from companion.floor.errors import FloorError
from web_ui.floor.login_limiter import MAX_KNOWN, LoginLimiter


def guessed(guesses: LoginLimiter, address: str, whose: str, times: int = 1) -> None:
    for _ in range(times):
        guesses.is_right(address, whose, lambda: False)


def test_waits_are_of_time_that_has_passed():
    """The network tells the floor what time it is, and somebody in it may: a clock that is set would end all waits."""
    assert abs(LoginLimiter()._clock() - time.monotonic()) < 60


def test_an_address_has_so_many_guesses_of_all_people_together():
    """Names that nobody has push out no count: whoever knows one PIN could else make room for more guesses."""
    guesses = LoginLimiter()
    guesses.know("10.0.0.7")
    for number in range(40):
        guessed(guesses, "10.0.0.7", f"nobody {number}")
    with pytest.raises(FloorError, match="Too many wrong guesses"):
        guesses.is_right("10.0.0.7", "Olga", lambda: True)
    assert guesses.is_right("10.0.0.8", "Olga", lambda: True)


def test_the_latest_addresses_are_known():
    guesses = LoginLimiter()
    for number in range(MAX_KNOWN + 1):
        guesses.know(f"10.0.{number // 256}.{number % 256}")
        guesses.know("10.9.9.9")
    for number in range(40):
        guessed(guesses, f"10.1.0.{number}", "Olga")
    assert guesses.is_right("10.9.9.9", "Olga", lambda: True)
    with pytest.raises(FloorError):
        guesses.check("10.0.0.0", "Olga")

"""The golden suite's option, its house, and what was recorded in this run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import recorder
from goldens import Goldens
from product import House
from recorder import Recording

MEMORY: Final = Path("/dev/shm")
"""A fast disk: what is written is the same, and the suite waits less for each command's commit."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture(scope="session")
def goldens(request: pytest.FixtureRequest) -> Goldens:
    wanted = request.config.getoption("--update-golden", default=False) or bool(os.environ.get("UPDATE_GOLDEN"))
    return Goldens(update=wanted)


@pytest.fixture(scope="session")
def house() -> Iterator[House]:
    with tempfile.TemporaryDirectory(prefix="golden-", dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield House(Path(folder))


class Recordings:
    """Each script is played once in a run."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._made: dict[str, Recording] = {}

    def __getitem__(self, name: str) -> Recording:
        if name not in self._made:
            self._made[name] = recorder.record(name, self._house)
        return self._made[name]


@pytest.fixture(scope="session")
def recordings(house: House) -> Recordings:
    return Recordings(house)

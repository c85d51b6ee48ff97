"""The golden suite's command-line option, shared `House`, and recordings of this run."""

import os
import pickle
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

import pytest
import recorder
from goldens import Goldens
from product import House
from recorder import Recording

MEMORY: Final = Path("/dev/shm")
"""A RAM disk: the same output with shorter waits for commits."""


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
    """Plays each script once per run; parallel test processes share the recordings."""

    def __init__(self, house: House, shared: Path) -> None:
        self._house, self._shared = house, shared
        self._made: dict[str, Recording] = {}

    def __getitem__(self, name: str) -> Recording:
        if name not in self._made:
            self._made[name] = self._found(self._shared / f"{name.replace('/', '--')}.pickle", name)
        return self._made[name]

    def _found(self, kept: Path, name: str) -> Recording:
        if kept.exists():
            return cast(Recording, pickle.loads(kept.read_bytes()))
        made = recorder.record(name, self._house)
        unfinished = kept.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(pickle.dumps(made))
        unfinished.replace(kept)
        return made


@pytest.fixture(scope="session")
def recordings(house: House, tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Recordings:
    own = tmp_path_factory.getbasetemp()
    shared = (own if worker_id == "master" else own.parent) / "recordings"
    shared.mkdir(exist_ok=True)
    return Recordings(house, shared)

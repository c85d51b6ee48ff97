"""Every input that a fuzzer has ever learned from, or a bug was found with, is taken or refused as it should be."""

import gc
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from entry_points import ENTRY_POINTS, closing

CORPUS: Final = Path(__file__).parent / "corpus"
SLOWEST_S: Final = 1.0
MAX_GROWTH_BYTES: Final = 8 << 20


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    with closing():
        yield


def inputs(name: str) -> list[Path]:
    return sorted(path for path in (CORPUS / name).iterdir() if path.is_file())


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_no_input_crashes_an_entry_point_or_takes_a_second(name: str) -> None:
    assert len(inputs(name)) >= 10
    ENTRY_POINTS[name](b"")  # imports, and opens the table
    for path in inputs(name):
        took = _took_s(name, path)
        if took >= SLOWEST_S:  # what an entry point makes once, as the API's description, is no input's fault
            took = _took_s(name, path)
        assert took < SLOWEST_S, path


def _took_s(name: str, path: Path) -> float:
    began = time.thread_time()
    try:
        ENTRY_POINTS[name](path.read_bytes())
    except Exception as error:
        error.add_note(f"for {path}")
        raise
    return time.thread_time() - began


@pytest.mark.thorough
@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_nothing_is_kept_of_an_input(name: str) -> None:
    """Twice the inputs leave no more in memory than once."""
    contents = [path.read_bytes() for path in inputs(name)]
    sizes = []
    for _ in range(3):
        for data in contents:
            ENTRY_POINTS[name](data)
        gc.collect()
        sizes.append(_resident_bytes())
    assert sizes[2] - sizes[1] < MAX_GROWTH_BYTES


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_every_folder_of_the_corpus_belongs_to_an_entry_point() -> None:
    assert {path.name for path in CORPUS.iterdir()} == set(ENTRY_POINTS)

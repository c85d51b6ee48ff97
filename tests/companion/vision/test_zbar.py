"""The fallback decoder's process may hang, crash or be missing without an effect on the table."""

import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from companion.vision import ZbarRescue
from companion.vision.frame import to_gray

READY = "import sys,struct,time,os; o=sys.stdout.buffer; o.write(struct.pack('<I',5)+b'ready'); o.flush(); "
CROP = np.full((300, 300), 200, np.uint8)


def child(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_code_is_read_in_the_child(pictures: dict[str, np.ndarray]) -> None:
    with ZbarRescue(deadline_s=5.0) as rescue:
        if not rescue.available:
            pytest.skip("ZBar's library is not installed here")
        text = rescue(np.ascontiguousarray(to_gray(pictures["6D3"])[60:470, 280:690]))
        assert text is not None
        assert text.startswith("6D3K7QX")
        assert rescue(CROP) is None
        assert rescue(np.zeros((0, 5), np.uint8)) is None
        assert rescue.restarts == 0


@pytest.mark.parametrize("habit", ["time.sleep(99)", "sys.stdin.buffer.read(9); time.sleep(99)"])
def test_a_child_that_hangs_is_killed_in_time_and_started_again(tmp_path: Path, habit: str) -> None:
    note = tmp_path / "pids"
    code = f"{READY} open({str(note)!r},'a').write(str(os.getpid())+'\\n'); {habit}"
    with ZbarRescue(deadline_s=0.2, command=child(code)) as rescue:
        assert rescue.available
        start = time.monotonic()
        assert rescue(CROP) is None
        assert time.monotonic() - start < 2.0
        assert rescue(CROP) is None
        assert rescue.restarts == 2
    first, second = (int(line) for line in note.read_text().split())
    assert first != second
    assert not alive(first)
    assert not alive(second)


@pytest.mark.parametrize(
    "end",
    [
        "os.abort()",
        "sys.exit(0)",
        "sys.stdin.buffer.read(9); os.abort()",
        "o.write(b'\\xff'*64); o.flush(); time.sleep(9)",
    ],
)
def test_a_child_that_crashes_or_talks_nonsense_costs_one_answer(end: str) -> None:
    with ZbarRescue(deadline_s=0.5, command=child(READY + end)) as rescue:
        assert rescue(CROP) is None
        assert rescue(CROP) is None


def test_without_the_library_the_rescue_is_absent_and_is_not_tried_again() -> None:
    code = "import sys,struct; sys.stdout.buffer.write(struct.pack('<I',6)+b'absent')"
    with ZbarRescue(command=child(code)) as rescue:
        assert not rescue.available
        start = time.monotonic()
        assert [rescue(CROP) for _ in range(50)] == [None] * 50
        assert time.monotonic() - start < 0.2


def test_a_child_that_cannot_start_is_no_trouble() -> None:
    with ZbarRescue(command=("/nowhere/at/all",)) as rescue:
        assert not rescue.available
        assert rescue(CROP) is None


def test_an_impatient_caller_does_not_wait_for_the_start() -> None:
    code = "import time; time.sleep(0.5); " + READY + "time.sleep(9)"
    with ZbarRescue(patience_s=0.0, command=child(code)) as rescue:
        start = time.monotonic()
        assert rescue(CROP) is None
        assert time.monotonic() - start < 0.4


def test_closing_twice_is_fine_and_ends_the_child() -> None:
    rescue = ZbarRescue(command=child(READY + "time.sleep(99)"))
    assert rescue.available
    rescue.close()
    rescue.close()
    assert not rescue.available

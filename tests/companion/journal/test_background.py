"""The background worker."""

import threading

from companion.journal.background import Background


def test_one_thing_at_a_time_in_a_thread_that_keeps_no_program_from_its_end() -> None:
    """A USB stick that hangs must not block the table's shutdown."""
    may_end, done = threading.Event(), []
    worker = Background("witness")
    assert not worker.is_busy
    worker.wait(0)
    worker.do(lambda: done.append(may_end.wait(60)))
    (thread,) = (one for one in threading.enumerate() if one.name == "witness")
    assert thread.daemon
    worker.wait(0.01)
    assert (worker.is_busy, done) == (True, [])
    may_end.set()
    worker.wait(60)
    assert (worker.is_busy, done) == (False, [True])

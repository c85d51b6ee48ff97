"""What several threads publish at once: nothing is lost."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from service_words import do

from companion.kernel.table import Table
from companion.service.question_queue import QuestionQueue
from companion.service.questions import Question
from companion.service.settings import TableSettings
from companion.service.table_service import TableService


def during(call: Callable[..., Any], other: Callable[[], object]) -> tuple[Callable[..., Any], list[threading.Thread]]:
    """Return the function with another thread's action in its first call, after its result is known.

    The action may have to wait until the caller has published.
    """
    threads: list[threading.Thread] = []

    def interrupted(*args: Any) -> Any:
        result = call(*args)
        if not threads:
            threads.append(threading.Thread(target=other))
            threads[0].start()
            threads[0].join(0.3)
        return result

    return interrupted, threads


def test_settings_that_change_while_a_command_is_published(
    service: TableService, monkeypatch: pytest.MonkeyPatch
) -> None:
    transfers = Table.latest_transfers.fget  # type: ignore[attr-defined]
    interrupted, threads = during(transfers, lambda: service.set_settings(TableSettings(practice=True)))
    monkeypatch.setattr(Table, "latest_transfers", property(interrupted))
    do(service, "bet Ann cut/2 10")
    threads[0].join()
    assert (service.settings.practice, service.view()["staked"]) == (True, 10)


def test_two_sources_that_ask_at_once(service: TableService, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the second question would be open, but never shown."""
    one, two = (Question(id_, "unsure", "?", ()) for id_ in ("one", "two"))
    interrupted, threads = during(QuestionQueue.to_json, lambda: service.set_questions("panel", [two]))
    monkeypatch.setattr(QuestionQueue, "to_json", interrupted)
    service.set_questions("camera", [one])
    threads[0].join()
    assert [question["id"] for question in service.view("dealer")["questions"]] == ["one", "two"]

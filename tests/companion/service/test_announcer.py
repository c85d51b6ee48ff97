"""Voice announcements: news before prompts, never anything stale."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from companion.kernel.errors import CompanionError
from companion.kernel.events import BoughtIn
from companion.service.announcer import STALE_S, Announcer
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.testing import say as translated


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Mouth:
    """Records the sentences that it is to speak; can fail."""

    said: list[tuple[str, str]] = field(default_factory=list)
    fails: bool = False

    def __call__(self, text: str, language: str) -> None:
        if self.fails:
            raise CompanionError("No sound device.")
        self.said.append((text, language))


@dataclass
class Still:
    """A service with the view that the test sets."""

    shown: dict[str, Any] = field(default_factory=dict)
    version: int = 1

    def glance(self) -> dict[str, Any]:
        return self.shown

    def wait(self, after_version: int, timeout_s: float) -> int:
        return self.version


def view(seq: int, text: str, prompt: str = "") -> dict[str, Any]:
    return {"log": [{"seq": seq, "kind": "command", "text": text}], "prompt": prompt, "questions": []}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def mouth() -> Mouth:
    return Mouth()


@pytest.fixture
def announcer(clock: Clock, mouth: Mouth) -> Announcer:
    made = Announcer(Still(view(1, "Ann sits down")), mouth, translated, clock=clock)
    made.set(True, "en")
    return made


def speak_all(announcer: Announcer) -> None:
    while announcer.turn():
        pass


def test_it_says_what_happened_and_then_what_to_do(announcer: Announcer, mouth: Mouth) -> None:
    announcer.hear(view(2, "Kin day 3 dealt: 1 of 6", "Deal the next card"))
    speak_all(announcer)
    assert [text for text, _ in mouth.said] == ["Kin day 3 dealt: 1 of 6", "Deal the next card"]


def test_all_that_a_command_brought_about_is_said_and_numbers_in_a_row_are_no_sum(
    announcer: Announcer, mouth: Mouth
) -> None:
    """That the bank passes to Bo must not hide the deciding throw and who pays."""
    lines = ["Bo throws 4-4-4, a triple", "4-4-4: Ann pays 3 times the bets. Bo gets 15", "Bo has the bank"]
    log = [{"seq": 2, "kind": "command", "text": "Bo bets 5"}]
    log += [{"seq": 3, "kind": "command", "text": line} for line in lines]
    announcer.hear({"log": log, "prompt": "How much is it?", "questions": []})
    speak_all(announcer)
    assert [text for text, _ in mouth.said] == [
        "Bo throws 4, 4, 4, a triple", "4, 4, 4: Ann pays 3 times the bets. Bo gets 15", "Bo has the bank",
        "How much is it?",
    ]  # fmt: skip


def test_what_was_said_before_is_not_said_again(announcer: Announcer, mouth: Mouth) -> None:
    announcer.hear(view(2, "Ann folds", "Deal"))
    speak_all(announcer)
    announcer.hear(view(2, "Ann folds", "Deal"))
    speak_all(announcer)
    assert len(mouth.said) == 2


def test_ten_cards_while_a_sentence_is_spoken_leave_only_the_newest(announcer: Announcer, mouth: Mouth) -> None:
    for seq in range(2, 12):
        announcer.hear(view(seq, f"card {seq}"))
    speak_all(announcer)
    assert mouth.said == [("card 11", "en")]


def test_what_has_waited_too_long_is_dropped(announcer: Announcer, mouth: Mouth, clock: Clock) -> None:
    announcer.hear(view(2, "old news"))
    clock.now += STALE_S + 0.1
    speak_all(announcer)
    assert mouth.said == []


def test_it_speaks_the_chosen_language(announcer: Announcer, mouth: Mouth) -> None:
    announcer.set(True, "de")
    announcer.hear(view(2, BoughtIn("Aubrey", 50).sentence))
    speak_all(announcer)
    assert mouth.said == [("Aubrey kauft sich für 50 ein", "de")]


def test_switched_off_it_keeps_quiet_and_forgets(announcer: Announcer, mouth: Mouth) -> None:
    announcer.hear(view(2, "Ann folds"))
    announcer.set(False, "en")
    announcer.hear(view(3, "Bob folds"))
    speak_all(announcer)
    announcer.set(True, "en")
    speak_all(announcer)
    assert mouth.said == []


def test_a_question_that_blocks_is_the_prompt(announcer: Announcer, mouth: Mouth) -> None:
    asked = {**view(1, "Ann sits down", "Deal"), "questions": [{"text": "Kin 6D3 or 6D5?", "blocks": True}]}
    announcer.hear(asked)
    speak_all(announcer)
    assert mouth.said == [("Kin 6D3 or 6D5?", "en")]


def test_without_sound_it_complains_once_and_rests(announcer: Announcer, mouth: Mouth, clock: Clock) -> None:
    mouth.fails = True
    announcer.hear(view(2, "Ann folds"))
    speak_all(announcer)
    mouth.fails = False
    announcer.hear(view(3, "Bob folds"))
    speak_all(announcer)
    clock.now += 61
    announcer.hear(view(4, "Cid folds"))
    speak_all(announcer)
    assert [text for text, _ in mouth.said] == ["Cid folds"]


def test_a_real_table_speaks_through_its_threads(tmp_path: Path, mouth: Mouth) -> None:
    with (
        TableService.open(tmp_path / "j.db", new_header("roche", (("Ann", 50),)), INSTALLED) as service,
        Announcer(service, mouth, translated).start() as announcer,
    ):
        announcer.set(True, "es")
        service.submit({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 5}, source="test")
        wait_until(lambda: len(mouth.said) >= 1)
    assert mouth.said[0] == ("Ann apuesta 5 a corte de Linaje", "es")


def wait_until(is_so: Callable[[], bool], seconds: float = 20) -> None:
    import time

    ends = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < ends
        time.sleep(0.02)


# ---- the pay sheet


def paying(seq: int, sheet: str, *steps: str, paid: tuple[str, ...] = (), prompt: str = "Deal") -> dict[str, Any]:
    lines = [{"key": step, "kind": "pay", "says": f"Pay {step}"} for step in steps]
    return view(seq, f"command {seq}", prompt) | {
        "pay_sheet": {"id": sheet, "is_past": False, "steps": lines, "paid": paid}
    }


def words(mouth: Mouth) -> list[str]:
    return [text for text, _ in mouth.said]


def test_payments_are_said_in_order_behind_what_happened_and_before_what_comes_next(
    announcer: Announcer, mouth: Mouth, clock: Clock
) -> None:
    """Six payments take longer than `STALE_S`, and are all announced."""
    announcer.hear(paying(2, "7-a", *"ABCDEF"))
    for _ in range(8):
        announcer.turn()
        clock.now += STALE_S
    assert words(mouth) == ["command 2", *(f"Pay {name}" for name in "ABCDEF"), "Deal"]
    announcer.hear(paying(2, "7-a", *"ABCDEF", paid=("A",)))
    speak_all(announcer)
    assert len(mouth.said) == 8, "a tick is no news"


def test_what_is_ticked_meanwhile_is_not_said_and_news_do_not_push_payments_out(
    announcer: Announcer, mouth: Mouth
) -> None:
    announcer.hear(paying(2, "7-a", "A", "B", "C"))
    announcer.turn()
    announcer.turn()
    announcer.hear(paying(3, "7-a", "A", "B", "C", paid=("A", "B")))
    speak_all(announcer)
    assert words(mouth) == ["command 2", "Pay A", "command 3", "Pay C", "Deal"]


@pytest.mark.parametrize("after", [view(3, "Undone", "Deal"), paying(3, "9-b", "D")])
def test_nobody_is_told_to_pay_what_was_undone(announcer: Announcer, mouth: Mouth, after: dict[str, Any]) -> None:
    announcer.hear(paying(2, "7-a", "A", "B"))
    announcer.turn()
    announcer.hear(after)
    speak_all(announcer)
    assert not {"Pay A", "Pay B"} & set(words(mouth))


def test_a_sheet_that_is_left_over_is_not_said_again(announcer: Announcer, mouth: Mouth) -> None:
    announcer.hear(paying(2, "7-a", "A", "B"))
    speak_all(announcer)
    said = len(mouth.said)
    left = paying(3, "7-a", "A", "B", paid=("A",))
    left["pay_sheet"]["is_past"] = True
    announcer.hear(left)
    speak_all(announcer)
    assert words(mouth)[said:] == ["command 3"]

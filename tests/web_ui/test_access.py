"""PIN, seat codes, and the wait after wrong guesses."""

from __future__ import annotations

import json
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from web_ui.access.lockout import (
    ADDRESSES_KEPT,
    FREE_GUESSES,
    FREE_GUESSES_TOGETHER,
    TOGETHER,
    after_right,
    after_wrong,
    wait_s,
)
from web_ui.access.store import AccessError, AccessStore, spaced

HERE = "192.168.1.20"


def wrong(store: AccessStore, times: int, address: str = HERE) -> None:
    for _ in range(times):
        with pytest.raises(AccessError):
            store.check_pin("9999", address)


def test_there_is_no_pin_before_somebody_chose_one(tmp_path: Path) -> None:
    store = AccessStore(tmp_path)
    assert not store.has_pin
    with pytest.raises(AccessError) as refused:
        store.check_pin("0000", HERE)
    assert refused.value.code == "not-set-up"


def test_the_first_pin_needs_the_terminals_code(tmp_path: Path) -> None:
    store = AccessStore(tmp_path)
    with pytest.raises(AccessError):
        store.choose_first_pin("ABCD2345", "4711", HERE)
    assert store.setup_code is not None
    store.choose_first_pin(f" {spaced(store.setup_code).lower()} ", "4711", HERE)
    store.check_pin("4711", HERE)
    with pytest.raises(AccessError) as again:
        store.choose_first_pin("ABCD2345", "1234", HERE)
    assert again.value.code == "already-set-up"


@pytest.mark.parametrize("pin", ["", "123", "1234567890123", "12a4", "１２３４", "1111", " 1234", "1234\n"])
def test_a_pin_has_four_to_twelve_digits(access: AccessStore, pin: str) -> None:
    with pytest.raises(AccessError) as refused:
        access.set_pin(pin)
    assert refused.value.code == "bad-pin"
    access.check_pin("4711", HERE)


def test_five_wrong_guesses_lock_and_tell_how_long(access: AccessStore, clock: Any) -> None:
    wrong(access, FREE_GUESSES)
    with pytest.raises(AccessError) as locked:
        access.check_pin("4711", HERE)  # even the right one has to wait
    assert (locked.value.code, locked.value.retry_after_s) == ("locked", 30)
    assert locked.value.message == "Too many wrong guesses. Wait 30 seconds, then try again."
    clock.now += 30
    access.check_pin("4711", HERE)


def test_each_further_wrong_guess_doubles_the_wait(access: AccessStore, clock: Any) -> None:
    wrong(access, FREE_GUESSES)
    clock.now += 30
    wrong(access, 1)
    with pytest.raises(AccessError) as locked:
        access.check_pin("4711", HERE)
    assert locked.value.retry_after_s == 60


def test_a_lock_survives_a_restart(access: AccessStore, clock: Any, tmp_path: Path) -> None:
    wrong(access, FREE_GUESSES)
    with pytest.raises(AccessError) as locked:
        AccessStore(tmp_path, clock=clock).check_pin("4711", HERE)
    assert locked.value.code == "locked"


def test_another_address_is_not_locked_but_all_together_are_counted() -> None:
    book: dict[str, Any] = {}
    for i in range(FREE_GUESSES_TOGETHER):
        assert wait_s(book, f"10.0.0.{i}", 100.0) == 0
        book = after_wrong(book, f"10.0.0.{i}", 100.0)
    assert wait_s(book, "10.0.1.1", 100.0) == 30
    assert wait_s(after_right(book, "10.0.1.1"), "10.0.1.1", 100.0) == 0


def test_the_book_of_guesses_stays_small() -> None:
    book: dict[str, Any] = {}
    for i in range(ADDRESSES_KEPT + 50):
        book = after_wrong(book, f"host{i}", float(i))
    assert len(book) == ADDRESSES_KEPT
    assert TOGETHER in book


def test_many_guesses_at_once_get_no_more_than_one_after_another(access: AccessStore) -> None:
    codes: list[str] = []

    def guess() -> None:
        try:
            access.check_pin("9999", HERE)
        except AccessError as error:
            codes.append(error.code)

    threads = [threading.Thread(target=guess) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes.count("wrong-code") <= FREE_GUESSES - 1
    assert len(codes) == 20


def test_a_known_pin_helps_no_guesser(access: AccessStore) -> None:
    """It opens nothing from where it was never shown, nor from where somebody has to wait."""
    access.check_pin("4711", HERE)
    assert access.is_known_pin("4711", HERE)
    assert not access.is_known_pin("4711", "10.0.0.99")
    for _ in range(FREE_GUESSES):
        with pytest.raises(AccessError) as refused:
            access.check_pin("9999", HERE)
        assert refused.value.is_guess
    assert not access.is_known_pin("4711", HERE)
    with pytest.raises(AccessError) as refused:
        access.check_pin("4711", HERE)
    assert (refused.value.code, refused.value.is_guess) == ("locked", False)


def test_a_known_pin_works_on_while_others_are_locked_out(access: AccessStore) -> None:
    access.check_pin("4711", HERE)
    for number in range(FREE_GUESSES_TOGETHER):
        with pytest.raises(AccessError):
            access.check_pin("9999", f"10.0.1.{number}")
    assert access.is_known_pin("4711", HERE)


def test_a_known_pin_is_forgotten_when_it_changes(access: AccessStore) -> None:
    access.check_pin("4711", HERE)
    assert access.is_known_pin("4711", HERE)
    epoch = access.epoch
    access.set_pin("80085")
    assert not access.is_known_pin("4711", HERE)
    assert access.epoch == epoch + 1
    with pytest.raises(AccessError):
        access.check_pin("4711", HERE)


def test_a_seats_code_works_once(access: AccessStore) -> None:
    code = access.seat_code(1)
    assert access.seat_code(1) == code
    access.use_seat_code(1, code, HERE)
    with pytest.raises(AccessError):
        access.use_seat_code(1, code, HERE)
    assert access.seat_code(1) != code


def test_a_code_opens_its_own_seat_only(access: AccessStore) -> None:
    code = access.seat_code(1)
    access.seat_code(2)
    with pytest.raises(AccessError):
        access.use_seat_code(2, code, HERE)
    with pytest.raises(AccessError):
        access.use_seat_code(3, "", HERE)


def test_the_file_is_the_owners_and_holds_no_pin(access: AccessStore, tmp_path: Path) -> None:
    file = tmp_path / "access.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "4711" not in json.dumps(json.loads(file.read_text())["pin_hash"])
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".access")] == []


@pytest.mark.parametrize("text", ["", "{", "[]", '{"secret": "short"}', '{"secret": 5}', '{"what": 1}'])
def test_a_broken_file_is_named_with_the_way_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "access.json").write_text(text)
    with pytest.raises(AccessError, match=r"access\.json cannot be used .* choose a new PIN"):
        AccessStore(tmp_path)

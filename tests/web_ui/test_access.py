"""PIN, seat codes, and the lockout after wrong guesses."""

import json
import shutil
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from webclient import full_disk

from companion.journal.backups.backup import make_backup
from companion.journal.backups.restore import restore
from companion.testing import INSTALLED
from web_ui.access.file import LOGIN_CODE_S
from web_ui.access.lockout import (
    FIRST_WAIT_S,
    FORGIVEN_AFTER_S,
    FREE_GUESSES,
    FREE_GUESSES_TOGETHER,
    Guesser,
    after_right,
    after_wrong,
    keys_of,
    wait_s,
)
from web_ui.access.sessions import LIFETIME_S, Session
from web_ui.access.store import AccessError, AccessStore, spaced

ADDRESS = "192.168.1.20"
HERE = Guesser(ADDRESS)
SHARED = Guesser(ADDRESS, "the dealer's browser")


def wrong(store: AccessStore, times: int, who: Guesser = HERE) -> None:
    for _ in range(times):
        with pytest.raises(AccessError):
            store.check_pin("9999", who)


def test_there_is_no_pin_before_somebody_chose_one(tmp_path: Path) -> None:
    store = AccessStore(tmp_path)
    assert not store.has_pin
    with pytest.raises(AccessError) as refused:
        store.check_pin("0000", HERE)
    assert refused.value.code == "not-set-up"


def test_a_new_data_directory_is_made_with_the_folders_above_it(tmp_path: Path) -> None:
    store = AccessStore(tmp_path / "deep" / "data")
    assert (AccessStore(tmp_path / "deep" / "data").setup_code, store.has_pin) == (store.setup_code, False)


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


def test_another_address_is_not_locked_but_all_strangers_together_are_counted() -> None:
    book: dict[str, Any] = {}
    for i in range(FREE_GUESSES_TOGETHER):
        keys = keys_of(Guesser(f"10.0.0.{i}"), {})
        assert wait_s(book, keys, 100.0) == 0
        book = after_wrong(book, keys, 100.0)
    stranger = keys_of(Guesser("10.0.1.1"), {})
    assert wait_s(book, stranger, 100.0) == FIRST_WAIT_S
    assert wait_s(after_right(book, stranger), stranger, 100.0) == 0


def strangers_guess(store: AccessStore) -> None:
    """Guess wrong from enough addresses to lock out unknown guessers."""
    for i in range(FREE_GUESSES_TOGETHER):
        wrong(store, 1, Guesser(f"10.0.0.{i}"))


def test_strangers_lock_nobody_out_who_was_right_before(access: AccessStore) -> None:
    access.check_pin("4711", SHARED)
    strangers_guess(access)
    with pytest.raises(AccessError) as locked:
        access.check_pin("4711", Guesser("10.0.1.1"))
    assert locked.value.code == "locked"
    access.check_pin("4711", HERE)  # the address was right before
    access.check_pin("4711", Guesser("10.9.9.9", SHARED.browser))  # and so was the browser, wherever it is now
    access.check_pin("4711", Guesser("127.0.0.1"))  # and here it is the machine itself


def test_strangers_at_the_dealers_own_address_do_not_lock_the_dealers_browser(access: AccessStore) -> None:
    access.check_pin("4711", SHARED)
    wrong(access, FREE_GUESSES)
    with pytest.raises(AccessError) as locked:
        access.check_pin("4711", HERE)
    assert locked.value.code == "locked"
    access.check_pin("4711", SHARED)


def test_a_browser_that_was_right_before_has_as_many_guesses_as_others(access: AccessStore) -> None:
    access.check_pin("4711", SHARED)
    wrong(access, FREE_GUESSES, SHARED)
    with pytest.raises(AccessError) as locked:
        access.check_pin("4711", Guesser("10.9.9.9", SHARED.browser))
    assert locked.value.code == "locked"


def test_all_of_the_machines_own_addresses_are_counted_as_one(access: AccessStore) -> None:
    """A local program may use any address in 127.0.0.0/8: five guesses from each would find a PIN within minutes."""
    for number in range(FREE_GUESSES):
        wrong(access, 1, Guesser(f"127.0.{number}.1"))
    for address in ("127.9.9.9", "::1", "::ffff:127.0.0.1"):
        with pytest.raises(AccessError) as locked:
            access.check_pin("4711", Guesser(address))
        assert locked.value.code == "locked"
    access.check_pin("4711", SHARED)


def test_a_made_up_mark_spares_nobody(access: AccessStore) -> None:
    for i in range(FREE_GUESSES):
        wrong(access, 1, Guesser(ADDRESS, f"made up {i}"))
    with pytest.raises(AccessError) as locked:
        access.check_pin("4711", Guesser(ADDRESS, "another"))
    assert locked.value.code == "locked"


def test_the_machines_own_code_logs_in_once_whoever_is_locked_out(access: AccessStore, clock: Any) -> None:
    code = access.make_login_code()
    strangers_guess(access)
    stranger = Guesser("10.0.1.1")
    access.check_pin(code, stranger)
    strangers_guess(access)
    with pytest.raises(AccessError):
        access.check_pin(code, Guesser("10.0.1.2"))
    late = access.make_login_code()
    clock.now += LOGIN_CODE_S + FORGIVEN_AFTER_S
    with pytest.raises(AccessError):
        access.check_pin(late, Guesser("10.0.1.3"))


def test_wrong_seat_codes_lock_neither_the_pin_nor_a_right_code(access: AccessStore) -> None:
    for _ in range(FREE_GUESSES + 3):
        with pytest.raises(AccessError) as refused:
            access.use_seat_code(1, "WRONG", HERE)
    assert refused.value.code == "locked"
    access.check_pin("4711", HERE)
    access.use_seat_code(1, access.seat_code(1), HERE)


def test_wrong_pins_lock_no_seat_code(access: AccessStore) -> None:
    wrong(access, FREE_GUESSES)
    with pytest.raises(AccessError) as refused:
        access.use_seat_code(1, "WRONG", HERE)
    assert refused.value.code == "wrong-code"
    access.use_seat_code(1, access.seat_code(1), HERE)


def test_another_process_that_sets_the_pin_is_noticed(access: AccessStore, tmp_path: Path, clock: Any) -> None:
    name = access.begin_session("dealer", HERE)
    wrong(access, FREE_GUESSES)
    AccessStore(tmp_path, clock=clock).set_pin("80085")
    assert access.session(name) is None
    access.check_pin("80085", HERE)


def test_two_processes_do_not_lose_what_the_other_counts(access: AccessStore, tmp_path: Path, clock: Any) -> None:
    other = AccessStore(tmp_path, clock=clock)
    for store in (access, other, access, other, access):
        wrong(store, 1)
    with pytest.raises(AccessError) as locked:
        other.check_pin("4711", HERE)
    assert locked.value.code == "locked"


# ---- sessions


def test_a_session_ends_for_every_copy_of_its_cookie(access: AccessStore, tmp_path: Path, clock: Any) -> None:
    name = access.begin_session("dealer", HERE, agent="Firefox")
    assert AccessStore(tmp_path, clock=clock).session(name) == Session("dealer", None, ADDRESS, "Firefox", clock.now)
    access.end_session(name)
    assert access.session(name) is None
    assert AccessStore(tmp_path, clock=clock).session(name) is None


def test_a_restored_backup_brings_back_no_session_and_no_code(access: AccessStore, tmp_path: Path) -> None:
    """What was ended since the backup stays ended: a phone that was logged out, a code that was used."""
    name, code = access.begin_session("dealer", HERE), access.seat_code(1)
    data, archive = tmp_path / "data", tmp_path / "backup.tar.gz"
    data.mkdir()
    shutil.copy(tmp_path / "access.json", data)
    make_backup(data, archive, INSTALLED)
    restore(archive, data, INSTALLED, force=True)
    restored = AccessStore(data, clock=lambda: 1_000_000.0)
    assert restored.session(name) is None
    assert restored.seat_code(1) != code
    restored.check_pin("4711", HERE)


def test_a_session_is_over_after_an_evening(access: AccessStore, clock: Any) -> None:
    name = access.begin_session("dealer", HERE)
    clock.now += LIFETIME_S
    assert access.session(name) is None
    assert access.all_sessions() == {}


def test_a_new_code_ends_the_sessions_of_that_seat_alone(access: AccessStore) -> None:
    first, second = access.begin_session("seat/1", HERE), access.begin_session("seat/2", HERE)
    access.new_seat_code(1)
    assert access.session(first) is None
    assert access.session(second) is not None


def test_nothing_but_a_sessions_name_is_one(access: AccessStore) -> None:
    access.begin_session("dealer", HERE)
    for name in (None, "", 1, ["dealer"], "dealer"):
        assert access.session(name) is None


# ---- a clock that is set


class SetClock:
    """A system clock that can be set, and a monotonic clock."""

    def __init__(self) -> None:
        self.passed, self.ahead = 50.0, 1_000_000.0

    def __call__(self) -> float:
        return self.passed + self.ahead


@pytest.mark.parametrize("by", [-400_000.0, -90.0, 90.0, 400_000.0])
def test_a_clock_that_is_set_logs_nobody_out_and_ends_no_wait(tmp_path: Path, by: float) -> None:
    """A table without a battery-backed clock gets the right time later; someone may also give it a wrong one."""
    clock = SetClock()
    store = AccessStore(tmp_path, clock=clock, passed=lambda: clock.passed)
    store.set_pin("4711")
    name, code = store.begin_session("dealer", HERE), store.make_login_code()
    store.check_pin("4711", SHARED)
    wrong(store, FREE_GUESSES)
    clock.passed += 10
    clock.ahead += by
    assert store.session(name) is not None
    with pytest.raises(AccessError) as locked:
        store.check_pin("4711", HERE)
    assert (locked.value.code, locked.value.retry_after_s) == ("locked", FIRST_WAIT_S - 10)
    store.check_pin(code, Guesser("10.9.9.9"))
    clock.passed += FIRST_WAIT_S - 10
    store.check_pin("4711", HERE)
    clock.passed += LIFETIME_S
    assert store.session(name) is None


def test_a_code_that_was_made_by_a_clock_that_was_ahead_is_not_good_until_then(tmp_path: Path) -> None:
    """The clock was corrected while the table was switched off."""
    AccessStore(tmp_path, clock=lambda: 1_000_000.0).set_pin("4711")
    code = AccessStore(tmp_path, clock=lambda: 9_000_000.0).make_login_code()
    with pytest.raises(AccessError):
        AccessStore(tmp_path, clock=lambda: 1_000_000.0).check_pin(code, HERE)


@pytest.mark.parametrize("behind", [1_000_000.0, 60.0], ids=["1970", "a minute"])
def test_a_power_cut_logs_nobody_out_where_the_clock_is_set_only_after_the_start(tmp_path: Path, behind: float) -> None:
    """A machine without a battery-backed clock starts long before its browsers' latest, correctly timed, log-ins."""
    clock = SetClock()
    store = AccessStore(tmp_path, clock=clock, passed=lambda: clock.passed)
    store.set_pin("4711")
    clock.passed += 600
    name, code = store.begin_session("dealer", HERE), store.make_login_code()
    wrong(store, FREE_GUESSES)
    clock.ahead += clock.passed - 20 - behind
    clock.passed = 20.0
    started = AccessStore(tmp_path, clock=clock, passed=lambda: clock.passed)
    started.session(name)
    clock.passed += 10
    clock.ahead += behind
    assert started.session(name) is not None
    with pytest.raises(AccessError) as locked:
        started.check_pin("4711", HERE)
    assert (locked.value.code, locked.value.retry_after_s) == ("locked", FIRST_WAIT_S - 10)
    started.check_pin(code, Guesser("10.9.9.9"))
    clock.passed += LIFETIME_S - 10
    assert started.session(name) is None


def test_a_clock_that_drifts_is_not_set(tmp_path: Path) -> None:
    """An hour too much within an evening, a second now and then, is an hour of the session."""
    clock = SetClock()
    store = AccessStore(tmp_path, clock=clock, passed=lambda: clock.passed)
    name = store.begin_session("dealer", HERE)
    for _ in range(3600):
        clock.ahead += 1.0
        assert store.session(name) is not None
    clock.passed += LIFETIME_S - 3600
    assert store.session(name) is None


# ---- a file that somebody has edited


@pytest.mark.parametrize(
    "strange",
    [
        {"pin_hash": 5},
        {"epoch": "z"},
        {"login_until": 1e999},
        {"codes": {"1": 5}},
        {"known": {"address/10.0.0.1": None}},
        {"guesses": {"*": {"wrong": 1, "at": "now", "free_at": 0}}},
        {"seat_guesses": {"here": {"wrong": 1, "at": 0, "free_at": 1e999}}},
        {"sessions": {"a": {"kind": 1, "player": None, "address": "", "agent": "", "since": 0}}},
        {"sessions": {"a": {"kind": "dealer", "player": 5, "address": "", "agent": "", "since": 0}}},
        {"sessions": {"a": {"kind": "dealer", "player": None, "address": "", "agent": "", "since": "now"}}},
    ],
)
def test_what_would_fail_at_the_first_log_in_is_told_at_the_start(tmp_path: Path, strange: dict[str, Any]) -> None:
    (tmp_path / "access.json").write_text(json.dumps({"secret": "x" * 48, **strange}))
    with pytest.raises(AccessError, match="Restore it, or delete it") as refused:
        AccessStore(tmp_path)
    assert refused.value.code == "broken-file"


# ---- a full disk


def test_guesses_count_while_the_disk_is_full(access: AccessStore, tmp_path: Path) -> None:
    with full_disk():
        codes = []
        for _ in range(FREE_GUESSES + 1):
            with pytest.raises(AccessError) as refused:
                access.check_pin("9999", HERE)
            codes.append(refused.value.code)
        assert codes == ["wrong-code"] * (FREE_GUESSES - 1) + ["locked"] * 2
        access.check_pin("4711", SHARED if access.is_known_browser(SHARED.browser) else Guesser("127.0.0.1"))
        name = access.begin_session("dealer", HERE)
        assert access.session(name) is not None
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".access")] == []


def test_a_pin_that_cannot_be_saved_is_not_set(access: AccessStore) -> None:
    with full_disk(), pytest.raises(AccessError, match="Make room on the disk") as refused:
        access.set_pin("80085")
    assert refused.value.code == "not-saved"
    access.check_pin("4711", HERE)


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
    """It is not accepted from other addresses, nor from an address that is locked out."""
    access.check_pin("4711", HERE)
    assert access.is_known_pin("4711", HERE)
    assert not access.is_known_pin("4711", Guesser("10.0.0.99"))
    for _ in range(FREE_GUESSES):
        with pytest.raises(AccessError) as refused:
            access.check_pin("9999", HERE)
        assert refused.value.is_guess
    assert not access.is_known_pin("4711", HERE)
    with pytest.raises(AccessError) as refused:
        access.check_pin("4711", HERE)
    assert (refused.value.code, refused.value.is_guess) == ("locked", False)


@pytest.mark.parametrize(
    ("seconds", "spoken"),
    [(1, "1 seconds"), (89, "89 seconds"), (90, "2 minutes"), (120, "2 minutes"), (3600, "60 minutes")],
)
def test_a_wait_is_told_in_seconds_or_minutes(access: AccessStore, clock: Any, seconds: int, spoken: str) -> None:
    for _ in range(30):
        with pytest.raises(AccessError):
            access.check_pin("9999", HERE)
        clock.now += 3600
    with pytest.raises(AccessError):
        access.check_pin("9999", HERE)
    clock.now += 3600 - seconds
    with pytest.raises(AccessError, match=f"Wait {spoken}, then"):
        access.check_pin("4711", HERE)


def test_the_right_pin_forgives_a_known_browser_what_was_wrong_before(access: AccessStore) -> None:
    for _ in range(3):
        access.know(SHARED)
        wrong(access, FREE_GUESSES - 1, SHARED)
    access.know(SHARED)
    access.check_pin("4711", SHARED)


def test_a_pin_that_was_right_twice_is_known(access: AccessStore) -> None:
    for _ in range(2):
        access.check_pin("4711", HERE)
    assert access.is_known_pin("4711", HERE)


def test_a_known_pin_works_on_while_others_are_locked_out(access: AccessStore) -> None:
    access.check_pin("4711", HERE)
    for number in range(FREE_GUESSES_TOGETHER):
        with pytest.raises(AccessError):
            access.check_pin("9999", Guesser(f"10.0.1.{number}"))
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


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "5", '{"secret": "short"}', '{"secret": 5}', '{"what": 1}'])
def test_a_broken_file_is_named_with_the_way_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "access.json").write_text(text)
    with pytest.raises(AccessError, match=r"access\.json cannot be used .* choose a new PIN"):
        AccessStore(tmp_path)

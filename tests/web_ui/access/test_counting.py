"""Lockout counters, kept sessions, and the validation of their file."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from web_ui.access import file, lockout, sessions
from web_ui.access.file import Access
from web_ui.access.lockout import TOGETHER, Guesser, Guesses
from web_ui.access.sessions import Session
from web_ui.access.store import HASHER, AccessError, AccessStore

NOW = 1_000_000.0
HERE, THERE = Guesser("192.168.1.5"), Guesser("192.168.1.6")


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def begun(at: float, kind: str = "dealer") -> Session:
    return Session(kind, None, "192.168.1.5", "Firefox", at)


# ---- guesses


def test_a_clock_that_is_set_back_locks_nobody_out_and_keeps_no_session() -> None:
    """After guesses with the clock years ahead, the wait ends now, not then; the counters are kept."""
    book: dict[str, Guesses] = {}
    later = NOW + 4 * 365 * 86_400
    for _ in range(lockout.FREE_GUESSES):
        book = lockout.after_wrong(book, ("a",), later)
    assert lockout.wait_s(book, ("a",), later) > 0
    assert lockout.wait_s(book, ("a",), NOW) == 0
    assert lockout.wait_s(lockout.after_wrong(book, ("a",), NOW), ("a",), NOW) > 0
    assert not sessions.is_live(begun(later), NOW)
    assert sessions.is_live(begun(NOW + 5), NOW)


def test_an_hour_is_the_longest_wait_and_a_day_forgives() -> None:
    book: dict[str, Guesses] = {}
    for _ in range(30):
        book = lockout.after_wrong(book, ("a",), NOW)
    assert lockout.wait_s(book, ("a",), NOW) == 3600
    assert "a" in lockout.after_wrong(book, ("b",), NOW + 24 * 3600 - 1)
    assert "a" not in lockout.after_wrong(book, ("b",), NOW + 24 * 3600)


def test_however_many_addresses_guess_the_count_of_all_together_stays() -> None:
    """It is the oldest entry, with a name unlike the others'."""
    book = {TOGETHER: Guesses(50, NOW - 100, NOW + 200)}
    for number in range(lockout.ADDRESSES_KEPT + 5):
        book = lockout.after_wrong(book, (f"!{number}" if number % 2 else f"10.0.0.{number}",), NOW + number / 1000)
    assert book[TOGETHER].wrong == 50
    assert len(book) == lockout.ADDRESSES_KEPT
    assert "10.0.0.0" not in book, "the oldest goes"
    assert "10.0.0.504" in book


# ---- sessions


def test_the_newest_sessions_are_kept() -> None:
    kept: dict[str, Session] = {}
    for number in range(sessions.KEPT + 3):
        kept = sessions.after_begin(kept, str(number), begun(NOW + number))
    assert len(kept) == sessions.KEPT
    assert {"0", "1", "2"}.isdisjoint(kept)
    assert str(sessions.KEPT + 2) in kept


def test_a_session_lasts_eighteen_hours() -> None:
    assert sessions.is_live(begun(NOW), NOW + 18 * 3600 - 1)
    assert not sessions.is_live(begun(NOW), NOW + 18 * 3600)
    assert not sessions.is_live(begun(10.0), 10.0 * 10**6), "also where the one is a multiple of the other"


@pytest.mark.parametrize("kind", ["dealer", "seat/1", "seat/3"])
def test_only_the_sessions_of_one_kind_end(kind: str) -> None:
    all_kinds = {name: begun(NOW, name) for name in ("dealer", "seat/1", "seat/3")}
    assert set(sessions.without_kind(all_kinds, kind)) == set(all_kinds) - {kind}


def test_an_unknown_browser_is_named_by_its_first_forty_letters() -> None:
    assert sessions.agent_words("x" * 60) == "x" * 40


def test_the_newest_session_is_listed_first(tmp_path: Path) -> None:
    clock = Clock()
    store = AccessStore(tmp_path, clock=clock)
    first = store.begin_session("dealer", HERE)
    clock.now += 60
    second = store.begin_session("dealer", THERE)
    assert list(store.all_sessions()) == [second, first]


# ---- the file


@pytest.mark.parametrize(("letters", "is_taken"), [(31, False), (32, True)])
def test_a_short_cookie_key_is_none(tmp_path: Path, letters: int, is_taken: bool) -> None:
    (tmp_path / file.FILE).write_text(json.dumps({"secret": "x" * letters}))
    if is_taken:
        assert file.read(tmp_path / file.FILE) == Access("x" * 32, epoch=0, login_until=0.0)
    else:
        with pytest.raises(ValueError, match="cookie key is missing"):
            file.read(tmp_path / file.FILE)


def test_a_file_that_is_not_there_has_no_stamp(tmp_path: Path) -> None:
    assert file.stamp(tmp_path / "gone") is None


@pytest.mark.parametrize("damaged", ["[" * 100_000, '{"secret": 5}', '{"guesses": 5}', '{"sessions": {"a": []}}', "{"])
def test_a_damaged_file_is_said_at_a_start_and_changes_nothing_under_a_running_table(
    tmp_path: Path, damaged: str
) -> None:
    running = AccessStore(tmp_path)
    running.set_pin("4711")
    (tmp_path / file.FILE).write_text(damaged)
    assert running.is_pin("4711")
    with pytest.raises(AccessError, match=r"access\.json"):
        AccessStore(tmp_path)


def test_a_change_by_another_process_counts_whichever_clock_the_file_has(tmp_path: Path) -> None:
    """A file restored from a backup is older than the one it replaces."""
    import os

    running = AccessStore(tmp_path)
    other = AccessStore(tmp_path)
    other.set_pin("4711")
    os.utime(tmp_path / file.FILE, (1, 1))
    assert running.has_pin


def test_a_first_pin_is_chosen_once(tmp_path: Path) -> None:
    store = AccessStore(tmp_path)
    code = store.setup_code
    assert code is not None
    store.choose_first_pin(code, "4711", HERE)
    with pytest.raises(AccessError, match="has a PIN already"):
        store.choose_first_pin(code, "8152", HERE)
    assert store.is_pin("4711")


def test_a_store_without_a_code_lets_nobody_choose(tmp_path: Path) -> None:
    store = AccessStore(tmp_path)
    file.write(tmp_path / file.FILE, replace(file.read(tmp_path / file.FILE), setup_code=None))
    with pytest.raises(AccessError, match="has a PIN already"):
        store.choose_first_pin("", "4711", HERE)


def test_a_pin_costs_a_guesser_19_mib_and_two_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web_ui.access.store.HASHER", HASHER)
    AccessStore(tmp_path).set_pin("4711")
    hashed = file.read(tmp_path / file.FILE).pin_hash
    assert hashed is not None
    assert hashed.startswith("$argon2id$v=19$m=19456,t=2,p=1$")


@pytest.mark.parametrize(("user", "given"), [(0, True), (1, False), (1000, False)])
def test_only_what_root_writes_is_given_to_the_folders_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: int, given: bool
) -> None:
    """`sudo companion pin` preserves the service's ownership of the file."""
    owners: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(os, "chown", lambda handle, *owner: owners.append(owner))
    file.write(tmp_path / file.FILE, Access("s" * 32))
    folder = tmp_path.stat()
    assert owners == ([(folder.st_uid, folder.st_gid)] if given else [])


def test_nothing_is_written_through_a_link_laid_in_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even by someone who guesses the name of the temporary file."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    monkeypatch.setattr(file.secrets, "token_hex", lambda size: "guessed")
    (tmp_path / f".{file.FILE}.{os.getpid()}.guessed").symlink_to(victim)
    with pytest.raises(FileExistsError):
        file.write(tmp_path / file.FILE, Access("s" * 32))
    assert victim.read_text() == "mine"

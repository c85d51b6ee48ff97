"""Evidence: bounded, traceable, and never blocking the table."""

import ctypes
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.journal.evidence import (
    ChangedEvidence,
    EvidenceRing,
    Exhibit,
    Held,
    NoEvidence,
    clock_is_kept,
    evidence_name,
    exhibit_of,
    rectified,
)

AT = datetime(2026, 3, 1, 20, 15, 7, 120_000, UTC)
KEPT = {"is_kept": lambda: True, "latest": 0}
"""A clock that the network keeps, and nothing that stays because it is recent."""


def exhibit(n: int, size: int = 1000) -> Exhibit:
    return Exhibit(evidence_name(AT + timedelta(seconds=n), "6D3", n), b"\xff\xd8" + bytes(size), {"id": "6D3"})


def test_a_card_is_cut_out_and_looked_at_from_above():
    """The four quarters of a tilted card keep their colours and positions."""
    image = np.zeros((400, 600, 3), np.uint8)
    outline = ((200, 80), (350, 120), (330, 330), (170, 280))
    quarter = [(40, 40, 200), (40, 200, 40), (200, 40, 40), (200, 200, 40)]
    flat = np.zeros((440, 315, 3), np.uint8)
    flat[:220, :157], flat[:220, 157:], flat[220:, 157:], flat[220:, :157] = quarter
    move = cv2.getPerspectiveTransform(np.float32([[0, 0], [315, 0], [315, 440], [0, 440]]), np.float32(outline))
    image = cv2.warpPerspective(flat, move, (600, 400))
    crop = rectified(image, outline)
    assert crop.shape == (440, 315, 3)
    found = [crop[y, x].tolist() for y, x in ((110, 78), (110, 236), (330, 236), (330, 78))]
    assert np.abs(np.array(found) - quarter).max() < 8


def test_an_exhibit_says_when_and_what():
    made = exhibit_of(np.zeros((100, 100, 3), np.uint8), ((1, 1), (50, 1), (50, 70), (1, 70)), {"id": "6D3"}, 17, AT)
    assert re.fullmatch(r"20260301T201507\.120-6D3-17-[0-9a-f]{32}", made.name)
    assert made.facts == {"id": "6D3", "at": "2026-03-01T20:15:07.120+00:00"}
    assert cv2.imdecode(np.frombuffer(made.jpeg, np.uint8), cv2.IMREAD_COLOR).shape == (440, 315, 3)


def test_evidence_that_was_changed_or_exchanged_is_told(tmp_path):
    """The name, which the signed journal contains, binds both files: neither can be exchanged."""
    ring = EvidenceRing(tmp_path)
    mine, other = (Exhibit.of(AT, "6D3", n, b"\xff\xd8" + bytes([n]), {"id": "6D3", "votes": n}) for n in (1, 2))
    assert ring.keep(mine)
    assert ring.keep(other)
    assert ring.get(mine.name) == mine
    for ending in ("jpg", "json"):
        mine_there, others = (tmp_path / f"{one.name}.{ending}" for one in (mine, other))
        kept = mine_there.read_bytes()
        mine_there.write_bytes(others.read_bytes())
        with pytest.raises(ChangedEvidence, match="another picture lies in its place"):
            ring.get(mine.name)
        mine_there.write_bytes(kept)
    assert ring.get(mine.name) == mine


@pytest.mark.parametrize("ending", ["json", "jpg"])
def test_a_file_that_lost_its_contents_with_the_power_is_gone_and_not_changed(tmp_path, ending):
    """A file left empty by a power cut counts as missing: nobody is suspected of tampering."""
    ring = EvidenceRing(tmp_path / "evidence")
    mine = Exhibit.of(AT, "6D3", 1, b"\xff\xd8mine", {"id": "6D3"})
    ring.keep(mine)
    (ring.folder / f"{mine.name}.{ending}").write_bytes(b"")
    with pytest.raises(NoEvidence) as told:
        ring.get(mine.name)
    assert not isinstance(told.value, ChangedEvidence)


def test_what_is_kept_comes_back_also_after_a_restart(tmp_path):
    EvidenceRing(tmp_path / "evidence").keep(exhibit(1))
    again = EvidenceRing(tmp_path / "evidence")
    assert again.names() == (exhibit(1).name,)
    assert again.get(exhibit(1).name) == exhibit(1)


def test_the_oldest_go_when_the_folder_is_full(tmp_path):
    ring = EvidenceRing(tmp_path, limit_mb=0.0105)
    for n in range(8):
        ring.keep(exhibit(n))
    again = EvidenceRing(tmp_path, limit_mb=0.0105)
    for n in range(8, 30):
        again.keep(exhibit(n))
    assert again.names() == tuple(exhibit(n).name for n in range(20, 30))
    assert sum(p.stat().st_size for p in tmp_path.iterdir()) <= 10_500


def test_a_folder_may_be_full_to_the_last_byte(tmp_path):
    ring = EvidenceRing(tmp_path, limit_mb=0.003)
    for n in range(4):
        ring.keep(exhibit(n, 1000 - len(b'\xff\xd8{"id":"6D3"}')))
        assert ring.held().bytes == min(n + 1, 3) * 1000
    assert ring.names() == tuple(exhibit(n).name for n in (1, 2, 3))


@pytest.mark.parametrize("name", ["../journal", "20260301T201507.120-6D3-17", "", "a" * 500])
def test_a_name_that_is_none_of_ours_opens_nothing(tmp_path, name):
    (tmp_path / "journal.json").write_text("{}")
    (tmp_path / "journal.jpg").write_bytes(b"")
    with pytest.raises(NoEvidence, match="There is no evidence"):
        EvidenceRing(tmp_path / "evidence").get(name)


def test_a_full_disk_is_told_once_and_stops_nothing(tmp_path, caplog):
    (tmp_path / "evidence").write_text("a file is in the way")
    ring = EvidenceRing(tmp_path / "evidence")
    assert not ring.keep(exhibit(1))
    assert not ring.keep(exhibit(2))
    assert len([r for r in caplog.records if "Evidence cannot be written" in r.message]) == 1


def test_a_full_disk_is_left_no_half_of_an_exhibit(tmp_path, monkeypatch):
    ring, whole = EvidenceRing(tmp_path), Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.suffix != ".jpg":
            return whole(path, data)
        whole(path, data[:5])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_bytes", full)
        assert not ring.keep(exhibit(1))
    assert list(tmp_path.iterdir()) == []
    assert ring.keep(exhibit(1))
    assert ring.get(exhibit(1).name) == exhibit(1)


def test_what_is_too_old_goes_though_there_is_room(tmp_path):
    now = AT + timedelta(days=3)
    ring = EvidenceRing(tmp_path, days=2, now=lambda: now, **KEPT)
    ring.keep(exhibit(1))
    assert ring.names() == ()
    ring.keep(exhibit(2 * 86_400))
    now += timedelta(days=1)
    assert len(ring.names()) == 1
    EvidenceRing(tmp_path, days=2, now=lambda: now + timedelta(seconds=1), **KEPT).tidy()
    assert EvidenceRing(tmp_path).held() == Held(0, 0, None)
    assert EvidenceRing(tmp_path / "none", days=2).held().count == 0


# ---- before a payout


def test_evidence_and_its_names_are_brought_to_the_disk_when_asked_and_not_for_each_picture(tmp_path, monkeypatch):
    synced: list[str] = []

    def fsync(handle: int) -> None:
        synced.append(os.path.basename(os.readlink(f"/proc/self/fd/{handle}")))

    ring, other = EvidenceRing(tmp_path / "evidence"), EvidenceRing(tmp_path / "evidence")
    monkeypatch.setattr(os, "fsync", fsync)
    ring.keep(exhibit(1))
    assert synced == [tmp_path.name], "a new folder's own name, once"
    ring.keep(exhibit(2))
    assert len(synced) == 1
    other.bring_to_disk([exhibit(1).name])
    assert sorted(synced[1:]) == sorted([f"{exhibit(1).name}.jpg", f"{exhibit(1).name}.json", "evidence"])


def test_what_is_not_there_or_no_evidence_is_no_trouble_on_the_way_to_the_disk(tmp_path, caplog):
    ring = EvidenceRing(tmp_path / "evidence")
    ring.bring_to_disk([exhibit(1).name, "../journal"])
    ring.keep(exhibit(2))
    ring.bring_to_disk([exhibit(1).name, exhibit(2).name])
    assert not caplog.records


def test_a_disk_that_takes_no_evidence_is_told_once(tmp_path, monkeypatch, caplog):
    ring = EvidenceRing(tmp_path / "evidence")
    ring.keep(exhibit(1))

    def fsync(handle: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", fsync)
    for _ in range(2):
        ring.bring_to_disk([exhibit(1).name])
    assert [one.levelname for one in caplog.records] == ["WARNING"]


# ---- a clock that was ahead


def test_evidence_dated_in_the_future_is_told(tmp_path):
    ring = EvidenceRing(tmp_path, now=lambda: AT + timedelta(seconds=2))
    for n in (1, 2, 3, 400):
        ring.keep(exhibit(n))
    assert ring.held().ahead == 2


def test_what_was_kept_after_a_clock_was_set_right_is_not_deleted_before_what_was_kept_under_the_wrong_one(tmp_path):
    """By its name the exhibit from next year is the newest: after a restart, tonight's would be deleted before it."""
    now = datetime.now(UTC)
    dates = [now, now + timedelta(days=365), *(now + timedelta(seconds=n) for n in range(1, 4))]
    names = [evidence_name(date, "6D3", n) for n, date in enumerate(dates)]
    made = [Exhibit(name, b"\xff\xd8" + bytes(1000), {"id": "6D3"}) for name in names]
    for one in made[:4]:
        EvidenceRing(tmp_path, now=lambda: now).keep(one)  # started anew each time
    EvidenceRing(tmp_path, limit_mb=0.0035, now=lambda: now).keep(made[4])
    assert set(EvidenceRing(tmp_path).names()) == set(names[2:])


def test_what_is_dated_in_the_future_keeps_nothing_from_growing_too_old(tmp_path):
    at = datetime.now(UTC)
    now = at
    ring = EvidenceRing(tmp_path, days=2, now=lambda: now, **KEPT)
    names = [evidence_name(date, "6D3", n) for n, date in enumerate([at + timedelta(days=90), at])]
    for name in names:
        ring.keep(Exhibit(name, b"\xff\xd8", {}))
    now = at + timedelta(days=3)
    ring.tidy()
    assert ring.names() == (names[0],)
    now = at + timedelta(days=93)
    ring.tidy()
    assert ring.names() == ()


def test_a_clock_that_is_behind_deletes_nothing(tmp_path):
    """A computer without a battery-backed clock starts in the past: all evidence is then dated in the future."""
    now = datetime.now(UTC)
    EvidenceRing(tmp_path, now=lambda: now).keep(mine := Exhibit(evidence_name(now, "6D3", 1), b"\xff\xd8", {}))
    EvidenceRing(tmp_path, days=90, now=lambda: now - timedelta(days=9000), **KEPT).tidy()
    EvidenceRing(tmp_path, days=90, now=lambda: now + timedelta(hours=1), **KEPT).tidy()
    assert EvidenceRing(tmp_path).names() == (mine.name,)


def dated(*dates: datetime) -> list[Exhibit]:
    return [Exhibit(evidence_name(at, "6D3", n), b"\xff\xd8", {}) for n, at in enumerate(dates)]


def test_a_clock_that_jumps_ahead_makes_no_evidence_too_old_and_neither_does_what_is_kept_under_it(tmp_path):
    """A startup years ahead, an exhibit at that time, then the right time: the older evidence is still there."""
    now = AT
    ring = EvidenceRing(tmp_path, days=90, now=lambda: now, is_kept=lambda: False, latest=0)
    made = dated(*(AT + timedelta(days=n) for n in range(5)), AT + timedelta(days=4000), AT + timedelta(days=5))
    for one, days in zip(made, (0, 1, 2, 3, 4, 4000, 5), strict=True):
        now = AT + timedelta(days=days)
        ring.keep(one)
        ring.tidy()
    assert set(ring.names()) == {one.name for one in made}


def test_a_clock_that_nobody_keeps_is_believed_as_far_as_evidence_of_every_week_bears_it_out(tmp_path):
    """A table without network: evidence kept week after week shows that time has passed."""
    now = AT
    ring = EvidenceRing(tmp_path, days=90, now=lambda: now, is_kept=lambda: False, latest=0)
    made = dated(*(AT + timedelta(weeks=n) for n in range(20)))
    for n, one in enumerate(made):
        now = AT + timedelta(weeks=n)
        ring.keep(one)
    assert ring.names() == tuple(one.name for one in made[-13:]), "ninety days are not quite thirteen weeks"
    now += timedelta(days=3000)
    ring.tidy()
    assert ring.names() == tuple(one.name for one in made[-12:]), "a pause is a week, whatever the clock says"


def test_the_latest_evidence_is_never_too_old_not_even_by_a_clock_that_is_kept(tmp_path):
    """A first evening that began in 1970, until the time was set from the network."""
    now = datetime(1970, 1, 1, 0, 1, tzinfo=UTC)
    ring = EvidenceRing(tmp_path, days=90, now=lambda: now, is_kept=lambda: True, latest=3)
    made = dated(*(now + timedelta(minutes=n) for n in range(4)), AT, AT + timedelta(minutes=1))
    for one in made[:4]:
        ring.keep(one)
    now = AT
    ring.keep(made[4])
    assert ring.names() == tuple(one.name for one in made[2:5])
    ring.keep(made[5])
    assert ring.names() == tuple(one.name for one in made[3:])


def test_what_was_kept_while_the_clock_was_behind_is_no_older_than_what_was_there_before(tmp_path):
    now = datetime.now(UTC)
    ring = EvidenceRing(tmp_path, days=90, now=lambda: now, **KEPT)
    made = dated(now, datetime(1970, 1, 1, tzinfo=UTC), now + timedelta(days=1))
    for one in made:
        ring.keep(one)
    assert set(ring.names()) == {one.name for one in made}
    now += timedelta(days=91)
    ring.tidy()
    assert ring.names() == (made[2].name,)


@pytest.mark.parametrize(("said", "is_kept"), [(0, True), (4, True), (5, False), (-1, False)])
def test_the_kernel_says_whether_the_clock_is_kept(monkeypatch, said, is_kept):
    class Library:
        def __init__(self, name: None) -> None: ...

        def adjtimex(self, asked: ctypes.Array[ctypes.c_char]) -> int:
            assert asked.raw == bytes(1024), "nothing is set"
            return said

    monkeypatch.setattr(ctypes, "CDLL", Library)
    assert clock_is_kept() is is_kept


def test_a_system_that_cannot_say_it_keeps_no_clock(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert clock_is_kept() is False

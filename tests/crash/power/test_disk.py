"""The disk that loses its cache with the power: what was flushed stays, the rest is up to chance, torn by sectors."""

import random
import socket
import struct
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from .disk import SECTOR, DiskServer, PowerCutError, VolatileDisk

OLD, NEW = b"o" * SECTOR, b"n" * SECTOR


def disk(sectors: int = 8) -> VolatileDisk:
    return VolatileDisk(OLD * sectors)


def test_it_reads_what_was_written_last() -> None:
    one = disk()
    one.write(SECTOR, NEW)
    assert one.read(0, 3 * SECTOR) == OLD + NEW + OLD
    assert one.medium == OLD * 8
    one.flush()
    assert one.medium == OLD + NEW + OLD * 6


def test_what_was_flushed_survives_and_the_rest_is_up_to_chance() -> None:
    """Over many cuts a sector that was not flushed is old or new, each by itself; one that was flushed is new."""
    found = Counter[bytes]()
    for seed in range(100):
        one = disk(4)
        one.write(0, NEW)
        one.flush()
        one.write(SECTOR, NEW * 3)
        one.cut(random.Random(seed))
        assert one.medium[:SECTOR] == NEW
        found[bytes(one.medium[at] for at in range(SECTOR, 4 * SECTOR, SECTOR))] += 1
    assert {b"ooo", b"noo", b"nno", b"nnn"} <= found.keys()
    assert len(found) > 5, "torn writes are among them"


def test_the_power_goes_in_the_midst_of_an_operation() -> None:
    one = disk()
    one.cut_after(2)
    one.write(0, NEW)
    with pytest.raises(PowerCutError):
        one.flush()
    assert one.went_off.is_set()
    for act in (one.flush, lambda: one.read(0, SECTOR), lambda: one.write(0, NEW)):
        with pytest.raises(PowerCutError):
            act()
    assert one.medium == OLD * 8
    one.cut(random.Random(1))
    one.switch_on()
    assert one.read(0, one.size) == one.medium


# ---- over its socket, as qemu speaks


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[tuple[VolatileDisk, socket.socket]]:
    """A disk, and a machine's end of its cable."""
    one = disk()
    with DiskServer(one, tmp_path / "disk.sock"), socket.socket(socket.AF_UNIX) as cable:
        cable.settimeout(10)
        cable.connect(str(tmp_path / "disk.sock"))
        assert take(cable, 18) == b"NBDMAGICIHAVEOPT\x00\x03"
        cable.sendall(struct.pack(">I", 3))
        yield one, cable


def take(cable: socket.socket, length: int) -> bytes:
    return cable.recv(length, socket.MSG_WAITALL)


def option(cable: socket.socket, number: int, data: bytes = b"") -> list[tuple[int, bytes]]:
    """Ask for an option; return the replies' kinds and data up to the last."""
    cable.sendall(b"IHAVEOPT" + struct.pack(">II", number, len(data)) + data)
    replies: list[tuple[int, bytes]] = []
    while not replies or replies[-1][0] == 3:
        _, asked, kind, length = struct.unpack(">QIII", take(cable, 20))
        assert asked == number
        replies.append((kind, take(cable, length) if length else b""))
    return replies


def ask(cable: socket.socket, kind: int, offset: int = 0, length: int = 0, data: bytes = b"") -> int:
    cable.sendall(struct.pack(">IHHQQI", 0x25609513, 0, kind, 7, offset, length or len(data)) + data)
    magic, error, handle = struct.unpack(">IIQ", take(cable, 16))
    assert (magic, handle) == (0x67446698, 7)
    return int(error)


def test_a_machine_reads_writes_and_flushes(machine: tuple[VolatileDisk, socket.socket]) -> None:
    one, cable = machine
    assert option(cable, 8) == [(0x80000001, b"")], "structured replies are not spoken"
    (_, export), (kind, _) = option(cable, 7, struct.pack(">IH", 0, 0))
    assert (struct.unpack(">HQH", export), kind) == ((0, 8 * SECTOR, 5), 1)
    assert ask(cable, 1, SECTOR, data=NEW) == 0
    assert one.medium == OLD * 8
    assert ask(cable, 3) == 0
    assert one.medium == OLD + NEW + OLD * 6
    assert ask(cable, 0, SECTOR, 2 * SECTOR) == 0
    assert take(cable, 2 * SECTOR) == NEW + OLD
    assert ask(cable, 4) != 0, "it cannot trim"


def test_after_a_cut_the_machine_hears_nothing(machine: tuple[VolatileDisk, socket.socket]) -> None:
    """Not even an error: a program would answer for that, and nobody answers without power."""
    one, cable = machine
    option(cable, 7, struct.pack(">IH", 0, 0))
    one.cut_after(1)
    cable.sendall(struct.pack(">IHHQQI", 0x25609513, 0, 3, 7, 0, 0))
    assert one.went_off.wait(10)
    cable.settimeout(0.2)
    with pytest.raises(TimeoutError):
        cable.recv(1)
    one.switch_on()


def test_the_next_machine_gets_the_same_disk(tmp_path: Path) -> None:
    one = disk()
    with DiskServer(one, tmp_path / "disk.sock"):
        for _ in range(2):
            with socket.socket(socket.AF_UNIX) as cable:
                cable.settimeout(10)
                cable.connect(str(tmp_path / "disk.sock"))
                take(cable, 18)
                cable.sendall(struct.pack(">I", 3))
                assert option(cable, 2) == [(1, b"")]
                time.sleep(0.01)

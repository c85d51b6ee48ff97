"""Programs that run inside the machine, as far as testable outside: the GPIO chip's log, the fake camera, the job."""

import json
import os
import struct
import time

import cv2
import numpy as np
import pytest
import zxingcpp

from companion.objects.codes import CodeStatus, check_code, parse_code
from companion.testing import DECKS, INSTALLED
from companion.vision.picture_faults import PictureFaults
from hardware.harness import steps as s
from hardware.harness.gpiosim import guest as guest
from hardware.harness.gpiosim.chip import Edge, first_number, read_edges
from hardware.harness.gpiosim.pattern import PatternWorld
from hardware.harness.gpiosim.rig import LATE_MS, displayed_in
from hardware.harness.gpiosim.unit import Unit
from hardware.harness.gpiosim.world import LoopbackWorld, format_request, to_yuyv
from hardware.harness.mock_rig import harness_deck
from hardware.harness.rig import RigError
from hardware.harness.runner import Failure, Result
from hardware.harness.scenario import find_scenarios, load_scenario

ROCHE = DECKS["roche"]

TRACE = """\
# tracer: nop
           panel-412     [001] .....   101.250000: gpio_value: 530 set 1
           panel-412     [001] .....   101.250400: gpio_direction: 530 out (0)
          <idle>-0       [000] d.h1.   101.250900: gpio_value: 540 get 1
           panel-412     [000] .....   101.390000: gpio_value: 530 set 0
 CPU:0 [LOST 12 EVENTS]
            else-9       [000] .....   101.400000: gpio_value: 12 set 1
"""


def test_the_kernels_notes_become_edges_of_the_chips_own_pins():
    assert list(read_edges(TRACE.splitlines(), 512)) == [Edge(101.25, 18, True), Edge(101.39, 18, False)]


@pytest.mark.parametrize(
    ("listing", "number"),
    [
        ("gpiochip0: 54 GPIOs, parent: platform/gpio-sim.0, gpio-sim.0:node0:\n", None),
        ("gpiochip0: GPIOs 512-565, parent: platform/gpio-sim.0, pinctrl-bcm2711, can sleep:\n gpio-529 (x)\n", 512),
        ("gpiochip1: GPIOs 0-7, parent: i2c, pcf8574:\n\ngpiochip0: GPIOs 600-653, gpio-sim.0, y:\n", 600),
        ("", None),
    ],
)
def test_the_chips_first_pin_is_found_in_the_kernels_list(listing, number):
    if number is None:
        with pytest.raises(RigError, match="no simulated GPIO chip"):
            first_number(listing)
    else:
        assert first_number(listing) == number


@pytest.mark.parametrize("colour", [(0, 0, 255), (0, 200, 0), (128, 128, 128), (255, 255, 255), (0, 0, 0)])
def test_packed_pictures_are_what_opencv_unpacks(colour):
    """Black is 16 and white 235 in limited-range video; full range would give too dark and too bright pictures."""
    image = np.full((36, 64, 3), colour, np.uint8)
    packed = np.frombuffer(to_yuyv(image), np.uint8).reshape(36, 64, 2)
    unpacked = cv2.cvtColor(packed, cv2.COLOR_YUV2BGR_YUYV).astype(int)
    assert np.abs(unpacked - image).max() <= 3


def test_a_node_is_asked_for_the_right_size():
    request = format_request((1280, 720))
    assert (len(request), request[0]) == (208, 2)
    assert struct.unpack_from("<II4s", request, 8) == (1280, 720, b"YUYV")


def test_a_card_laid_before_the_node_is_read_from_its_pictures():
    pictures: list[bytes] = []
    deck = harness_deck(ROCHE)
    world = LoopbackWorld(deck, write=pictures.append, fps=30.0, pace=20.0)
    try:
        world.move(s.Lay(lay=("6D3",), at_once=True))
    finally:
        world.close()
    packed = np.frombuffer(pictures[-1], np.uint8).reshape(720, 1280, 2)
    image = cv2.cvtColor(packed, cv2.COLOR_YUV2BGR_YUYV)
    barcodes = zxingcpp.read_barcodes(image, formats=zxingcpp.BarcodeFormat.QRCode)
    codes = [code for barcode in barcodes if (code := parse_code(barcode.text)) is not None]
    assert [(code.id, check_code(code, {deck.id: deck.key}, DECKS.tag_of)) for code in codes] == [
        ("6D3", CodeStatus.OK)
    ]


def test_a_camera_that_is_lost_gets_no_pictures_until_it_is_back():
    pictures: list[bytes] = []
    world = LoopbackWorld(harness_deck(ROCHE), write=pictures.append, size=(320, 180), fps=50.0)
    try:
        world.move(s.Camera(camera="lost"))
        lost = len(pictures)
        time.sleep(0.2)
        assert len(pictures) == lost
        world.move(s.Camera(camera="back"))
        assert len(pictures) > lost
    finally:
        world.close()


@pytest.mark.thorough
def test_a_table_at_rest_does_not_pass_for_a_camera_that_hangs():
    """After two cards sensor noise is expected; identical pictures were reported as a frozen camera."""
    pictures: list[bytes] = []
    world = LoopbackWorld(harness_deck(ROCHE), write=pictures.append, size=(640, 360), fps=20.0)
    try:
        world.move(s.Lay(lay=("6D3", "5N1")))
        laid, ends = len(pictures), time.monotonic() + 30
        while len(pictures) < laid + 20 and time.monotonic() < ends:
            time.sleep(0.02)
    finally:
        world.close()
    assert len(pictures) >= laid + 20
    faults = PictureFaults()
    for number, packed in enumerate(pictures):
        image = cv2.cvtColor(np.frombuffer(packed, np.uint8).reshape(360, 640, 2), cv2.COLOR_YUV2BGR_YUYV)
        assert faults.see(image, number / 8, number + 1) is None


def test_a_node_that_fails_is_told_not_waited_for():
    def write(_: bytes) -> None:
        raise OSError(19, "No such device")

    world = LoopbackWorld(harness_deck(ROCHE), write=write, size=(320, 180))
    try:
        with pytest.raises(RigError, match="No such device"):
            world.move(s.Hand(hand=True))
    finally:
        world.close()


def test_the_test_pattern_is_torn_out_and_put_back(tmp_path):
    driver = tmp_path / "vivid"
    driver.mkdir()
    world = PatternWorld(driver)
    assert (driver / "bind").read_text() == "vivid.0"
    (driver / "vivid.0").touch()
    world.move(s.Camera(camera="lost"))
    assert (driver / "unbind").read_text() == "vivid.0"
    with pytest.raises(RigError, match="shows no cards"):
        world.move(s.Lay(lay=("6D3",)))


def test_the_display_is_read_back_from_the_log():
    log = (
        "Started.\nINFO Panel: [Bets open       ] [NEXT closes     ]\nPanel: pins by lgpio; 6 buttons\nPanel: [a] [b]\n"
    )
    assert displayed_in(log) == [("Bets open", "NEXT closes"), ("a", "b")]


# ---- the unit


@pytest.fixture
def systemd(tmp_path, monkeypatch):
    """Fake systemctl and journalctl."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def make(**scripts: str) -> None:
        for name, body in scripts.items():
            (tmp_path / name).write_text(f"#!/bin/bash\n{body}\n")
            (tmp_path / name).chmod(0o755)

    return make


def test_a_unit_that_does_not_start_tells_its_last_words(systemd):
    systemd(systemctl="exit 1", journalctl="echo one; echo The port 8080 is in use.")
    with pytest.raises(RigError, match=r"does not start: one / The port 8080 is in use\."):
        Unit().start(5)


def test_a_unit_that_hangs_at_its_start_is_not_waited_for_without_end(systemd):
    systemd(systemctl="exec sleep 20", journalctl="true")
    with pytest.raises(RigError, match="more than 0 s"):
        Unit().start(0.3)


def test_a_restart_counts_once_systemd_has_counted_it(systemd, tmp_path):
    shown = 'case "$*" in *NRestarts*) cat "%s";; *ActiveState*) echo active;; esac'
    systemd(systemctl=shown % (tmp_path / "count"), journalctl="echo Watchdog timeout")
    (tmp_path / "count").write_text("1")
    with pytest.raises(RigError, match=r"has not started .* again in 0 s: Watchdog timeout"):
        Unit().wait_restart(1, 0.1)
    (tmp_path / "count").write_text("2")
    Unit().wait_restart(1, 5)


# ---- the job


class Rig(guest.TracedRig):
    """A rig with a number of late contacts."""

    def __init__(self, late: int, failure: Failure | None) -> None:
        self.left, self.failure, self.opened = late, failure, 0

    def logged(self) -> str:
        return "Panel: pins by lgpio\n"


def run(monkeypatch, tmp_path, rig):
    def play(rig, scenario):
        rig.opened += 1
        rig.late_ms = LATE_MS + 100 if rig.left else 1.0
        rig.left = max(0, rig.left - 1)
        failure = rig.failure if rig.failure is not None or rig.late_ms < LATE_MS else Failure(1, 1, "x")
        return Result(scenario, "gpiosim", 1.0, failure=failure)

    monkeypatch.setattr(guest, "run_scenario", play)
    (tmp_path / "a.toml").write_text(
        'name = "a"\ngame = "roche"\n[[players]]\nname = "Ann"\n[[step]]\npress = "next"\n'
    )
    (tmp_path / "job.json").write_text('{"version": 1, "scenarios": ["a.toml"]}')
    failed = guest.run_job(tmp_path, lambda: rig)
    return failed, [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]


def test_a_job_tells_machine_beginning_result_and_end(monkeypatch, tmp_path):
    failed, told = run(monkeypatch, tmp_path, Rig(0, None))
    assert [line["kind"] for line in told] == ["machine", "begin", "result", "end"]
    assert (failed, told[2]["failure"], told[2]["tries"]) == (0, None, 1)
    assert (tmp_path / "trace" / "a" / "companion.log").read_text() == "Panel: pins by lgpio\n"


def test_late_contacts_are_played_again_but_a_failure_on_time_is_one(monkeypatch, tmp_path):
    rig = Rig(1, None)
    failed, told = run(monkeypatch, tmp_path, rig)
    assert (failed, rig.opened, told[2]["tries"]) == (0, 2, 2)
    rig = Rig(0, Failure(2, 9, "suit/6 should be on"))
    failed, told = run(monkeypatch, tmp_path, rig)
    assert (failed, rig.opened) == (1, 1)


def test_a_machine_that_is_always_late_says_so(monkeypatch, tmp_path):
    rig = Rig(9, None)
    failed, told = run(monkeypatch, tmp_path, rig)
    assert (failed, rig.opened) == (1, guest.TRIES)
    assert "overloaded" in told[-2]["failure"][2]


def test_scenarios_of_the_machine_are_sound():
    for path in find_scenarios((), INSTALLED):
        scenario = load_scenario(path, INSTALLED)
        if scenario.rigs == ("gpiosim",):
            assert scenario.about, f"{path.name} says why it is for the machine alone"

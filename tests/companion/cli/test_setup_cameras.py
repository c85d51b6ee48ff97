"""The set-up page's cameras: measurements and mat on rendered pictures; other cameras with real files."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.app.setup.camera import SetupCameras, meters
from companion.cli.calibrate import FILE_NAME
from companion.testing import MATS
from companion.tracking.optics import flicker_share
from companion.vision.frame import Frame
from companion.vision.sightings import CardSighting, FrameReading
from hardware.cameras import CameraError

ROCHE = MATS["roche"]
PX_PER_MM = 1.9


def picture(px_per_mm: float = PX_PER_MM, without: int | None = None) -> np.ndarray:
    """The mat's four tags on white paper, as a camera sees them, (H, W, 3) BGR."""
    scale = 4
    height, width = (round(v * scale) for v in (ROCHE.height_mm, ROCHE.width_mm))
    sheet = np.full((height, width), 230, np.uint8)
    book = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    for number, box in ROCHE.tags.items():
        side = round(box.width * scale)
        x, y = round(box.x * scale), round(box.y * scale)
        if number != without:
            sheet[y : y + side, x : x + side] = cv2.aruco.generateImageMarker(book, number, side)
    small = cv2.resize(sheet, None, fx=px_per_mm / scale, fy=px_per_mm / scale, interpolation=cv2.INTER_AREA)
    table = np.full((1080, 1920), 60, np.uint8)
    h, w = min(small.shape[0], 1060), min(small.shape[1], 1900)
    table[10 : 10 + h, 10 : 10 + w] = small[:h, :w]
    return cv2.cvtColor(table, cv2.COLOR_GRAY2BGR)


@dataclass
class Looking:
    """The running watch, which sees one thing."""

    image: np.ndarray | None
    count: int = 0
    camera_source: str = "demo"
    camera_name: str = "/dev/video95"

    def frame(self) -> Frame | None:
        self.count += 1
        return None if self.image is None else Frame(self.image, self.count / 30, self.count)


def eyes(image: np.ndarray | None, folder: Path) -> SetupCameras:
    return SetupCameras(Looking(image), folder, MATS, size=(1920, 1080), fps=30)  # type: ignore[arg-type]


def test_a_mat_that_lies_well_passes_and_is_stored(tmp_path: Path) -> None:
    found = eyes(picture(), tmp_path).calibrate(None)
    assert (found["ok"], found["mat"], found["troubles"]) == (True, "roche", [])
    assert found["px_per_mm"] == pytest.approx(PX_PER_MM, rel=0.02)
    assert json.loads((tmp_path / FILE_NAME).read_text())["mat"] == "roche"


def test_a_mat_is_not_found_in_the_last_picture_of_a_camera_that_was_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.app.setup.camera.FRAME_TIMEOUT_S", 0.1)
    looking, old = Looking(picture()), Frame(picture(), 1.0, 1)
    monkeypatch.setattr(looking, "frame", lambda: old)
    found = SetupCameras(looking, tmp_path, MATS, size=(1920, 1080), fps=30).calibrate(None)  # type: ignore[arg-type]
    assert "gives no picture" in found["troubles"][0]
    assert not (tmp_path / FILE_NAME).exists()


def test_a_covered_corner_is_named_and_nothing_is_stored(tmp_path: Path) -> None:
    covered = list(ROCHE.tags)[2]
    found = eyes(picture(without=covered), tmp_path).calibrate(None)
    assert found["ok"] is False
    assert f"tag {covered}: uncover the bottom right corner" in found["troubles"][0]
    assert not (tmp_path / FILE_NAME).exists()


def test_a_camera_too_high_is_told_to_come_down(tmp_path: Path) -> None:
    found = eyes(picture(1.2), tmp_path).calibrate("roche")
    assert found["ok"] is False
    assert "Mount the camera lower" in found["troubles"][0]
    assert not (tmp_path / FILE_NAME).exists()


def test_without_a_mat_or_a_picture_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.app.setup.camera.FRAME_TIMEOUT_S", 0.2)
    empty = np.full((480, 640, 3), 60, np.uint8)
    assert "No mat was seen" in eyes(empty, tmp_path).calibrate(None)["troubles"][0]
    assert "gives no picture" in eyes(None, tmp_path).calibrate(None)["troubles"][0]
    assert "There is no mat 'whist'" in eyes(empty, tmp_path).calibrate("whist")["troubles"][0]


def test_meters_tell_scale_focus_and_glare() -> None:
    sharp, blurred = picture(), cv2.GaussianBlur(picture(), (0, 0), 2.0)
    burnt = picture()
    burnt[:540] = 255
    assert meters(sharp, MATS)["px_per_mm"] == pytest.approx(PX_PER_MM, rel=0.02)
    assert meters(sharp, MATS)["edge_px"] < 2.5 < meters(blurred, MATS)["edge_px"]
    assert meters(sharp, MATS)["glare_percent"] < 1
    assert meters(burnt, MATS)["glare_percent"] == pytest.approx(50, abs=2)
    nothing = meters(np.zeros((480, 640, 3), np.uint8), MATS)
    assert (nothing["px_per_mm"], nothing["edge_px"], nothing["tags"]) == (None, None, 0)


def test_another_camera_is_looked_through_and_stays_open_for_the_next_look(tmp_path: Path) -> None:
    film = tmp_path / "table.png"
    cv2.imwrite(str(film), picture())
    looking = eyes(None, tmp_path)
    try:
        shown = looking.view(str(film))
        packed = base64.b64decode(shown["picture"].partition(",")[2])
        seen = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR)
        assert seen.shape == (540, 960, 3)
        assert shown["px_per_mm"] == pytest.approx(PX_PER_MM, rel=0.02)
        assert looking.view(str(film))["tags"] == 4
    finally:
        looking.close()
        looking.close()


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("/nowhere/at-all.mp4", "at-all.mp4"),
        ("/dev/video97", "video97"),
        ("gopher://x", "no address of a camera"),
        ("", "Write one"),
    ],
)
def test_a_camera_that_cannot_be_opened_says_why(tmp_path: Path, source: str, says: str) -> None:
    with pytest.raises(CameraError, match=says):
        eyes(None, tmp_path).view(source)


@pytest.mark.parametrize("source", ["/dev/video95", "95"])
def test_the_device_that_auto_has_found_is_seen_through_the_running_table(tmp_path: Path, source: str) -> None:
    """It is busy: opened once more it would give no picture, and another one would be asked for."""
    found = SetupCameras(Looking(picture(), camera_source="auto"), tmp_path, MATS, size=(1920, 1080), fps=30)  # type: ignore[arg-type]
    assert found.view(source)["tags"] == 4


def test_the_table_s_camera_is_not_the_tray_s_that_is_in_use(tmp_path: Path) -> None:
    """With a separate camera for the dice, its pictures must not be shown as the table camera's."""
    film = tmp_path / "table.png"
    cv2.imwrite(str(film), picture())
    in_use = Looking(np.full((1080, 1920, 3), 60, np.uint8), camera_source="/dev/video96", camera_name="/dev/video96")
    looking = SetupCameras(in_use, tmp_path, MATS, size=(1920, 1080), fps=30)  # type: ignore[arg-type]
    assert looking.view(str(film))["tags"] == 4
    assert looking.view("96")["tags"] == 0
    looking.close()


def test_the_running_camera_without_a_picture_yet_says_so(tmp_path: Path) -> None:
    with pytest.raises(CameraError, match="no picture yet"):
        eyes(None, tmp_path).view("demo")


# ---- flicker, and one card


def under(amplitude: float, *, hand: bool = False) -> list[np.ndarray]:
    """A table under a lamp that flickers with the mains; rows see it one after another."""
    rng, found = np.random.default_rng(3), []
    for n in range(5):
        rows = 1 + amplitude * np.sin(np.arange(480) / 480 * 5 * np.pi + 1.7 * n)
        image = np.full((480, 640, 3), (70, 95, 60)) * rows[:, None, None]
        if hand:
            image[:, 80 * n : 80 * n + 150] = (120, 140, 190)
        found.append(np.clip(image + rng.normal(0, 2, image.shape), 0, 255).astype(np.uint8))
    return found


def test_flicker_is_the_wavering_of_the_light_and_no_hand() -> None:
    assert flicker_share(under(0.12)) == pytest.approx(0.12, abs=0.04)
    assert flicker_share(under(0.0)) < 0.005
    assert flicker_share(under(0.0, hand=True)) < 0.02
    assert flicker_share([np.zeros((48, 64, 3), np.uint8)] * 5) is None, "too dark to say"
    assert flicker_share(under(0.0)[:2]) is None


def looking_at(image: np.ndarray | None, folder: Path, cards: Sequence[CardSighting]) -> tuple[SetupCameras, list[str]]:
    paused: list[str] = []
    camera = SetupCameras(
        Looking(image, camera_source="0"), folder, MATS, size=(1920, 1080), fps=30,  # type: ignore[arg-type]
        read_cards=lambda image, played: FrameReading((64, 48), tuple(cards)), pause=lambda: paused.append("now"),
    )  # fmt: skip
    return camera, paused


def sighting(status: str, deck: str | None = "K7QX", card: str | None = "6D3") -> CardSighting:
    return CardSighting(card, deck, status, ((0, 0), (9, 0), (9, 9), (0, 9)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cards", "played", "status", "says"),
    [
        ([sighting("ok")], ["K7QX"], "ok", "Kin day 3 of deck K7QX was read"),
        ([sighting("tag", None), sighting("ok")], [], "ok", "was read"),
        ([sighting("ok")], ["AC4D"], "foreign", "but AC4D is played"),
        ([sighting("forged")], [], "forged", "is forged"),
        ([sighting("foreign", "ZZZZ")], [], "foreign", "does not know"),
        ([sighting("tag", None)], [], "tag", "Only the corner tag"),
        ([sighting("unreadable", None, None)], [], "unreadable", "cannot be read"),
        ([], [], "none", "No card was seen"),
    ],
)
def test_a_card_is_shown_and_what_is_read_of_it_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cards: list[CardSighting],
    played: list[str],
    status: str,
    says: str,
) -> None:
    monkeypatch.setattr("companion.app.setup.camera.CARD_S", 0.1)
    camera, paused = looking_at(picture(), tmp_path, cards)
    found = camera.show_card("0", played)
    assert (found["status"], says in found["text"]) == (status, True), found["text"]
    assert paused, "what is shown is not played"


def test_without_a_picture_no_card_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.app.setup.camera.CARD_S", 0.1)
    monkeypatch.setattr("companion.app.setup.camera.BURST_S", 0.05)
    camera, _ = looking_at(None, tmp_path, [sighting("ok")])
    assert "gives no picture" in camera.show_card("0", [])["text"]
    with pytest.raises(CameraError, match="gives no picture"):
        camera.view("0")

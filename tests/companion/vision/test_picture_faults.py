"""Faults of a camera's pictures are detected within two seconds; ordinary events at a table are no faults."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from companion.vision.frame import Image
from companion.vision.picture_faults import PictureFaults

SIZE = (640, 360)
FPS = 10


def table(cards: int) -> Image:
    """Return a picture of a felt with printed lines and some cards, (H, W, 3)."""
    rng = np.random.default_rng(3)
    image = np.full((SIZE[1], SIZE[0], 3), (60, 95, 40), np.uint8)
    for x in range(40, 600, 80):
        cv2.rectangle(image, (x, 60), (x + 60, 250), (90, 150, 130), 1)
    cv2.putText(image, "A TABLE", (180, 330), cv2.FONT_HERSHEY_COMPLEX, 1.4, (90, 160, 140), 2)
    for card in range(cards):
        x = 44 + 80 * card
        cv2.rectangle(image, (x, 70), (x + 50, 140), (240, 240, 240), -1)
        code = cv2.resize(rng.integers(0, 2, (9, 9), dtype=np.uint8) * 255, (36, 36), interpolation=cv2.INTER_NEAREST)
        image[80:116, x + 8 : x + 44] = code[..., None]
    return image


class Film:
    """Feeds pictures with sensor noise to `PictureFaults` and records its results."""

    def __init__(self) -> None:
        self.faults, self.t, self.arrived = PictureFaults(), 0.0, 0
        rng = np.random.default_rng(1)
        self._grain = [rng.integers(0, 6, (SIZE[1], SIZE[0], 3), dtype=np.uint8) for _ in range(16)]

    def noisy(self, image: Image) -> Image:
        grain = self._grain[self.arrived % 16 - 1]
        if image.shape != grain.shape:
            grain = cv2.resize(grain, (image.shape[1], image.shape[0]))
        return np.asarray(cv2.add(image, grain), np.uint8)

    def show(self, seconds: float, picture: Callable[[], Image], *, every: int = 1) -> list[str]:
        """Return the reported kinds of faults, in order."""
        named: list[str] = []
        for number in range(round(seconds * FPS)):
            self.t += 1 / FPS
            if number % every:
                continue
            self.arrived += 1
            fault = self.faults.see(picture(), self.t, self.arrived)
            if fault is not None and fault.kind not in named:
                named.append(fault.kind)
        return named

    def healthy(self, image: Image, seconds: float = 5) -> list[str]:
        return self.show(seconds, lambda: self.noisy(image))


def broken_jpeg(image: Image, rng: np.random.Generator) -> Image:
    data = bytearray(cv2.imencode(".jpg", image)[1].tobytes())
    while True:
        spoiled = data.copy()
        for place in rng.integers(700, len(data), 6):
            spoiled[place] = int(rng.integers(0, 255))
        if (read := cv2.imdecode(np.frombuffer(bytes(spoiled), np.uint8), cv2.IMREAD_COLOR)) is not None:
            return np.asarray(read, np.uint8)


@pytest.mark.parametrize("cards", [0, 6], ids=["empty", "mid-deal"])
@pytest.mark.parametrize(
    "kind", ["dark", "dazzled", "noise", "frozen", "garbled", "size", "slow", "blurred", "moved"]
)  # fmt: skip
def test_each_fault_is_named_within_two_seconds_and_is_over_when_it_is_over(kind: str, cards: int) -> None:
    film, image, rng = Film(), table(cards), np.random.default_rng(5)
    assert film.healthy(image) == []
    still = film.noisy(image)
    spoiled: dict[str, Callable[[], Image]] = {
        "dark": lambda: film.noisy(np.zeros_like(image)),
        "dazzled": lambda: film.noisy(np.full_like(image, 250)),
        "noise": lambda: rng.integers(0, 256, image.shape, dtype=np.uint8),
        "frozen": lambda: still,
        "garbled": lambda: broken_jpeg(image, rng),
        "size": lambda: film.noisy(cv2.resize(image, (320, 240))),
        "slow": lambda: film.noisy(image),
        "blurred": lambda: film.noisy(cv2.GaussianBlur(image, (0, 0), 3)),
        "moved": lambda: film.noisy(np.roll(image, (8, 12), (0, 1))),
    }
    assert film.show(2.0, spoiled[kind], every=7 if kind == "slow" else 1) == [kind]
    film.healthy(image, 2)
    assert film.healthy(image, 2) == []


def test_nine_of_ten_pictures_lost_is_told_within_a_second_and_a_half() -> None:
    """Even while nothing moves and the only picture is not decoded."""
    film, image = Film(), table(3)
    film.healthy(image)
    unpacked = film.faults
    assert unpacked.skipped(film.t + 0.1, film.arrived + 1) is None
    found = unpacked.skipped(film.t + 1.1, film.arrived + 2)
    assert found is not None
    assert (found.kind, found.is_blind) == ("slow", False)
    film = Film()
    film.healthy(image)
    assert film.show(1.5, lambda: film.noisy(image), every=10) == ["slow"]


def test_what_cannot_be_read_is_doubtful_at_once() -> None:
    film, image = Film(), table(3)
    film.healthy(image)
    assert not film.faults.is_doubtful
    film.show(0.1, lambda: np.zeros_like(image))
    assert film.faults.is_doubtful
    assert film.faults.fault is None


def test_cards_that_come_and_go_hands_and_dimmed_lights_are_no_faults() -> None:
    film = Film()
    named = film.healthy(table(0))
    for cards in (1, 2, 3, 4, 5, 6, 0, 5):
        named += film.healthy(table(cards), 1)
    for x in range(0, 600, 60):  # an arm goes over the table
        arm = table(5)
        cv2.line(arm, (x, 360), (x + 30, 100), (120, 150, 190), 90)
        named += film.healthy(arm, 0.2)
    for share in (0.9, 0.8, 0.7, 0.6, 0.5):
        named += film.healthy((table(5) * share).astype(np.uint8), 1)
    assert named == []


def test_a_new_size_that_stays_is_believed_and_faults_are_seen_in_it() -> None:
    film, image = Film(), table(3)
    film.healthy(image)
    small = np.asarray(cv2.resize(image, (320, 200)), np.uint8)
    assert film.healthy(small, 19) == ["size"]
    assert film.healthy(image, 3) == []
    assert film.healthy(small, 19) == ["size"]
    film.healthy(small, 4)
    assert film.faults.fault is None
    assert film.healthy(small, 3) == []
    assert film.show(2.0, lambda: film.noisy(np.roll(small, (8, 12), (0, 1)))) == ["moved"]
    assert film.healthy(image, 4)[-1] == "size"


def test_a_camera_left_at_its_new_place_is_believed_to_belong_there() -> None:
    film, image = Film(), table(3)
    film.healthy(image)
    there = np.roll(image, (8, 12), (0, 1))
    assert film.healthy(there, 19) == ["moved"]
    film.healthy(there, 3)
    assert film.healthy(there, 3) == []


def test_a_drawn_table_that_stands_still_is_not_frozen() -> None:
    """Without sensor noise identical pictures are no evidence."""
    film, image = Film(), table(3)
    assert film.show(6, lambda: image) == []


def test_a_camera_that_has_never_sent_but_one_picture_is_frozen_after_a_while() -> None:
    """The camera's app froze before the table was opened: no one must wait for cards that it does not show."""
    film, image = Film(), table(3)
    assert film.show(29, lambda: image) == []
    assert film.show(3, lambda: image) == ["frozen"]
    assert film.healthy(image) == []


@pytest.mark.parametrize("size", [(1, 1), (3, 40), (64, 2), (119, 640)])
def test_tiny_pictures_are_looked_at_too(size: tuple[int, int]) -> None:
    film, image = Film(), np.full((*size, 3), 90, np.uint8)
    assert film.show(2, lambda: image) == []

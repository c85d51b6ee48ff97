"""Enrolled dice: learned, stored, recognized."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import plain_dice
import pytest
from fake_classifier import FakeClassifier

from companion.kernel.errors import CompanionError
from companion.vision.dice.boxes import DieBox
from companion.vision.dice.enrolled import LABELS, EnrolledDice, EnrolledDie, Similarity, best_match, fused
from companion.vision.dice.enrollment import Enrollment, Inspection, NotRecognized
from companion.vision.dice.faces.predictions import Prediction, Trust
from companion.vision.dice.faces.upright import close_crop
from companion.vision.dice.reader import DiceReader

LOOK = plain_dice.Look(body=(120, 50, 30), glare=0.1)


@pytest.fixture
def eye() -> FakeClassifier:
    """A classifier that is never sure without enrollment."""
    return FakeClassifier(p=0.5)


def picture(value: int, seed: int = 1, *, count: int = 1) -> tuple[np.ndarray, DieBox]:
    """Always the same d20, with a value up."""
    rng = np.random.default_rng(seed * 100 + value)
    scene = plain_dice.Scene(plain_dice.ground("paper", (200 * count, 200), rng))
    for k in range(count):
        drawn = plain_dice.put(scene, "d20", value, (100 + 200 * k, 100), 120, LOOK, rng, order=5)
    return plain_dice.finish(scene.image, rng), DieBox(drawn.box, 1.0)


@pytest.fixture(scope="module")
def crops() -> dict[str, list[np.ndarray]]:
    return {str(value): [close_crop(*picture(value))] for value in range(1, 21)}


def test_a_die_is_recognized_in_any_rotation(crops: dict[str, list[np.ndarray]], eye: FakeClassifier) -> None:
    die = EnrolledDie.learn("house", "d20", crops, eye)  # type: ignore[arg-type]
    for value in (3, 11, 20):
        turned = np.ascontiguousarray(np.rot90(crops[str(value)][0]))
        alike = die.similarity(eye.predict([turned])).number
        assert alike.shape == (20,)
        assert int(alike.argmax()) == value - 1


def test_only_a_similar_die_of_the_same_kind_is_recognized(
    crops: dict[str, list[np.ndarray]], eye: FakeClassifier
) -> None:
    die = EnrolledDie.learn("house", "d20", crops, eye)  # type: ignore[arg-type]
    seen = eye.predict(crops["7"])
    found = best_match([die], "d20", seen, 0.6)
    assert found is not None
    assert int(found.number.argmax()) == 6
    assert best_match([die], "d6", seen, 0.6) is None
    assert best_match([], "d20", seen, 0.6) is None
    noise = np.random.default_rng(1).integers(0, 255, (208, 208, 3), np.uint8)
    assert best_match([die], "d20", eye.predict([noise]), 0.6) is None


def test_similarity_and_network_probabilities_are_fused() -> None:
    alike = Similarity(np.array([0.9, 0.8, 0.1], np.float32))
    unsure = np.full(3, 1 / 3, np.float32)
    assert fused(alike, unsure, Trust(sharpness=20)).max() > 0.85
    other = np.array([0.01, 0.98, 0.01], np.float32)
    assert fused(alike, other, Trust(sharpness=20, network=1.0)).argmax() == 1
    assert fused(alike, other, Trust(sharpness=100, network=0.1)).argmax() == 0
    third = Similarity(alike.number, np.array([0.1, 0.1, 0.9], np.float32))
    assert fused(third, unsure, Trust(sharpness=20, beside=30)).argmax() == 2


def test_only_a_d20_is_matched_by_its_neighbors(crops: dict[str, list[np.ndarray]]) -> None:
    """The fours of a Rugen die have different neighbors, and only one of them was shown."""

    class WithNeighbors(FakeClassifier):
        def predict(self, crops: Sequence[np.ndarray], *, read_neighbors: bool = False) -> list[Prediction]:
            grid = np.ones((1, 3, 3, 64), np.float32) / 8
            return [replace(seen, neighbor_embeddings=grid) for seen in super().predict(crops)]

    pictures = {label: crops[str(k)] for k, label in enumerate(LABELS["rugen"], start=1)}
    assert EnrolledDie.learn("house", "rugen", pictures, WithNeighbors()).neighbors == {}  # type: ignore[arg-type]
    assert set(EnrolledDie.learn("house", "d20", crops, WithNeighbors()).neighbors) == set(LABELS["d20"])  # type: ignore[arg-type]


def test_a_die_without_all_faces_is_refused(crops: dict[str, list[np.ndarray]], eye: FakeClassifier) -> None:
    with pytest.raises(CompanionError, match=r"no picture of 7, 9\. Show these faces too"):
        EnrolledDie.learn("house", "d20", {k: v for k, v in crops.items() if k not in "79"}, eye)  # type: ignore[arg-type]
    with pytest.raises(CompanionError, match="does not show 21"):
        EnrolledDie.learn("house", "d20", crops | {"21": crops["1"]}, eye)  # type: ignore[arg-type]


def test_dice_are_stored_replaced_and_removed(
    tmp_path: Path, crops: dict[str, list[np.ndarray]], eye: FakeClassifier
) -> None:
    store = EnrolledDice(tmp_path)
    assert store.names() == {}
    assert store.load(["d20"], eye) == ()  # type: ignore[arg-type]
    store.store("House die", "d20", crops)
    store.store("House die", "d20", crops)
    assert store.names() == {"House die": "d20"}
    assert np.array_equal(store.pictures("House die")["17"][0], crops["17"][0])
    (loaded,) = store.load(["d20", "d6"], eye)  # type: ignore[arg-type]
    assert (loaded.name, set(loaded.faces)) == ("House die", set(LABELS["d20"]))
    assert store.load(["d6"], eye) == ()  # type: ignore[arg-type]
    store.forget("House die")
    assert store.names() == {}
    with pytest.raises(CompanionError, match="No die is called 'House die'"):
        store.forget("House die")


@pytest.mark.parametrize("name", ["???", "  ", "x" * 41, "a\x00b"])
def test_enrollment_refuses_a_name_that_cannot_be_stored(name: str) -> None:
    """Otherwise twenty faces would be shown in vain."""
    with pytest.raises(CompanionError, match="A die's name is a word or two"):
        Enrollment(name, "d20")


def test_names_that_share_their_letters_are_two_dice(tmp_path: Path, crops: dict[str, list[np.ndarray]]) -> None:
    store = EnrolledDice(tmp_path)
    blank = [np.zeros((208, 208, 3), np.uint8)]
    store.store("Würfel ä", "d20", crops)
    store.store("Würfel ö", "d6", dict.fromkeys(LABELS["d6"], blank))
    assert store.names() == {"Würfel ä": "d20", "Würfel ö": "d6"}
    assert (len(store.pictures("Würfel ä")), len(store.pictures("würfel ö"))) == (20, 6)
    store.forget("Würfel ä")
    assert store.names() == {"Würfel ö": "d6"}


@pytest.mark.parametrize("lost", ["die.json", "17-0.png"])
def test_a_damaged_die_is_skipped_and_may_be_stored_again(
    tmp_path: Path, crops: dict[str, list[np.ndarray]], eye: FakeClassifier, lost: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A die damaged by a power cut must not keep the table from opening."""
    store = EnrolledDice(tmp_path)
    folder = store.store("house", "d20", crops)
    store.store("other", "d20", crops)
    (folder / lost).write_bytes(b"")
    assert [die.name for die in store.load(["d20"], eye)] == ["other"]  # type: ignore[arg-type]
    assert "Ignoring a damaged enrolled die. Enroll it again" in caplog.text
    assert store.store("house", "d20", crops) == folder
    assert len(store.load(["d20"], eye)) == 2  # type: ignore[arg-type]


def test_a_failed_store_keeps_the_previous_die(
    tmp_path: Path, crops: dict[str, list[np.ndarray]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = EnrolledDice(tmp_path)
    store.store("house", "d20", crops)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("companion.objects.keeping.os.fsync", full)
    with pytest.raises(CompanionError, match="Make room on the disk"):
        store.store("house", "d20", crops)
    assert len(store.pictures("house")) == 20


def test_a_name_stays_in_its_folder(tmp_path: Path, crops: dict[str, list[np.ndarray]]) -> None:
    store = EnrolledDice(tmp_path / "data")
    assert store.store("../../away", "d20", crops).parent == tmp_path / "data" / "dice"
    with pytest.raises(CompanionError, match="is no name for a die"):
        store.store("../", "d20", crops)


def test_enrollment_asks_for_every_face_and_stores_the_die(tmp_path: Path) -> None:
    enrollment = Enrollment("house", "d20")
    for value in range(1, 21):
        assert str(value) in enrollment.wanted
        image, _ = picture(value)
        assert enrollment.take(image, str(value)) == ""
    assert enrollment.wanted == ()
    assert set(enrollment.finish(EnrolledDice(tmp_path)).faces) == set(LABELS["d20"])
    assert EnrolledDice(tmp_path).names() == {"house": "d20"}


def blank_as(near: np.ndarray, value: int) -> Inspection:
    """A picture of a blank face that duplicates no other."""
    views = np.eye(64, dtype=np.float32)[value][None]
    return Inspection("", None, np.roll(cv2.GaussianBlur(near, (0, 0), 7.0), value % 5, axis=1), views)


@pytest.mark.thorough
def test_a_die_whose_faces_would_not_be_recognized_is_not_stored(tmp_path: Path) -> None:
    """A d20 without numbers, or with numbers lost in its pattern: faces matched by chance are read wrong."""
    enrollment, near = Enrollment("house", "d20"), close_crop(*picture(1))
    for value in range(1, 21):
        assert enrollment.learn(blank_as(near, value), str(value)) == ""
    with pytest.raises(
        NotRecognized, match=r"would hardly know these faces again: 1, 2.*Take them once more in better"
    ):
        enrollment.finish(EnrolledDice(tmp_path))
    assert EnrolledDice(tmp_path).names() == {}


@pytest.mark.thorough
def test_only_unrecognized_faces_are_shown_again(tmp_path: Path) -> None:
    """A rejected picture is dropped: next to a better one it would still be matched."""
    enrollment, bad = Enrollment("house", "d20"), (3, 7, 12)
    for value in range(1, 21):
        seen = enrollment.inspect(picture(value)[0])
        assert seen.crop is not None
        assert enrollment.learn(blank_as(seen.crop, value) if value in bad else seen, str(value)) == ""
    for _ in range(2):  # trying again without new pictures changes nothing
        with pytest.raises(CompanionError, match=r"3, 7, 12"):
            enrollment.finish(EnrolledDice(tmp_path))
        assert enrollment.wanted == ("3", "7", "12")
    assert EnrolledDice(tmp_path).names() == {}
    for value in bad:
        assert enrollment.take(picture(value)[0], str(value)) == ""
    enrollment.finish(EnrolledDice(tmp_path))
    kept = EnrolledDice(tmp_path).pictures("house")
    assert {label: len(crops) for label, crops in kept.items()} == dict.fromkeys(LABELS["d20"], 1)


def test_faces_of_a_day_and_night_die_are_named_in_words(eye: FakeClassifier) -> None:
    enrollment, seen = Enrollment("house", "rugen", classifier=eye), blank_as(close_crop(*picture(1)), 1)  # type: ignore[arg-type]
    asked = enrollment.learn(replace(seen, predicted="3n"), "2d")
    assert asked == "the camera reads night 3; if it is day 2 all the same, take it once more"


@pytest.mark.thorough
def test_an_enrolled_d6_is_read(tmp_path: Path) -> None:
    """Its pips match those of any other d6, which does not count against it."""

    def thrown(value: int, seed: int) -> np.ndarray:
        rng = np.random.default_rng([seed, value])
        scene = plain_dice.Scene(plain_dice.ground("paper", (480, 480), rng))
        plain_dice.put(scene, "d6", value, (240, 240), 120, LOOK, rng)
        return plain_dice.finish(scene.image, rng)

    enrollment = Enrollment("house", "d6")
    for value in range(1, 7):
        assert enrollment.take(thrown(value, 1), str(value)) == ""
    reader = DiceReader(("d6",), enrolled=[enrollment.finish(EnrolledDice(tmp_path))])
    assert [[die.value for die in reader.read(thrown(v, 2)).dice] for v in range(1, 7)] == [[v] for v in range(1, 7)]


def test_unusable_pictures_are_refused_with_the_reason(eye: FakeClassifier) -> None:
    enrollment = Enrollment("house", "d20", classifier=eye)  # type: ignore[arg-type]
    good, _ = picture(4)
    bare = plain_dice.ground("paper", (200, 200), np.random.default_rng(1))
    assert enrollment.take(bare, "4") == "no die is to be seen"
    assert enrollment.take(picture(4, count=2)[0], "4") == "2 dice are to be seen: leave only one"
    small = cv2.resize(good, None, fx=0.4, fy=0.4, interpolation=cv2.INTER_AREA)
    assert "too small" in enrollment.take(small, "4")
    assert enrollment.take(cv2.GaussianBlur(good, (0, 0), 5.0), "4") in (
        "the picture is blurred",
        "no die is to be seen",
    )
    mirrored = cv2.circle(good.copy(), (100, 100), 26, (255, 255, 255), -1)
    assert enrollment.take(mirrored, "4").startswith("nothing is to be seen on the upper face")
    assert enrollment.take(good, "4") == ""
    assert enrollment.take(good, "5") == "this is the face that was shown as 4"
    eye.says.kind, eye.says.top = "d6", 2
    assert enrollment.take(picture(5)[0], "5") == "this looks like a d6, not like a d20"
    assert enrollment.shown == ("4",)
    with pytest.raises(CompanionError, match="does not show '0'"):
        enrollment.take(good, "0")


def test_a_face_read_as_another_is_queried_once(eye: FakeClassifier) -> None:
    enrollment = Enrollment("house", "d20", classifier=eye)  # type: ignore[arg-type]
    eye.says.top, eye.says.p = 16, 0.99
    asked = "the camera reads 17; if it is 12 all the same, take it once more"
    assert enrollment.take(picture(12)[0], "12") == asked
    assert enrollment.take(picture(13)[0], "13").startswith("the camera reads 17")
    assert enrollment.take(picture(12)[0], "12") == asked  # another face was asked about in between
    assert enrollment.shown == ()
    assert enrollment.take(picture(12)[0], "12") == ""
    assert enrollment.take(picture(17)[0], "17") == ""
    assert enrollment.shown == ("12", "17")


def test_an_unfinished_enrollment_stores_nothing(tmp_path: Path, eye: FakeClassifier) -> None:
    enrollment = Enrollment("house", "d20", classifier=eye)  # type: ignore[arg-type]
    enrollment.take(picture(4)[0], "4")
    with pytest.raises(CompanionError, match="has no picture of 1, 2, 3, 5"):
        enrollment.finish(EnrolledDice(tmp_path))
    assert EnrolledDice(tmp_path).names() == {}

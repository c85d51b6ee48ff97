"""Data augmentation: labels are transformed together with the rotated, shifted and rectified pictures."""

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch")

from companion.vision.dice.axis import Axis  # noqa: E402
from companion.vision.dice.faces.upright import CLOSE_CROP_PX, DIE_PX  # noqa: E402
from tools.training.augment import UNKNOWN, BatchRng, batch_input, number_batch, rectifying, whole_batch  # noqa: E402
from tools.training.painting import shard  # noqa: E402
from tools.training.pool import KIND, NOTE, TILT, TOWARDS, UP, Pool, X, Y  # noqa: E402
from tools.training.samples.dataset import Samples, shard_path  # noqa: E402
from tools.training.samples.scenes import UNREADABLE  # noqa: E402
from tools.training.sources import Sources  # noqa: E402

CPU = torch.device("cpu")


def spot(x, y, tilt=0.0, towards=0.0, count=64):
    """Samples with a bright spot at the upper face's center and a number whose top points up the picture."""
    image = np.full((CLOSE_CROP_PX, CLOSE_CROP_PX, 3), 20, np.uint8)
    middle = [round((CLOSE_CROP_PX - 1) / 2 + v * DIE_PX) for v in (x, y)]
    cv2.circle(image, middle, 7, (235, 235, 235), -1)
    labels = np.zeros((count, 9), np.int16)
    labels[:, [UP, X, Y, TILT, TOWARDS]] = 0, round(1000 * x), round(1000 * y), round(10 * tilt), towards
    return Pool.of([Samples(np.stack([image] * count), labels)])


@pytest.mark.parametrize("tilt", [0.0, 30.0])
def test_places_go_along_when_a_die_is_turned_and_set_upright(tilt):
    pool = spot(0.05, -0.15, tilt, 200.0)
    crops, labels = whole_batch(pool.images, pool.labels, BatchRng(4, CPU))
    off = []
    for crop, (_, _, note, _, x, y) in zip(crops.numpy(), labels.numpy(), strict=True):
        light = cv2.GaussianBlur(crop.mean(axis=0), (0, 0), 3)
        there = np.unravel_index(light.argmax(), light.shape)
        said = np.array([y, x]) * 96 / 1.25 + 47.5
        if note == 0:
            off.append(float(np.hypot(*(said - there))))
    assert len(off) > 30
    assert np.median(off) < 9  # the labels do not include shifts and scales
    assert np.median(off) > 0.5


def test_a_known_axis_is_undone_as_the_program_does():
    matrix, shift = rectifying(torch.tensor([25.0]), torch.tensor([70.0]))
    whole = Axis(25.0, 70.0).along().rectifying()
    middle = np.full(2, (CLOSE_CROP_PX - 1) / 2)
    assert np.allclose(matrix[0].numpy(), whole[:, :2], atol=1e-6)
    assert np.allclose(shift[0].numpy(), whole[:, 2] - middle + whole[:, :2] @ middle, atol=1e-4)


def test_what_is_seen_aslant_by_an_unknown_axis_is_not_to_be_read():
    pool = spot(0.0, 0.0, 30.0, 10.0, count=400)
    _, labels = whole_batch(pool.images, pool.labels, BatchRng(5, CPU))
    notes = labels[:, NOTE]
    assert 30 < int((notes == UNKNOWN).sum()) < 140  # a fifth: another face of a d20 may seem the upper one
    pool.labels[:, KIND] = 1
    _, labels = whole_batch(pool.images, pool.labels, BatchRng(5, CPU))
    assert int((labels[:, NOTE] == UNREADABLE).sum()) == int((notes == UNKNOWN).sum())


def test_four_numbers_in_five_stand_upright_and_things_have_none():
    pool = spot(0.0, 0.0, count=300)
    crops, _, upright = number_batch(pool.images, pool.labels, BatchRng(6, CPU))
    assert crops.shape == (300, 3, 64, 64)
    assert 200 < int(upright.sum()) < 265
    pool.labels[:, UP] = -1
    assert not number_batch(pool.images, pool.labels, BatchRng(6, CPU))[2].any()


def test_the_network_s_input_is_rgb_from_0_to_1():
    crop = np.zeros((96, 96, 3), np.uint8)
    crop[..., 0] = 255  # blue
    batch = batch_input([crop])
    assert batch.shape == (1, 3, 96, 96)
    assert batch[0, :, 0, 0].tolist() == [0.0, 0.0, 1.0]
    assert batch_input([]).shape == (0, 3, 96, 96)


def test_new_samples_push_out_the_oldest(few):
    pool = Pool(70, CPU)
    pool.add_samples(few)
    assert pool.count == 60
    pool.add_samples(few)
    assert (pool.count, pool.added) == (70, 120)
    first = np.asarray(few.images[10]).transpose(2, 0, 1)
    assert np.array_equal(pool.images[0].numpy(), first)  # the eleventh of the second sixty came round
    assert np.array_equal(pool.labels[60].numpy(), few.labels[0])


def test_painted_shards_are_taken_up_as_they_are_finished(few, tmp_path):
    for number in range(2):
        path = shard_path(tmp_path, "train", 3, number)
        np.save(path, few.images)
        np.save(path.with_suffix(".labels.npy"), few.labels)
    assert shard(tmp_path, 3, 1) == path
    pool, told = Pool(500, CPU), []
    sources = Sources(pool, tmp_path, seed=3, shards=2, bank=0, rays=0.5, processes=1)
    try:
        sources.wait(120, lambda done, total: told.append((done, total)))
    finally:
        sources.close()
    assert (pool.count, sources.painted, sources.cast) == (120, 120, 0)
    assert told[-1] == (120, 120)

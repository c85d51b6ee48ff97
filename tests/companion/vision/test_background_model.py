"""The bare table is learned where no card lies; an object covering a card is not mistaken for it."""

import numpy as np
import pytest

from companion.vision.live.background_model import BackgroundModel

SIZE = (640, 480)
STILL = np.ones((15, 20), bool)
CARD = ((200.0, 100.0), (400.0, 100.0), (400.0, 380.0), (200.0, 380.0))
BOX = (260, 200, 340, 280)


def felt(level: float = 1.0, seed: int = 0) -> np.ndarray:
    """Return a green cloth with printed lines and camera noise."""
    image = np.empty((SIZE[1], SIZE[0], 3), np.float32)
    image[:] = (60, 95, 30)
    image[::40] = image[:, ::56] = (90, 190, 200)
    noise = np.random.default_rng(seed).normal(0, 4, image.shape)
    return np.clip(image * level + noise, 0, 255).astype(np.uint8)


def with_patch(box: tuple[int, int, int, int], colour: tuple[int, int, int]) -> np.ndarray:
    image = felt(seed=9)
    image[box[1] : box[3], box[0] : box[2]] = colour
    return image


@pytest.fixture
def background() -> BackgroundModel:
    background = BackgroundModel(SIZE)
    background.learn(felt(), STILL, [], [], 0.0)
    return background


def test_nothing_is_bare_before_it_was_seen() -> None:
    assert not BackgroundModel(SIZE).is_bare(felt(), BOX)


@pytest.mark.parametrize("level", [0.8, 0.9, 1.0, 1.1, 1.2])
def test_the_printed_cloth_is_known_again_in_other_light(background: BackgroundModel, level: float) -> None:
    assert background.is_bare(felt(level, seed=2), BOX)
    assert background.is_all_bare(felt(level, seed=2), (64, 64, 512, 416))


@pytest.mark.parametrize(
    "colour", [(120, 150, 200), (40, 40, 40), (250, 250, 250), (230, 230, 230), (95, 60, 30), (20, 20, 60)]
)
def test_a_hand_a_sleeve_glare_or_paper_is_no_cloth(background: BackgroundModel, colour: tuple[int, int, int]) -> None:
    assert not background.is_bare(with_patch(BOX, colour), BOX)


def test_half_covered_is_not_bare(background: BackgroundModel) -> None:
    assert not background.is_bare(with_patch((260, 200, 275, 280), (120, 150, 200)), BOX)


def test_a_small_corner_in_a_large_box_is_noticed(background: BackgroundModel) -> None:
    assert not background.is_all_bare(with_patch((100, 100, 114, 114), (240, 240, 240)), (64, 64, 512, 416))


def test_the_place_of_a_card_is_not_learnt() -> None:
    background = BackgroundModel(SIZE)
    background.learn(with_patch((200, 100, 400, 380), (230, 230, 230)), STILL, [CARD], [CARD], 0.0)
    assert not background.knows(BOX)
    assert background.knows((500, 64, 600, 160))


def test_what_turns_out_to_be_a_card_is_forgotten_as_ground() -> None:
    background = BackgroundModel(SIZE)
    image = with_patch((200, 100, 400, 380), (230, 230, 230))
    background.learn(image, STILL, [], [], 0.0)
    assert background.knows(BOX)
    background.learn(image, STILL, [CARD], [CARD], 0.3)
    assert not background.knows(BOX)


def test_cloth_under_a_card_stays_known(background: BackgroundModel) -> None:
    image = with_patch((200, 100, 400, 380), (230, 230, 230))
    background.learn(image, STILL, [CARD], [CARD], 0.3)
    assert background.is_bare(felt(seed=3), BOX)


def test_a_hand_that_rests_is_not_learnt_for_long() -> None:
    background = BackgroundModel(SIZE)
    hand = with_patch((200, 100, 400, 380), (120, 150, 200))
    background.learn(felt(), STILL, [], [], 0.0)
    for t in range(1, 15):
        background.learn(hand, STILL, [], [], float(t))
    assert not background.is_bare(hand, BOX)
    for t in range(15, 25):
        background.learn(hand, STILL, [], [], float(t))
    assert background.is_bare(hand, BOX)

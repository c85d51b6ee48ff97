"""The small pictures of a table: what differs, what is accepted, and how both follow the light."""

import numpy as np

from companion.vision.live.change import CELL_PX
from companion.vision.live.table_appearance import Mask, TableAppearance, differences

WIDTH, HEIGHT = 480, 288
CARD = (slice(100, 178), slice(200, 256))
AROUND_CARD = (slice(102, 176), slice(202, 254))  # without the blurred edge


class Table:
    """A still cloth under a lamp, seen every 0.3 s with a sensor's noise."""

    def __init__(self) -> None:
        self.picture = np.full((HEIGHT, WIDTH, 3), (60, 120, 70), np.float32)
        self.last_motion = np.full((-(-HEIGHT // CELL_PX), -(-WIDTH // CELL_PX)), -np.inf)
        self.appearance = TableAppearance((WIDTH, HEIGHT))
        self.t = 0.0
        self.rng = np.random.default_rng(3)
        self.see()
        self.appearance.learn(self.last_motion, (), self.t)

    def see(self, light: float = 1.0) -> Mask:
        """Show the table; return where it differs from the accepted appearance."""
        self.t += 0.3
        noise = self.rng.normal(0, 4, self.picture.shape)
        image = np.clip(self.picture * light + noise, 0, 255).astype(np.uint8)
        self.appearance.update(image, self.last_motion, self.t, self.t)
        return differences(self.appearance.now, self.appearance.accepted)


def test_a_card_differs_until_it_is_accepted() -> None:
    table = Table()
    assert not table.see().any()
    table.picture[CARD] = 220
    new = table.see()
    assert new[AROUND_CARD].all()
    assert np.count_nonzero(new) < 1.2 * 78 * 56
    table.appearance.accept(new)
    assert not table.see().any()
    assert table.appearance.is_accepted(CARD).all()
    assert not table.appearance.is_bare(AROUND_CARD).any()


def test_a_removed_card_leaves_a_place_where_the_next_one_differs_again() -> None:
    table = Table()
    table.picture[CARD] = 220
    table.appearance.accept(table.see())
    table.appearance.restore_bare(np.full((HEIGHT, WIDTH), 255, np.uint8))
    assert table.see()[AROUND_CARD].all()


def test_a_brighter_lamp_is_no_difference() -> None:
    table = Table()
    assert not table.see(light=1.25).any()
    assert table.see(light=2.0).any(), "no lamp becomes twice as bright"


def test_the_covered_table_is_recognized_after_the_light_has_faded() -> None:
    """By 20 levels in a minute: slowly enough to follow, but the table below the card is not seen meanwhile."""
    table = Table()
    cloth = table.picture.copy()
    table.picture[CARD] = 220
    table.appearance.accept(table.see())
    faded = np.linspace(1.0, 1 - 20 / 120, 200)
    for light in faded:
        table.see(light=float(light))
        table.appearance.follow(table.t)
    table.picture = cloth
    table.see(light=float(faded[-1]))
    assert table.appearance.is_bare(AROUND_CARD).all()

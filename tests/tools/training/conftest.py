"""Samples drawn with the program's own fonts: enough to run every step, not to train."""

from pathlib import Path

import numpy as np
import pytest

from companion.printing.fonts import __file__ as fonts_home
from tools.training.samples.dataset import Samples, labels_of
from tools.training.samples.fonts import Fonts
from tools.training.samples.scenes import KINDS, sample


@pytest.fixture(scope="session")
def fonts() -> Fonts:
    """The two font families that come with the program."""
    mine = tuple((str(path),) for path in sorted(Path(str(fonts_home)).parent.glob("*.ttf")))
    return Fonts(mine, mine)


@pytest.fixture(scope="session")
def few(fonts: Fonts) -> Samples:
    """Sixty samples, a quarter of each kind."""
    rng = np.random.default_rng(11)
    made = [sample(rng, fonts, "held", KINDS[i % 4]) for i in range(60)]
    labels = np.array([labels_of(each) for each in made], np.int16)
    return Samples(np.stack([each.image for each in made]), labels)

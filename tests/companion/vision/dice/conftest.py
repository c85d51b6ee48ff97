"""Makes the helper modules in this folder importable, and provides a classifier that needs no network."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from fake_classifier import FakeClassifier


@pytest.fixture
def eye() -> FakeClassifier:
    return FakeClassifier()

"""Real brokers for these tests; `mqtt_words` beside this file starts tables that publish."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from mosquitto import Client, Mosquitto


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    with Mosquitto(tmp_path) as running:
        yield running


@pytest.fixture
def reader(broker: Mosquitto) -> Iterator[Client]:
    with Client(broker.port) as connected:
        yield connected

"""`integration_rig` beside this file steps a broadcaster by hand."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from integration_rig import IntegrationRig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[IntegrationRig]:
    with IntegrationRig(tmp_path) as table:
        yield table

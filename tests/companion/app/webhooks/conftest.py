"""`receiver` beside this file stands for whoever is told; tables are started as those of `mqtt_words`."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "mqtt"))

from receiver import SECRET


@pytest.fixture
def secret_file(tmp_path: Path) -> str:
    file = tmp_path / "secret"
    file.write_text(f"whsec_{SECRET}\n")
    return str(file)

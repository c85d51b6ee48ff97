"""The pay sheet's tests play the games' random evenings."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "games"))

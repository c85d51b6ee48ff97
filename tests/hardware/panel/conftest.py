"""The scripts of chance lie beside, and the referees that make them with the games' tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

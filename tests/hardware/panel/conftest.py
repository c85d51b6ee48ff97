"""Puts the random scripts in this folder, and the referees of the games' tests that generate them, on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

"""Where the companion keeps its data."""

from __future__ import annotations

import os
from pathlib import Path


def default_data_dir() -> Path:
    """Return ``$COMPANION_DATA``, else the XDG data directory's ``companion``."""
    named = os.environ.get("COMPANION_DATA")
    if named:
        return Path(named).expanduser()
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "companion"

"""Roche and Grand Roche for the table companion."""

from __future__ import annotations

from typing import Final

from companion.games.roche.rules import Roche
from companion.plugins.plugin import GamePlugin

ROCHE: Final = GamePlugin(rules=Roche())

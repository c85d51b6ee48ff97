"""Rochi and Captain's Rochi for the table companion."""

from __future__ import annotations

from typing import Final

from companion.games.rochi.captains.rules import Captains
from companion.games.rochi.rules import Rochi
from companion.plugins.plugin import GamePlugin

ROCHI: Final = GamePlugin(rules=Rochi())
CAPTAINS: Final = GamePlugin(rules=Captains())

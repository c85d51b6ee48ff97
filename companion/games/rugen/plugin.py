"""House, Street and Capital Rugen for the table companion."""

from __future__ import annotations

from typing import Final

from companion.games.rugen.capital import RugenCapital
from companion.games.rugen.house import RugenHouse
from companion.games.rugen.street import RugenStreet
from companion.plugins.plugin import GamePlugin

HOUSE: Final = GamePlugin(rules=RugenHouse())
STREET: Final = GamePlugin(rules=RugenStreet())
CAPITAL: Final = GamePlugin(rules=RugenCapital())

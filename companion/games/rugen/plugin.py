"""House, Street and Capital Rugen for the table companion. What needs a renderer is loaded when it is asked for."""

from __future__ import annotations

from typing import Final

from companion.games.rugen.capital import RugenCapital
from companion.games.rugen.demo.players import NAMES
from companion.games.rugen.house import RugenHouse
from companion.games.rugen.mats import ROULETTE_MAT, RUGEN_MAT
from companion.games.rugen.street import RugenStreet
from companion.plugins.demo import Demo, DemoSetting, DemoWorld
from companion.plugins.perception import DiePerception
from companion.plugins.plugin import GamePlugin


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.rugen.demo.dealer import DemoRugen, new_tray

    tray = new_tray(size=setting.size, rugen=setting.die == "rugen")
    return DemoWorld(tray, DemoRugen(setting.service, tray, names=NAMES if setting.may_seat else ()), tray.zone)


HOUSE: Final = GamePlugin(
    rules=RugenHouse(),
    perception=DiePerception(),
    demo=Demo(NAMES[:3], 200, _demo),
    mats=(RUGEN_MAT, ROULETTE_MAT),
)
STREET: Final = GamePlugin(rules=RugenStreet(), perception=DiePerception(), demo=Demo(NAMES[:3], 200, _demo))
CAPITAL: Final = GamePlugin(rules=RugenCapital(), perception=DiePerception(), demo=Demo(NAMES[:3], 200, _demo))

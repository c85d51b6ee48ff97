"""House, Street and Capital Rugen for the table companion. What needs a renderer is loaded when it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.games.rugen.capital import RugenCapital
from companion.games.rugen.demo.players import NAMES
from companion.games.rugen.house import RugenHouse
from companion.games.rugen.street import RugenStreet
from companion.plugins.demo import Demo, DemoSetting, DemoWorld
from companion.plugins.perception import DiePerception
from companion.plugins.plugin import GamePlugin

if TYPE_CHECKING:
    from companion.tracking.dice.throws import ThrowRules


def _throws() -> ThrowRules:
    from companion.games.rugen.camera.throws import THROWS

    return THROWS


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.rugen.demo.dealer import DemoRugen, new_tray

    tray = new_tray(size=setting.size, rugen=setting.die == "rugen")
    return DemoWorld(tray, DemoRugen(setting.service, tray, names=NAMES if setting.may_seat else ()), tray.zone)


_DEMO: Final = Demo(NAMES[:3], 200, _demo)
_PERCEPTION: Final = DiePerception(_throws)
_SCENARIOS: Final = Path(__file__).parent / "scenarios"

HOUSE: Final = GamePlugin(rules=RugenHouse(), perception=_PERCEPTION, demo=_DEMO, scenarios=_SCENARIOS)
STREET: Final = GamePlugin(rules=RugenStreet(), perception=_PERCEPTION, demo=_DEMO, scenarios=_SCENARIOS)
CAPITAL: Final = GamePlugin(rules=RugenCapital(), perception=_PERCEPTION, demo=_DEMO, scenarios=_SCENARIOS)

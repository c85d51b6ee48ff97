"""House, Street and Capital Rugen for the table companion. What needs a renderer is loaded when it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from companion.games.rugen import practice, terms
from companion.games.rugen.capital import RugenCapital
from companion.games.rugen.demo.players import NAMES
from companion.games.rugen.house import RugenHouse
from companion.games.rugen.panel import RugenPanel
from companion.games.rugen.street import RugenStreet
from companion.plugins.demo import Demo, DemoSetting, DemoWorld
from companion.plugins.perception import DiePerception
from companion.plugins.plugin import GamePlugin


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.rugen.demo.dealer import DemoRugen, new_tray

    tray = new_tray(size=setting.size, rugen=setting.die == "rugen")
    return DemoWorld(tray, DemoRugen(setting.service, tray, names=NAMES if setting.may_seat else ()), tray.zone)


_DEMO: Final = Demo(NAMES[:3], 200, _demo)


_SCENARIOS: Final = Path(__file__).parent / "scenarios"


HOUSE: Final = GamePlugin(
    rules=RugenHouse(),
    perception=DiePerception(),
    demo=_DEMO,
    panel=RugenPanel(),
    scenarios=_SCENARIOS,
    practice=practice.house,
    terms=terms.HOUSE,
)
STREET: Final = GamePlugin(
    rules=RugenStreet(),
    perception=DiePerception(),
    demo=_DEMO,
    panel=RugenPanel(),
    scenarios=_SCENARIOS,
    practice=practice.street,
    terms=terms.STREET,
)
CAPITAL: Final = GamePlugin(
    rules=RugenCapital(),
    perception=DiePerception(),
    demo=_DEMO,
    panel=RugenPanel(),
    scenarios=_SCENARIOS,
    practice=practice.capital,
    terms=terms.CAPITAL,
)

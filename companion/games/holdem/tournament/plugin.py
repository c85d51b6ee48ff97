"""Hold'em tournament plugin; hands are the cash game's."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from companion.games.holdem.demo.players import NAMES, PURSE
from companion.games.holdem.plugin import HOLDEM, scripted_table
from companion.games.holdem.tournament.clock import due
from companion.games.holdem.tournament.panel import TournamentPanel
from companion.games.holdem.tournament.rules import HoldemTournament
from companion.games.holdem.tournament.words import STEPS, TERMS, practice
from companion.on_demand import OnDemand
from companion.plugins.demo import Demo, DemoSetting, DemoWorld


def _demo(setting: DemoSetting) -> DemoWorld:
    from companion.games.holdem.demo.table import new_holdem_table
    from companion.games.holdem.tournament.agent import TournamentAgent

    table = new_holdem_table(setting.deck(), size=setting.size)
    return DemoWorld(table, TournamentAgent(setting.service, table, names=NAMES if setting.may_seat else ()))


TOURNAMENT: Final = replace(
    HOLDEM,
    rules=HoldemTournament(),
    options=OnDemand("companion.games.holdem.tournament.options:TournamentOptions").get,
    panel=TournamentPanel(),
    terms=TERMS,
    steps=STEPS,
    practice=practice,
    due=due,
    demo=Demo(NAMES, PURSE, _demo, scripted_table),
    scenarios=Path(__file__).parent / "scenarios",
)

"""Random legal games that reach every phase, for tests of the panel."""

import random
from typing import Any

import blackjack_referee
import captains_referee
import chinchirorin_referee
import holdem_referee
import referee
import rochi_referee
import roulette_referee
import rugen_referee

from companion.kernel.table import Table
from companion.plugins.panel import ButtonAction, Menu, Moment, PanelPart
from companion.service.moment import moment_of
from companion.service.snapshot import Snapshot
from companion.service.view_extensions import ViewContext
from companion.testing import INSTALLED
from hardware.panel import button_actions

GAMES = (
    "roche",
    "rochi",
    "captains",
    "rugen-street",
    "rugen-house",
    "rugen-capital",
    "roulette",
    "chinchirorin",
    "blackjack",
    "holdem",
)


def script(game: str, seed: int, length: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a header and ``length`` legal commands, including undo and redo."""
    rng = random.Random(f"{game} {seed}")
    if game == "roche":
        whole = referee.random_script(rng, 3)[0]
    elif game == "rochi":
        whole = rochi_referee.random_evening(rng, 5)[0]
    elif game == "captains":
        whole = captains_referee.random_duel(rng, length)[0]
    elif game == "roulette":
        whole = roulette_referee.random_play(rng, length)
    elif game == "blackjack":
        whole = blackjack_referee.rich_evening(rng, length)
    elif game == "holdem":
        whole = holdem_referee.random_evening(rng, length)
    elif game == "chinchirorin":
        whole = chinchirorin_referee.rich_evening(rng, length)
    else:
        whole = rugen_referee.random_script(rng, game, length)[0]
    return whole[0], whole[1 : length + 1]


# ---- the panel's view of a table


def seen(table: Table, **shown: Any) -> Moment:
    """Return a table's moment for the panel; ``shown`` are further snapshot fields: ``sight``, ``questions``."""
    around = ViewContext(table.position.ledger)
    return moment_of(Snapshot(1, 1, 0, "", table.view(), table.situation(), context=around, **shown))


def part_of(moment: Moment) -> PanelPart:
    return INSTALLED[moment.rules.name].panel


def actions_of(moment: Moment, cursor: button_actions.Cursor = button_actions.NO_CURSOR) -> dict[str, ButtonAction]:
    return button_actions.actions_of(part_of(moment), moment, cursor)


def menu_of(moment: Moment) -> Menu | None:
    return button_actions.menu_of(part_of(moment), moment)


def rare_menu(moment: Moment) -> Menu | None:
    return button_actions.rare_menu(part_of(moment), moment)

"""The explanation of a payout: the bet's exact probability, and the camera's evidence."""

import json
from functools import cache
from typing import Any

from typing_extensions import TypedDict

from companion.journal.history.hand_history import HandHistory
from companion.kernel.game import Game, Options
from companion.plugins.odds import OddsPart
from companion.plugins.plugin import GamePlugin


class Chance(TypedDict):
    """A bet's exact chance, as "p/q" and as a number."""

    probability: str
    float: float


class SeenJson(TypedDict):
    """A picture of what counted in a hand: the entry, the evidence's name, and the card or face read there."""

    seq: int
    name: str
    shown: str


def chances_before(game: GamePlugin, options: Options) -> dict[str, Chance]:
    """Return spot -> the bet's exact probability before the first card or throw."""
    return _chances(game.rules, game.odds, json.dumps(dict(options), sort_keys=True))


@cache
def _chances(rules: Game[Any], odds: OddsPart, options: str) -> dict[str, Chance]:
    state = rules.start((), json.loads(options))
    return {line["on"]: {"probability": line["probability"], "float": line["float"]} for line in odds.shown(state)}


def seen(history: HandHistory, session: int, number: int) -> list[SeenJson]:
    """Return the evidence pictures of a hand's effective commands, with the card or face read."""
    found: list[SeenJson] = []
    for step in history.steps(session, number) or ():
        shown = next((step.record[key] for key in ("card", "face", "d20") if step.record.get(key) is not None), None)
        if step.evidence and shown is not None and not step.is_undone:
            found.append({"seq": step.seq, "name": step.evidence, "shown": str(shown)})
    return found

"""Plays for BG Stats, a play log for phones, as the JSON of its ``createPlay`` link.

One play per game of an evening. The Android app rejects players without ``winner`` and ``startPlayer``, so both are
always set. The link opens the app on the phone; nothing is sent to a server.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Final
from urllib.parse import quote

from typing_extensions import TypedDict

from companion.kernel.shared.names import alike
from companion.statistics.league import GameDay

LINK: Final = "bgstats://app.bgstatsapp.com/createPlay.html?data="
SOURCE: Final = "Table Companion"


class PlayedGame(TypedDict):
    name: str
    sourceGameId: str
    highestWins: bool
    noPoints: bool


class PlayerJson(TypedDict):
    name: str
    sourcePlayerId: str
    startPlayer: bool
    winner: bool
    score: int
    rank: int


class PlayJson(TypedDict):
    """A play, with the names that BG Stats gives its parts."""

    sourceName: str
    sourcePlayId: str
    playDate: str
    "In UTC."
    durationMin: int
    comments: str
    game: PlayedGame
    players: list[PlayerJson]


def plays(day: GameDay, titles: Mapping[str, str]) -> list[PlayJson]:
    """Return the plays of an evening, without games in which no coins changed hands.

    Args:
        titles: game -> title.
    """
    return [_play(day, game, titles.get(game, game)) for game in day.by_game if any(day.by_game[game].values())]


def _play(day: GameDay, game: str, title: str) -> PlayJson:
    results = day.by_game[game]
    best = max(results.values())
    first, last = datetime.fromisoformat(day.first), datetime.fromisoformat(day.last)
    return {
        "sourceName": SOURCE,
        "sourcePlayId": f"{day.date.isoformat()}-{game}",
        "playDate": first.strftime("%Y-%m-%d %H:%M:%S"),
        "durationMin": round((last - first).total_seconds() / 60) if len(day.by_game) == 1 else 0,
        "comments": "",
        "game": {"name": title, "sourceGameId": game, "highestWins": True, "noPoints": False},
        "players": [
            {
                "name": name,
                "sourcePlayerId": alike(name),
                "startPlayer": False,
                "winner": coins == best,
                "score": coins,
                "rank": 1 + sum(other > coins for other in results.values()),
            }
            for name, coins in sorted(results.items(), key=lambda one: -one[1])
        ],
    }


def link_to(play: PlayJson) -> str:
    """Return a link that opens BG Stats with the play filled in."""
    return LINK + quote(json.dumps(play, ensure_ascii=False, separators=(",", ":")), safe="")

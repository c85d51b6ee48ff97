"""Player cards at a table: verifies a card with the floor and asks the dealer whether to seat the player.

While the floor is unreachable players are seated by hand. Nobody is seated without the dealer's confirmation.
"""

import itertools
import threading
from collections.abc import Sequence
from typing import Final

from companion.app.floor.client import FloorClient, FloorRefused, FloorUnreachable
from companion.app.floor.shapes import CardReadJson
from companion.kernel.errors import NotOffered
from companion.kernel.messages import message
from companion.objects.player_code import PlayerCode
from companion.service.questions import Choice, Question
from companion.service.table_service import TableService

SOURCE: Final = "player-card"
_SEATS_OFFERED: Final = 3


class CardCheckIn:
    """Verifies player cards and asks the dealer. Thread-safe.

    Args:
        client: the connection to the floor.
    """

    def __init__(self, table: TableService, client: FloorClient) -> None:
        self._table = table
        self._client = client
        self._lock = threading.Lock()
        self._asked: dict[str, tuple[int, Question]] = {}
        self._numbers = itertools.count(1)

    def typed(self, text: str) -> CardReadJson:
        """Handle a card whose code was typed; raises like `shown`."""
        code = PlayerCode.typed(text)
        if code is None:
            raise NotOffered.saying("A player card's code has 15 letters and digits, in three groups of five.")
        return self.shown(code)

    def shown(self, code: PlayerCode) -> CardReadJson:
        """Ask the dealer whether to seat a card's player.

        Raises:
            NotOffered: the card is forged or revoked, the player is already seated, or the floor is unreachable.
        """
        try:
            told = self._client.post("/floor/v1/cards", {"code": code.text})
        except FloorRefused as error:
            raise NotOffered(_REFUSED.get(error.code, error.message)) from error
        except FloorUnreachable as error:
            text = message(
                "The house's floor cannot be asked whose player card this is. Add the player by name. {why}",
                why=error.message,
            )
            raise NotOffered(text) from error
        player, purse = str(told["player"]), int(told["purse"])
        with self._lock:
            return {"player": player, "purse": purse, "question": self._ask(player, purse).id}

    def _ask(self, player: str, purse: int) -> Question:
        view = self._table.view("dealer")
        taken = {one["seat"]: one["name"] for one in view["players"]}
        seat = next((number for number, name in taken.items() if name == player), None)
        if seat is not None:
            raise NotOffered.saying("{player} sits at seat {seat} already.", player=player, seat=seat)
        is_open = {one["id"] for one in view.get("questions", ())}
        self._asked = {name: one for name, one in self._asked.items() if one[1].id in is_open}
        free = [number for number in range(1, len(taken) + _SEATS_OFFERED + 1) if number not in taken]
        number = self._asked[player][0] if player in self._asked else next(self._numbers)
        question = _question(f"seat-card-{purse}-{number}", player, free[:_SEATS_OFFERED])
        self._asked[player] = number, question
        self._table.set_questions(SOURCE, [one for _, one in self._asked.values()])
        return question


_REFUSED: Final = {
    "forged-card": message("This player card is forged, or of another house: nobody is seated by it."),
}


def _question(name: str, player: str, seats: Sequence[int]) -> Question:
    first, *others = seats
    choices = (
        Choice("yes", message("Yes, seat {seat}", seat=first), _join(player, first)),
        *(Choice(f"seat-{seat}", message("At seat {seat}", seat=seat), _join(player, seat)) for seat in others),
        Choice("no", message("No")),
    )
    text = message("Seat {player} at seat {seat}? The player's card was shown.", player=player, seat=first)
    return Question(name, "player-card", text, choices)


def _join(player: str, seat: int) -> dict[str, object]:
    return {"do": "join", "player": player, "coins": 0, "seat": seat}

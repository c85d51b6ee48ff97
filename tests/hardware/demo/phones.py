"""A real table with journal and web pages, and phones that join it, for tests of which players are simulated."""

from pathlib import Path
from typing import Any

from webclient import command, csrf_of

from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from web_ui import AccessStore, create_app


def open_table(folder: Path, game: str, names: tuple[str, ...] = (), coins: int = 200) -> TableService:
    return TableService.open(folder / "journal.db", new_header(game, tuple((name, coins) for name in names)), INSTALLED)


class Phone:
    """A seat's phone, logged in with its code."""

    def __init__(self, service: TableService, folder: Path, seat: int) -> None:
        access = AccessStore(folder)
        self._seat = seat
        self._client = create_app(service, access=access, test_config={"TESTING": True}).test_client()
        form = {"code": access.seat_code(seat), "csrf_token": csrf_of(self._client, f"/seat/{seat}")}
        assert self._client.post(f"/seat/{seat}/join", data=form).status_code == 302
        service.submit({"do": "hold"}, source="dealer")  # the phone's notice is written to the disk before this command
        service.submit({"do": "undo"}, source="dealer")

    def do(self, **record: Any) -> None:
        answer = command(self._client, record, page=f"/seat/{self._seat}", **{"as": f"seat/{self._seat}"})
        assert answer.status_code == 200, answer.get_data(as_text=True)


def said(service: TableService, player: str | None = None, *verbs: str) -> list[dict[str, Any]]:
    """Return the demo's commands for a player, or for all players, except for seating them."""
    entries = service.events(limit=1000)
    records = [e["record"] for e in entries if e["kind"] == "command" and e["source"] in ("demo", "panel")]
    mine = [r for r in records if player is None or r.get("player") == player or player in r.get("numbers", ())]
    return [r for r in mine if r["do"] != "join" and (not verbs or r["do"] in verbs)]

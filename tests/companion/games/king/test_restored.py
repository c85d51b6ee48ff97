"""A restored game whose sealed commands can no longer be decrypted: messages and balances."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.journal.backups.backup import make_backup
from companion.journal.backups.restore import restore
from companion.journal.store import FILE_NAME
from companion.kernel.errors import TableError
from companion.service.settle import nets
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header, say

NAMES = ("Ann", "Bo", "Cy", "Dee")
Open = Callable[[Path], TableService]


@pytest.fixture
def open_() -> Iterator[Open]:
    running: list[TableService] = []

    def begin(folder: Path) -> TableService:
        for service in running:
            service.close()
        header = new_header("king-of-roulette", tuple((name, 9) for name in NAMES))
        running.append(TableService.open(folder / FILE_NAME, header, INSTALLED))
        return running[-1]

    yield begin
    for service in running:
        service.close()


def test_a_backup_amid_the_first_round_is_not_said_to_be_forged(open_: Open, tmp_path: Path) -> None:
    """It does not have the key of the votes yet, so there is no king when the bonus is bought. The old data has it."""
    (tmp_path / "old").mkdir()
    service = open_(tmp_path / "old")
    for name in NAMES:
        service.submit({"do": "vote", "player": name, "for": "Ann"}, source="dealer")
    service.submit({"do": "buy-bonus", "player": "Bo"}, source="dealer")
    make_backup(tmp_path / "old", tmp_path / "b.tar", INSTALLED)
    service.close()
    restore(tmp_path / "b.tar", tmp_path / "new", INSTALLED)

    again = open_(tmp_path / "new")
    told = again.view("dealer")
    assert told["journal"]["state"] == "replay-differs"
    assert told["trouble"] == (
        "Entry 6 of the journal cannot be played again: what opens the sealed commands before it, journal.seal and "
        "journal.seals, is not here. Bring both from where the table was played and start it again. Or accept the "
        "loss on the dealer's page or with `companion journal accept`: everybody keeps their coins, and the game "
        "begins anew."
    )
    assert "journal.seals" in say(told["trouble"], "de") != told["trouble"]
    with pytest.raises(TableError, match="Bring both"):
        again.submit({"do": "buy-in", "player": "Ann", "coins": 1}, source="dealer")
    again.close()
    for ending in (".seal", ".seals"):
        if (kept := (tmp_path / "old" / FILE_NAME).with_suffix(ending)).exists():
            kept.rename((tmp_path / "new" / FILE_NAME).with_suffix(ending))
    assert open_(tmp_path / "new").view()["king"] == "Ann", "as the sentence says"


def test_a_loss_that_is_accepted_keeps_everybodys_coins(open_: Open, tmp_path: Path) -> None:
    service = open_(tmp_path)
    for name in NAMES:
        service.submit({"do": "vote", "player": name, "for": "Ann"}, source="dealer")
    service.submit({"do": "buy-bonus", "player": "Bo"}, source="dealer")
    service.close()
    (tmp_path / FILE_NAME).with_suffix(".seal").unlink()
    again = open_(tmp_path)
    again.submit({"do": "accept-loss"}, source="dealer")
    told = again.view("dealer")
    assert (told["session"], told["phase"]) == (2, "vote")
    assert {player["name"]: player["coins"] for player in told["players"]} == {"Ann": 9, "Bo": 7, "Cy": 9, "Dee": 9}
    begun = next(line["text"] for line in told["log"] if "A new session begins" in line["text"])
    assert begun.startswith("What opens the sealed commands of this session is not here (entry 6 is refused now (")
    won = {party.label: coins for party, coins in nets(again.ledger, again.header.gains).items() if coins}
    assert won == {"Bo": -2, "house": 2}

"""Which session a startup continues, and what has to be settled before it can be left."""

from pathlib import Path

import pytest

from companion.journal.sessions import open_session, undecided_words
from companion.journal.store import Journal, JournalReader
from companion.journal.trust.guard import Trouble
from companion.kernel.accounts import CAGE, Account
from companion.kernel.ledger import Ledger, Transfer
from companion.testing import INSTALLED, new_header

ANN, BO, CY = map(Account.player, ("Ann", "Bo", "Cy"))


def test_while_the_journal_is_held_a_first_session_is_only_shown(tmp_path: Path) -> None:
    """The players are seated with their coins, and nothing is written."""
    path = tmp_path / "journal.sqlite3"
    header = new_header("roche", (("Ann", 40), ("Bo", 30)))
    with Journal.open(path) as journal, JournalReader.open(path) as reader:
        journal.hold(Trouble("tail-lost", "Entries are missing."))
        shown = open_session(journal, reader, header, None, INSTALLED)
        assert (shown.number, shown.evening, shown.is_short) == (1, (), False)
        assert [seat.player for seat in shown.table.seats] == ["Ann", "Bo"]
        assert shown.table.position.ledger.balance("Ann") == 40
        assert list(reader.entries()) == []
        assert journal.head.seq == 0


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ([], ""),
        ([(ANN, BO, 10)], ""),  # nobody owes who has nothing
        ([(ANN, Account.pot(6), 3), (BO, Account.pot(7), 2)], "5 coins lie in the pots"),
        ([(ANN, Account.stake("Ann", "cut/2"), 3)], "3 coins are staked"),
        ([(ANN, BO, 11)], "Ann owes coins"),
        ([(ANN, CY, 11), (BO, CY, 12)], "Ann, Bo owe coins"),
        ([(ANN, Account.pot(6), 10), (BO, Account.stake("Bo", "x"), 12)],
         "10 coins lie in the pots and 12 coins are staked and Bo owes coins"),
    ],
)  # fmt: skip
def test_what_is_undecided_is_said(moves: list[tuple[Account, Account, int]], words: str) -> None:
    bought = [Transfer(CAGE, player, 10, "") for player in (ANN, BO, CY)]
    ledger = Ledger(credit=True).post([*bought, *(Transfer(*move, "") for move in moves)])
    rules = INSTALLED.rules("roche")
    assert str(undecided_words(rules, rules.start((), {}), ledger)) == words

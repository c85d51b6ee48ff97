"""Players' names: composed, trimmed, readable, and nobody's else."""

from __future__ import annotations

import pytest

from companion.kernel.errors import BadName, BadScript, UnknownPlayer
from companion.kernel.header import Header
from companion.kernel.shared.names import new_name
from companion.kernel.table import Table
from companion.testing import INSTALLED


def table(*names: object) -> Table:
    players = [{"name": name, "coins": 10} for name in names]
    return Table(Header.parse({"game": "roche", "players": players}, INSTALLED))


@pytest.mark.parametrize("name", ["Ann", "A/B", "Ann Bo", "李", "René", "Ω", "a" * 40, "O'Neil", "🂡"])
def test_readable_names_stay_as_they_are(name: str) -> None:
    assert new_name(name) == name
    assert list(table(name).result()["balances"]) == [name]


@pytest.mark.parametrize(
    "name",
    ["", "  ", "a" * 41, "A\0b", "A\nb", "A\tb", "Bo\u202e", "B\u200bo", "B\u200do", "\ufeffB\u2060", "\u2066Bo\u2069",
     "\u00ad\u00adB", "B\u3164", "B\u00a0o", "B\ufe0f", "\ud800", "\ue000", "\u2800", "B\u2800o"],
)  # fmt: skip
def test_names_that_cannot_be_read_are_refused(name: str) -> None:
    with pytest.raises(BadName):
        table(name)
    with pytest.raises(BadName):
        table("Ann").do({"do": "join", "player": name, "coins": 5})


@pytest.mark.parametrize(
    ("one", "other"),
    [("Bo", "bo"), ("Bo", " Bo"), ("René", "RENE\u0301"), ("straße", "STRASSE"), ("Ann Bo", "Ann  bo")],
)
def test_two_players_are_never_called_the_same(one: str, other: str) -> None:
    with pytest.raises(BadName):
        table(one, other)
    with pytest.raises(BadName):
        table(one).do({"do": "join", "player": other, "coins": 5})


def test_a_name_is_trimmed_and_composed_and_found_so() -> None:
    here = table(" Rene\u0301 ")
    assert list(here.result()["balances"]) == ["Ren\u00e9"]
    here.do({"do": "buy-in", "player": "Rene\u0301", "coins": 5})
    here.do({"do": "join", "player": " Bo ", "coins": 5})
    assert here.result()["balances"] == {"Ren\u00e9": 15, "Bo": 5}
    with pytest.raises(UnknownPlayer):
        here.do({"do": "buy-in", "player": "bo", "coins": 5})


def test_a_name_that_is_no_text_is_a_bad_script() -> None:
    with pytest.raises(BadScript):
        table(7)


def test_whoever_a_card_goes_to_is_found_by_the_same_name() -> None:
    here = Table(Header.parse({"game": "blackjack", "players": [{"name": "Ren\u00e9", "coins": 100}]}, INSTALLED))
    here.do({"do": "bet", "player": "Rene\u0301", "amount": 50})
    here.do({"do": "deal", "to": " Rene\u0301", "card": "AS"})
    assert here.result()["state"]["hands"]["Ren\u00e9"][0]["cards"] == ["AS"]

"""Players' names: composed, trimmed, readable and unique."""

import json

import pytest

from companion.kernel.errors import BadName, BadScript, UnknownPlayer
from companion.kernel.header import Header
from companion.kernel.script import replay
from companion.kernel.shared.names import new_name
from companion.kernel.table import Table
from companion.testing import INSTALLED


def header(*names: object) -> dict[str, object]:
    return {"game": "roche", "players": [{"name": name, "coins": 10} for name in names]}


def table(*names: object) -> Table:
    return Table(Header.parse(header(*names), INSTALLED))


def code(*records: dict[str, object]) -> str | None:
    """Return the error code of a refused script."""
    error = replay(map(json.dumps, records), INSTALLED).result["error"]
    return None if error is None else error["code"]


@pytest.mark.parametrize("name", ["Ann", "A/B", "Ann Bo", "李", "René", "Ω", "a" * 40, "O'Neil", "🂡"])
def test_readable_names_stay_as_they_are(name: str) -> None:
    assert new_name(name) == name
    assert list(table(name).result()["balances"]) == [name]


@pytest.mark.parametrize(
    "name",
    ["", "  ", "a" * 41, "A\0b", "A\nb", "A\tb", "Bo\u202e", "B\u200bo", "B\u200do", "\ufeffB\u2060", "\u2066Bo\u2069",
     "\u00ad\u00adB", "B\u3164", "B\u00a0o", "B\ufe0f", "\ue000", "\u2800", "B\u2800o"],
)  # fmt: skip
def test_names_that_cannot_be_read_are_refused(name: str) -> None:
    joins = {"do": "join", "player": name, "coins": 5}
    assert (code(header(name)), code(header("Ann"), joins)) == ("bad-name", "bad-name")


@pytest.mark.parametrize("name", ["\N{HEAVY BLACK HEART}\ufe0f Zoe", "\N{WOMAN}\u200d\N{GIRL}"])
def test_whoever_types_an_emoji_reads_what_to_leave_out(name: str) -> None:
    with pytest.raises(BadName, match=r"Some emoji contain one: leave them out\."):
        new_name(name)


def test_half_a_letter_is_no_name() -> None:
    with pytest.raises(BadName):
        new_name("\ud800")


@pytest.mark.parametrize(
    ("one", "other"),
    [("Bo", "bo"), ("Bo", " Bo"), ("René", "RENE\u0301"), ("straße", "STRASSE"), ("Ann Bo", "Ann  bo")],
)
def test_two_players_are_never_called_the_same(one: str, other: str) -> None:
    joins = {"do": "join", "player": other, "coins": 5}
    assert (code(header(one, other)), code(header(one), joins)) == ("bad-name", "bad-name")


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


def test_whose_turn_it_is_may_be_named_in_any_spelling_of_the_name() -> None:
    """Optional player fields are normalized, too."""
    players = [{"name": name, "coins": 100} for name in ("Rene\u0301", "Bo", "Cy", "Dee")]
    dice = Table(Header.parse({"game": "chinchirorin", "players": players, "options": {"banker": 1}}, INSTALLED))
    dice.do({"do": "bank", "player": " Rene\u0301", "amount": 5})
    assert dice.phase == "betting"
    king = Table(Header.parse({"game": "king-of-roulette", "players": players}, INSTALLED))
    for name in ("Ren\u00e9", "Bo", "Cy", "Dee"):
        king.do({"do": "vote", "player": name, "for": "Rene\u0301"})
    king.do({"do": "guess", "player": "Rene\u0301", "range": "0-1"})
    king.do({"do": "recount", "player": "Rene\u0301", "coins": 90, "reason": "counted"})
    assert king.result()["balances"]["Ren\u00e9"] == 90


@pytest.mark.parametrize("nobody", ["", "  "])
@pytest.mark.parametrize(("game", "record"), [
    ("chinchirorin", {"do": "bank", "amount": 5}),
    ("chinchirorin", {"do": "throw", "dice": [1, 2, 3]}),
    ("king-of-roulette", {"do": "guess", "range": "0-1"}),
    ("holdem", {"do": "fold"}),
    ("blackjack", {"do": "stand"}),
    ("roulette", {"do": "bet", "on": "red", "amount": 1}),
])  # fmt: skip
def test_an_empty_name_is_a_bad_script_also_where_none_is_needed(
    nobody: str, game: str, record: dict[str, object]
) -> None:
    """An empty name is malformed in any phase, and not treated as a missing name."""
    players = [{"name": name, "coins": 100} for name in ("Ann", "Bo", "Cy", "Dee")]
    here = Table(Header.parse({"game": game, "players": players}, INSTALLED))
    with pytest.raises(BadScript):
        here.do({**record, "player": nobody})


def test_a_side_bet_names_its_players_in_any_spelling_and_each_once() -> None:
    players = [{"name": name, "coins": 100} for name in ("Ann", "Rene\u0301", "Cy")]
    table = Table(Header.parse({"game": "rugen-street", "players": players}, INSTALLED))
    table.do({"do": "throw", "face": "4d"})
    table.do({"do": "stake", "units": 1})
    with pytest.raises(BadScript, match="twice"):
        table.do({"do": "side-bet", "units": 1, "numbers": {"Ren\u00e9": 1, "Rene\u0301 ": 4}})
    table.do({"do": "side-bet", "units": 1, "numbers": {" Rene\u0301": 1, "Cy": 4}})
    assert table.result()["balances"]["Ren\u00e9"] < 100

"""The printed odds table."""

from companion.games.roche.odds.command import rows
from companion.games.roche.odds.exact import live_odds
from companion.games.roche.paytable import load_paytable
from companion.odds.table import markdown_table


def test_equal_cards_share_a_line() -> None:
    """At the start all twelve cards of the 6 share a line; the Grand table has 43 lines."""
    table = rows(live_odds("grand", "full", (), load_paytable("full")))
    assert len(table) == 6 * 7 + 1
    assert sum(len(row.bets) for row in table) == 187
    card = next(row for row in table if row.label.startswith("card/6"))
    assert card.cells == ("card/6D1…6N6", "Kin cut with it", "5.045 %", "18.82:1", "17:1", "9.19 %")


def test_seen_cards_get_a_line_of_their_own() -> None:
    table = rows(live_odds("grand", "full", ("3D1", "3N2"), load_paytable("full")))
    labels = [row.label for row in table if row.label.startswith("terminus/3")]
    assert labels == ["terminus/3D1, 3N2", "terminus/3D2, 3D3, 3N1, 3N3"]
    dead = next(row for row in table if row.label == "terminus/3D1, 3N2")
    assert dead.cells[2:] == ("0 %", "—", "26:1", "100.00 %")


def test_a_table_fits_on_eighty_columns() -> None:
    table = [row.cells for row in rows(live_odds("grand", "full", (), load_paytable("full")))]
    widths = [max(len(line[column]) for line in table) for column in range(6)]
    assert sum(widths) + 2 * 5 <= 80


def test_markdown() -> None:
    text = markdown_table(row.cells for row in rows(live_odds("basic", "red", (), load_paytable("red"))))
    lines = text.splitlines()
    assert lines[0] == "| bet | wins if | chance | fair | pays | edge |"
    assert lines[2] == "| cut/3 | Realm cut | 29.37 % | 2.405:1 | 2:1 | 11.90 % |"
    assert len(lines) == 2 + 15
    assert text.endswith("|\n")

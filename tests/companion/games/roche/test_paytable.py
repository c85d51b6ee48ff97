"""Prices, price tables, and messages about invalid ones."""

from pathlib import Path
from typing import Any

import pytest

from companion.games.roche.paytable import PaytableError, RocheDeck, bets, load_paytable, load_paytable_file
from companion.kernel.errors import BadScript
from companion.kernel.price import Price

FULL_PRICES = {  # the rules and the rulings, ranks 2-7
    "cut": ["2:1", "7:2", "5:1", "13:2", "8:1", "10:1"],
    "day": ["15:1", "75:1", "300:1", "1200:1", "4000:1", "10000:1"],
    "card": ["5:1", "8:1", "11:1", "14:1", "17:1", "21:1"],
    "terminus": ["11:1", "26:1", "47:1", "74:1", "107:1", "153:1"],
    "starlight": ["2:1", "7:2", "5:1", "15:2", "10:1", "13:1"],
}
RED_PRICES = {  # ranks 3-7
    "cut": ["2:1", "3:1", "4:1", "5:1", "6:1"],
    "day": ["60:1", "275:1", "1200:1", "4000:1", "10000:1"],
    "card": ["5:1", "7:1", "9:1", "11:1", "13:1"],
    "terminus": ["17:1", "31:1", "49:1", "71:1", "97:1"],
    "starlight": ["6:1", "9:1", "14:1", "20:1", "28:1"],
}


@pytest.mark.parametrize(("deck", "prices", "cavalry"), [("full", FULL_PRICES, "290:1"), ("red", RED_PRICES, "105:1")])
def test_printed_prices(deck: RocheDeck, prices: dict[str, list[str]], cavalry: str) -> None:
    """All prices of the rules; night pays like day, oscura like card."""
    printed = load_paytable(deck).as_changes()
    assert printed.pop("cavalry") == cavalry
    assert {family: list(by_rank.values()) for family, by_rank in printed.items()} == {
        **prices,
        "night": prices["day"],
        "oscura": prices["card"],
    }
    assert list(printed["cut"]) == [str(rank) for rank in range(8 - len(prices["cut"]), 8)]


@pytest.mark.parametrize("deck", ["full", "red"])
@pytest.mark.parametrize("layout", ["basic", "grand"])
def test_every_bet_has_a_price(layout: Any, deck: RocheDeck) -> None:
    table = load_paytable(deck)
    offered = bets(layout, deck)
    assert len(set(offered)) == len(offered)
    assert all(table.price(on) for on in offered)


@pytest.mark.parametrize(
    "on",
    ["cut/8", "cut/6D3", "card/6", "card/8D1", "cavalry/6", "cut", "cut/", "", "/", "straight/17", "CUT/6", "6D3"],
)
def test_no_such_bet(on: str) -> None:
    assert load_paytable("full").price(on) is None


def test_the_red_deck_has_no_mages() -> None:
    assert load_paytable("red").price("cut/2") is None
    assert load_paytable("red").price("card/2D1") is None


@pytest.mark.parametrize(("amount", "won"), [(1, 0), (2, 7), (3, 7), (4, 14), (101, 350)])
def test_an_odd_coin_earns_nothing(amount: int, won: int) -> None:
    """7:2 pays 7 for every full 2 coins."""
    assert Price.parse("7:2").winnings(amount) == won


@pytest.mark.parametrize("text", ["7:2", "10000:1", "290:1", "8:2"])
def test_prices_print_as_they_parse(text: str) -> None:
    assert str(Price.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "7", "7:", ":2", "7:2:1", "7/2", "-7:2", "0:1", "7:0", " 7:2", "7:2\n", "٧:٢", 0, -1, 7.5, True, None, [7, 2]],
)
def test_not_a_price(text: object) -> None:
    with pytest.raises(ValueError, match="price"):
        Price.parse(text)


def test_changes_touch_nothing_else() -> None:
    printed = load_paytable("full")
    changed = printed.with_changes({"cut": {"6": "9:1"}, "terminus": {"7": 150}, "cavalry": "280:1"})
    differ = {on for on in bets("grand", "full") if printed.price(on) != changed.price(on)}
    assert differ == {"cut/6", "cavalry", *(on for on in bets("grand", "full") if on.startswith("terminus/7"))}
    assert str(changed.price("terminus/7N7")) == "150:1"
    assert str(printed.price("cut/6")) == "8:1"
    assert changed != printed
    assert hash(printed.with_changes(printed.as_changes())) == hash(printed)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"cuts": {"6": "8:1"}},
            "The paytable has no bets named 'cuts'. Use cut, day, night, card, oscura, terminus, starlight, cavalry.",
        ),
        (
            {"cut": {"8": "8:1"}},
            "The paytable's cut names suit '8', which the full deck does not have. Use 2, 3, 4, 5, 6, 7.",
        ),
        (
            {"cut": {"6": "8/1"}},
            "The paytable's price for cut/6 cannot be used: '8/1' is not a price like \"7:2\" or 15. "
            'Write one like "7:2", or a whole number.',
        ),
        (
            {"cavalry": 0},
            "The paytable's price for cavalry cannot be used: a price has numbers from 1 to 999999999, not 0:1. "
            'Write one like "7:2", or a whole number.',
        ),
        (
            {"cut": "8:1"},
            'The paytable\'s cut is \'8:1\'. Give a price for each suit, like {"6": "8:1"}.',
        ),
        (
            ["cut"],
            'The paytable must be an object like {"cut": {"6": "8:1"}}, not [\'cut\']. '
            "Correct it, or leave it out for the printed prices.",
        ),
    ],
)
def test_bad_changes_name_the_key(changes: Any, message: str) -> None:
    with pytest.raises(BadScript) as caught:
        load_paytable("full").with_changes(changes)
    assert str(caught.value) == message
    assert caught.value.code == "bad-script"


def test_the_red_deck_refuses_prices_for_mages() -> None:
    with pytest.raises(BadScript, match=r"cut names suit '2', which the red deck does not have\. Use 3, 4, 5, 6, 7"):
        load_paytable("red").with_changes({"cut": {"2": "2:1"}})


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    """Only different prices have to be given; dotted keys and inline tables are valid."""
    path = tmp_path / "house.toml"
    path.write_text('deck = "red"\ncavalry = 100\nday.3 = 55\ncard = { 7 = "12:1" }\n[cut]\n3 = "5:2"\n')
    table = load_paytable_file(path)
    assert table.deck == "red"
    texts = [str(table.price(on)) for on in ("cavalry", "day/3", "card/7N2", "cut/3", "cut/4")]
    assert texts == ["100:1", "55:1", "12:1", "5:2", "3:1"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('deck = "full"\n\n[cut]\n6 = "8:1"\n7 = "ten"\n', 5, "price for cut/7"),
        ('deck = "full"\n[cut]\n6 = 8\n# a comment\n[dya]\n6 = 1\n', 5, "no bets named 'dya'"),
        ('deck = "red"\n[cut]\n3 = 2\n2 = 2\n', 4, "which the red deck does not have"),
        ('deck = "full"\ncavalry = 1.5\n', 2, "price for cavalry"),
        ('# the house\ndeck = "blue"\n', 2, "deck is 'blue'"),
        ("cavalry = 290\n", 1, "deck is None"),
        ('deck = "full"\n\ncut = { 6 = "x" }\n', 3, "price for cut/6"),
        ('deck = "full"\nday.6 = "x"\n', 2, "price for day/6"),
        ('deck = "full"\n[cut]\n"6" = "x"\n', 3, "price for cut/6"),
    ],
)
def test_a_bad_file_is_told_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "house.toml"
    path.write_text(text)
    with pytest.raises(PaytableError) as caught:
        load_paytable_file(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_broken_toml_and_missing_files(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    with pytest.raises(PaytableError, match=r"cannot be read \(No such file or directory\)\. Check the path\."):
        load_paytable_file(path)
    path.write_text('deck = "full"\n[cut\n')
    with pytest.raises(PaytableError, match=r"is not valid TOML: .*line 2.*Correct that line\."):
        load_paytable_file(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(PaytableError, match="is not a text file"):
        load_paytable_file(path)


def test_a_price_may_be_named_as_the_bet_is():
    printed = load_paytable("full")
    assert printed.with_changes({"cut/6": "9:2"}) == printed.with_changes({"cut": {"6": "9:2"}})
    with pytest.raises(BadScript, match="no bets named 'fold'"):
        printed.with_changes({"fold/6": 5})
    with pytest.raises(BadScript, match="names suit '9'"):
        printed.with_changes({"cut/9": 5})

"""Accounts: an unambiguous text form for any name; no game, sum or page confuses the coins of two players."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from evenings import GAMES, random_records
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.journal.checkpoints import pack, unpack
from companion.journal.hash_chain import Entry
from companion.journal.history.hand_history import HandHistory
from companion.journal.receipt import receipt
from companion.journal.replay import coins_written
from companion.kernel.accounts import CAGE, HOUSE, POTS, RECOUNT, Account, Kind
from companion.kernel.errors import BadName
from companion.kernel.events import to_json
from companion.kernel.game import Seat
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.shared.names import new_name
from companion.kernel.table import Header, Position, Table
from companion.service.settle import nets, settle
from companion.service.view_extensions import payments
from companion.testing import INSTALLED, new_header

NASTY = (
    "say", "with",
    "A", "A/B", "/", "//", "stake/x", "player/A", "pot/6", "house", "cage", "pots", "recount", "stake", "A/", "/A", "%",
    "%2F", "A%2FB", "%25", "cut/6", "A/cut/6", "take/1", "stake//take/1", "Zoë 🂡", "ß/ẞ", "a b", "'\"<b>&",
)  # fmt: skip


def is_usable(name: str) -> bool:
    try:
        return new_name(name) == name
    except BadName:
        return False


names = st.sampled_from(NASTY) | st.text(
    st.characters(exclude_categories=("C", "Z")) | st.sampled_from("/%"), min_size=1, max_size=40
).filter(is_usable)
spots = st.sampled_from(("cut/6", "cavalry", "side/0/4", "chain-day/3", "take/1", "card/6D3"))
accounts = st.one_of(
    names.map(Account.player),
    st.builds(Account.stake, st.none() | names, spots),
    st.integers(2, 7).map(Account.pot),
    st.sampled_from((HOUSE, CAGE, POTS, RECOUNT)),
)


@settings(deadline=None)
@given(accounts)
def test_an_account_comes_back_from_its_text(account: Account):
    assert Account.parse(account.text) == account


@settings(deadline=None)
@given(accounts, accounts)
def test_no_two_accounts_have_the_same_text_or_label(one: Account, other: Account):
    assert (one.text == other.text) == (one == other)
    assert (one.label == other.label) == (one == other)


@settings(deadline=None)
@given(names)
def test_a_label_means_its_player(name: str):
    assert Account.from_label(Account.player(name).label) == Account.player(name)


@pytest.mark.parametrize(
    ("text", "account"),
    [
        ("player/Ann", Account.player("Ann")),
        ("player/A/B", Account.player("A/B")),
        ("stake/Ann/cut/6", Account.stake("Ann", "cut/6")),
        ("stake/Ann/cavalry", Account.stake("Ann", "cavalry")),
        ("stake//take/3", Account.stake(None, "take/3")),
        ("pot/6", Account.pot(6)),
        ("house", HOUSE),
        ("cage", CAGE),
    ],
)
def test_the_text_of_names_without_a_slash_is_as_it_always_was(text: str, account: Account):
    assert (Account.parse(text), account.text) == (account, text)


@pytest.mark.parametrize(
    "text", ["", "Ann", "player", "player/", "pot/", "stake/", "stake/Ann", "house/1", "cage/", "x/y"]
)
def test_what_names_no_account_is_refused(text: str):
    with pytest.raises(ValueError, match="names no account"):
        Account.parse(text)


@settings(deadline=None)
@given(accounts)
def test_a_shortcut_keeps_accounts(account: Account):
    position = Position(Seat(1, "Ann"), Ledger({account: 3}, brought={account.name: 3}))
    assert unpack(pack(position), Seat) == position


# ---- whole evenings: what a player is called changes nothing but the name


def renamed(value: Any, new: Mapping[str, str]) -> Any:
    """Return a header or command with the players renamed."""
    if isinstance(value, Mapping):
        return {new.get(key, key): renamed(item, new) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, new) for item in value]
    return new.get(value, value) if isinstance(value, str) else value


def to_new(account: Account, new: Mapping[str, str]) -> Account:
    return account._replace(name=new.get(account.name, account.name)) if account.kind is not Kind.POT else account


def sums(moves: Iterable[tuple[Account, int]], new: Mapping[str, str]) -> dict[Account, int]:
    return {to_new(account, new): coins for account, coins in moves}


def play(header: Mapping[str, Any], records: Iterable[Mapping[str, Any]]) -> tuple[Table, list[Entry], list[Any]]:
    """Return the table, its journal, and after each command the gains and payments."""
    table = Table(Header.parse(header, INSTALLED))
    entries = [Entry(1, "", 1, "start", "table", None, json.dumps(table.header.to_json()), "[]", "", "0" * 64)]
    shown = []
    for seq, record in enumerate(records, start=2):
        happened = table.do(record)
        events = json.dumps([to_json(event) for event in happened])
        entries.append(Entry(seq, "", 1, "command", "table", None, json.dumps(record), events, "", f"{seq:064x}"))
        found = nets(table.position.ledger, {})
        assert sum(found.values()) == 0
        shown.append((found, settle(found), payments([e for e in happened if isinstance(e, Transfer)], (1, 5, 10))))
    return table, entries, shown


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=6, deadline=None)
@given(chosen=st.lists(names, min_size=8, max_size=8, unique_by=str.casefold), seed=st.integers(0, 30))
def test_what_players_are_called_moves_no_coin(game: str, chosen: list[str], seed: int):
    """The same session with difficult names has the same gains, payments, receipts and results."""
    header, records = random_records(game, seed)
    plain = Table(header)
    for record in records:
        plain.do(record)
    seats = dict.fromkeys([*(name for name, _ in header.players), *plain.position.ledger.players])
    new = dict(zip(seats, chosen, strict=False))
    table, entries, shown = play(renamed(header.to_json(), new), renamed(records, new))
    _, plain_entries, plain_shown = play(header.to_json(), records)
    assert table.position.ledger.accounts == sums(plain.position.ledger.accounts.items(), new)
    assert coins_written(entries, INSTALLED).accounts == table.position.ledger.accounts
    for (found, due, paid), (plain_found, plain_due, plain_paid) in zip(shown, plain_shown, strict=True):
        assert found == sums(plain_found.items(), new)
        assert [(p.payer, p.payee, p.coins) for p in due] == [
            (to_new(p.payer, new), to_new(p.payee, new), p.coins) for p in plain_due
        ]
        sides = [(Account.from_label(one["from"]), Account.from_label(one["to"]), one["coins"]) for one in paid]
        assert sides == [
            (to_new(Account.from_label(o["from"]), new), to_new(Account.from_label(o["to"]), new), o["coins"])
            for o in plain_paid
        ]
    history, plain_history = HandHistory(of(entries), INSTALLED), HandHistory(of(plain_entries), INSTALLED)
    for hand in plain_history.hands(limit=8):
        slip = receipt(history, 1, hand["number"])
        plain_slip = receipt(plain_history, 1, hand["number"])
        assert (slip is None) == (plain_slip is None)
        if slip and plain_slip:
            assert slip.stakes == {new[name]: coins for name, coins in plain_slip.stakes.items()}
            assert slip.payouts == {new[name]: coins for name, coins in plain_slip.payouts.items()}


def of(entries: list[Entry]) -> Any:
    return lambda after, limit: entries[after:] if limit < 0 else entries[after : after + limit]


# ---- the fault itself, at each kind of table


def open_stakes(game: str) -> list[dict[str, Any]]:
    return {
        "roche": [{"do": "bet", "player": "A/B", "on": "cut/6", "amount": 10}],
        "rugen-house": [{"do": "bet", "player": "A/B", "on": "chain/3", "amount": 10}],
        "rugen-street": [{"do": "throw", "face": "3d"}, {"do": "stake", "units": 1}],
        "rugen-capital": [{"do": "take", "player": "A/B", "number": 4, "units": 1}, {"do": "close"}],
    }[game]


@pytest.mark.parametrize("game", ["roche", "rugen-house", "rugen-street", "rugen-capital"])
def test_an_open_bet_is_nobodys_gain(game: str):
    """A/B has staked and A has not: there are no debts yet."""
    table = Table(new_header(game, (("A/B", 100), ("A", 100))))
    for record in open_stakes(game):
        table.do(record)
    ledger = table.position.ledger
    staked = [account for account, coins in ledger.accounts.items() if account.kind is Kind.STAKE and coins]
    assert {account.owner for account in staked} <= {Account.player("A/B"), HOUSE}
    assert Account.player("A/B") in {account.owner for account in staked}
    assert set(nets(ledger, {}).values()) == {0}
    assert settle(nets(ledger, {})) == ()


@pytest.mark.parametrize("account", [Account.pot(6), Account.player("Ann"), HOUSE, CAGE, POTS, RECOUNT])
def test_what_is_no_stake_is_its_own_owner(account: Account):
    assert account.owner == account

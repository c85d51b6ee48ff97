"""The first object of a hand script: game, players, options, and the coins before the first command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NotRequired

from typing_extensions import TypedDict

from companion.kernel.accounts import CAGE, Account, Kind
from companion.kernel.errors import BadScript
from companion.kernel.game import Game, Options, Rulebook, Seat
from companion.kernel.ledger import BUY_IN, Ledger, Transfer
from companion.kernel.shared.names import seat_name


class PlayerBrought(TypedDict):
    """A player and the coins they bring."""

    name: str
    coins: int


class HeaderJson(TypedDict):
    """The first object of a hand script."""

    game: str
    players: list[PlayerBrought]
    options: Options
    gains: NotRequired[dict[str, int]]
    prices: NotRequired[int]


@dataclass(frozen=True, slots=True)
class Header:
    """A session's game, players and options: the first object of a hand script."""

    rules: Game[Any]
    players: tuple[tuple[str, int], ...]
    options: Options = field(default_factory=dict)
    gains: Mapping[Account, int] = field(default_factory=dict)
    "Each party's net gain before this session; see `companion.service.settle`."
    prices: int | None = None
    "Version of the floor's price list with these options; None for the table's own options."

    @classmethod
    def parse(cls, record: Any, games: Rulebook) -> Header:
        """Return the header of a JSON object.

        Args:
            games: looks up the rules by the game's name.

        Raises:
            BadScript: the object is invalid.
            BadName: a player's name is invalid or used twice.
        """
        if not isinstance(record, Mapping) or "game" not in record:
            raise BadScript('A script starts with {"game": …, "players": […], "options": {…}}.')
        rules = games.rules(record["game"])
        options = record.get("options", {})
        if not isinstance(options, Mapping):
            raise BadScript(f"'options' is an object, got {options!r}.")
        players = record.get("players", [])
        if not isinstance(players, list):
            raise BadScript(f"'players' is a list, got {players!r}.")
        prices = record.get("prices")
        if prices is not None and type(prices) is not int:
            raise BadScript(f"'prices' is the number of a price list, got {prices!r}.")
        return cls(rules, _players(players), dict(options), _gains(record.get("gains", {})), prices)

    @property
    def game(self) -> str:
        """The game's name."""
        return self.rules.name

    @property
    def usual_buy_in(self) -> int:
        """The usual buy-in of this game with these options."""
        return self.rules.usual_buy_in(self.rules.start((), self.options))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Seats 1, 2, … in the order given."""
        return tuple(Seat(number, name) for number, (name, _) in enumerate(self.players, start=1))

    def to_json(self) -> HeaderJson:
        """Return the object that `parse` reads."""
        players: list[PlayerBrought] = [{"name": name, "coins": coins} for name, coins in self.players]
        document: HeaderJson = {"game": self.game, "players": players, "options": dict(self.options)}
        gains = {party.text: coins for party, coins in self.gains.items()}
        document |= {"gains": gains} if gains else {}
        return document if self.prices is None else {**document, "prices": self.prices}


def _players(records: list[Any]) -> tuple[tuple[str, int], ...]:
    named: dict[str, int] = {}
    for text, coins in [_player(record) for record in records]:
        named[seat_name(text, named)] = coins
    return tuple(named.items())


def _player(record: Any) -> tuple[str, int]:
    name = record.get("name") if isinstance(record, Mapping) else None
    if not isinstance(name, str):
        raise BadScript(f'A player is {{"name": "Aubrey", "coins": 100}}, got {record!r}.')
    coins = record.get("coins", 0)
    if type(coins) is not int or coins < 0:
        raise BadScript(f"{name} comes with {coins!r} coins. Say a whole number, 0 or more.")
    return name, coins


def _gains(gains: Any) -> dict[Account, int]:
    wrong = BadScript(f"'gains' says who has won how much before, {{\"player/Ann\": 5}}, got {gains!r}.")
    if not isinstance(gains, Mapping) or not all(type(coins) is int for coins in gains.values()):
        raise wrong
    try:
        return {Account.parse(party): coins for party, coins in gains.items()}
    except ValueError as error:
        raise wrong from error


def opening_ledger(header: Header) -> Ledger:
    """Return the balances before the first command: the coins brought, less antes.

    Raises:
        BadScript: the game refuses the options.
        NotEnoughCoins: a player cannot pay the ante.
    """
    brought = (Transfer(CAGE, Account.player(name), coins, BUY_IN) for name, coins in header.players if coins)
    known = (party for party in header.gains if party.kind is Kind.PLAYER)  # includes players who left
    accounts = {Account.player(name): 0 for name, _ in header.players} | dict.fromkeys(known, 0)
    empty = Ledger(accounts, header.options.get("credit") is True)
    return empty.post(brought).post(header.rules.opening(header.rules.start(header.seats, header.options)))

"""What happened at the table: one frozen class per kind of event, in the past tense.

The journal stores events; pages, lights and voice react to them. `sentence` renders one for people, `to_json` for
programs. Coins moved are `companion.kernel.ledger.Transfer`s, in the same stream.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final, NotRequired, cast

from typing_extensions import TypedDict

from companion.kernel.accounts import Account
from companion.kernel.ledger import Transfer, TransferJson
from companion.kernel.messages import Message, Words, message, plural, slots_of
from companion.kernel.values import quick
from companion.kernel.words import bets_words, coins_words, win_words

DECIDED: Final = "Decided"
"""The kind of every event in the journal that decides a hand, round, chain, cut or spin."""


class EventJson(TypedDict):
    """What happened, as the journal and pages have it; each kind has further fields. Coins that moved are not told."""

    event: str
    "Its kind."
    text: NotRequired[Words]


class _BetJson(TypedDict):
    player: str
    on: str
    amount: int
    won: int


class WonJson(_BetJson, total=False):
    """One bet of a decided round, as results have it."""

    returned: int
    "Coins of the stake that came back, where a game says how each bet ended."
    outcome: str
    "How it ended, in one word."


class Result(TypedDict, total=False):
    """What every entry of ``results`` in the public contract has, one or the other. A game's own shape adds more."""

    paid: list[WonJson]
    transfers: list[TransferJson]


class DecidedJson(EventJson):
    """What decided a hand, round, chain, cut or spin."""

    decided_by: int | str | None
    won_by: str | None
    gains: dict[str, int]
    result: Result


class PaidJson(WonJson):
    """One bet of a decided round, as pages have it."""

    is_won: bool


@dataclass(frozen=True, slots=True)
class Paid:
    """One bet of a decided round: ``won`` excludes the returned stake and is 0 for a lost bet."""

    player: str
    on: str
    amount: int
    won: int
    is_won: bool

    @property
    def back(self) -> int:
        """Coins of the stake that come back."""
        return self.amount if self.is_won else 0

    def to_json(self) -> WonJson:
        """Return the bet as results have it."""
        return {"player": self.player, "on": self.on, "amount": self.amount, "won": self.won}

    def told(self) -> PaidJson:
        """Return the bet as pages have it."""
        return {**self.to_json(), "is_won": self.is_won}


@dataclass(frozen=True, slots=True)
class EndedBet(Paid):
    """One bet of a decided round in a game where it may end in other ways than won or lost.

    >>> EndedBet("Ann", "red", 5, 0, False, 3, "surrender").to_json()
    {'player': 'Ann', 'on': 'red', 'amount': 5, 'won': 0, 'returned': 3, 'outcome': 'surrender'}
    """

    returned: int
    "Coins of the stake that come back."
    outcome: str
    "How it ended, in one word."

    @property
    def back(self) -> int:
        return self.returned

    def to_json(self) -> WonJson:
        return {**Paid.to_json(self), "returned": self.returned, "outcome": self.outcome}


def paid_words(paid: Sequence[Paid]) -> Message:
    """Return what the winning bets come to: the winnings, the stakes that go back, and both together.

    >>> paid_words([Paid("Ann", "red", 4, 40, True), Paid("Bo", "black", 9, 0, False)])
    '40 won, stake of 4 back: 44 in all'
    """
    wins = [bet for bet in paid if bet.is_won]
    if not wins:
        return message("No bet won")
    return win_words(sum(bet.won for bet in wins), sum(bet.amount for bet in wins), len(wins))


def bet_gains(paid: Iterable[Paid]) -> dict[str, int]:
    """Return what the bets of a decided round brought each player.

    >>> bet_gains([Paid("Ann", "red", 4, 40, True), Paid("Ann", "black", 9, 0, False)])
    {'Ann': 31}
    """
    return summed((bet.player, bet.won + bet.back - bet.amount) for bet in paid)


def summed(moves: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return each player's coins of several gains and losses.

    >>> summed([("Ann", 4), ("Bo", -4), ("Ann", 1)])
    {'Ann': 5, 'Bo': -4}
    """
    gains: dict[str, int] = {}
    for player, coins in moves:
        gains[player] = gains.get(player, 0) + coins
    return gains


@dataclass(frozen=True, slots=True)
class Event:
    """Base of all events. One whose sentence has nothing but its own fields in it ``says`` it; others make theirs."""

    says: ClassVar[Message | None] = None
    """The sentence, with a slot for each of the event's fields that it tells."""

    @property
    def sentence(self) -> Message:
        """What to tell a person."""
        if self.says is None:
            return Message(type(self).__name__)
        return Message(self.says.key, {slot: getattr(self, slot) for slot in slots_of(self.says.key)})


@dataclass(frozen=True, slots=True)
class SessionBegan(Event):
    """A session of a game began, or goes on under new settings."""

    title: str

    @property
    def sentence(self) -> Message:
        return message("A session of {game} begins", game=self.title)


@dataclass(frozen=True, slots=True)
class Undone(Event):
    """A command was taken back."""

    says = message("Undone: {what}")
    what: str


@dataclass(frozen=True, slots=True)
class Redone(Event):
    """A command that was taken back was done again."""

    says = message("Done again: {what}")
    what: str


@dataclass(frozen=True, slots=True)
class TableHeld(Event):
    """The table stopped."""

    says = message("The table is on hold: {why}")
    why: str


@dataclass(frozen=True, slots=True)
class TableReleased(Event):
    """The table goes on."""

    says = message("The table goes on")


@dataclass(frozen=True, slots=True)
class Opening:
    """A secret command that was opened: its seal, published when it was given, and the key that proves it."""

    seal: str
    key: str
    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unsealed(Event):
    """Secret commands were opened; their seals show that none was changed."""

    openings: tuple[Opening, ...]

    @property
    def sentence(self) -> Message:
        return plural(
            "{n} sealed choice was opened; its seal is whole",
            "{n} sealed choices were opened; all seals are whole",
            len(self.openings),
        )


@dataclass(frozen=True, slots=True)
class BoughtIn(Event):
    """A player got coins."""

    says = message("{player} buys in for {coins}")
    player: str
    coins: int


@dataclass(frozen=True, slots=True)
class CashedOut(Event):
    """A player took his coins off the table."""

    says = message("{player} cashes out {coins}")
    player: str
    coins: int


@dataclass(frozen=True, slots=True)
class Recounted(Event):
    """Coins of a player or in a pot were counted, and the books set to them; ``whose`` names either to people."""

    player: str | None
    pot: int | None
    had: int
    coins: int
    reason: str
    whose: str

    @property
    def sentence(self) -> Message:
        return plural(
            "Recount: {whose} has {n} coin, not {had} ({reason})",
            "Recount: {whose} has {n} coins, not {had} ({reason})",
            self.coins,
            whose=self.whose,
            had=self.had,
            reason=self.reason,
        )


@dataclass(frozen=True, slots=True)
class PlayerJoined(Event):
    """A player sat down."""

    says = message("{player} takes seat {seat}")
    player: str
    seat: int


@dataclass(frozen=True, slots=True)
class PlayerLeft(Event):
    """A player stood up."""

    says = message("{player} leaves seat {seat}")
    player: str
    seat: int


@quick
class BetPlaced(Event):
    """Coins were staked on a spot, in words. ``idle`` is the odd coin that an X:2 price cannot pay for."""

    player: str
    on: str
    spot: str
    amount: int
    total: int
    idle: int = 0

    @property
    def sentence(self) -> Message:
        bet = message("{player} bets {amount} on {spot}", player=self.player, amount=self.amount, spot=self.spot)
        if self.total != self.amount:
            bet = message("{bet} ({total} there now)", bet=bet, total=self.total)
        if self.idle:
            bet = message("{bet}; {idle} of it cannot win, the price is for every 2", bet=bet, idle=self.idle)
        return bet


@dataclass(frozen=True, slots=True)
class BetTakenBack(Event):
    """A stake went back to its player while it could; ``spot`` says in words what it was on."""

    says = message("{player} takes {amount} back from {spot}")
    player: str
    on: str
    spot: str
    amount: int


@dataclass(frozen=True, slots=True)
class BettingClosed(Event):
    """No more bets."""

    bets: int
    staked: int

    @property
    def sentence(self) -> Message:
        return message("No more bets: {bets}, {coins}", bets=bets_words(self.bets), coins=coins_words(self.staked))


@dataclass(frozen=True, slots=True)
class RoundStarted(Event):
    """The betting is open."""

    says = message("Round {round}: place your bets")
    round: int


@dataclass(frozen=True, slots=True)
class Decided(Event):
    """A hand, round, chain, cut or spin was decided; games add what decided it.

    The journal keeps every game's decisions in one form (see `to_json`), so nobody else needs to know the class.
    """

    @property
    def result(self) -> Result:
        """The entry of ``results`` in the public contract."""
        raise AttributeError("a game's own class says the result")

    @property
    def gains(self) -> dict[str, int]:
        """What the decision alone brought each player, coins that they staked and lost counted."""
        raise AttributeError("a game's own class says the gains")

    @property
    def won_by(self) -> str | None:
        """The one player who won, even if it brought nothing; None where several may, or nobody did."""
        return None

    @property
    def decided_by(self) -> int | str | None:
        """The search key of hands: the suit, number or the like that decided; None if nothing did."""
        return None


def to_json(event: Event | Transfer) -> EventJson:
    """Return an event as a JSON object; ``event`` names its kind, `DECIDED` for whatever decides a round.

    >>> to_json(RoundStarted(2))
    {'event': 'RoundStarted', 'round': 2, 'text': 'Round 2: place your bets'}
    """
    if isinstance(event, Decided):
        decided: DecidedJson = {
            "event": DECIDED,
            "decided_by": event.decided_by,
            "won_by": event.won_by,
            "gains": event.gains,
            "result": event.result,
            "text": event.sentence,
        }
        return decided
    told = event.to_json() if isinstance(event, Transfer) else _fields(event)
    return cast(EventJson, {"event": type(event).__name__, **told})


def _fields(event: Event) -> Mapping[str, object]:
    return asdict(event, dict_factory=_written) | {"text": event.sentence}


def _written(fields: list[tuple[str, Any]]) -> dict[str, object]:
    """Return the fields of an event, or of a value in it, accounts by their text."""
    return {name: value.text if isinstance(value, Account) else value for name, value in fields}

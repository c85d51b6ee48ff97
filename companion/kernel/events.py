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
"""The ``event`` field in the JSON of all `Decided` subclasses."""


class EventJson(TypedDict):
    """What happened, as the journal and pages have it; each kind has further fields. Coins that moved are not told."""

    event: str
    "Its kind."
    text: NotRequired[Words]


class WonJson(TypedDict):
    """One bet of a decided round, as results have it."""

    player: str
    on: str
    amount: int
    won: int
    returned: NotRequired[int]
    "Coins of the stake that came back, where a game says how each bet ended."
    outcome: NotRequired[str]
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
        """The part of the stake that is returned."""
        return self.amount if self.is_won else 0

    def to_json(self) -> WonJson:
        """Return the bet in the form used in results."""
        return {"player": self.player, "on": self.on, "amount": self.amount, "won": self.won}

    def public_json(self) -> PaidJson:
        """Return the bet in the form used on pages."""
        return {**self.to_json(), "is_won": self.is_won}


@dataclass(frozen=True, slots=True)
class EndedBet(Paid):
    """One bet of a decided round, in games with more outcomes than won and lost.

    >>> EndedBet("Ann", "red", 5, 0, False, 3, "surrender").to_json()
    {'player': 'Ann', 'on': 'red', 'amount': 5, 'won': 0, 'returned': 3, 'outcome': 'surrender'}
    """

    returned: int
    "The part of the stake that is returned."
    outcome: str
    "One word, such as ``surrender``."

    @property
    def back(self) -> int:
        return self.returned

    def to_json(self) -> WonJson:
        return {**Paid.to_json(self), "returned": self.returned, "outcome": self.outcome}


def paid_words(paid: Sequence[Paid]) -> Message:
    """Return the winning bets' total winnings, returned stakes, and their sum, in words.

    >>> paid_words([Paid("Ann", "red", 4, 40, True), Paid("Bo", "black", 9, 0, False)])
    '40 won, stake of 4 back: 44 in all'
    """
    wins = [bet for bet in paid if bet.is_won]
    if not wins:
        return message("No bet won")
    return win_words(sum(bet.won for bet in wins), sum(bet.amount for bet in wins), len(wins))


def bet_gains(paid: Iterable[Paid]) -> dict[str, int]:
    """Return each player's net gain from the bets of a decided round.

    >>> bet_gains([Paid("Ann", "red", 4, 40, True), Paid("Ann", "black", 9, 0, False)])
    {'Ann': 31}
    """
    return summed((bet.player, bet.won + bet.back - bet.amount) for bet in paid)


def summed(moves: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return each player's sum of gains and losses.

    >>> summed([("Ann", 4), ("Bo", -4), ("Ann", 1)])
    {'Ann': 5, 'Bo': -4}
    """
    gains: dict[str, int] = {}
    for player, coins in moves:
        gains[player] = gains.get(player, 0) + coins
    return gains


@dataclass(frozen=True, slots=True)
class Event:
    """Base of all events. A sentence that needs only the event's fields goes into ``says``; others override."""

    says: ClassVar[Message | None] = None
    """The sentence, with slots named after the event's fields."""

    @property
    def sentence(self) -> Message:
        """The event described for people."""
        if self.says is None:
            return Message(type(self).__name__)
        return Message(self.says.key, {slot: getattr(self, slot) for slot in slots_of(self.says.key)})


@dataclass(frozen=True, slots=True)
class SessionBegan(Event):
    """A session began, or continued with new settings."""

    title: str

    @property
    def sentence(self) -> Message:
        return message("A session of {game} begins", game=self.title)


@dataclass(frozen=True, slots=True)
class Undone(Event):
    """A command was undone."""

    says = message("Undone: {what}")
    what: str


@dataclass(frozen=True, slots=True)
class Redone(Event):
    """An undone command was redone."""

    says = message("Done again: {what}")
    what: str


@dataclass(frozen=True, slots=True)
class TableHeld(Event):
    """The table was put on hold."""

    says = message("The table is on hold: {why}")
    why: str


@dataclass(frozen=True, slots=True)
class TableReleased(Event):
    """The hold was released."""

    says = message("The table goes on")


@dataclass(frozen=True, slots=True)
class Opening:
    """A revealed secret command: its seal, published when the command was given, and the key that verifies it."""

    seal: str
    key: str
    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unsealed(Event):
    """Secret commands were revealed and their seals verified."""

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
    """A player bought coins from the cage."""

    says = message("{player} buys in for {coins}")
    player: str
    coins: int


@dataclass(frozen=True, slots=True)
class CashedOut(Event):
    """A player cashed out all their coins."""

    says = message("{player} cashes out {coins}")
    player: str
    coins: int


@dataclass(frozen=True, slots=True)
class Recounted(Event):
    """A player's coins or a pot were counted and the ledger adjusted; ``whose`` names the player or pot in words."""

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
    """Coins were staked on a spot (``spot``: in words). ``idle`` is the remainder that an X:2 price does not pay."""

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
    """A player withdrew a stake; ``spot`` is in words."""

    says = message("{player} takes {amount} back from {spot}")
    player: str
    on: str
    spot: str
    amount: int


@dataclass(frozen=True, slots=True)
class BettingClosed(Event):
    """Betting closed, with the number of bets and the total staked."""

    bets: int
    staked: int

    @property
    def sentence(self) -> Message:
        return message("No more bets: {bets}, {coins}", bets=bets_words(self.bets), coins=coins_words(self.staked))


@dataclass(frozen=True, slots=True)
class RoundStarted(Event):
    """A round began: betting is open."""

    says = message("Round {round}: place your bets")
    round: int


@dataclass(frozen=True, slots=True)
class Decided(Event):
    """A hand, round, chain, cut or spin was decided. Each game has a subclass.

    `to_json` writes all subclasses in one form, so other packages need not know them.
    """

    @property
    def result(self) -> Result:
        """The entry of ``results`` in the public contract."""
        raise AttributeError("a game's own class says the result")

    @property
    def paid_now(self) -> Sequence[WonJson]:
        """The bets whose coins move with this event: all of the result's, unless some were settled earlier."""
        return self.result.get("paid", ())

    @property
    def gains(self) -> dict[str, int]:
        """Each player's net gain from this decision, lost stakes included."""
        raise AttributeError("a game's own class says the gains")

    @property
    def won_by(self) -> str | None:
        """The sole winner, even without a gain; None in games that can have several, or if nobody won."""
        return None

    @property
    def decided_by(self) -> int | str | None:
        """The key for finding hands in the history: the deciding suit, number etc., or None."""
        return None


def to_json(event: Event | Transfer) -> EventJson:
    """Return an event as a JSON object; ``event`` is the class name, or `DECIDED` for every `Decided`.

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
    fields = event.to_json() if isinstance(event, Transfer) else _fields(event)
    return cast(EventJson, {"event": type(event).__name__, **fields})


def _fields(event: Event) -> Mapping[str, object]:
    return asdict(event, dict_factory=_written) | {"text": event.sentence}


def _written(fields: list[tuple[str, Any]]) -> dict[str, object]:
    """Return the fields of an event, or of a dataclass in it, with accounts as text."""
    return {name: value.text if isinstance(value, Account) else value for name, value in fields}

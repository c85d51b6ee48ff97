"""The pay sheet: the dealer's physical steps once coins are due, derived from the transfers alone.

First come the coins taken off the table, then the payments, largest first, then the stakes that stay. A step's parts
name the accounts its coins come from; all of them go to one account. Applied in order, the steps lead from the
balances before to the balances after.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from typing_extensions import TypedDict

from companion.kernel.accounts import CAGE, HOUSE, Account, Kind
from companion.kernel.events import WonJson
from companion.kernel.ledger import Transfer
from companion.kernel.messages import Message, Words, message, plural
from companion.service.chips import PileJson, piles


class StepKind(StrEnum):
    """Kinds of step."""

    STAKE = "stake"
    "A player added coins to a stake of their own by the deciding command itself, such as a call or a double."
    TAKE = "take"
    "Stakes go from their spots to the house or into a pot."
    PAY = "pay"
    "A player gets coins from the table or the house, together with their own stake."
    HAND = "hand"
    "A player or the cashier pays out of their own coins; the payee's stake is a separate step."
    KEEP = "keep"
    "A stake stays or goes back, and the table pays nothing on it."


TICKED: Final = frozenset({StepKind.TAKE, StepKind.PAY, StepKind.HAND})
"""Kinds of step that have to be carried out, and so can be ticked."""


class PayPartJson(TypedDict):
    """The coins of a step that come from one account."""

    at: str
    "Label of the account."
    player: str | None
    "The owner before the step; null for the house or a pot."
    on: str | None
    "The spot of a stake, else null."
    coins: int
    is_own: bool
    "Whether they already belong to the payee: their own stake."


class PayStepJson(TypedDict):
    """A step of the pay sheet: all of its ``parts`` go to one account."""

    key: str
    "Unique within its sheet."
    kind: str
    "``stake``, ``take``, ``pay``, ``hand`` or ``keep``."
    to: str
    "Label of the account that gets the coins."
    coins: int
    own: int
    "How many of them are the payee's own stake, which stays or goes back."
    chips: list[PileJson]
    "``coins`` without ``own`` in chips, largest first."
    own_chips: list[PileJson]
    "``own`` in chips."
    parts: list[PayPartJson]
    says: Words
    "The step as a sentence."
    can_tick: bool


@dataclass(frozen=True, slots=True)
class Part:
    """Coins that go from one account to another."""

    payer: Account
    payee: Account
    coins: int
    on: str = ""
    "The spot in the game's own terms, if it distinguishes several bets within one stake account."

    @property
    def is_own(self) -> bool:
        """Whether the coins keep their owner."""
        return self.payer.owner == self.payee.owner

    def to_json(self) -> PayPartJson:
        """Return the part for a page."""
        owner = self.payer.owner
        return {
            "at": self.payer.label,
            "player": owner.name if owner.kind is Kind.PLAYER else None,
            "on": (self.on or self.payer.on) or None,
            "coins": self.coins,
            "is_own": self.is_own,
        }


@dataclass(frozen=True, slots=True)
class Step:
    """Coins that go to one account in one movement."""

    kind: StepKind
    parts: tuple[Part, ...]
    place: int | None = None
    "The effective commands before the step's own; None if that is the command after which the sheet is named."

    @property
    def payee(self) -> Account:
        """Where the coins go."""
        return self.parts[0].payee

    @property
    def key(self) -> str:
        """The step's name, unique within the sheet."""
        payer = self.parts[0].payer.label if self.kind is StepKind.HAND else ""
        whose = payer.replace("%", "%25").replace(">", "%3E")  # a player's name may contain the separator
        key = f"{self.kind} {whose}>{self.payee.label}"
        return key if self.place is None else f"{self.place}: {key}"

    @property
    def coins(self) -> int:
        """The total of all parts."""
        return sum(part.coins for part in self.parts)

    @property
    def own(self) -> int:
        """How many of the coins are the payee's own stake."""
        return sum(part.coins for part in self.parts if part.is_own)

    def says(self, name: Callable[[Account], Words]) -> Message:
        """Return the step as a sentence.

        Args:
            name: names an account within a sentence.
        """
        return _SENTENCES[self.kind](self, name)

    def to_json(self, chips: Sequence[int], smallest: int, name: Callable[[Account], Words]) -> PayStepJson:
        """Return the step for a page.

        Args:
            chips: the chip values.
            smallest: the smallest chip in play.
            name: names an account within a sentence.
        """
        return {
            "key": self.key,
            "kind": self.kind.value,
            "to": self.payee.label,
            "coins": self.coins,
            "own": self.own,
            "chips": list(piles(self.coins - self.own, chips, smallest)),
            "own_chips": list(piles(self.own, chips, smallest)),
            "parts": [part.to_json() for part in self.parts],
            "says": self.says(name),
            "can_tick": self.kind in TICKED,
        }


@dataclass(frozen=True, slots=True)
class PaySheet:
    """The dealer's steps, in order."""

    steps: tuple[Step, ...]

    @property
    def house(self) -> int | None:
        """The bank's gain, negative for a loss; None if it has no part."""
        parts = [part for step in self.steps for part in step.parts if HOUSE in (part.payer.owner, part.payee)]
        if not parts:
            return None
        return sum((part.payee == HOUSE) * part.coins - (part.payer.owner == HOUSE) * part.coins for part in parts)

    @property
    def pays_from_house(self) -> bool:
        """Whether the house pays a player."""
        return any(part.payer == HOUSE for step in self.steps for part in step.parts)

    @property
    def digest(self) -> str:
        """Short hash that distinguishes sheets."""
        parts = [(part.payer.text, part.payee.text, part.coins) for step in self.steps for part in step.parts]
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


def pay_sheet(moved: Iterable[Transfer], bets: Sequence[WonJson] = ()) -> PaySheet:
    """Return the sheet for the coins that a command has moved.

    Args:
        bets: the outcome of each bet, if the game reports it: they split a stake account into its bets.

    >>> ann, stake = Account.player("Ann"), Account.stake("Ann", "red")
    >>> sheet = pay_sheet([Transfer(stake, ann, 4, "stake returned"), Transfer(HOUSE, ann, 40, "won")])
    >>> [(step.kind.value, step.coins, step.own) for step in sheet.steps], sheet.house
    ([('pay', 44, 4)], -40)
    """
    parts = _merged(moved)
    apart = {bet["on"] for bet in bets} & {part.payer.on for part in parts}  # spots with a stake account of their own
    shared = [bet for bet in bets if bet["on"] not in apart]
    parts = [named for part in parts for named in _by_bets(part, () if part.payer.on in apart else shared)]
    return PaySheet((*_stakes(parts), *_takes(parts), *_payments(parts), *_into_pots(parts), *_kept_stakes(parts)))


def _merged(moved: Iterable[Transfer]) -> list[Part]:
    """Sum up the transfers between the same two accounts, in the order of their first occurrence."""
    sums: dict[tuple[Account, Account], int] = {}
    for transfer in moved:
        both = transfer.payer, transfer.payee
        sums[both] = sums.get(both, 0) + transfer.coins
    return [Part(payer, payee, coins) for (payer, payee), coins in sums.items()]


def _by_bets(part: Part, bets: Sequence[WonJson]) -> Iterable[Part]:
    """Split a part that comes from a stake into the player's bets, if their coins add up to it.

    Args:
        bets: those that may lie in it, not the ones with a stake account of their own.
    """
    known = [bet for bet in bets if bet["player"] == part.payer.name and "returned" in bet]
    if part.payer.kind is not Kind.STAKE or not known:
        return (part,)
    coins = [bet["returned"] if part.is_own else bet["amount"] - bet["returned"] for bet in known]
    split = [replace(part, coins=n, on=bet["on"]) for bet, n in zip(known, coins, strict=True) if n]
    return split if sum(one.coins for one in split) == part.coins else (part,)


def _by_payee(parts: Iterable[Part]) -> dict[Account, list[Part]]:
    found: dict[Account, list[Part]] = {}
    for part in parts:
        found.setdefault(part.payee, []).append(part)
    return found


def _is_purse(account: Account) -> bool:
    """Whether an account's coins are in somebody's hands: a player's or the cashier's."""
    return account.kind is Kind.PLAYER or account == CAGE


def _stakes(parts: Sequence[Part]) -> Iterator[Step]:
    onto = _by_payee(part for part in parts if part.payee.kind is Kind.STAKE)
    return (Step(StepKind.STAKE, tuple(found)) for found in onto.values())


def _takes(parts: Sequence[Part]) -> Iterator[Step]:
    """Coins on the table that go to the house, then into the pots; then players' payments to house and cashier."""
    to_keep = (Kind.HOUSE, Kind.POT, Kind.CAGE)
    lying = [part for part in parts if part.payee.kind in to_keep and not _is_purse(part.payer)]
    lying.sort(key=lambda part: to_keep.index(part.payee.kind))
    yield from (Step(StepKind.TAKE, tuple(found)) for found in _by_payee(lying).values())
    yield from (_hand(part) for part in parts if part.payee.kind in (Kind.HOUSE, Kind.CAGE) and _is_purse(part.payer))


def _hand(part: Part) -> Step:
    return Step(StepKind.HAND, (part,))


def _payments(parts: Sequence[Part]) -> Iterator[Step]:
    """Payments to players, the largest total first."""
    by_player = _by_payee(part for part in parts if part.payee.kind is Kind.PLAYER)
    for found in sorted(by_player.values(), key=_new_coins, reverse=True):
        own = [part for part in found if part.is_own]
        table = [part for part in found if not part.is_own and not _is_purse(part.payer)]
        purses = [part for part in found if not part.is_own and _is_purse(part.payer)]
        if table:
            yield Step(StepKind.PAY, (*table, *own))
        yield from (_hand(part) for part in purses)


def _new_coins(parts: Sequence[Part]) -> int:
    return sum(part.coins for part in parts if not part.is_own)


def _into_pots(parts: Sequence[Part]) -> Iterator[Step]:
    return (_hand(part) for part in parts if part.payee.kind is Kind.POT and _is_purse(part.payer))


def _kept_stakes(parts: Sequence[Part]) -> Iterator[Step]:
    """Stakes of players whom the table does not pay; a payment from the table includes the stake."""
    for found in _by_payee(part for part in parts if part.payee.kind is Kind.PLAYER).values():
        own = [part for part in found if part.is_own]
        others = [part for part in found if not part.is_own]
        if own and all(_is_purse(part.payer) for part in others):
            yield Step(StepKind.KEEP, tuple(own))


# ---- sentences

Name = Callable[[Account], Words]


def _say_stake(step: Step, name: Name) -> Message:
    return message("{player} adds {coins} to the stake", player=name(step.parts[0].payer), coins=step.coins)


def _say_take(step: Step, name: Name) -> Message:
    if step.payee == HOUSE:
        return plural("Take {coins} from {n} spot", "Take {coins} from {n} spots", len(step.parts), coins=step.coins)
    return message("Put {coins} of the stakes into {pot}", coins=step.coins, pot=name(step.payee))


def _say_pay(step: Step, name: Name) -> Message:
    player, coins, own = step.payee.name, step.coins, step.own
    if not own:
        return message("Pay {player} {coins}", player=player, coins=coins)
    return message(
        "Pay {player} {coins}: {won} and the stake of {own}, which stays or goes back",
        player=player,
        coins=coins,
        won=coins - own,
        own=own,
    )


def _say_hand(step: Step, name: Name) -> Message:
    payer, payee = name(step.parts[0].payer), name(step.payee)
    return message("{payer} pays {payee} {coins}", payer=payer, payee=payee, coins=step.coins)


def _say_keep(step: Step, name: Name) -> Message:
    return message("{player}: the stake of {coins} stays or goes back", player=step.payee.name, coins=step.coins)


_SENTENCES: Final[dict[StepKind, Callable[[Step, Name], Message]]] = {
    StepKind.STAKE: _say_stake,
    StepKind.TAKE: _say_take,
    StepKind.PAY: _say_pay,
    StepKind.HAND: _say_hand,
    StepKind.KEEP: _say_keep,
}

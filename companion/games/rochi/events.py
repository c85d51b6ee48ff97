"""Events of Rochi and Captain's Rochi: one frozen class per kind, in the past tense."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from companion.games.rochi.shapes import RochiResult, ShortfallJson
from companion.kernel.accounts import Account, Kind
from companion.kernel.events import Decided, Event, summed
from companion.kernel.ledger import Transfer
from companion.kernel.messages import Message, joined, message, plural
from companion.kernel.values import quick
from companion.kernel.words import SUITS, card_words


@quick
class CardSeeded(Event):
    """A seed card was laid; ``left`` more are to come."""

    card: str
    suit: int
    count: int
    left: int

    @property
    def sentence(self) -> Message:
        return message(
            "{card} seeded: {count} of {suit}; {left} to come",
            card=card_words(self.card),
            count=self.count,
            suit=self.suit,
            left=self.left,
        )


@quick
class CardPlayed(Event):
    """A player bought a suit (or kept it). ``paid_to`` is a player or a pot, ``shield_of`` the new Shield's holder."""

    player: str
    card: str
    suit: int
    price: int
    paid_to: Account | None
    shield_of: str | None

    @property
    def sentence(self) -> Message:
        card = card_words(self.card)
        if self.paid_to is None:
            words = message("{player} plays {card}", player=self.player, card=card)
        elif self.paid_to.kind is Kind.POT:
            words = message(
                "{player} plays {card}, pays the pot {coins}", player=self.player, card=card, coins=self.price
            )
        else:
            words = message(
                "{player} plays {card}, pays {owner} {coins}",
                player=self.player,
                card=card,
                owner=self.paid_to.name,
                coins=self.price,
            )
        if self.shield_of:
            return message("{played}; the card is a Shield of {holder}", played=words, holder=self.shield_of)
        return words


@dataclass(frozen=True, slots=True)
class LockedCardLaid(Event):
    """A card of a locked suit was played or dealt, without effect."""

    card: str
    suit: int

    @property
    def sentence(self) -> Message:
        return message("{card}: {suit} is locked, nothing happens", card=card_words(self.card), suit=SUITS[self.suit])


@dataclass(frozen=True, slots=True)
class SuitLocked(Event):
    """An unclaimed suit was locked: it can no longer be bought or win."""

    suit: int

    @property
    def sentence(self) -> Message:
        return message("{suit} is locked: its token goes onto the stack", suit=SUITS[self.suit])


@dataclass(frozen=True, slots=True)
class CardSwapped(Event):
    """A card of a locked suit was exchanged for a new one."""

    player: str
    card: str

    @property
    def sentence(self) -> Message:
        return message("{player} swaps {card} for a new card", player=self.player, card=card_words(self.card))


@dataclass(frozen=True, slots=True)
class PlayerFolded(Event):
    """A player folded; ``suits`` are the tokens returned to the centre."""

    player: str
    suits: tuple[int, ...]

    @property
    def sentence(self) -> Message:
        if not self.suits:
            return message("{player} folds", player=self.player)
        tokens = joined(SUITS[suit] for suit in self.suits)
        return message("{player} folds; back to the centre: {suits}", player=self.player, suits=tokens)


@quick
class TurnStarted(Event):
    """A player's turn began."""

    says = message("{player}'s turn")
    player: str


@dataclass(frozen=True, slots=True)
class LastPlayerLeft(Event):
    """One player is left with several suits, and deals until one of them is cut."""

    says = message("Only {player} is left, and deals until one of their suits is cut")
    player: str


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Coins that a player owed and did not have."""

    player: str
    why: Message
    owed: int
    paid: int

    def to_json(self) -> ShortfallJson:
        """Return the shortfall for results."""
        return {"player": self.player, "why": self.why, "owed": self.owed, "paid": self.paid}


@dataclass(frozen=True, slots=True)
class HandDecided(Decided):
    """A hand of Rochi, or a cut in Captain's Rochi, was decided. ``winner`` and ``suit`` are None if nobody won."""

    winner: str | None
    suit: int | None
    locked: tuple[int, ...]
    transfers: tuple[Transfer, ...]
    short: tuple[Shortfall, ...] = ()

    @property
    def sentence(self) -> Message:
        if self.winner is None or self.suit is None:
            if self.transfers:
                return message("Nobody wins the last hand")
            return message("Nobody wins the hand; the pots stay")
        won = sum(t.coins for t in self.transfers if t.payee == Account.player(self.winner))
        words = message(
            "{player} wins with {suit} and gets {coins}", player=self.winner, suit=SUITS[self.suit], coins=won
        )
        for short in self.short:
            words = message(
                "{said}; {player} is {coins} short ({why})",
                said=words,
                player=short.player,
                coins=short.owed - short.paid,
                why=short.why,
            )
        return words

    @property
    def result(self) -> RochiResult:
        return {
            "winner": self.winner,
            "suit": self.suit,
            "locked": list(self.locked),
            "transfers": [t.public_json() for t in self.transfers],
            "short": [one.to_json() for one in self.short],
        }

    @property
    def gains(self) -> dict[str, int]:
        sides = [side for t in self.transfers for side in ((t.payer, -t.coins), (t.payee, t.coins))]
        return summed((account.name, coins) for account, coins in sides if account.kind is Kind.PLAYER)

    @property
    def won_by(self) -> str | None:
        return self.winner

    @property
    def decided_by(self) -> int | None:
        return self.suit


@dataclass(frozen=True, slots=True)
class LastHandCalled(Event):
    """This hand, or the next one, was declared the last."""

    says = message("Last hand: after it the pots are divided")


@dataclass(frozen=True, slots=True)
class HandStarted(Event):
    """A hand began: five cards each, ``seeds`` seed cards, the leader acts first."""

    number: int
    leader: str
    seeds: int

    @property
    def sentence(self) -> Message:
        return message(
            "Hand {number}: {player} has the leader button; seed {seeds} cards",
            number=self.number,
            player=self.leader,
            seeds=self.seeds,
        )


@dataclass(frozen=True, slots=True)
class PlayerSatOut(Event):
    """A player sits out; ``marker`` is in coins."""

    player: str
    marker: int

    @property
    def sentence(self) -> Message:
        if self.marker:
            return message("{player} sits out with a marker of {coins}", player=self.player, coins=self.marker)
        return message("{player} sits out", player=self.player)


@dataclass(frozen=True, slots=True)
class PlayerReturned(Event):
    """A player returned after sitting out, for a fee into the pots."""

    player: str
    fee: int

    @property
    def sentence(self) -> Message:
        if self.fee:
            return message("{player} is back and pays {coins} into the pots", player=self.player, coins=self.fee)
        return message("{player} is back", player=self.player)


@dataclass(frozen=True, slots=True)
class HandThrownAway(Event):
    """Captain's Rochi: a player passed."""

    says = message("{player} passes: a new hand, and the discards go back into the deck")
    player: str


Clearing = Literal["is cut by seed cards", "is dead on the table", "is settled"]
"""Why a suit's cards are discarded in Captain's Rochi."""

_CLEARED: Final[Mapping[Clearing, Callable[[Message], Message]]] = {
    "is cut by seed cards": lambda suit: message(
        "{suit} is cut by seed cards: its cards are discarded and it starts afresh", suit=suit
    ),
    "is dead on the table": lambda suit: message(
        "{suit} is dead on the table: its cards are discarded and it starts afresh", suit=suit
    ),
    "is settled": lambda suit: message("{suit} is settled: its cards are discarded and it starts afresh", suit=suit),
}


@dataclass(frozen=True, slots=True)
class SuitCleared(Event):
    """Captain's Rochi: a suit's cards were discarded; it starts over."""

    suit: int
    why: Clearing

    @property
    def sentence(self) -> Message:
        return _CLEARED[self.why](SUITS[self.suit])


@dataclass(frozen=True, slots=True)
class Reshuffled(Event):
    """Captain's Rochi: the discards were shuffled into the deck; its new size is given."""

    deck: int

    @property
    def sentence(self) -> Message:
        return plural(
            "The discards are shuffled into the deck: {n} card",
            "The discards are shuffled into the deck: {n} cards",
            self.deck,
        )


@dataclass(frozen=True, slots=True)
class OddCoinOwed(Event):
    """Captain's Rochi: the loser's half penalty is odd; they put one coin into a pot of their choice."""

    says = message("{player} puts the odd coin into a pot of their choice")
    player: str


@dataclass(frozen=True, slots=True)
class GameBegun(Event):
    """A new game began."""

    says = message("A new game begins")


@dataclass(frozen=True, slots=True)
class GameStopped(Event):
    """Captain's Rochi: the game is over and the pots are shared out."""

    says = message("The game is over: {why}")
    why: Message

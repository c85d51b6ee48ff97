"""What happened at a table of Rochi or Captain's Rochi: one frozen class per kind of thing, in the past tense."""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.rochi.shapes import RochiResult, ShortfallJson
from companion.kernel.accounts import Account, Kind
from companion.kernel.events import Decided, Event, summed
from companion.kernel.ledger import Transfer
from companion.kernel.values import quick
from companion.kernel.words import card_words
from companion.objects.cards import SUIT_NAMES


@quick
@dataclass(frozen=True, slots=True)
class CardSeeded(Event):
    """A seed card lies on its stack; ``left`` more are to come."""

    card: str
    suit: int
    count: int
    left: int

    @property
    def sentence(self) -> str:
        return f"{card_words(self.card)} seeded: {self.count} of {self.suit}; {self.left} to come"


@quick
@dataclass(frozen=True, slots=True)
class CardPlayed(Event):
    """A player bought a suit (or kept it). ``paid_to`` is a player or a pot; ``shield_of`` says who got the card."""

    player: str
    card: str
    suit: int
    price: int
    paid_to: Account | None
    shield_of: str | None

    @property
    def sentence(self) -> str:
        text = f"{self.player} plays {card_words(self.card)}"
        if self.paid_to is not None:
            text += f", pays {'the pot' if self.paid_to.kind is Kind.POT else self.paid_to.name} {self.price}"
        return text + (f"; the card is a Shield of {self.shield_of}" if self.shield_of else "")


@dataclass(frozen=True, slots=True)
class LockedCardLaid(Event):
    """A card of a locked suit was played or dealt: it lies there and means nothing."""

    card: str
    suit: int

    @property
    def sentence(self) -> str:
        return f"{card_words(self.card)}: {SUIT_NAMES[self.suit]} is locked, nothing happens"


@dataclass(frozen=True, slots=True)
class SuitLocked(Event):
    """An unclaimed suit was cut: nobody can buy it or win with it."""

    suit: int

    @property
    def sentence(self) -> str:
        return f"{SUIT_NAMES[self.suit]} is locked: its token goes onto the stack"


@dataclass(frozen=True, slots=True)
class CardSwapped(Event):
    """A card of a locked suit was thrown away for a new one."""

    player: str
    card: str

    @property
    def sentence(self) -> str:
        return f"{self.player} swaps {card_words(self.card)} for a new card"


@dataclass(frozen=True, slots=True)
class PlayerFolded(Event):
    """A player gave up the hand; ``suits`` are the tokens that go back to the centre."""

    player: str
    suits: tuple[int, ...]

    @property
    def sentence(self) -> str:
        tokens = ", ".join(SUIT_NAMES[suit] for suit in self.suits)
        return f"{self.player} folds" + (f"; back to the centre: {tokens}" if tokens else "")


@quick
@dataclass(frozen=True, slots=True)
class TurnStarted(Event):
    """It is this player's turn."""

    player: str

    @property
    def sentence(self) -> str:
        return f"{self.player}'s turn"


@dataclass(frozen=True, slots=True)
class LastPlayerLeft(Event):
    """Only one player is left, and has several suits: cards are dealt until one of them is cut."""

    player: str

    @property
    def sentence(self) -> str:
        return f"Only {self.player} is left, and deals until one of his suits is cut"


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Coins that a player owed and did not have."""

    player: str
    why: str
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
    def sentence(self) -> str:
        if self.winner is None or self.suit is None:
            return "Nobody wins the hand; the pots stay" if not self.transfers else "Nobody wins the last hand"
        won = sum(t.coins for t in self.transfers if t.payee == Account.player(self.winner))
        text = f"{self.winner} wins with {SUIT_NAMES[self.suit]} and gets {won}"
        return text + "".join(f"; {s.player} is {s.owed - s.paid} short ({s.why})" for s in self.short)

    @property
    def result(self) -> RochiResult:
        return {
            "winner": self.winner,
            "suit": self.suit,
            "locked": list(self.locked),
            "transfers": [t.told() for t in self.transfers],
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
    """All agreed that this hand, or the next one, is the last."""

    @property
    def sentence(self) -> str:
        return "Last hand: after it the pots are divided"


@dataclass(frozen=True, slots=True)
class HandStarted(Event):
    """A new hand: everybody gets five cards, ``seeds`` cards go onto the stacks, the leader begins."""

    number: int
    leader: str
    seeds: int

    @property
    def sentence(self) -> str:
        return f"Hand {self.number}: {self.leader} has the leader button; seed {self.seeds} cards"


@dataclass(frozen=True, slots=True)
class PlayerSatOut(Event):
    """A player sits out, with a marker of so many coins."""

    player: str
    marker: int

    @property
    def sentence(self) -> str:
        return f"{self.player} sits out" + (f" with a marker of {self.marker}" if self.marker else "")


@dataclass(frozen=True, slots=True)
class PlayerReturned(Event):
    """A player who sat out plays again, for so many coins into the pots."""

    player: str
    fee: int

    @property
    def sentence(self) -> str:
        return f"{self.player} is back" + (f" and pays {self.fee} into the pots" if self.fee else "")


@dataclass(frozen=True, slots=True)
class HandThrownAway(Event):
    """Captain's Rochi: a player passed."""

    player: str

    @property
    def sentence(self) -> str:
        return f"{self.player} passes: a new hand, and the discards go back into the deck"


@dataclass(frozen=True, slots=True)
class SuitCleared(Event):
    """Captain's Rochi: a suit's cards were discarded; it starts afresh."""

    suit: int
    why: str

    @property
    def sentence(self) -> str:
        return f"{SUIT_NAMES[self.suit]} {self.why}: its cards are discarded and it starts afresh"


@dataclass(frozen=True, slots=True)
class Reshuffled(Event):
    """Captain's Rochi: the discards were shuffled into the deck, which has so many cards now."""

    deck: int

    @property
    def sentence(self) -> str:
        return f"The discards are shuffled into the deck: {self.deck} cards"


@dataclass(frozen=True, slots=True)
class OddCoinOwed(Event):
    """Captain's Rochi: the loser's half penalty is odd; he puts one coin into a pot of his choice."""

    player: str

    @property
    def sentence(self) -> str:
        return f"{self.player} puts the odd coin into a pot of his choice"


@dataclass(frozen=True, slots=True)
class GameBegun(Event):
    """A new game begins after one that ended."""

    @property
    def sentence(self) -> str:
        return "A new game begins"


@dataclass(frozen=True, slots=True)
class GameStopped(Event):
    """Captain's Rochi: the game is over and the pots are shared out."""

    why: str

    @property
    def sentence(self) -> str:
        return f"The game is over: {self.why}"

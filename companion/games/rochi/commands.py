"""Commands of Rochi and Captain's Rochi: one frozen class per verb.

A turn's verbs may name ``player``; then it must be that player's turn. Without it the player to act is meant.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from companion.kernel.commands import Command
from companion.kernel.messages import Message, message
from companion.kernel.values import quick

VERB_WORDS: Final[Mapping[str, Message]] = {
    "seed": message("seed"),
    "play": message("play"),
    "deal": message("deal"),
    "end": message("end"),
    "fold": message("fold"),
    "pass": message("pass"),
    "discard": message("discard"),
    "next-hand": message("next-hand"),
    "last-hand": message("last-hand"),
    "new-game": message("new-game"),
    "join": message("join"),
    "leave": message("leave"),
    "sit-out": message("sit-out"),
    "return": message("return"),
    "odd-coin": message("odd-coin"),
    "stop": message("stop"),
    "drop": message("drop"),
}
"""What each verb is called where it is refused."""


@quick
class Seed(Command):
    """Lay a card from the deck onto its stack before the first turn."""

    card: str


@dataclass(frozen=True, slots=True)
class TurnCommand(Command):
    """Base of the commands in a player's own turn."""


@quick
class Play(TurnCommand):
    """Play a card from the hand: it buys the suit."""

    card: str
    player: Any = None


@quick
class DealCard(TurnCommand):
    """Turn the top card of the deck over, onto its stack."""

    verb = "deal"
    card: str
    player: Any = None


@quick
class End(TurnCommand):
    """The turn is over."""

    player: Any = None


@dataclass(frozen=True, slots=True)
class Fold(TurnCommand):
    """Give up the hand of cards, the Shields and the suits."""

    player: Any = None


@dataclass(frozen=True, slots=True)
class Discard(Command):
    """Swap a card of a locked suit for a new one from the deck."""

    player: str
    card: str


@dataclass(frozen=True, slots=True)
class NextHand(Command):
    """Gather the cards, pass the leader button and begin the next hand."""


@dataclass(frozen=True, slots=True)
class LastHand(Command):
    """All agree: the hand under way, or between hands the next one, is the last."""


@dataclass(frozen=True, slots=True)
class NewGame(Command):
    """After the last hand, or in Captain's Rochi after the end: begin a new game, with who sits here."""


@dataclass(frozen=True, slots=True)
class JoinRochi(Command):
    """A new player sits down and puts the joining fee into pots of his choice: suit -> coins."""

    verb = "join"
    player: str
    coins: Any = 0
    into: Any = None
    seat: Any = None


@dataclass(frozen=True, slots=True)
class SitOut(Command):
    """A player keeps the seat and leaves the next hands to the others."""

    player: str


@dataclass(frozen=True, slots=True)
class ReturnToPlay(Command):
    """A player who sat out comes back; what is due goes into pots of his choice: suit -> coins."""

    verb = "return"
    player: str
    into: Any = None


@dataclass(frozen=True, slots=True)
class Pass(TurnCommand):
    """Captain's Rochi: throw the whole hand away for a new one."""

    player: Any = None


@dataclass(frozen=True, slots=True)
class OddCoin(Command):
    """Captain's Rochi: the loser's odd half coin, as a whole one, into the pot of this suit."""

    pot: Any


@dataclass(frozen=True, slots=True)
class Stop(Command):
    """Captain's Rochi: both agree to end the game; the pots are divided."""


@dataclass(frozen=True, slots=True)
class Drop(Command):
    """Captain's Rochi: a player gives the game up; the other takes the pots."""

    player: str

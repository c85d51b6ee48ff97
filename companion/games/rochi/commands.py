"""Commands of Rochi and Captain's Rochi: one frozen class per verb.

Turn commands may name ``player``, who must then be the player to act, the default.
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
"""Verb -> its name in error messages."""


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
    """Turn over the deck's top card onto its stack."""

    verb = "deal"
    card: str
    player: Any = None


@quick
class End(TurnCommand):
    """End the turn."""

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
    """Make the current hand, or between hands the next one, the last."""


@dataclass(frozen=True, slots=True)
class NewGame(Command):
    """Begin a new game with the seated players, after the last hand, or in Captain's Rochi after the end."""


@dataclass(frozen=True, slots=True)
class JoinRochi(Command):
    """Seat a new player, who puts the joining fee into pots of their choice: suit -> coins."""

    verb = "join"
    player: str
    coins: Any = 0
    into: Any = None
    seat: Any = None


@dataclass(frozen=True, slots=True)
class SitOut(Command):
    """Sit out the next hands, keeping the seat."""

    player: str


@dataclass(frozen=True, slots=True)
class ReturnToPlay(Command):
    """Return after sitting out; the fee goes into pots of the player's choice: suit -> coins."""

    verb = "return"
    player: str
    into: Any = None


@dataclass(frozen=True, slots=True)
class Pass(TurnCommand):
    """Captain's Rochi: throw the whole hand away for a new one."""

    player: Any = None


@dataclass(frozen=True, slots=True)
class OddCoin(Command):
    """Captain's Rochi: put the loser's odd half coin, rounded up, into this suit's pot."""

    pot: Any


@dataclass(frozen=True, slots=True)
class Stop(Command):
    """Captain's Rochi: both agree to end the game; the pots are divided."""


@dataclass(frozen=True, slots=True)
class Drop(Command):
    """Captain's Rochi: a player gives the game up; the other takes the pots."""

    player: str

"""The interpreter's model of a Rochi table: its state and the effect of each move, both from the rules themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Self

from companion.games.roche_deck.design import CARDS_OF
from companion.games.rochi import view as rochi_view
from companion.games.rochi.board import Stacks
from companion.games.rochi.captains import view as captains_view
from companion.games.rochi.captains.state import State as CaptainsState
from companion.games.rochi.state import Hand, State
from companion.kernel.accounts import CAGE, Account
from companion.kernel.commands import Record, parse_command
from companion.kernel.events import Decided
from companion.kernel.ledger import Transfer
from companion.kernel.situation import Situation

CENTRE: Final = "centre"
_PLENTY: Final = 10**6
ON_TABLE: Final = ("seeding", "turns", "last-player")
"""Phases in which newly laid cards count."""


@dataclass(frozen=True, slots=True)
class Suit:
    """One suit: the cards in its stack, and its owner."""

    rank: int
    count: int
    owner: str | None
    is_locked: bool

    @property
    def is_ripe(self) -> bool:
        """Whether a played card would become a Shield."""
        return not self.is_locked and self.count == self.rank - 1


@dataclass(frozen=True, slots=True)
class Player:
    """A player in the hand."""

    name: str
    seat: int
    coins: int
    cards: int
    has_folded: bool = False


@dataclass(frozen=True, slots=True)
class Game:
    """A table of Rochi or Captain's Rochi at one moment.

    Attributes:
        hand: number of the hand (always 0 in Captain's Rochi, whose table is never cleared).
        places: counted face-up card -> ``stack/6``, ``seat/2`` or ``discard``.
        turn: index of the player to act, or None.
        undoes: verb and card of the command that an undo would take back.
    """

    name: str
    phase: str
    deck: str
    suits: Mapping[int, Suit]
    players: tuple[Player, ...]
    turn: int | None
    has_played: bool
    has_dealt: bool
    to_seed: int
    places: Mapping[str, str]
    expected: frozenset[str]
    hold: str | None
    undoes: Record
    left: int
    seats: Mapping[str, int]
    "All players at the table, in the hand or not."
    hand: int = 0
    leader: str | None = None
    next_leader: str | None = None
    now: Situation = field(kw_only=True, compare=False, repr=False)
    "The source."
    _after_cache: dict[tuple[str, str | None], Game | None] = field(default_factory=dict, compare=False, repr=False)
    "Cache of `after`, which is evaluated with every frame."
    commands: int = field(default=0, compare=False)
    "The number of commands in effect."

    @classmethod
    def of(cls, now: Situation) -> Self:
        """Build it from a table of either game."""
        state: State | CaptainsState = now.state
        if isinstance(state, CaptainsState):
            held = [(name, cards, False) for name, cards in zip(state.names, state.cards, strict=True)]
            return cls._of(now, state, held, captains_view.actor(state), state.deck_kind, state.discards)
        held = [(p.name, p.cards, p.has_folded) for p in state.hand.players]
        found = cls._of(now, state.hand, held, rochi_view.actor(state), state.rules.deck, state.hand.gone)
        following = state.next_leader
        return replace(
            found,
            hand=state.number,
            leader=rochi_view.leader(state),
            next_leader=following.player if following else None,
        )

    @classmethod
    def _of(
        cls,
        now: Situation,
        hand: Hand | CaptainsState,
        held: Sequence[tuple[str, int, bool]],
        actor: str | None,
        deck: str,
        gone: Sequence[str],
    ) -> Self:
        seats = {seat.player: seat.number for seat in now.rules.seats(now.state)}
        here = [one for one in held if one[0] in seats]
        return cls(
            name=now.rules.name,
            phase=now.state.phase.value,
            deck=deck,
            suits={s.suit: Suit(s.suit, len(s.cards), s.owner, s.is_locked) for s in hand.stacks},
            players=tuple(Player(name, seats[name], now.ledger.balance(name), n, folded) for name, n, folded in here),
            turn=next((i for i, (name, *_) in enumerate(here) if name == actor), None),
            has_played=hand.has_played,
            has_dealt=hand.has_dealt,
            to_seed=hand.to_seed,
            places=_places(hand.stacks, gone, seats),
            expected=now.expected,
            hold=now.hold,
            undoes={key: value for key, value in now.latest.items() if key != "number"},
            left=hand.deck,
            seats=seats,
            now=now,
            commands=now.latest["number"],
        )

    @property
    def undo(self) -> Record:
        """The undo of exactly the last command; rejected if another one comes in between."""
        return {"do": "undo", "only": {"number": self.commands, **self.undoes}}

    @property
    def actor(self) -> Player | None:
        """The player to act, or None."""
        return None if self.turn is None else self.players[self.turn]

    @property
    def cards(self) -> tuple[str, ...]:
        """The cards of the deck in play."""
        return CARDS_OF[self.deck]

    def seat_of(self, name: str | None) -> int | None:
        """Return a player's seat, or None."""
        return next((p.seat for p in self.players if p.name == name), None)

    def at_seat(self, seat: int) -> str | None:
        """Return the player at a seat, or None."""
        return next((p.name for p in self.players if p.seat == seat), None)

    def suit_of(self, card: str) -> Suit:
        """Return a card's suit."""
        return self.suits[int(card[0])]

    # ---- effects of commands

    def may(self, verb: str) -> bool:
        """Whether the player to act could do this now."""
        return self.actor is not None and verb in self.expected

    def place_for(self, verb: str, card: str) -> str:
        """Return the place of a card if it is played or dealt now."""
        suit = self.suit_of(card)
        if verb == "play" and suit.is_ripe and self.actor is not None:
            return f"seat/{self.seat_of(suit.owner or self.actor.name)}"
        return f"stack/{suit.rank}"

    def after(self, record: Record) -> Game | None:
        """Return the table after a command, ignoring lack of coins; None if the command decides the hand.

        Raises:
            TableError: the command is illegal.
        """
        key = record["do"], record.get("card")
        if key not in self._after_cache:
            self._after_cache[key] = self._simulated(record)
        return self._after_cache[key]

    def _simulated(self, record: Record) -> Game | None:
        now = self.now
        rich = now.ledger.post(
            Transfer(CAGE, Account.player(player.name), _PLENTY, "what if") for player in self.players
        )
        state, happened = now.rules.apply(now.state, parse_command(record, now.rules.verbs), rich)
        if state.phase.value not in ON_TABLE or any(isinstance(event, Decided) for event in happened):
            return None
        return self.of(replace(now, state=state, expected=now.rules.expected(state)))

    def owned_by(self, name: str) -> tuple[int, ...]:
        """Return the suits a player owns."""
        return tuple(rank for rank, suit in self.suits.items() if suit.owner == name)

    def home_of(self, rank: int) -> int | None:
        """Return the seat where a suit's token belongs; None for the centre or its own stack."""
        return self.seat_of(self.suits[rank].owner)


def _places(stacks: Stacks, gone: Sequence[str], seats: Mapping[str, int]) -> dict[str, str]:
    places = dict.fromkeys(gone, "discard")
    for stack in stacks:
        places |= dict.fromkeys(stack.cards, f"stack/{stack.suit}")
        places |= {shield.card: f"seat/{seats.get(shield.holder, 0)}" for shield in stack.shields}
    return places

"""`Game`: pure rules with the same few methods for every game.

No camera, clock, file or web, and no randomness: a dealt card or a thrown die is a command that came from the table.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from typing_extensions import TypedDict

from companion.kernel.commands import CASHIER, Command, Record, Verbs
from companion.kernel.errors import UnknownPlayer
from companion.kernel.events import Event
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, Words, message
from companion.kernel.words import command_words, pot_words

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place; seat 1 is the first, the seat to the left of seat k is k + 1."""

    number: int
    player: str


Happening = Event | Transfer
"""An event, or coins that moved; a command yields a run of them, in order."""

Options = Mapping[str, Any]
"""A header's options by name; a game's `start` checks what their values are."""

USUAL_BUY_IN: Final = 100

Draw = Callable[[int], int]
"""Draws a number from 0 up to, but not including, another."""


class GameView(TypedDict, total=False):
    """What the engine looks at in a game's part of the table view. A game's own shape adds more."""

    prompt: Words
    "The one thing to do next, for whoever runs the table."
    turn: str | None
    "Whose turn it is, in games with turns."
    hand: int
    cuts: int


@dataclass(frozen=True, slots=True)
class Rounds:
    """How a game's session divides into rounds, each with its own history entry and receipt."""

    word: str = "round"
    "What one is called: round, hand, chain, cut, spin."
    begin_with: frozenset[str] = frozenset({"new-round"})
    "Verbs that begin one."
    begin_at: frozenset[str] = frozenset()
    "Names of events that begin one, such as a point that was made."
    follow_on: bool = False
    "Whether the next one begins with whatever comes after the last one was decided."
    can_misdeal: bool = False
    "Whether all of one can be taken back at once: while it is under way nothing else is done than what belongs to it."


class Game(ABC, Generic[S]):
    """The rules of one table game, over an immutable state ``S``. Most games leave as it is what has a default here."""

    name: ClassVar[str]
    "The id in commands, scripts and configuration: lower case, digits and hyphens."
    title: ClassVar[str]
    "What people call it."
    verbs: ClassVar[Verbs]
    rounds: ClassVar[Rounds] = Rounds()
    empty_text: ClassVar[bool] = True
    "Whether a command's text may be empty; it names nothing then, and is refused as what it should name."
    to_finish: ClassVar[str] = message("settle the round or take the bets back")
    'What the dealer does so that nothing is undecided, to follow "Start with --game NAME, ".'
    secret: ClassVar[frozenset[str]] = frozenset()
    """Verbs of which only whoever gives the command may know more than that it was given. The journal keeps such
    commands sealed. Mostly none."""
    reveals: ClassVar[Mapping[str, frozenset[str]]] = {}
    """Verb -> the secret verbs that are opened by it, of commands since the last of its kind. What is not named
    stays sealed."""
    timed: ClassVar[frozenset[str]] = frozenset()
    """Verbs of which the time matters: the table writes into such a command, as ``at``, when it was given. So the rules
    read no clock, and a replay has the same times. Mostly none."""
    follow_ups: ClassVar[frozenset[str]] = frozenset()
    """Verbs that only complete what was decided, such as electing who is next: its payments stay due after them. Mostly
    none."""
    purchases: ClassVar[frozenset[str]] = frozenset()
    """Verbs with which players pay the house of their own accord, several one after the other: their payments are added
    to the pay sheet instead of taking its place. Mostly none."""
    has_own_coins: ClassVar[bool] = False
    """Whether its coins are its own, such as a tournament's chips: if other games were played before, everybody begins
    with a usual buy-in, and the rest of their coins is put aside until another game follows."""
    fewest: ClassVar[int] = 0
    "The players without whom a hand script is none. A live table may begin with fewer and wait."
    own_words: ClassVar[Mapping[str, Callable[[Record], str]]] = {}
    """Says commands of the game's own verbs in a few words, by verb; `describe` says others as at every table."""

    def drawn(self, options: Options, draw: Draw) -> Options:
        """Return the options of a new session with what the game leaves to luck drawn; mostly as they are."""
        return options

    @abstractmethod
    def start(self, seats: Sequence[Seat], options: Options) -> S:
        """Return the state before the first command.

        Raises:
            BadScript: an option that the game does not have, or a value that it cannot take.
        """

    def opening(self, state: S) -> tuple[Transfer, ...]:
        """Return the coins that move as the game starts, without a command: an ante. Mostly none."""
        return ()

    def unfinished(self, state: S) -> Message | None:
        """Return what besides coins must be decided before another game can follow; mostly None."""
        return None

    def expected(self, state: S) -> frozenset[str]:
        """Return the verbs that can be done now."""
        return frozenset(self.verbs)

    def cashier(self, state: S) -> frozenset[str]:
        """Return which of the cashier's verbs, `CASHIER`, can be done now; mostly all."""
        return CASHIER

    def counted(self, state: S, command: Command | None, ledger: Ledger) -> S:
        """Return the state once coins have come over the counter: at the start, and with a cashier's command.

        Args:
            command: None for the coins that everybody brought.
            ledger: what everybody has then.

        Raises:
            TableError: these coins stay where they are.
        """
        return state

    def why_not(self, state: S) -> str:
        """Return why whatever cannot be done now has to wait: a sentence about "this"."""
        return message("This has to wait.")

    def reasons(self, state: S) -> dict[str, str]:
        """Return why each of the game's other verbs, and of the cashier's, cannot be done now."""
        why, expected = self.why_not(state), self.expected(state) | self.cashier(state)
        return {verb: why for verb in (*self.verbs, *sorted(CASHIER)) if verb not in expected}

    @abstractmethod
    def apply(self, state: S, command: Command, ledger: Ledger) -> tuple[S, tuple[Happening, ...]]:
        """Return the state after a command, and what happened.

        Args:
            ledger: what everybody has now. The game reads it; the table posts the transfers that are returned.

        Raises:
            TableError: the command cannot be done now. Nothing has changed.
        """

    @abstractmethod
    def audit(self, before: S, command: Command, happened: Sequence[Happening], ledger: Ledger) -> tuple[str, ...]:
        """Settle a second time, by other code, and return each difference in words; none is the rule.

        Args:
            ledger: what everybody had before the command.
        """

    def seats(self, state: S) -> tuple[Seat, ...]:
        """Return who sits where now."""
        here: tuple[Seat, ...] = state.seats  # type: ignore[attr-defined]
        return here

    def usual_buy_in(self, state: S) -> int:
        """Return the coins with which a player usually comes: enough to play for a while; mostly `USUAL_BUY_IN`."""
        return USUAL_BUY_IN

    def smallest_chip(self, state: S) -> int:
        """Return what the smallest chip is worth that is played with now; mostly 1."""
        return 1

    @abstractmethod
    def view(self, state: S) -> Mapping[str, object]:
        """Return what everybody may see: the game's own part of the table view; see `GameView`."""

    def private(self, state: S, player: str) -> Mapping[str, object]:
        """Return what one player alone may see, beside what everybody does: their own secrets. Mostly none."""
        return {}

    @abstractmethod
    def facts(self, state: S) -> Mapping[str, object]:
        """Return the ``state`` object of the public contract's result."""

    def describe(self, record: Record) -> str:
        """Say a command in a few words ("the deal of the 7 of hearts"), for undo buttons and histories."""
        own = self.own_words.get(record["do"])
        return own(record) if own is not None else command_words(record, self.spot_name, self.pot_name)

    def given_together(self, records: Sequence[Record]) -> int:
        """Return how many of these commands, from the latest back, somebody gave as one step; mostly 1.

        A secret must not show in it: it is told by the verbs and the players alone.
        """
        return 1

    def spot_name(self, on: str) -> str:
        """Return what a spot is called within a sentence ("red"). Only for games with spots."""
        return on

    def pot_name(self, pot: int | str) -> str:
        """Return what a pot is called within a sentence ("the side pot"). Only for games with pots.

        Args:
            pot: as in its account; a suit's may be a number.
        """
        return pot_words(pot)


class BaseGame(Game[Any]):
    """Base of games, each of which knows the class of its own states."""


class Rulebook(Protocol):
    """Looks up rules by name; `companion.plugins.registry.Games` implements it."""

    def rules(self, game: object) -> Game[Any]:
        """Return the rules of a game.

        Raises:
            BadScript: there is no such game here.
        """
        ...


def seat_of(seats: Sequence[Seat], player: str) -> Seat:
    """Return a player's seat.

    Raises:
        UnknownPlayer: nobody of that name sits here.
    """
    for seat in seats:
        if seat.player == player:
            return seat
    here = ", ".join(seat.player for seat in seats) or message("nobody")
    raise UnknownPlayer.saying(
        "No {player} sits at this table (here: {here}). Check the name, or let them join.",
        player=repr(player),
        here=here,
    )


def free_seat(seats: Sequence[Seat]) -> int:
    """Return the lowest seat that nobody has.

    >>> free_seat([Seat(1, "Ann"), Seat(3, "Bo")])
    2
    """
    taken = {seat.number for seat in seats}
    return next(n for n in range(1, len(taken) + 2) if n not in taken)

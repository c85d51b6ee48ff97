"""`Game`: pure rules with the same few methods for every game.

No camera, clock, file or web, and no randomness: a dealt card or a thrown die arrives as a command from the table.
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


Effect = Event | Transfer
"""An event or a transfer of coins; a command yields a sequence of them."""

Options = Mapping[str, Any]
"""A header's options by name; a game's `start` validates them."""

USUAL_BUY_IN: Final = 100

Draw = Callable[[int], int]
"""Returns a random integer from 0 up to, but not including, its argument."""


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
    "The word for a round: round, hand, chain, cut, spin."
    begin_with: frozenset[str] = frozenset({"new-round"})
    "Verbs that begin a round."
    begin_at: frozenset[str] = frozenset()
    "Names of events that begin a round, such as a point that was made."
    follow_on: bool = False
    "Whether the first command after a decision, other than hold and release, begins the next round."
    can_misdeal: bool = False
    "Whether a round can be undone as a whole. Requires that no unrelated commands occur during a round."


class Game(ABC, Generic[S]):
    """The rules of one table game, over an immutable state ``S``. Most games keep the defaults given here."""

    name: ClassVar[str]
    "The id in commands, scripts and configuration: lower case, digits and hyphens."
    title: ClassVar[str]
    "The name shown to people."
    verbs: ClassVar[Verbs]
    rounds: ClassVar[Rounds] = Rounds()
    empty_text: ClassVar[bool] = True
    """Whether an empty text field reaches the rules, which refuse it as an unknown player, card or spot. If not,
    `parse_command` refuses it."""
    to_finish: ClassVar[str] = message("settle the round or take the bets back")
    'How the dealer finishes all open bets, to follow "Start with --game NAME, ".'
    secret: ClassVar[frozenset[str]] = frozenset()
    """Verbs whose commands only the player who gave them may see; others learn only that one was given. The journal
    keeps these commands sealed. Usually empty."""
    reveals: ClassVar[Mapping[str, frozenset[str]]] = {}
    """Verb -> the secret verbs it reveals, among the commands since its previous occurrence. Secret verbs that are
    not listed stay sealed."""
    timed: ClassVar[frozenset[str]] = frozenset()
    """Verbs whose rules depend on the time: the table adds the time of the command as ``at``. So the rules read no
    clock, and a replay sees the same times. Usually empty."""
    follow_ups: ClassVar[frozenset[str]] = frozenset()
    """Verbs that only complete a decision, such as electing who is next: its payouts stay due after them. Usually
    empty."""
    purchases: ClassVar[frozenset[str]] = frozenset()
    """Verbs with which players buy something from the house, possibly several in a row: their payments are appended
    to the pay sheet instead of replacing it. Usually empty."""
    has_own_coins: ClassVar[bool] = False
    """Whether the game has coins of its own, such as a tournament's chips: if other games were played before, everybody
    begins with the usual buy-in, and the rest of their coins is put aside until another game follows."""
    min_players: ClassVar[int] = 0
    "The minimum number of players in a hand script. A live table may start with fewer and wait."
    own_words: ClassVar[Mapping[str, Callable[[Record], str]]] = {}
    """Verb -> returns such a command in a few words; `describe` uses the common wording for other verbs."""

    def drawn(self, options: Options, draw: Draw) -> Options:
        """Return a new session's options with the random ones drawn; usually unchanged."""
        return options

    @abstractmethod
    def start(self, seats: Sequence[Seat], options: Options) -> S:
        """Return the state before the first command.

        Raises:
            BadScript: an unknown option or an invalid value.
        """

    def opening(self, state: S) -> tuple[Transfer, ...]:
        """Return the transfers made at the start without a command, such as an ante; usually none."""
        return ()

    def unfinished(self, state: S) -> Message | None:
        """Return what else must be finished before another game, besides bets, pots and debts; usually None."""
        return None

    def expected(self, state: S) -> frozenset[str]:
        """Return the verbs available now."""
        return frozenset(self.verbs)

    def cashier(self, state: S) -> frozenset[str]:
        """Return which of the `CASHIER` verbs are available now; usually all."""
        return CASHIER

    def counted(self, state: S, command: Command | None, ledger: Ledger) -> S:
        """Return the state after coins came in or went out: at the start, and after a cashier command.

        Args:
            command: the cashier command; None for the opening balances.
            ledger: the balances after it.

        Raises:
            TableError: the game refuses the command.
        """
        return state

    def why_not(self, state: S) -> str:
        """Return why the unavailable verbs have to wait: a sentence about "this"."""
        return message("This has to wait.")

    def reasons(self, state: S) -> dict[str, str]:
        """Return, for each game and cashier verb that is not available now, the reason."""
        why, expected = self.why_not(state), self.expected(state) | self.cashier(state)
        return {verb: why for verb in (*self.verbs, *sorted(CASHIER)) if verb not in expected}

    @abstractmethod
    def apply(self, state: S, command: Command, ledger: Ledger) -> tuple[S, tuple[Effect, ...]]:
        """Return the state after a command, and its events and transfers.

        Args:
            ledger: the balances before the command, read only; the table posts the returned transfers.

        Raises:
            TableError: the command is refused; nothing has changed.
        """

    @abstractmethod
    def audit(self, before: S, command: Command, happened: Sequence[Effect], ledger: Ledger) -> tuple[str, ...]:
        """Recompute the settlement with independent code and return each difference in words; normally none.

        Args:
            ledger: the balances before the command.
        """

    def seats(self, state: S) -> tuple[Seat, ...]:
        """Return the current seating."""
        here: tuple[Seat, ...] = state.seats  # type: ignore[attr-defined]
        return here

    def usual_buy_in(self, state: S) -> int:
        """Return the coins of a sensible buy-in, enough to play for a while; usually `USUAL_BUY_IN`."""
        return USUAL_BUY_IN

    def smallest_chip(self, state: S) -> int:
        """Return the value of the smallest chip in play; usually 1."""
        return 1

    @abstractmethod
    def view(self, state: S) -> Mapping[str, object]:
        """Return the game's part of the public table view; see `GameView`."""

    def private(self, state: S, player: str) -> Mapping[str, object]:
        """Return what only this player may see, in addition to the public view; usually nothing."""
        return {}

    @abstractmethod
    def facts(self, state: S) -> Mapping[str, object]:
        """Return the ``state`` object of the public contract's result."""

    def describe(self, record: Record) -> str:
        """Return a command in a few words ("the deal of the 7 of hearts"), for undo buttons and histories."""
        own = self.own_words.get(record["do"])
        return own(record) if own is not None else command_words(record, self.spot_name, self.pot_name)

    def given_together(self, records: Sequence[Record]) -> int:
        """Return how many commands at the end of ``records`` were one user action; usually 1.

        The answer must not depend on secrets: it is revealed by the number of commands that an undo reverts.
        """
        return 1

    def spot_name(self, on: str) -> str:
        """Return a spot's name within a sentence ("red"). Only for games with spots."""
        return on

    def pot_name(self, pot: int | str) -> str:
        """Return a pot's name within a sentence ("the side pot"). Only for games with pots.

        Args:
            pot: its key, as in `Account.pot`.
        """
        return pot_words(pot)


class BaseGame(Game[Any]):
    """Base of games, each of which knows the class of its own states."""


class Rulebook(Protocol):
    """Looks up rules by name; `companion.plugins.registry.Games` implements it."""

    def rules(self, game: object) -> Game[Any]:
        """Return the rules of a game.

        Raises:
            BadScript: no such game is installed.
        """
        ...


def seat_of(seats: Sequence[Seat], player: str) -> Seat:
    """Return a player's seat.

    Raises:
        UnknownPlayer: nobody of that name is seated.
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
    """Return the lowest free seat number.

    >>> free_seat([Seat(1, "Ann"), Seat(3, "Bo")])
    2
    """
    taken = {seat.number for seat in seats}
    return next(n for n in range(1, len(taken) + 2) if n not in taken)

"""State of a chinchirorin table: seats, bank, bets and throws."""

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final

from companion.games.chinchirorin.events import RoundDecided
from companion.games.chinchirorin.throws import Throw
from companion.kernel.accounts import Account
from companion.kernel.errors import BadScript
from companion.kernel.game import Options, Seat
from companion.kernel.ledger import Ledger
from companion.kernel.shared.options import check_names, choice
from companion.kernel.values import changed, quick

TITLE: Final = "Chinchirorin"
MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 12


class Phase(Enum):
    """Phase of a round."""

    DRAW = "draw"
    "Draw for the first bank: everybody throws one die, the highest gets it."
    BANK = "bank"
    "The banker announces the bank; buying in and cashing out are allowed."
    BETTING = "betting"
    "The others bet, clockwise from the banker."
    BANKER = "banker"
    "The banker throws."
    PLAYER = "player"
    "The highest bettor throws for all."
    WASH = "wash"
    "After a wash: the banker keeps or passes the bank."
    OVER = "over"
    "At most one player has coins."


_OF_BANKER: Final = (Phase.BANK, Phase.BANKER, Phase.WASH)


@quick
class Stake:
    """A player's bet of this round."""

    player: str
    amount: int

    @property
    def account(self) -> Account:
        """Account of the bet."""
        return Account.stake(self.player, "bet")


@quick
class State:
    """A table of chinchirorin. ``stakes`` lie clockwise from the banker, as they are made in that order."""

    seats: tuple[Seat, ...]
    bank_at: int | None = None
    "The banker's seat; None until the draw is over."
    phase: Phase = Phase.DRAW
    asked: tuple[str, ...] = ()
    "Players who still have to throw for the bank, in seat order."
    drawn: tuple[tuple[str, int], ...] = ()
    "(Player, die) of the current draw round."
    tied_at: int | None = None
    "The tied value, while tied players throw again."
    bank: int | None = None
    stakes: tuple[Stake, ...] = ()
    throws: tuple[Throw, ...] = ()
    "Throws of the current thrower."
    banker_throws: tuple[Throw, ...] = ()
    "The banker's throws, while the player throws."
    banker_score: int | None = None
    decided: RoundDecided | None = None
    "The last decided round."

    @property
    def banker(self) -> str | None:
        """The banker, or None."""
        for seat in self.seats:
            if seat.number == self.bank_at:
                return seat.player
        return None

    @property
    def player(self) -> str | None:
        """The bettors' thrower: the highest bettor, on a tie the first clockwise from the banker; None without bets."""
        return max(self.stakes, key=lambda stake: stake.amount).player if self.stakes else None

    @property
    def turn(self) -> str | None:
        """The player who throws, announces or decides; None if it is nobody in particular."""
        if self.phase is Phase.PLAYER:
            return self.player
        return self.banker if self.phase in _OF_BANKER else None

    @property
    def staked(self) -> int:
        """Sum of all bets."""
        return sum(stake.amount for stake in self.stakes)

    def stake_of(self, player: str) -> Stake | None:
        """Return a player's bet, or None."""
        return next((stake for stake in self.stakes if stake.player == player), None)

    @property
    def is_between(self) -> bool:
        """Whether no round, and no draw with throws, is in progress."""
        is_fresh = self.phase is Phase.DRAW and not self.drawn and self.tied_at is None
        return is_fresh or self.phase in (Phase.BANK, Phase.OVER)


def started(seats: Sequence[Seat], options: Options) -> State:
    """Return the initial state, without regard to coins; see `between_rounds`.

    Raises:
        BadScript: an unknown option or value, or too many players. Too few are fine: more may join.
    """
    check_names(TITLE, options, ("stakes", "banker"))
    choice(options, "stakes", ("seed",))
    if len(seats) > MAX_PLAYERS:
        raise BadScript.saying(
            "{game} is for {fewest} to {most} players, and {count} sit here.",
            game=TITLE,
            fewest=MIN_PLAYERS,
            most=MAX_PLAYERS,
            count=len(seats),
        )
    bank_at = options.get("banker")
    most = len(seats) or MAX_PLAYERS
    if bank_at is not None and (type(bank_at) is not int or not 1 <= bank_at <= most):
        raise BadScript(f"Option 'banker' is the seat of a player, 1 to {most}, got {bank_at!r}.")
    return State(tuple(seats), bank_at)


def clockwise(seats: Iterable[Seat], number: int) -> list[Seat]:
    """Return the seats clockwise, starting at seat ``number``, occupied or not.

    >>> [seat.number for seat in clockwise([Seat(1, "Ann"), Seat(2, "Bo"), Seat(4, "Cy")], 3)]
    [4, 1, 2]
    """
    return sorted(seats, key=lambda seat: (seat.number < number, seat.number))


def between_rounds(state: State, ledger: Ledger) -> State:
    """Set the phase by the players' coins: over, draw, or bank with the first player who has coins."""
    able = [seat for seat in state.seats if ledger.balance(seat.player) > 0]
    at = state.bank_at
    if at is not None and able:
        at = clockwise(able, at)[0].number
    if len(able) < MIN_PLAYERS:
        is_waiting = len(state.seats) < MIN_PLAYERS
        return changed(state, phase=Phase.DRAW if is_waiting else Phase.OVER, bank_at=at, asked=())
    if at is None:
        return changed(state, phase=Phase.DRAW, asked=tuple([seat.player for seat in able]))
    return changed(state, phase=Phase.BANK, bank_at=at, asked=())


def next_round(state: State, bank_at: int, ledger: Ledger) -> State:
    """Start the next round, with the bank at a seat or at the next one with coins."""
    return between_rounds(cleared(state, bank_at), ledger)


def cleared(state: State, bank_at: int | None) -> State:
    """Return the state without bets and throws."""
    return State(state.seats, bank_at, decided=state.decided)

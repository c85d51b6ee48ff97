"""A table of chinchirorin at one moment: who sits where, who has the bank, what is bet and thrown."""

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
FEWEST_PLAYERS: Final = 2
MOST_PLAYERS: Final = 12


class Phase(Enum):
    """Where a round stands."""

    DRAW = "draw"
    "Everybody throws one die; the highest has the first bank."
    BANK = "bank"
    "The banker says how much he risks. Coins may come and go."
    BETTING = "betting"
    "The others bet, clockwise from the banker."
    BANKER = "banker"
    "The banker throws."
    PLAYER = "player"
    "The highest bettor throws for all."
    WASH = "wash"
    "Nobody won: the banker keeps the bank or passes it."
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
        """Where the coins lie."""
        return Account.stake(self.player, "bet")


@quick
class State:
    """A table of chinchirorin. ``stakes`` lie clockwise from the banker, as they are made in that order."""

    seats: tuple[Seat, ...]
    bank_at: int | None = None
    "The banker's seat; None until the draw is over."
    phase: Phase = Phase.DRAW
    asked: tuple[str, ...] = ()
    "Who must still throw for the bank, in seat order."
    drawn: tuple[tuple[str, int], ...] = ()
    "What was thrown for the bank since everybody, or everybody tied, was asked."
    tied_at: int | None = None
    "What those who are asked threw each, where only the highest of the draw throw again."
    bank: int | None = None
    stakes: tuple[Stake, ...] = ()
    throws: tuple[Throw, ...] = ()
    "Of whoever throws now."
    banker_throws: tuple[Throw, ...] = ()
    "While the player throws: what the banker threw before."
    banker_score: int | None = None
    decided: RoundDecided | None = None
    "The latest round that was decided."

    @property
    def banker(self) -> str | None:
        """Who has the bank."""
        for seat in self.seats:
            if seat.number == self.bank_at:
                return seat.player
        return None

    @property
    def player(self) -> str | None:
        """Who throws for the bettors: the highest, on a tie the first clockwise from the banker; None without bets."""
        return max(self.stakes, key=lambda stake: stake.amount).player if self.stakes else None

    @property
    def turn(self) -> str | None:
        """Who throws, announces or decides; None where that is nobody in particular."""
        if self.phase is Phase.PLAYER:
            return self.player
        return self.banker if self.phase in _OF_BANKER else None

    @property
    def staked(self) -> int:
        """All bets together."""
        return sum(stake.amount for stake in self.stakes)

    def stake_of(self, player: str) -> Stake | None:
        """Return a player's bet, if there is one."""
        return next((stake for stake in self.stakes if stake.player == player), None)

    @property
    def is_between(self) -> bool:
        """Whether no round is under way, nor a draw in which somebody has thrown."""
        is_fresh = self.phase is Phase.DRAW and not self.drawn and self.tied_at is None
        return is_fresh or self.phase in (Phase.BANK, Phase.OVER)


def started(seats: Sequence[Seat], options: Options) -> State:
    """Return the table before anybody's coins are known; see `between_rounds`.

    Raises:
        BadScript: an unknown option or value, or too many players. Fewer than two wait for others.
    """
    check_names(TITLE, options, ("stakes", "banker"))
    choice(options, "stakes", ("seed",))
    if len(seats) > MOST_PLAYERS:
        raise BadScript.saying(
            "{game} is for {fewest} to {most} players, got {count}.",
            game=TITLE,
            fewest=FEWEST_PLAYERS,
            most=MOST_PLAYERS,
            count=len(seats),
        )
    bank_at = options.get("banker")
    most = len(seats) or MOST_PLAYERS
    if bank_at is not None and (type(bank_at) is not int or not 1 <= bank_at <= most):
        raise BadScript(f"Option 'banker' is the seat of a player, 1 to {most}, got {bank_at!r}.")
    return State(tuple(seats), bank_at)


def clockwise(seats: Iterable[Seat], number: int) -> list[Seat]:
    """Return the seats clockwise, beginning with a number, whether somebody sits there or not.

    >>> [seat.number for seat in clockwise([Seat(1, "Ann"), Seat(2, "Bo"), Seat(4, "Cy")], 3)]
    [4, 1, 2]
    """
    return sorted(seats, key=lambda seat: (seat.number < number, seat.number))


def between_rounds(state: State, ledger: Ledger) -> State:
    """Return the table as its coins have it: over, at the draw, or with the bank at the first who has coins."""
    able = [seat for seat in state.seats if ledger.balance(seat.player) > 0]
    at = state.bank_at
    if at is not None and able:
        at = clockwise(able, at)[0].number
    if len(able) < FEWEST_PLAYERS:
        is_waiting = len(state.seats) < FEWEST_PLAYERS
        return changed(state, phase=Phase.DRAW if is_waiting else Phase.OVER, bank_at=at, asked=())
    if at is None:
        return changed(state, phase=Phase.DRAW, asked=tuple([seat.player for seat in able]))
    return changed(state, phase=Phase.BANK, bank_at=at, asked=())


def next_round(state: State, bank_at: int, ledger: Ledger) -> State:
    """Return the table after a round, with the bank at a seat or at the next one with coins."""
    return between_rounds(cleared(state, bank_at), ledger)


def cleared(state: State, bank_at: int | None) -> State:
    """Return the table without bets and throws."""
    return State(state.seats, bank_at, decided=state.decided)

"""Tournament events other than those of hands."""

from dataclasses import dataclass

from companion.games.holdem.tournament.shapes import TournamentResult
from companion.games.holdem.tournament.tour import Place, Tour
from companion.kernel.events import Decided, Event, summed
from companion.kernel.ledger import Transfer
from companion.kernel.messages import Message, joined, listed, message, plural
from companion.kernel.values import quick


@dataclass(frozen=True, slots=True)
class ClockStarted(Event):
    """The level clock was started."""

    says = message("The clock runs")


@dataclass(frozen=True, slots=True)
class ClockPaused(Event):
    """The level clock was paused."""

    says = message("The clock is paused")


@quick
class LevelBegan(Event):
    """A level began; its blinds apply from the next hand on."""

    level: int
    small: int
    big: int
    ante: int

    @property
    def sentence(self) -> Message:
        blinds = {"level": self.level, "small": self.small, "big": self.big}
        if self.ante:
            return message("Level {level}: blinds {small}/{big}, antes of {ante}", **blinds, ante=self.ante)
        return message("Level {level}: blinds {small}/{big}", **blinds)


@quick
class BreakBegan(Event):
    """A break began."""

    says = message("A break of {minutes} minutes")
    minutes: int


@quick
class LevelWithBigBlindsAnte(LevelBegan):
    """A level with a big blind ante began."""

    @property
    def sentence(self) -> Message:
        blinds = {"level": self.level, "small": self.small, "big": self.big}
        return message("Level {level}: blinds {small}/{big}, the big blind's ante is {ante}", **blinds, ante=self.ante)


def began(tour: Tour) -> LevelBegan | BreakBegan:
    """Return the event for the start of the current level or break."""
    level = tour.level
    if level.blinds is None:
        return BreakBegan(level.minutes)
    kind = LevelWithBigBlindsAnte if level.ante and tour.big_blind_ante else LevelBegan
    return kind(level.number, *level.blinds, level.ante)


@quick
class Rebought(Event):
    """A player rebought or entered late."""

    says = message("{player} comes in with {coins}")
    player: str
    coins: int


@quick
class AddedOn(Event):
    """A player bought an add-on."""

    says = message("{player} has an add-on of {coins}")
    player: str
    coins: int


@dataclass(frozen=True, slots=True)
class RebuysClosed(Event):
    """Rebuys ended; players without coins are eliminated for good."""

    says = message("No more rebuys: whoever has no coins is out")


@quick
class ChipsRaced(Event):
    """A chip race was decided."""

    chip: int
    winners: tuple[str, ...]

    @property
    def sentence(self) -> Message:
        if not self.winners:
            return message("The odd coins are exchanged")
        return message("Chip race: a chip of {chip} to {winners}", chip=self.chip, winners=listed(self.winners))


@quick
class PlayerOut(Event):
    """A player was eliminated; ``left`` is the number of players with coins."""

    player: str
    left: int

    @property
    def sentence(self) -> Message:
        return plural(
            "{player} has no coins left; {n} player has",
            "{player} has no coins left; {n} players have",
            self.left,
            player=self.player,
        )


PRIZE = message("prize")
"""Reason on the transfers of prizes."""


@quick
class TournamentDecided(Decided):
    """The tournament was decided: places, and the prizes paid from the winner's coins."""

    places: tuple[Place, ...]
    moves: tuple[Transfer, ...]

    @property
    def sentence(self) -> Message:
        prizes = [message("{place}. {player}: {coins}", place=one.place, player=one.player, coins=one.coins)
                  for one in self.places if one.coins]  # fmt: skip
        return message("The tournament is decided. {prizes}", prizes=joined(prizes, ", "))

    @property
    def result(self) -> TournamentResult:
        return {
            "places": [{"place": one.place, "player": one.player, "coins": one.coins} for one in self.places],
            "transfers": [move.public_json() for move in self.moves],
        }

    @property
    def gains(self) -> dict[str, int]:
        return summed(
            part for move in self.moves for part in ((move.payer.name, -move.coins), (move.payee.name, move.coins))
        )

    @property
    def won_by(self) -> str | None:
        return self.places[0].player


@dataclass(frozen=True, slots=True)
class TournamentCalledOff(Event):
    """The tournament ended without prizes."""

    says = message("The tournament ends here: everybody keeps the coins in front of them")

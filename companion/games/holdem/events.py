"""Events of hold'em."""

from collections.abc import Sequence

from companion.games.holdem.hands import RankId
from companion.games.holdem.shapes import HandResult, PotJson, ShownJson
from companion.games.holdem.words import cards_words, did_words, pot_name, rank_words
from companion.kernel.accounts import Account
from companion.kernel.events import Decided, Event, summed
from companion.kernel.ledger import Transfer
from companion.kernel.messages import Message, joined, listed, message
from companion.kernel.values import quick


@quick
class HandBegan(Event):
    """A hand began: the button moved and the blinds were posted."""

    says = message("Hand {hand}: {button} has the button, {small} puts in {small_coins}, {big} {big_coins}")
    hand: int
    button: str
    small: str
    small_coins: int
    big: str
    big_coins: int


@quick
class AntesPosted(Event):
    """All players in the hand posted an ante; ``coins`` is their sum."""

    says = message("Antes of {ante}: {coins} in the pot")
    ante: int
    coins: int


@quick
class BigBlindsAnte(Event):
    """The big blind posted the ante for the whole table."""

    says = message("{player} puts in the ante for all: {coins}")
    player: str
    coins: int


@quick
class HoleDealt(Event):
    """A player got two hole cards."""

    says = message("{player} gets two cards")
    player: str


@quick
class Acted(Event):
    """A player acted in a betting round.

    Attributes:
        what: check, call, bet, raise or fold.
        coins: coins put in.
        to: the player's stake in this round afterwards.
        is_all_in: whether the action left the player without coins.
    """

    player: str
    what: str
    coins: int
    to: int
    is_all_in: bool

    @property
    def sentence(self) -> Message:
        said = did_words(self.what, self.player, self.coins, self.to)
        return message("{said} and is all-in", said=said) if self.is_all_in else said


@quick
class StakeReturned(Event):
    """An uncalled bet was returned."""

    says = message("{coins} that nobody matched go back to {player}")
    player: str
    coins: int


@quick
class BoardDealt(Event):
    """Board cards were dealt; ``board`` is the whole board."""

    cards: tuple[str, ...]
    board: tuple[str, ...]

    @property
    def sentence(self) -> Message:
        cards = cards_words(self.cards)
        if len(self.board) == 3:
            return message("The flop: {cards}", cards=cards)
        if len(self.board) == 4:
            return message("The turn: {cards}", cards=cards)
        return message("The river: {cards}", cards=cards)


@quick
class HandTabled(Event):
    """A player showed both hole cards before the board was complete."""

    player: str
    cards: tuple[str, ...]

    @property
    def sentence(self) -> Message:
        return message("{player} turns up {cards}", player=self.player, cards=cards_words(self.cards))


@quick
class HandShown(Event):
    """A player showed both hole cards; ``rank`` is the best hand with the board."""

    player: str
    cards: tuple[str, ...]
    rank: RankId

    @property
    def sentence(self) -> Message:
        return message(
            "{player} shows {cards}: {rank}",
            player=self.player,
            cards=cards_words(self.cards),
            rank=rank_words(self.rank),
        )


@quick
class HandMucked(Event):
    """A player mucked at the showdown."""

    says = message("{player} mucks")
    player: str


@quick
class PotWon(Event):
    """A pot was won; ``winners`` and ``shares`` are in seat order."""

    pot: str
    coins: int
    winners: tuple[str, ...]
    shares: tuple[tuple[str, int], ...]

    @property
    def sentence(self) -> Message:
        pot = pot_name(self.pot)
        if len(self.winners) == 1:
            return message("{player} wins {coins} from {pot}", player=self.winners[0], coins=self.coins, pot=pot)
        paid = joined(message("{player} {coins}", player=player, coins=coins) for player, coins in self.shares if coins)
        return message("{players} split {pot}: {paid}", players=listed(self.winners), pot=pot, paid=paid)

    def moves(self) -> tuple[Transfer, ...]:
        """Return the transfers from the pot to the winners."""
        pot = Account.pot(self.pot)
        return tuple([Transfer(pot, Account.player(player), coins, POT) for player, coins in self.shares if coins])

    def told(self) -> PotJson:
        """Return the JSON form used in results."""
        return {"pot": self.pot, "coins": self.coins, "winners": list(self.winners)}


POT = message("pot")
"""Reason on the transfers that pay a pot."""


@quick
class Shown:
    """A shown hand in a result: its rank and best five cards."""

    player: str
    rank: RankId
    five: tuple[str, ...]

    def told(self) -> ShownJson:
        """Return the JSON form used in results."""
        return {"rank": self.rank, "cards": list(self.five)}


@quick
class HandDecided(Decided):
    """A hand ended. ``staked`` is each player's total in the pots; players are in seat order."""

    hand: int
    button: str
    board: tuple[str, ...]
    pots: tuple[PotWon, ...]
    shown: tuple[Shown, ...]
    mucked: tuple[str, ...]
    staked: tuple[tuple[str, int], ...]

    @property
    def sentence(self) -> Message:
        return joined((pot.sentence for pot in self.pots), "; ")

    @property
    def result(self) -> HandResult:
        return {
            "hand": self.hand,
            "button": self.button,
            "board": list(self.board),
            "pots": [pot.told() for pot in self.pots],
            "hands": {shown.player: shown.told() for shown in self.shown},
            "mucked": list(self.mucked),
            "transfers": [move.public_json() for pot in self.pots for move in pot.moves()],
        }

    @property
    def gains(self) -> dict[str, int]:
        won = [share for pot in self.pots for share in pot.shares]
        return summed([*((player, -coins) for player, coins in self.staked), *won])

    @property
    def won_by(self) -> str | None:
        winners = {winner for pot in self.pots for winner in pot.winners}
        return winners.pop() if len(winners) == 1 else None

    @property
    def decided_by(self) -> str | None:
        best = self._best()
        return best.rank if best else None

    def _best(self) -> Shown | None:
        """The shown hand that won the main pot; None if it was won without showing."""
        winners: Sequence[str] = self.pots[0].winners
        return next((shown for shown in self.shown if shown.player in winners), None)

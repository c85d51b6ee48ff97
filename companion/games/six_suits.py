"""Shared by the games with the six-suit deck: the dealt-card field, and the name of a suit's pot."""

from companion.kernel.events import Event
from companion.kernel.messages import Message, message
from companion.kernel.values import quick
from companion.kernel.words import SUITS, card_words


@quick
class CardDealt(Event):
    """A card was turned over: now the suit shows ``count`` of the ``cuts_at`` that cut it."""

    card: str
    suit: int
    count: int
    cuts_at: int

    @property
    def sentence(self) -> Message:
        card = card_words(self.card)
        return message("{card} dealt: {count} of {cuts_at}", card=card, count=self.count, cuts_at=self.cuts_at)


def pot_name(pot: int | str) -> Message:
    """Return what a suit's pot is called, as `companion.kernel.game.Game.pot_name` asks.

    >>> pot_name(6)
    'the pot of Kin'
    """
    return message("the pot of {suit}", suit=SUITS[int(pot)])

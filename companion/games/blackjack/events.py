"""Events of blackjack, in addition to those of any table."""

from dataclasses import dataclass

from companion.games.blackjack.hands import MAX_TOTAL, Box, is_blackjack, total
from companion.games.blackjack.shapes import BlackjackResult
from companion.games.blackjack.words import hand_words, total_words
from companion.kernel.events import Decided, EndedBet, Event, WonJson, bet_gains
from companion.kernel.messages import Message, joined, message
from companion.kernel.values import quick
from companion.kernel.words import playing_card_words


@quick
class BoxBet(Event):
    """A player bet; ``total`` includes earlier bets."""

    player: str
    amount: int
    total: int

    @property
    def sentence(self) -> Message:
        if self.total == self.amount:
            return message("{player} bets {amount}", player=self.player, amount=self.amount)
        return message("{player} bets {amount} more, {total} in all",
                       player=self.player, amount=self.amount, total=self.total)  # fmt: skip


@dataclass(frozen=True, slots=True)
class BoxBetTakenBack(Event):
    """A player took back the bet."""

    says = message("{player} takes {amount} back")
    player: str
    amount: int


@quick
class PlayerCard(Event):
    """A player's hand got a card; ``cards`` is the whole hand, number ``number`` of ``hands``."""

    player: str
    number: int
    hands: int
    cards: tuple[str, ...]

    @property
    def sentence(self) -> Message:
        whose, card = hand_words(self.player, self.number, self.hands), playing_card_words(self.cards[-1])
        if self.hands == 1 and is_blackjack(self.cards):
            return message("{hand}: {card}, blackjack", hand=whose, card=card)
        return message("{hand}: {card}, {total}", hand=whose, card=card, total=total_words(self.cards))


@quick
class DealerCard(Event):
    """The dealer got the up-card."""

    card: str

    @property
    def sentence(self) -> Message:
        said = message("The dealer shows the {card}", card=playing_card_words(self.card))
        return message("{said}. Insurance?", said=said) if self.card[0] == "A" else said


@dataclass(frozen=True, slots=True)
class HoleDealt(Event):
    """The dealer got the hole card."""

    says = message("The dealer has a face-down card")


@quick
class Stood(Event):
    """A hand stood."""

    player: str
    number: int
    hands: int
    cards: tuple[str, ...]

    @property
    def sentence(self) -> Message:
        whose = hand_words(self.player, self.number, self.hands)
        return message("{hand} stands on {total}", hand=whose, total=total_words(self.cards))


@quick
class Doubled(Event):
    """A hand was doubled and got its one card; ``amount`` is the doubled stake."""

    player: str
    number: int
    hands: int
    cards: tuple[str, ...]
    amount: int

    @property
    def sentence(self) -> Message:
        return message(
            "{hand} doubles to {amount}: {card}, {total}",
            hand=hand_words(self.player, self.number, self.hands),
            amount=self.amount,
            card=playing_card_words(self.cards[-1]),
            total=total_words(self.cards),
        )


@quick
class HandSplit(Event):
    """A pair was split, with ``amount`` on each hand; ``cards`` are the second cards dealt so far."""

    player: str
    cards: tuple[str, ...]
    amount: int

    @property
    def sentence(self) -> Message:
        cards = joined(playing_card_words(card) for card in self.cards)
        return message("{player} splits for {amount} more: {cards}",
                       player=self.player, amount=self.amount, cards=cards)  # fmt: skip


@quick
class Surrendered(Event):
    """A hand was surrendered; ``back`` was returned at once, 0 if it waits for the hole card."""

    player: str
    back: int

    @property
    def sentence(self) -> Message:
        if self.back:
            return message("{player} surrenders: {coins} back", player=self.player, coins=self.back)
        return message("{player} surrenders", player=self.player)


@quick
class Insured(Event):
    """A player insured the hand."""

    says = message("{player} takes insurance for {coins}")
    player: str
    coins: int


@quick
class DealerTurned(Event):
    """The dealer turned the hole card or drew a card; ``draws``: whether the dealer must draw again."""

    cards: tuple[str, ...]
    draws: bool

    @property
    def sentence(self) -> Message:
        said = message(
            "The dealer: {card}, {total}", card=playing_card_words(self.cards[-1]), total=_dealer_total(self.cards)
        )
        return message("{said}. The dealer must draw", said=said) if self.draws else said


def _dealer_total(cards: tuple[str, ...]) -> Message:
    return message("blackjack") if is_blackjack(cards) else total_words(cards)


@quick
class RoundDecided(Decided):
    """A round ended. ``paid`` has each player's hands, then the insurance."""

    dealer: tuple[str, ...]
    paid: tuple[EndedBet, ...]
    boxes: tuple[Box, ...]
    "The boxes at the end of the round."

    @property
    def sentence(self) -> Message:
        points = total(self.dealer).points
        if is_blackjack(self.dealer):
            said = message("The dealer has blackjack")
        elif points > MAX_TOTAL:
            said = message("The dealer is bust with {total}", total=points)
        else:
            said = message("The dealer has {total}", total=points)
        gains = joined(_gain_words(player, coins) for player, coins in self.gains.items())
        return message("{said}. {paid}", said=said, paid=gains) if self.paid else said

    @property
    def result(self) -> BlackjackResult:
        return {
            "dealer": list(self.dealer),
            "total": total(self.dealer).points,
            "blackjack": is_blackjack(self.dealer),
            "paid": [bet.to_json() for bet in self.paid],
        }

    @property
    def paid_now(self) -> list[WonJson]:
        """Bets without the hands that were settled earlier, such as by going bust."""
        stakes = [n for box in self.boxes for n in (*(hand.stake for hand in box.hands), box.insured or None)]
        staked = [n for n in stakes if n is not None]
        return [bet.to_json() for bet, stake in zip(self.paid, staked, strict=True) if stake]

    @property
    def gains(self) -> dict[str, int]:
        return bet_gains(self.paid)

    @property
    def decided_by(self) -> int:
        return total(self.dealer).points


def _gain_words(player: str, coins: int) -> Message:
    if coins > 0:
        return message("{player} wins {coins}", player=player, coins=coins)
    if coins < 0:
        return message("{player} loses {coins}", player=player, coins=-coins)
    return message("{player} is even", player=player)

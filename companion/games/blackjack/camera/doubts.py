"""Questions to the dealer at a blackjack table: what was seen, what to do, and what it would count as."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.standard_cards import is_card
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.kernel.words import playing_card_words
from companion.service.questions import Choice, Question
from companion.tracking.cards.observations import LyingCard

ASIDE: Final = "aside"
LEAVE: Final = "leave"
_ASIDE: Final = Choice(ASIDE, message("It does not count"))


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a card does not count without confirmation.

    Attributes:
        kind: question kind, one word.
        text: what was seen, and what to do about it.
        ways: possible meanings, each with its command.
        names: whether the card may be named publicly.
    """

    kind: str
    text: Message
    ways: tuple[Choice, ...] = ()
    names: bool = True

    def about(self, card: LyingCard) -> Question:
        """Return the question about a card."""
        ways = (*self.ways, _ASIDE)
        return Question(f"{self.kind}:{card.track}", self.kind, self.text, ways, card.id if self.names else None, True)


def name_of(card: LyingCard) -> str:
    """Return a card's name, or "A card" if unread."""
    return playing_card_words(card.id) if card.id is not None and is_card(card.id) else message("A card")


def way(label: Message, record: Record, *, name: str = "count") -> Choice:
    """Return a choice that issues a command."""
    return Choice(name, label, record)


# ---- the card itself


def forged(card: LyingCard) -> Doubt:
    text = message(
        "{card} is forged: its code and its corner tags are not those of one genuine card. "
        "Take it off the table, and keep it.",
        card=name_of(card),
    )
    return Doubt("forged", text)


def foreign(card: LyingCard) -> Doubt:
    return Doubt("foreign", message("{card} is not of this house. Take it off the table.", card=name_of(card)))


def other_deck(card: LyingCard) -> Doubt:
    text = message("{card} of deck {deck} is not of this shoe. Take it off.", card=name_of(card), deck=str(card.deck))
    return Doubt("other-deck", text)


def twice(card: LyingCard) -> Doubt:
    text = message("{card} lies on the table twice. Take both up, look which is real, and lay one back.",
                   card=name_of(card))  # fmt: skip
    return Doubt("duplicate", text)


def two_ways(card: LyingCard) -> Doubt:
    return Doubt("conflict", message("{card} reads as another card, too. Take it off the table and look at it.",
                                     card=name_of(card)))  # fmt: skip


def no_playing_card(card: LyingCard) -> Doubt:
    return Doubt("unknown", message("This card is not dealt in blackjack. Take it off the table."))


def face_down(_card: LyingCard, record: Record | None = None) -> Doubt:
    text = message("A card lies face down or cannot be read. Turn it up, or turn it out of the light.")
    ways = () if record is None else (way(message("It is the dealer's face-down card"), record, name="hole"),)
    return Doubt("unreadable", text, ways)


def by_tag(card: LyingCard, record: Record | None) -> Doubt:
    text = message("{card} is known by its corner tags only. Show its code to the camera, or confirm it.",
                   card=name_of(card))  # fmt: skip
    ways = () if record is None else (way(message("It is {card}: it counts", card=name_of(card)), record),)
    return Doubt("unsure", text, ways)


def unseen(card: LyingCard, record: Record | None) -> Doubt:
    text = message("{card} lies there, but nobody saw it come. Does it count?", card=name_of(card))
    return Doubt("found", text, _counts(card, record))


def undone(card: LyingCard, record: Record | None, entered: str | None) -> Doubt:
    """Return the doubt about a card whose command, or the wrong entry made for it, was undone."""
    what = message("{card} counted, lies there and counts no more.", card=name_of(card))
    if entered is not None:
        what = message("{card} lies where {entered} was entered by hand, which counts no more.", card=name_of(card),
                       entered=playing_card_words(entered))  # fmt: skip
    return Doubt("undone", _off_or_counts(what, record), _counts(card, record))


def moved(card: LyingCard, record: Record | None) -> Doubt:
    what = message("{card} was not to count, but lies elsewhere now.", card=name_of(card))
    return Doubt("moved", _off_or_counts(what, record), _counts(card, record))


def again(card: LyingCard, record: Record | None) -> Doubt:
    what = message("{card} has counted in this round, and shows once more.", card=name_of(card))
    return Doubt("again", _off_or_counts(what, record), _counts(card, record))


def refused(card: LyingCard) -> Doubt:
    text = message("{card} cannot count here: the shoe has no more of it, or coins are missing. Take it off.",
                   card=name_of(card))  # fmt: skip
    return Doubt("refused", text)


def _counts(card: LyingCard, record: Record | None) -> tuple[Choice, ...]:
    return () if record is None else (way(counts_words(card), record),)


def _off_or_counts(what: Message, record: Record | None) -> Message:
    """Return the observation with instructions; counting the card is offered only with a command."""
    if record is None:
        return message("{what} Take it off.", what=what)
    return message("{what} Take it off, or say that it counts.", what=what)


def counts_words(card: LyingCard) -> Message:
    """Return the label of the choice to count a card."""
    return message("{card} counts", card=name_of(card))


# ---- its position


def nowhere(card: LyingCard) -> Doubt:
    text = message("{card} lies in no box, or between two. Put it where it belongs.", card=name_of(card))
    return Doubt("place", text)


def no_bet(card: LyingCard) -> Doubt:
    text = message("{card} lies in a box without a bet. Put it where it belongs.", card=name_of(card))
    return Doubt("place", text)


def no_bets(card: LyingCard) -> Doubt:
    text = message("{card} lies open, but nobody has bet. Take it back, or take bets first.", card=name_of(card))
    return Doubt("early", text)


def out_of_order(card: LyingCard, player: str, whose: str, record: Record) -> Doubt:
    what = message("{card} lies in {player}'s box, but {whose} is next.",
                   card=name_of(card), player=player, whose=whose)  # fmt: skip
    ways = (way(message("It is {player}'s", player=player), record),)
    return Doubt("order", _there_or_counts(what, ways), ways)


def dealer_not_next(card: LyingCard, whose: str, ways: Sequence[Choice]) -> Doubt:
    what = message("{card} lies before the dealer, but {whose} is next.", card=name_of(card), whose=whose)
    return Doubt("order", _there_or_counts(what, ways), tuple(ways))


def _there_or_counts(what: Message, ways: Sequence[Choice]) -> Message:
    if not ways:
        return message("{what} Put it there.", what=what)
    return message("{what} Put it there, or say that it counts.", what=what)


def apart(card: LyingCard, player: str) -> Doubt:
    text = message("{card} lies apart from {player}'s first card. Lay it on that.", card=name_of(card), player=player)
    return Doubt("place", text)


def too_many(card: LyingCard, player: str) -> Doubt:
    text = message("{card} is one too many for {player}. Put it where it belongs.", card=name_of(card), player=player)
    return Doubt("order", text)


def on_no_hand(card: LyingCard, player: str, ways: Sequence[Choice]) -> Doubt:
    text = message("{card} lies on no hand of {player}'s, or on two. Lay it on its hand.",
                   card=name_of(card), player=player)  # fmt: skip
    return Doubt("place", text, tuple(ways))


def other_turn(card: LyingCard, whose: str, ways: Sequence[Choice]) -> Doubt:
    what = message("{card} lies on another hand, but {whose} decides.", card=name_of(card), whose=whose)
    if not ways:
        return Doubt("turn", message("{what} Put it there.", what=what))
    text = message("{what} Put it there, or say that {whose} stands.", what=what, whose=whose)
    return Doubt("turn", text, tuple(ways))


def shown_early(whose: str, ways: Sequence[Choice]) -> Doubt:
    what = message("A second card of the dealer's lies open, but {whose} decides.", whose=whose)
    if not ways:
        return Doubt("flashed", message("{what} Turn it down.", what=what), names=False)
    text = message("{what} Turn it down, or say that {whose} stands.", what=what, whose=whose)
    return Doubt("flashed", text, tuple(ways), names=False)


def flashed() -> Doubt:
    text = message("The dealer's face-down card lies open. Turn it down again, and go on.")
    return Doubt("flashed", text, names=False)


def hole_there(card: LyingCard, record: Record) -> Doubt:
    text = message("{card} lies before the dealer, but the face-down card lies there, too. Turn that one.",
                   card=name_of(card))  # fmt: skip
    return Doubt("hole", text, (way(message("{card} was face down", card=name_of(card)), record),))


def too_late(card: LyingCard) -> Doubt:
    return Doubt("late", message("{card} came too late: the players have decided. Take it off.", card=name_of(card)))


# ---- its meaning


def across(card: LyingCard, player: str, ways: Sequence[Choice]) -> Doubt:
    text = message("{card} lies half across {player}'s hand. Is it a double or a hit?",
                   card=name_of(card), player=player)  # fmt: skip
    return Doubt("across", text, tuple(ways))


def no_double(card: LyingCard, player: str, ways: Sequence[Choice]) -> Doubt:
    text = message("{card} lies across, but {player} cannot double. Is it a hit?", card=name_of(card), player=player)
    return Doubt("across", text, tuple(ways))


def no_split(card: LyingCard, player: str) -> Doubt:
    text = message("{player}'s two cards lie apart, but cannot be split. Lay them together, with {card} on them.",
                   card=name_of(card), player=player)  # fmt: skip
    return Doubt("split", text)


def split_other(card: LyingCard, player: str) -> Doubt:
    text = message("{player}'s first hand gets its card first. Lay {card} on the card that was dealt first.",
                   card=name_of(card), player=player)  # fmt: skip
    return Doubt("split", text)


def hidden(card: LyingCard, player: str, ways: Sequence[Choice]) -> Doubt:
    text = message("Not all of {player}'s cards are seen where {card} lies. Show their corners, or say what it is.",
                   card=name_of(card), player=player)  # fmt: skip
    return Doubt("covered", text, tuple(ways))


def incomplete(card: LyingCard, record: Record) -> Doubt:
    text = message("{card} lies where another card should be seen that counts. Show that one, or say that this counts, "
                   "too.", card=name_of(card))  # fmt: skip
    return Doubt("covered", text, _counts(card, record))


def together(cards: Sequence[LyingCard], records: Sequence[Record]) -> Question:
    """Return the question about the order of two cards that came together."""
    text = message("Two cards came together, so their order is not known. Say which of them was first.")
    ways = tuple(
        way(message("{card} first", card=name_of(card)), record, name=str(card.id))
        for card, record in zip(cards, records, strict=True)
    )
    return Question(f"order:{'+'.join(str(card.track) for card in cards)}", "order", text, ways, None, True)


# ---- the whole table


def leftovers(cards: Sequence[LyingCard]) -> Question:
    """Return the question about leftover cards of the last round."""
    text = message("Cards of the last round still lie on the mat. Take them off before you deal.")
    ways = (Choice(ASIDE, message("They are away: deal")),)
    return Question(f"gather:{cards[0].track}", "gather", text, ways, None, True)


def vanished(card: str, number: int, undo: Record | None) -> Question:
    """Return the question about a counted card that is missing."""
    text = message(
        "{card} is not seen any more where it counted. Lay it back, or undo it.", card=playing_card_words(card)
    )
    ways = [Choice(LEAVE, message("It is all right; it counts"))]
    if undo is not None:
        ways.append(Choice("undo", message("Undo {card}", card=playing_card_words(card)), undo))
    return Question(f"vanished:{card}:{number}", "vanished", text, tuple(ways), card)

"""Completeness check of a deck: the cards shown to the camera so far, and anything unexpected."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from typing_extensions import TypedDict

from companion.objects.decks import Deck
from companion.vision.sightings import CardSighting, FrameReading

_MIN_FRAMES: Final = 5  # a card in motion may briefly be seen in two places
_MIN_VISIBLE: Final = 0.9


class DeckReport(TypedDict):
    """The result of a deck check so far."""

    deck: str
    kind: str
    cards: int
    seen: list[str]
    missing: list[str]
    double: list[str]
    forged: list[str]
    foreign: list[str]
    other_deck: list[str]
    complete: bool


@dataclass(slots=True)
class DeckCheck:
    """Counts a deck's cards as they are shown, in any order and any number at a time.

    Args:
        deck: the deck to check.
        sure_frames: frames needed to report a stranger, or in a row a duplicate; 1 for single photographs.
        shoe: ids of the decks checked together with it, whose cards are not strangers.

    >>> from companion.testing import DECKS
    >>> deck = Deck("K7QX", DECKS["standard"], "", b"", "")
    >>> code = ((0, 0), (9, 0), (9, 9), (0, 9))
    >>> check = DeckCheck(deck)
    >>> check.see(FrameReading((640, 480), (CardSighting("6D", "K7QX", "ok", code),)))
    ('6D',)
    >>> len(check.missing), check.is_complete
    (51, False)
    """

    deck: Deck
    sure_frames: int = _MIN_FRAMES
    shoe: Container[str] = ()
    seen: dict[str, None] = field(default_factory=dict)
    double: dict[str, None] = field(default_factory=dict)
    forged: dict[str, None] = field(default_factory=dict)
    foreign: dict[str, None] = field(default_factory=dict)
    other_deck: dict[str, None] = field(default_factory=dict)
    by_tag: dict[str, None] = field(default_factory=dict)
    _twice: dict[str, int] = field(default_factory=dict)
    _strange: dict[str, int] = field(default_factory=dict)

    def see(self, reading: FrameReading) -> tuple[str, ...]:
        """Process a frame; return the newly seen cards of the deck."""
        before = len(self.seen)
        for card in reading.cards:
            self._see(card)
        self._find_doubles(reading.cards)
        return tuple(self.seen)[before:]

    @property
    def missing(self) -> tuple[str, ...]:
        """The cards not shown yet, in the deck's order."""
        return tuple(card for card in self.deck.cards if card not in self.seen)

    @property
    def is_complete(self) -> bool:
        """Whether all cards have been shown."""
        return not self.missing

    @property
    def is_clean(self) -> bool:
        """Whether there were no duplicates or strangers."""
        return not (self.double or self.forged or self.foreign or self.other_deck)

    def problems(self) -> tuple[str, ...]:
        """Return a sentence for each problem, with its remedy."""
        lines = []
        own = f"Deck {self.deck.id}: " if self.shoe else ""
        if self.missing:
            reprint = f"companion print deck --deck {self.deck.id} --only {','.join(self.missing)} --out missing.pdf"
            lines.append(f"{own}Missing: {', '.join(self.missing)}. Look for them, or print them again (`{reprint}`).")
        unread = [card for card in self.by_tag if card in self.missing]
        if unread:
            lines.append(
                f"{own}Seen, but the code could not be read: {', '.join(unread)}. Show them closer or flatter."
            )
        for cards, text in (
            (self.double, own + "Double: {}. Destroy the copies; only one of each may be in the deck."),
            (self.forged, "Forged: {}. Keep them out of the deck, and ask where they came from."),
            (self.foreign, "Not of this house: {}. Take them out."),
            (self.other_deck, f"{_not_here(self.shoe)}: {{}}. Put them back there."),
        ):
            if cards:
                lines.append(text.format(", ".join(cards)))
        return tuple(lines)

    def to_json(self) -> DeckReport:
        """Return the full result."""
        return {
            "deck": self.deck.id,
            "kind": self.deck.kind,
            "cards": len(self.deck.cards),
            "seen": [card for card in self.deck.cards if card in self.seen],
            "missing": list(self.missing),
            "double": list(self.double),
            "forged": list(self.forged),
            "foreign": list(self.foreign),
            "other_deck": list(self.other_deck),
            "complete": self.is_complete and self.is_clean,
        }

    def _see(self, card: CardSighting) -> None:
        if card.id is None:
            return
        if card.status == "tag":
            self.by_tag[card.id] = None
        elif card.status == "forged":
            self._note(self.forged, card.id)
        elif card.status == "foreign":
            self._note(self.foreign, f"{card.id} of deck {card.deck}")
        elif card.deck != self.deck.id and card.deck in self.shoe:
            return
        elif card.deck != self.deck.id:
            self._note(self.other_deck, f"{card.id} of deck {card.deck}")
        elif card.id in self.deck.cards:
            self.seen[card.id] = None

    def _note(self, strangers: dict[str, None], name: str) -> None:
        """Add a stranger once enough frames have shown it."""
        self._strange[name] = self._strange.get(name, 0) + 1
        if self._strange[name] >= self.sure_frames:
            strangers[name] = None

    def _find_doubles(self, cards: Iterable[CardSighting]) -> None:
        counts: dict[str, int] = {}
        for card in cards:
            if (
                card.id is not None
                and card.status == "ok"
                and card.deck == self.deck.id
                and card.visible >= _MIN_VISIBLE
            ):
                counts[card.id] = counts.get(card.id, 0) + 1
        self._twice = {card: self._twice.get(card, 0) + 1 for card, n in counts.items() if n > 1}
        self.double |= dict.fromkeys(card for card, frames in self._twice.items() if frames >= self.sure_frames)


def _not_here(shoe: Container[str]) -> str:
    return "Not of this shoe, but of another of your decks" if shoe else "Of another of your decks"


def suits_missing(check: DeckCheck) -> Mapping[str, tuple[str, ...]]:
    """Return the missing cards by suit.

    >>> from companion.testing import DECKS
    >>> suits_missing(DeckCheck(Deck("K7QX", DECKS["standard"], "", b"", "")))["S"][:4]
    ('2S', '3S', '4S', '5S')
    """
    suit = check.deck.design.suit
    groups: dict[str, tuple[str, ...]] = {suit(card): () for card in check.deck.cards}
    for card in check.missing:
        groups[suit(card)] += (card,)
    return groups

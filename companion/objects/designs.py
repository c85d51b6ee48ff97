"""Deck designs: the cards of each kind of deck, the tag printed on each, and its artist."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from companion.kernel.errors import CompanionError
from companion.kernel.messages import message
from companion.objects.cards import DIE_FACE_TAGS, MAT_TAGS, STANDARD_CARDS, standard_words

if TYPE_CHECKING:
    from pathlib import Path

    from companion.objects.geometry import CardGeometry
    from companion.printing.pen import Pen


class UnknownKind(CompanionError):
    """A kind of deck that no installed game provides."""


@dataclass(frozen=True, slots=True)
class DeckArt:
    """Draws a design's cards and tokens, each with its top-left corner at the origin; codes and tags go on top.

    Attributes:
        face: a card's face, by its id.
        index: only what stands beside a card's codes, for a label.
        token_face: a token's face, by its id.
        token_back: a token's back, by its id.
    """

    face: Callable[[Pen, CardGeometry, str], None]
    index: Callable[[Pen, CardGeometry, str], None]
    token_face: Callable[[Pen, str], None] | None = None
    token_back: Callable[[Pen, str], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DeckDesign:
    """One kind of deck.

    Attributes:
        kind: its name on the command line and in a deck's file.
        title: what people call it.
        cards, tokens: ids of what belongs to it; upper case and digits, two or three characters.
        tag_of: the tag number printed on each card and token. Never renumber: decks are printed.
        art: draws it; called when something is printed.
        words: a card in words.
        suit: the heading that a card is listed below.
        part_of: the kind whose pieces these are, where the deck is a part of another.
        second_tags: tag numbers of a second deck of the same cards on the same table, in their order.
        emblems: a file of SVG symbols (``suit-…``, ``half-…``) that pages show its cards with.
    """

    kind: str
    title: str
    cards: tuple[str, ...]
    tokens: tuple[str, ...] = ()
    tag_of: Mapping[str, int]
    art: Callable[[], DeckArt]
    words: Callable[[str], str] = str
    suit: Callable[[str], str]
    part_of: str | None = None
    second_tags: range = range(0)
    emblems: Path | None = None


class Designs(Mapping[str, DeckDesign]):
    """The known designs by kind, and everything that may be printed after them.

    Attributes:
        cards, tokens: ids of all cards and of all tokens.
        twice: decks of which two may be on one table.
        tag_of: the tag number printed on each card and token (of the first of two decks).
        piece_of_tag: the card or token that a tag number stands for; mat and die tags are not pieces.
        groups: the names of what can be expected on a table, each with its pieces.

    Raises:
        ValueError: two designs claim the same kind, piece or tag, or one claims a tag of a mat or die.

    >>> designs = Designs([])
    >>> list(designs), designs.piece_of_tag[61]
    (['standard'], '2S')
    """

    def __init__(self, designs: Iterable[DeckDesign]) -> None:
        known = dict.fromkeys((*designs, STANDARD))
        self._of = {design.kind: design for design in known}
        whole = [design for design in known if design.part_of is None]
        pieces = [piece for design in whole for piece in (*design.cards, *design.tokens)]
        tags = [tag for design in whole for tag in (*design.tag_of.values(), *design.second_tags)]
        tags += [*MAT_TAGS, *DIE_FACE_TAGS]
        if len(self._of) < len(known) or len(set(pieces)) < len(pieces) or len(set(tags)) < len(tags):
            raise ValueError("two deck designs have the same kind, or a piece or tag in common")
        self.cards = frozenset(card for design in whole for card in design.cards)
        self.tokens = frozenset(token for design in whole for token in design.tokens)
        self.twice = frozenset(card for design in whole if design.second_tags for card in design.cards)
        self.tag_of = {piece: tag for design in whole for piece, tag in design.tag_of.items()}
        self.piece_of_tag = {tag: piece for piece, tag in self.tag_of.items()}
        for design in whole:
            self.piece_of_tag |= dict(zip(design.second_tags, design.cards, strict=False))
        self.groups = {design.kind: frozenset(design.cards) for design in whole} | {"tokens": self.tokens}

    def __getitem__(self, kind: str) -> DeckDesign:
        return self._of[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    def named(self, kind: object) -> DeckDesign:
        """Return a design.

        Raises:
            UnknownKind: there is none of this kind.
        """
        found = self._of.get(kind) if isinstance(kind, str) else None
        if found is None:
            raise UnknownKind(
                message(
                    "There is no kind of deck {kind}. Choose {kinds}.", kind=repr(str(kind)[:40]), kinds=", ".join(self)
                )
            )
        return found


def _standard_art() -> DeckArt:
    from companion.printing.cards.standard_face import draw_standard_face, draw_standard_index

    return DeckArt(draw_standard_face, draw_standard_index)


STANDARD: Final = DeckDesign(
    kind="standard",
    title="Standard deck",
    cards=STANDARD_CARDS,
    tag_of=MappingProxyType({card: 61 + place for place, card in enumerate(STANDARD_CARDS)}),
    second_tags=range(113, 165),
    art=_standard_art,
    words=standard_words,
    suit=lambda card: card[-1],
)
"""The 52 cards that everybody knows; they belong to no game."""

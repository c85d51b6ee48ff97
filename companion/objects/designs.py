"""Deck designs: the cards of each kind of deck, the tag printed on each, and its artist."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from companion.kernel.errors import CompanionError
from companion.objects.cards import DIE_FACE_TAGS, MAT_TAGS
from companion.objects.chips import CHIP_OF_TAG
from companion.objects.geometry import GEOMETRIES, CardGeometry, CardLayout

if TYPE_CHECKING:
    from pathlib import Path

    from companion.objects.geometry import Box
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
        mark: what says to people of which deck a card is, by the deck's id.
    """

    face: Callable[[Pen, CardGeometry, str], None]
    index: Callable[[Pen, CardGeometry, str], None]
    token_face: Callable[[Pen, str], None] | None = None
    token_back: Callable[[Pen, str], None] | None = None
    mark: Callable[[Pen, CardGeometry, str], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DeckDesign:
    """One kind of deck.

    Attributes:
        kind: its name on the command line and in a deck's file.
        title: what people call it.
        cards, tokens: ids of what belongs to it; upper case and digits, two or three characters.
        extras: cards that are printed with it but not counted, such as a joker.
        tag_of: the tag number printed on each card, extra card and token. Never renumber: decks are printed.
        art: draws it; called when something is printed.
        styles: other ways to draw it, by name.
        words: a card in words.
        suit: the heading that a card is listed below.
        part_of: the kind whose pieces these are, where the deck is a part of another.
        more_tags: the tag numbers of a second deck on the same table, of a third and so on. With any, several decks
            of the kind may be on one table: a card counts as being there twice only if one deck has it twice.
        emblems: a file of SVG symbols (``suit-…``, ``half-…``) that pages show its cards with.
        picture: draws a card's picture alone, without codes and index, into a box (mm), and beyond its edges.
        names: the names that are printed on its cards, by their ids.
        layouts: where codes lie on its cards: the one that is printed first, then those that earlier decks have.
    """

    kind: str
    title: str
    cards: tuple[str, ...]
    tokens: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    tag_of: Mapping[str, int]
    art: Callable[[], DeckArt]
    styles: Mapping[str, Callable[[], DeckArt]] = field(default_factory=dict)
    words: Callable[[str], str] = str
    suit: Callable[[str], str]
    part_of: str | None = None
    more_tags: tuple[Mapping[str, int], ...] = ()
    emblems: Path | None = None
    picture: Callable[[Pen, Box, str], None] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    layouts: tuple[CardLayout, ...] = ("corner",)

    @property
    def tag_sets(self) -> tuple[Mapping[str, int], ...]:
        """The tag numbers of each deck of the kind that has numbers of its own."""
        return (self.tag_of, *self.more_tags)

    @property
    def all_cards(self) -> tuple[str, ...]:
        """Its cards, and the extra ones."""
        return (*self.cards, *self.extras)


class Designs(Mapping[str, DeckDesign]):
    """The known designs by kind, and everything that may be printed after them.

    Attributes:
        cards, tokens: ids of all cards, extra ones too, and of all tokens.
        twice: cards of decks of which several may be on one table, with how many of these have tags of their own.
        tag_of: the tag number printed on each card and token (of the first of two decks).
        piece_of_tag: the card or token that a tag number stands for; mat and die tags are not pieces.
        groups: the names of what can be expected on a table, each with its pieces.
        layouts_of: where the codes lie on each card, see `DeckDesign.layouts`.

    Raises:
        ValueError: two designs claim the same kind, piece or tag, or one claims a tag of a mat, die or chip.

    >>> coin = DeckDesign(kind="coin", title="Coin", cards=("HH", "TT"), tag_of={"HH": 230, "TT": 231}, suit=str,
    ...     art=lambda: DeckArt(print, print))
    >>> Designs([coin]).piece_of_tag[231]
    'TT'
    """

    def __init__(self, designs: Iterable[DeckDesign]) -> None:
        known = dict.fromkeys(designs)
        self._of = {design.kind: design for design in known}
        whole = [design for design in known if design.part_of is None]
        pieces = [piece for design in whole for piece in (*design.all_cards, *design.tokens)]
        tags = [tag for design in whole for tags in design.tag_sets for tag in tags.values()]
        tags += [*MAT_TAGS, *DIE_FACE_TAGS, *CHIP_OF_TAG]
        if len(self._of) < len(known) or len(set(pieces)) < len(pieces) or len(set(tags)) < len(tags):
            raise ValueError("two deck designs have the same kind, or a piece or tag in common")
        self.cards = frozenset(card for design in whole for card in design.all_cards)
        self.tokens = frozenset(token for design in whole for token in design.tokens)
        several = [design for design in whole if design.more_tags]
        self.twice = {card: len(design.tag_sets) for design in several for card in design.all_cards}
        self.tag_of = {piece: tag for design in whole for piece, tag in design.tag_of.items()}
        self.piece_of_tag = {tag: piece for design in whole for tags in design.tag_sets for piece, tag in tags.items()}
        self.layouts_of = {card: design.layouts for design in whole for card in design.all_cards}
        self.groups = {design.kind: frozenset(design.all_cards) for design in whole} | {"tokens": self.tokens}

    def __getitem__(self, kind: str) -> DeckDesign:
        return self._of[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    def geometries_of(self, card: str | None) -> tuple[CardGeometry, ...]:
        """Return the geometries that a card may have, the likeliest first; of an unknown one, all that there are."""
        layouts = self.layouts_of.get(card or "", ())
        found = [one for layout in layouts for one in GEOMETRIES if one.layout == layout]
        return tuple(found) or GEOMETRIES

    def named(self, kind: object) -> DeckDesign:
        """Return a design.

        Raises:
            UnknownKind: there is none of this kind.
        """
        found = self._of.get(kind) if isinstance(kind, str) else None
        if found is None:
            raise UnknownKind.saying(
                "There is no kind of deck {kind}. Choose {kinds}.", kind=repr(str(kind)[:40]), kinds=", ".join(self)
            )
        return found

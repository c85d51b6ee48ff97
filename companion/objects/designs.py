"""Deck designs: the cards of each kind of deck, their tags, and the functions that draw them."""

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
    """Functions that draw a design's pieces, with the top-left corner at the origin; codes and tags are added on top.

    Attributes:
        face: draws a card's face, by card id.
        index: draws only the part beside a card's codes, for a sticker.
        token_face: draws a token's face, by token id.
        token_back: draws a token's back, by token id.
        mark: draws the mark that tells people which deck a card belongs to, by deck id.
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
        kind: its id on the command line and in deck files.
        title: its display name.
        cards, tokens: ids of its cards and tokens; two or three characters, upper-case letters and digits.
        extras: additional cards printed with it but not counted, such as a joker.
        tag_of: piece id -> tag number, for cards, extras and tokens. Never renumber: decks are already in print.
        art: returns its drawing functions; called at printing.
        styles: alternative art, by name.
        words: returns a card in words.
        suit: returns the heading under which a card is listed.
        part_of: the kind whose pieces these are, if this deck is a subset of another.
        more_tags: tag numbers for a second deck on the same table, a third and so on. Unless empty, several decks of
            the kind may be on one table: a card is a duplicate only if it occurs twice in one deck.
        emblems: a file of SVG symbols (``suit-…``, ``half-…``) for showing its cards on pages.
        picture: draws only a card's picture, without codes and index, to cover a box (mm); it may extend beyond it.
        names: the names printed on its cards, by card id.
        layouts: the layouts of its cards: first the one printed now, then those of earlier decks.
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
        """The sets of tag numbers; decks of the kind use one of them each."""
        return (self.tag_of, *self.more_tags)

    @property
    def all_cards(self) -> tuple[str, ...]:
        """Its cards, including extras."""
        return (*self.cards, *self.extras)


class Designs(Mapping[str, DeckDesign]):
    """The known designs by kind, and indexes of all their pieces.

    Attributes:
        cards, tokens: ids of all cards, including extras, and of all tokens.
        twice: cards that may be on one table once per deck -> the number of tag sets of their design.
        tag_of: piece id -> tag number in its design's first tag set.
        piece_of_tag: tag number -> card or token; tags of mats and dice are not included.
        layouts_of: card id -> its layouts, see `DeckDesign.layouts`.
        groups: names of groups of pieces that can be expected on a table -> their pieces.

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
        """Return the possible geometries of a card, most likely first; all geometries for an unknown card."""
        layouts = self.layouts_of.get(card or "", ())
        found = [one for layout in layouts for one in GEOMETRIES if one.layout == layout]
        return tuple(found) or GEOMETRIES

    def named(self, kind: object) -> DeckDesign:
        """Return the design of a kind.

        Raises:
            UnknownKind: there is no such kind.
        """
        found = self._of.get(kind) if isinstance(kind, str) else None
        if found is None:
            raise UnknownKind.saying(
                "There is no kind of deck {kind}. Choose {kinds}.", kind=repr(str(kind)[:40]), kinds=", ".join(self)
            )
        return found

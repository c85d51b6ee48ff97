"""The questions of a Roche table: a message for each irregularity, with its possible answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from companion.games.roche.camera.pieces import Game, Piece
from companion.kernel.commands import Record
from companion.kernel.messages import Message, Value, listed, message, plural
from companion.kernel.words import card_words
from companion.service.questions import Choice, Question
from companion.tracking.cards.observations import Arriving, LyingCard
from companion.tracking.cards.pieces import PlayStatus
from companion.tracking.cards.words import reading_words

Effect = Literal[
    "leave",
    "aside",
    "approve",
    "deal",
    "first",
    "replaced",
    "turned",
    "not-it",
    "as-play",
    "as-deal",
    "redo-play",
    "redo-deal",
    "before-end",
]
"""Effect of an answer on the pieces: dismiss the question, never count them, count them as soon as legal; `deal` has no
effect besides its command; `replaced`: it was removed from under another; `turned`, `not-it`: it is the former
face-down card, or another. In Rochi: it came first, it was played or dealt, it was played instead of dealt or vice
versa, or it belongs to the turn that was ended last."""


class Seen(Protocol):
    """A card on the table; any game's piece implements it."""

    @property
    def card(self) -> LyingCard: ...
    @property
    def id(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Ask:
    """A question, the effects of its answers, and the tracks concerned."""

    question: Question
    effects: tuple[tuple[str, Effect], ...]
    tracks: tuple[int, ...]


Deal = Callable[[Piece], Record]
Way = tuple[str, str, Effect, Record | None]


def ask(kind: str, key: str, text: str, ways: Sequence[Way], tracks: Sequence[int], *, card: str | None = None,
        blocks: bool = False) -> Ask:  # fmt: skip
    """Build a question. ``ways``: ID, label, effect and command of each choice."""
    choices = tuple(Choice(way, label, command) for way, label, _, command in ways)
    question = Question(f"{kind}:{key}", kind, text, choices, card, blocks)
    return Ask(question, tuple((way, effect) for way, _, effect, _ in ways), tuple(tracks))


_WHY_OPEN: Final[Mapping[PlayStatus, Callable[[str], Message]]] = {
    PlayStatus.EARLY: lambda card: message("{card} was on the table before no more bets.", card=card),
    PlayStatus.LATE: lambda card: message("{card} came after a cut that was undone.", card=card),
    PlayStatus.UNDONE: lambda card: message("{card} still lies on the table, but its deal was undone.", card=card),
    PlayStatus.FOUND: lambda card: message(
        "{card} lies on the table and was never counted; nobody saw it come.", card=card
    ),
}


def about_early(piece: Piece, game: Game) -> Ask:
    """A card is face up while betting is open."""
    card = named(piece)
    text = message(
        "{card} lies open, but bets are not closed. Take it back and shuffle it into the deck, "
        "or call no more bets and count it as the first card.",
        card=card,
    )
    first = message("No more bets; {card} is the first card", card=card)
    ways: list[Way] = [
        ("first", first, "approve", {"do": "no-more-bets"}),
        ("aside", message("It does not count; go on with the bets"), "aside", None),
    ]
    return one("early", piece, text, ways)


def about_uncounted(piece: Piece, deal: Deal) -> Ask:
    """A card needs confirmation before it is dealt."""
    card = named(piece)
    kind = "early" if piece.play_status is PlayStatus.EARLY else piece.play_status.value
    why = _WHY_OPEN[piece.play_status](card)
    text = message("{why} Take it off the table, or say that it counts now.", why=why)
    ways: list[Way] = [
        ("deal", message("Deal {card} now", card=card), "deal", deal(piece)),
        ("aside", message("It does not count"), "aside", None),
    ]
    return one(kind, piece, text, ways)


def about_leftovers(pieces: Sequence[Piece], game: Game) -> Ask:
    """Cards of the last round still lie on the table."""
    text = plural(
        "{cards} still lies on the table from before this round. Gather and shuffle before you deal.",
        "{cards} still lie on the table from before this round. Gather and shuffle before you deal.",
        len(pieces),
        cards=names(pieces),
    )
    ways: list[Way] = [("aside", message("Play without them; they do not count"), "aside", None)]
    key, tracks = str(game.round), [p.card.track for p in pieces]
    return ask("gather", key, text, ways, tracks, blocks=game.phase == "dealing")


def about_late(piece: Piece) -> Ask:
    """A card was laid after the suit was cut."""
    text = message(
        "{card} came after the cut: one too many, it does not count. Put it away with the others.", card=named(piece)
    )
    ways: list[Way] = [("leave", message("Understood"), "aside", None)]
    return one("late", piece, text, ways, blocks=False)


def about_tag(piece: Piece, deal: Deal) -> Ask:
    """A card whose signed code was not read."""
    card = named(piece)
    text = message("{card} is known by its corner tags only. Show its code to the camera, or confirm it.", card=card)
    ways: list[Way] = [
        ("deal", message("It is {card}: deal it", card=card), "deal", deal(piece)),
        ("aside", message("It does not count"), "aside", None),
    ]
    return one("unsure", piece, text, ways)


def about_arriving(card: Arriving) -> Ask:
    """An earlier card is unreadable, so the order of the deal is uncertain."""
    text = message(
        "{card} came first and cannot be seen well enough. "
        "Uncover it or turn it out of the light, or tap it on the dealer's page.",
        card=card_words(card.id) if card.id else message("A card"),
    )
    ways: list[Way] = [("leave", message("There is no such card; go on"), "leave", None)]
    return ask("unsure", f"arriving{card.track}", text, ways, [card.track], card=card.id, blocks=True)


def about_order(pieces: Sequence[Piece], deal: Deal) -> Ask:
    """Several cards came at once; they are listed by ID."""
    pieces = sorted(pieces, key=lambda p: p.id or "?")
    text = message(
        "{cards} came together, so their order is not known. Say which of them was dealt first.", cards=names(pieces)
    )
    ways: list[Way] = [(p.id or "?", message("{card} first", card=named(p)), "deal", deal(p)) for p in pieces]
    key = "+".join(p.id or "?" for p in pieces)
    return ask("order", key, text, ways, [p.card.track for p in pieces], blocks=True)


def about_twin(piece: Seen) -> Ask:
    """Two equal cards are face up."""
    text = message(
        "{card} lies on the table twice. Take both up, look which is real, and lay one back.", card=named(piece)
    )
    ways: list[Way] = [("leave", message("Go on; it counts once"), "leave", None)]
    return one("duplicate", piece, text, ways)


def about_conflict(piece: Seen) -> Ask:
    """A card has conflicting readings."""
    text = message(
        "A card reads as {card} and as {other}. Take it off the table and look at it.",
        card=named(piece),
        other=reading_words(piece.card.disputed or "?"),
    )
    ways: list[Way] = [("aside", message("Leave it; it does not count"), "aside", None)]
    return one("conflict", piece, text, ways)


def about_stranger(piece: Seen) -> Ask:
    """A forged or foreign card, or an unreadable object."""
    ways: list[Way] = [("leave", message("Leave it; it is no part of the game"), "leave", None)]
    return one(piece.card.status, piece, _stranger_words(piece), ways)


def _stranger_words(piece: Seen) -> Message:
    card, deck = named(piece) if piece.id else message("A card"), piece.card.deck
    if piece.card.status == "forged":
        return message(
            "{card} is forged: its code and its corner tags are not those of one genuine card. "
            "Take it off the table, and keep it.",
            card=card,
        )
    if piece.card.status == "unreadable":
        return message("A card cannot be read. Uncover it, turn it out of the light, or tap it on the dealer's page.")
    if deck:
        return message("{card} of deck {deck} is not of this house. Take it off the table.", card=card, deck=deck)
    return message("{card} is not of this house. Take it off the table.", card=card)


def about_back(piece: Seen) -> Ask:
    """An unreadable card is in the deal."""
    text = message(
        "A card lies face down or cannot be read, and the deal waits. Turn it over and it counts in its place; "
        "take it away and it does not count."
    )
    ways: list[Way] = [("leave", message("It is burnt or no part of the deal; it does not count"), "leave", None)]
    return one("unreadable", piece, text, ways)


def about_hidden_back(piece: Seen, game: Game) -> Ask:
    """An unreadable card came before the cutting card, but was seen only afterwards."""
    text = message(
        "A card that cannot be read came to lie before the cut. Turn it over; if it counts, undo the last deal first."
    )
    ways: list[Way] = [("leave", message("It is burnt or no part of the deal; it does not count"), "leave", None)]
    if game.undo_deal is not None:
        undo = {"do": "undo", "only": {"do": "deal", "card": game.undo_deal}}
        label = message("Undo the deal of {card}", card=card_words(game.undo_deal))
        ways.append(("undo", label, "deal", undo))
    return one("unreadable", piece, text, ways, blocks=False)


def about_turned(back: Seen, card: Seen) -> Ask:
    """A card came after a face-down one was lifted, and may be the same card."""
    text = message("{card} came after the card that lay face down was taken up. Is it that card?", card=named(card))
    ways: list[Way] = [
        ("turned", message("Yes, it was turned over; it counts in its place"), "turned", None),
        ("other", message("No, it is the next card"), "not-it", None),
    ]
    tracks = [back.card.track, card.card.track]
    return ask("turned", f"{back.card.track}+{card.card.track}", text, ways, tracks, card=card.id, blocks=True)


def about_buried(piece: Seen, cover: Seen, game: Game) -> Ask:
    """A card that was dealt or is to be dealt is hidden by another one."""
    card = named(piece)
    text = message(
        "{card} is not seen any more where {cover} lies. Does it lie under it?", card=card, cover=named(cover)
    )
    ways: list[Way] = [("leave", message("It lies under it; both count"), "leave", None)]
    if piece.id not in game.dealt:
        ways.append(("aside", message("It was taken away; it does not count"), "replaced", None))
    elif piece.id is not None and game.undo_deal == piece.id:
        undo = {"do": "undo", "only": {"do": "deal", "card": game.undo_deal}}
        label = message("It was taken away: undo the deal of {card}", card=card)
        ways.append(("undo", label, "replaced", undo))
    else:
        text = message("{question} If it was taken away, undo the deals back to it.", question=text)
    return one("covered", piece, text, ways)


def about_wrong_deck(piece: Piece, deck: str, deal: Deal) -> Ask:
    """A genuine card, but of another stored deck."""
    card = named(piece)
    text = message(
        "{card} is of deck {deck}; this round is played with {played}. Take it off, or let it count.",
        card=card,
        deck=str(piece.card.deck),
        played=deck,
    )
    ways: list[Way] = [
        ("aside", message("It does not count"), "aside", None),
        ("deal", message("It counts: deal {card}", card=card), "deal", deal(piece)),
    ]
    return one("other-deck", piece, text, ways)


def about_unknown(piece: Piece, game: Game) -> Ask:
    """A genuine card that the deck in play does not have."""
    card = named(piece)
    if game.deck == "red":
        text = message(
            "{card} is not in the red deck that is played here. Take it off the table and deal another.", card=card
        )
    else:
        text = message(
            "{card} is not in the full deck that is played here. Take it off the table and deal another.", card=card
        )
    ways: list[Way] = [("aside", message("Leave it; it does not count"), "aside", None)]
    return one("not-in-deck", piece, text, ways)


def about_vanished(pieces: Sequence[Piece], game: Game) -> Ask:
    """Dealt cards are missing from the table."""
    ids, cards = [p.id or "?" for p in pieces], names(pieces)
    text = plural(
        "{cards} was dealt and taken off the table. Lay it back.",
        "{cards} were dealt and taken off the table. Lay them back.",
        len(ids),
        cards=cards,
    )
    ways: list[Way] = [("leave", message("It is all right; they count"), "leave", None)]
    if game.undo_deal is not None and game.undo_deal in ids:
        undo = {"do": "undo", "only": {"do": "deal", "card": game.undo_deal}}
        label = message("Undo the deal of {card}", card=card_words(game.undo_deal))
        ways.append(("undo", label, "leave", undo))
        text = plural(
            "{cards} was dealt and taken off the table. Lay it back, or undo the deal.",
            "{cards} were dealt and taken off the table. Lay them back, or undo the deal.",
            len(ids),
            cards=cards,
        )
    key = f"{game.round}:{'+'.join(ids)}"
    return ask("vanished", key, text, ways, [p.card.track for p in pieces], card=ids[0])


def one(kind: str, piece: Seen, text: str, ways: Sequence[Way], *, blocks: bool = True) -> Ask:
    """Build a question about one card."""
    track = piece.card.track
    return ask(kind, str(track), text, ways, [track], card=piece.id, blocks=blocks)


def named(piece: Seen) -> str:
    """Return a card's name."""
    return card_words(piece.id or "?")


def names(pieces: Sequence[Seen]) -> Value:
    """Return the cards' names as a list."""
    return listed([named(piece) for piece in pieces])

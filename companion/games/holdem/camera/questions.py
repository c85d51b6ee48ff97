"""Questions to the dealer at a hold'em table. None names a card that was not shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from companion.games.holdem.words import card_sign, cards_words
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.service.questions import Choice, Question
from companion.tracking.cards.pieces import Piece, PlayStatus

Effect = Literal["leave", "aside", "count"]
"""Effect of an answer on the cards: dismiss the question, never count them, count them as soon as legal."""

Way = tuple[Effect | str, str, Record | None]
LEAVE: Final[Way] = ("leave", message("Leave it"), None)
ASIDE: Final[Way] = ("aside", message("It does not count"), None)


@dataclass(frozen=True, slots=True)
class Ask:
    """A question and the tracks of the cards concerned."""

    question: Question
    tracks: tuple[int, ...]


def ask(
    kind: str, pieces: Sequence[Piece], text: str, ways: Sequence[Way], *, blocks: bool = False, key: str = ""
) -> Ask:
    """Build a question. Its ID is made of track numbers, never of card names."""
    tracks = tuple(piece.card.track for piece in pieces)
    choices = tuple(Choice(name, label, command) for name, label, command in ways)
    name = f"{kind}:{key}:{'-'.join(map(str, sorted(tracks)))}"
    return Ask(Question(name, kind, text, choices, None, blocks), tracks)


# ---- the deal


def about_leftovers(pieces: Sequence[Piece]) -> Ask:
    """Cards were on the mat before the hand began."""
    text = message("Cards lie on the mat from before this hand. Take them up, or say whether they count.")
    ways: list[Way] = [
        ("aside", message("They do not count"), None), ("count", message("They were dealt for this hand"), None),
    ]  # fmt: skip
    return ask("gather", pieces, text, ways, blocks=True)


def about_nobody(pieces: Sequence[Piece], seat: int) -> Ask:
    """A card was dealt to a seat that is not in the hand."""
    text = message("A card lies at place {seat}, where nobody is in the hand. Move it to where it belongs.", seat=seat)
    return ask("nobody", pieces, text, [("aside", message("It does not count"), None)])


def about_too_many(pieces: Sequence[Piece], player: str, *, is_dealing: bool) -> Ask:
    """More than two cards at a seat: a misdeal, or a stray card touching the hand."""
    if is_dealing:
        text = message(
            "{player} has got more than two cards. Take one back, or undo the hand as a misdeal.", player=player
        )
        ways: list[Way] = [
            ("leave", message("The two are right; go on"), None),
            ("misdeal", message("Misdeal: take the hand back"), {"do": "misdeal"}),
        ]
        return ask("misdeal", pieces, text, ways, blocks=True)
    text = message(
        "A card that does not belong there touches {player}'s hand. Say which two are the hand, and take the other "
        "away.", player=player,
    )  # fmt: skip
    return ask("touch", pieces, text, [("leave", message("The hand is clear; go on"), None)], blocks=True)


def about_one_card(pieces: Sequence[Piece], player: str) -> Ask:
    """Only one of two hole cards is detected."""
    text = message("Only one card is seen at {player}'s place. Are there two?", player=player)
    ways: list[Way] = [("yes", message("Yes: two cards"), {"do": "hole", "player": player}), LEAVE]
    return ask("unsure", pieces, text, ways)


def about_exposed(pieces: Sequence[Piece], where: str) -> Ask:
    """A card is exposed."""
    text = message("A card lies open {where}. Turn it over, or take it back into the deck.", where=where)
    return ask("exposed", pieces, text, [LEAVE], blocks=True)


# ---- the board


def about_board(pieces: Sequence[Piece], *, may_count: bool) -> Ask:
    """Board cards need confirmation, all for the same reason."""
    play_status = pieces[0].play_status
    why = _WHY_OPEN[play_status](cards_words(str(piece.id) for piece in pieces))
    if not may_count:
        return ask(play_status.value, pieces, message("{why} Take that away.", why=why), [ASIDE])
    text = message("{why} Take that away, or say that it counts.", why=why)
    return ask(play_status.value, pieces, text, [("count", message("It counts"), None), ASIDE], blocks=True)


_WHY_OPEN: Final[Mapping[PlayStatus, Callable[[Message], Message]]] = {
    PlayStatus.EARLY: lambda cards: message("On the board before the betting was over: {cards}.", cards=cards),
    PlayStatus.UNDONE: lambda cards: message("Taken back, and still on the board: {cards}.", cards=cards),
    PlayStatus.FOUND: lambda cards: message("On the board, and nobody saw it come: {cards}.", cards=cards),
}


def about_board_count(pieces: Sequence[Piece], wanted: int) -> Ask:
    """Too many new cards on the board."""
    text = message(
        "{count} new cards lie on the board, where {wanted} belongs. Take away what is too much.",
        count=len(pieces), wanted=wanted,
    )  # fmt: skip
    return ask("several", pieces, text, [("leave", message("Understood"), None)])


def about_board_back(pieces: Sequence[Piece]) -> Ask:
    """A face-down or unreadable card is on the board."""
    text = message("A card that shows nothing lies on the board. Put it to the burnt cards, or turn it up.")
    return ask("face-down", pieces, text, [ASIDE], blocks=True)


def about_board_missing(cards: Sequence[str], street: Sequence[str] = (), undo: Record | None = None) -> Ask:
    """Counted board cards are missing.

    Args:
        street, undo: the cards dealt by the latest command, if some of these are missing, and what undoes it.
    """
    text = message(
        "Not seen on the board, where it counts: {cards}. Lay it back, or undo it.", cards=cards_words(cards)
    )
    ways: list[Way] = [("leave", message("It is all right; it counts"), None)]
    if undo is not None:
        ways.append(("undo", message("Undo {cards}", cards=cards_words(street)), undo))
    return ask("vanished", (), text, ways, blocks=True, key="-".join(cards))


def about_beside(pieces: Sequence[Piece]) -> Ask:
    """A face-up card lies outside the card zones."""
    text = message("An open card lies beside its place. Put it where it belongs.")
    return ask("beside", pieces, text, [LEAVE], blocks=True)


# ---- any face-up card


def about_duplicate(pieces: Sequence[Piece]) -> Ask:
    """A card already seen in this hand appears a second time."""
    card = card_sign(str(pieces[0].id))
    text = message("{card} was seen in this hand already. Check the deck, and take the second one away.", card=card)
    return ask("duplicate", pieces, text, [ASIDE], blocks=True)


def about_strange(pieces: Sequence[Piece]) -> Ask:
    """A card is not from this deck, or its reading is disputed."""
    text = message("A card that is not of this deck lies there. Take it away.")
    return ask("foreign", pieces, text, [ASIDE], blocks=True)


def about_tag(pieces: Sequence[Piece]) -> Ask:
    """A card was read by its corner tags only."""
    card = card_sign(str(pieces[0].id))
    text = message("{card} is known by its corner tags only. Show its code to the camera, or confirm it.", card=card)
    return ask("tag", pieces, text, [("count", message("It is {card}", card=card), None), ASIDE], blocks=True)


# ---- hands


def about_half_shown(pieces: Sequence[Piece], player: str) -> Ask:
    """Only one card of a hand is face up."""
    text = message("{player} has turned up one card. Both are shown, or the hand is mucked.", player=player)
    return ask("half", pieces, text, [LEAVE])


def about_too_many_shown(pieces: Sequence[Piece], player: str) -> Ask:
    """More than two cards are face up at a seat."""
    text = message("More than two cards lie open at {player}'s place. Leave the two of the hand.", player=player)
    return ask("several", pieces, text, [LEAVE])


def about_hand_again(pieces: Sequence[Piece], player: str) -> Ask:
    """A shown hand was undone and is still face up."""
    text = message("What {player} has shown was taken back and still lies there. Does it count?", player=player)
    ways: list[Way] = [("count", message("It counts"), None), ASIDE]
    return ask("undone", pieces, text, ways)


def about_gone(player: str, seat: int, verb: Literal["fold", "muck"]) -> Ask:
    """A player's cards are gone. Never taken as a fold or muck without asking, since coins depend on it."""
    text = message("{player}'s cards are gone to the muck. Does {player} fold?", player=player)
    yes: Way = ("yes", message("Yes: fold"), {"do": "fold", "player": player})
    if verb == "muck":
        text = message("{player}'s cards are gone from the place. Does {player} muck?", player=player)
        yes = ("yes", message("Yes: muck"), {"do": "muck", "player": player})
    return ask("gone", (), text, [yes, ("leave", message("No, the hand is live"), None)], key=f"{verb}{seat}")


def about_late_chip(player: str, chip: int) -> Ask:
    """A chip was laid after the betting."""
    text = message("A chip of {player} came after the betting. Give it back.", player=player)
    return ask("late", (), text, [LEAVE], key=f"chip{chip}")

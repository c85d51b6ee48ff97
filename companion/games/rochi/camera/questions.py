"""The questions of a Rochi table: what is said to the dealer about each thing that is not right, and the ways out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from companion.games.roche.camera.questions import Ask, Effect, Way, ask, named, names, one
from companion.games.rochi.camera.game_model import Game
from companion.games.rochi.camera.hypotheses import Act, Story
from companion.games.rochi.camera.pieces import Piece
from companion.kernel.commands import Record
from companion.kernel.words import card_words
from companion.objects.cards import LEADER_BUTTON, SUIT_NAMES
from companion.tracking.cards.pieces import Fate

_ASIDE: Final[Way] = ("aside", "It does not count; it is taken back", "aside", None)


def record_of(act: Act, evidence: str | None = None) -> Record:
    """Return the command of an act."""
    if act.card is None:
        return {"do": act.verb}
    return {"do": act.verb, "card": act.card} | ({} if evidence is None else {"evidence": evidence})


def said(story: Story, game: Game) -> str:
    """Return a story in words for a button: "Aubrey plays it", "Aubrey is done, Benedict deals it"."""
    words = {"play": "plays it", "deal": "deals it", "end": "is done", "fold": "folds"}
    told: list[str] = []
    for act in story.acts:
        told.append(f"{act.player.name} {words[act.verb]}")
        if act.card is not None:
            break
    return ", ".join(told)


def about_way(piece: Piece, told: Sequence[Story], game: Game, why: str) -> Ask:
    """A card that may have been played or dealt, by this player or the next."""
    ways: list[Way] = []
    seen: set[str] = set()
    for story in told:
        label = said(story, game)
        verb = next(act.verb for act in story.acts if act.card is not None)
        if label not in seen and len(ways) < 3:
            seen.add(label)
            effect: Effect = "as-play" if verb == "play" else "as-deal"
            way = "+".join(f"{act.verb}{act.player.seat}" for act in story.acts)
            ways.append((way, label, effect, record_of(story.acts[0])))
    return one("play-or-deal", piece, f"{why} What is it?", [*ways, _ASIDE], blocks=True)


def about_nothing(piece: Piece, game: Game) -> Ask:
    """A card came that nobody may play or deal now."""
    player = game.actor
    whose = f"it is {player.name}'s turn, and" if player is not None else ""
    text = f"{named(piece)} came to lie, but {whose} no card may be played or dealt now. Take it back, or undo."
    ways: list[Way] = [_ASIDE]
    if game.undoes:
        ways.append(("undo", "Undo the last command", "leave", game.undo))
    return one("out-of-turn", piece, text, ways)


def about_order(pieces: Sequence[Piece]) -> Ask:
    """Several cards came at once. They are told in an order that says nothing."""
    pieces = sorted(pieces, key=lambda p: p.id or "?")
    text = f"{names(pieces)} came together, so nobody knows which was first. Say which."
    ways: list[Way] = [(p.id or "?", f"{named(p)} first", "first", None) for p in pieces]
    key = "+".join(p.id or "?" for p in pieces)
    return ask("order", key, text, ways, [p.card.track for p in pieces], blocks=True)


def about_astride(piece: Piece) -> Ask:
    """A card lies half on two zones."""
    where = " and ".join(zone_words(zone) for zone in piece.card.astride)
    text = f"{named(piece)} lies half on {where}. Push it to where it belongs, or say that it lies on its stack."
    ways: list[Way] = [("here", "It lies on its own stack", "approve", None), _ASIDE]
    return one("unsure", piece, text, ways)


def about_wrong_place(piece: Piece, game: Game) -> Ask:
    """A card lies on the wrong stack, or where no card belongs."""
    suit = SUIT_NAMES[int((piece.id or "0")[0])]
    text = (
        f"{named(piece)} lies on {zone_words(piece.card.zone or '')}. "
        f"Move it to the {suit} stack, or say that it counts all the same."
    )
    ways: list[Way] = [("here", "It counts; it will be moved", "approve", None), _ASIDE]
    return one("wrong-stack", piece, text, ways)


def about_moved(piece: Piece) -> Ask:
    """A card that counts lies elsewhere now."""
    text = (
        f"{named(piece)} lies on {zone_words(piece.card.zone or '')}, "
        f"and it belongs on {zone_words(piece.place)}. Put it back."
    )
    ways: list[Way] = [("leave", "Leave it; it counts as recorded", "leave", None)]
    return one("wrong-stack", piece, text, ways, blocks=False)


def about_tag(piece: Piece) -> Ask:
    """A card whose signed code was not read."""
    text = f"{named(piece)} is known by its corner tags only. Show its code to the camera, or confirm it."
    ways: list[Way] = [("approve", f"It is {named(piece)}", "approve", None), _ASIDE]
    return one("unsure", piece, text, ways)


def about_unknown(piece: Piece, game: Game) -> Ask:
    """A genuine card that the deck in play does not have, or of another of the house's decks."""
    deck = f" of deck {piece.card.deck}" if piece.card.deck else ""
    text = f"{named(piece)}{deck} is not in the deck that is played here. Take it off the table."
    ways: list[Way] = [("aside", "Leave it; it does not count", "aside", None)]
    if piece.id in game.cards:
        ways.append(("approve", "It counts", "approve", None))
    return one("other-deck", piece, text, ways)


def about_uncounted(piece: Piece, game: Game) -> Ask:
    """A card lies there that must not count by itself."""
    why = {
        Fate.UNDONE: f"{named(piece)} still lies on the table, but what it did was undone.",
        Fate.FOUND: f"{named(piece)} lies on the table and was never counted; nobody saw it come.",
    }[piece.fate]
    ways: list[Way] = [_ASIDE]
    for verb, label in (("seed", "It is a seed card"), ("play", "It is played"), ("deal", "It is dealt")):
        if verb in game.expected:
            ways.insert(-1, (verb, label, "deal", {"do": verb, "card": piece.id}))
    return one(piece.fate.value, piece, f"{why} Take it off the table, or say what it is.", ways)


def about_late(piece: Piece) -> Ask:
    """A card came after the hand was decided."""
    text = f"{named(piece)} came after the hand was decided: it does not count. Put it away with the others."
    return one("late", piece, text, [("leave", "Understood", "aside", None)], blocks=False)


def about_leftovers(pieces: Sequence[Piece], game: Game) -> Ask:
    """Cards of an earlier hand still lie on the table."""
    verb = "lies" if len(pieces) == 1 else "lie"
    text = f"{names(pieces)} still {verb} on the table from before this hand. Gather and shuffle before you deal."
    ways: list[Way] = [("aside", "Play without them; they do not count", "aside", None)]
    return ask("gather", str(game.hand), text, ways, [p.card.track for p in pieces], blocks=True)


def about_seventh(piece: Piece, game: Game) -> Ask:
    """One seed card too many, it seems."""
    leader = game.actor
    assert leader is not None, "after the last seed card it is somebody's turn"
    text = (
        f"{named(piece)} came right after the last seed card: the stacks have all their seeds. "
        f"Take it back, or say that {leader.name} dealt it."
    )
    ways: list[Way] = [
        _ASIDE,
        ("deal", f"{leader.name} deals it", "as-deal", {"do": "deal", "card": piece.id}),
        ("play", f"{leader.name} plays it", "as-play", {"do": "play", "card": piece.id}),
    ]
    return one("seventh-seed", piece, text, ways)


def about_refused(piece: Piece, game: Game) -> Ask:
    """The table refuses what this card would do."""
    text = f"{named(piece)} cannot be counted: the table refuses it. Take it back, or put right what is wrong."
    player = game.actor
    if piece.id is not None and player is not None:
        suit = game.suit_of(piece.id)
        price = min(suit.count + 1, suit.rank - 1)
        if suit.owner != player.name and not suit.is_locked and price > player.coins:
            text = (
                f"{named(piece)} costs {price} and {player.name} has {player.coins} coins. "
                "Take the card back, or buy in and try again."
            )
    ways: list[Way] = [("again", "Try again", "approve", None), _ASIDE]
    return one("refused", piece, text, ways)


def about_vanished(pieces: Sequence[Piece], game: Game) -> Ask:
    """Cards that count are not on the table any more."""
    ids = [p.id or "?" for p in pieces]
    verb, them = ("was", "it") if len(ids) == 1 else ("were", "them")
    text = f"{names(pieces)} {verb} taken off the table. Lay {them} back, or undo."
    ways: list[Way] = [("leave", "It is all right; the record counts", "leave", None)]
    if game.undoes.get("card") in ids:
        ways.append(("undo", f"Undo {card_words(game.undoes['card'])}", "leave", game.undo))
    return ask("vanished", f"{game.hand}:{'+'.join(ids)}", text, ways, [p.card.track for p in pieces], card=ids[0])


def about_odd_coin(game: Game, suits: Sequence[int]) -> Ask:
    """Captain's Rochi: the loser chooses a pot for the odd coin."""
    ways: list[Way] = [(f"pot{r}", f"The pot of {SUIT_NAMES[r]}", "leave", {"do": "odd-coin", "pot": r}) for r in suits]
    return ask("odd-coin", str(sum(map(len, game.places))), "The odd coin goes into a pot. Say which.", ways, [])


def about_next_hand(game: Game) -> Ask:
    """The table is cleared; is this the next hand?"""
    text = f"The cards are gathered. Hand the leader button to {game.next_leader}, or begin the next hand here."
    ways: list[Way] = [("next", "Begin the next hand", "leave", {"do": "next-hand"}), ("leave", "No", "leave", None)]
    return ask("next-hand", str(game.hand), text, ways, [])


def about_fold(game: Game) -> Ask:
    """All tokens of the player to act are back at the centre, and the cards were thrown in."""
    player = game.actor
    assert player is not None, "somebody's turn"
    ways: list[Way] = [("fold", f"{player.name} folds", "leave", {"do": "fold"}), ("leave", "No", "leave", None)]
    text = f"{player.name}'s tokens went back to the centre. If {player.name} folds, say so."
    return ask("fold", f"{game.hand}:{player.seat}", text, ways, [])


# ---- tokens


def about_token(rank: int, seat: int, game: Game, ways: Sequence[Way]) -> Ask:
    """A token is not where the ledger says."""
    owner = game.suits[rank].owner
    holder = game.at_seat(seat) or f"seat {seat}"
    lies = f"before {holder}" if seat else "at the centre"
    should = f"{owner} owns it" if owner else "nobody owns it"
    text = f"{SUIT_NAMES[rank]}'s token lies {lies}, and {should}. Move it, or put the record right."
    leave: Way = ("leave", "The record is right; it will be moved", "leave", None)
    return ask("token", f"{rank}:{seat}:{owner}", text, [leave, *ways], [])


def about_lost_token(token: str) -> Ask:
    """A token was taken off the table."""
    name = "The leader button" if token == LEADER_BUTTON else f"{SUIT_NAMES[int(token[1])]}'s token"
    ways: list[Way] = [("leave", "Go on without it", "leave", None)]
    return ask("token-gone", token, f"{name} is not on the table any more. Lay it back where it belongs.", ways, [])


def about_twin_token(token: str) -> Ask:
    """Two tokens of one suit."""
    name = "The leader button" if token == LEADER_BUTTON else f"{SUIT_NAMES[int(token[1])]}'s token"
    ways: list[Way] = [("leave", "Go on", "leave", None)]
    return ask("duplicate", token, f"{name} lies on the table twice. Take one of the two away.", ways, [])


def about_leader(seat: int, game: Game) -> Ask:
    """The leader button lies before the wrong player."""
    holder = game.at_seat(seat) or f"seat {seat}"
    text = f"The leader button lies before {holder}, and {game.leader} leads this hand. Move it."
    return ask("leader", f"{game.hand}:{seat}", text, [("leave", "Leave it", "leave", None)], [])


def zone_words(zone: str) -> str:
    """Return a zone of the mat in words.

    >>> zone_words("stack/6"), zone_words("seat/2"), zone_words("deck")
    ('the Kin stack', 'the place of seat 2', 'the deck')
    """
    kind, _, number = zone.partition("/")
    if kind in ("stack", "pot"):
        return f"the {SUIT_NAMES[int(number)]} {kind}"
    if kind == "seat":
        return f"the place of seat {number}"
    return {"deck": "the deck", "discard": "the discard pile"}.get(kind, "no stack")


def rank_of(token: str) -> int:
    """Return a suit token's rank; 0 for the leader button."""
    return 0 if token == LEADER_BUTTON else int(token[1])

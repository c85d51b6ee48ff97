"""The questions of a Rochi table: a message for each irregularity, with its possible answers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from companion.games.roche.camera.questions import Ask, Effect, Way, ask, named, names, one
from companion.games.rochi.camera.game_model import Game
from companion.games.rochi.camera.hypotheses import Act, ActVerb, Hypothesis
from companion.games.rochi.camera.pieces import Piece
from companion.kernel.commands import Record
from companion.kernel.messages import Message, joined, listed, message, plural
from companion.kernel.words import SUITS, card_words
from companion.objects.cards import LEADER_BUTTON
from companion.tracking.cards.pieces import PlayStatus

_ASIDE: Final[Way] = ("aside", message("It does not count; it is taken back"), "aside", None)


def record_of(act: Act, evidence: str | None = None) -> Record:
    """Return the command of an act."""
    if act.card is None:
        return {"do": act.verb}
    return {"do": act.verb, "card": act.card} | ({} if evidence is None else {"evidence": evidence})


def answer_of(record: Record, player: str | None) -> Record:
    """Return a turn's command with its player, since the answer may arrive during another player's turn."""
    return record if player is None else {**record, "player": player}


_ACTS: Final[Mapping[ActVerb, Callable[[str], Message]]] = {
    "play": lambda player: message("{player} plays it", player=player),
    "deal": lambda player: message("{player} deals it", player=player),
    "end": lambda player: message("{player} is done", player=player),
    "fold": lambda player: message("{player} folds", player=player),
}


def label_of(hypothesis: Hypothesis) -> Message:
    """Return a hypothesis as a button label: "Aubrey plays it", "Aubrey is done, Benedict deals it"."""
    return joined([_ACTS[act.verb](act.player.name) for act in _first_card(hypothesis)])


def way_of(hypothesis: Hypothesis) -> str:
    """Return the choice ID of a hypothesis, "deal1" or "end1+play2", independent of later cards."""
    return "+".join(f"{act.verb}{act.player.seat}" for act in _first_card(hypothesis))


def _first_card(hypothesis: Hypothesis) -> Sequence[Act]:
    """Return the acts up to the first card."""
    until = next(i for i, act in enumerate(hypothesis.acts) if act.card is not None)
    return hypothesis.acts[: until + 1]


def about_way(piece: Piece, hypotheses: Sequence[Hypothesis], why: Message, early: Sequence[Hypothesis] = ()) -> Ask:
    """A card that may have been played or dealt, by this player or the next.

    Args:
        hypotheses: most likely first.
        early: hypotheses for the previous turn, whose end is then undone and repeated after the card.
    """
    ways: list[Way] = []
    seen: set[str] = set()
    for hypothesis in early:
        ways.append((way_of(hypothesis), label_of(hypothesis), "before-end", None))
        seen.add(label_of(hypothesis))
    most = len(ways) + 3
    for hypothesis in hypotheses:
        label = label_of(hypothesis)
        verb = next(act.verb for act in hypothesis.acts if act.card is not None)
        if label not in seen and len(ways) < most:
            seen.add(label)
            effect: Effect = "as-play" if verb == "play" else "as-deal"
            first = hypothesis.acts[0]
            ways.append((way_of(hypothesis), label, effect, answer_of(record_of(first), first.player.name)))
    text = message("{why} What is it?", why=why)
    return one("play-or-deal", piece, text, [*ways, _ASIDE], blocks=True)


def about_nothing(piece: Piece, game: Game) -> Ask:
    """A card came while none may be played or dealt."""
    player = game.actor
    text = message(
        "{card} came to lie, but no card may be played or dealt now. Take it back, or undo.", card=named(piece)
    )
    if player is not None:
        text = message(
            "{card} came to lie, but it is {player}'s turn, and no card may be played or dealt now. "
            "Take it back, or undo.",
            card=named(piece),
            player=player.name,
        )
    ways: list[Way] = [_ASIDE]
    if game.undoes:
        ways.append(("undo", message("Undo the last command"), "leave", game.undo))
    return one("out-of-turn", piece, text, ways)


def about_order(pieces: Sequence[Piece]) -> Ask:
    """Several cards came at once; they are listed by ID."""
    pieces = sorted(pieces, key=lambda p: p.id or "?")
    text = message("{cards} came together, so nobody knows which was first. Say which.", cards=names(pieces))
    ways: list[Way] = [(p.id or "?", message("{card} first", card=named(p)), "first", None) for p in pieces]
    key = "+".join(p.id or "?" for p in pieces)
    return ask("order", key, text, ways, [p.card.track for p in pieces], blocks=True)


def about_astride(piece: Piece) -> Ask:
    """A card lies across two zones."""
    text = message(
        "{card} lies half on {zones}. Push it to where it belongs, or say that it lies on its stack.",
        card=named(piece),
        zones=listed([zone_words(zone) for zone in piece.card.astride]),
    )
    ways: list[Way] = [("here", message("It lies on its own stack"), "approve", None), _ASIDE]
    return one("unsure", piece, text, ways)


def about_wrong_place(piece: Piece, game: Game) -> Ask:
    """A card lies on the wrong stack, or outside the card zones."""
    text = message(
        "{card} lies on {zone}. Move it to the {suit} stack, or say that it counts all the same.",
        card=named(piece),
        zone=zone_words(piece.card.zone or ""),
        suit=SUITS[int((piece.id or "0")[0])],
    )
    ways: list[Way] = [("here", message("It counts; it will be moved"), "approve", None), _ASIDE]
    return one("wrong-stack", piece, text, ways)


def about_moved(piece: Piece) -> Ask:
    """A counted card was moved."""
    text = message(
        "{card} lies on {zone}, and it belongs on {place}. Put it back.",
        card=named(piece),
        zone=zone_words(piece.card.zone or ""),
        place=zone_words(piece.place),
    )
    ways: list[Way] = [("leave", message("Leave it; it counts as recorded"), "leave", None)]
    return one("wrong-stack", piece, text, ways, blocks=False)


def about_tag(piece: Piece) -> Ask:
    """A card whose signed code was not read."""
    text = message(
        "{card} is known by its corner tags only. Show its code to the camera, or confirm it.", card=named(piece)
    )
    ways: list[Way] = [("approve", message("It is {card}", card=named(piece)), "approve", None), _ASIDE]
    return one("unsure", piece, text, ways)


def about_unknown(piece: Piece, game: Game) -> Ask:
    """A genuine card that the deck in play does not have, or of another stored deck."""
    text = message("{card} is not in the deck that is played here. Take it off the table.", card=named(piece))
    if piece.card.deck:
        text = message(
            "{card} of deck {deck} is not in the deck that is played here. Take it off the table.",
            card=named(piece),
            deck=piece.card.deck,
        )
    ways: list[Way] = [("aside", message("Leave it; it does not count"), "aside", None)]
    if piece.id in game.cards:
        ways.append(("approve", message("It counts"), "approve", None))
    return one("other-deck", piece, text, ways)


_WHAT_IT_IS: Final[Mapping[str, Message]] = {
    "seed": message("It is a seed card"),
    "play": message("It is played"),
    "deal": message("It is dealt"),
}


def about_uncounted(piece: Piece, game: Game) -> Ask:
    """A card needs confirmation before it counts."""
    text = {
        PlayStatus.UNDONE: message(
            "{card} still lies on the table, but what it did was undone. Take it off the table, or say what it is.",
            card=named(piece),
        ),
        PlayStatus.FOUND: message(
            "{card} lies on the table and was never counted; nobody saw it come. "
            "Take it off the table, or say what it is.",
            card=named(piece),
        ),
    }[piece.play_status]
    ways: list[Way] = [_ASIDE]
    player = None if game.actor is None else game.actor.name
    for verb, label in _WHAT_IT_IS.items():
        if verb in game.expected:
            record = answer_of({"do": verb, "card": piece.id}, None if verb == "seed" else player)
            ways.insert(-1, (verb, label, "deal", record))
    return one(piece.play_status.value, piece, text, ways)


def about_late(piece: Piece) -> Ask:
    """A card came after the hand was decided."""
    text = message(
        "{card} came after the hand was decided: it does not count. Put it away with the others.", card=named(piece)
    )
    return one("late", piece, text, [("leave", message("Understood"), "aside", None)], blocks=False)


def about_leftovers(pieces: Sequence[Piece], game: Game) -> Ask:
    """Cards of an earlier hand still lie on the table."""
    text = plural(
        "{cards} still lies on the table from before this hand. Gather and shuffle before you deal.",
        "{cards} still lie on the table from before this hand. Gather and shuffle before you deal.",
        len(pieces),
        cards=names(pieces),
    )
    ways: list[Way] = [("aside", message("Play without them; they do not count"), "aside", None)]
    return ask("gather", str(game.hand), text, ways, [p.card.track for p in pieces], blocks=True)


def about_seventh(piece: Piece, game: Game) -> Ask:
    """Apparently one seed card too many."""
    leader = game.actor
    assert leader is not None, "after the last seed card it is somebody's turn"
    text = message(
        "{card} came right after the last seed card: the stacks have all their seeds. "
        "Take it back, or say that {player} dealt it.",
        card=named(piece),
        player=leader.name,
    )
    ways: list[Way] = [
        _ASIDE,
        ("deal", _ACTS["deal"](leader.name), "as-deal", answer_of({"do": "deal", "card": piece.id}, leader.name)),
        ("play", _ACTS["play"](leader.name), "as-play", answer_of({"do": "play", "card": piece.id}, leader.name)),
    ]
    return one("seventh-seed", piece, text, ways)


def about_refused(piece: Piece, game: Game) -> Ask:
    """The table rejects the card's command."""
    text = message(
        "{card} cannot be counted: the table refuses it. Take it back, or put right what is wrong.", card=named(piece)
    )
    player = game.actor
    if piece.id is not None and player is not None:
        suit = game.suit_of(piece.id)
        price = min(suit.count + 1, suit.rank - 1)
        if suit.owner != player.name and not suit.is_locked and price > player.coins:
            text = message(
                "{card} costs {price} and {player} has {coins} coins. Take the card back, or buy in and try again.",
                card=named(piece),
                price=price,
                player=player.name,
                coins=player.coins,
            )
    ways: list[Way] = [("again", message("Try again"), "approve", None), _ASIDE]
    return one("refused", piece, text, ways)


def about_vanished(pieces: Sequence[Piece], game: Game) -> Ask:
    """Counted cards are missing from the table."""
    ids = [p.id or "?" for p in pieces]
    text = plural(
        "{cards} was taken off the table. Lay it back, or undo.",
        "{cards} were taken off the table. Lay them back, or undo.",
        len(ids),
        cards=names(pieces),
    )
    ways: list[Way] = [("leave", message("It is all right; the record counts"), "leave", None)]
    if game.undoes.get("card") in ids:
        ways.append(("undo", message("Undo {card}", card=card_words(game.undoes["card"])), "leave", game.undo))
    return ask("vanished", f"{game.hand}:{'+'.join(ids)}", text, ways, [p.card.track for p in pieces], card=ids[0])


def about_odd_coin(game: Game, suits: Sequence[int]) -> Ask:
    """Captain's Rochi: the loser chooses a pot for the odd coin."""
    ways: list[Way] = [
        (f"pot{rank}", message("The pot of {suit}", suit=SUITS[rank]), "leave", {"do": "odd-coin", "pot": rank})
        for rank in suits
    ]
    text = message("The odd coin goes into a pot. Say which.")
    return ask("odd-coin", str(sum(map(len, game.places))), text, ways, [])


def about_next_hand(game: Game) -> Ask:
    """The table is cleared; is this the next hand?"""
    text = message(
        "The cards are gathered. Hand the leader button to {player}, or begin the next hand here.",
        player=game.next_leader or "",
    )
    ways: list[Way] = [
        ("next", message("Begin the next hand"), "leave", {"do": "next-hand"}),
        ("leave", message("No"), "leave", None),
    ]
    return ask("next-hand", str(game.hand), text, ways, [])


def about_fold(game: Game) -> Ask:
    """All tokens of the player to act are back at the centre, and the cards were thrown in."""
    player = game.actor
    assert player is not None, "somebody's turn"
    ways: list[Way] = [
        ("fold", _ACTS["fold"](player.name), "leave", answer_of({"do": "fold"}, player.name)),
        ("leave", message("No"), "leave", None),
    ]
    text = message("{player}'s tokens went back to the centre. If {player} folds, say so.", player=player.name)
    return ask("fold", f"{game.hand}:{player.seat}", text, ways, [])


# ---- tokens


def about_token(rank: int, seat: int, game: Game, ways: Sequence[Way]) -> Ask:
    """A token is not where the ledger says."""
    owner = game.suits[rank].owner
    text = message(
        "{suit}'s token lies {place}, and {owned}. Move it, or put the record right.",
        suit=SUITS[rank],
        place=message("before {player}", player=holder_at(seat, game)) if seat else message("at the centre"),
        owned=message("{player} owns it", player=owner) if owner else message("nobody owns it"),
    )
    leave: Way = ("leave", message("The record is right; it will be moved"), "leave", None)
    return ask("token", f"{rank}:{seat}:{owner}", text, [leave, *ways], [])


def about_lost_token(token: str) -> Ask:
    """A token was taken off the table."""
    if token == LEADER_BUTTON:
        text = message("The leader button is not on the table any more. Lay it back where it belongs.")
    else:
        suit = SUITS[rank_of(token)]
        text = message("{suit}'s token is not on the table any more. Lay it back where it belongs.", suit=suit)
    return ask("token-gone", token, text, [("leave", message("Go on without it"), "leave", None)], [])


def about_twin_token(token: str) -> Ask:
    """Two tokens of one suit."""
    if token == LEADER_BUTTON:
        text = message("The leader button lies on the table twice. Take one of the two away.")
    else:
        text = message("{suit}'s token lies on the table twice. Take one of the two away.", suit=SUITS[rank_of(token)])
    return ask("duplicate", token, text, [("leave", message("Go on"), "leave", None)], [])


def about_leader(seat: int, game: Game) -> Ask:
    """The leader button lies before the wrong player."""
    text = message(
        "The leader button lies before {holder}, and {leader} leads this hand. Move it.",
        holder=holder_at(seat, game),
        leader=game.leader or "",
    )
    return ask("leader", f"{game.hand}:{seat}", text, [("leave", message("Leave it"), "leave", None)], [])


def holder_at(seat: int, game: Game) -> str:
    """Return the player at a seat, or the seat's number if empty."""
    return game.at_seat(seat) or message("seat {seat}", seat=seat)


def zone_words(zone: str) -> Message:
    """Return the name of a mat zone.

    >>> zone_words("stack/6"), zone_words("seat/2"), zone_words("deck")
    ('the Kin stack', 'the place of seat 2', 'the deck')
    """
    kind, _, number = zone.partition("/")
    if kind == "stack":
        return message("the {suit} stack", suit=SUITS[int(number)])
    if kind == "pot":
        return message("the {suit} pot", suit=SUITS[int(number)])
    if kind == "seat":
        return message("the place of seat {seat}", seat=number)
    return _ZONES.get(kind, message("no stack"))


_ZONES: Final[Mapping[str, Message]] = {"deck": message("the deck"), "discard": message("the discard pile")}


def rank_of(token: str) -> int:
    """Return a suit token's rank; 0 for the leader button."""
    return 0 if token == LEADER_BUTTON else int(token[1])

"""Enumerates hypotheses for the pending cards and scores them against the evidence.

A hypothesis is a sequence of commands that explains all pending cards. Contradictions with the evidence add up to its
cost; the cheapest is accepted if the next one with a different first command costs sufficiently more.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from companion.games.rochi.camera.game_model import Game, Player
from companion.games.rochi.camera.pieces import Piece
from companion.kernel.errors import TableError

ActVerb = Literal["play", "deal", "end", "fold"]

_BESIDE: Final = 0.5  # the card is outside all zones
_ELSEWHERE: Final = 6.0  # a Shield that should be in the stack, or vice versa
_OTHER_ARM: Final = 2.5
_NOT_FROM_DECK: Final = 4.0
_FROM_DECK: Final = 3.0
_FORCED: Final = 30.0
_END: Final = 1.5
_FOLD: Final = 5.0
_FOLD_SHOWN: Final = 2.0
_TOKEN_WAITS: Final = 0.6
_TOKEN_WAITS_PER_S: Final = 1.6
_TOKEN_STAYS: Final = 5.5  # less than 2 above a deal that is not from the deck: a forgotten token is asked about
_TOKEN_NEVER: Final = 6.0
_TOKEN_MOVED: Final = 8.0
_TOKEN_BETWEEN: Final = 1.0
_LEFT_OVER: Final = 3.0  # a card after the hand is decided


@dataclass(frozen=True, slots=True)
class Act:
    """A command of a hypothesis: player, verb, card and the card's place."""

    verb: ActVerb
    player: Player
    card: str | None = None
    place: str | None = None


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A possible explanation of the pending cards, and its cost."""

    acts: tuple[Act, ...]
    cost: float
    after: Game | None
    "The table afterwards; None if the hand is decided."
    odd: float = 0.0
    "Cost without the tokens' part, since tokens may still be moving."

    @property
    def first(self) -> tuple[str, str]:
        """Verb and player of the first command."""
        return self.acts[0].verb, self.acts[0].player.name


@dataclass(frozen=True, slots=True)
class Token:
    """Position of a suit's token: a seat, the centre (0) or unclear (None); and since when."""

    seat: int | None
    moved: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """Observations besides the cards.

    Attributes:
        waited_s: track -> how long the table has been still since the card came.
        thrown: seats whose hand was probably thrown in.
        still_s: time without any motion.
    """

    tokens: Mapping[int, Token] = field(default_factory=dict)
    has_mat: bool = True
    waited_s: Mapping[int, float] = field(default_factory=dict)
    thrown: frozenset[int] = frozenset()
    still_s: float = 0.0


def hypotheses_for(game: Game, pieces: Sequence[Piece], seen: Evidence) -> list[Hypothesis]:
    """Return all hypotheses for these cards, most likely first."""
    told = [
        Hypothesis(acts, cost + _tokens(game, after, pieces, seen), after, cost)
        for acts, cost, after in _explanations(game, tuple(pieces), seen)
    ]
    return sorted(told, key=lambda hypothesis: hypothesis.cost)


def _explanations(
    game: Game, pieces: tuple[Piece, ...], seen: Evidence
) -> Iterator[tuple[tuple[Act, ...], float, Game | None]]:
    if not pieces:
        yield (), 0.0, game
        return
    for before, cost, table in _turns(game, seen):
        yield from _card(before, cost, table, pieces, seen)


def _turns(game: Game, seen: Evidence) -> Iterator[tuple[tuple[Act, ...], float, Game]]:
    """Yield the current table, and the table after the player to act ends the turn."""
    yield (), 0.0, game
    player = game.actor
    if player is None or game.phase != "turns":
        return
    verb: ActVerb = "end" if game.has_played or game.has_dealt else "fold"
    if game.may(verb) and (after := game.after({"do": verb})) is not None:
        cost = _END if verb == "end" else _FOLD_SHOWN if player.seat in seen.thrown else _FOLD
        yield (Act(verb, player),), cost, after


def _card(
    before: tuple[Act, ...], cost: float, table: Game, pieces: tuple[Piece, ...], seen: Evidence
) -> Iterator[tuple[tuple[Act, ...], float, Game | None]]:
    piece, rest = pieces[0], pieces[1:]
    card, player = piece.id, table.actor
    assert card is not None, "only cards that are known are told of"
    verbs: tuple[ActVerb, ...] = ("deal", "play")
    for verb in verbs:
        if player is None or not table.may(verb):
            continue
        try:
            after = table.after({"do": verb, "card": card})
        except TableError:  # illegal, so not a possible explanation
            continue
        place = table.place_for(verb, card)
        act = Act(verb, player, card, place)
        price = cost + _price(verb, place, player, piece, seen)
        if after is None:
            yield (*before, act), price + _LEFT_OVER * len(rest), None
            continue
        for more, also, end in _explanations(after, rest, seen):
            yield (*before, act, *more), price + also, end


def _price(verb: ActVerb, place: str, player: Player, piece: Piece, seen: Evidence) -> float:
    """Return the cost of the evidence against this player having played or dealt this card."""
    cost = 0.0
    zone, trace = piece.card.zone, piece.trace
    if seen.has_mat:
        is_seat, wants_seat = (zone or "").startswith("seat/"), place.startswith("seat/")
        if zone is None:
            cost += _BESIDE
        elif (is_seat or wants_seat) and zone != place:
            cost += _ELSEWHERE
    if trace.arm is not None and trace.arm != player.seat:
        cost += _OTHER_ARM
    if verb == "deal" and trace.from_deck is False:
        cost += _NOT_FROM_DECK
    if verb == "play" and trace.from_deck is True:
        cost += _FROM_DECK
    if piece.forced is not None and piece.forced != verb:
        cost += _FORCED
    return cost


def _tokens(game: Game, after: Game | None, pieces: Sequence[Piece], seen: Evidence) -> float:
    """Return the cost of the tokens' evidence against a hypothesis."""
    if after is None:
        after = game
    cost = 0.0
    latest = {game.suit_of(p.id).rank: p for p in pieces if p.id is not None}
    for rank, piece in latest.items():
        token = seen.tokens.get(rank)
        if token is not None:
            cost += _token(game.home_of(rank) or 0, after.home_of(rank) or 0, token, piece, seen)
    return cost


def _token(now: int, then: int, token: Token, piece: Piece, seen: Evidence) -> float:
    if token.seat == then:
        return 0.0
    if token.seat is None:
        return _TOKEN_BETWEEN if now != then else _TOKEN_BETWEEN / 2
    if now == then:  # it should have stayed; unless it was there before the card came, it was moved for the card
        return _TOKEN_MOVED if token.moved > piece.trace.laid - 4.0 else _TOKEN_BETWEEN
    if token.seat != now:
        return _TOKEN_NEVER
    waited = seen.waited_s.get(piece.card.track, 0.0)
    return min(_TOKEN_STAYS, _TOKEN_WAITS + _TOKEN_WAITS_PER_S * max(0.0, waited))

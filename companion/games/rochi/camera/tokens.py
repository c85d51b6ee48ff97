"""Tokens on a Rochi table: their positions, and which of them disagree with the ledger."""

from collections.abc import Iterator, Sequence
from typing import Final

from companion.games.roche.camera.questions import Ask, Way
from companion.games.rochi.camera import questions as asks
from companion.games.rochi.camera.game_model import Game
from companion.games.rochi.camera.hypotheses import Token
from companion.games.rochi.camera.pieces import Pieces
from companion.games.rochi.mats.zones import MAT
from companion.kernel.messages import message
from companion.kernel.words import card_words
from companion.objects.cards import LEADER_BUTTON
from companion.objects.geometry import Box
from companion.tracking.cards.observations import LyingToken, TrackedTable
from companion.tracking.cards.pieces import PlayStatus
from companion.vision.sightings import Point

_OFF_S: Final = 5.0  # a token may be in transit for this long
_LOST_S: Final = 6.0  # a hand may hold a token for this long
_STILL_S: Final = 1.2
_FAR: Final = 1.5  # token widths; without a mat this is a move to somebody
_DISCARD: Final = MAT.zones["discard"]
_THROWN_S: Final = 0.2


def tokens_seen(tracked: TrackedTable, game: Game, since: float) -> dict[int, Token]:
    """Return each suit's token position.

    Args:
        since: when the card in question was laid. Without a mat, a token that moved since then is assumed to have gone
            to the player to act.
    """
    found = {}
    for token in tracked.tokens:
        rank = asks.rank_of(token.id)
        if rank not in game.suits:
            continue
        if tracked.mat is not None:
            found[rank] = Token(seat_in(token), token.moved)
        else:
            has_moved = token.way > _FAR and token.moved > since
            player = game.actor
            home = game.home_of(rank) or 0
            found[rank] = Token(player.seat if has_moved and player is not None else home, token.moved)
    return found


def seat_in(token: LyingToken) -> int | None:
    """Return the seat whose zone a token is in, 0 for the centre, None if unclear."""
    kind, _, number = (token.zone or "").partition("/")
    if kind == "seat":
        return int(number)
    return 0 if kind in ("pot", "stack") else None


def thrown(tracked: TrackedTable, game: Game, since: float) -> frozenset[int]:
    """Return the seat of the player to act if the hand was probably thrown in.

    Args:
        since: when the turn began.
    """
    player = game.actor
    if player is None or game.has_played or game.has_dealt:
        return frozenset()
    owned = game.owned_by(player.name)
    seen = {asks.rank_of(token.id): seat_in(token) for token in tracked.tokens}
    gave_back = bool(owned) and all(seen.get(rank) == 0 for rank in owned)
    times = [
        s.t for s in tracked.motion.log if s.t > since and s.seat == player.seat and s.tip and _is_in(_DISCARD, s.tip)
    ]
    put_down = bool(times) and times[-1] - times[0] >= _THROWN_S
    return frozenset({player.seat}) if gave_back or (put_down and not owned) else frozenset()


def _is_in(box: Box, point: Point) -> bool:
    return box.x <= point[0] <= box.x + box.width and box.y <= point[1] <= box.y + box.height


class TokenCheck:
    """Detects misplaced tokens, once the evidence has lasted long enough."""

    def __init__(self) -> None:
        self._off: dict[tuple[int, int, str | None], float] = {}
        self._known: set[str] = set()
        self._lost: dict[str, float] = {}

    def asks(self, tracked: TrackedTable, game: Game, pieces: Pieces) -> list[Ask]:
        """Return the current questions about tokens."""
        calm = tracked.t - tracked.motion.last >= _STILL_S and not pieces.waiting
        missing = [] if pieces.waiting else self._missing(tracked)
        found = [*missing, *(asks.about_twin_token(k.id) for k in tracked.tokens if k.twin)]
        if tracked.mat is None or game.phase not in ("turns", "last-player"):
            self._off = {}
            return found
        off = {key: self._off.get(key, tracked.t) for key in self._wrong(tracked, game)}
        self._off = off
        if calm:
            for (rank, seat, _), since in off.items():
                if tracked.t - since >= _OFF_S:
                    found.append(self._about(rank, seat, game, pieces))
        return found

    def _wrong(self, tracked: TrackedTable, game: Game) -> Iterator[tuple[int, int, str | None]]:
        for token in tracked.tokens:
            seat, rank = seat_in(token), asks.rank_of(token.id)
            if token.where == "covered" or seat is None:
                continue
            if token.id == LEADER_BUTTON:
                if game.leader is not None and seat not in (0, game.seat_of(game.leader)):
                    yield (0, seat, game.leader)
            elif rank in game.suits and seat != (game.home_of(rank) or 0):
                yield (rank, seat, game.suits[rank].owner)

    def _about(self, rank: int, seat: int, game: Game, pieces: Pieces) -> Ask:
        if rank == 0:
            return asks.about_leader(seat, game)
        piece = pieces.of(game.undoes.get("card"))
        ways: list[Way] = []
        if piece is not None and piece.play_status is PlayStatus.COUNTED and (piece.id or "")[0] == str(rank):
            name, undo = card_words(piece.id or "?"), game.undo
            if game.undoes.get("do") == "deal":
                ways.append(("redo", message("{card} was played, not dealt", card=name), "redo-play", undo))
            elif game.undoes.get("do") == "play":
                ways.append(("redo", message("{card} was dealt, not played", card=name), "redo-deal", undo))
        ask = asks.about_token(rank, seat, game, ways)
        tracks: Sequence[int] = [piece.card.track] if piece is not None and ways else []
        return Ask(ask.question, ask.effects, tuple(tracks))

    def _missing(self, tracked: TrackedTable) -> list[Ask]:
        lost = {token.id for token in tracked.lost}
        self._lost = {id_: self._lost.get(id_, tracked.t) for id_ in lost}
        return [asks.about_lost_token(id_) for id_ in sorted(lost) if tracked.t - self._lost[id_] >= _LOST_S]

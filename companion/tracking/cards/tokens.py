"""Tracks suit tokens and the leader button: position, occlusion by a hand, removal.

Pure, like `companion.tracking.cards.tracker`: it takes readings and times.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from companion.objects.geometry import TOKEN_MM, TOKEN_QR_MM, TOKEN_TAG_MM
from companion.tracking.cards.card_geometry import apart, holds
from companion.tracking.cards.observations import LyingCard, LyingToken, Whereabouts
from companion.vision.sightings import FrameReading, Point, Quad, TokenSighting, center_of

_MIN_UNCHANGED: Final = 0.9  # minimum unchanged share of a token's tag to count as seen
_MAX_JITTER: Final = 0.12  # of a token's width: maximum jitter at rest
_MIN_MOVE: Final = 0.3  # of a token's width: minimum distance of a move
_REST_S: Final = 0.09
_MIN_VOTES: Final = 2
_HIDDEN_S: Final = 0.3
_LOST_S: Final = 2.5  # unseen for this long without a card over it: removed
_LOST_MOVING_S: Final = 8.0  # the same while something moves in the picture: a hand may hold it
_TWIN_FRAMES: Final = 5
_MAX_STEP_S: Final = 0.25


@dataclass(slots=True)
class _Token:
    """One tracked token. ``settled`` is None until it first came to rest."""

    number: int
    id: str
    corners: Quad
    middle: Point
    width: float
    rest_since: float
    seen: float
    anchor: Point
    home: Point
    votes: int = 1
    settled: float | None = None
    settled_rest: float = 0.0
    moved: float = 0.0
    way: float = 0.0
    missing_s: float = 0.0
    missing_still_s: float = 0.0
    where: Whereabouts = "open"
    twin_frames: int = 0
    was: LyingToken | None = None
    "Its last position before it was removed, if it has returned."

    def lying(self) -> LyingToken:
        assert self.settled is not None, "only settled tokens lie"
        is_twin = self.twin_frames >= _TWIN_FRAMES
        return LyingToken(
            self.number, self.id, self.corners, self.settled_rest, self.settled, self.moved, self.where,
            way=self.way, twin=is_twin,
        )  # fmt: skip


class TokenTracker:
    """Tracks tokens from one reading to the next. Not thread-safe."""

    def __init__(self) -> None:
        self._tokens: dict[str, _Token] = {}
        self._lost: dict[str, LyingToken] = {}
        self._count = 0
        self._t: float | None = None

    def update(self, reading: FrameReading, cards: Sequence[LyingCard], t: float) -> None:
        """Process one frame.

        Args:
            cards: the cards on the table, which may cover tokens.
            t: the frame's time in seconds, never going back.
        """
        step_s = 0.0 if self._t is None else min(max(t - self._t, 0.0), _MAX_STEP_S)
        self._t = t
        by_id: dict[str, list[TokenSighting]] = defaultdict(list)
        for sighting in reading.tokens:
            if sighting.visible >= _MIN_UNCHANGED:
                by_id[sighting.id].append(sighting)
        for id_, sightings in by_id.items():
            self._see(id_, sightings, t)
        for token in list(self._tokens.values()):
            if token.seen < t:
                self._miss(token, cards, step_s, reading.moving, t)

    @property
    def lying(self) -> tuple[LyingToken, ...]:
        """The tokens on the table, by id."""
        return tuple(self._tokens[id_].lying() for id_ in sorted(self._tokens) if self._tokens[id_].settled is not None)

    @property
    def lost(self) -> tuple[LyingToken, ...]:
        """The removed tokens, in their last positions."""
        return tuple(self._lost.values())

    def _see(self, id_: str, sightings: Sequence[TokenSighting], t: float) -> None:
        token = self._tokens.get(id_)
        if token is None:
            self._begin(id_, sightings[-1], t)
            return
        nearest = min(sightings, key=lambda s: apart(center_of(s.corners), token.middle))
        far = [s for s in sightings if s is not nearest]
        token.twin_frames = token.twin_frames + 1 if far else 0
        _follow(token, nearest, t)

    def _begin(self, id_: str, sighting: TokenSighting, t: float) -> None:
        known = self._lost.pop(id_, None)
        middle = center_of(sighting.corners)
        if known is None:
            self._count += 1
        number = self._count if known is None else known.track
        home = middle if known is None else center_of(known.corners)
        token = _Token(number, id_, sighting.corners, middle, token_width(sighting), t, t, middle, home)
        token.moved, token.was = t if known is None else known.moved, known
        self._tokens[id_] = token

    def _miss(self, token: _Token, cards: Sequence[LyingCard], step_s: float, moving: bool, t: float) -> None:
        if token.settled is not None and _is_covered(token, cards):
            token.where, token.missing_s, token.missing_still_s = "covered", 0.0, 0.0
            return
        token.missing_s += step_s
        token.missing_still_s += 0.0 if moving else step_s
        if token.missing_s >= _HIDDEN_S:
            token.where = "hidden"
        if token.missing_still_s >= _LOST_S or token.missing_s >= _LOST_MOVING_S:
            del self._tokens[token.id]
            last = token.was if token.settled is None else token.lying()
            if last is not None:
                self._lost[token.id] = last


def _follow(token: _Token, sighting: TokenSighting, t: float) -> None:
    token.corners, token.middle, token.width = sighting.corners, center_of(sighting.corners), token_width(sighting)
    token.seen, token.where = t, "open"
    token.missing_s = token.missing_still_s = 0.0
    if apart(token.middle, token.anchor) > _MAX_JITTER * token.width:
        token.anchor, token.rest_since, token.votes = token.middle, t, 0
    token.votes += 1
    if token.votes >= _MIN_VOTES and t - token.rest_since >= _REST_S - 1e-6:
        _settle(token, t)


def _settle(token: _Token, t: float) -> None:
    way = apart(token.middle, token.home) / token.width
    if token.settled is None:
        token.settled, token.settled_rest, token.moved = t, token.rest_since, max(token.moved, token.rest_since)
        token.way = way if way > _MIN_MOVE else 0.0
        token.home = token.middle
    elif way > _MIN_MOVE:
        token.moved, token.settled_rest, token.way, token.home = t, token.rest_since, way, token.middle


def token_width(token: TokenSighting) -> float:
    """Return a token's width in px, derived from the tag or code read on it; at least 1."""
    (ax, ay), _, (cx, cy), _ = token.corners
    side = apart((ax, ay), (cx, cy)) / 2**0.5
    printed = TOKEN_TAG_MM if token.deck is None else TOKEN_QR_MM
    return max(1.0, side * TOKEN_MM / printed)


def _is_covered(token: _Token, cards: Iterable[LyingCard]) -> bool:
    return any(
        card.outline is not None and card.rest_since >= token.rest_since and holds(card.outline, token.middle)
        for card in cards
        if card.where != "hidden"
    )

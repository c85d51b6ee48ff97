"""Matches sightings to tracks: by identity first, otherwise by position."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import cv2
import numpy as np

from companion.tracking.cards.card_geometry import apart, card_center, card_width
from companion.tracking.cards.track import Affine, Track, is_fresh
from companion.vision.sightings import CardSighting

_MAX_PLACE_DISTANCE: Final = 0.5  # of a card's width
_MAX_DUPLICATE_DISTANCE: Final = 0.2
"""Of a card's width: two codes of one card agree to 0.07, the next card of a stack is 0.33 off."""
_MAX_UNSEEN_BEFORE_JUMP_S: Final = 0.35
"""Maximum time unseen for a card known by its tags alone to be the same after a jump."""
_MAX_SPEED: Final = 40.0  # card widths per second: 2.5 m/s
_MIN_VISIBLE: Final = 0.5
_REST_TOLERANCE_S: Final = 0.3
_BUMP_MIN_AGREEMENT: Final = 0.7  # minimum share of the cards that moved alike
_BUMP_MIN_SHIFT: Final = 0.08  # of a card's width: minimum displacement from the place of rest
_BUMP_MAX_RESIDUAL: Final = 0.12  # of a card's width: maximum residual

Pairs = list[tuple[Track, CardSighting]]


def distinct(cards: Iterable[CardSighting]) -> list[CardSighting]:
    """Return one sighting per card: two tags of one card may have been reported as two cards."""
    kept: list[CardSighting] = []
    for card in sorted(cards, key=lambda c: (c.status == "tag", c.status == "unreadable")):
        is_under = card.id is None and card.visible == 0  # known to lie under the card read there
        near = (
            k for k in kept if _may_be_one(k, card) and _distance(k, card) < _MAX_DUPLICATE_DISTANCE * card_width(k)
        )
        if is_under or next(near, None) is None:
            kept.append(card)
    return kept


def _may_be_one(known: CardSighting, card: CardSighting) -> bool:
    """Whether a sighting may be the known card; an unread object over a card out of sight is a different one."""
    return card.id == known.id or (card.id is None and known.visible > _MIN_VISIBLE)


def match(
    tracks: Sequence[Track], cards: Sequence[CardSighting], t: float, cut: float = float("-inf")
) -> tuple[Pairs, list[CardSighting]]:
    """Pair tracks with sightings.

    Args:
        cut: time of the latest abrupt change of the picture, s; no card is tracked by motion across it.

    Returns:
        the pairs, and the sightings without a track.
    """
    pairs, rest = _match_known(tracks, cards, t, cut)
    taken = {track.number for track, _ in pairs}
    return _match_places([track for track in tracks if track.number not in taken], rest, pairs)


def _match_known(
    tracks: Sequence[Track], cards: Sequence[CardSighting], t: float, cut: float
) -> tuple[Pairs, list[CardSighting]]:
    """Pair by identity, nearest first."""
    by_id: dict[str, list[Track]] = defaultdict(list)
    for track in tracks:
        if track.id is not None:
            by_id[track.id].append(track)
    options = [
        (apart(track.middle, card_center(card)) / track.width, track.number, i)
        for i, card in enumerate(cards)
        for track in by_id.get(card.id or "", ())
    ]
    numbered = {track.number: track for track in tracks}
    pairs: Pairs = []
    tracks_taken, cards_taken = set[int](), set[int]()
    for distance, number, i in sorted(options):
        if number in tracks_taken or i in cards_taken or not _may_be(numbered[number], cards[i], distance, t, cut):
            continue
        pairs.append((numbered[number], cards[i]))
        tracks_taken.add(number)
        cards_taken.add(i)
    return pairs, [card for i, card in enumerate(cards) if i not in cards_taken]


def _may_be(track: Track, card: CardSighting, distance: float, t: float, cut: float) -> bool:
    """Whether a sighting with the same id, ``distance`` card widths away, can be the same physical card."""
    if distance < _MAX_PLACE_DISTANCE:
        return True
    if card.status == "tag":  # not proof of identity: the card must have been tracked on its way
        unseen_s = t - track.seen
        return unseen_s < _MAX_UNSEEN_BEFORE_JUMP_S and track.seen >= cut and distance < _MAX_SPEED * unseen_s
    proven = card.status == track.status or track.status == "tag"
    return proven and (track.deck is None or card.deck in (track.deck, None))


def _match_places(
    tracks: Sequence[Track], cards: Sequence[CardSighting], pairs: Pairs
) -> tuple[Pairs, list[CardSighting]]:
    """Pair by position, where the track or the sighting has no identity."""
    free, rest = list(tracks), []
    for card in sorted(cards, key=lambda c: c.id is not None):  # unread objects first: they claim the unread tracks
        here = [k for k in free if _is_at(k, card) and _may_be_there(k, card)]
        if not here:
            rest.append(card)
            continue
        track = min(here, key=lambda k: apart(k.middle, card_center(card)))
        free.remove(track)
        pairs.append((track, card))
    return pairs, rest


def _may_be_there(track: Track, card: CardSighting) -> bool:
    """Whether a sighting may be the track in the same place, judging by their identities."""
    if card.id is None:  # an unread object laid on a card is not that card
        return track.id is None or (card.rest_since is None and not track.is_unread_object)
    if track.id is None:  # a card that came later was laid on the unread object, or is that object turned over
        return (
            not track.is_unread_object
            or card.rest_since is None
            or card.rest_since <= track.rest_start + _REST_TOLERANCE_S
        )
    return _is_one_forgery(track, card)


def _is_one_forgery(track: Track, card: CardSighting) -> bool:
    """Whether both are one forged card, whose code and tags name different cards."""
    close = apart(track.middle, card_center(card)) < 0.15 * track.width
    return close and "forged" in (track.status, card.status) and {track.status, card.status} <= {"forged", "tag"}


def bump(pairs: Pairs) -> Affine | None:
    """Return the shift of the whole picture since the cards came to rest, after a bump of the camera.

    None if there is no shift, or too few cards are seen. A bump moves all cards alike; a hand does not.
    """
    resting = [(k, c) for k, c in pairs if k.settled is not None and k.where == "open" and is_fresh(c)]
    if len(resting) < 2:
        return None
    moved = [apart(k.home, card_center(c)) > _BUMP_MIN_SHIFT * k.width for k, c in resting]
    if sum(moved) < max(2, _BUMP_MIN_AGREEMENT * len(resting)):
        return None
    before = np.array([k.home for k, _ in resting], np.float64)
    after = np.array([card_center(c) for _, c in resting], np.float64)
    return _fit(before, after, _BUMP_MAX_RESIDUAL * min(k.width for k, _ in resting))


def _fit(before: np.ndarray, after: np.ndarray, tolerance_px: float) -> Affine | None:
    if len(before) == 2:  # from two cards, only a translation is reliable
        move = np.hstack([np.eye(2), (after - before).mean(axis=0)[:, None]])
    else:
        found, _ = cv2.estimateAffinePartial2D(before, after, ransacReprojThreshold=tolerance_px)
        if found is None or not np.isfinite(found).all():
            return None
        move = found
    off = np.linalg.norm(before @ move[:, :2].T + move[:, 2] - after, axis=1)
    if (off <= tolerance_px).mean() < _BUMP_MIN_AGREEMENT:
        return None
    (a, b, c), (d, e, f) = move.tolist()
    return (a, b, c), (d, e, f)


def _is_at(track: Track, card: CardSighting) -> bool:
    return apart(track.middle, card_center(card)) < _MAX_PLACE_DISTANCE * track.width


def _distance(a: CardSighting, b: CardSighting) -> float:
    return apart(card_center(a), card_center(b))

"""Decision policy: whether to answer a die's reading. A wrong value is far worse than none.

Predictions from successive pictures must agree, the face's probability and its margin must be high enough, and the die
must be large enough, lie flat and be of an expected kind.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.objects.dice import DAY_NIGHT, TWENTY_FACES, DieKind, face_of_d20, number_of
from companion.vision.dice.axis import MAX_SEEN_DEG, Axis, seen_from_above
from companion.vision.dice.boxes import CONFIDENT_SCORE, Box, DieBox
from companion.vision.dice.enrolled import EnrolledDie, best_match, fused
from companion.vision.dice.faces.classifier import Classifier
from companion.vision.dice.faces.day_night import number_probabilities
from companion.vision.dice.faces.nets import Probabilities
from companion.vision.dice.faces.off_axis import OffAxis
from companion.vision.dice.faces.outline import DISC_ROUNDNESS, outline_roundness
from companion.vision.dice.faces.pips import count_pips
from companion.vision.dice.faces.predictions import CERTAIN_P, FACE_ORDER, Calibration, Prediction, mean_prediction
from companion.vision.dice.faces.tagged import tagged_face
from companion.vision.dice.faces.upright import CLOSE_CROP_PX, DIE_PX, close_crop, whole_crop
from companion.vision.frame import Image, to_gray

FROM_PX: Final = 60
"""Minimum size of a die that is not enrolled."""
MIN_PX: Final = 57
"""Its minimum box size: a box may be a twentieth smaller than the die."""
MIN_ENROLLED_PX: Final = 45
"""The same for an enrolled die."""
WANTED_PX: Final = 90
_SIX_OR_NINE: Final = {6, 9}
_SIX_NINE_P: Final = 0.98
_MIN_MARGIN: Final = 0.5
_SMALL_OFF_AXIS: Final = 0.5  # factor on the allowed doubt below `WANTED_PX` if the axis is unknown
DAY_NIGHT_UNKNOWN_AXIS_P: Final = 0.9974
"""Minimum probability of a day-and-night die's number if the axis is unknown. With the threshold for a known axis, 11
instead of 9 of 400 dice seen 15 to 35 degrees off-axis would be answered with a neighboring face."""
_FAINT_DOUBT: Final = 0.05
"""Maximum doubt about the value of a weak detection: a printed 8 was read as a d6's two with 0.81. Five of 177 answered
dice on photographs are such weak detections, four of them with less doubt; of 300 path-traced ones none is."""
_ONE_D6_P: Final = 0.985  # minimum d6 probability of a one: a printed letter with a hole was a d6 with 0.978
_READ_TWICE_KIND_P: Final = 0.8
"""Minimum d6 probability if both the whole-die and the number network read the same numeral; otherwise it must be
higher, as dice with letters resemble a d6. Of 700 other dice and objects none with such a numeral is a d6 above
0.67."""
_CLEAR_D20_KIND_P: Final = 0.8
"""Minimum d20 probability if the value is certain. Of 8,144 rendered d20s 53 have such a value and a probability
between this and the usual minimum: all 53 values are right. Of 2,930 rendered other dice and objects none has."""
_READ_FACE: Final = 0.99
_READ_NUMBER: Final = 0.9
_NUMERAL: Final = 0.7
"""Number network probability from which on a d6 face is a numeral: of 255 faces with pips none reached 0.1. Of 80 with
numerals 12 were counted as one pip, since the shape around a 3 or a 6 is as round."""
_COUNTED, _COUNTED_DOUBT = 3, 0.4
"""From this number of pips on, more doubt is allowed if as many pips are counted: of 23 rendered d6 below the usual
probability with such a count all are right. Fewer pips prove less: a printed 8 has the holes of a two."""
_LIKELY_P: Final = 0.02
_CONTRADICTS_P: Final = 0.9
_ENROLLED_KIND_P: Final = 0.5  # of an enrolled die
NO_CONTRAST: Final = "not sure: nothing is to be seen on its upper face"
MIN_CONTRAST: Final = 5.0
"""Minimum contrast of a twenty-faced die's upper face to match it with enrolled pictures. Of 34 rendered dice, some
dark or with numbers in the body's color, one has faces below 8: all at 3 or less, where a lamp is reflected."""
_NUMBER_RADIUS: Final = 0.15  # in die sizes, from the center of the upper face
_ONE_KIND_P, _ONE_DOUBT = 0.995, 0.03
"""Maximum doubt about a one, unless its pip is counted and the d6 probability reaches the first: slightly shifted, the
crop of a printed bold 8 was a one with 0.96, the hole in its center. Of 23 answered photographed ones the lowest is
0.98."""
_LARGE_FILL, _LARGE_SCORE = 0.8, 0.9
"""A die that fills more of the picture's shorter side needs this score: a tray with a card in it looks much like a
d6."""
_CLEAR_P: Final = 0.95
"""Above this a value answered without its pictures need not match the most similar enrolled face: a d6's faces embed
nearly alike. Of 60 rendered d6 a clear one was the only one read wrong, a 3 as a 5 with 0.83."""
PERHAPS_OFF_AXIS: Final = "perhaps seen from aside"
LEANING: Final = "leaning"
DISC_SHAPED: Final = "as round as a chip"
NETWORK_DOUBTS: Final = ("another kind of die, or not sure", "not sure", "6 or 9", "blurred")
"""Prefixes of reasons that another box may resolve; not leaning, which hardly depends on the box."""
_MAY_HAVE_TWENTY: Final = 0.1
_MAX_OFF_AXIS: Final = 3.5
"""Maximum sum of both `OffAxis` log-odds for an answer. By the second renderer, 19 of 394 otherwise answered dice
within 10 degrees reach it, and 33 of 41 that would be wrong at 22 to 34 degrees."""
BLURRED: Final = 0.15
_MARGIN_PX: Final = (CLOSE_CROP_PX - DIE_PX) // 2  # margin around the die in a close crop


@dataclass(frozen=True, slots=True)
class DieReading:
    """The reading of one die: the contract's entry, and the reason if there is no value.

    Attributes:
        kind: kind of die; the expected kind if uncertain.
        value: 1-20 of a d20, 1-4 of a day-and-night die, 1-6 of a d6; None if uncertain.
        face: number and half of a twenty-faced die, as ``3n``.
        confidence: 0 to 1.
        reason: why there is no value, "" if there is one.
        likely: likely values, or faces of a day-and-night die, most likely first.
        size_px: longer side of its box.
    """

    kind: DieKind
    value: int | None
    face: str | None
    confidence: float
    box: Box
    reason: str = ""
    likely: tuple[str, ...] = ()
    is_known_kind: bool = True

    @property
    def size_px(self) -> int:
        return max(self.box[2], self.box[3])


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """All evidence on one die in one picture.

    Attributes:
        predictions: the networks' predictions.
        pips: count on its upper face, None if ambiguous.
        roundness: of a possible one, see `faces.outline`.
        contrast: see `contrast_of`; measured only to match enrolled dice.
        fills: its size, as a share of the picture's shorter side.
        tag: the face encoded by a printed tag, as the d20 value; None without a tag.
        sharpness: see `sharpness_of`.
        tilt_deg: viewing angle from the table's normal, if the axis is known.
        off_axis: if it is unknown, the network's evidence of an off-axis view; None for dice whose neighboring faces
            are never mistaken for the upper one.
    """

    die: DieBox
    predictions: tuple[Prediction, ...]
    pips: int | None = None
    tag: int | None = None
    sharpness: float = 1.0
    tilt_deg: float = 0.0
    off_axis: OffAxis | None = None
    roundness: float = 0.0
    contrast: float = 255.0
    fills: float = 0.0


def gather(
    image: Image, die: DieBox, classifier: Classifier, *, read_neighbors: bool = False, axis: Axis | None = None
) -> Evidence:
    """Collect the evidence on one die in one picture.

    Args:
        read_neighbors: read the neighboring faces, too: enrolled dice are matched by these as well.
        axis: the camera's axis, if known: the die is rectified first. Otherwise the off-axis network is run.
    """
    crop, fills = close_crop(image, die), die.size_px / min(image.shape[:2])
    slant = None if axis is None else axis.at(die.box, image.shape)
    if slant is not None and slant.tilt_deg > 0:
        crop = seen_from_above(crop, slant)
        image, die_there = crop, DieBox((_MARGIN_PX, _MARGIN_PX, DIE_PX, DIE_PX), die.score)
    else:
        die_there = die
    prediction = classifier.predict([crop], read_neighbors=read_neighbors)[0]
    pips = count_pips(image, die_there) if prediction.kinds[1] > 0.2 else None
    roundness = outline_roundness(image, die_there) if prediction.kind == "d6" and prediction.top("d6") == 0 else 0.0
    tag = tagged_face(image, die_there) if prediction.kinds[2] + prediction.kinds[3] > 0.1 else None
    tilt_deg = 0.0 if slant is None else slant.tilt_deg
    is_unknown_axis = axis is None and prediction.kinds[0] + prediction.kinds[2] > _MAY_HAVE_TWENTY
    off_axis = classifier.off_axis(image, die, prediction.up_deg) if is_unknown_axis else None
    sharpness = sharpness_of(whole_crop(crop))
    contrast = contrast_of(crop) if read_neighbors else 255.0
    return Evidence(die, (prediction,), pips, tag, sharpness, tilt_deg, off_axis, roundness, contrast, fills)


def contrast_of(crop: Image) -> float:
    """Return the contrast at the center of a die's upper face, 0 to 255, from a close crop.

    >>> contrast_of(np.full((208, 208, 3), 250, np.uint8))
    0.0
    """
    far = round(_NUMBER_RADIUS * DIE_PX)
    middle = slice(CLOSE_CROP_PX // 2 - far, CLOSE_CROP_PX // 2 + far)
    soft = cv2.GaussianBlur(crop[middle, middle].astype(np.float32), (0, 0), 1.5)[_disc(far)]
    return float((np.percentile(soft, 95, axis=0) - np.percentile(soft, 5, axis=0)).max())


def _disc(radius: int) -> NDArray[np.bool_]:
    y, x = np.mgrid[-radius:radius, -radius:radius] + 0.5
    return np.asarray(x**2 + y**2 < radius**2, np.bool_)


def sharpness_of(crop: Image) -> float:
    """Return the share of a crop's contrast in its finest details, 0 to about 1.

    >>> sharpness_of(np.zeros((96, 96, 3), np.uint8))
    0.0
    """
    gray = cv2.GaussianBlur(to_gray(crop), (0, 0), 0.7).astype(np.float32)[16:-16, 16:-16]
    spread = float(gray.std())
    return float((gray - cv2.GaussianBlur(gray, (0, 0), 2.0)).std()) / spread if spread > 1.0 else 0.0


def judge(
    seen: Sequence[Evidence],
    expect: Collection[DieKind],
    calibration: Calibration,
    enrolled: Sequence[EnrolledDie] = (),
    *,
    camera_off_axis: float = 0.0,
) -> DieReading | None:
    """Return the reading of one die seen in one or more pictures; None if it is no die.

    Args:
        seen: at least one.
        expect: kinds that may be answered.
        enrolled: the enrolled dice.
        camera_off_axis: log-odds from earlier dice, see `OffAxisTracker`.
    """
    predictions = [prediction for each in seen for prediction in each.predictions]
    mean = mean_prediction(predictions)
    die = seen[-1].die
    tags = {each.tag for each in seen if each.tag is not None}
    off_axis = _off_axis_reason(seen, camera_off_axis)
    if tags and not off_axis:
        return _judge_tagged(die, tags, mean, expect, calibration.most_lean)
    kind = mean.kind
    if kind is None:
        return _other(die, mean, expect)
    similarity = best_match(enrolled, kind, predictions, calibration.enrolled.own)
    is_disc = kind == "d6" and mean.top(kind) == 0 and max(each.roundness for each in seen) > DISC_ROUNDNESS
    if kind not in TWENTY_FACES and not tags and off_axis == PERHAPS_OFF_AXIS:
        off_axis = ""

    def rejection(*, is_enrolled: bool) -> str:
        of_die = _die_rejection(kind, mean, seen, expect, calibration, is_enrolled=is_enrolled)
        return DISC_SHAPED if is_disc else of_die or off_axis

    reason = rejection(is_enrolled=False) or _face_rejection(kind, mean, predictions, seen, calibration)
    p = float(mean.faces(kind).max())
    plain = _reading(kind, mean.top(kind), p * mean.kind_p, die, reason, _likely(kind, mean.faces(kind)))
    if similarity is None:
        return plain
    if reason := rejection(is_enrolled=True):
        return replace(plain, value=None, face=None, reason=reason)
    trust = calibration.enrolled if similarity.neighbors is None else calibration.enrolled_with_neighbors
    if kind in TWENTY_FACES and max(each.contrast for each in seen) < MIN_CONTRAST:
        return replace(plain, value=None, face=None, reason=NO_CONTRAST)
    known = _judge_enrolled(fused(similarity, mean.faces(kind), trust), trust.least_p, kind, mean, die)
    is_consistent = int(similarity.number.argmax()) == mean.top(kind) or p > _CLEAR_P
    # without this an enrolled d6 would hardly ever be answered: its pictures discriminate little
    is_agreed = plain.value is not None and plain.likely[:1] == known.likely[:1] and is_consistent
    return plain if known.value is None and is_agreed else known


def _off_axis_reason(seen: Sequence[Evidence], camera_off_axis: float) -> str:
    """Return why an off-axis view may show another face than the upper one, "" if it does not."""
    if max(each.tilt_deg for each in seen) > MAX_SEEN_DEG:
        return "seen too much from the side"
    log_odds = [each.off_axis.wrong_face + each.off_axis.off_axis for each in seen if each.off_axis is not None]
    return PERHAPS_OFF_AXIS if log_odds and float(np.mean(log_odds)) + camera_off_axis > _MAX_OFF_AXIS else ""


def _judge_enrolled(
    probabilities: Probabilities, least_p: float, kind: DieKind, mean: Prediction, die: DieBox
) -> DieReading:
    """Judge an enrolled die by the fused probabilities of its pictures and the networks."""
    top, p = int(probabilities.argmax()), float(probabilities.max())
    reason = ""
    if p < least_p:
        likeliest = {top + 1, mean.top(kind) + 1}
        reason = "6 or 9" if kind == "d20" and likeliest <= _SIX_OR_NINE else "not sure"
    elif mean.top(kind) != top and float(mean.faces(kind).max()) > _CONTRADICTS_P:
        reason = "not sure: it looks like another face of this die"
    return _reading(kind, top, p, die, reason, _likely(kind, probabilities))


def _die_rejection(
    kind: DieKind,
    mean: Prediction,
    seen: Sequence[Evidence],
    expect: Collection[DieKind],
    calibration: Calibration,
    *,
    is_enrolled: bool,
) -> str:
    """Return why this die is rejected regardless of its face, "" if it is not."""
    size = min(each.die.size_px for each in seen)
    least_kind = _ENROLLED_KIND_P if is_enrolled else calibration.least_kind[kind]
    if kind == "d6" and _is_read_twice(mean, _READ_NUMBER):
        least_kind = min(least_kind, _READ_TWICE_KIND_P)
    if kind == "d20" and float(mean.d20.max()) >= CERTAIN_P:
        least_kind = min(least_kind, _CLEAR_D20_KIND_P)
    if kind not in expect:
        return "not expected" if mean.kind_p >= least_kind else "another kind of die"
    if mean.kind_p < least_kind:
        return "another kind of die, or not sure"
    if size < (MIN_ENROLLED_PX if is_enrolled else MIN_PX):
        return f"too small: {size} px, wants {WANTED_PX}"
    return LEANING if mean.lean > calibration.most_lean else ""


def _is_read_twice(mean: Prediction, least: float) -> bool:
    """Return whether both networks read the same numeral on a d6, the number network with this probability."""
    top = mean.top("d6")
    return float(mean.d6[top]) >= _READ_FACE and float(mean.numeral_d6[top]) >= least


def _face_rejection(
    kind: DieKind,
    mean: Prediction,
    predictions: Sequence[Prediction],
    seen: Sequence[Evidence],
    calibration: Calibration,
) -> str:
    """Return why the face is rejected, "" if it is not."""
    top, p = mean.top(kind), float(mean.faces(kind).max())
    doubt = 1 - calibration.least_p[kind]
    if kind in TWENTY_FACES and any(each.off_axis is not None for each in seen):
        if kind == DAY_NIGHT and float(number_probabilities(mean.day_night).max()) < DAY_NIGHT_UNKNOWN_AXIS_P:
            return "not sure"
        if min(each.die.size_px for each in seen) < WANTED_PX:
            doubt *= _SMALL_OFF_AXIS
    is_faint = max(each.die.score for each in seen) < CONFIDENT_SCORE
    if min(each.fills for each in seen) > _LARGE_FILL and max(each.die.score for each in seen) < _LARGE_SCORE:
        return "not sure: perhaps a tray"
    if kind == "d6" and top == 0:
        if is_faint:
            return "not sure"
        if mean.kind_p < _ONE_KIND_P or any(each.pips != 1 for each in seen):
            doubt = min(doubt, _ONE_DOUBT)
    if kind == "d6" and not _is_read_twice(mean, _NUMERAL):  # a numeral is no pip, though it may be as round as one
        pips = {each.pips for each in seen if each.pips is not None}
        if pips and pips != {top + 1}:
            return "not sure: the pips say otherwise"
        if top == 0 and mean.kind_p < _ONE_D6_P:
            return "not sure"
        if pips and top + 1 >= _COUNTED:
            doubt = max(doubt, _COUNTED_DOUBT)
    if is_faint:
        doubt = min(doubt, _FAINT_DOUBT)
    if kind == "d20" and top + 1 in _SIX_OR_NINE and p < max(_SIX_NINE_P, 1 - doubt):
        return "6 or 9"
    agreeing = sum(prediction.top(kind) == top for prediction in predictions)
    if p < 1 - doubt or mean.margin(kind) < _MIN_MARGIN or agreeing < len(predictions) - len(predictions) // 6:
        return "blurred" if float(np.mean([each.sharpness for each in seen])) < BLURRED else "not sure"
    return ""


def _judge_tagged(
    die: DieBox, tags: set[int], mean: Prediction, expect: Collection[DieKind], most_lean: float
) -> DieReading:
    """Judge a printed day-and-night die: its tag gives the face, and the numeral must not contradict it.

    A tag is as legible on a leaning die: 14 of 14 were answered before the network's lean output was used, which is
    higher for each of them than for 80 flat ones.
    """
    face = face_of_d20(min(tags))
    assert face is not None
    reason = LEANING if mean.lean > most_lean else ""
    if len(tags) > 1:
        reason = "not sure: two tags"
    if DAY_NIGHT not in expect:
        reason = "not expected"
    numeral = FACE_ORDER[mean.top(DAY_NIGHT)]
    if mean.kind == DAY_NIGHT and float(mean.day_night.max()) > 0.9 and number_of(numeral) != number_of(face):
        reason = reason or "not sure: the tag and the number differ"
    return _reading(DAY_NIGHT, FACE_ORDER.index(face), 0.999, die, reason, (face,))


def _other(die: DieBox, mean: Prediction, expect: Collection[DieKind]) -> DieReading | None:
    """Return an unanswered reading for another die, or no die: only the finder detected something there."""
    if not expect:
        return None
    order: tuple[DieKind, ...] = ("d20", "d6", DAY_NIGHT)
    kind = max((k for k in order if k in expect), key=lambda k: float(mean.kinds[order.index(k)]))
    return DieReading(kind, None, None, 0.0, die.box, "another kind of die", is_known_kind=False)


def _reading(
    kind: DieKind, index: int, confidence: float, die: DieBox, reason: str, likely: tuple[str, ...]
) -> DieReading:
    face = FACE_ORDER[index] if kind == DAY_NIGHT else face_of_d20(index + 1) if kind == "d20" else None
    value = number_of(FACE_ORDER[index]) if kind == DAY_NIGHT else index + 1
    confidence = round(confidence, 4)
    if reason:
        return DieReading(kind, None, None, confidence, die.box, reason, likely)
    return DieReading(kind, value, face, confidence, die.box, "", likely)


def _likely(kind: DieKind, probabilities: Probabilities) -> tuple[str, ...]:
    order = [int(i) for i in np.argsort(-probabilities)[:3] if probabilities[i] > _LIKELY_P]
    return tuple(FACE_ORDER[i] if kind == DAY_NIGHT else str(i + 1) for i in order)

"""Decision policy: whether a die's reading is certain enough. A wrong value is far worse than none.

Predictions from successive pictures must agree; the face must be likely enough and much likelier than the next, and
the die large enough, upright, and of an expected kind.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.objects.dice import DAY_NIGHT, TWENTY_FACES, DieKind, face_of_d20, number_of
from companion.vision.dice.axis import MOST_SEEN_DEG, Axis, seen_from_above
from companion.vision.dice.boxes import CONFIDENT_SCORE, Box, DieBox
from companion.vision.dice.enrolled import EnrolledDie, best_match, fused
from companion.vision.dice.faces.classifier import Classifier
from companion.vision.dice.faces.day_night import number_probabilities
from companion.vision.dice.faces.nets import Probabilities
from companion.vision.dice.faces.off_axis import OffAxis
from companion.vision.dice.faces.outline import DISC_ROUNDNESS, outline_roundness
from companion.vision.dice.faces.pips import count_pips
from companion.vision.dice.faces.predictions import FACE_ORDER, Calibration, Prediction, mean_prediction
from companion.vision.dice.faces.tagged import tagged_face
from companion.vision.dice.faces.upright import CLOSE_CROP_PX, DIE_PX, close_crop, whole_crop
from companion.vision.frame import Image, to_gray

FROM_PX: Final = 60
"""A die that is not enrolled is read from this size on."""
LEAST_PX: Final = 57
"""What its box has then at least: it may be a twentieth smaller than the die."""
LEAST_ENROLLED_PX: Final = 45
"""Of an enrolled die."""
WANTED_PX: Final = 90
_SIX_OR_NINE: Final = {6, 9}
_SIX_NINE_P: Final = 0.98
_LEAST_MARGIN: Final = 0.5
_SMALL_OFF_AXIS: Final = 0.5  # of the doubt that is allowed to a die below `WANTED_PX` that may be seen from aside
DAY_NIGHT_UNKNOWN_AXIS_P: Final = 0.9974
"""What the chance of a day-and-night die's number must reach where the axis is not known. Of 400 seen from 15 to 35
degrees aside 11 neighbouring faces would be answered instead of 9 if it were that of a known axis."""
_FAINT_DOUBT: Final = 0.05
"""That is allowed to the value of what hardly looks like a die: a printed 8 was a d6's two by 0.81. Five of 177
answered dice on photographs look so little like one, four of them are likelier; of 300 path-traced ones none does."""
_ONE_D6_P: Final = 0.985  # of what shows a one: so does a printed letter with a hole, which was a d6 by 0.978
_READ_TWICE_KIND_P: Final = 0.8
"""A d6 may be this unlikely if its numeral was read twice, by the networks for dice and for upright numbers alike: dice
with letters resemble it. Of 700 other dice and things, none whose numeral was read so is a d6 by more than 0.67."""
_READ_FACE: Final = 0.99
_READ_NUMBER: Final = 0.9
_NUMERAL: Final = 0.7
"""What the network for upright numbers reads by so much is a numeral: of 255 faces with pips none reached 0.1. Of 80
with numerals 12 were counted as one pip, since the shape around a 3 or a 6 is as round."""
_LIKELY_P: Final = 0.02
_CONTRADICTS_P: Final = 0.9
_ENROLLED_KIND_P: Final = 0.5  # of an enrolled die
NO_CONTRAST: Final = "not sure: nothing is to be seen on its upper face"
LEAST_CONTRAST: Final = 5.0
"""Of the upper face of a die with twenty faces, to be known by its pictures. Of 34 rendered dice, also in the dark and
in their own color, one has faces with less than 8: all 3 or less, where a lamp is mirrored in one."""
_NUMBER_RADIUS: Final = 0.15  # of a die's size from the middle of its upper face
_ONE_KIND_P, _ONE_DOUBT = 0.995, 0.03
"""That is allowed to a one, unless its pip is counted and it is a d6 by so much: moved a little, the crop of a printed
bold 8 showed one by 0.96, the hole in its middle. Of 23 photographed ones that are answered the least is 0.98."""
_LARGE_FILL, _LARGE_SCORE = 0.8, 0.9
"""Of the picture's shorter side: what is larger must be surely found. A tray with a card in it is much like a d6."""
_CLEAR_P: Final = 0.95
"""A value likelier than this, which is answered without its pictures, need not be that of the enrolled face most like
it: a d6's pips are nearly alike. Of 60 rendered d6 a clear one was the only one read wrong, a 3 as a 5 by 0.83."""
PERHAPS_OFF_AXIS: Final = "perhaps seen from aside"
LEANING: Final = "leaning"
DISC_SHAPED: Final = "as round as a chip"
NETWORK_DOUBTS: Final = ("another kind of die, or not sure", "not sure", "6 or 9", "blurred")
"""How reasons begin that may go with another box: not that it leans, which hardly depends on the box."""
_MAY_HAVE_TWENTY: Final = 0.1
_MOST_OFF_AXIS: Final = 3.5
"""Sum of both log-odds of `OffAxis`, from which on there is no value. Of 394 dice that the second painter shows from
within 10 degrees, and that are answered, 19 reach it; of 41 seen from 22 to 34 degrees that would be wrong, 33."""
BLURRED: Final = 0.15
_MARGIN_PX: Final = (CLOSE_CROP_PX - DIE_PX) // 2  # a close crop shows this much beside the die


@dataclass(frozen=True, slots=True)
class DieReading:
    """The reading of one die: the contract's entry, and the reason if there is no value.

    Attributes:
        kind: what die it is (or is expected to be, where that is not sure).
        value: 1-20 of a d20, 1-4 of a day-and-night die, 1-6 of a d6; None if not sure.
        face: number and half of a die with twenty faces, as ``3n``.
        confidence: 0 to 1.
        reason: why there is no value, "" if there is one.
        likely: what it may show, the likeliest first: values, or faces of a day-and-night die.
        size_px: its larger side.
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
        predictions: what the networks say.
        pips: how many were counted on its upper face, None if that cannot be told.
        roundness: of what may show a one, see `faces.outline`.
        contrast: see `contrast_of`; measured where enrolled dice are asked for.
        fills: its size, as a share of the picture's shorter side.
        tag: the printed face that its tag names, as the d20's value; None without a tag.
        sharpness: see `sharpness_of`.
        tilt_deg: how far from the table's axis the camera looks at it, as far as is known.
        aside: where that is not known, what its surroundings say about it; None of dice whose neighbouring faces are
            never mistaken for the upper one.
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
        read_neighbors: read the faces around the upper one, too: enrolled dice are matched by these as well.
        axis: how the camera looks at the table, where that is known: the die is set upright first. Where it is not,
            the die's surroundings are asked whether the camera stands aside.
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
    """Return how far the middle of a die's upper face is from being of one color, 0 to 255, from a close crop.

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
    """Return how much of a crop's contrast is in its finest lines, 0 to about 1.

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
    """Return the answer for one die that was seen in one or more pictures; None if it is no die at all.

    Args:
        seen: at least one.
        expect: what may be answered.
        enrolled: the enrolled dice.
        camera_off_axis: what earlier dice said about where the camera stands, see `OffAxisTracker`.
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
    if kind in TWENTY_FACES and max(each.contrast for each in seen) < LEAST_CONTRAST:
        return replace(plain, value=None, face=None, reason=NO_CONTRAST)
    known = _judge_enrolled(fused(similarity, mean.faces(kind), trust), trust.least_p, kind, mean, die)
    is_alike = int(similarity.number.argmax()) == mean.top(kind) or p > _CLEAR_P
    # without this an enrolled d6 would hardly ever be answered: its pictures tell little
    is_agreed = plain.value is not None and plain.likely[:1] == known.likely[:1] and is_alike
    return plain if known.value is None and is_agreed else known


def _off_axis_reason(seen: Sequence[Evidence], camera_off_axis: float) -> str:
    """Return whether another face than the upper one may be read, because the camera stands aside; "" if not."""
    if max(each.tilt_deg for each in seen) > MOST_SEEN_DEG:
        return "seen too much from the side"
    says = [each.off_axis.wrong_face + each.off_axis.off_axis for each in seen if each.off_axis is not None]
    return PERHAPS_OFF_AXIS if says and float(np.mean(says)) + camera_off_axis > _MOST_OFF_AXIS else ""


def _judge_enrolled(
    probabilities: Probabilities, least_p: float, kind: DieKind, mean: Prediction, die: DieBox
) -> DieReading:
    """An enrolled die: its pictures and the networks together must be sure."""
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
    """Return why this die may not be answered whatever it shows, "" if it may."""
    size = min(each.die.size_px for each in seen)
    least_kind = _ENROLLED_KIND_P if is_enrolled else calibration.least_kind[kind]
    if kind == "d6" and _is_read_twice(mean, _READ_NUMBER):
        least_kind = min(least_kind, _READ_TWICE_KIND_P)
    if kind not in expect:
        return "not expected" if mean.kind_p >= least_kind else "another kind of die"
    if mean.kind_p < least_kind:
        return "another kind of die, or not sure"
    if size < (LEAST_ENROLLED_PX if is_enrolled else LEAST_PX):
        return f"too small: {size} px, wants {WANTED_PX}"
    return LEANING if mean.lean > calibration.most_lean else ""


def _is_read_twice(mean: Prediction, least: float) -> bool:
    """Return whether a d6 shows a numeral, and both networks read the same one, the one for numbers by so much."""
    top = mean.top("d6")
    return float(mean.d6[top]) >= _READ_FACE and float(mean.numeral_d6[top]) >= least


def _face_rejection(
    kind: DieKind,
    mean: Prediction,
    predictions: Sequence[Prediction],
    seen: Sequence[Evidence],
    calibration: Calibration,
) -> str:
    """Return why its value may not be told, "" if it may."""
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
    if is_faint:
        doubt = min(doubt, _FAINT_DOUBT)
    if kind == "d20" and top + 1 in _SIX_OR_NINE and p < max(_SIX_NINE_P, 1 - doubt):
        return "6 or 9"
    agreeing = sum(prediction.top(kind) == top for prediction in predictions)
    if p < 1 - doubt or mean.margin(kind) < _LEAST_MARGIN or agreeing < len(predictions) - len(predictions) // 6:
        return "blurred" if float(np.mean([each.sharpness for each in seen])) < BLURRED else "not sure"
    return ""


def _judge_tagged(
    die: DieBox, tags: set[int], mean: Prediction, expect: Collection[DieKind], most_lean: float
) -> DieReading:
    """A printed day-and-night die: the tag says which face, and the numeral must not say another.

    A tag is as legible on a die that leans: of 14 that do 14 were answered until the network was asked, by which each
    leans more than 80 others that lie flat.
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
    """Another die, or no die: the finder alone says that something lies there."""
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

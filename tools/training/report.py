"""Scores of answered and wrong samples, and a montage of the wrong ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.rendering.painter import Image
from tools.training.calibrate import READ_KINDS, SamplePredictions, Thresholds, is_readable_tilt
from tools.training.samples.dataset import Samples
from tools.training.samples.random_dice import RUGEN_NAMES
from tools.training.samples.scenes import KINDS, SIX_OR_NINE, SURE, UNREADABLE

Span = tuple[float, float]
ALL: Final[Span] = (0.0, 1e4)
PROBABILITY_BINS: Final = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.997)
"""Bounds of the bins in which predicted probabilities are compared with measured accuracies."""
OFF_AXIS: Final = "seen from 18 to 35 degrees aside, by an unknown axis"  # a key of dice.json
SIZE, TILT = 3, 7
"""Columns of the labels."""
_TILE_PX: Final = 160
_TILES_PER_ROW: Final = 8


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of one group's samples: all, answered correctly, answered wrongly. Field names are keys of `dice.json`."""

    samples: int
    right: int
    wrong: int

    @property
    def answered(self) -> int:
        return self.right + self.wrong


def score(predictions: SamplePredictions, kind: str, rule: Thresholds) -> Score:
    """Score the unambiguous samples of a kind under its thresholds."""
    expected, answers = predictions.expected(kind), predictions.answers(kind, rule)
    correct = int((expected & answers & predictions.is_right(kind)).sum())
    return Score(int(expected.sum()), correct, int((expected & answers).sum()) - correct)


def scores_by_value(predictions: SamplePredictions, kind: str, rule: Thresholds) -> dict[str, Score]:
    """Score each value of a kind separately."""
    answers, correct = predictions.answers(kind, rule), predictions.is_right(kind)
    scores = {}
    for value in sorted(set(predictions.labels[predictions.expected(kind), 1].tolist())):
        in_group = predictions.expected(kind) & (predictions.labels[:, 1] == value)
        good = int((in_group & answers & correct).sum())
        scores[value_name(kind, value)] = Score(int(in_group.sum()), good, int((in_group & answers).sum()) - good)
    return scores


def value_name(kind: str, value: int) -> str:
    """Return a value's name as printed: 1 to 20, 1 to 6, or a Rugen face.

    >>> value_name("d20", 0), value_name("rugen", 7)
    ('1', '4n')
    """
    return RUGEN_NAMES[value] if kind == "rugen" else str(value + 1)


def score_unanswerable(predictions: SamplePredictions, rules: Mapping[str, Thresholds]) -> dict[str, Score]:
    """Score what must not be answered: other objects, leaning dice, and unmarked 6s and 9s (only by neighboring faces).

    The groups' names are keys of `dice.json`.
    """
    answers = {kind: predictions.answers(kind, rules[kind]) for kind in READ_KINDS}
    answered = np.any(list(answers.values()), axis=0)
    correct = np.any([answers[kind] & predictions.is_right(kind) for kind in READ_KINDS], axis=0)
    groups = {
        "other dice, things, nothing": predictions.labels[:, 0] == KINDS.index("none"),
        "leaning dice": (predictions.labels[:, 0] != KINDS.index("none")) & (predictions.labels[:, 2] == UNREADABLE),
        "6 or 9 without a mark": predictions.labels[:, 2] == SIX_OR_NINE,
    }
    scores = {
        name: Score(int(in_group.sum()), int((in_group & correct).sum()), int((in_group & answered & ~correct).sum()))
        for name, in_group in groups.items()
    }
    return scores | {"dice taken for another kind": _score_wrong_kind(predictions, rules)}


def score_off_axis(predictions: SamplePredictions, rules: Mapping[str, Thresholds]) -> Score:
    """Score off-axis dice that were read without a known axis: none should be answered."""
    answers = {kind: predictions.answers(kind, rules[kind]) for kind in READ_KINDS}
    answered = np.any(list(answers.values()), axis=0)
    correct = np.any([answers[kind] & predictions.is_right(kind) for kind in READ_KINDS], axis=0)
    return Score(len(answered), int((answered & correct).sum()), int((answered & ~correct).sum()))


def reliability(
    predictions: SamplePredictions, kind: str, *, size_px: Span = ALL, tilt_deg: Span = ALL
) -> list[tuple[float, float, int]]:
    """Return predicted probability, measured accuracy and number of dice for each non-empty bin, ascending.

    Args:
        size_px, tilt_deg: count only dice with this size and angle off the vertical; the upper bound is exclusive.
    """
    in_group = predictions.shows(kind) & (predictions.by_head["kind"].argmax(axis=1) == KINDS.index(kind))
    for values, (low, high) in ((predictions.labels[:, SIZE], size_px), (predictions.labels[:, TILT] / 10, tilt_deg)):
        in_group &= (values >= low) & (values < high)
    predicted, correct = predictions.by_head[kind][in_group].max(axis=1), predictions.is_right(kind)[in_group]
    bins = np.digitize(predicted, PROBABILITY_BINS)
    groups = [bins == step for step in range(len(PROBABILITY_BINS) + 1) if (bins == step).any()]
    return [(float(predicted[at].mean()), float(correct[at].mean()), int(at.sum())) for at in groups]


def _score_wrong_kind(predictions: SamplePredictions, rules: Mapping[str, Thresholds]) -> Score:
    samples = wrong = 0
    for kind in READ_KINDS:
        in_group = predictions.expected(kind)
        others = np.any([predictions.answers(other, rules[other]) for other in READ_KINDS if other != kind], axis=0)
        samples, wrong = samples + int(in_group.sum()), wrong + int((in_group & others).sum())
    return Score(samples, 0, wrong)


def wrong_answers(predictions: SamplePredictions, rules: Mapping[str, Thresholds]) -> list[tuple[int, str, str]]:
    """Return (sample index, truth, answer) of every wrong answer."""
    found = []
    for kind in READ_KINDS:
        bad = predictions.answers(kind, rules[kind]) & ~predictions.is_right(kind)
        for index in np.flatnonzero(bad).tolist():
            answer = value_name(kind, int(predictions.by_head[kind][index].argmax()))
            found.append((index, _truth(predictions, index), f"{kind} {answer}"))
    return sorted(found)


def _truth(predictions: SamplePredictions, index: int) -> str:
    kind, value, note = (int(number) for number in predictions.labels[index, :3])
    if KINDS[kind] == "none":
        return "none"
    text = f"{KINDS[kind]} {value_name(KINDS[kind], value)}"
    return text if note == SURE else text + (" leaning" if note == UNREADABLE else " unmarked")


def montage(shards: Sequence[Samples], wrong: Sequence[tuple[int, str, str]]) -> Image:
    """Return one picture of all wrong samples, each with its truth and the answer, uint8 BGR.

    Args:
        wrong: from `wrong_answers`; indices count the samples with a readable tilt.
    """
    images = np.concatenate([each.images[is_readable_tilt(each.labels)] for each in shards]) if wrong else None
    tiles = (
        [_tile(images[index], f"{truth} > {answer}") for index, truth, answer in wrong] if images is not None else []
    )
    empty = np.zeros((_TILE_PX, _TILE_PX, 3), np.uint8)
    rows = [tiles[i : i + _TILES_PER_ROW] for i in range(0, len(tiles), _TILES_PER_ROW)] or [[empty]]
    return np.vstack([np.hstack(row + [empty] * (len(rows[0]) - len(row))) for row in rows])


def _tile(image: Image, text: str) -> Image:
    tile = np.asarray(cv2.resize(image, (_TILE_PX, _TILE_PX), interpolation=cv2.INTER_CUBIC), np.uint8)
    cv2.putText(tile, text, (3, 12), cv2.FONT_HERSHEY_SIMPLEX, 0.38, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(tile, text, (3, 12), cv2.FONT_HERSHEY_SIMPLEX, 0.38, (255, 255, 255), 1, cv2.LINE_AA)
    return tile

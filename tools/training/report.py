"""Tables of what is answered, wrong and not answered, and a picture of every wrong one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.rendering.painter import Image
from tools.training.calibrate import READ, Chances, Rule, may_be_read
from tools.training.samples.chance_dice import RUGEN_NAMES
from tools.training.samples.dataset import Samples
from tools.training.samples.scenes import KINDS, SIX_OR_NINE, SURE, UNREADABLE

Span = tuple[float, float]
ALL: Final[Span] = (0.0, 1e4)
CLAIMED: Final = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.997)
"""Between these, claimed chances are compared with measured ones."""
ASLANT: Final = "seen from 18 to 35 degrees aside, by an unknown axis"
SIZE, TILT = 3, 7
"""Columns of the labels."""
_TILE: Final = 160
_ROW: Final = 8


@dataclass(frozen=True, slots=True)
class Score:
    """How samples of one group fared: all of them, answered rightly, answered wrongly."""

    samples: int
    right: int
    wrong: int

    @property
    def answered(self) -> int:
        return self.right + self.wrong


def score(chances: Chances, kind: str, rule: Rule) -> Score:
    """Score the sure samples of a kind, each answered as whatever the rule makes of it."""
    wanted, answers = chances.wanted(kind), chances.answers(kind, rule)
    right = int((wanted & answers & chances.is_right(kind)).sum())
    return Score(int(wanted.sum()), right, int((wanted & answers).sum()) - right)


def by_value(chances: Chances, kind: str, rule: Rule) -> dict[str, Score]:
    """Score every value of a kind by itself."""
    answers, right = chances.answers(kind, rule), chances.is_right(kind)
    scores = {}
    for value in sorted(set(chances.labels[chances.wanted(kind), 1].tolist())):
        mine = chances.wanted(kind) & (chances.labels[:, 1] == value)
        good = int((mine & answers & right).sum())
        scores[name_of(kind, value)] = Score(int(mine.sum()), good, int((mine & answers).sum()) - good)
    return scores


def name_of(kind: str, value: int) -> str:
    """Return a value's name as printed: 1 to 20, 1 to 6, or a Rugen face.

    >>> name_of("d20", 0), name_of("rugen", 7)
    ('1', '4n')
    """
    return RUGEN_NAMES[value] if kind == "rugen" else str(value + 1)


def never_to_answer(chances: Chances, rules: Mapping[str, Rule]) -> dict[str, Score]:
    """Score what must not be answered, or only by its neighbours: other things, leaning dice, 6 or 9 without a mark."""
    answers = {kind: chances.answers(kind, rules[kind]) for kind in READ}
    answered = np.any(list(answers.values()), axis=0)
    right = np.any([answers[kind] & chances.is_right(kind) for kind in READ], axis=0)
    groups = {
        "other dice, things, nothing": chances.labels[:, 0] == KINDS.index("none"),
        "leaning dice": (chances.labels[:, 0] != KINDS.index("none")) & (chances.labels[:, 2] == UNREADABLE),
        "6 or 9 without a mark": chances.labels[:, 2] == SIX_OR_NINE,
    }
    scores = {
        name: Score(int(mine.sum()), int((mine & right).sum()), int((mine & answered & ~right).sum()))
        for name, mine in groups.items()
    }
    return scores | {"dice taken for another kind": _taken_for_another(chances, rules)}


def answered_aslant(chances: Chances, rules: Mapping[str, Rule]) -> Score:
    """Score dice that were read as if seen from straight above and are not: none should be answered."""
    answers = {kind: chances.answers(kind, rules[kind]) for kind in READ}
    answered = np.any(list(answers.values()), axis=0)
    right = np.any([answers[kind] & chances.is_right(kind) for kind in READ], axis=0)
    return Score(len(answered), int((answered & right).sum()), int((answered & ~right).sum()))


def reliability(
    chances: Chances, kind: str, *, size_px: Span = ALL, tilt_deg: Span = ALL
) -> list[tuple[float, float, int]]:
    """Return claimed and measured chance of a value, and how many dice claim so, from the least sure on.

    Args:
        size_px, tilt_deg: count only dice of this size, seen from so far aside; from the first to below the second.
    """
    mine = chances.shows(kind) & (chances.by_head["kind"].argmax(axis=1) == KINDS.index(kind))
    for values, (low, high) in ((chances.labels[:, SIZE], size_px), (chances.labels[:, TILT] / 10, tilt_deg)):
        mine &= (values >= low) & (values < high)
    claimed, right = chances.by_head[kind][mine].max(axis=1), chances.is_right(kind)[mine]
    there = np.digitize(claimed, CLAIMED)
    groups = [there == step for step in range(len(CLAIMED) + 1) if (there == step).any()]
    return [(float(claimed[at].mean()), float(right[at].mean()), int(at.sum())) for at in groups]


def _taken_for_another(chances: Chances, rules: Mapping[str, Rule]) -> Score:
    samples = wrong = 0
    for kind in READ:
        mine = chances.wanted(kind)
        others = np.any([chances.answers(other, rules[other]) for other in READ if other != kind], axis=0)
        samples, wrong = samples + int(mine.sum()), wrong + int((mine & others).sum())
    return Score(samples, 0, wrong)


def wrong_ones(chances: Chances, rules: Mapping[str, Rule]) -> list[tuple[int, str, str]]:
    """Return (sample, what it shows, what was answered) of every wrong answer."""
    found = []
    for kind in READ:
        bad = chances.answers(kind, rules[kind]) & ~chances.is_right(kind)
        for index in np.flatnonzero(bad).tolist():
            said = name_of(kind, int(chances.by_head[kind][index].argmax()))
            found.append((index, _truth(chances, index), f"{kind} {said}"))
    return sorted(found)


def _truth(chances: Chances, index: int) -> str:
    kind, value, note = (int(number) for number in chances.labels[index, :3])
    if KINDS[kind] == "none":
        return "none"
    text = f"{KINDS[kind]} {name_of(KINDS[kind], value)}"
    return text if note == SURE else text + (" leaning" if note == UNREADABLE else " unmarked")


def montage(shards: Sequence[Samples], wrong: Sequence[tuple[int, str, str]]) -> Image:
    """Return one picture of all wrong samples, each with its truth and the answer, uint8 BGR.

    Args:
        wrong: as `wrong_ones` says, of those that may be read.
    """
    images = np.concatenate([each.images[may_be_read(each.labels)] for each in shards]) if wrong else None
    tiles = [_tile(images[index], f"{truth} > {said}") for index, truth, said in wrong] if images is not None else []
    empty = np.zeros((_TILE, _TILE, 3), np.uint8)
    rows = [tiles[i : i + _ROW] for i in range(0, len(tiles), _ROW)] or [[empty]]
    return np.vstack([np.hstack(row + [empty] * (len(rows[0]) - len(row))) for row in rows])


def _tile(image: Image, text: str) -> Image:
    tile = np.asarray(cv2.resize(image, (_TILE, _TILE), interpolation=cv2.INTER_CUBIC), np.uint8)
    cv2.putText(tile, text, (3, 12), cv2.FONT_HERSHEY_SIMPLEX, 0.38, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(tile, text, (3, 12), cv2.FONT_HERSHEY_SIMPLEX, 0.38, (255, 255, 255), 1, cv2.LINE_AA)
    return tile

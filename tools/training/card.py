"""Writes the model card of the networks that read dice: data, training, thresholds, held-out results and limits."""

from collections.abc import Mapping
from typing import Any, Final

from companion.vision.dice.box_jitter import MIN_AGREEING
from companion.vision.dice.decision_policy import DAY_NIGHT_UNKNOWN_AXIS_P
from companion.vision.dice.faces.classifier import AUGMENTATIONS
from companion.vision.dice.faces.predictions import CERTAIN_P
from tools.training.calibrate import READ_KINDS, WRONG_ALLOWED, SamplePredictions, Thresholds
from tools.training.report import ALL, OFF_AXIS, Score, Span, reliability, score, score_unanswerable, scores_by_value

_HEAD: Final = """# The networks that read dice

Two small networks read one die from above. `dice.onnx` takes a crop of the whole die, 96 x 96 pixels, and outputs
its kind (d20, d6, Rugen die, or no such die), the value of the upper face, the direction and position of the number
on that face, whether the die leans, and an embedding of its appearance. `number.onnx` takes a crop of the number,
64 x 64 pixels, rotated upright accordingly, and outputs the number or "no upright number"; of a d20 it also reads
the three faces beside the upper one, each rotated upright. Both networks and this card were written by
`python -m tools.training dice`.

A Rugen die has twenty faces with the numbers 1 to 4, half of them light (day) and half dark (night); "3n" is a 3 by
night. A die is *enrolled* if pictures of its own faces are stored. The *axis* is the direction of the camera
relative to the table.

## Data
Rendered dice only, no photographs: `companion/rendering` paints them, with random parameters drawn by
`tools/training`. Two more renderers contribute where a training run below says so: the ray caster
`tools/training/rays` and the path tracer `tools/training/traced` (Mitsuba). Fonts are those of the training machine
with plain digits: free ones from Debian's packages and Google's families from npm's, most under the OFL or the GPL
with the font exception; `tools/training/samples/FONTS.md` lists all licences. They are used to draw; none is in the
networks or in the repository. Tables, materials and lights are computed: no photographs, textures or weights of
others. One font family in five, one color scheme in four and the pearl pattern are held out of the training; all
figures below are from dice made of these alone. The thresholds were fitted on one set of held-out dice, the figures
are from another.

## Licence
The weights are part of this project and under its licence; no foreign data went into them.
"""

_LIMITS: Final = """
## Limits
- Dice are read up to 35 degrees off the vertical if the axis is known, otherwise up to about 15: from a low camera, a
  die in the corner of the picture is seen too much from the side. They must be at least 60 pixels large, enrolled ones
  45.
- Trained and measured on renders, not on photographs: expect more doubt and more mistakes on real dice than the tables
  show.
- A 6 or 9 of a d20 without a dot or bar is told apart only by its neighboring faces, on a die with the usual layout of
  numbers (or its mirror image) or on an enrolled one; otherwise it is not answered.
- Symbols instead of numbers (a manufacturer's logo on the 20) are not read; numerals only in the forms of the fonts'
  digits.
- One die per crop; touching dice have to be separated first.
"""

# Row labels of groups whose names in `dice.json` are older.
_LABELS: Final[Mapping[str, str]] = {
    OFF_AXIS: "seen from 18 to 35 degrees off the vertical, axis unknown",
    "other dice, things, nothing": "other dice, other objects, no object",
    "6 or 9 without a mark": "unmarked 6 or 9",
    "dice taken for another kind": "dice answered as another kind",
}


def model_card(card: Mapping[str, Any], predictions: SamplePredictions, rules: Mapping[str, Thresholds]) -> str:
    """Return the card as Markdown."""
    parts = [
        _HEAD,
        _training_and_rule(card),
        "\n## Held-out dice\nDice of at least 60 pixels; smaller ones are not answered unless they are enrolled.\n\n",
        _by_kind(card, predictions, rules),
        _not_to_answer(card, predictions, rules),
    ]
    parts += [f"\n### {kind}, by value\n\n{_value_table(predictions, kind, rules[kind])}" for kind in READ_KINDS]
    return "".join([*parts, _threshold_table(predictions, rules), _calibration_table(predictions), _LIMITS])


def _training_and_rule(card: Mapping[str, Any]) -> str:
    thresholds = "\n".join(
        f"- {kind}: kind probability at least {rule['kind']:.2f}, value probability at least {rule['face']:.4f}"
        for kind, rule in card["thresholds"].items()
    )
    runs = "".join(
        f"\n### {name}.onnx\n\n" + "".join(_run(number, run) for number, run in enumerate(history, start=1))
        for name, history in card["training"].items()
    )
    whole, read = card["trust"]
    return (
        f"\n## Training\nTwo residual networks of about 1.2 and 1.1 million parameters, on one core of a CPU unless a "
        f"run says otherwise, in these training runs. Each started from the weights of the previous one:\n{runs}\n"
        f"## Decision rule\nThe thresholds were fitted with recipe {card['recipe']}. A value's probability is that of "
        f"the whole-die network to the power {whole:g} times that of the number network to the power {read:g}; if a "
        f"d20 is still doubtful, the three faces beside the upper one are read, too. A d20 or Rugen die with a value "
        f"probability below {CERTAIN_P:g}, or a d20 that may be another kind of die, is passed through the networks "
        f"{len(AUGMENTATIONS)} more times, rotated and scaled (test-time augmentation), and the mean counts; the doubt "
        f"of a single pass counts less if the neighboring faces support a value. An answer requires:\n\n{thresholds}\n"
        f"- every kind: probability of leaning at most {card['most_lean']:.3f}\n"
        f"- rugen with an unknown axis: value probability at least {DAY_NIGHT_UNKNOWN_AXIS_P:g}\n"
        "- d20 and rugen below 90 pixels with an unknown axis: half the allowed doubt\n\n"
        f"A doubtful die is read again in slightly shifted and scaled boxes: it is answered if at least "
        f"{MIN_AGREEING} of them give the same value and none another. The tables below do not include that.\n\n"
        f"The thresholds allow {WRONG_ALLOWED:.1%} wrong answers among the answered dice of at least 60 pixels that "
        "they were fitted on.\n"
    )


def _run(number: int, run: Mapping[str, Any]) -> str:
    text = (
        f"{number}. {run['minutes']:g} minutes, {run['seen']:,} crops from {run['dice']:,} rendered dice "
        f"(recipe {run['recipe']}, seed {run['seed']})"
    )
    if run.get("ray-cast dice"):
        text += f" and {run['ray-cast dice']:,} ray-cast dice"
    if run.get("path-traced dice"):
        text += f" and {run['path-traced dice']:,} close crops of path-traced dice"
    if run.get("device", "cpu") != "cpu":
        text += ", on a GPU, alternating between both networks"
    return f"{text}; {run['note']}\n" if "note" in run else f"{text}\n"


_SIZE_BINS_PX: Final = ((40, 60), (60, 90), (90, 160), (160, 401))
_TILT_BINS_DEG: Final = ((0, 12), (12, 24), (24, 36))
_VALUE_THRESHOLDS: Final = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)


def _row(name: str, each: Score) -> str:
    share = f"{each.answered / each.samples:.1%}" if each.samples else "-"
    wrong = f"{each.wrong / each.answered:.2%}" if each.answered else "-"
    return f"| {name} | {each.samples} | {each.answered} | {share} | {each.wrong} | {wrong} |\n"


_HEADER: Final = (
    "| dice | samples | answered | share | wrong | share of answers |\n| --- | --- | --- | --- | --- | --- |\n"
)


def _by_kind(card: Mapping[str, Any], predictions: SamplePredictions, rules: Mapping[str, Thresholds]) -> str:
    large = _of_size(predictions, 90, 1000)
    rows = [_row(kind, score(predictions, kind, rules[kind])) for kind in READ_KINDS]
    rows += [_row("d20, enrolled, one picture", Score(**card["held_out"]["d20, enrolled"]))]
    rows += [_row(f"{kind}, 90 pixels and larger", score(large, kind, rules[kind])) for kind in READ_KINDS]
    rows += [
        _row(f"d20, {low} to {high} pixels", score(_of_size(predictions, low, high), "d20", rules["d20"]))
        for low, high in _SIZE_BINS_PX[1:]
    ]
    return _HEADER + "".join(rows)


def _of_size(predictions: SamplePredictions, least_px: int, below_px: int) -> SamplePredictions:
    mask = (predictions.labels[:, 3] >= least_px) & (predictions.labels[:, 3] < below_px)
    return SamplePredictions({name: part[mask] for name, part in predictions.by_head.items()}, predictions.labels[mask])


def _threshold_table(predictions: SamplePredictions, rules: Mapping[str, Thresholds]) -> str:
    """The table of answered and wrong dice by value threshold."""
    large = _of_size(predictions, 90, 1000)
    rows = [
        _row(
            f"{kind}, value probability at least {face}",
            score(large, kind, Thresholds(face, rules[kind].kind, rules[kind].lean)),
        )
        for kind in READ_KINDS
        for face in _VALUE_THRESHOLDS
    ]
    return "\n## Other thresholds, for dice of at least 90 pixels\n\n" + _HEADER + "".join(rows)


def _calibration_table(predictions: SamplePredictions) -> str:
    """The table of predicted against measured probabilities, by size and by tilt."""
    groups: list[tuple[str, Span, Span]] = [(f"{low} to {high} px", (low, high), ALL) for low, high in _SIZE_BINS_PX]
    groups += [(f"{low} to {high} degrees off the vertical", ALL, (low, high)) for low, high in _TILT_BINS_DEG]
    rows = "".join(
        f"| {kind}, {name} | {predicted:.1%} | {measured:.1%} | {count} |\n"
        for kind in READ_KINDS
        for name, size_px, tilt_deg in groups
        for predicted, measured, count in reliability(predictions, kind, size_px=size_px, tilt_deg=tilt_deg)
    )
    title = "| dice | predicted | measured | samples |\n| --- | --- | --- | --- |\n"
    return f"\n## Calibration: predicted and measured probability, without thresholds\n\n{title}{rows}"


def _not_to_answer(card: Mapping[str, Any], predictions: SamplePredictions, rules: Mapping[str, Thresholds]) -> str:
    rows = "".join(
        f"| {_LABELS.get(name, name)} | {each.samples} | {each.answered} | {each.wrong} |\n"
        for name, each in score_unanswerable(predictions, rules).items()
    )
    title = "| group | samples | answered | wrong |\n| --- | --- | --- | --- |\n"
    off_axis = Score(**card["held_out"][OFF_AXIS]) if OFF_AXIS in card["held_out"] else None
    rows += (
        f"| {_LABELS[OFF_AXIS]} | {off_axis.samples} | {off_axis.answered} | {off_axis.wrong} |\n" if off_axis else ""
    )
    return f"\nNot to be answered, except a 6 or 9 that the neighboring faces tell apart:\n\n{title}{rows}"


def _value_table(predictions: SamplePredictions, kind: str, rule: Thresholds) -> str:
    return _HEADER + "".join(_row(name, each) for name, each in scores_by_value(predictions, kind, rule).items())

"""The model card: where the network comes from, what it reached on dice it never saw, and what it cannot do."""

from collections.abc import Mapping
from typing import Any, Final

from companion.vision.dice.box_jitter import LEAST_AGREEING
from companion.vision.dice.decision_policy import DAY_NIGHT_UNKNOWN_AXIS_P
from companion.vision.dice.faces.classifier import AUGMENTATIONS
from companion.vision.dice.faces.predictions import CERTAIN_P
from tools.training.calibrate import READ, WRONG_ALLOWED, Chances, Rule
from tools.training.report import ALL, ASLANT, Score, Span, by_value, never_to_answer, reliability, score

_HEAD: Final = """# The networks that read dice

Two small networks read one die from above. `dice.onnx` looks at the whole die in 96 x 96 pixels: which kind (d20, d6,
Rugen die, or another thing), which value seems to be up, which way the upper face's number stands and where, whether
the die leans, and a fingerprint of its looks. `number.onnx` reads that number out of 64 x 64 pixels that were set
upright accordingly, or says that none stands there; of a d20 it reads the three faces beside it as well, each set
upright. Written by `python -m tools.training dice`; this page too.

## Data
Rendered dice only, no photographs: `companion/rendering` draws them, `tools/training` chooses them by chance. Two more
painters take part where a go below says so: `tools/training/rays` casts rays, `tools/training/traced` has Mitsuba trace
paths.
Fonts are those of the training machine whose digits are plain enough, free ones from Debian's packages and Google's
families from npm's, most under the OFL or the GPL with the font exception: `tools/training/samples/FONTS.md` has all
licences. They are used to draw; none is in the network or in the repository. Tables, materials and lights are
computed: no photographs, textures or weights of others. One font family in five, one colour scheme in four and the
pearl pattern were never trained on; all figures below are from dice made of these alone. The thresholds were fitted on
one set of held-out dice, the figures come from another.

## Licence
The weights are part of this project and under its licence; no foreign data went into them.
"""

_LIMITS: Final = """
## Limits
- Up to 35 degrees off the vertical where the camera's axis is known, else up to about 15: then a die in the picture's
  corner under a low camera is seen too much from the side. From 60 pixels on, 45 if enrolled.
- Rendered is not photographed: expect more doubt and more mistakes on real dice than the tables say.
- A 6 or 9 of a d20 without dot or bar is told apart only by its neighbours, on a die numbered as usual (or its mirror
  image) or on one that was enrolled; else the reader abstains.
- Symbols instead of numbers (a maker's sign on the 20) are not read. Numerals only in the forms of the fonts' digits.
- One die to a crop; touching dice are to be cut apart first.
"""


def model_card(card: Mapping[str, Any], chances: Chances, rules: Mapping[str, Rule]) -> str:
    """Return the card as Markdown."""
    parts = [
        _HEAD,
        _how(card),
        "\n## Held-out dice\nFrom 60 pixels on: smaller ones get no answer unless they are enrolled.\n\n",
        _kinds(card, chances, rules),
        "\n",
        _never(card, chances, rules),
    ]
    parts += [f"\n### {kind}, value by value\n\n{_values(chances, kind, rules[kind])}" for kind in READ]
    return "".join([*parts, _curve(chances, rules), _reliable(chances), _LIMITS])


def _how(card: Mapping[str, Any]) -> str:
    lines = "\n".join(
        f"- {kind}: the kind likelier than {rule['kind']:.2f} and the value likelier than {rule['face']:.4f}"
        for kind, rule in card["thresholds"].items()
    )
    goes = "".join(
        f"\n### {name}.onnx\n\n" + "".join(_go(number, go) for number, go in enumerate(history, start=1))
        for name, history in card["training"].items()
    )
    whole, read = card["trust"]
    return (
        f"\n## Training\nTwo residual networks of about 1.2 and 1.1 million numbers, on one core of a CPU unless a "
        f"go says otherwise, in these goes; each took up the weights of the one before:\n{goes}\n"
        f"The thresholds were fitted with recipe {card['recipe']}. A value's chance is the whole die's to the power "
        f"{whole:g} times the upright number's to the power {read:g}; where that leaves a doubt about a d20, the three "
        f"faces beside the upper one are asked. A d20 or Rugen die whose value then is less likely than "
        f"{CERTAIN_P:g}, or a d20 that may be another die, is looked at {len(AUGMENTATIONS)} times more, turned and of "
        f"other sizes, and the mean counts; what single looks doubt counts less where the neighbours speak for a "
        f"value. An answer needs:\n\n{lines}\n"
        f"- any: that it leans not likelier than {card['most_lean']:.3f}\n"
        f"- rugen, where the camera's axis is not known: the value likelier than {DAY_NIGHT_UNKNOWN_AXIS_P:g}\n"
        "- d20, rugen: below 90 pixels and where the camera's axis is not known half of that doubt\n\n"
        f"A die that is doubtful in its box is looked at in others: {LEAST_AGREEING} that are answered alike, and none "
        "otherwise, are an answer, too; the tables below are made without that.\n\n"
        f"Of the dice from 60 pixels on that they were fitted on {WRONG_ALLOWED:.1%} of the answers may be wrong.\n"
    )


def _go(number: int, go: Mapping[str, Any]) -> str:
    text = (
        f"{number}. {go['minutes']:g} minutes, {go['seen']:,} crops from {go['dice']:,} rendered dice "
        f"(recipe {go['recipe']}, seed {go['seed']})"
    )
    if go.get("ray-cast dice"):
        text += f", and {go['ray-cast dice']:,} that were cast by rays"
    if go.get("path-traced dice"):
        text += f", and {go['path-traced dice']:,} close crops of path-traced ones"
    if go.get("device", "cpu") != "cpu":
        text += ", on a GPU, both networks in turn"
    return f"{text}; {go['note']}\n" if "note" in go else f"{text}\n"


_SIZES: Final = ((40, 60), (60, 90), (90, 160), (160, 401))
_TILTS: Final = ((0, 12), (12, 24), (24, 36))
_STEPS: Final = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)


def _row(name: str, each: Score) -> str:
    share = f"{each.answered / each.samples:.1%}" if each.samples else "-"
    wrong = f"{each.wrong / each.answered:.2%}" if each.answered else "-"
    return f"| {name} | {each.samples} | {each.answered} | {share} | {each.wrong} | {wrong} |\n"


_TITLE: Final = (
    "| dice | samples | answered | share | wrong | of the answered |\n| --- | --- | --- | --- | --- | --- |\n"
)


def _kinds(card: Mapping[str, Any], chances: Chances, rules: Mapping[str, Rule]) -> str:
    large = _of_size(chances, 90, 1000)
    rows = [_row(kind, score(chances, kind, rules[kind])) for kind in READ]
    rows += [_row("d20, enrolled, one picture", Score(**card["held_out"]["d20, enrolled"]))]
    rows += [_row(f"{kind}, 90 pixels and more", score(large, kind, rules[kind])) for kind in READ]
    rows += [
        _row(f"d20, {low} to {high} pixels", score(_of_size(chances, low, high), "d20", rules["d20"]))
        for low, high in _SIZES[1:]
    ]
    return _TITLE + "".join(rows)


def _of_size(chances: Chances, least_px: int, below_px: int) -> Chances:
    mine = (chances.labels[:, 3] >= least_px) & (chances.labels[:, 3] < below_px)
    return Chances({name: part[mine] for name, part in chances.by_head.items()}, chances.labels[mine])


def _curve(chances: Chances, rules: Mapping[str, Rule]) -> str:
    """How many answers each threshold of the value leaves, and how many of them are wrong."""
    large = _of_size(chances, 90, 1000)
    rows = [
        _row(f"{kind}, value likelier than {face}", score(large, kind, Rule(face, rules[kind].kind, rules[kind].lean)))
        for kind in READ
        for face in _STEPS
    ]
    return "\n## What other thresholds would give, from 90 pixels on\n" + _TITLE + "".join(rows)


def _reliable(chances: Chances) -> str:
    """What is claimed against what is so, by size and by tilt."""
    groups: list[tuple[str, Span, Span]] = [(f"{low} to {high} px", (low, high), ALL) for low, high in _SIZES]
    groups += [(f"seen from {low} to {high} degrees aside", ALL, (low, high)) for low, high in _TILTS]
    rows = "".join(
        f"| {kind}, {name} | {claimed:.1%} | {right:.1%} | {count} |\n"
        for kind in READ
        for name, size_px, tilt_deg in groups
        for claimed, right, count in reliability(chances, kind, size_px=size_px, tilt_deg=tilt_deg)
    )
    title = "| dice | claimed chance | right | samples |\n| --- | --- | --- | --- |\n"
    return f"\n## Claimed and measured chance, whatever the rule says\n{title}{rows}"


def _never(card: Mapping[str, Any], chances: Chances, rules: Mapping[str, Rule]) -> str:
    rows = "".join(
        f"| {name} | {each.samples} | {each.answered} | {each.wrong} |\n"
        for name, each in never_to_answer(chances, rules).items()
    )
    title = "| what | samples | answered | wrong |\n| --- | --- | --- | --- |\n"
    aslant = Score(**card["held_out"][ASLANT]) if ASLANT in card["held_out"] else None
    rows += f"| {ASLANT} | {aslant.samples} | {aslant.answered} | {aslant.wrong} |\n" if aslant else ""
    return f"\nNot to be answered, but for a 6 or 9 whose neighbours tell it:\n\n{title}{rows}"


def _values(chances: Chances, kind: str, rule: Rule) -> str:
    return _TITLE + "".join(_row(name, each) for name, each in by_value(chances, kind, rule).items())

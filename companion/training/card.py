"""The model card: where the network comes from, what it reached on dice it never saw, and what it cannot do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from companion.training.calibrate import READ, WRONG_ALLOWED, Chances, Rule
from companion.training.report import Score, by_value, never_to_answer, score

_HEAD: Final = """# The network that reads dice

Reads one die from above out of a 96 x 96 pixel crop: which kind (d20, d6, Rugen die, or another thing), which value
is up, and a fingerprint of its looks. Written by `companion train dice`; this page too.

## Data
Rendered dice only, no photographs: `companion/rendering` draws them, `companion/training` chooses them by chance.
Fonts are those of the training machine whose digits are plain enough; they are used to draw, none is in the network
or in the repository. One font family in five, one colour scheme in four and the pearl pattern were never trained on;
all figures below are from dice made of these alone. The thresholds were fitted on one set of held-out dice, the
figures come from another.

## Licence
The weights are part of this project and under its licence; no foreign data went into them.
"""

_LIMITS: Final = """
## Limits
- Straight from above, up to about 15 degrees off; a die in the picture's corner under a low camera is seen too much
  from the side. From 40 pixels on, but well only from 90.
- Rendered is not photographed: expect more doubt and more mistakes on real dice than the tables say.
- A 6 or 9 of a d20 without dot or bar is not told apart; the reader abstains or asks the neighbours.
- Symbols instead of numbers (a maker's sign on the 20) are not read. Numerals only in the forms of the fonts' digits.
- One die to a crop; touching dice are to be cut apart first.
"""


def model_card(card: Mapping[str, Any], chances: Chances, rules: Mapping[str, Rule]) -> str:
    """Return the card as Markdown."""
    parts = [_HEAD, _how(card), "\n## Held-out dice\n", _kinds(chances, rules), "\n", _never(chances, rules)]
    parts += [f"\n### {kind}, value by value\n\n{_values(chances, kind, rules[kind])}" for kind in READ]
    return "".join([*parts, _LIMITS])


def _how(card: Mapping[str, Any]) -> str:
    lines = "\n".join(
        f"- {kind}: the kind likelier than {rule['kind']:.2f} and the value likelier than {rule['face']:.4f}"
        for kind, rule in card["thresholds"].items()
    )
    return (
        f"\n## Training\nRecipe {card['recipe']}, seed {card['seed']}, {card['samples']} rendered dice, "
        f"{card['minutes']:g} minutes of one or two CPU cores. A residual network of about 0.35 million numbers.\n\n"
        f"An answer needs, on the mean of copies turned by {card['turns_deg']} degrees:\n{lines}\n"
        f"\nThe thresholds allow {WRONG_ALLOWED:.1%} wrong among the answered on held-out dice.\n"
    )


def _row(name: str, each: Score) -> str:
    share = f"{each.answered / each.samples:.1%}" if each.samples else "-"
    wrong = f"{each.wrong / each.answered:.2%}" if each.answered else "-"
    return f"| {name} | {each.samples} | {each.answered} | {share} | {each.wrong} | {wrong} |\n"


_TITLE: Final = (
    "| dice | samples | answered | share | wrong | of the answered |\n| --- | --- | --- | --- | --- | --- |\n"
)


def _kinds(chances: Chances, rules: Mapping[str, Rule]) -> str:
    every = "".join(_row(kind, score(chances, kind, rules[kind])) for kind in READ)
    large = Chances(
        {name: part[chances.labels[:, 3] >= 90] for name, part in chances.by_head.items()},
        chances.labels[chances.labels[:, 3] >= 90],
    )
    return (
        _TITLE + every + "".join(_row(f"{kind}, 90 pixels and more", score(large, kind, rules[kind])) for kind in READ)
    )


def _never(chances: Chances, rules: Mapping[str, Rule]) -> str:
    rows = "".join(
        f"| {name} | {each.samples} | {each.wrong} |\n" for name, each in never_to_answer(chances, rules).items()
    )
    return "\nNot to be answered:\n\n| what | samples | answered |\n| --- | --- | --- |\n" + rows


def _values(chances: Chances, kind: str, rule: Rule) -> str:
    return _TITLE + "".join(_row(name, each) for name, each in by_value(chances, kind, rule).items())

"""Questions to the dealer, asked when the companion is unsure or something on the table is wrong.

A question says what was seen and offers solutions; one press answers it. Questions are not part of the game's
state: an answer gives an ordinary command, or none.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Final, Literal, NotRequired, get_args

from typing_extensions import TypedDict

from companion.kernel.commands import Record
from companion.kernel.messages import Words

Intention = Literal["play", "deal"]
"""A declaration, by button or tap, that the next card is played or dealt, before the card has come to rest."""
INTENTIONS: Final[tuple[Intention, ...]] = get_args(Intention)
"""The same as verbs of commands."""


class ChoiceJson(TypedDict):
    """One answer, for a button."""

    id: str
    label: Words
    mark: str
    "Digest of the choice's effect: an answer that carries it is refused once the effect has changed."


class LinkJson(TypedDict):
    """A page where the cause of a question can be fixed."""

    href: str
    label: Words


class QuestionJson(TypedDict):
    """A question to the dealer."""

    id: str
    kind: str
    text: Words
    choices: list[ChoiceJson]
    card: str | None
    blocks: bool
    "Whether cards read by the camera wait for the answer."
    link: NotRequired[LinkJson]


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer: its button label, and the command it gives, if any."""

    id: str
    label: str
    command: Record | None = None

    @property
    def mark(self) -> str:
        """Digest of the label and the command. Evidence is left out: it does not change the effect."""
        command = {name: value for name, value in (self.command or {}).items() if name != "evidence"}
        return hashlib.sha256(json.dumps([self.label, command], sort_keys=True).encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the dealer.

    Attributes:
        id: the same as long as the same thing is asked.
        kind: one word: ``early``, ``duplicate``, ``forged``, ``foreign``, ``vanished``, ``unsure``, ``gather`` …
        blocks: whether cards read by the camera wait for the answer.
        link: the page where the cause can be fixed.
    """

    id: str
    kind: str
    text: str
    choices: tuple[Choice, ...]
    card: str | None = None
    blocks: bool = False
    link: LinkJson | None = None

    def to_json(self) -> QuestionJson:
        """Return the question for a page: its text and its choices, without their commands."""
        choices: list[ChoiceJson] = [{"id": c.id, "label": c.label, "mark": c.mark} for c in self.choices]
        asked: QuestionJson = {"id": self.id, "kind": self.kind, "text": self.text, "choices": choices,
                               "card": self.card, "blocks": self.blocks}  # fmt: skip
        if self.link is not None:
            asked["link"] = self.link
        return asked

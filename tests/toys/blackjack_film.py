"""Tracked cards on a blackjack mat, without pixels, and a table that plays the interpreter's commands.

Rounds are played from a script: each command is acted out with cards as a dealer would, and only the interpreter infers
the command.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from blackjack_table import dealers, spot
from cards_on_mat import lying, quad

from companion.games.blackjack.camera.interpreter import BlackjackInterpreter
from companion.games.blackjack.mats.zones import MAT
from companion.kernel.errors import TableError
from companion.kernel.table import Table
from companion.objects.chips import CHIPS
from companion.plugins.perception import CardSettings
from companion.testing import new_table
from companion.tracking.cards.observations import LyingCard, TrackedTable
from companion.tracking.cards.zones import place_of
from companion.tracking.chips import TrackedChip

STEP_S = 0.5


@dataclass
class Film:
    """A table, the cards on its mat, and the interpreter."""

    names: tuple[str, ...] = ("Ann", "Bo", "Cy")
    options: dict[str, Any] = field(default_factory=dict)
    settings: CardSettings = field(default_factory=CardSettings)

    def __post_init__(self) -> None:
        self.table: Table = new_table("blackjack", [(name, 5000) for name in self.names], self.options)
        self.eyes = BlackjackInterpreter(self.settings)
        self.cards: dict[int, LyingCard] = {}
        self.chips: dict[int, TrackedChip] = {}
        self.t, self.count = 0.0, 0
        self.played: list[dict[str, Any]] = []
        self.stuck: list[str] = []
        self.notes: list[str] = []
        self.wait()

    def lay(
        self, card: str | None, at: tuple[float, float], turn: float = 0.0, *, wait: bool = True, **more: Any
    ) -> int:
        """Lay a card (None: face down); return its track."""
        self.count += 1
        more.setdefault("t", self.t)
        laid = lying(self.count, card, at, turn, **more)
        self.cards[self.count] = replace(laid, first_seen=self.t, **_zone(laid.on_mat))
        if wait:
            self.wait()
        return self.count

    def move(self, track: int, at: tuple[float, float], turn: float = 0.0) -> None:
        here = quad(at, turn)
        moved = replace(self.cards[track], corners=here, outline=here, on_mat=here, moved=self.t, **_zone(here))
        self.cards[track] = moved
        self.wait()

    def take(self, *tracks: int) -> None:
        for track in tracks:
            del self.cards[track]
        self.wait()

    def change(self, track: int, **more: Any) -> None:
        self.cards[track] = replace(self.cards[track], **more)
        self.wait()

    def chip(self, name: str, at: tuple[float, float], *, over: int | None = None, wait: int = 3) -> int:
        """Lay a chip, optionally on another one; return its number."""
        self.count += 1
        laid = self.chips[self.count] = TrackedChip(self.count, CHIPS[name], at, quad(at), self.t - 2, self.t, times=9)
        if over is not None:
            self.chips[over].cover, self.chips[over].is_seen = laid, False
        self.wait(wait)
        return self.count

    def take_chip(self, number: int) -> None:
        del self.chips[number]
        self.wait()

    def clear(self) -> None:
        """Take all cards off the mat and wait: cards that reappear at once would count as the last round's."""
        self.cards.clear()
        self.wait(11)

    def wait(self, steps: int = 3) -> None:
        for _ in range(steps):
            self.t += STEP_S
            self.follow()

    def follow(self) -> None:
        for _ in range(20):
            now = self.table.situation()
            proposal = self.eyes.interpret(self.tracked, now, {})
            self.notes += [note.text for note in proposal.notes]
            if proposal.command is None:
                return
            try:
                self.table.do(proposal.command)
            except TableError:
                self.eyes.refused(proposal, self.t)
                return
            self.played.append(dict(proposal.command))
            self.eyes.played(proposal, now)
        raise AssertionError("it plays without end")

    @property
    def tracked(self) -> TrackedTable:
        cards = sorted(self.cards.values(), key=lambda card: (card.rest_since, card.track))
        return TrackedTable(self.t, tuple(cards), chips=tuple(self.chips.values()), mat=MAT.name, step_s=STEP_S)

    # ---- questions

    @property
    def questions(self):
        return self.eyes.interpret(self.tracked, self.table.situation(), {}).questions

    def kinds(self) -> list[str]:
        return sorted(question.kind for question in self.questions)

    def text(self) -> str:
        (question,) = self.questions
        return str(question.text)

    def answer(self, choice: str) -> None:
        (question,) = (one for one in self.questions if any(each.id == choice for each in one.choices))
        chosen = next(one for one in question.choices if one.id == choice)
        if chosen.command is not None:
            self.table.do(chosen.command)
        self.eyes.answered(question, chosen)
        self.wait()

    def do(self, do: str, **record: Any) -> None:
        self.table.do({"do": do, **record})
        self.wait()

    @property
    def state(self):
        return self.table.situation().state

    def coins(self) -> dict[str, int]:
        return {name: self.table.position.ledger.balance(name) for name in self.names}

    # ---- start of a round

    def deal(self, hands: dict[str, tuple[str, str]], up: str, *, bet: int = 100) -> None:
        """Bet for all players named, and deal."""
        seats = {name: self.names.index(name) + 1 for name in hands}
        for name in hands:
            self.do("bet", player=name, amount=bet)
        for number in (0, 1):
            for name, cards in hands.items():
                self.lay(cards[number], spot(seats[name], 0, number))
            if number == 0:
                self.lay(up, dealers(0))
        self.hole = self.lay(None, dealers(1))

    def turn(self, card: str) -> None:
        """Turn the hole card."""
        at = dealers(1)
        if self.hole in self.cards:
            self.take(self.hole)
        self.lay(card, at)


def _zone(on_mat) -> dict[str, Any]:
    place = place_of(on_mat, MAT.zones)
    return {"zone": place.zone, "astride": place.astride}

"""A simulated Rochi table: tracked cards, tokens and arms at ten frames a second, with the real rules behind it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from companion.games.rochi.camera.game_model import Game
from companion.games.rochi.camera.interpreter import RochiInterpreter
from companion.kernel.errors import TableError
from companion.kernel.situation import Situation
from companion.kernel.table import Header, Table
from companion.objects.cards import LEADER_BUTTON, SUIT_NAMES
from companion.service.questions import Question
from companion.testing import MATS, new_header
from companion.tracking.cards.observations import Arriving, LyingCard, LyingToken, MotionLog, Movement, TrackedTable

NAMES = ("Aubrey", "Benedict", "Celia", "Dorian", "Estelle", "Florian")
ZONES = MATS["rochi"].zones
STEP_S = 0.1
NOWHERE = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


def middle(zone: str) -> tuple[float, float]:
    box = ZONES[zone]
    return box.x + box.width / 2, box.y + box.height / 2


def card(id_: str | None, zone: str | None = None, *, track: int = 1, t: float = 0.0, **more: Any) -> LyingCard:
    """A card that came to rest at ``t``."""
    facts: dict[str, Any] = {"deck": "K7QX", "status": "ok", "outline": None, "first_seen": t - 0.5, "rest_since": t,
                             "settled": t + 0.2, "moved": t + 0.2, "votes": 9}  # fmt: skip
    facts |= more
    return LyingCard(
        track, id_, facts.pop("deck"), facts.pop("status"), NOWHERE, facts.pop("outline"), **facts, zone=zone
    )


def token(id_: str, zone: str | None, *, t: float = 0.0, **more: Any) -> LyingToken:
    return LyingToken(100 + ord(id_[1]), id_, NOWHERE, t, t, t, zone=zone, **more)


@dataclass
class Hands:
    """Simulated people laying cards and moving tokens, as seen by the camera, with the interpreter and the rules."""

    header: Header
    interpreter: RochiInterpreter = field(default_factory=RochiInterpreter)
    has_mat: bool = True
    t: float = 10.0
    cards: dict[int, LyingCard] = field(default_factory=dict)
    tokens: dict[str, LyingToken] = field(default_factory=dict)
    lost: dict[str, LyingToken] = field(default_factory=dict)
    arriving: tuple[Arriving, ...] = ()
    movements: list[Movement] = field(default_factory=list)
    questions: tuple[Question, ...] = ()
    said: list[dict[str, Any]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    waits_for: Any = None

    def __post_init__(self) -> None:
        self.table = Table(self.header)
        self._view: dict[str, Any] | None = None
        self._now: Situation | None = None
        for rank in SUIT_NAMES:
            self.tokens[f"T{rank}"] = token(f"T{rank}", self._zone(f"pot/{rank}"))
        leader = self.view.get("leader")
        if leader is not None:
            self.tokens[LEADER_BUTTON] = token(LEADER_BUTTON, self._zone(f"seat/{self.seat(leader)}"))
        self._tracks = 0
        self.run(1.0)

    # ---- what is seen

    def _zone(self, zone: str | None) -> str | None:
        return zone if self.has_mat else None

    def tracked(self) -> TrackedTable:
        last = self.movements[-1].t if self.movements else float("-inf")
        log = tuple(s for s in self.movements if self.t - s.t <= 10.0) if self.has_mat else ()
        lying = sorted(self.cards.values(), key=lambda c: c.settled)
        return TrackedTable(
            self.t, tuple(c for c in lying if c.settled <= self.t), self.arriving, tuple(self.tokens.values()),
            tuple(self.lost.values()), mat="rochi" if self.has_mat else None, motion=MotionLog(log, last),
        )  # fmt: skip

    def run(self, seconds: float) -> None:
        """Let time pass, at ten frames a second."""
        ends = self.t + seconds
        while self.t < ends - 1e-9:
            self.t += STEP_S
            self.look()

    def look(self) -> None:
        for _ in range(20):
            now = self.now
            proposal = self.interpreter.interpret(self.tracked(), now, {})
            self.questions = proposal.questions
            if proposal.command is None:
                return
            try:
                self.tell(proposal.command)
            except TableError as error:
                self.refused.append(error.code)
                self.interpreter.refused(proposal, self.t)
                return
            self.said.append(dict(proposal.command))
            self.interpreter.played(proposal, now)
        raise AssertionError("the interpreter never comes to an end")

    # ---- actions of people

    def reach(self, seat: int, *zones: str, seconds: float = 0.4) -> None:
        """Move a hand of this seat over the zones, one after the other."""
        for zone in zones:
            ends = self.t + seconds
            while self.t < ends - 1e-9:
                self.t += STEP_S
                self.movements.append(Movement(self.t, seat, ((zone, 0.4),), middle(zone)))
                self.look()

    def lay(self, id_: str | None, zone: str | None, *, by: int | None = None, wait: float = 1.0, **more: Any) -> int:
        """Lay a card; return its track. ``by``: the seat of the arm seen; None: no arm is seen."""
        if by is not None and zone is not None:
            self.reach(by, zone)
        self._tracks += 1
        track = self._tracks
        self.cards[track] = card(id_, self._zone(zone), track=track, t=self.t, **more)
        if by is not None and zone is not None:
            self.reach(by, f"seat/{by}", seconds=0.2)
        self.run(wait)
        return track

    def deal(self, id_: str, *, by: int, to: str | None = None, **more: Any) -> int:
        """Take the top card of the deck and lay it."""
        self.reach(by, "deck", seconds=0.4)
        return self.lay(id_, to or f"stack/{id_[0]}", by=by, **more)

    def play(self, id_: str, *, by: int, to: str | None = None, token: bool = True, **more: Any) -> int:
        """Play a card from the hand, and take its token."""
        self.reach(by, f"seat/{by}", seconds=0.4)
        track = self.lay(id_, to or f"stack/{id_[0]}", by=by, **more)
        if token:
            self.give(f"T{id_[0]}", f"seat/{by}", by=by)
        return track

    def give(self, id_: str, zone: str, *, by: int = 1, wait: float = 0.6) -> None:
        """Move a token to a zone."""
        self.reach(by, zone, seconds=0.3)
        self.tokens[id_] = replace(
            self.tokens[id_], zone=self._zone(zone), rest_since=self.t, moved=self.t, way=4.0, where="open"
        )
        self.run(wait)

    def take(self, *tracks: int, wait: float = 2.0) -> None:
        """Remove cards from the table."""
        for track in tracks:
            del self.cards[track]
        self.run(wait)

    def push(self, track: int, zone: str | None, *, astride: tuple[str, ...] = (), wait: float = 4.0) -> None:
        """Push a card elsewhere."""
        self.cards[track] = replace(self.cards[track], zone=zone, astride=astride, moved=self.t)
        self.run(wait)

    def seed(self, *cards: str, by: int | None = None) -> None:
        """Have the leader seed the stacks, and wait."""
        seat = by or self.seat(self.view["leader"]) if by or self.view.get("leader") else 1
        for id_ in cards:
            self.deal(id_, by=seat, wait=0.6)
        self.run(7.0)

    # ---- commands, questions and state

    def do(self, verb: str, **more: Any) -> None:
        """Press a button."""
        self.tell({"do": verb, **more})
        self.run(0.3)

    def answer(self, kind: str, choice: str) -> None:
        """Answer a question as the dealer, once."""
        question = self.ask(kind)
        chosen = next(c for c in question.choices if c.id == choice)
        if chosen.command is not None:
            self.tell(chosen.command)
        self.interpreter.answered(question, chosen)
        self.run(0.3)

    def ask(self, kind: str) -> Question:
        return next(q for q in self.questions if q.kind == kind)

    @property
    def view(self) -> dict[str, Any]:
        """The table's view, cached until the next command."""
        if self._view is None:
            self._view = self.table.view()
        return self._view

    @property
    def now(self) -> Situation:
        """The situation given to the interpreter, cached until the next command."""
        if self._now is None:
            self._now = self.table.situation()
        return self._now

    def tell(self, record: Mapping[str, Any]) -> None:
        """Apply a command to the table."""
        self._view = self._now = None
        self.table.do(dict(record))

    @property
    def game(self) -> Game:
        return Game.of(self.now)

    @property
    def kinds(self) -> list[str]:
        return [q.kind for q in self.questions]

    @property
    def coins(self) -> dict[str, int]:
        return {p["name"]: p["coins"] for p in self.view["players"]}

    @property
    def did(self) -> list[str]:
        """The camera's commands: verbs and cards."""
        return [" ".join((r["do"], r.get("card", ""))).strip() for r in self.said]

    def seat(self, name: str) -> int:
        return int(next(p["seat"] for p in self.view["players"] if p["name"] == name))


def rochi(players: int = 4, *, coins: int = 100, has_mat: bool = True, **options: Any) -> Hands:
    game = "captains" if players == 2 else "rochi"
    return Hands(new_header(game, tuple((name, coins) for name in NAMES[:players]), options), has_mat=has_mat)

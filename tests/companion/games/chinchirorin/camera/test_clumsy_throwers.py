"""With clumsy hands at the bowl, coins are paid for the true throw or the last entry, or the dealer is asked."""

from math import dist
from random import Random
from typing import Any

import pytest
from chinchirorin_referee import Referee
from drawn_bowl import EMPTY, STEP_S, FakeTable, Lying

from companion.games.chinchirorin.camera.watch import BowlWatch
from companion.games.chinchirorin.plugin import CHINCHIRORIN
from companion.kernel.table import Header, Table
from companion.plugins.perception import WatchPerception
from companion.service.questions import Choice, Question
from companion.tracking.watched import WatchSight
from companion.vision.frame import Frame

NAMES = ("Ann", "Bo", "Cy")
COINS = 300
SPOTS = [(x, y) for x in range(110, 300, 15) for y in range(110, 300, 15) if dist((x, y), (200, 200)) < 105]
OUT = {"do": "throw", "out": True}
PATIENCE_S = 4.5
"""Time the dealer waits for the camera, which asks about fewer than three dice after three seconds."""


class Evening:
    """A bowl, clumsy hands, and a dealer who answers truthfully; the referee gets the true throws.

    Attributes:
        pending: a throw that the table waited for and that does not count yet.
        counted: true dice of the counted throws.
        wrong: the wrong entry for the latest throw, and the true dice; the dealer may still be told.
        must_tell: whether the camera must be able to notice that.
        is_plain: whether nothing but waiting has happened since the throw.
        is_tampered: whether dice in the bowl no longer show the throw.
    """

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.is_asked = self.rng.random() < 0.5
        self.bowl = FakeTable()
        players = [(name, COINS) for name in NAMES]
        self.table = Table(Header(CHINCHIRORIN.rules, tuple(players), {"banker": 1}))
        self.referee = Referee(players, 1)
        self.pending: list[dict[str, Any]] = []
        self.counted: list[dict[str, Any]] = []
        self.wrong: tuple[dict[str, Any], dict[str, Any]] | None = None
        self.must_tell = self.is_plain = self.is_tampered = False
        self.log: list[object] = []
        self.start()
        self.shows(EMPTY, 2.0)

    def start(self) -> None:
        """Start or restart the program."""
        self.bowl.watch = BowlWatch(self.bowl)
        phases = frozenset({"banker", "player"})
        self.sight = WatchSight(WatchPerception(lambda: self.bowl.watch, "throw", phases, is_asked=self.is_asked))
        self.questions: tuple[Question, ...] = ()

    # ---- the camera

    def shows(self, lying: Lying | None = None, seconds: float = 0.0) -> None:
        self.bowl.lying = self.bowl.lying if lying is None else lying
        for _ in range(round(seconds / STEP_S)):
            self.look()

    def look(self) -> None:
        self.sight.see(Frame(self.bowl.picture(), self.bowl.t, 1), self.bowl.t)
        self.bowl.t += STEP_S
        advice = self.sight.propose(now := self.table.situation())
        if advice.command is not None:
            self.log.append(("plays", advice.command))
            self.count(advice.command)
            self.table.do(advice.command)
            self.sight.played(advice, now)
            advice = self.sight.propose(self.table.situation())
        self.questions = advice.questions

    def count(self, command: dict[str, Any]) -> None:
        """Record a throw counted by the camera, which must be a true one."""
        assert self.pending, f"{command} was not thrown: {self.log}"
        assert is_same(command, self.pending[0]), f"{command} was not thrown, but {self.pending[0]}: {self.log}"
        self.tell_referee(self.pending[0])
        self.counted.append(self.pending.pop(0))

    def tell_referee(self, record: dict[str, Any]) -> None:
        assert self.referee.do(record) is None, (record, self.log)

    # ---- clumsy hands

    @property
    def phase(self) -> str:
        return self.table.situation().state.phase.value

    def wave(self, step: int = 40) -> None:
        """Pass a hand over the bowl."""
        for self.bowl.hand in range(0, 400, step):
            self.look()
        self.bowl.hand = None

    def throw(self) -> None:
        """Throw the dice, which roll for a while and come to rest."""
        self.log.append("throws")
        dice = [self.rng.randint(1, 6) for _ in range(3)]
        if self.rng.random() < 0.5:
            dice = list(self.rng.choice([(2, 2, 5), (1, 3, 6), (4, 4, 4), (1, 2, 3), (1, 1, 1), (2, 4, 5), (6, 6, 1)]))
        if self.rng.random() < 0.5 and self.bowl.lying:
            self.take_up()
        self.bowl.d6_probability = 1.0
        for _ in range(self.rng.randrange(8)):
            self.bowl.lying = tuple((self.rng.randint(1, 6), at) for at in self.places())
            self.look()
        places = self.places()
        self.bowl.lying = tuple(zip(dice, places, strict=True))
        record: dict[str, Any] = {"do": "throw", "dice": dice}
        way = self.rng.random()
        if way < 0.1:  # one jumps out, in view of the camera or not
            self.bowl.lying = (*self.bowl.lying[:2], *([(dice[2], (385, 200))] if way < 0.05 else []))
            record = OUT
        elif way < 0.2:
            self.bowl.d6_probability = 0.01  # unreadable
        self.is_tampered, self.is_plain, self.wrong = False, way >= 0.2, None
        if self.phase in ("banker", "player"):
            self.pending.append(record)
            self.log.append(record)

    def places(self) -> list[tuple[int, int]]:
        """Return three places in the bowl, without overlaps and away from earlier places."""
        old = [at for _, at in self.bowl.lying]
        while True:
            found = self.rng.sample(SPOTS, 3)
            apart = min(dist(a, b) for i, a in enumerate(found) for b in found[:i])
            if apart > 62 and min((dist(a, b) for a in found for b in old), default=99) > 13:
                return found

    def take_up(self) -> None:
        """Pick up the dice, one by one or all at once."""
        if self.rng.random() < 0.5:
            while self.bowl.lying:
                self.shows(self.bowl.lying[1:], self.rng.choice((0.1, 0.3, 1.5)))
        self.shows(EMPTY, self.rng.choice((0.1, 0.5, 2.0)))

    def act(self) -> None:
        way = self.rng.choice(("wait", "wave", "fist", "hide", "lift", "turn", "restart", "away", "hold", "undo"))
        self.log.append(way)
        lying = self.bowl.lying
        if way != "wait":
            self.is_plain = self.must_tell = False
        if way == "wait":
            self.shows(seconds=self.rng.choice((0.2, 0.5, 1.0, 3.5)))
        elif way == "wave":
            self.wave(self.rng.choice((40, 80)))
        elif way == "fist":
            self.shows(EMPTY, self.rng.choice((0.2, 1.0, 2.0)))
            self.shows(lying, 0.3)
        elif way == "hide" and lying:
            self.shows(lying[1:], self.rng.choice((0.3, 1.0, 4.0)))
            self.shows(lying, 0.3)
        elif way == "lift" and lying:  # one is picked up, inspected and laid back elsewhere
            self.shows(lying[1:], self.rng.choice((0.3, 1.0, 4.0)))
            self.shows(((lying[0][0], self.places()[0]), *lying[1:]), 0.3)
        elif way == "turn" and lying and (self.is_asked or not self.pending):
            (value, at), *others = lying
            self.wave()
            self.bowl.lying = ((7 - value, at), *others)
            self.is_tampered = True
            self.wave()
        elif way == "restart":
            self.start()
        elif way == "away":
            self.bowl.t += 20.0
        elif way == "hold":
            self.do("hold")
            if self.rng.random() < 0.5:
                self.wave()
            self.shows(seconds=self.rng.choice((0.2, 2.0)))
            self.do("release")
        elif way == "undo" and not self.pending and self.table.situation().latest.get("do") == "throw":
            self.undo()

    # ---- the dealer

    def enter(self) -> None:
        """Enter the throw by hand, sometimes wrongly."""
        true = self.pending.pop(0)
        record = true
        if self.rng.random() < 0.3:
            record = {"do": "throw", "dice": self.rng.choice([[2, 2, 6], [1, 3, 5], [4, 4, 5]])}
        self.log.append(("enters", record))
        self.wrong = None if is_same(record, true) else (record, true)
        self.must_tell = self.wrong is not None and self.is_plain
        self.tell_referee(record)
        self.counted.append(true)
        self.table.do(record)

    def undo(self) -> None:
        self.log.append("undoes")
        self.table.do({"do": "undo"})
        assert self.referee.do({"do": "undo"}) is None
        self.pending.append(self.counted.pop())
        self.wrong = None

    def settle(self) -> None:
        """Wait, answer all questions, enter unread throws, and compare the coins with the referee's."""
        for _ in range(30):
            self.shows(seconds=PATIENCE_S)
            if self.questions:
                self.answer(self.questions[0])
            elif self.pending:
                self.enter()
            else:
                break
        else:
            raise AssertionError(f"asks without end: {self.questions} {self.log}")
        assert not self.must_tell, f"nothing was said of {self.wrong}: {self.log}"
        self.compare()

    def answer(self, question: Question) -> None:
        self.log.append((question.kind, question.text))
        self.must_tell &= question.kind not in ("differs", "twice")
        if question.kind == "differs":
            assert self.wrong is not None or self.is_tampered, f"nothing differs: {self.log}"
            self.press(question, question.choices[0])
            can_undo = any(choice.id == "undo" for choice in question.choices)
            if self.wrong is not None and can_undo and self.rng.random() < 0.5:
                self.undo()
            return
        count = next((choice for choice in question.choices if choice.command is not None), None)
        if count is not None and self.pending and is_same(count.command, self.pending[0]):
            self.count(count.command)
            self.press(question, count)
        else:
            self.press(question, question.choices[-1])

    def press(self, question: Question, choice: Choice) -> None:
        self.log.append(choice.id)
        if choice.command is not None:
            self.table.do(choice.command)
        self.sight.answered(question, choice)
        self.shows(seconds=0.2)

    def compare(self) -> None:
        now, true = self.table.situation(), self.referee.printed()
        coins = {name: now.ledger.balance(name) for name in NAMES}
        assert coins == true["balances"], self.log
        assert sum(coins.values()) + now.state.staked == COINS * len(NAMES)
        assert (now.state.phase.value, len(now.state.throws)) == (true["phase"], len(true["state"]["throws"])), self.log

    # ---- the evening

    def go_on(self) -> None:
        """Play the commands between throws."""
        state = self.table.situation().state
        if self.phase == "bank":
            self.do("bank", amount=20)
        elif self.phase == "wash":
            self.do(self.rng.choice(("keep-bank", "pass-bank")))
        elif self.phase == "betting":
            for seat in (*state.seats, *state.seats)[state.bank_at :][: len(NAMES) - 1]:
                if self.table.situation().ledger.balance(seat.player):
                    self.do("bet", player=seat.player, amount=self.rng.randint(1, 2) * 2)
            if self.rng.random() < 0.1:
                self.throw()  # too early
                self.shows(seconds=self.rng.choice((0.2, 3.0)))
            self.do("close")
        self.shows(seconds=self.rng.choice((0.1, 0.5)))

    def do(self, verb: str, **more: Any) -> None:
        self.log.append((verb, more))
        self.table.do({"do": verb, **more})
        self.tell_referee({"do": verb, **more})

    def play(self) -> None:
        """Throw, make a mistake, and let the dealer correct it."""
        while self.phase not in ("banker", "player", "over"):
            self.go_on()
        if self.phase == "over":
            return
        self.throw()
        for _ in range(self.rng.randrange(4)):
            if self.pending and self.rng.random() < 0.25:
                self.shows(seconds=self.rng.choice((0.2, 0.3, 0.5)))
                if self.pending:
                    self.enter()
            else:
                self.act()
        self.settle()
        if self.rng.random() < 0.5:
            self.take_up()


def is_same(record: dict[str, Any], other: dict[str, Any]) -> bool:
    return sorted(record.get("dice", ())) == sorted(other.get("dice", ()))


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(4, 60))]
)
def test_what_was_thrown_is_paid_or_asked_about(seed):
    evening = Evening(seed)
    for _ in range(12):
        evening.play()

"""With a clumsy dealer, coins are paid for the cards on the table or entered last, or the dealer is asked."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from blackjack_film import Film
from blackjack_referee import Referee
from blackjack_table import dealers, spot

from companion.games.blackjack.camera.interpreter import BlackjackInterpreter
from companion.games.blackjack.state import Phase
from companion.games.blackjack.view import next_card
from companion.games.standard_cards import CARDS
from companion.kernel.words import playing_card_words
from companion.service.questions import Choice, Question

NAMES = ("Ann", "Bo", "Cy")
COINS = 5000
OPTIONS = {"decks": 1}


class Evening:
    """A mat, a clumsy dealer who answers truthfully, and a referee that knows the dealt cards.

    Attributes:
        pending: the command of an act that does not count yet.
        track: the track of its card.
        unread: track -> unreadable card on the table.
        wrong: wrongly entered card -> true card, in this round.
        must_tell: whether the camera must be able to notice that.
    """

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.film = Film(NAMES, OPTIONS)
        self.referee = Referee([(name, COINS) for name in NAMES], OPTIONS)
        self.seen = 0
        self.log: list[object] = []
        self.unread: dict[int, str] = {}
        self.wrong: dict[str, dict[str, Any]] = {}
        self.forget()

    def forget(self) -> None:
        self.pending: dict[str, Any] | None = None
        self.track: int | None = None
        self.must_tell = False

    # ---- the table and the referee

    def wait(self, steps: int = 3) -> None:
        self.film.wait(steps)
        self.sync()

    def sync(self) -> None:
        """Check that the camera's commands were really acted out."""
        for record in self.film.played[self.seen :]:
            self.log.append(("plays", record))
            assert self.pending is not None, f"{record} was not done: {self.log}"
            assert is_same(record, self.pending), f"{record} was not done, but {self.pending}: {self.log}"
            self.count(record)
        self.seen = len(self.film.played)

    def count(self, record: dict[str, Any]) -> None:
        assert self.referee.do(plain(record)) is None, (record, self.log)
        self.pending = None

    def by_hand(self, record: dict[str, Any]) -> None:
        self.log.append(("enters", record))
        self.film.table.do(record)
        self.count(record)
        self.wait(1)

    # ---- a round

    def round(self) -> None:
        self.shoe = self.rng.sample(CARDS, len(CARDS))
        self.spare = [self.shoe.pop() for _ in range(12)]
        "Cards nobody gets, for wrong entries: they are not needed later."
        self.cards = dict.fromkeys(NAMES, 0)
        self.hole_card = self.shoe.pop()
        for name in self.rng.sample(NAMES, self.rng.randint(1, 3)):
            self.by_hand({"do": "bet", "player": name, "amount": 100})
        for _ in range(60):
            if not self.film.state.boxes:
                break
            self.step()
        self.film.clear()
        self.unread.clear()
        self.wrong.clear()
        self.forget()

    def step(self) -> None:
        state = self.film.state
        if state.phase in (Phase.BETTING, Phase.DEALING):
            self.deal(next_card(state))
        elif state.phase is Phase.PLAYING:
            self.decide(str(state.turn))
        elif state.phase is Phase.REVEAL:
            self.reveal()
        else:
            self.lay({"do": "dealer-hit"}, dealers(len(state.dealer)))

    def deal(self, following: dict[str, Any]) -> None:
        if following["do"] == "hole":
            self.forget()
            self.pending = {"do": "hole"}
            self.film.hole = self.film.lay(None, dealers(1))
            self.settle()
            return
        to = following["to"]
        self.lay({"do": "deal", "to": to}, dealers(0) if to == "dealer" else self.next_place(to))

    def next_place(self, player: str) -> tuple[float, float]:
        place = spot(NAMES.index(player) + 1, 0, self.cards[player])
        self.cards[player] += 1
        return place

    def decide(self, player: str) -> None:
        if self.cards[player] < 5 and self.rng.random() < 0.6:
            if self.cards[player] == 2 and self.rng.random() < 0.2:
                x, y = self.next_place(player)
                self.lay({"do": "double", "player": player}, (x, y + 10), 90.0)
            else:
                self.lay({"do": "hit", "player": player}, self.next_place(player))
        else:
            self.forget()
            self.by_hand({"do": "stand", "player": player})
            self.settle()

    def reveal(self) -> None:
        """Turn the hole card; sometimes it is entered first."""
        self.forget()
        card = self.hole_card
        self.pending = {"do": "reveal", "card": card}
        if self.rng.random() < 0.4:
            self.enter()
        if self.film.hole in self.film.cards:
            self.film.take(self.film.hole)
            self.sync()
        self.track = self.film.lay(card, dealers(1))
        self.sync()
        self.settle()

    def lay(self, record: dict[str, Any], at: tuple[float, float], turn: float = 0.0) -> None:
        """Lay a card for a command; it may be unreadable and be entered by hand."""
        self.forget()
        card = self.shoe.pop()
        self.pending = {**record, "card": card}
        self.log.append(("lays", self.pending))
        way = self.rng.random()
        turn += self.rng.uniform(-8, 8)
        if way > 0.9 and self.film.state.phase is not Phase.BETTING:
            self.misplace(card, turn)
        if way < 0.1:
            self.enter()  # before it is laid
        if 0.1 <= way < 0.5:
            self.track = self.film.lay(None, at, turn)
            self.unread[self.track] = card
        else:
            self.track = self.film.lay(card, at, turn)
        self.sync()
        for _ in range(self.rng.randrange(3)):
            self.act()
        self.settle()

    # ---- clumsy hands

    def misplace(self, card: str, turn: float) -> None:
        """Lay a card where none is due, and pick it up again."""
        self.log.append("misplaces")
        track = self.film.lay(card, self.rng.choice((spot(6, 0, 2), (525.0, 165.0), (500.0, 500.0))), turn)
        self.sync()
        self.film.take(track)
        self.sync()

    def flash(self) -> None:
        """Turn the hole card up and down again."""
        hole = self.film.cards[self.film.hole]
        self.film.take(self.film.hole)
        self.sync()
        shown = self.film.lay(self.hole_card, dealers(1))
        self.sync()
        assert not any(playing_card_words(self.hole_card) in question.text for question in self.film.questions)
        self.film.take(shown)
        self.sync()
        self.film.cards[self.film.hole] = hole
        self.wait()

    def act(self) -> None:
        way = self.rng.choice(("wait", "enter", "read", "lift", "hide", "swap", "restart", "undo", "hold", "flash"))
        self.log.append(way)
        others = [track for track in self.film.cards if track != getattr(self.film, "hole", 0)]
        track = self.rng.choice(others) if others else None
        if way == "wait":
            self.wait(self.rng.randrange(1, 8))
        elif way == "enter" and self.pending is not None:
            self.enter()
        elif way == "read":
            self.read()
        elif way == "restart":
            self.film.eyes = BlackjackInterpreter(self.film.settings)
            self.film.cards = {track: replace(card, found="start") for track, card in self.film.cards.items()}
            self.must_tell = False
            self.wait()
        elif way == "hold":
            for record in ({"do": "hold"}, {"do": "release"}):
                self.film.table.do(record)
                assert self.referee.do(record) is None
                self.wait(self.rng.randrange(1, 5))
        elif way == "undo" and self.pending is None and self.film.table.situation().latest.get("card"):
            self.undo()
        elif way == "flash":
            if self.film.state.phase is Phase.PLAYING and getattr(self.film, "hole", 0) in self.film.cards:
                self.flash()
        elif track is not None:
            self.disturb(way, track)

    def disturb(self, way: str, track: int) -> None:
        card = self.film.cards[track]
        if way == "hide":
            self.film.change(track, where="hidden")
            self.film.change(track, where="open")
        elif way == "lift":
            self.film.take(track)
            self.sync()
            self.wait(self.rng.randrange(1, 5))
            self.film.cards[track] = card
        elif way == "swap" and self.pending is None and track not in self.unread:
            self.film.take(track)
            self.sync()
            wrong = self.film.lay(self.spare[0], (card.on_mat[0][0] + 31, card.on_mat[0][1] + 44))
            self.sync()
            self.film.take(wrong)
            self.film.cards[track] = card
        self.wait()

    def read(self) -> None:
        """Let the unreadable cards be read."""
        for track, card in self.unread.items():
            if track in self.film.cards:
                self.film.change(track, id=card, status="ok", deck="K7QX")
                self.sync()
        self.unread.clear()

    # ---- the dealer

    def enter(self) -> None:
        """Enter the act by hand, sometimes wrongly."""
        true, record = self.pending, dict(self.pending)
        if "card" in record and self.rng.random() < 0.35:
            record["card"] = self.spare.pop()
            self.wrong[playing_card_words(record["card"])] = true
            self.must_tell = self.track in self.unread and self.film.cards[self.track].found == ""
        self.by_hand(record)

    def undo(self) -> None:
        """Undo the latest card, which stays on the table and has to count again."""
        record = self.film.table.situation().recent[-1]
        self.log.append(("undoes", record))
        self.film.table.do({"do": "undo"})
        assert self.referee.do({"do": "undo"}) is None
        self.pending = self.wrong.pop(playing_card_words(record["card"]), plain(record))
        self.must_tell = False
        self.wait()

    def settle(self) -> None:
        """Wait, answer all questions, enter unread cards, and compare the coins with the referee's."""
        if self.rng.random() < 0.7:
            self.read()
        for _ in range(40):
            self.wait(8)
            if self.film.questions:
                self.answer(self.film.questions[0])
            elif self.pending is not None:
                self.enter()
            else:
                break
        else:
            raise AssertionError(f"asks without end: {self.film.questions} {self.log}")
        if self.track not in self.unread:
            assert not self.must_tell, f"nothing was said of {self.wrong}: {self.log}"
        self.compare()

    def answer(self, question: Question) -> None:
        self.log.append((question.kind, question.text))
        if question.kind == "differs":
            assert question.text.partition(" was entered")[0] in self.wrong, f"nothing differs: {self.log}"
            self.must_tell = False
            can_undo = any(choice.id == "undo" for choice in question.choices)
            self.press(question, question.choices[0])
            if can_undo and self.rng.random() < 0.5:
                self.undo()
            return
        for choice in question.choices:
            if choice.command is not None and self.pending is not None and is_same(choice.command, self.pending):
                self.log.append(choice.id)
                self.film.table.do(choice.command)
                self.count(choice.command)
                self.film.eyes.answered(question, choice)
                self.wait()
                return
        if self.pending is not None and self.rng.random() < 0.7:
            self.enter()
            return
        self.must_tell = False
        self.press(question, next(choice for choice in question.choices if choice.command is None))

    def press(self, question: Question, choice: Choice) -> None:
        self.log.append(choice.id)
        self.film.eyes.answered(question, choice)
        self.wait()

    def compare(self) -> None:
        true = self.referee.printed()
        assert self.film.coins() == true["balances"], self.log
        hands = {box.player: [list(hand.cards) for hand in box.hands] for box in self.film.state.boxes}
        assert hands == {name: [hand["cards"] for hand in rows] for name, rows in true["state"]["hands"].items()}, (
            self.log
        )
        assert list(self.film.state.dealer) == true["state"]["dealer"], self.log


def plain(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "evidence"}


def is_same(record: dict[str, Any], other: dict[str, Any]) -> bool:
    return plain(record) == plain(other)


@pytest.mark.parametrize(
    "seed", [*range(30), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(30, 300))]
)
def test_what_was_dealt_is_paid_or_asked_about(seed):
    evening = Evening(seed)
    for _ in range(3):
        evening.round()

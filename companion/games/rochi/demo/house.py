"""The demo house for Rochi and Captain's Rochi: simulated players with cards, tokens and coins on the demo table.

Which card was played or dealt, and what it costs, the camera has to see: the people here move things, press what
players press where no camera could know (end, fold, the next hand), answer what the companion asks, and tap a card
only when it was not understood for a long while. How often they did each is counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from companion.games.rochi.demo import follow as follow
from companion.games.rochi.demo.answers import answer_to
from companion.games.rochi.demo.captains import tidy
from companion.games.rochi.demo.mischief import MISCHIEF, Mischief
from companion.games.rochi.demo.moves import Deal, MoveToken, play_of, said_with, seats_of
from companion.games.rochi.demo.players import NAMES, PURSE, decide
from companion.games.rochi.demo.seen import Awaited, understood
from companion.games.rochi.demo.table import DemoRochiTable, Laid
from companion.kernel.commands import Record
from companion.kernel.messages import message
from companion.objects.cards import LEADER_BUTTON
from hardware.demo.felt_table import DemoError
from hardware.demo.house import SOURCE, House, TableService

PANEL: Final = "panel"
POOR: Final = 15
_MOMENT_S: Final = 0.2
_ON: Final = ("seeding", "turns", "last-player", "odd-coin")


@dataclass(frozen=True, slots=True)
class RochiTiming:
    """How long people take, seconds."""

    think_s: tuple[float, float] = (0.5, 2.4)
    result_s: float = 7.0
    empty_s: float = 1.5
    "After the table was cleared: a camera needs a moment to be sure."
    grace_s: float = 3.0
    "So long a thing may lie wrong, or be understood wrong, before somebody mends it."
    mischief_s: float = 9.0
    "And so long after a mischief."
    overdue_s: float = 12.0
    "A card that was not understood by then is tapped on the dashboard."
    answer_s: float = 2.5


class RochiService(TableService, Protocol):
    """What this house needs of the table's thread."""

    def answer(self, question_id: str, choice_id: str, *, source: str) -> Any:
        """Answer a question."""


class DemoRochi(House):
    """Plays Rochi on a demo table by itself, or step by step.

    Args:
        service: the table.
        table: mat, cards, tokens and coins.
        auto: whether it plays by itself.
        seed: of whims; None for true luck.
        clock: seconds, never going back.
    """

    mischiefs = MISCHIEF

    def __init__(
        self,
        service: RochiService,
        table: DemoRochiTable,
        *,
        auto: bool = True,
        seed: int | None = None,
        timing: RochiTiming = RochiTiming(),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(service, table, auto=auto, seed=seed, clock=clock)
        self._table, self._timing, self._journal = table, timing, service
        self._people = service
        self.counts: Counter[str] = Counter()
        self._awaited: list[Awaited] = []
        self._since = self._think_from = clock()
        self._think_s = 0.0
        self._patience_s = timing.grace_s
        self._asked: dict[str, float] = {}
        self._is_laid = False
        self._cleared: object = None  # the hand whose cards were gathered
        self._mischief = Mischief(table, self._rng)

    # -- what a person may do

    def state(self) -> dict[str, Any]:
        """Return what the demo's controls show."""
        with self._lock:
            view = self._service.view("dealer")
            controls = self._controls(
                can_deal=view["phase"] in _ON,
                can_gather=view["phase"] == "between-hands",
                deck_left=self._table.deck_left,
            )
            return controls | {"counts": dict(self.counts)}

    def auto(self, on: bool) -> None:
        """Let them play by themselves, or step by step. It stays as it is told."""
        with self._lock:
            self._auto = on
            self._text = message("They play.") if on else message("Press for the next step.")

    def deal(self) -> None:
        """Have whoever is to act do the next thing.

        Raises:
            DemoError: a hand is still on the table, the last card is not understood yet, or no hand is under way.
        """
        with self._lock:
            self.auto(False)
            self._need_free_hands()
            if not self._knows_guests():
                raise DemoError(message("The demo still reads the journal. Wait a moment and press again."))
            view = self._service.view("dealer")
            if self._awaited:
                raise DemoError(
                    message("The companion has not understood the last card yet. Wait, or tap what it was.")
                )
            if view["phase"] not in _ON:
                raise DemoError(message("No hand is under way. Gather the cards to begin the next one."))
            guest = self._guest_to_act(view)
            if guest is not None:
                raise DemoError(
                    message(
                        "{player} plays by phone. Wait for them, or tap on the dealer's page what they play.",
                        player=guest,
                    )
                )
            self._next_step(view)

    def gather(self) -> None:
        """Have the cards gathered, and the next hand begun.

        Raises:
            DemoError: a hand is still on the table, or the hand is not over.
        """
        with self._lock:
            self.auto(False)
            self._need_free_hands()
            view = self._service.view("dealer")
            if view["phase"] != "between-hands":
                raise DemoError(message("The hand is not over. Play on until a suit is cut."))
            self._clear(view)

    def mischief(self, kind: str) -> None:
        """Let something go wrong (see `MISCHIEF`).

        Raises:
            DemoError: no such mischief, or not possible now.
        """
        with self._lock:
            if kind == "tidy":
                self._patience_s, self._since = 0.0, float("-inf")
                return
            view = self._service.view("dealer")
            if kind in MISCHIEF and kind not in ("lost", "hand"):
                self._need_free_hands()
            self._awaited += self._mischief.do(kind, view, self._clock())
            self._patience_s = self._timing.mischief_s
            self.counts[f"mischief {kind}"] += 1

    # -- what they do by themselves

    def tick(self) -> None:
        """Look at the table once and do what is due."""
        with self._lock:
            if not self._knows_guests():
                return
            view = self._service.view("dealer")
            if not self._is_laid:
                self._take_over(view)
            elif self._table.busy:
                self._since = self._clock()
            elif view["hold"] is not None:
                self._text = message("The table is on hold.")
            elif self._clock() - self._since < _MOMENT_S:
                pass  # the view of what was just done may be on its way
            elif not self._awaited and self._is_behind(view):
                self._since = self._clock()
            elif self._auto and self._ask_people(view):
                self._text = message("They answer the companion's question.")
            elif self._awaited:
                self._check(view)
            elif self._clock() - self._since <= self._patience_s > self._timing.grace_s:
                self._text = message("Something lies wrong. They look at it.")
            elif self._clock() - self._since > self._patience_s and self._mend(view):
                self._text = message("They put it right.")
            elif self._auto:
                self._go_on(view)

    def _take_over(self, view: Mapping[str, Any]) -> None:
        """Lay the table as the journal says: a restart in mid-hand goes on. A new table starts with nothing dealt."""
        self._table.sit([player["seat"] for player in view["players"]])
        laid = follow.laid_by(view)
        is_new = view["phase"] in ("seeding", "turns") and view["undo"] is None
        self._table.restore(Laid(leader=laid.leader, coins=laid.coins) if is_new else laid)
        self._is_laid = True

    def _is_behind(self, view: Mapping[str, Any]) -> bool:
        """Do what anybody would do at once: sit down, pay, move tokens, lay down what was tapped. True if so."""
        seats = [player["seat"] for player in view["players"]]
        if list(self._table.seats) != sorted(seats):
            self._table.sit(seats)
        if not seats:
            return False
        mover = self._mover(view)
        if follow.settle(self._table, view, mover):
            return True
        if view["phase"] not in _ON or not self._is_dealt(view):
            return False
        if self._patience_s > self._timing.grace_s:
            return False
        if follow.lay_what_was_tapped(self._table, view, mover):
            return True
        if view["game"] == "captains":
            tidy(self._table, view, self._rng)
        return self._table.busy or follow.move_tokens(self._table, view, mover)

    def _mend(self, view: Mapping[str, Any]) -> bool:
        """Put right what has lain wrong for a while: strangers, cards that do not count, tokens."""
        self._patience_s = self._timing.grace_s
        if not view["players"] or view["phase"] not in _ON or not self._is_dealt(view):
            return False
        mover = self._mover(view)
        moved = (
            follow.take_strangers(self._table, mover)
            or follow.take_back_extra(self._table, view, mover)
            or follow.put_cards_right(self._table, view, mover)
        )
        self.counts["mended"] += moved
        return moved

    def _ask_people(self, view: Mapping[str, Any]) -> bool:
        """Answer what the companion asks, after a moment's thought. True while a question is being thought about."""
        now, questions = self._clock(), view.get("questions", ())
        self._asked = {q["id"]: self._asked.get(q["id"], now) for q in questions}
        for question in questions:
            choice = answer_to(question, view, self._table, self._awaited)
            if choice is None:
                continue
            if now - self._asked[question["id"]] < self._timing.answer_s:
                return True
            self._people.answer(question["id"], choice, source=SOURCE)
            self.counts[f"answered {question['kind']}"] += 1
            self._since = now
            return True
        return False

    # -- waiting until the companion has understood

    def _await(self, view: Mapping[str, Any], record: Record) -> None:
        self._awaited.append(Awaited(record, view["seq"], self._clock()))

    def _check(self, view: Mapping[str, Any]) -> None:
        first = self._awaited[0]
        said = understood(self._journal, first)
        waited = self._clock() - max(first.at, self._since)
        if said == first.record["do"]:
            self._awaited.pop(0)
            self.counts["understood"] += 1
            self._since = self._think_from = self._clock()
        elif said is not None and waited > self._timing.grace_s:
            self._correct(first, said)
        elif view["camera"]["status"] == "lost":
            self._text = message("The camera is lost. They wait.")
            self._since = self._clock()
        elif waited > self._timing.overdue_s and self._auto:
            self._tap(first)
        else:
            self._text = message("They wait until the companion has seen it.")

    def _correct(self, awaited: Awaited, said: str) -> None:
        """It was understood as something else: undo, and say what it was."""
        self.counts[f"corrected {said} to {awaited.record['do']}"] += 1
        self._service.submit({"do": "undo"}, source=SOURCE)
        self._tap(awaited)

    def _tap(self, awaited: Awaited) -> None:
        self._awaited.remove(awaited)
        self._since = self._clock()
        if awaited.is_wrong:  # a mischief that the companion rightly did not take
            return
        self.counts["tapped"] += 1
        self._service.submit(awaited.record, source=SOURCE)

    # -- the game

    def _go_on(self, view: Mapping[str, Any]) -> None:
        blocked = [q for q in view.get("questions", ()) if q.get("blocks")]
        if blocked:
            self._text = message("The companion waits for the dealer's answer.")
        elif view["phase"] in _ON:
            if self._clock() - self._think_from >= self._think_s:
                self._next_step(view)
        elif view["phase"] == "between-hands":
            self._between(view)
        else:
            self._text = message("The game is over.")

    def _next_step(self, view: Mapping[str, Any]) -> None:
        self._think_from, self._think_s = self._clock(), self._rng.uniform(*self._timing.think_s)
        if not self._is_dealt(view):
            self._deal_out(view)
        elif view["phase"] == "seeding":
            self._seed(view)
        elif (guest := self._guest_to_act(view)) is not None:
            self._text = message("{player} plays by phone. They wait.", player=guest)
        elif view["phase"] == "odd-coin":
            self._press({"do": "odd-coin", "pot": int(self._rng.choice(list(view["pots"])))})
        else:
            self._turn(view)

    def _guest_to_act(self, view: Mapping[str, Any]) -> str | None:
        """Return who has to decide something now, if that is a real person."""
        if view["phase"] == "seeding" or not self._is_dealt(view):
            return None
        name = view["odd_coin"] if view["phase"] == "odd-coin" else view["turn"]
        return name if name in self._guests else None

    def _is_dealt(self, view: Mapping[str, Any]) -> bool:
        has_cards = any(self._table.hand(seat) for seat in self._table.seats)
        return has_cards or not any(hand["cards"] for hand in view["hands"])

    def _deal_out(self, view: Mapping[str, Any]) -> None:
        self._text = message("Shuffle and deal.")
        dealer = self._mover(view)
        self._table.shuffle(dealer, self._rng.getrandbits(32))
        each = max(hand["cards"] for hand in view["hands"])
        at = self._table.seats.index(dealer)
        playing = {seats_of(view)[hand["player"]] for hand in view["hands"]}
        order = [*self._table.seats[at + 1 :], *self._table.seats[: at + 1]]
        self._table.deal_hands(dealer, each, [seat for seat in order if seat in playing])

    def _seed(self, view: Mapping[str, Any]) -> None:
        """The dealer lays all seed cards in a row, and does not wait for anybody."""
        self._text = message("Seed the stacks.")
        for card in self._table.next_cards(view["to_seed"]):
            self._table.move(Deal(self._mover(view), card))
            self._await(view, {"do": "seed", "card": card})

    def _turn(self, view: Mapping[str, Any]) -> None:
        player = view["turn"]
        seat = seats_of(view)[player]
        is_alone = view["phase"] == "last-player"
        record = {"do": "deal"} if is_alone else decide(view, player, self._table.hand(seat), self._rng)
        self._text = message("{player} plays.", player=player)
        if record["do"] == "deal":
            self._deal_one(view, seat)
        elif record["do"] == "play":
            self._table.move(play_of(view, player, record["card"]))
            self._await(view, record)
        else:
            self._say(view, record, player)

    def _deal_one(self, view: Mapping[str, Any], seat: int) -> None:
        for card in self._table.next_cards(1):
            self._table.move(Deal(seat, card))
            self._await(view, {"do": "deal", "card": card})

    def _say(self, view: Mapping[str, Any], record: Record, player: str) -> None:
        """A player ends the turn, folds or passes, and presses the button: no camera could know."""
        move = said_with(view, player, record["do"])
        self._press(record)
        self._table.move(move)

    def _press(self, record: Record) -> None:
        self._service.submit(record, source=PANEL)
        self.counts[f"pressed {record['do']}"] += 1

    # -- between hands

    def _between(self, view: Mapping[str, Any]) -> None:
        if self._cleared != view["hand"]:
            if self._clock() - self._since < self._timing.result_s:
                self._text = message("Look at the result.")
            else:
                self._clear(view)
        elif self._clock() - self._since >= self._timing.empty_s:
            self._begin_hand(view)

    def _clear(self, view: Mapping[str, Any]) -> None:
        self._text = message("They gather the cards.")
        self._cleared = view["hand"]
        if not view["players"]:
            return
        mover = self._mover(view)
        follow.centre_tokens(self._table, mover)
        self._table.gather(mover)
        following = seats_of(view).get(view.get("next_leader") or "")
        if following is not None and self._table.token_at(LEADER_BUTTON) is not None:
            self._table.move(MoveToken(mover, LEADER_BUTTON, f"seat/{following}"))

    def _begin_hand(self, view: Mapping[str, Any]) -> None:
        simulated = [player for player in view["players"] if player["name"] not in self._guests]
        poor = [player["name"] for player in simulated if player["coins"] < POOR]
        if len(view["players"]) < 3 and view["game"] == "rochi":
            taken = {player["name"] for player in view["players"]}
            name = next(name for name in NAMES if name not in taken)
            self._service.submit({"do": "join", "player": name, "coins": PURSE, "into": {}}, source=SOURCE)
        elif poor:
            self._service.submit({"do": "buy-in", "player": poor[0], "coins": PURSE}, source=SOURCE)
        elif "next-hand" in view["expected"]:
            self._press({"do": "next-hand"})
            self._cleared = None

    def _mover(self, view: Mapping[str, Any]) -> int:
        """Who does what has to be done by somebody: whoever is to act, else the leader."""
        seats = seats_of(view)
        name = view.get("turn") or view.get("leader") or ""
        try:
            return seats[name]
        except KeyError:
            return min(seats.values())

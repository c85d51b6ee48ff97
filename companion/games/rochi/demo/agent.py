"""Demo agent for Rochi and Captain's Rochi: simulated players with cards, tokens and coins on the demo table.

Played and dealt cards are left to the camera. The simulated players move objects, press buttons for what no camera can
see (end, fold, next hand), answer questions, and enter a card by hand only if it stays unrecognised for long. The agent
counts how often they do each.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.rochi.demo import follow
from companion.games.rochi.demo.incidents import INCIDENTS, Incidents
from companion.games.rochi.demo.moves import Board, Deal, MoveToken, board_of, play_of, said_with
from companion.games.rochi.demo.players import NAMES, PURSE, decide
from companion.games.rochi.demo.table import DemoRochiTable, Laid
from companion.games.rochi.state import MIN_PLAYERS
from companion.kernel.commands import Record
from companion.kernel.messages import message
from companion.objects.cards import LEADER_BUTTON
from companion.plugins.demo import DemoState
from companion.plugins.panel import Moment, OpenQuestion
from companion.service.one_session import OneSession
from hardware.demo.agent import Agent
from hardware.demo.felt_table import DemoError

PANEL: Final = "panel"
POOR: Final = 15
_MOMENT_S: Final = 0.2
_ON: Final = ("seeding", "turns", "last-player", "odd-coin")
_IT_COUNTS: Final = ("here", "approve", "again")


@dataclass(frozen=True, slots=True)
class RochiTiming:
    """Delays of the simulated people, seconds."""

    think_s: tuple[float, float] = (0.5, 2.4)
    result_s: float = 7.0
    empty_s: float = 1.5
    "Delay after clearing the table, so that the camera sees it empty."
    grace_s: float = 3.0
    "Delay before a misplaced or misread object is corrected."
    incident_s: float = 9.0
    "The same delay after an incident."
    overdue_s: float = 12.0
    "Delay before an unrecognised card is entered on the dashboard."
    answer_s: float = 2.5


@dataclass(frozen=True, slots=True)
class PendingSighting:
    """An object on the table that the camera has not reported yet.

    Attributes:
        record: the command it should lead to.
        seq: journal position before the act.
        at: time of the act, seconds.
    """

    record: Record
    seq: int
    at: float


class RochiAgent(Agent[DemoRochiTable, RochiTiming]):
    """Plays Rochi on a demo table by itself, or step by step (see `Agent`)."""

    incidents = INCIDENTS
    at_any_time = frozenset({"hand", "tidy"})
    words = (message("They play."), message("Press for the next step."))
    default_timing = RochiTiming()
    purse = PURSE

    def __init__(
        self,
        service: OneSession,
        table: DemoRochiTable,
        *,
        auto: bool = True,
        seed: int | None = None,
        timing: RochiTiming | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(service, table, auto=auto, seed=seed, timing=timing, clock=clock)
        self.counts: Counter[str] = Counter()
        self._awaited: list[PendingSighting] = []
        self._think_from = clock()
        self._think_s = 0.0
        self._patience_s = self._timing.grace_s
        self._cleared: int | None = None  # number of the hand whose cards were gathered
        self._incidents = Incidents(table, self._rng)

    # -- visitor's actions

    def state(self) -> DemoState:
        return {**super().state(), "counts": dict(self.counts)}

    def is_due(self, moment: Moment) -> bool:
        return moment.phase in _ON

    def may_clear(self, moment: Moment) -> bool:
        return moment.phase == "between-hands"

    @property
    def deck_left(self) -> int:
        return self._table.deck_left

    def do_next(self, moment: Moment) -> None:
        """Have the player to act take the next step."""
        if not self._journal.catch_up():
            raise DemoError.saying("The demo still reads the journal. Wait a moment and press again.")
        if self._awaited:
            raise DemoError.saying("The companion has not understood the last card yet. Wait, or tap what it was.")
        if not self.is_due(moment):
            raise DemoError.saying("No hand is under way. Gather the cards to begin the next one.")
        board = board_of(moment)
        guest = self._guest_to_act(board)
        if guest is not None:
            raise DemoError.saying(
                "{player} plays by phone. Wait for them, or tap on the dealer's page what they play.", player=guest
            )
        self._next_step(board)

    def clear(self, moment: Moment) -> None:
        """Gather the cards and begin the next hand."""
        if not self.may_clear(moment):
            raise DemoError.saying("The hand is not over. Play on until a suit is cut.")
        self._clear(board_of(moment))

    def check(self, kind: str, moment: Moment) -> None:
        self._incidents.check(kind, board_of(moment))

    def provoke(self, kind: str, moment: Moment) -> None:
        if kind == "tidy":
            self._patience_s, self._since = 0.0, float("-inf")
            return
        for record in self._incidents.do(kind, board_of(moment)):
            self._await(record)
        self._patience_s = self._timing.incident_s
        self.counts[f"mischief {kind}"] += 1

    # -- automatic play

    def set_up_table(self, moment: Moment) -> None:
        """Lay out the table from the game state; a new table starts with nothing dealt."""
        board = board_of(moment)
        self._table.sit(sorted(board.seats.values()))
        laid = follow.laid_by(board)
        is_new = board.phase in ("seeding", "turns") and moment.undo is None
        self._table.restore(Laid(leader=laid.leader, coins=laid.coins) if is_new else laid)

    def act_when_due(self, moment: Moment) -> None:
        board = board_of(moment)
        if self._waited_s() < _MOMENT_S:
            pass  # the state after the last action may not have arrived yet
        elif not self._awaited and self._catch_up(board):
            self._since = self._clock()
        elif self._auto and self._answer_questions(moment, board):
            self._text = message("They answer the companion's question.")
        elif self._awaited:
            self._check(moment)
        elif self._waited_s() <= self._patience_s > self._timing.grace_s:
            self._text = message("Something lies wrong. They look at it.")
        elif self._waited_s() > self._patience_s and self._correct_errors(board):
            self._text = message("They put it right.")
        elif self._auto:
            self._play_on(moment, board)

    def _catch_up(self, board: Board) -> bool:
        """Do overdue physical steps: sit down, pay, move tokens, lay tapped cards; return whether there were any."""
        seats = sorted(board.seats.values())
        if list(self._table.seats) != seats:
            self._table.sit(seats)
        if not seats:
            return False
        if follow.settle(self._table, board, board.mover):
            return True
        if board.phase not in _ON or not self._is_dealt(board) or self._patience_s > self._timing.grace_s:
            return False
        if follow.lay_what_was_tapped(self._table, board, board.mover):
            return True
        if board.is_captains:
            follow.tidy_captains(self._table, board, self._rng)
        return self._table.busy or follow.move_tokens(self._table, board, board.mover)

    def _correct_errors(self, board: Board) -> bool:
        """Correct persistent errors: foreign cards, uncounted cards, misplaced cards; return whether there were any."""
        self._patience_s = self._timing.grace_s
        if not board.seats or board.phase not in _ON or not self._is_dealt(board):
            return False
        moved = (
            follow.take_strangers(self._table, board.mover)
            or follow.take_back_extra(self._table, board, board.mover)
            or follow.put_cards_right(self._table, board, board.mover)
        )
        self.counts["mended"] += moved
        return moved

    def _answer_questions(self, moment: Moment, board: Board) -> bool:
        """Answer the companion's questions with a delay; return whether one is pending."""
        for question in moment.questions:
            choice = answer_to(question, board, self._awaited)
            if choice is None:
                continue
            if self._clock() - self._asked[question.id] >= self._timing.answer_s:
                self._reply(question, choice)
                self.counts[f"answered {question.kind}"] += 1
                self._since = self._clock()
            return True
        return False

    # -- waiting for the camera

    def _await(self, record: Record) -> None:
        self._awaited.append(PendingSighting(record, self._journal.read, self._clock()))

    def _check(self, moment: Moment) -> None:
        first = self._awaited[0]
        recognised = self._journal.verb_of(first.seq, first.record["card"])
        waited = self._clock() - max(first.at, self._since)
        if recognised == first.record["do"]:
            self._awaited.pop(0)
            self.counts["understood"] += 1
            self._since = self._think_from = self._clock()
        elif recognised is not None and waited > self._timing.grace_s:  # misread: undo, and enter the right command
            self.counts[f"corrected {recognised} to {first.record['do']}"] += 1
            self._submit({"do": "undo"})
            self._tap(first)
        elif moment.camera == "lost":
            self._text = message("The camera is lost. They wait.")
            self._since = self._clock()
        elif waited > self._timing.overdue_s and self._auto:
            self._tap(first)
        else:
            self._text = message("They wait until the companion has seen it.")

    def _tap(self, awaited: PendingSighting) -> None:
        self._awaited.remove(awaited)
        self._since = self._clock()
        self.counts["tapped"] += 1
        self._submit(awaited.record)

    # -- the game

    def _play_on(self, moment: Moment, board: Board) -> None:
        if any(question.blocks for question in moment.questions):
            self._text = message("The companion waits for the dealer's answer.")
        elif board.phase in _ON:
            if self._clock() - self._think_from >= self._think_s:
                self._next_step(board)
        elif board.phase == "between-hands":
            self._between(moment, board)
        else:
            self._text = message("The game is over.")

    def _next_step(self, board: Board) -> None:
        self._think_from, self._think_s = self._clock(), self._rng.uniform(*self._timing.think_s)
        if not self._is_dealt(board):
            self._deal_out(board)
        elif board.phase == "seeding":
            self._seed(board)
        elif (guest := self._guest_to_act(board)) is not None:
            self._text = message("{player} plays by phone. They wait.", player=guest)
        elif board.phase == "odd-coin":
            self._press({"do": "odd-coin", "pot": self._rng.choice([stack.suit for stack in board.stacks])})
        else:
            self._turn(board)

    def _guest_to_act(self, board: Board) -> str | None:
        """Return the player who has to decide now, if a real person."""
        if board.phase == "seeding" or not self._is_dealt(board):
            return None
        name = board.odd_coin if board.phase == "odd-coin" else board.turn
        return name if name is not None and not self._is_simulated(name) else None

    def _is_dealt(self, board: Board) -> bool:
        return any(map(self._table.hand, self._table.seats)) or not any(board.held.values())

    def _deal_out(self, board: Board) -> None:
        self._text = message("Shuffle and deal.")
        dealer = board.mover
        self._table.shuffle(dealer, self._rng.getrandbits(32))
        at = self._table.seats.index(dealer)
        order = [*self._table.seats[at + 1 :], *self._table.seats[: at + 1]]
        self._table.deal_hands(dealer, max(board.held.values()), [seat for seat in order if seat in board.held])

    def _seed(self, board: Board) -> None:
        """Have the dealer lay all seed cards in one go."""
        self._text = message("Seed the stacks.")
        for card in self._table.next_cards(board.to_seed):
            self._lay_next(board.mover, {"do": "seed", "card": card})

    def _turn(self, board: Board) -> None:
        player = board.turn
        assert player is not None, "somebody is to act in turns"
        seat = board.seats[player]
        is_alone = board.phase == "last-player"
        record = {"do": "deal"} if is_alone else decide(board, player, self._table.hand(seat), self._rng)
        self._text = message("{player} plays.", player=player)
        if record["do"] == "deal":
            for card in self._table.next_cards(1):
                self._lay_next(seat, {"do": "deal", "card": card})
        elif record["do"] == "play":
            self._table.move(play_of(board, player, record["card"]))
            self._await(record)
        else:  # a player ends the turn, folds or passes, with a button press, since no camera can see it
            self._press(record)
            self._table.move(said_with(board, player, record["do"]))

    def _lay_next(self, seat: int, record: Record) -> None:
        self._table.move(Deal(seat, record["card"]))
        self._await(record)

    def _press(self, record: Record) -> None:
        self._submit(record, PANEL)
        self.counts[f"pressed {record['do']}"] += 1

    # -- between hands

    def _between(self, moment: Moment, board: Board) -> None:
        if self._cleared != board.hand:
            if self._waited_s() < self._timing.result_s:
                self._text = message("Look at the result.")
            else:
                self._clear(board)
        elif self._waited_s() >= self._timing.empty_s:
            self._begin_hand(moment, board)

    def _clear(self, board: Board) -> None:
        self._text = message("They gather the cards.")
        self._cleared = board.hand
        if not board.seats:
            return
        follow.centre_tokens(self._table, board.mover)
        self._table.gather(board.mover)
        if board.next_leader is not None and self._table.token_at(LEADER_BUTTON) is not None:
            self._table.move(MoveToken(board.mover, LEADER_BUTTON, f"seat/{board.next_leader}"))

    def _begin_hand(self, moment: Moment, board: Board) -> None:
        if len(board.seats) < MIN_PLAYERS:
            name = next(name for name in NAMES if name not in board.seats)
            self._submit({"do": "join", "player": name, "coins": PURSE, "into": {}})
        elif "next-hand" in board.expected:
            self._buy_in(self._simulated(moment), moment, POOR)
            self._press({"do": "next-hand"})
            self._cleared = None


def answer_to(question: OpenQuestion, board: Board, awaited: Sequence[PendingSighting]) -> str | None:
    """Return the choice of a careful dealer who knows what really happened.

    None if no choice fits; then the table is tidied and the question disappears.
    """
    choices = {choice for choice, _ in question.choices}
    for mine in awaited:
        if mine.record["card"] not in (question.card, *choices):
            continue
        found = next((way for way in _true_ways(mine.record, board) if way in choices), None)
        if found is not None:
            return found
    return None


def _true_ways(record: Record, board: Board) -> Iterator[str]:
    """Yield possible choice IDs for the true command, most specific first."""
    yield f"{record['do']}{board.seats.get(board.turn or '')}"
    yield record["do"]
    yield record["card"]
    yield from _IT_COUNTS

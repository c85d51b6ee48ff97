"""The demo house: deals Roche on the demo table, for people who watch, and hands over to whoever presses 'deal'.

It is a dealer's hands and mouth, no more: it calls, bets for simulated players and moves cards on the felt. Which
card was dealt, the camera has to see; this module never issues a `deal`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from companion.games.roche.demo.players import NAMES, PURSE, PlannedBet, plan_bets
from companion.kernel.errors import TableError
from companion.kernel.messages import Message, joined, message
from hardware.demo.card_table import CardTable
from hardware.demo.felt_table import DemoError
from hardware.demo.house import SOURCE, House, TableService

log = logging.getLogger(__name__)

LOST_S: Final = 7.0

MISCHIEF: Final[Mapping[str, Message]] = {
    "forged": message("Deal a forged card"),
    "foreign": message("Deal a card of a strange deck"),
    "duplicate": message("Deal a card twice"),
    "face-down": message("Deal a card face down"),
    "early": message("Deal before no more bets"),
    "remove": message("Take a dealt card away"),
    "glare": message("Mirror a lamp in the last card"),
    "hand": message("Reach over the table"),
    "lost": message("Unplug the camera"),
    "tidy": message("Take away what does not belong there"),
}
"""What a person may provoke, with a label for the button."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long the house lets things last, seconds."""

    betting_s: float = 14.0
    result_s: float = 9.0
    between_cards_s: float = 0.5
    empty_s: float = 1.0
    "After the new deck lies there: a camera needs a moment to be sure that the old cards are gone."
    leftover_s: float = 3.0
    "Cards that lie there before the deal are swept away after so long, unless the dealer is asked about them."
    overdue_s: float = 12.0
    "A card that was not read by then is mentioned."


class DemoHouse(House):
    """Plays Roche on a demo table by itself, or one press at a time.

    Safe to call from any thread. Use as a context manager, or `start` and `close`.

    Args:
        service: the table.
        table: the felt.
        auto: whether it starts dealing by itself.
        names: the simulated players, until a real person takes their seat; they sit down if none of them does.
            Empty: nobody is simulated.
        seed: of shuffles and bets; None for true luck.
        clock: seconds, never going back.
    """

    mischiefs = MISCHIEF

    def __init__(
        self,
        service: TableService,
        table: CardTable,
        *,
        auto: bool = True,
        names: Sequence[str] = NAMES,
        seed: int | None = None,
        timing: Timing = Timing(),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(service, table, auto=auto, seed=seed, clock=clock)
        self._table = table
        self._names, self._timing = tuple(names), timing
        self._round: int | None = None
        self._phase = ""
        self._since = clock()  # when this phase began, or the felt last changed
        self._plan: list[PlannedBet] = []
        self._began = clock()
        self._is_laid = False
        self._to_seat: list[str] = []
        self._new_round_due = False

    # -- what a person may do

    def state(self) -> dict[str, Any]:
        """Return what the demo's controls show."""
        with self._lock:
            view = self._service.view("dealer")
            left = self._betting_left() if self._auto and view["phase"] == "betting" else None
            return self._controls(
                left_s=left,
                can_deal=view["phase"] != "settled",
                can_gather=True,
                deck_left=len(self._table.deck_left),
            )

    def auto(self, on: bool) -> None:
        """Let it go on by itself, or wait for a person. It stays as it is told."""
        with self._lock:
            self._auto = on
            self._restart_clock()
            self._text = message("The house deals.") if on else message("You deal.")

    def deal(self) -> None:
        """A person deals: the next card is laid on the felt; before the deal, the bets are closed first.

        Raises:
            DemoError: the round is over, or a hand is still on the table.
            TableError: the bets cannot be closed now.
        """
        with self._lock:
            self.auto(False)
            self._need_free_hands()
            view = self._service.view("dealer")
            if view["phase"] == "settled":
                raise DemoError(message("The round is over. Gather the cards to begin the next one."))
            if not self._table.deck_left:
                raise DemoError(message("There is no deck on the demo table. Gather the cards, then deal."))
            if view["phase"] == "betting":
                self._service.submit({"do": "no-more-bets"}, source=SOURCE)
            self._table.deal()

    deal_one = deal

    def gather(self) -> None:
        """A person gathers: the felt is swept, the deck shuffled, and after a cut a new round begins.

        Raises:
            DemoError: a hand is still on the table.
        """
        with self._lock:
            self.auto(False)
            self._need_free_hands()
            self._sweep()

    def mischief(self, kind: str) -> None:
        """Let something go wrong (see `MISCHIEF`).

        Raises:
            DemoError: no such mischief, or not possible now.
        """
        with self._lock:
            self._need_mischief(kind)
            if kind in ("lost", "glare", "hand"):
                return self._disturb(kind)
            self._need_free_hands()
            return self.tidy() if kind == "tidy" else self._misdeal(kind)

    def tidy(self) -> None:
        """Take away every card that the round does not count."""
        with self._lock:
            counted = list(self._service.view("dealer")["dealt"])
            for card in self._table.lying:
                if card.id in counted and card.make == "genuine" and card.face_up:
                    counted.remove(card.id)
                else:
                    self._table.remove(card.id, make=card.make, face_up=card.face_up)

    # -- what it does by itself

    def tick(self) -> None:
        """Look at the table once and do what is due."""
        with self._lock:
            if not self._knows_guests():
                return
            view = self._service.view("dealer")
            self._note_phase(view)
            if not self._is_laid:
                self._take_over(view)
            elif self._table.busy:
                self._since = self._clock()
            elif view["hold"] is not None:
                self._text = message("The table is on hold.")
            elif self._to_seat:
                self._seat_players()
            elif self._new_round_due:
                self._begin_round(view)
            elif view["phase"] == "betting":
                self._betting(view)
            elif self._auto and view.get("questions"):
                self._text = message("The house waits for the dealer's answer.")
            elif view["phase"] == "dealing":
                self._dealing(view)
            else:
                self._settled()

    # -- the phases, always under the lock

    def _note_phase(self, view: Mapping[str, Any]) -> None:
        if (view["round"], view["phase"]) != (self._round, self._phase):
            self._round, self._phase = view["round"], view["phase"]
            self._restart_clock()
            self._plan = self._plan_bets(view) if view["phase"] == "betting" else []

    def _take_over(self, view: Mapping[str, Any]) -> None:
        """Lay on the felt what the journal says was dealt: a restart in the middle of a round goes on."""
        self._table.restore(view["dealt"])
        self._is_laid = True
        seated = {player["name"] for player in view["players"]}
        self._to_seat = [] if seated & set(self._names) else list(self._names)

    def _seat_players(self) -> None:
        while self._to_seat:
            join = {"do": "join", "player": self._to_seat[0], "coins": PURSE}
            self._service.submit(join, source=SOURCE)
            self._to_seat.pop(0)
        self._round = None  # plan the bets again, now that all are seated

    def _betting(self, view: Mapping[str, Any]) -> None:
        asked = [question for question in view.get("questions", ()) if question["kind"] != "gather"]
        if self._table.lying and not asked and self._clock() - self._since > self._timing.leftover_s:
            self._sweep(begin_round=False)
            return
        if not self._table.deck_left and not self._table.lying:
            self._table.shuffle(self._rng.getrandbits(32))
            return
        passed = self._clock() - self._began
        while self._plan and self._plan[0].at_s <= passed:
            self._bet(self._plan.pop(0))
        if not self._auto:
            self._text = message("Place your bets, then press deal.")
        elif asked or self._table.lying:
            self._text = message("The house waits: a card lies on the table before the deal.")
        elif self._betting_left() > 0:
            self._text = message("Place your bets.")
        elif not self._plan:
            self._service.submit({"do": "no-more-bets"}, source=SOURCE)

    def _dealing(self, view: Mapping[str, Any]) -> None:
        lying, dealt = {card.id for card in self._table.lying}, set(view["dealt"])
        behind = [card for card in view["dealt"] if card not in lying and card in self._table.deck_left]
        waited = self._clock() - self._since
        if behind:  # dealt by hand on the dashboard: the felt follows
            self._table.deal(behind[0])
        elif lying - dealt:
            self._text = self._about_uncounted(dealt, waited)
        elif not self._auto:
            self._text = message("Press deal for the next card.")
        elif not self._table.deck_left:
            self._text = message("The deck is used up. Gather the cards.")
        elif waited >= self._timing.between_cards_s:
            self._text = message("The house deals.")
            self._table.deal()

    def _about_uncounted(self, dealt: set[str], waited_s: float) -> Message:
        """Name the open cards that do not count; nobody may know what lies face down."""
        extra = [card for card in self._table.lying if card.id not in dealt]
        cards = joined(card.id if card.face_up else message("A card face down") for card in extra)
        if waited_s > self._timing.overdue_s:
            return message("{cards} still does not count. The dealer decides, or tidies.", cards=cards)
        return message("{cards} lies on the table and does not count yet.", cards=cards)

    def _settled(self) -> None:
        if not self._auto:
            self._text = message("Look at the result, then gather.")
        elif self._clock() - self._since >= self._timing.result_s:
            self._sweep()
        else:
            self._text = message("Look at the result.")

    def _sweep(self, *, begin_round: bool = True) -> None:
        self._text = message("The house gathers the cards.")
        self._table.gather()
        self._new_round_due = begin_round
        self._since = self._clock()

    def _begin_round(self, view: Mapping[str, Any]) -> None:
        """The felt is swept: put a fresh deck down, and open the round once the camera must have seen it empty."""
        if not self._table.deck_left:
            self._table.shuffle(self._rng.getrandbits(32))
        elif self._clock() - self._since >= self._timing.empty_s:
            self._new_round_due = False
            if view["phase"] == "settled":
                self._service.submit({"do": "new-round"}, source=SOURCE)

    # -- players

    def _plan_bets(self, view: Mapping[str, Any]) -> list[PlannedBet]:
        mine = [p for p in view["players"] if self._is_simulated(p["name"]) and not p["staked"]]
        least = view["limits"]["min"] or 1
        purses = {p["name"]: p["coins"] for p in mine}
        for name, coins in purses.items():
            if coins < max(12, 3 * least):
                self._service.submit({"do": "buy-in", "player": name, "coins": PURSE}, source=SOURCE)
                purses[name] = coins + PURSE
        return list(plan_bets(purses, view["spots"], self._rng, within_s=self._timing.betting_s, limits=view["limits"]))

    def _is_simulated(self, name: str) -> bool:
        return name in self._names and name not in self._guests

    def _bet(self, bet: PlannedBet) -> None:
        if not self._is_simulated(bet.player):
            return  # a real person has taken the seat since the bets were planned
        try:
            self._service.submit(bet.record(), source=SOURCE)
        except TableError as error:  # over a limit, left the table: a player who is refused shrugs
            log.info("%s does not bet: %s", bet.player, error)

    # -- helpers

    def _betting_left(self) -> float:
        return self._began + self._timing.betting_s - self._clock()

    def _restart_clock(self) -> None:
        self._began = self._since = self._clock()

    def _disturb(self, kind: str) -> None:
        if kind == "lost":
            self._table.lose_camera(LOST_S)
        elif kind == "hand":
            self._table.wave_hand()
        else:
            self._table.glare(self._last_card().id)

    def _misdeal(self, kind: str) -> None:
        if kind == "remove":
            card = self._last_card()
            self._table.remove(card.id, make=card.make, face_up=card.face_up)
        elif kind == "duplicate":
            self._table.deal(self._rng.choice(self._table.lying or (self._last_card(),)).id)
        elif kind == "early":
            if self._service.view("dealer")["phase"] != "betting":
                raise DemoError(message("The bets are closed already. Try it before the next deal."))
            self._table.deal()
        else:
            self._deal_wrong(kind)

    def _deal_wrong(self, kind: str) -> None:
        left = self._table.deck_left
        if not left:
            raise DemoError(message("There is no deck on the demo table. Gather the cards first."))
        card = self._rng.choice(left)
        if kind == "face-down":
            self._table.deal(card, face_up=False)
        else:
            self._table.deal(card, make="forged" if kind == "forged" else "foreign")

    def _last_card(self) -> Any:
        lying = self._table.lying
        if not lying:
            raise DemoError(message("No card lies on the demo table. Deal one first."))
        return lying[-1]

"""Demo agent for Roche: deals on the demo table, and hands over to a visitor who presses 'deal'.

It makes the calls, bets for simulated players and moves cards on the felt. Dealt cards are left to the camera: this
module never issues a `deal`.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.roche.demo.players import NAMES, PURSE, plan_bets
from companion.games.roche.rules import Phase, State
from companion.kernel.messages import Message, joined, message
from companion.plugins.demo import Planned
from companion.plugins.panel import Moment
from hardware.demo.agent import NOTHING_WRONG, Agent
from hardware.demo.card_table import CardTable
from hardware.demo.felt_table import DemoError
from hardware.demo.scene import Card

INCIDENTS: Final[Mapping[str, Message]] = {
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
"""Incidents a visitor can trigger -> button label."""
_POOR: Final = 12


@dataclass(frozen=True, slots=True)
class Timing:
    """The agent's delays, seconds."""

    betting_s: float = 14.0
    result_s: float = 9.0
    between_cards_s: float = 0.5
    empty_s: float = 1.0
    "Delay after bringing a new deck, so that the camera sees that the old cards are gone."
    leftover_s: float = 3.0
    "Delay before leftovers are swept away, unless the dealer is asked about them."
    overdue_s: float = 12.0
    "Before an unread card is mentioned."


class RocheAgent(Agent[CardTable, Timing]):
    """Plays Roche on a demo table automatically, or step by step (see `Agent`)."""

    incidents = INCIDENTS
    at_any_time = frozenset({"glare", "hand"})
    words = (message("The house deals."), message("You deal."))
    default_names = NAMES
    default_timing = Timing()
    purse = PURSE
    _new_round_due = False

    # -- visitor's actions

    def is_due(self, moment: Moment) -> bool:
        return moment.state.phase is not Phase.SETTLED

    @property
    def deck_left(self) -> int:
        return len(self._table.deck_left)

    def left_s(self, moment: Moment) -> float | None:
        return self._betting_left() if moment.state.phase is Phase.BETTING else None

    def do_next(self, moment: Moment) -> None:
        """Lay the next card on the felt; before the deal, the bets are closed first."""
        if not self.is_due(moment):
            raise DemoError.saying("The round is over. Gather the cards to begin the next one.")
        if not self._table.deck_left:
            raise DemoError.saying("There is no deck on the demo table. Gather the cards, then deal.")
        if moment.state.phase is Phase.BETTING:
            self._submit({"do": "no-more-bets"})
        self._table.deal()

    def clear(self, moment: Moment) -> None:
        """Sweep the felt and shuffle the deck; after a cut a new round begins."""
        self._sweep()

    # -- automatic play

    def set_up_table(self, moment: Moment) -> None:
        self._table.restore(moment.state.dealt)

    def step(self, moment: Moment) -> Hashable:
        return moment.state.round, moment.state.phase

    def plan(self, moment: Moment) -> list[Planned]:
        state: State = moment.state
        if state.phase is not Phase.BETTING:
            return []
        staked = {stake.player for stake in state.stakes}
        names = [name for name in self._simulated(moment) if name not in staked]
        moment = self._buy_in(names, moment, max(_POOR, 3 * (state.rules.limits.minimum or 1)))
        return plan_bets(moment, names, self._rng, within_s=self._timing.betting_s)

    def act_when_due(self, moment: Moment) -> None:
        state: State = moment.state
        if self._new_round_due:
            self._begin_round(state)
        elif state.phase is Phase.BETTING:
            self._betting(any(question.kind != "gather" for question in moment.questions))
        elif self._auto and moment.questions:
            self._text = message("The house waits for the dealer's answer.")
        elif state.phase is Phase.DEALING:
            self._dealing(state.dealt)
        else:
            self._settled()

    def _betting(self, is_asked: bool) -> None:
        if self._table.lying and not is_asked and self._waited_s() > self._timing.leftover_s:
            self._sweep(begin_round=False)
            return
        if not self._table.deck_left and not self._table.lying:
            self._table.shuffle(self._rng.getrandbits(32))
            return
        self._carry_out_plan()
        if not self._auto:
            self._text = message("Place your bets, then press “No more bets”.")
        elif is_asked or self._table.lying:
            self._text = message("The house waits: a card lies on the table before the deal.")
        elif self._betting_left() > 0:
            self._text = message("Place your bets.")
        elif not self._plan:
            self._submit({"do": "no-more-bets"})

    def _dealing(self, dealt: Sequence[str]) -> None:
        lying = {card.id for card in self._table.lying}
        behind = [card for card in dealt if card not in lying and card in self._table.deck_left]
        if behind:  # dealt on the dashboard: lay the card on the felt too
            self._table.deal(behind[0])
        elif lying - set(dealt):
            self._text = self._about_uncounted(dealt)
        elif not self._auto:
            self._text = message("Press deal for the next card.")
        elif not self._table.deck_left:
            self._text = message("The deck is used up. Gather the cards.")
        elif self._waited_s() >= self._timing.between_cards_s:
            self._text = message("The house deals.")
            self._table.deal()

    def _about_uncounted(self, dealt: Sequence[str]) -> Message:
        """Return a text about uncounted cards; face-down ones are not named."""
        extra = [card for card in self._table.lying if card.id not in dealt]
        cards = joined(card.id if card.face_up else message("A card face down") for card in extra)
        if self._waited_s() > self._timing.overdue_s:
            return message("{cards} still does not count. The dealer decides, or tidies.", cards=cards)
        return message("{cards} lies on the table and does not count yet.", cards=cards)

    def _settled(self) -> None:
        if not self._auto:
            self._text = message("Look at the result, then gather.")
        elif self._waited_s() >= self._timing.result_s:
            self._sweep()
        else:
            self._text = message("Look at the result.")

    def _sweep(self, *, begin_round: bool = True) -> None:
        self._text = message("The house gathers the cards.")
        self._table.gather()
        self._new_round_due = begin_round
        self._since = self._clock()

    def _begin_round(self, state: State) -> None:
        """Put down a fresh deck on the swept felt, and open the round once the camera must have seen it empty."""
        if not self._table.deck_left:
            self._table.shuffle(self._rng.getrandbits(32))
        elif self._waited_s() >= self._timing.empty_s:
            self._new_round_due = False
            if state.phase is Phase.SETTLED:
                self._submit({"do": "new-round"})

    def _betting_left(self) -> float:
        return self._began + self._timing.betting_s - self._clock()

    # -- incidents

    def check(self, kind: str, moment: Moment) -> None:
        phase = moment.state.phase
        if kind in ("glare", "remove", "duplicate"):
            self._last_card()
        elif kind == "early" and phase is not Phase.BETTING:
            raise DemoError.saying("The bets are closed already. Try it before the next deal.")
        elif kind in ("forged", "foreign", "face-down", "early") and not self._table.deck_left:
            raise DemoError.saying("There is no deck on the demo table. Gather the cards first.")

    def provoke(self, kind: str, moment: Moment) -> Message | None:
        if kind == "tidy" and not self._strays(moment.state.dealt):
            return NOTHING_WRONG
        if kind == "hand":
            self._table.wave_hand()
        elif kind == "glare":
            self._table.glare(self._last_card().id)
        elif kind == "tidy":
            for card in self._strays(moment.state.dealt):
                self._take_away(card)
        elif kind == "remove":
            self._take_away(self._last_card())
        elif kind == "duplicate":
            self._table.deal(self._rng.choice(self._table.lying or (self._last_card(),)).id)
        elif kind == "early":
            self._table.deal()
        elif kind != "lost":
            self._deal_wrong(kind)
        return None

    def _strays(self, dealt: Sequence[str]) -> list[Card]:
        """Return all cards on the table that do not count in the round."""
        counted, found = list(dealt), []
        for card in self._table.lying:
            if card.id in counted and card.make == "genuine" and card.face_up:
                counted.remove(card.id)
            else:
                found.append(card)
        return found

    def _deal_wrong(self, kind: str) -> None:
        card = self._rng.choice(self._table.deck_left)
        if kind == "face-down":
            self._table.deal(card, face_up=False)
        else:
            self._table.deal(card, make="forged" if kind == "forged" else "foreign")

    def _take_away(self, card: Card) -> None:
        self._table.remove(card.id, make=card.make, face_up=card.face_up)

    def _last_card(self) -> Card:
        lying = self._table.lying
        if not lying:
            raise DemoError.saying("No card lies on the demo table. Deal one first.")
        return lying[-1]

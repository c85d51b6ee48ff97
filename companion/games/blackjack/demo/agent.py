"""Demo agent for blackjack: moves cards and chips, and plays for the simulated players.

Cards are left to the camera: this module never reports what was dealt. The dealer deals to the next position, answers
the companion's questions, and corrects what an incident has left behind.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from companion.games.blackjack.commands import DEALER as TO_DEALER
from companion.games.blackjack.demo.players import LOW, NAMES, PURSE, Wish, chips_for, decision, wishes_of
from companion.games.blackjack.demo.table import BlackjackTable, Spot, hand_at
from companion.games.blackjack.mats.places import BET, BOXES, DEALER, INSURANCE
from companion.games.blackjack.shapes import NextCardJson
from companion.games.blackjack.state import Phase, State, may_insure
from companion.games.blackjack.view import next_card
from companion.kernel.messages import Message, message
from companion.objects.chips import CHIPS, Chip
from companion.plugins.demo import Planned
from companion.plugins.panel import Moment, OpenQuestion
from hardware.demo.agent import NOTHING_WRONG, Agent
from hardware.demo.felt_table import DemoError
from hardware.demo.scene import RestingPiece

INCIDENTS: Final[Mapping[str, Message]] = {
    "wrong-box": message("Deal a card to the wrong box"),
    "between": message("Deal a card between two boxes"),
    "face-down": message("Deal a player a card face down"),
    "flash": message("Flash the dealer's face-down card"),
    "late-chip": message("Lay a chip too late"),
    "forged": message("Deal a forged card"),
    "remove": message("Take a dealt card away"),
    "hand": message("Reach over the table"),
    "lost": message("Unplug the camera"),
    "tidy": message("Put right what lies wrong"),
}
"""Incidents a visitor can trigger -> button label."""
_MIN_CARDS: Final = 26
"""Shoe size below which it is reshuffled before the next round."""
_INSURES: Final = 0.25
_ASIDE_MM: Final = 107.0


@dataclass(frozen=True, slots=True)
class Timing:
    """The agent's delays, seconds."""

    open_s: float = 3.0
    "Before the first chip on a mat that is new to the camera."
    betting_s: float = 5.0
    "After the last bet."
    deciding_s: float = 1.2
    between_cards_s: float = 0.2
    asked_s: float = 3.0
    "Before the agent answers a question in automatic play."
    incident_s: float = 6.0
    "Before an incident is corrected."
    result_s: float = 6.0
    overdue_s: float = 12.0
    "Before an unread card is mentioned."


class BlackjackAgent(Agent[BlackjackTable, Timing]):
    """Plays blackjack on a demo table automatically, or step by step (see `Agent`)."""

    incidents = INCIDENTS
    at_any_time = frozenset({"late-chip"})
    words = (message("The house deals."), message("You deal."))
    default_names = NAMES
    default_timing = Timing()
    purse = PURSE
    _opened = 0.0
    _wishes: tuple[Wish, ...] = ()
    _is_over = False
    "Whether cards of a decided round are still on the table."
    _repair: Callable[[], None] | None = None
    "Corrects the pending incident; None without one."
    _insured: frozenset[str] = frozenset()
    "Players who have decided about insurance in this round."
    _slots: Mapping[str, tuple[int, ...]] = {}
    "Player -> slots of the hands in the box."

    # ---- visitor's actions

    def is_due(self, moment: Moment) -> bool:
        state: State = moment.state
        return bool(state.boxes) and not self._is_over and not self._is_behind(state)

    @property
    def deck_left(self) -> int:
        return self._table.cards_left

    def left_s(self, moment: Moment) -> float | None:
        return self._betting_left() if moment.state.phase is Phase.BETTING and not self._wishes else None

    def do_next(self, moment: Moment) -> None:
        """Deal the next card; a player to act takes a hit."""
        if self._is_over:
            raise DemoError.saying("The round is over. Gather the cards to begin the next one.")
        if not self.is_due(moment):
            raise DemoError.saying("Nothing can be dealt now. {prompt}.", prompt=moment.prompt)
        self._wishes = ()
        following = next_card(moment.state)
        assert following is not None, "there are bets"
        self._deal_next(following, moment.state)

    def clear(self, moment: Moment) -> None:
        """Clear cards and chips off the mat."""
        if moment.state.phase is not Phase.BETTING:
            raise DemoError.saying("A round is being played. Play it to its end first.")
        self._sweep()

    # ---- automatic play

    def set_up_table(self, moment: Moment) -> None:
        """Lay out the cards in the state, with a random one as the hole card."""
        state: State = moment.state
        self._opened = self._clock()
        self._slots = {box.player: tuple(range(len(box.hands))) for box in state.boxes}
        self._table.restore(self._known(state))

    def _known(self, state: State) -> Iterator[tuple[str, Spot, bool]]:
        for box in state.boxes:
            for slot, hand in enumerate(box.hands):
                for card in hand.cards:
                    yield card, Spot(hand_at(box.seat, slot)), True
        for card in state.dealer:
            yield card, Spot(DEALER), True
        if state.has_hole and len(state.dealer) == 1:
            yield next(card for card in self._table.cards if card not in state.seen), Spot(DEALER), False

    def step(self, moment: Moment) -> Hashable:
        return moment.rounds, moment.state.phase is Phase.BETTING

    def plan(self, moment: Moment) -> list[Planned]:
        state: State = moment.state
        self._wishes = ()
        if state.phase is Phase.BETTING:
            self._is_over = bool(self._table.lying)
            names = self._simulated(moment)
            self._wishes = tuple(wishes_of(self._buy_in(names, moment, LOW), names, self._rng))
            self._insured, self._slots = frozenset(), {}
        return []

    def act_when_due(self, moment: Moment) -> None:
        state: State = moment.state
        if moment.questions and not (self._is_over and self._is_about_pay(moment)):
            self._answer(moment.questions[0])
        elif self._repair is not None:
            self._text = message("Something lies wrong.")
            if self._auto and self._waited_s() > self._timing.incident_s:
                self._tidy()
        elif state.phase is Phase.BETTING and self._is_over:
            self._look()
        elif state.phase is Phase.BETTING:
            self._betting(state)
        elif self._is_behind(state):
            self._wait_for_camera()
        elif state.phase is Phase.PLAYING and state.hand is not None and not state.hand.is_waiting:
            self._playing(moment)
        else:
            self._dealing(state)

    def _is_about_pay(self, moment: Moment) -> bool:
        return all(question.kind == "paying" for question in moment.questions)

    def _look(self) -> None:
        """Show the result for a while, then pay and clear the mat."""
        self._text = message("Look at the result.")
        if not self._auto:
            self._text = message("Look at the result, then gather.")
        elif self._waited_s() > self._timing.result_s:
            self._sweep()

    def _sweep(self) -> None:
        self._text = message("The house gathers the cards.")
        self._table.take_chips()
        if self._table.lying:
            self._table.gather()
        self._is_over, self._repair = False, None
        self._since = self._clock()

    def _betting(self, state: State) -> None:
        if self._table.cards_left < _MIN_CARDS:
            self._text = message("The shoe is shuffled.")
            self._table.shuffle(self._rng.getrandbits(32))
        elif self._wishes:
            self._text = message("Place your bets.")
            if self._clock() - self._opened > self._timing.open_s:
                wish, *rest = self._wishes
                self._wishes = tuple(rest)
                self._bet(wish)
        elif not state.boxes:
            self._text = message("Place your bets.")
        elif not self._auto:
            self._text = message("Press Deal in the Demo tab for the first card.")
        elif self._betting_left() <= 0:
            self._dealing(state)
        else:
            self._text = message("The house deals soon.")

    def _bet(self, wish: Wish) -> None:
        self._since = self._clock()
        if not self._is_simulated(wish.player):  # a real player has taken the seat since
            return
        if wish.is_on_phone or wish.seat not in BOXES:
            self._try(wish.record)
            return
        for chip in wish.chips:
            self._table.lay_chip(chip, f"{BET}{wish.seat}")

    def _dealing(self, state: State) -> None:
        self._text = (
            message("The house deals.") if self._auto else message("Press Deal in the Demo tab for the next card.")
        )
        following = next_card(state)
        if self._auto and following is not None and self._waited_s() >= self._timing.between_cards_s:
            self._deal_next(following, state)

    def _deal_next(self, following: NextCardJson, state: State) -> None:
        """Deal the next card, or turn the dealer's hole card."""
        self._since = self._clock()
        if following["do"] == "reveal":
            self._table.turn(self._hole().card.id)
        elif following["do"] == "hole":
            self._table.deal(Spot(DEALER), is_up=False)
        else:
            self._table.deal(self._spot(following, state))

    def _spot(self, following: NextCardJson, state: State) -> Spot:
        if following["to"] == TO_DEALER:
            return Spot(DEALER)
        return Spot(self._place_of(state, following["to"], following["hand"] - 1))

    def _place_of(self, state: State, player: str, hand: int) -> str:
        box = state.box_of(player)
        assert box is not None, "cards go to those with a bet"
        slots = self._slots.get(player, (0,))
        return hand_at(box.seat, slots[hand] if hand < len(slots) else hand)

    # ---- players' decisions

    def _playing(self, moment: Moment) -> None:
        state: State = moment.state
        player = str(state.turn)
        who = [name for name in may_insure(state) if name not in self._insured and self._is_simulated(name)]
        if who:
            self._insure(who[0], state)
        elif not self._is_simulated(player) or not self._auto:
            self._text = message("{player} decides: stand, or press Deal in the Demo tab for a card.", player=player)
        elif self._waited_s() > self._timing.deciding_s:
            self._decide(decision(moment, self._rng), state, player)
        else:
            self._text = message("{player} thinks.", player=player)

    def _insure(self, player: str, state: State) -> None:
        """Insure at random, with chips on the line if one or two chips make the amount."""
        self._insured |= {player}
        box = state.box_of(player)
        if box is None or self._rng.random() >= _INSURES:
            return
        chips = chips_for(box.seat, box.hands[0].amount // 2) if box.seat in BOXES else ()
        if not chips or len(chips) > 2:
            self._try({"do": "insure", "player": player})
        for chip in chips if len(chips) <= 2 else ():
            self._table.lay_chip(chip, INSURANCE)

    def _decide(self, do: str, state: State, player: str) -> None:
        assert state.at is not None, "somebody decides"
        self._since = self._clock()
        where = self._place_of(state, player, state.at[1])
        if do in ("stand", "surrender"):
            self._try({"do": do, "player": player})
            return
        if do in ("double", "split"):
            self._lay_as_much(state, player)
        if do == "split":
            self._split(state, player, where)
        else:
            self._table.deal(Spot(where, is_across=do == "double"))

    def _lay_as_much(self, state: State, player: str) -> None:
        """Lay a second stake for the hand, if the player bets with chips."""
        box = state.box_of(player)
        assert box is not None, "whoever decides has a box"
        assert state.at is not None, "somebody decides"
        if any(CHIPS[thing.card.id].seat == box.seat for thing in self._table.chips):
            for chip in chips_for(box.seat, box.hands[state.at[1]].amount):
                self._table.lay_chip(chip, f"{BET}{box.seat}")

    def _split(self, state: State, player: str, where: str) -> None:
        """Move a pair's upper card aside, and deal a second card to the other."""
        assert state.at is not None, "somebody decides"
        box = state.box_of(player)
        own = [thing for thing in self._table.lying if thing.where == where]
        if box is None or len(own) != 2:
            raise DemoError.saying("The pair does not lie where it was dealt. Put it right by hand.")
        slots = self._slots.get(player, (0,))
        free = next(slot for slot in range(4) if slot not in slots)
        place = state.at[1] + 1
        self._slots = {**self._slots, player: (*slots[:place], free, *slots[place:])}
        self._table.move(own[1].card.id, Spot(hand_at(box.seat, free)))
        self._table.deal(Spot(where))

    # ---- camera lag

    def _is_behind(self, state: State) -> bool:
        """Whether a dealt card has not been counted yet."""
        if self._is_over or self._repair is not None:
            return False
        counted = len(state.seen) + (state.has_hole and len(state.dealer) == 1)
        return len(self._table.lying) > counted or (state.phase is Phase.REVEAL and not self._has_hole())

    def _wait_for_camera(self) -> None:
        self._text = message("The card is read.")
        if self._waited_s() > self._timing.overdue_s:
            self._text = message("A card still does not count. The dealer decides, or tidies.")

    def _hole(self) -> RestingPiece:
        thing = next((one for one in self._table.lying if not one.card.face_up and one.where == DEALER), None)
        if thing is None:
            raise DemoError.saying("No card of the dealer's lies face down.")
        return thing

    def _has_hole(self) -> bool:
        return any(not one.card.face_up and one.where == DEALER for one in self._table.lying)

    def _betting_left(self) -> float:
        return self._since + self._timing.betting_s - self._clock()

    # ---- questions

    def _answer(self, question: OpenQuestion) -> None:
        """Answer a question for the dealer in automatic play, or correct the incident behind it."""
        if not self._may_answer(question, self._timing.asked_s if self._repair is None else self._timing.incident_s):
            return
        if self._repair is not None:
            self._tidy()
            return
        known = [choice for choice, _ in question.choices]
        ways = ("away", "back", "all", "count", "stand", "deal", "hit", "leave")
        self._reply(question, next((choice for choice in ways if choice in known), known[0]))

    def _tidy(self) -> None:
        repair, self._repair = self._repair, None
        self._since = self._clock()
        if repair is not None:
            repair()

    # ---- incidents

    def check(self, kind: str, moment: Moment) -> None:
        state: State = moment.state
        following = next_card(state)
        if kind in ("wrong-box", "between", "face-down", "forged"):
            if not self._can_deal(state) or following is None or following["to"] == TO_DEALER:
                raise DemoError.saying("No player gets a card now. Try it while cards are dealt to the boxes.")
        elif kind == "flash":
            if state.phase is not Phase.PLAYING or not self._has_hole() or self._repair is not None:
                raise DemoError.saying("The dealer has no face-down card now. Try it while the players decide.")
        elif kind == "late-chip":
            if state.phase is Phase.BETTING or not self._late_seats(state):
                raise DemoError.saying("Bets are still open. Try it once cards are dealt.")
        elif kind == "remove" and (self._is_over or self._repair is not None or not self._in_boxes()):
            raise DemoError.saying("No card lies in a box now. Deal one first.")

    def provoke(self, kind: str, moment: Moment) -> Message | None:
        if kind == "tidy" and self._repair is None:
            return NOTHING_WRONG
        state: State = moment.state
        acts: Mapping[str, Callable[[], None]] = {
            "lost": lambda: None,
            "hand": self._table.wave_hand,
            "tidy": self._tidy,
            "flash": self._flash,
            "late-chip": lambda: self._late_chip(state),
            "remove": self._remove,
        }
        if kind in acts:
            acts[kind]()
        else:
            self._deal_wrong(kind, state)
        self._since = self._clock()
        return None

    def _deal_wrong(self, kind: str, state: State) -> None:
        following = next_card(state)
        assert following is not None, "it was checked"
        right = self._spot(following, state)
        if kind == "wrong-box":
            self._deal_known(self._other_box(state, following["to"]), right)
        elif kind == "between":
            self._deal_known(Spot(right.where, aside_mm=_ASIDE_MM), right)
        elif kind == "face-down":
            card = self._table.next_card
            self._table.deal(right, card, is_up=False)
            self._repair = lambda: self._table.turn(card)
        else:
            card = self._table.next_card
            self._table.deal(Spot(right.where), card, make="forged")
            self._repair = lambda: self._table.take(card, "forged")

    def _deal_known(self, wrong: Spot, right: Spot) -> None:
        card = self._table.next_card
        self._table.deal(wrong, card)
        self._repair = lambda: self._table.move(card, right)

    def _can_deal(self, state: State) -> bool:
        return bool(state.boxes) and not self._is_over and self._repair is None and not self._is_behind(state)

    def _other_box(self, state: State, player: str) -> Spot:
        own = state.box_of(player)
        free = [seat for seat in BOXES if own is None or seat != own.seat]
        return Spot(hand_at(self._rng.choice(free)))

    def _flash(self) -> None:
        card = self._hole().card.id
        self._table.turn(card)
        self._repair = lambda: self._table.turn(card)

    def _late_seats(self, state: State) -> list[int]:
        return [box.seat for box in state.boxes if box.player != state.turn and self._is_simulated(box.player)]

    def _late_chip(self, state: State) -> None:
        seat = self._rng.choice(self._late_seats(state))
        self._table.lay_chip(Chip(seat, 500), f"{BET}{seat}")
        self._repair = lambda: self._table.take_chip(Chip(seat, 500))

    def _in_boxes(self) -> list[RestingPiece]:
        return [thing for thing in self._table.lying if thing.card.face_up and thing.where != DEALER]

    def _remove(self) -> None:
        thing = self._in_boxes()[-1]
        self._table.take(thing.card.id)
        self._repair = lambda: self._table.deal(Spot(thing.where), thing.card.id)

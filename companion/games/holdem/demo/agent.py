"""Demo agent for hold'em: deals on the demo table and plays for the simulated players.

They bet by phone or voice, and fold by phone or by pushing their cards away. Board cards and shown hands are left to
the camera; the agent enters them only if the camera does not read them in time.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from companion.games.holdem.demo.players import NAMES, POOR, PURSE, decide, gives_up
from companion.games.holdem.demo.table import BOARD, CHIP, STRAY, HoldemTable
from companion.games.holdem.showdown import may_be_tabled
from companion.games.holdem.state import BETTING, Phase, Player, State
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.plugins.demo import Planned
from companion.plugins.panel import Moment, OpenQuestion
from hardware.demo.agent import NOTHING_WRONG, Agent
from hardware.demo.felt_table import DemoError

INCIDENTS: Final[Mapping[str, Message]] = {
    "misdeal": message("Deal somebody a third card"),
    "exposed": message("Flash a hole card in the deal"),
    "early": message("Lay a board card too early"),
    "forged": message("Lay a forged card on the board"),
    "touch": message("Let a mucked card touch a live hand"),
    "late": message("Lay a chip after the betting"),
    "hand": message("Reach over the table"),
    "lost": message("Unplug the camera"),
    "tidy": message("Put right what lies wrong"),
}
"""Incidents a visitor can trigger -> button label."""
_LATER: Final[Mapping[str, Message]] = {
    "misdeal": message("It comes with the next deal."),
    "exposed": message("It comes with the next deal."),
    "forged": message("It comes with the next board card."),
    "touch": message("It comes when somebody mucks."),
    "late": message("It comes after this betting round."),
}
"""Incidents that wait for the right moment in a hand -> announcement."""
BETWEEN: Final = (Phase.READY, Phase.BREAK, Phase.OVER)
_BOARD_AFTER: Final = {Phase.DEAL_FLOP: 3, Phase.DEAL_TURN: 4, Phase.DEAL_RIVER: 5}
_BY_HAND: Final = 0.4
"""Share of folds made by pushing the cards away."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The agent's delays, seconds."""

    open_s: float = 4.0
    "Before the first deal on a mat that is new to the camera."
    think_s: float = 1.4
    result_s: float = 8.0
    asked_s: float = 2.0
    "Before a regular question of the game is answered in automatic play."
    incident_s: float = 6.0
    "Before an incident is corrected."
    overdue_s: float = 9.0
    "Before the dealer enters cards the camera has not read."
    late_s: float = 6.0
    "Delay of a late chip after the betting."


class HoldemAgent(Agent[HoldemTable, Timing]):
    """Plays hold'em on a demo table automatically, or step by step (see `Agent`)."""

    incidents = INCIDENTS
    at_any_time = frozenset(_LATER)
    words = (message("The house deals."), message("You deal."))
    default_names = NAMES
    default_timing = Timing()
    purse = PURSE
    _coming: str = ""
    "Pending incident, or empty."
    _dealt = 0
    "Number of the last hand dealt."
    _burnt: tuple[int, Phase] | None = None
    "Hand and phase of the last burn."
    _given_up: frozenset[str] = frozenset()
    "Players who pushed their cards away in this step."
    _opened = 0.0
    entered = 0
    "Number of entries by the dealer for cards the camera had not read."

    # -- visitor's actions

    def is_due(self, moment: Moment) -> bool:
        return moment.state.phase not in BETTING

    @property
    def deck_left(self) -> int:
        return self._table.deck_left

    def do_next(self, moment: Moment) -> None:
        """Do the dealer's next step: gather, begin a hand, deal, lay the board, or have a hand shown."""
        state: State = moment.state
        if state.phase is Phase.READY:
            self._begin_hand(moment)
        elif state.phase is Phase.HOLE and self._dealt != state.hand:
            self._deal(state)
        elif state.phase in _BOARD_AFTER:
            self._lay_board(state)
        elif state.phase is Phase.SHOWDOWN:
            self._show(state.actor)
        else:
            raise DemoError.saying("Nothing can be dealt yet. {prompt}.", prompt=moment.prompt)

    def clear(self, moment: Moment) -> None:
        """Take all cards off the table."""
        if moment.state.phase not in BETWEEN:
            raise DemoError.saying("A hand is under way. Gather the cards when it is decided.")
        self._table.gather()

    def may_clear(self, moment: Moment) -> bool:
        return moment.state.phase in BETWEEN

    # -- automatic play

    def set_up_table(self, moment: Moment) -> None:
        """Lay out the hand in progress; unknown hole cards are replaced by random ones."""
        self._opened = self._clock()
        state: State = moment.state
        if state.phase in BETWEEN:
            return
        self._dealt = 0 if state.phase is Phase.HOLE else state.hand
        live = [] if state.phase is Phase.HOLE else [p for p in state.players if not (p.folded or p.mucked)]
        self._table.restore([p.seat for p in live], state.board, {p.seat: p.cards for p in live if p.cards})

    def step(self, moment: Moment) -> Hashable:
        state: State = moment.state
        return state.phase, state.hand, moment.turn

    def plan(self, moment: Moment) -> tuple[Planned, ...]:
        self._given_up = frozenset()
        return ()

    def act_when_due(self, moment: Moment) -> None:
        state: State = moment.state
        asked = [one for one in moment.questions if one.kind != "unsure" or self._waited_s() > self._timing.asked_s]
        if asked:
            self._answer(asked[0], moment)
        elif self._muck_folded(state):
            return
        elif state.phase in BETWEEN:
            self._between(moment)
        elif state.phase in BETTING:
            self._bet(moment)
        elif state.phase is Phase.HOLE:
            self._hole(moment)
        elif state.phase is Phase.SHOWDOWN:
            self._showdown(moment)
        else:
            self._board(state)

    def _between(self, moment: Moment) -> None:
        """Between hands."""
        if not self._auto:
            self._text = message("Press Deal in the Demo tab for the next hand.")
        elif self._clock() - self._opened < self._timing.open_s:
            return
        elif moment.state.decided is not None and self._has_cards() and self._waited_s() < self._timing.result_s:
            self._text = message("Look at the result.")
        else:
            self._begin_hand(moment)

    def _begin_hand(self, moment: Moment) -> None:
        self._since = self._clock()
        if self._has_cards():
            self._text = message("The cards are gathered and shuffled.")
            self._table.gather()
        elif not self._table.deck_left:
            self._table.shuffle()
        else:
            if not self._ready_to_post(moment):
                return
            if self._service.moment().accepts({"do": "post"}):
                self._submit({"do": "post"})
            else:
                self._text = message("A hand needs two players with coins.")

    def _ready_to_post(self, moment: Moment) -> bool:
        """Prepare for the blinds; return whether a hand may begin."""
        self._buy_in(self._simulated(moment), moment, POOR)
        return True

    def _hole(self, moment: Moment) -> None:
        state: State = moment.state
        if self._dealt != state.hand:
            self._text = (
                message("The cards are dealt.") if self._auto else message("Press Deal in the Demo tab for the cards.")
            )
            if self._auto:
                self._deal(state)
        elif self._waited_s() > self._timing.overdue_s:
            self._enter({"do": "hole", "player": state.actor.name})

    def _deal(self, state: State) -> None:
        """Move the button and deal two rounds starting left of it."""
        self._dealt, seats = state.hand, [player.seat for player in state.players]
        self._table.move_button(state.button)
        flashed = self._rng.randrange(len(seats)) if self._take_up("exposed") else -1
        for number, seat in enumerate([*seats, *seats]):
            self._table.deal_hole([seat], is_up=number == flashed)
        if self._take_up("misdeal"):
            self._table.deal_hole([self._rng.choice(seats)])
        self._since = self._clock()

    def _board(self, state: State) -> None:
        laid, hidden = self._laid(), self._face_down(state)
        if hidden and self._auto:
            self._text = message("Nobody can bet any more: the hands are turned up.")
            for player in hidden:
                self._show(player)
        elif laid < _BOARD_AFTER[state.phase]:
            self._text = (
                message("The board is laid.") if self._auto else message("Press Deal in the Demo tab for the board.")
            )
            if self._is_chip_due() and self._waited_s() > self._timing.late_s:
                self._coming = ""
                self._table.lay_chip(self._rng.choice([p.seat for p in state.players if not p.folded]))
            elif self._auto and not self._is_chip_due():
                self._lay_board(state)
        elif self._waited_s() > self._timing.overdue_s:
            new = [thing.card.id for thing in self._table.at(BOARD) if thing.card.id not in state.board]
            self._enter({"do": "board", "cards": new})

    def _face_down(self, state: State) -> list[Player]:
        """Return simulated players who may show early and have not."""
        names = [name for name in may_be_tabled(state) if self._is_simulated(name)]
        return [p for p in state.players if p.name in names and len(self._table.at(_place(p), is_up=False)) == 2]

    def _is_chip_due(self) -> bool:
        return self._coming == "late"

    def _lay_board(self, state: State) -> None:
        missing = _BOARD_AFTER[state.phase] - self._laid()
        if missing <= 0:
            raise DemoError.saying("The board lies there already. Wait until it is read.")
        if self._burnt != (state.hand, state.phase):
            self._table.burn()
            self._burnt = state.hand, state.phase
        if self._take_up("forged"):
            self._table.lay_board(1, make="forged")
            missing -= 1
        self._table.lay_board(missing)
        self._since = self._clock()

    def _laid(self) -> int:
        return sum(thing.card.make == "genuine" for thing in self._table.at(BOARD))

    def _bet(self, moment: Moment) -> None:
        state: State = moment.state
        player = state.actor
        if not self._is_simulated(player.name) or player.name in self._given_up:
            self._text = message("{prompt}.", prompt=moment.prompt)
            if player.name in self._given_up and self._waited_s() > self._timing.overdue_s:
                self._enter({"do": "fold", "player": player.name})
        elif self._waited_s() > self._timing.think_s:
            self._text = message("The players bet.")
            record = self._betting_command(state, player)
            if record["do"] == "fold" and self._rng.random() < _BY_HAND:
                self._push_away(player, state)
            else:
                self._try(record)
            self._since = self._clock()

    def _betting_command(self, state: State, player: Player) -> Record:
        """Return a player's decision."""
        return decide(state, self._held(player), self._rng)

    def _showdown(self, moment: Moment) -> None:
        state: State = moment.state
        player = state.actor
        self._text = message("{prompt}.", prompt=moment.prompt)
        open_ = self._table.at(_place(player), is_up=True)
        if player.name in self._given_up or len(open_) == 2:
            if self._waited_s() > self._timing.overdue_s:
                muck = player.name in self._given_up
                cards = {} if muck else {"cards": [thing.card.id for thing in open_]}
                self._enter({"do": "muck" if muck else "show", "player": player.name, **cards})
        elif self._auto and self._waited_s() > self._show_after_s(player):
            if self._is_simulated(player.name) and gives_up(state, self._held(player), self._rng):
                self._push_away(player, state)
            else:
                self._show(player)
            self._since = self._clock()

    def _show_after_s(self, player: Player) -> float:
        """Return the delay before a hand is turned up; a real person has time to muck it by phone."""
        return self._timing.think_s if self._is_simulated(player.name) else self._timing.overdue_s

    def _show(self, player: Player) -> None:
        self._table.show(player.seat)

    def _push_away(self, player: Player, state: State) -> None:
        """Muck a player's cards, or drop them onto a live hand as an incident."""
        live = [p.seat for p in state.players if p is not player and not (p.folded or p.mucked)]
        onto = self._rng.choice(live) if live and self._take_up("touch") else None
        self._table.muck(player.seat, onto)
        self._given_up |= {player.name}

    def _muck_folded(self, state: State) -> bool:
        """Muck the cards of a player who folded by phone; return whether there was one."""
        if not self._auto:
            return False
        for player in state.players:
            if (player.folded or player.mucked) and self._table.at(_place(player), is_up=False):
                self._push_away(player, state)
                return True
        return False

    def _enter(self, record: Record) -> None:
        """Enter cards the camera has not read, in automatic play."""
        if self._auto:
            self.entered += 1
            self._since = self._clock()
            self._try(record)

    def _held(self, player: Player) -> tuple[str, ...]:
        return tuple(thing.card.id for thing in self._table.at(_place(player)))[:2]

    def _has_cards(self) -> bool:
        return any(thing.where in (BOARD, STRAY) or thing.where.startswith("seat/") for thing in self._table.lying)

    # -- questions

    def _answer(self, question: OpenQuestion, moment: Moment) -> None:
        """Answer a question for the dealer in automatic play."""
        is_of_game = question.kind in ("gone", "unsure", "gather")
        if not self._may_answer(question, self._timing.asked_s if is_of_game else self._timing.incident_s):
            return
        known = [choice for choice, _ in question.choices]
        if question.kind == "gone":
            self._reply(question, "yes" if moment.turn in self._given_up else "leave")
        elif question.kind == "unsure":
            self._reply(question, "yes")
        elif question.kind == "gather":
            self._reply(question, "count" if self._dealt == moment.state.hand else "aside")
        elif not self._tidy(moment.state):
            self._reply(question, next(choice for choice in ("leave", "aside", *known) if choice in known))

    def _tidy(self, state: State) -> bool:
        """Correct everything that is wrong on the table; return whether anything was."""
        wrong = [*self._wrong(state)]
        for put_right in wrong:
            put_right()
        self._since = self._clock()
        return bool(wrong)

    def _wrong(self, state: State) -> list[Callable[[], None]]:
        table, found = self._table, list[Callable[[], None]]()
        found += [partial(table.to_muck, thing) for thing in table.at(STRAY)]
        found += [partial(table.take, thing) for thing in table.at(CHIP) if state.phase not in BETTING]
        due = _BOARD_AFTER.get(state.phase, len(state.board))
        good = [thing for thing in table.at(BOARD) if thing.card.make == "genuine"]
        found += [partial(table.take, thing) for thing in table.at(BOARD) if thing not in good[:due]]
        for player in state.players:
            here = table.at(_place(player))
            found += [partial(table.take, thing) for thing in here[2:]]
            is_early = state.phase is Phase.HOLE or state.phase in BETTING
            if is_early and any(thing.card.face_up for thing in here):
                found.append(partial(table.hide, player.seat))
        return found

    # -- incidents

    def check(self, kind: str, moment: Moment) -> None:
        state: State = moment.state
        if kind == "early" and (state.phase not in BETTING or len(state.board) == 5):
            raise DemoError.saying("No board card can come too early now. Try it while bets are made.")

    def provoke(self, kind: str, moment: Moment) -> Message | None:
        state: State = moment.state
        if kind in _LATER:
            self._coming = kind
            return _LATER[kind]
        if kind == "tidy" and not self._wrong(state):
            return NOTHING_WRONG
        if kind == "hand":
            self._table.wave_hand()
        elif kind == "tidy":
            self._tidy(state)
        elif kind == "early":
            self._table.lay_board()
        return None

    def _take_up(self, kind: str) -> bool:
        """Return whether this incident is pending, and clear it."""
        is_due = self._coming == kind
        self._coming = "" if is_due else self._coming
        return is_due


def _place(player: Player) -> str:
    return f"seat/{player.seat}"

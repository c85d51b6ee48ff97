"""Demo agent for King of Roulette: players vote, rig, guess and bet, half of them on phones, half with cards.

Cards are left to the camera; phones send commands as real ones do. The agent answers the companion's questions as a
dealer would, and corrects what an incident has left behind. Its texts and logs reveal no secrets.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Final

from companion.games.king.camera.interpreter import READ
from companion.games.king.demo.players import (
    NAMES,
    PURSE,
    Laid,
    bet_card,
    card_choices,
    has_phone,
    phone_choices,
    vote,
)
from companion.games.king.demo.table import BEFORE, KingTable, Spot
from companion.games.king.printed.cards import PLAYERS
from companion.games.king.spaces import RIGGED
from companion.games.king.state import MIN_PLAYERS, Phase, State, highest
from companion.games.king.view import waiting_for
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.plugins.demo import Planned
from companion.plugins.panel import Moment, OpenQuestion
from hardware.demo.agent import NOTHING_WRONG, Agent
from hardware.demo.faces import Make
from hardware.demo.felt_table import DemoError
from hardware.demo.scene import RestingPiece

INCIDENTS: Final[Mapping[str, Message]] = {
    "early": message("Turn a card up too early"),
    "wrong-space": message("Lay a card on another space than it says"),
    "between": message("Lay a card between two spaces"),
    "two": message("Lay two bets"),
    "king-bets": message("Let the king bet"),
    "forged": message("Lay a forged card"),
    "away": message("Let a player drop out for a while"),
    "hand": message("Reach over the table"),
    "lost": message("Unplug the camera"),
    "tidy": message("Put right what lies wrong"),
}
"""Incidents a visitor can trigger -> button label."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The agent's delays, seconds."""

    choosing_s: float = 9.0
    "Time within which everybody has chosen."
    result_s: float = 9.0
    deciding_s: float = 4.0
    "Before a king or candidate is named."
    asked_s: float = 3.0
    "Before a question is answered in automatic play."
    incident_s: float = 7.0
    "Before an incident is corrected."
    away_s: float = 20.0
    reveal_s: float = 2.5
    overdue_s: float = 15.0


@dataclass(frozen=True, slots=True)
class Turned:
    """A player's card on the table, or planned: first face down, then face up."""

    seat: int
    laid: Laid
    at_s: float


class KingAgent(Agent[KingTable, Timing]):
    """Plays King of Roulette on a demo table automatically, or step by step (see `Agent`)."""

    incidents = INCIDENTS
    at_any_time = frozenset({"away"})
    words = (message("They play."), message("You reveal."))
    default_names = NAMES
    default_timing = Timing()
    purse = PURSE
    _to_lay: tuple[Turned, ...] = ()
    _held: tuple[Turned, ...] = ()
    "Cards laid face down and not turned up yet."
    _shown: tuple[Turned, ...] = ()
    _misplaced: frozenset[str] = frozenset()
    "IDs of misplaced cards."
    _has_old_cards = False
    "Whether cards of an earlier step are still on the table."
    _away: tuple[str, float] = ("", 0.0)
    "Player who dropped out, and until when."

    # -- visitor's actions

    def is_due(self, moment: Moment) -> bool:
        return moment.accepts({"do": "reveal"}) or (bool(self._held) and not self._misses_phones(moment))

    def left_s(self, moment: Moment) -> float | None:
        return None

    def do_next(self, moment: Moment) -> None:
        """Turn up the cards; reveal once all choices are in."""
        if not self.is_due(moment):
            raise DemoError.saying("Nothing can be revealed yet. {prompt}.", prompt=moment.prompt)
        if moment.accepts({"do": "reveal"}):
            self._submit({"do": "reveal"})
        else:
            self._turn_all_up()

    def clear(self, moment: Moment) -> None:
        """Take all cards off the table; the players will lay theirs again."""
        self._table.gather()
        self._to_lay, self._held, self._shown = (*self._to_lay, *self._held), (), ()
        self._has_old_cards = False

    # -- automatic play

    def set_up_table(self, moment: Moment) -> None:
        """No-op: missing secrets are chosen anew after a restart."""

    def step(self, moment: Moment) -> Hashable:
        state: State = moment.state
        return state.phase, state.round, state.king, len(state.players)

    def plan(self, moment: Moment) -> list[Planned]:
        state: State = moment.state
        self._has_old_cards = bool(self._table.lying)
        self._to_lay, self._held, self._shown, self._misplaced = (), (), (), frozenset()
        start = self._timing.result_s if self._has_old_cards or state.revealed is not None else 0.0
        names = self._simulated(moment)
        match state.phase:
            case Phase.VOTE if len(state.players) >= MIN_PLAYERS:
                wishes = [(vote(state.names, name, self._rng), name) for name in names if name in waiting_for(state)]
                return self._spread(wishes, 0.0)
            case Phase.ROUND:
                return self._plan_round(moment, names, start)
            case Phase.SUCCESSION if str(state.king) in names:
                wish: Record = {"do": "elect", "player": self._rng.choice(state.tied)}
                return [Planned(self._timing.deciding_s, wish, (str(state.king),))]
            case Phase.CHOOSE:
                first = [name for name in highest(state.players) if name in names]
                wish = {"do": "choose", "player": self._rng.choice(state.tied)}
                return [Planned(self._timing.deciding_s, wish, (first[0],))] if first else []
            case Phase.OVER if names and self._auto:
                return [Planned(2 * self._timing.result_s, {"do": "new-game"})]
        return []

    def _plan_round(self, moment: Moment, names: tuple[str, ...], start: float) -> list[Planned]:
        state: State = moment.state
        wishes: list[tuple[Record, str]] = []
        for name in (name for name in names if name in waiting_for(state)):
            seat = state.player(name).seat.number
            if has_phone(seat):
                wishes += [(record, name) for record in phone_choices(moment, name, self._rng)]
            else:
                at = start + self._rng.uniform(0.2, 0.9) * self._timing.choosing_s
                self._to_lay += tuple(Turned(seat, laid, at) for laid in card_choices(state, name, self._rng))
        return self._spread(wishes, start)

    def _spread(self, wishes: list[tuple[Record, str]], start: float) -> list[Planned]:
        """Spread commands over the choosing time; each player's stay in order."""
        times = sorted(start + self._rng.uniform(0.1, 0.9) * self._timing.choosing_s for _ in wishes)
        return [Planned(at, record, (name,)) for at, (record, name) in zip(times, self._mixed(wishes), strict=True)]

    def _mixed(self, wishes: list[tuple[Record, str]]) -> list[tuple[Record, str]]:
        order = [name for _, name in wishes]
        self._rng.shuffle(order)
        own = {name: iter([record for record, whose in wishes if whose == name]) for name in order}
        return [(next(own[name]), name) for name in order]

    def act_when_due(self, moment: Moment) -> None:
        state: State = moment.state
        if self._has_old_cards and self._clock() - self._began > self._timing.result_s / 2:
            self._text = message("The cards are taken back.")
            self._table.gather()
            self._has_old_cards = False
            return
        self._carry_out_plan()
        self._lay_due()
        is_choosing = bool(self._to_lay or self._plan) or self._misses_phones(moment)
        asked = [one for one in moment.questions if one.kind != "open" or not (is_choosing or self._held)]
        if asked:
            self._answer(asked[0])
        elif state.phase is not Phase.ROUND:
            self._text = message("{prompt}.", prompt=moment.prompt)
            self._plan_anew(moment)
        elif moment.accepts({"do": "reveal"}):
            self._reveal()
        elif is_choosing:
            self._text = self._who_is_away() or message("Everybody chooses in secret.")
        elif self._held and self._auto:
            self._text = message("All have chosen: the cards are turned up.")
            if self._waited_s() > self._timing.reveal_s:
                self._turn_all_up()
        else:
            self._text = (
                message("The cards are read.")
                if self._auto
                else message("Press Deal in the Demo tab to turn the cards up.")
            )
            self._plan_anew(moment)

    def _plan_anew(self, moment: Moment) -> None:
        """Replan after a tied vote, a rejected command or an unread card, with a delay."""
        state: State = moment.state
        is_vote = state.phase is Phase.VOTE and not self._plan and bool(waiting_for(state))
        if self._waited_s() > (self._timing.asked_s if is_vote else self._timing.overdue_s) and (self._auto or is_vote):
            self._step = None

    def _lay_due(self) -> None:
        now = self._clock() - self._began
        due = [one for one in self._to_lay if one.at_s <= now]
        for one in due:
            is_kings = not one.laid.where.startswith("bet/")
            where = one.laid.where if is_kings else f"{BEFORE}{one.seat}"
            self._table.lay(one.seat, one.laid.card, Spot(where), is_up=False)
            self._held += (one,)
        self._to_lay = tuple(one for one in self._to_lay if one not in due)

    def _turn_all_up(self) -> None:
        for one in self._held:
            self._table.turn_up(one.seat, one.laid.card, Spot(one.laid.where))
        self._shown, self._held = (*self._shown, *self._held), ()
        self._since = self._clock()

    def _reveal(self) -> None:
        self._text = message("All is in: the round is revealed.") if self._auto else message("Press to reveal.")
        if self._auto and self._waited_s() > self._timing.reveal_s:
            self._submit({"do": "reveal"})
            self._since = self._clock()

    def _misses_phones(self, moment: Moment) -> bool:
        """Whether a choice is missing from a player who has laid no card."""
        state: State = moment.state
        seats = {one.seat for one in (*self._held, *self._shown)}
        return any(state.player(name).seat.number not in seats for name in waiting_for(state))

    # -- questions

    def _answer(self, question: OpenQuestion) -> None:
        """Answer a question for the dealer in automatic play."""
        is_of_game = question.kind == "open"
        if not self._may_answer(question, self._timing.asked_s if is_of_game else self._timing.incident_s):
            return
        if is_of_game:
            self._reply(question, READ)
        else:
            self._tidy()

    # -- incidents

    def check(self, kind: str, moment: Moment) -> None:
        state: State = moment.state
        if kind in ("early", "wrong-space", "between", "two", "forged") and not self._bets_held():
            raise DemoError.saying("No bet lies face down now. Wait until somebody has laid one.")
        if kind == "king-bets" and (state.phase is not Phase.ROUND or state.king is None):
            raise DemoError.saying("There is no king now. Wait for the next round.")
        if kind == "away" and not self._choosing_by_phone():
            raise DemoError.saying("Everybody with a phone has chosen. Try it in the next round.")

    def provoke(self, kind: str, moment: Moment) -> Message | None:
        if kind == "tidy" and not self._wrong():
            return NOTHING_WRONG
        state: State = moment.state
        acts: Mapping[str, Callable[[], None]] = {
            "lost": lambda: None,
            "hand": lambda: self._table.wave_hand(self._rng.randint(1, 6)),
            "tidy": self._tidy,
            "away": self._drop_out,
            "king-bets": lambda: self._kings_bet(state),
            "early": lambda: self._table.turn_up(*self._one_held()),
            "wrong-space": self._lay_wrong,
            "between": lambda: self._lay_wrong(aside_mm=46.0),
            "two": lambda: self._lay_second(state),
            "forged": lambda: self._lay_second(state, "forged"),
        }
        acts[kind]()
        self._since = self._clock()
        return None

    def _one_held(self) -> tuple[int, str, Spot]:
        """Pick a face-down bet at random, mark it as shown, and return its seat, card and spot."""
        one = self._a_bet()
        self._held = tuple(other for other in self._held if other != one)
        self._shown = (*self._shown, one)
        return one.seat, one.laid.card, Spot(one.laid.where)

    def _bets_held(self) -> list[Turned]:
        return [one for one in self._held if one.laid.where.startswith("bet/")]

    def _a_bet(self) -> Turned:
        return self._rng.choice(self._bets_held())

    def _lay_wrong(self, aside_mm: float | None = None) -> None:
        """Turn a card up on a wrong space, or off its own space by ``aside_mm``."""
        seat, card, spot = self._one_held()
        others = [f"bet/{space}" for space in RIGGED if f"bet/{space}" != spot.where]
        wrong = Spot(self._rng.choice(others)) if aside_mm is None else Spot(spot.where, aside_mm)
        self._table.turn_up(seat, card, wrong)
        self._misplaced |= {card}

    def _lay_second(self, state: State, make: Make = "genuine") -> None:
        """Have a card player lay a second bet, face up."""
        one = self._a_bet()
        player = next(seat.player for seat in state.seats if seat.number == one.seat)
        others = [card for space in RIGGED if (card := bet_card(state, player, space)) != one.laid]
        second = self._rng.choice(others)
        self._table.lay(one.seat, second.card, Spot(second.where), make=make)

    def _kings_bet(self, state: State) -> None:
        assert state.king is not None, "it was checked"
        seat = state.player(state.king).seat.number
        laid = bet_card(state, state.king, self._rng.choice(RIGGED))
        self._table.lay(seat, laid.card, Spot(laid.where))

    def _choosing_by_phone(self) -> list[str]:
        return [planned.who[0] for planned in self._plan if planned.who]

    def _drop_out(self) -> None:
        """Delay the pending choices of a phone player, like a phone that lost its network."""
        name = self._rng.choice(self._choosing_by_phone())
        later = self._clock() - self._began + self._timing.away_s
        self._plan = sorted(
            [Planned(max(one.at_s, later), one.record, one.who) if one.who == (name,) else one for one in self._plan],
            key=lambda one: one.at_s,
        )
        self._away = name, self._clock() + self._timing.away_s

    def _who_is_away(self) -> Message | None:
        name, until = self._away
        return message("{player} has dropped out for a moment.", player=name) if self._clock() < until else None

    def _wrong(self) -> list[RestingPiece]:
        """Return face-up cards that are nobody's choice, or misplaced."""
        right = {one.laid.card for one in self._shown} - self._misplaced
        return [
            thing
            for thing in self._table.lying
            if thing.card.face_up and not (thing.card.id in right and thing.card.make == "genuine")
        ]

    def _tidy(self) -> None:
        """Remove face-up cards that are nobody's choice, and move misplaced ones to their space."""
        meant = {one.laid.card: one for one in self._shown}
        for thing in self._wrong():
            one = meant.get(thing.card.id)
            self._table.take(_seat_of(thing) if one is None else one.seat, thing)
            if one is not None and thing.card.make == "genuine":
                self._table.lay(one.seat, one.laid.card, Spot(one.laid.where))
        self._misplaced = frozenset()
        self._since = self._clock()


def _seat_of(thing: RestingPiece) -> int:
    return PLAYERS.find(thing.card.id[0]) + 1 or 1

"""Interprets tracked cards at a hold'em table. Pure, like all interpreters.

Unambiguous board cards, face-down hole cards and shown hands become commands; a fold or muck always becomes a
question. Hole cards are never identified before they may be shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from companion.games.holdem.camera import questions as asks
from companion.games.holdem.camera.late_chips import LateChips
from companion.games.holdem.camera.pieces import (
    BOARD,
    MUCK,
    PILES,
    UNCONFIRMED,
    Now,
    Pieces,
    is_back,
    is_beside,
    is_card,
    is_turned,
    last_moved,
    seat_zone,
)
from companion.games.holdem.camera.questions import Ask
from companion.games.holdem.printed.mat import HOLDEM_MAT, SEATS
from companion.games.holdem.state import BETTING, Phase, State
from companion.games.holdem.words import cards_words
from companion.kernel.commands import Record
from companion.kernel.messages import message
from companion.kernel.situation import Situation
from companion.plugins.perception import CardSettings
from companion.service.questions import Choice, Intention, Question
from companion.tracking.cards.hands import BESIDE, touch
from companion.tracking.cards.observations import LyingCard, TrackedTable
from companion.tracking.cards.pieces import Piece, PlayStatus
from companion.tracking.cards.proposal import Proposal, Waiting
from companion.tracking.entered_cards import EnteredCards

_QUIET_S: Final = 0.4
"""Time without motion in a zone before its cards are taken as final, seconds."""
_DOUBT_S: Final = 1.2
"""Time an anomaly must persist before it is asked about, so that it can still be corrected by hand."""
_ONE_CARD_S: Final = 4.0
_TAG_S: Final = 0.7
_HIDDEN_S: Final = 3.0
_RETRY_S: Final = 2.0
_KEPT: Final = 200
_HAND: Final = 2


@dataclass(frozen=True, slots=True)
class _Found:
    """A candidate command and the cards it is based on."""

    record: Record
    pieces: tuple[Piece, ...]


class HoldemInterpreter:
    """See `companion.tracking.cards.proposal.Interpreter`."""

    games: Final = ("holdem", "holdem-tournament")
    asks_about_unread_objects: Final = True

    def __init__(self, settings: CardSettings) -> None:
        self._settings = settings
        self._pieces = Pieces()
        self._chips = LateChips()
        self._asked: dict[str, tuple[int, ...]] = {}
        self._left: set[str] = set()
        "IDs of questions dismissed by the dealer; other answers are stored on the cards."
        self._moved: Mapping[str, float] = {}
        self._missing: dict[str, float] = {}
        "Board card -> time since which it is missing."
        self._full: dict[int, float] = {}
        "Seat -> time its cards were last seen in this hand."
        self._step: tuple[object, ...] = ()
        self._due: list[str] = []
        "Players in the order in which their hole cards were due."
        self._reached = 0
        "The most of them that have had their cards at any time."
        self._back: dict[str, tuple[int, ...]] = {}
        "Player -> tracks of cards whose deal was undone."
        self._t = self._began = self._retry = 0.0
        self._entered = EnteredCards(_zone_of, cards_words, settings)

    def interpret(self, tracked: TrackedTable, now: Situation, evidence: Mapping[int, str]) -> Proposal:
        tracked = self._entered.follow(tracked, now, evidence)
        proposal = self._proposal(tracked, now)
        self._entered.update(*self._unknown(now.state))
        asked = (*proposal.questions, *self._entered.questions(now))
        return replace(proposal, questions=asked, notes=self._entered.notes())

    def _proposal(self, tracked: TrackedTable, now: Situation) -> Proposal:
        game = Now.of(now)
        self._t, self._moved = tracked.t, last_moved(tracked)
        self._follow(game, is_other=self._pieces.follow(tracked, game))
        self._note_undone(game)
        late = self._chips.follow(tracked, game)
        if tracked.mat != HOLDEM_MAT.name or game.phase is Phase.READY or now.hold is not None:
            return Proposal()
        self._note_hands(game)
        self._missing = {card: self._missing.get(card, self._t) for card in self._pieces.missing(game)}
        asked = [*self._asks(game), *(asks.about_late_chip(player, chip) for player, chip in late)]
        asked = [one for one in asked if not self._is_answered(one)]
        self._remember(asked)
        questions = tuple(one.question for one in asked)
        found = None if any(one.blocks for one in questions) or self._t < self._retry else self._found(tracked, game)
        if found is None or not now.accepts(found.record):
            return Proposal(questions=questions)
        newest = max(found.pieces, key=lambda piece: piece.card.rest_since)
        about = "-".join(str(piece.card.track) for piece in found.pieces)
        return Proposal(
            found.record,
            f"{found.record['do']}-{game.hand}-{about}",
            newest.card.track,
            newest.card.rest_since,
            questions,
        )

    def played(self, proposal: Proposal, before: Situation) -> None:
        """Mark board cards and shown cards as counted."""
        if proposal.command is not None and proposal.command["do"] in ("board", "show", "table"):
            self._pieces.count(tuple(map(int, proposal.about.split("-")[2:])))

    def refused(self, proposal: Proposal, t: float) -> None:
        """Pause proposals for a moment."""
        self._retry = t + _RETRY_S

    def answered(self, question: Question, choice: Choice) -> None:
        """Apply the dealer's answer to the cards in question."""
        if self._entered.answered(question, choice):
            return
        if choice.id in ("leave", "yes"):
            self._left.add(question.id)
        for track in self._asked.get(question.id, ()):
            piece = self._pieces.by_track.get(track)
            if piece is None:
                continue
            if choice.id == "count":
                piece.play_status, piece.is_approved = PlayStatus.NEW, True
            elif choice.id == "aside":
                piece.play_status = PlayStatus.ASIDE

    def intend(self, intention: Intention, t: float) -> None:
        """Ignored: hold'em's cards are identified by their zone."""

    def report(self) -> Waiting:
        return {}

    def _unknown(self, state: State) -> tuple[list[LyingCard], set[int], list[str]]:
        """Return cards that may be entered by hand, tracks that no longer may, and zones of players who have shown."""
        lying = self._pieces.lying
        free = [one.card for one in lying if _is_of_hand(one) and one.play_status in (PlayStatus.NEW, *UNCONFIRMED)]
        taken = {one.card.track for one in lying if one.play_status in (PlayStatus.COUNTED, PlayStatus.ASIDE)}
        shown = {player.name for player in state.players if player.cards}
        if state.decided is not None:  # until the next hand begins
            shown = {one.player for one in state.decided.shown}
        return free, taken, [seat_zone(seat.number) for seat in state.seats if seat.player in shown]

    # ---- tracking the game

    def _follow(self, game: Now, *, is_other: bool) -> None:
        if is_other:
            self._left, self._full = set(), {}
            self._due, self._reached, self._back = [], 0, {}
        step = game.phase, game.hand, game.turn
        if is_other or step != self._step:
            self._left = {name for name in self._left if not name.startswith("gone:")}
            self._step, self._began = step, self._t

    def _note_undone(self, game: Now) -> None:
        """Treat cards whose deal was undone as leftovers until the deal is repeated."""
        name = game.turn if game.phase is Phase.HOLE else None
        if name is not None and name not in self._due:
            self._due.append(name)
        got = len(self._due) if name is None else self._due.index(name)
        for player in self._due[:got]:
            self._pieces.turn(self._back.pop(player, ()), PlayStatus.LEFTOVER, PlayStatus.NEW)
        for player in self._due[got : self._reached]:
            if player not in self._back:
                here = [one for seat, who in game.players.items() if who == player for one in self._in_seat(seat)]
                self._back[player] = tuple(one.card.track for one in here)
                self._pieces.turn(self._back[player], PlayStatus.NEW, PlayStatus.LEFTOVER)
        self._reached = max(self._reached, got)

    def _in_seat(self, seat: int) -> list[Piece]:
        return self._pieces.in_zone(seat_zone(seat))

    def _note_hands(self, game: Now) -> None:
        for seat in game.players:
            if self._pieces.in_zone(seat_zone(seat)):
                self._full[seat] = self._t

    def _is_answered(self, one: Ask) -> bool:
        return one.question.id in self._left

    def _remember(self, asked: Sequence[Ask]) -> None:
        """Remember recent questions: an answer may arrive after its question has changed or disappeared."""
        for one in asked:
            self._asked.pop(one.question.id, None)
            self._asked[one.question.id] = one.tracks
        while len(self._asked) > _KEPT:
            del self._asked[next(iter(self._asked))]

    def _is_quiet(self, zone: str, for_s: float = _QUIET_S) -> bool:
        return self._t - self._moved.get(zone, float("-inf")) >= for_s

    # ---- commands

    def _found(self, tracked: TrackedTable, game: Now) -> _Found | None:
        if game.phase is Phase.HOLE:
            return self._hole(game)
        if self._missing and not self._is_answered(asks.about_board_missing([*self._missing])):
            return None
        if game.wanted:
            return self._board(tracked, game) or self._tabled(game)
        return self._shown(game.turn_seat, game.turn, "show") if game.phase is Phase.SHOWDOWN else None

    def _hole(self, game: Now) -> _Found | None:
        """Propose `hole` once the next player has exactly two face-down cards."""
        seat = game.turn_seat
        if seat is None or not self._is_quiet(seat_zone(seat)):
            return None
        cards = self._pieces.in_zone(seat_zone(seat))
        if len(cards) != _HAND or not all(map(is_back, cards)):
            return None
        return _Found({"do": "hole", "player": game.turn}, tuple(cards))

    def _board(self, tracked: TrackedTable, game: Now) -> _Found | None:
        """Propose `board` for exactly the expected number of new cards, unless another may be hidden."""
        new = self._new_on(BOARD)
        if len(new) != game.wanted or not self._is_quiet(BOARD) or not all(map(self._is_sure, new)):
            return None
        last = max(new, key=lambda piece: piece.card.rest_since).card
        if tracked.hides_before(last, _QUIET_S) and self._t - last.settled < _HIDDEN_S:
            return None
        return _Found({"do": "board", "cards": [piece.id for piece in new]}, tuple(new))

    def _tabled(self, game: Now) -> _Found | None:
        """Propose `table` for a player who showed both cards once no more betting is possible."""
        found = (self._shown(seat, player, "table") for seat, player in game.may_table.items())
        return next((one for one in found if one is not None), None)

    def _shown(self, seat: int | None, player: str | None, verb: str) -> _Found | None:
        """Propose a shown hand: exactly two cards, both face up and certain."""
        if seat is None or not self._is_quiet(seat_zone(seat)):
            return None
        here = self._pieces.in_zone(seat_zone(seat))
        if len(here) != _HAND or not all(one.play_status is PlayStatus.NEW and self._is_sure(one) for one in here):
            return None
        return _Found({"do": verb, "player": player, "cards": [piece.id for piece in here]}, tuple(here))

    def _new_on(self, zone: str) -> list[Piece]:
        return [one for one in self._pieces.in_zone(zone) if is_card(one) and one.play_status is PlayStatus.NEW]

    def _is_sure(self, piece: Piece) -> bool:
        card = piece.card
        is_known = (
            card.status == "ok" or piece.is_approved or (card.status == "tag" and self._settings.verify == "relaxed")
        )
        return is_known and card.where == "open" and card.disputed is None and self._settings.plays(card.deck)

    # ---- questions

    def _asks(self, game: Now) -> Iterator[Ask]:
        old = [
            one
            for one in self._pieces.lying
            if one.play_status is PlayStatus.LEFTOVER and one.card.zone and _is_of_hand(one)
        ]
        if old and self._t - self._began >= _DOUBT_S:
            yield asks.about_leftovers(old)
        yield from self._about_seats(game)
        yield from self._about_exposed(game)
        yield from self._about_board(game)
        if game.phase is Phase.SHOWDOWN and game.turn_seat is not None:
            yield from self._about_shown(game.turn_seat, str(game.turn))
        for seat, player in game.may_table.items():
            yield from self._about_shown(seat, player)
        yield from self._about_gone(game)

    def _about_seats(self, game: Now) -> Iterator[Ask]:
        for seat in SEATS:
            zone = seat_zone(seat)
            here = self._pieces.in_zone(zone)
            if not self._is_quiet(zone, _DOUBT_S) or not here:
                continue
            player = game.players.get(seat)
            if player is None and game.phase is Phase.HOLE:
                yield asks.about_nobody(here, seat)
            if player is None:
                continue
            is_dealing = game.phase is Phase.HOLE
            stray = [] if is_dealing else self._touching(here, zone)
            backs = [one for one in (*here, *stray) if is_back(one)]
            if backs and len(here) + len(stray) > _HAND:
                yield asks.about_too_many((*here, *stray), player, is_dealing=is_dealing)
            elif is_dealing and player == game.turn and len(here) == 1 and self._is_at_rest():
                yield asks.about_one_card(here, player)

    def _touching(self, hand: Sequence[Piece], zone: str) -> list[Piece]:
        """Return cards outside the zone that overlap a hand."""
        cards = [piece.card for piece in hand]
        others = (one for one in self._pieces.lying if one.card.zone != zone and not is_turned(one))
        return [one for one in others if touch(one.card, cards) > BESIDE]

    def _is_at_rest(self) -> bool:
        return self._t - max(self._moved.values(), default=float("-inf")) >= _ONE_CARD_S

    def _about_exposed(self, game: Now) -> Iterator[Ask]:
        """Ask about exposed cards in the piles and at the seats, without naming them."""
        for zone in PILES:
            yield from self._exposed(zone, message("among the cards that are out of play"))
        if game.is_tabled:
            return
        for seat in SEATS:
            player = game.players.get(seat)
            where = message("at {player}'s place", player=player) if player else message("at place {seat}", seat=seat)
            yield from self._exposed(seat_zone(seat), where)

    def _exposed(self, zone: str, where: str) -> Iterator[Ask]:
        here = (one for one in self._pieces.in_zone(zone) if is_card(one) and one.play_status is not PlayStatus.COUNTED)
        open_ = [one for one in here if one.card.where == "open"]
        if open_ and self._is_quiet(zone):
            yield asks.about_exposed(open_, where)

    def _about_board(self, game: Now) -> Iterator[Ask]:
        here = self._pieces.in_zone(BOARD)
        if not self._is_quiet(BOARD):
            return
        missing = [card for card, since in self._missing.items() if self._t - since >= _DOUBT_S]
        if missing:
            is_latest = not set(missing).isdisjoint(game.street)
            yield asks.about_board_missing(missing, game.street, game.undo if is_latest else None)
        new = [one for one in here if is_card(one) and one.play_status is PlayStatus.NEW]
        if game.wanted:
            yield from self._about_cards(new, game)
            backs = [one for one in here if is_back(one)]
            if backs:
                yield asks.about_board_back(backs)
            if len(new) > game.wanted:
                yield asks.about_board_count(new, game.wanted)
            beside = [
                one
                for one in self._pieces.lying
                if is_card(one) and one.play_status is PlayStatus.NEW and is_beside(one)
            ]
            if beside and self._t - max(one.card.moved for one in beside) >= _DOUBT_S:
                yield asks.about_beside(beside)
        for play_status in UNCONFIRMED:
            if doubtful := [one for one in here if one.play_status is play_status and is_card(one)]:
                yield asks.about_board(doubtful, may_count=bool(game.wanted))

    def _about_shown(self, seat: int, player: str) -> Iterator[Ask]:
        zone = seat_zone(seat)
        here = self._pieces.in_zone(zone)
        open_ = [one for one in here if is_card(one)]
        undone = [one for one in open_ if one.play_status is PlayStatus.UNDONE]
        if undone:
            yield asks.about_hand_again(undone, player)
        if not open_ or not self._is_quiet(zone, _DOUBT_S):
            return
        yield from self._about_cards([one for one in open_ if one.play_status is PlayStatus.NEW])
        if len(open_) > _HAND:
            yield asks.about_too_many_shown(open_, player)
        elif len(open_) < _HAND:
            yield asks.about_half_shown(open_, player)

    def _about_cards(self, new: Sequence[Piece], game: Now | None = None) -> Iterator[Ask]:
        """Ask about face-up cards that cannot count: foreign, disputed, duplicate or read by corner tags only."""
        for piece in new:
            card, twins = (
                piece.card,
                [one for one in self._pieces.lying if one.id == piece.id and one.is_stranger is False],
            )
            if not self._settings.plays(card.deck) or card.disputed is not None:
                yield asks.about_strange([piece])
            elif (
                any(one.play_status is PlayStatus.COUNTED for one in twins)
                or len([one for one in twins if one in new]) > 1
            ):
                yield asks.about_duplicate([piece])
            elif card.status == "tag" and not self._is_sure(piece) and self._t - card.settled >= _TAG_S:
                yield asks.about_tag([piece])
        zone = BOARD if game is not None else None
        strange = [one for one in self._pieces.in_zone(zone) if one.is_stranger and not is_back(one)] if zone else []
        if strange:
            yield asks.about_strange(strange)

    def _about_gone(self, game: Now) -> Iterator[Ask]:
        """Ask about a fold or muck once the actor's cards are gone and there was motion at the muck."""
        seat = game.turn_seat
        is_showdown = game.phase is Phase.SHOWDOWN
        if seat is None or not (is_showdown or game.phase in BETTING) or seat not in self._full:
            return
        gone_s = self._t - self._full[seat]
        went_there = self._moved.get(MUCK, float("-inf")) >= self._full[seat] - _DOUBT_S
        if gone_s >= _DOUBT_S and went_there and self._is_quiet(seat_zone(seat)) and self._is_quiet(MUCK):
            yield asks.about_gone(str(game.turn), seat, "muck" if is_showdown else "fold")


def _zone_of(record: Record, before: Situation) -> str | None:
    """Return the zone in which a command reveals cards."""
    state: State = before.state
    if record["do"] == "board":
        return BOARD
    return next((seat_zone(player.seat) for player in state.players if player.name == record.get("player")), None)


def _is_of_hand(piece: Piece) -> bool:
    """Whether the piece lies on the board or at a seat."""
    return piece.card.zone == BOARD or str(piece.card.zone).startswith("seat/")

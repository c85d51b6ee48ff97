"""Bets from chips on the printed layout. See `companion.tracking.sight.Sight`.

Chips that lie still on a spot are bet by themselves. Where the camera cannot know, it asks: a chip between spots, one
on another, one that was taken up, one that came too late, one of a seat where nobody sits. After a spin chips count
again once the dealer has paid and said whether those on the layout are bets. What phones and the dealer bet is left
alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import cv2
import numpy as np

from companion.games.roulette.mats.spots import MATS, UNSURE, spot_at
from companion.games.roulette.rules import Phase, State
from companion.games.roulette.words import spot_words
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.kernel.situation import Situation
from companion.objects.mat import Mats
from companion.service.questions import Choice, Intention, Question
from companion.tracking.cards.zones import MatReport, Zones
from companion.tracking.chips import ChipLying, ChipsOnMat, may_be
from companion.tracking.sight import NOTHING, Advice, Note
from companion.vision.decoders.tags import TagFinder
from companion.vision.draw import Mark
from companion.vision.frame import Frame, Gray
from companion.vision.mat import MatCalibration
from companion.vision.sightings import FrameReading, TagSeen

_EVERY_S: Final = 0.15
_SEARCH_S: Final = 2.0
_SMALL: Final = (96, 54)
_SAME: Final = 6.0  # levels, of a cell of the small picture
_UNDONE_KEPT: Final = 20
_START_S: Final = 1.5  # so long chips are looked for before any is bet
_AGAIN_S: Final = 3.0
_LEAVE: Final = Choice("leave", message("Leave it"))

Key = tuple[str, str]
"""A player and a spot."""


class LayoutReport(MatReport):
    """The layout report on the dealer's page."""

    chips: int


class LayoutSight:
    """Reads the chips on a roulette mat, and proposes them as bets.

    Args:
        stored: where a mat was calibrated to lie, if any.
    """

    def __init__(self, stored: MatCalibration | None = None) -> None:
        self._zones = Zones(Mats(MATS.values()), stored)
        self._finder = TagFinder()
        self._chips = ChipsOnMat()
        self._seen_at = self._t = float("-inf")
        self._started: float | None = None
        self._searched: tuple[Gray | None, float, tuple[TagSeen, ...]] = (None, 0.0, ())
        "The latest picture that was searched for tags, small; when, and what was found."
        self._state: State | None = None
        self._is_started = self._is_paying = False
        self._no_bets: set[int] = set()
        "Chips that lie there and are none: after a spin, or taken back by hand."
        self._undone: deque[tuple[State, dict[Key, int], set[int]]] = deque(maxlen=_UNDONE_KEPT)
        "Tables from before something was taken back or undone, what was booked then, and which chips were no bets."
        self._excused: set[str] = set()
        self._booked: dict[Key, int] = {}
        "What of each bet came from chips."
        self._before: dict[Key, int] = {}
        "What was bet before the camera looked and lay in no chips that it saw: a hand may have hidden them."
        self._jailed: dict[Key, int] = {}
        "What of the chips lies in prison."
        self._refused: dict[Key, tuple[int, float]] = {}
        self._times: Counter[str] = Counter()
        "How often the same chips were bet for the same coins: once a round, if they stay."

    # ---- a frame

    def see(self, frame: Frame, t: float) -> tuple[Note, ...]:
        self._t = t
        if t - self._seen_at < _EVERY_S:
            return ()
        self._seen_at = t
        gray = np.asarray(cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY), np.uint8)
        tags = self._tags_in(gray, t)
        on_mat = tuple(tag for tag in tags if any(tag.number in mat.tags for mat in MATS.values()))
        self._zones.see(FrameReading((gray.shape[1], gray.shape[0]), mat_tags=on_mat))
        mat = self._zones.calibration
        if mat is not None:
            self._started = t if self._started is None else self._started
            self._chips.see(gray, tags, mat, t)
        return ()

    def _tags_in(self, gray: Gray, t: float) -> tuple[TagSeen, ...]:
        """Search the picture for tags, as far as it has changed since it was last searched."""
        small = np.asarray(cv2.resize(gray, _SMALL, interpolation=cv2.INTER_AREA), np.uint8)
        before, searched, tags = self._searched
        is_coming = any(lying.is_seen and not lying.is_settled for lying in self._chips.lying)
        if before is None or is_coming or t - searched >= _SEARCH_S or float(cv2.absdiff(before, small).max()) > _SAME:
            tags = self._finder.find(gray)
            self._searched = small, t, tags
        return tags

    # ---- what it means

    def advise(self, now: Situation) -> Advice:
        state = now.state
        if not isinstance(state, State) or now.hold is not None:
            return NOTHING
        self._follow(state)
        is_open = state.phase is Phase.BETTING
        asked = self._questions(state) if is_open else self._late(state)
        questions = tuple(question for question in asked if question.id not in self._excused)
        if not is_open or self._is_paying or not self._is_started:
            return Advice(questions=questions)
        for key, chips in self._groups(state).items():
            more = self._missing(key, chips)
            if more <= 0 or key in self._before or self._moved(chips) or not all(_is_sure(lying) for lying in chips):
                continue
            if self._is_refused(key, chips) and self._waits(key):
                continue
            name = f"chips:{'-'.join(str(lying.id) for lying in chips)}:{more}"
            sighting = f"{name}-{self._times[name]}"
            return Advice(_bet_of(key, more), sighting, questions, max(lying.since for lying in chips))
        return Advice(questions=questions)

    def _follow(self, state: State) -> None:
        """Take note of spins, and of bets that were taken back by hand."""
        before, self._state = self._state, state
        if before is None:
            return
        if not self._is_started:
            self._start(state)
        elif before.counts != state.counts:  # a spin, or one that was undone
            self._is_paying = bool(self._chips.lying)
            self._before, self._jailed, self._refused, self._excused = {}, {}, {}, set()
            if sum(state.counts) < sum(before.counts):  # the bets from before it lie there, whatever was undone since
                self._no_bets = set()
            self._book_what_lies(state)
        if any(_bet(state, key) < coins for key, coins in self._booked.items()):
            self._undone.append((before, dict(self._booked), set(self._no_bets)))
        for key, coins in self._booked.items():
            if _bet(state, key) < coins:  # taken back or undone by hand: the chips wait to be taken up
                self._booked[key] = 0
                self._no_bets |= {lying.id for lying in self._groups(state).get(key, ())}
        while any(known is state for known, _, _ in self._undone):  # done again: with the chips that it was bet with
            _, self._booked, self._no_bets = self._undone.pop()
        self._before = {key: min(coins, self._unbooked(state, key)) for key, coins in self._before.items()}
        self._before = {key: coins for key, coins in self._before.items() if coins > 0}

    def _unbooked(self, state: State, key: Key) -> int:
        """Return what of a bet did not come from chips, as far as the camera knows."""
        return _bet(state, key) - self._booked.get(key, 0)

    def _start(self, state: State) -> None:
        """Once the layout was seen: what is bet and lies there was bet with these chips; the rest is asked about."""
        if self._started is None or self._t - self._started < _START_S:
            return
        self._book_what_lies(state)
        self._before = {key: self._unbooked(state, key) for key in {(bet.player, bet.on) for bet in state.bets}}
        self._is_started = True
        self._is_paying = any(self._missing(key, chips) > 0 for key, chips in self._groups(state).items())

    def _book_what_lies(self, state: State) -> None:
        here = self._groups(state)
        self._booked = {key: min(_bet(state, key), _worth(chips)) for key, chips in here.items()}

    def _missing(self, key: Key, chips: Sequence[ChipLying]) -> int:
        """Return how much of what lies there is not bet yet."""
        return _worth(chips) - self._jailed.get(key, 0) - self._booked.get(key, 0)

    def _groups(self, state: State) -> dict[Key, list[ChipLying]]:
        """Return the settled chips of each player on each spot, but for those that are no bets."""
        players = {seat.number: seat.player for seat in state.seats}
        found: dict[Key, list[ChipLying]] = defaultdict(list)
        for lying in self._settled():
            on = spot_at(*lying.at, state.rules.wheel)
            if on is not None and on != UNSURE and lying.chip.seat in players:
                found[players[lying.chip.seat], on].append(lying)
        return found

    def _settled(self) -> Iterator[ChipLying]:
        for lying in self._chips.lying:
            if lying.id not in self._no_bets and lying.is_settled:
                yield lying

    def _moved(self, chips: Sequence[ChipLying]) -> list[ChipLying]:
        """Return the chips that may be some that are no bets and were nudged."""
        no_bets = [lying for lying in self._chips.lying if lying.id in self._no_bets]
        return [lying for lying in chips if not lying.is_counted and may_be(lying, no_bets)]

    def _is_refused(self, key: Key, chips: Sequence[ChipLying]) -> bool:
        """Say whether the table has refused to bet these chips; it is tried again every few seconds."""
        return key in self._refused and self._refused[key][0] == self._missing(key, chips)

    def _waits(self, key: Key) -> bool:
        return self._t - self._refused[key][1] < _AGAIN_S

    def played(self, advice: Advice, before: Situation) -> None:
        self._times[advice.key.rpartition("-")[0]] += 1
        self._book(advice.command)

    def _book(self, record: Record | None) -> None:
        assert record is not None
        key = record["player"], record["on"]
        self._booked[key] = self._booked.get(key, 0) + record["amount"]
        self._refused.pop(key, None)

    def refused(self, advice: Advice) -> None:
        assert advice.command is not None
        self._refused[advice.command["player"], advice.command["on"]] = advice.command["amount"], self._t

    # ---- what is asked

    def _late(self, state: State) -> Iterator[Question]:
        for key, chips in self._groups(state).items():
            if self._missing(key, chips) > self._before.get(key, 0):
                yield _about_late(key, chips)

    def _questions(self, state: State) -> Iterator[Question]:
        self._chips.forget([one for one in self._chips.lying if one.id in self._no_bets and one.is_gone])
        if self._is_paying:
            yield _about_paying(state)
            return
        players = {seat.number: seat.player for seat in state.seats}
        for lying in list(self._settled()):
            on = spot_at(*lying.at, state.rules.wheel)
            was_moved = on == UNSURE and lying.cover is not None and lying.cover.chip == lying.chip
            if was_moved or (lying.is_gone and (on in (None, UNSURE) or lying.chip.seat not in players)):
                self._chips.forget([lying])
            elif lying.chip.seat not in players and on is not None:
                yield _about_empty_seat(lying)
            elif on == UNSURE:
                yield _about_place(lying, players[lying.chip.seat])
        for key, chips in self._groups(state).items():
            yield from self._about_group(state, key, chips)

    def _about_group(self, state: State, key: Key, chips: Sequence[ChipLying]) -> Iterator[Question]:
        gone, booked = [lying for lying in chips if lying.is_gone], self._booked.get(key, 0)
        if gone and not booked:
            self._chips.forget(gone)
        elif gone:
            asked = _about_gone(key, gone, is_all=_bet(state, key) == booked)
            yield asked
            if asked.id in self._excused and self._missing(key, chips) > 0:
                yield _about_more(key, chips, self._missing(key, chips))
        elif key in self._before and self._missing(key, chips) > 0:
            yield _about_known(key, chips, self._missing(key, chips), _bet(state, key), self._before[key])
        elif self._moved(chips) and self._missing(key, chips) > 0:
            yield _about_moved(key, self._moved(chips), _bet(state, key), self._missing(key, chips))
        elif not all(_is_sure(lying) for lying in chips) and self._missing(key, chips) > 0:
            yield _about_stack(key, chips, self._missing(key, chips))
        if self._is_refused(key, chips):
            yield _about_refused(key, chips)

    def answered(self, question: Question, choice: Choice) -> None:
        ids = {int(part) for part in question.id.split(":")[1].split("-") if part}
        chips = [lying for lying in self._chips.lying if lying.id in ids]
        if choice.id == _LEAVE.id:
            self._excused.add(question.id)
        elif question.kind == "paying":
            self._is_paying = False
            self._no_bets = set() if choice.id == "stay" else {lying.id for lying in self._chips.lying}
            assert self._state is not None
            here = {key: _worth(chips) for key, chips in self._groups(self._state).items()}
            self._jailed = {key: min(coins, _in_prison(self._state, key)) for key, coins in here.items()}
        elif question.kind == "taken-up":
            self._chips.forget(chips)
            assert choice.command is not None
            self._booked.pop((choice.command["player"], choice.command["on"]), None)
        elif question.kind == "known":
            self._take_known(question, choice)
        elif question.kind == "moved":
            if choice.command is not None:
                self._book(choice.command)
            for lying in chips:
                lying.is_counted = True
            self._no_bets |= {lying.id for lying in chips if choice.command is None}
        elif question.kind == "stack":
            if choice.command is not None:
                self._book(choice.command)
            if choice.id == "top":
                self._chips.forget([lying for lying in chips if lying.is_covered or lying.is_gone])
            for lying in chips:
                lying.is_counted = True

    def _take_known(self, question: Question, choice: Choice) -> None:
        """The dealer said whether chips are what was bet before the camera looked, or more."""
        player, _, on = question.id.split(":", 2)[2].rpartition(":")
        key = player, on
        if choice.command is not None:
            self._book(choice.command)
        assert self._state is not None
        rest = max(0, self._missing(key, self._groups(self._state).get(key, ())))
        self._booked[key] = self._booked.get(key, 0) + min(rest, self._before.get(key, 0))
        if choice.id == "more":
            self._before.pop(key, None)

    def intend(self, intention: Intention) -> None:
        """Cards are played or dealt, chips are laid."""

    # ---- for pages

    def marks(self, questions: Sequence[Question]) -> Sequence[Mark]:
        return self._chips.marks()

    def report(self) -> Mapping[str, object]:
        report: LayoutReport = {**self._zones.report(), "chips": len(self._chips.lying)}
        return report


def _worth(chips: Sequence[ChipLying]) -> int:
    return sum(lying.chip.value for lying in chips)


def _bet(state: State, key: Key) -> int:
    return sum(stake.amount for stake in state.bets if (stake.player, stake.on) == key)


def _in_prison(state: State, key: Key) -> int:
    return sum(stake.amount for stake in state.imprisoned if (stake.player, stake.on) == key)


def _is_sure(lying: ChipLying) -> bool:
    return not lying.is_gone and (lying.is_counted or not lying.is_covered)


# ---- the questions


def _id(kind: str, chips: Sequence[ChipLying]) -> str:
    return f"{kind}:{'-'.join(str(lying.id) for lying in chips)}"


def _about_paying(state: State) -> Question:
    stay = Choice("stay", message("Paid: chips there are bets"))
    away = Choice("away", message("Paid: chips there are no bets"))
    text = message("Pay and clear the layout. Chips count again after this answer.")
    return Question(f"paying::{sum(state.counts)}", "paying", text, (stay, away))


def _about_late(key: Key, chips: Sequence[ChipLying]) -> Question:
    text = message(
        "{player}'s chips on {spot} are not bet: they came too late. Undo “no more bets” to take them.",
        player=key[0],
        spot=spot_words(key[1]),
    )
    return Question(_id("late", chips), "late", text, (_LEAVE,))


def _about_empty_seat(lying: ChipLying) -> Question:
    text = message("A chip of seat {seat} lies on the layout, but nobody sits there.", seat=lying.chip.seat)
    return Question(_id("empty-seat", [lying]), "empty-seat", text, (_LEAVE,))


def _about_place(lying: ChipLying, player: str) -> Question:
    text = message(
        "{player}'s chip of {coins} lies between two spots. Move it, or bet it by hand.",
        player=player,
        coins=lying.chip.value,
    )
    return Question(_id("place", [lying]), "place", text, (_LEAVE,))


def _about_stack(key: Key, chips: Sequence[ChipLying], missing: int) -> Question:
    player, on = key
    text = message(
        "{player} has laid a chip on another, on {spot}. How much lies there?", player=player, spot=spot_words(on)
    )
    return _how_much(text, key, chips, missing)


def _about_moved(key: Key, chips: Sequence[ChipLying], bet: int, missing: int) -> Question:
    """A chip lies almost where an equal one lay that was no bet: was that one nudged, or is this another?"""
    text = message(
        "{player}'s chip on {spot} lies almost where one lay that is no bet. Is it a bet?",
        player=key[0],
        spot=spot_words(key[1]),
    )
    every = Choice("all", message("{coins} in all", coins=bet + missing), _bet_of(key, missing))
    return Question(_id("moved", chips), "moved", text, (every, Choice("none", message("It is no bet"))))


def _about_more(key: Key, chips: Sequence[ChipLying], missing: int) -> Question:
    """Chips came where others are not seen any more, and the dealer left the bet as it was."""
    text = message(
        "{player} has laid more on {spot}, where a chip is not seen any more. How much lies there?",
        player=key[0],
        spot=spot_words(key[1]),
    )
    return _how_much(text, key, chips, missing)


def _about_known(key: Key, chips: Sequence[ChipLying], missing: int, bet: int, before: int) -> Question:
    """Chips came to light where something was bet before the camera looked: are they that bet, or more?"""
    player, on = key
    text = message(
        "{player} had {coins} on {spot} before the camera looked, and chips lie there now. How much is it in all?",
        player=player,
        coins=before,
        spot=spot_words(on),
    )
    choices = [
        Choice(name, message("{coins} in all", coins=bet + more), _bet_of(key, more) if more else None)
        for name, more in (("same", max(0, missing - before)), ("more", missing))
    ]
    return Question(f"{_id('known', chips)}:{player}:{on}", "known", text, (*choices, _LEAVE))


def _how_much(text: Message, key: Key, chips: Sequence[ChipLying], missing: int) -> Question:
    every, covered = _worth(chips), _worth([lying for lying in chips if not _is_sure(lying)])
    choices = [
        Choice(name, message("{coins} in all", coins=coins), _bet_of(key, more) if more else None)
        for name, coins, more in (("all", every, missing), ("top", every - covered, missing - covered))
        if more >= 0
    ]
    return Question(_id("stack", chips), "stack", text, (*choices, _LEAVE))


def _bet_of(key: Key, coins: int) -> Record:
    return {"do": "bet", "player": key[0], "on": key[1], "amount": coins}


def _about_gone(key: Key, gone: Sequence[ChipLying], *, is_all: bool) -> Question:
    player, on = key
    text = message(
        "{player}'s {coins} on {spot} are not seen any more.",
        coins=_worth(gone),
        player=player,
        spot=spot_words(on),
    )
    back: Record = {"do": "take-back", "player": player, "on": on}
    choices = (Choice("back", message("Taken back"), back),) if is_all else ()
    return Question(_id("taken-up", gone), "taken-up", text, (*choices, _LEAVE))


def _about_refused(key: Key, chips: Sequence[ChipLying]) -> Question:
    text = message(
        "{player}'s {coins} on {spot} are no bet here: see the limits and the coins.",
        player=key[0],
        coins=_worth(chips),
        spot=spot_words(key[1]),
    )
    return Question(_id("refused", chips), "refused", text, (_LEAVE,))

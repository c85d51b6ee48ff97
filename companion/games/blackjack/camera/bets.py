"""Bets and insurance from chips on the blackjack mat.

A chip of seat 3 that lies still in the bet box of seat 3 is bet while bets are open. A chip on another, one that is
taken up, one of another seat, between two boxes or too late is asked about. After a round chips count again once the
dealer has paid and said whether those on the mat are bets. What phones and the dealer bet is left alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from companion.games.blackjack.mats.places import BET, BOXES, INSURANCE
from companion.games.blackjack.mats.zones import MAT
from companion.games.blackjack.state import Phase, State, may_insure
from companion.kernel.commands import Record
from companion.kernel.messages import message
from companion.objects.chips import CHIP_MM
from companion.objects.geometry import Box
from companion.service.questions import Choice, Question
from companion.tracking.chips import ChipLying, may_be

WELL_IN_MM: Final = 4.0
"""A chip whose middle is nearer to a box's edge may be meant for the next one."""
LEAVE: Final = Choice("leave", message("Leave it"))
_UNDONE_KEPT: Final = 20
_START_S: Final = 1.5  # so long chips are looked for before any is bet
_AGAIN_S: Final = 3.0
_ALL_LAID_S: Final = 5.0  # so long after the last chip no other is coming that makes up the bet
_CHIP: Final = "chip-"
"""What the ids of its questions begin with."""


class BetChips:
    """Follows the chips on the mat, and proposes them as bets. Not thread-safe."""

    def __init__(self) -> None:
        self._chips: Sequence[ChipLying] = ()
        self._state: State | None = None
        self._t = 0.0
        self._started: float | None = None
        self._is_started = self._is_paying = False
        self._rounds = 0
        self._undone: deque[tuple[State, dict[str, int], set[int]]] = deque(maxlen=_UNDONE_KEPT)
        "Tables from before something was taken back or undone, what was booked then, and which chips were no bets."
        self._none: set[int] = set()
        "Chips that lie there and are no bets."
        self._not_there: set[int] = set()
        "Chips that the dealer does not see under others."
        self._booked: dict[str, int] = {}
        "What of each player's bet came from chips."
        self._before: dict[str, int] = {}
        "What was bet before the camera looked and lay in no chips that it saw: a hand may have hidden them."
        self._in_chips: set[str] = set()
        "Whose bet of this round lies there in chips, all of it."
        self._raised: dict[str, tuple[int, float]] = {}
        "What a double or split has made of such a bet, and since when."
        self._refused: dict[str, tuple[int, float]] = {}
        self._excused: set[str] = set()

    def see(self, chips: Sequence[ChipLying], state: State, t: float, *, has_mat: bool) -> None:
        """Take note of the chips that lie there, and of what was bet, decided and taken back."""
        before, self._state = self._state, state
        self._chips, self._t = chips, t
        self._none &= {chip.id for chip in chips}
        self._not_there &= {chip.id for chip in chips}
        if has_mat and self._started is None:
            self._started = t
        if not self._is_started:
            self._start(state)
        elif before is not None and before.decided is not state.decided:
            self._rounds += 1
            self._is_paying = any(chip.id not in self._not_there and _is_laid(chip) for chip in chips)
            self._booked, self._before, self._refused, self._excused = {}, {}, {}, set()
            if state.phase is not Phase.BETTING:  # the decision was undone
                self._is_paying = False
                self._book_what_lies(state)
        elif state.phase is Phase.BETTING:
            self._follow_hands(before, state)
        elif before is not None:
            self._follow_insured(before, state)
        self._follow_redo(state)
        self._before = {player: min(coins, self._unbooked(player)) for player, coins in self._before.items()}
        self._before = {player: coins for player, coins in self._before.items() if coins > 0}
        self._follow_raised(state)

    def _unbooked(self, player: str) -> int:
        """Return what of a bet did not come from chips, as far as the camera knows."""
        assert self._state is not None, "it was seen"
        return _staked(self._state, player) - self._booked.get(player, 0)

    def _follow_raised(self, state: State) -> None:
        """Take note of whose bet lies there in chips, and what doubles and splits make of it."""
        if state.phase is Phase.BETTING:
            self._in_chips = {name for name, coins in self._booked.items() if coins == _staked(state, name)}
        due = {player: _at_stake(state, player) for player in self._in_chips}
        before = {player: self._raised.get(player, (0, 0.0)) for player in due}
        self._raised = {
            player: before[player] if before[player][0] == coins else (coins, self._t)
            for player, coins in due.items()
            if coins > self._booked.get(player, coins)
        }

    def _start(self, state: State) -> None:
        """What is bet and lies there was bet with these chips; others are asked about."""
        if self._started is None or self._t - self._started < _START_S:
            return
        self._is_started = True
        self._book_what_lies(state)
        self._before = {player: self._unbooked(player) for player in _names(state)}
        self._is_paying = any(self._missing(player) > 0 for player in _names(state))

    def _book_what_lies(self, state: State) -> None:
        worth = {player: _worth(self._of(player)) for player in _names(state)}
        self._booked = {player: min(_staked(state, player), coins) for player, coins in worth.items() if coins}

    def _follow_redo(self, state: State) -> None:
        """What is done again is bet with the chips that it was bet with."""
        while any(known is state for known, _, _ in self._undone):
            _, self._booked, self._none = self._undone.pop()

    def _follow_hands(self, before: State | None, state: State) -> None:
        """What was taken back by hand or undone: its chips wait to be taken up."""
        if before is not None and any(_staked(state, player) < coins for player, coins in self._booked.items()):
            self._undone.append((before, dict(self._booked), set(self._none)))
        for player, coins in list(self._booked.items()):
            if _staked(state, player) < coins:
                del self._booked[player]
                self._none |= {chip.id for chip in self._of(player)}

    def _follow_insured(self, before: State, state: State) -> None:
        """An insurance was undone: its chips wait to be taken up."""
        for player in _names(state):
            if _is_insured(before, player) and not _is_insured(state, player):
                self._none |= {chip.id for chip in self._insuring(player, state)}

    # ---- what they bet

    def bet(self, state: State, t: float) -> tuple[str, Record] | None:
        """Return the bet or insurance to play now, with a name for it."""
        if not self._is_started or self._is_paying:
            return None
        if state.phase is not Phase.BETTING:
            return self._insurance(state)
        for player in _names(state):
            chips, more = self._of(player), self._missing(player)
            is_clear = player not in self._before and all(map(_is_sure, chips)) and not self._moved(chips)
            if more > 0 and is_clear and not self._waits(player, more):
                name = f"chips:{player}:{'-'.join(str(chip.id) for chip in chips)}:{more}"
                return name, {"do": "bet", "player": player, "amount": more}
        return None

    def _insurance(self, state: State) -> tuple[str, Record] | None:
        for player in may_insure(state):
            box = state.box_of(player)
            chips = self._insuring(player, state)
            is_half = box is not None and _worth(chips) == box.hands[0].amount // 2
            if is_half and chips and all(map(_is_sure, chips)) and not self._waits(player, 0):
                return f"insure:{player}:{chips[0].id}", {"do": "insure", "player": player}
        return None

    def _insuring(self, player: str, state: State) -> list[ChipLying]:
        seat = next((seat.number for seat in state.seats if seat.player == player), 0)
        return [chip for chip in self._settled() if chip.chip.seat == seat and _is_in(MAT.zones[INSURANCE], chip)]

    def book(self, record: Record) -> None:
        """A bet or insurance of chips was played."""
        self._refused.pop(record["player"], None)
        if record["do"] == "bet":
            self._booked[record["player"]] = self._booked.get(record["player"], 0) + record["amount"]

    def refuse(self, record: Record, t: float) -> None:
        """A bet or insurance of chips was refused: it is tried again every few seconds."""
        self._refused[record["player"]] = int(record.get("amount", 0)), t

    def _is_refused(self, player: str, more: int) -> bool:
        """Say whether the table has refused to bet so much more; with 0, the insurance."""
        return player in self._refused and self._refused[player][0] == more

    def _waits(self, player: str, more: int) -> bool:
        return self._is_refused(player, more) and self._t - self._refused[player][1] < _AGAIN_S

    def _of(self, player: str) -> list[ChipLying]:
        """Return a player's chips in the player's own bet box."""
        assert self._state is not None, "it was seen"
        seat = next((seat.number for seat in self._state.seats if seat.player == player), 0)
        return [chip for chip in self._settled() if chip.chip.seat == seat == _seat_at(chip)]

    def _settled(self) -> Iterator[ChipLying]:
        out = self._none | self._not_there
        return (chip for chip in self._chips if chip.id not in out and chip.is_settled and not chip.is_gone)

    def _moved(self, chips: Sequence[ChipLying]) -> list[ChipLying]:
        """Return the chips that may be some that are no bets and were nudged."""
        none = [chip for chip in self._chips if chip.id in self._none]
        return [chip for chip in chips if not chip.is_counted and may_be(chip, none)]

    def _missing(self, player: str) -> int:
        return _worth(self._of(player)) - self._booked.get(player, 0)

    # ---- what is asked

    def questions(self, state: State) -> tuple[Question, ...]:
        """Return what is asked about chips now."""
        if not self._is_started:
            return ()
        return tuple(question for question in self._asked(state) if question.id not in self._excused)

    def _asked(self, state: State) -> Iterator[Question]:
        if self._is_paying:
            yield self._about_paying()
            return
        for player in _names(state):
            if state.phase is Phase.BETTING:
                yield from self._about_bet(player, state)
            elif state.turn != player and _worth(self._of(player)) > _laid_by(state, player):
                yield _about_late(player, self._of(player))
        for player, (due, since) in self._raised.items():
            if self._t - since >= _ALL_LAID_S and _worth(self._of(player)) < due:
                yield _about_short(player, self._of(player), due)
        for chip in self._settled():
            yield from _about_place(chip, state)
        yield from self._about_insurance(state)

    def _about_bet(self, player: str, state: State) -> Iterator[Question]:
        chips, more = self._of(player), self._missing(player)
        if more < 0:
            is_all = self._booked[player] == _staked(state, player)
            yield _about_gone(player, -more, self._booked[player], self._rounds, is_all=is_all)
        elif more > 0 and player in self._before:
            yield _about_known(player, chips, more, _staked(state, player), self._before[player])
        elif more > 0 and self._moved(chips):
            yield _about_moved(player, self._moved(chips), _staked(state, player) + more, more)
        elif more > 0 and not all(map(_is_sure, chips)):
            yield _about_stack(player, chips, more)
        elif more > 0 and self._is_refused(player, more) and _is_all_laid(chips, self._t):
            yield _about_refused(player, chips)

    def _about_insurance(self, state: State) -> Iterator[Question]:
        for player in _names(state):
            chips = self._insuring(player, state)
            box = state.box_of(player)
            if not chips or _is_insured(state, player):
                continue
            can = player in may_insure(state)
            if can and box is not None and _worth(chips) != box.hands[0].amount // 2:
                yield _about_premium(player, chips, box.hands[0].amount // 2)
            elif can and self._is_refused(player, 0):
                yield _about_uninsured(player, chips)
            elif not can:
                yield _about_no_insurance(player, chips)

    def _about_paying(self) -> Question:
        stay = Choice("stay", message("Paid: chips there are bets"))
        away = Choice("away", message("Paid: chips there are no bets"))
        text = message("Pay and clear the bets. Chips count again after this answer.")
        return Question(f"chip-paying:{self._rounds}", "paying", text, (stay, away))

    def answered(self, question: Question, choice: Choice) -> bool:
        """Take an answer; return whether the question was one about chips."""
        kind, _, rest = question.id.partition(":")
        if not kind.startswith(_CHIP):
            return False
        ids = {int(part) for part in rest.split(":")[0].split("-") if part.isdigit()}
        chips = [chip for chip in self._chips if chip.id in ids]
        if choice.id == LEAVE.id:
            self._excused.add(question.id)
        elif kind == "chip-paying":
            self._is_paying = False
            self._none = set() if choice.id == "stay" else {chip.id for chip in self._chips}
        elif kind == "chip-gone" and choice.command is not None:
            self._booked.pop(choice.command["player"], None)
        elif kind == "chip-stack":
            self._take_stack(chips, choice)
        elif kind == "chip-moved":
            if choice.command is not None:
                self.book(choice.command)
            for chip in chips:
                chip.is_counted = True
            self._none |= {chip.id for chip in chips if choice.command is None}
        elif kind == "chip-known":
            self._take_known(rest.partition(":")[2], choice)
        return True

    def _take_known(self, player: str, choice: Choice) -> None:
        """The dealer said whether chips are what was bet before the camera looked, or more."""
        if choice.command is not None:
            self.book(choice.command)
        rest = max(0, self._missing(player))
        self._booked[player] = self._booked.get(player, 0) + min(rest, self._before.get(player, 0))
        if choice.id == "more":
            self._before.pop(player, None)

    def _take_stack(self, chips: Sequence[ChipLying], choice: Choice) -> None:
        if choice.command is not None:
            self.book(choice.command)
        if choice.id == "top":
            self._not_there |= {chip.id for chip in chips if chip.is_covered}
        for chip in chips:
            chip.is_counted = True


def _names(state: State) -> tuple[str, ...]:
    return tuple(seat.player for seat in state.seats if seat.number in BOXES)


def _is_insured(state: State, player: str) -> bool:
    box = state.box_of(player)
    return box is not None and box.insured > 0


def _staked(state: State, player: str) -> int:
    """Return what a player bet before the deal."""
    box = state.box_of(player)
    return box.hands[0].amount if box is not None else 0


def _laid_by(state: State, player: str) -> int:
    """Return what a player may have laid in chips: all hands, doubled stakes counted."""
    box = state.box_of(player)
    return sum(hand.amount for hand in box.hands) if box is not None else 0


def _at_stake(state: State, player: str) -> int:
    """Return what a player has at stake now, all hands together."""
    box = state.box_of(player)
    return sum(hand.stake for hand in box.hands) if box is not None else 0


def _worth(chips: Sequence[ChipLying]) -> int:
    return sum(chip.chip.value for chip in chips)


def _is_sure(chip: ChipLying) -> bool:
    return chip.is_counted or not chip.is_covered


def _is_in(box: Box, chip: ChipLying, margin_mm: float = WELL_IN_MM) -> bool:
    x, y = chip.at
    is_across = box.x + margin_mm <= x <= box.x + box.width - margin_mm
    return is_across and box.y + margin_mm <= y <= box.y + box.height - margin_mm


def _seat_at(chip: ChipLying) -> int | Literal["unsure"] | None:
    """Return in whose bet box a chip lies, well inside; None beside all of them."""
    for seat in BOXES:
        if _is_in(MAT.zones[f"{BET}{seat}"], chip):
            return seat
    touches = any(_is_in(MAT.zones[f"{BET}{seat}"], chip, -CHIP_MM / 2) for seat in BOXES)
    return "unsure" if touches else None


def _is_all_laid(chips: Sequence[ChipLying], t: float) -> bool:
    return t - max(chip.since for chip in chips) >= _ALL_LAID_S


def _is_laid(chip: ChipLying) -> bool:
    """Say whether a chip lies in a bet box or on the insurance line."""
    return _seat_at(chip) is not None or _is_in(MAT.zones[INSURANCE], chip)


# ---- the questions


def _id(kind: str, chips: Sequence[ChipLying]) -> str:
    return f"{kind}:{'-'.join(str(chip.id) for chip in chips)}"


def _about_place(chip: ChipLying, state: State) -> Iterator[Question]:
    seat, owner = _seat_at(chip), chip.chip.seat
    names = {one.number: one.player for one in state.seats}
    if seat is None or chip.is_covered:
        return
    if owner not in names:
        text = message("A chip of seat {seat} lies on the bets, but nobody sits there.", seat=owner)
        yield Question(_id("chip-seat", [chip]), "empty-seat", text, (LEAVE,))
    elif seat == "unsure":
        text = message("{player}'s chip of {coins} lies between two boxes. Move it, or bet it by hand.",
                       player=names[owner], coins=chip.chip.value)  # fmt: skip
        yield Question(_id("chip-place", [chip]), "place", text, (LEAVE,))
    elif seat != owner:
        text = message("{player}'s chip of {coins} lies in the bet box of seat {seat}. Move it, or bet it by hand.",
                       player=names[owner], coins=chip.chip.value, seat=seat)  # fmt: skip
        yield Question(_id("chip-place", [chip]), "place", text, (LEAVE,))


def _about_late(player: str, chips: Sequence[ChipLying]) -> Question:
    text = message("{player}'s chips came too late: they are not bet in this round.", player=player)
    return Question(_id("chip-late", chips), "late", text, (LEAVE,))


def _about_short(player: str, chips: Sequence[ChipLying], due: int) -> Question:
    text = message("{player} has {due} at stake, but {coins} in chips lie there. Have the rest laid, or undo.",
                   player=player, due=due, coins=_worth(chips))  # fmt: skip
    return Question(f"{_id('chip-short', chips)}:{player}:{due}", "short", text, (LEAVE,))


def _about_gone(player: str, coins: int, booked: int, rounds: int, *, is_all: bool) -> Question:
    """Chips of a bet are gone. What else was bet, by phone, cannot be given back with them."""
    text = message("{coins} of {player}'s bet are not seen any more.", coins=coins, player=player)
    back = Choice("back", message("Taken back"), {"do": "take-back", "player": player})
    choices = (back, LEAVE) if is_all else (LEAVE,)
    return Question(f"chip-gone::{player}:{booked - coins}:{rounds}", "taken-up", text, choices)


def _about_stack(player: str, chips: Sequence[ChipLying], missing: int) -> Question:
    text = message("{player} has laid a chip on another. How much lies there?", player=player)
    every, covered = _worth(chips), _worth([chip for chip in chips if not _is_sure(chip)])
    choices = [
        Choice(name, message("{coins} in all", coins=coins), _bet_of(player, more) if more else None)
        for name, coins, more in (("all", every, missing), ("top", every - covered, missing - covered))
        if more >= 0
    ]
    return Question(_id("chip-stack", chips), "stack", text, (*choices, LEAVE))


def _about_moved(player: str, chips: Sequence[ChipLying], coins: int, missing: int) -> Question:
    """A chip lies almost where an equal one lay that was no bet: was that one nudged, or is this another?"""
    text = message("{player}'s chip lies almost where one lay that is no bet. Is it a bet?", player=player)
    every = Choice("all", message("{coins} in all", coins=coins), _bet_of(player, missing))
    return Question(_id("chip-moved", chips), "moved", text, (every, Choice("none", message("It is no bet"))))


def _about_known(player: str, chips: Sequence[ChipLying], missing: int, staked: int, before: int) -> Question:
    """Chips came to light of a player who had bet before the camera looked: are they that bet, or more?"""
    text = message("{player} had bet {coins} before the camera looked, and chips lie there now. How much is it in all?",
                   player=player, coins=before)  # fmt: skip
    choices = [
        Choice(name, message("{coins} in all", coins=staked + more), _bet_of(player, more) if more else None)
        for name, more in (("same", max(0, missing - before)), ("more", missing))
    ]
    return Question(f"{_id('chip-known', chips)}:{player}", "known", text, (*choices, LEAVE))


def _bet_of(player: str, coins: int) -> Record:
    return {"do": "bet", "player": player, "amount": coins}


def _about_refused(player: str, chips: Sequence[ChipLying]) -> Question:
    text = message("{player}'s {coins} are no bet here: see the limits and the coins.",
                   player=player, coins=_worth(chips))  # fmt: skip
    return Question(_id("chip-refused", chips), "refused", text, (LEAVE,))


def _about_premium(player: str, chips: Sequence[ChipLying], coins: int) -> Question:
    text = message("{player}'s chips on the insurance line are not half the bet. Does the insurance count for {coins}?",
                   player=player, coins=coins)  # fmt: skip
    insure = Choice("insure", message("Yes, {player} is insured", player=player), {"do": "insure", "player": player})
    return Question(_id("chip-insurance", chips), "insurance", text, (insure, LEAVE))


def _about_uninsured(player: str, chips: Sequence[ChipLying]) -> Question:
    text = message("{player}'s insurance of {coins} was refused: check {player}'s coins.",
                   player=player, coins=_worth(chips))  # fmt: skip
    return Question(_id("chip-refused", chips), "refused", text, (LEAVE,))


def _about_no_insurance(player: str, chips: Sequence[ChipLying]) -> Question:
    text = message("{player}'s chips lie on the insurance line, but there is no insurance now.", player=player)
    return Question(_id("chip-insurance", chips), "late", text, (LEAVE,))

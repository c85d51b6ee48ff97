"""Bets and insurance from chips on the blackjack mat.

A chip of seat 3 that lies still in the bet box of seat 3 is bet while bets are open. A chip on another, one that is
taken up, one of another seat, between two boxes or too late is asked about. After a round chips count again once the
dealer has paid and said whether those on the mat are bets. What phones and the dealer bet is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, Literal

from companion.games.blackjack.mats.places import BET, BOXES, INSURANCE
from companion.games.blackjack.mats.zones import MAT
from companion.games.blackjack.state import Phase, State, may_insure
from companion.kernel.commands import Record
from companion.kernel.messages import message
from companion.objects.chips import CHIP_MM
from companion.objects.geometry import Box
from companion.service.questions import Choice, Question
from companion.tracking.chip_bets import LEAVE, PAID, ChipBets, doubtful, id_of, is_sure, worth
from companion.tracking.chips import ChipLying

WELL_IN_MM: Final = 4.0
"""A chip whose middle is nearer to a box's edge may be meant for the next one."""
_ALL_LAID_S: Final = 5.0  # so long after the last chip no other is coming that makes up the bet
_CHIP: Final = "chip-"
"""What the ids of its questions begin with."""


class BetChips:
    """Follows the chips on the mat, and proposes them as bets. Not thread-safe."""

    def __init__(self) -> None:
        self._bets: ChipBets[str] = ChipBets()
        self._state: State | None = None
        self._rounds = 0
        self._t = 0.0
        self._in_chips: set[str] = set()
        "Whose bet of this round lies there in chips, all of it."
        self._raised: dict[str, tuple[int, float]] = {}
        "What a double or split has made of such a bet, and since when."

    def see(self, chips: Sequence[ChipLying], state: State, t: float, *, is_undone: bool, has_mat: bool) -> None:
        """Take note of the chips that lie there, and of what was bet, decided and taken back.

        Args:
            is_undone: the decision of a round was undone since the state before.
        """
        before, self._state = self._state, state
        self._t = t
        bets = {box.player: box.hands[0].amount for box in state.boxes}
        names = {seat.number: seat.player for seat in state.seats}

        def player_of(chip: ChipLying) -> str | None:
            return names.get(chip.chip.seat) if _seat_at(chip) == chip.chip.seat else None

        was_started = self._bets.see(chips, bets, player_of, t, has_mat=has_mat)
        if before is None:
            return
        if was_started and before.decided is not state.decided:
            self._rounds += 1
            self._bets.turn_round(is_paying=any(map(_is_laid, self._bets.here())), is_undone=is_undone)
        else:
            self._follow_insured(before, state)
        self._bets.seat({seat.number: seat.player for seat in before.seats}, names)
        self._bets.follow(before, state)
        self._follow_raised(state)

    def _follow_raised(self, state: State) -> None:
        """Take note of whose bet lies there in chips, and what doubles and splits make of it."""
        if state.phase is Phase.BETTING:
            self._in_chips = {name for name, coins in self._bets.booked.items() if coins == _staked(state, name)}
        due = {player: _at_stake(state, player) for player in self._in_chips}
        before = {player: self._raised.get(player, (0, 0.0)) for player in due}
        self._raised = {
            player: before[player] if before[player][0] == coins else (coins, self._t)
            for player, coins in due.items()
            if coins > self._bets.booked.get(player, coins)
        }

    def _follow_insured(self, before: State, state: State) -> None:
        """An insurance was undone: its chips wait to be taken up."""
        for player in _names(state):
            if _is_insured(before, player) and not _is_insured(state, player):
                self._bets.count_none_of(self._insuring(player, state))

    # ---- what they bet

    def bet(self, state: State) -> tuple[str, Record] | None:
        """Return the bet or insurance to play now, with a name for it."""
        if not self._bets.is_started:
            return None
        if state.phase is not Phase.BETTING:
            return self._insurance(state)
        for player, chips, more in self._bets.due():
            return f"chips:{player}:{'-'.join(str(chip.id) for chip in chips)}:{more}", _bet_of(player, more)
        return None

    def _insurance(self, state: State) -> tuple[str, Record] | None:
        for player in may_insure(state):
            box = state.box_of(player)
            chips = self._insuring(player, state)
            is_half = box is not None and worth(chips) == box.hands[0].amount // 2
            if is_half and chips and all(map(is_sure, chips)) and not self._bets.waits(player, 0):
                return f"insure:{player}:{chips[0].id}", {"do": "insure", "player": player}
        return None

    def _insuring(self, player: str, state: State) -> list[ChipLying]:
        seat = next((seat.number for seat in state.seats if seat.player == player), 0)
        return [chip for chip in self._bets.settled() if chip.chip.seat == seat and _is_in(MAT.zones[INSURANCE], chip)]

    def book(self, record: Record) -> None:
        """A bet or insurance of chips was played."""
        self._bets.book(record["player"], int(record.get("amount", 0)))

    def refuse(self, record: Record) -> None:
        """A bet or insurance of chips was refused."""
        self._bets.refuse(record["player"], int(record.get("amount", 0)))

    # ---- what is asked

    def questions(self, state: State) -> tuple[Question, ...]:
        """Return what is asked about chips now."""
        return self._bets.unanswered(self._asked(state)) if self._bets.is_started else ()

    def _asked(self, state: State) -> Iterator[Question]:
        if self._bets.is_paying and state.phase is Phase.BETTING:
            yield self._about_paying()
            return
        for player in _names(state):
            chips = self._bets.at(player)
            if state.phase is Phase.BETTING:
                yield from self._about_bet(player, chips, state)
            elif state.turn != player and worth(chips) > _laid_by(state, player):
                yield _about_late(player, chips)
        for player, (due, since) in self._raised.items():
            if self._t - since >= _ALL_LAID_S and worth(self._bets.at(player)) < due:
                yield _about_short(player, self._bets.at(player), due)
        for chip in self._bets.settled():
            yield from _about_place(chip, state)
        yield from self._about_insurance(state)

    def _about_bet(self, player: str, chips: Sequence[ChipLying], state: State) -> Iterator[Question]:
        bets, more, bet = self._bets, self._bets.missing(player), partial(_bet_of, player)
        booked = bets.booked.get(player, 0)
        back = _back(player) if bets.is_all(player) else None
        if more < 0:
            yield _about_gone(player, -more, booked, self._rounds, back)
        elif more > 0 and player in bets.before:
            yield _about_known(player, chips, bets.before[player], bets.how_much_known(player, bet))
        elif more > 0 and bets.moved(chips):
            yield _about_moved(player, bets.moved(chips), bets.how_much_moved(player, bet))
        elif more > 0 and doubtful(chips):
            about = _about_beside if all(map(is_sure, chips)) else _about_stack
            yield about(player, chips, bets.how_much(player, bet, back))
        elif more > 0 and bets.is_refused(player, more) and _is_all_laid(chips, self._t):
            yield _about_refused(player, chips)

    def _about_insurance(self, state: State) -> Iterator[Question]:
        for player in _names(state):
            chips = self._insuring(player, state)
            box = state.box_of(player)
            if not chips or _is_insured(state, player):
                continue
            can = player in may_insure(state)
            if can and box is not None and worth(chips) != box.hands[0].amount // 2:
                yield _about_premium(player, chips, box.hands[0].amount // 2)
            elif can and self._bets.is_refused(player, 0):
                yield _about_uninsured(player, chips)
            elif not can:
                yield _about_no_insurance(player, chips)

    def _about_paying(self) -> Question:
        text = message("Pay and clear the bets. Chips count again after this answer.")
        return Question(f"chip-paying:{self._rounds}", "paying", text, PAID)

    def answered(self, question: Question, choice: Choice) -> bool:
        """Take an answer; return whether the question was one about chips."""
        if not question.id.startswith(_CHIP):
            return False
        known = question.id.split(":", 2)[2] if question.kind == "known" else None
        self._bets.answered(question, choice, known if choice.command is None else choice.command["player"])
        return True


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


def _about_place(chip: ChipLying, state: State) -> Iterator[Question]:
    seat, owner = _seat_at(chip), chip.chip.seat
    names = {one.number: one.player for one in state.seats}
    if seat is None or chip.is_covered:
        return
    if owner not in names:
        text = message("A chip of seat {seat} lies on the bets, but nobody sits there.", seat=owner)
        yield Question(id_of("chip-seat", [chip]), "empty-seat", text, (LEAVE,))
    elif seat == "unsure":
        text = message("{player}'s chip of {coins} lies between two boxes. Move it, or bet it by hand.",
                       player=names[owner], coins=chip.chip.value)  # fmt: skip
        yield Question(id_of("chip-place", [chip]), "place", text, (LEAVE,))
    elif seat != owner:
        text = message("{player}'s chip of {coins} lies in the bet box of seat {seat}. Move it, or bet it by hand.",
                       player=names[owner], coins=chip.chip.value, seat=seat)  # fmt: skip
        yield Question(id_of("chip-place", [chip]), "place", text, (LEAVE,))


def _about_late(player: str, chips: Sequence[ChipLying]) -> Question:
    text = message("{player}'s chips came too late: they are not bet in this round.", player=player)
    return Question(id_of("chip-late", chips), "late", text, (LEAVE,))


def _about_short(player: str, chips: Sequence[ChipLying], due: int) -> Question:
    text = message("{player} has {due} at stake, but {coins} in chips lie there. Have the rest laid, or undo.",
                   player=player, due=due, coins=worth(chips))  # fmt: skip
    return Question(f"{id_of('chip-short', chips)}:{player}:{due}", "short", text, (LEAVE,))


def _back(player: str) -> Record:
    return {"do": "take-back", "player": player}


def _about_gone(player: str, coins: int, booked: int, rounds: int, back: Record | None) -> Question:
    """Chips of a bet are gone. What else was bet, by phone, cannot be given back with them."""
    text = message("{coins} of {player}'s bet are not seen any more.", coins=coins, player=player)
    choices = (LEAVE,) if back is None else (Choice("back", message("Taken back"), back), LEAVE)
    return Question(f"chip-gone::{player}:{booked - coins}:{rounds}", "taken-up", text, choices)


def _about_stack(player: str, chips: Sequence[ChipLying], choices: tuple[Choice, ...]) -> Question:
    text = message("{player} has laid a chip on another. How much lies there?", player=player)
    return Question(id_of("chip-stack", chips), "stack", text, choices)


def _about_beside(player: str, chips: Sequence[ChipLying], choices: tuple[Choice, ...]) -> Question:
    """A chip came beside a stack that holds one like it: perhaps it was pulled out of there."""
    text = message("{player} has laid a chip beside a stack with one like it. How much lies there?", player=player)
    return Question(id_of("chip-stack", chips), "stack", text, choices)


def _about_moved(player: str, chips: Sequence[ChipLying], choices: tuple[Choice, ...]) -> Question:
    """A chip lies almost where an equal one lay that was no bet: was that one nudged, or is this another?"""
    text = message("{player}'s chip lies almost where one lay that is no bet. Is it a bet?", player=player)
    return Question(id_of("chip-moved", chips), "moved", text, choices)


def _about_known(player: str, chips: Sequence[ChipLying], before: int, choices: tuple[Choice, ...]) -> Question:
    """Chips came to light of a player who has bet and of whose chips the camera knows none: that bet, or more?"""
    text = message("{player} has bet {coins}, and chips lie there now that may be this bet. How much is it in all?",
                   player=player, coins=before)  # fmt: skip
    return Question(f"{id_of('chip-known', chips)}:{player}", "known", text, choices)


def _bet_of(player: str, coins: int) -> Record:
    return {"do": "bet", "player": player, "amount": coins}


def _about_refused(player: str, chips: Sequence[ChipLying]) -> Question:
    text = message("{player}'s {coins} are no bet here: see the limits and the coins.",
                   player=player, coins=worth(chips))  # fmt: skip
    return Question(id_of("chip-refused", chips), "refused", text, (LEAVE,))


def _about_premium(player: str, chips: Sequence[ChipLying], coins: int) -> Question:
    text = message("{player}'s chips on the insurance line are not half the bet. Does the insurance count for {coins}?",
                   player=player, coins=coins)  # fmt: skip
    insure = Choice("insure", message("Yes, {player} is insured", player=player), {"do": "insure", "player": player})
    return Question(id_of("chip-insurance", chips), "insurance", text, (insure, LEAVE))


def _about_uninsured(player: str, chips: Sequence[ChipLying]) -> Question:
    text = message("{player}'s insurance of {coins} was refused: check {player}'s coins.",
                   player=player, coins=worth(chips))  # fmt: skip
    return Question(id_of("chip-refused", chips), "refused", text, (LEAVE,))


def _about_no_insurance(player: str, chips: Sequence[ChipLying]) -> Question:
    text = message("{player}'s chips lie on the insurance line, but there is no insurance now.", player=player)
    return Question(id_of("chip-insurance", chips), "late", text, (LEAVE,))

"""Bets and insurance from chips on the blackjack mat.

While betting is open, a settled chip of seat 3 in bet box 3 is a bet. Stacked, removed, misplaced and late chips become
questions. After a round, chips count again once the dealer has paid and confirmed whether those on the mat are bets.
Bets from phones and the dealer's page are left alone.
"""

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
from companion.tracking.chip_bets import ChipBets
from companion.tracking.chip_spots import LEAVE_CHOICE, Terms, id_of, worth
from companion.tracking.chips import TrackedChip

WELL_IN_MM: Final = 4.0
"""Minimum distance of a chip's centre from its box's edge; closer ones may be meant for the next box."""
_ALL_LAID_S: Final = 5.0  # time after the last chip before a bet counts as complete
_CHIP: Final = "chip-"
"""Prefix of the IDs of chip questions."""


class BetChips:
    """Tracks chips on the mat and proposes them as bets. Not thread-safe."""

    def __init__(self) -> None:
        self._bets = ChipBets(_TERMS, all_laid_s=_ALL_LAID_S)
        self._state: State | None = None
        self._rounds = 0
        self._t = 0.0
        self._in_chips: set[str] = set()
        "Players whose whole bet of this round is on the mat in chips."
        self._raised: dict[str, tuple[int, float]] = {}
        "Player -> stake raised by doubles and splits, and since when."

    def see(self, chips: Sequence[TrackedChip], state: State, t: float, *, is_undone: bool, has_mat: bool) -> None:
        """Update from the chips on the mat and the game state.

        Args:
            is_undone: a decided round was undone since the last state.
        """
        before, self._state = self._state, state
        self._t = t
        bets = {box.player: box.hands[0].amount for box in state.boxes}
        names = {seat.number: seat.player for seat in state.seats}

        def player_of(chip: TrackedChip) -> str | None:
            return names.get(chip.chip.seat) if _seat_at(chip) == chip.chip.seat else None

        was_started = self._bets.see(chips, bets, player_of, t, has_mat=has_mat)
        if before is None:
            return
        if was_started and before.decided is not state.decided:
            self._rounds += 1
            self._bets.reset_for_round(is_paying=any(map(_is_laid, self._bets.present_chips())), is_undone=is_undone)
        else:
            self._follow_insured(before, state)
        self._bets.seat({seat.number: seat.player for seat in before.seats}, names)
        self._bets.follow(before, state)
        self._follow_raised(state)

    def _follow_raised(self, state: State) -> None:
        """Track bets laid completely in chips, and how doubles and splits raise them."""
        if state.phase is Phase.BETTING:
            self._in_chips = {player for player in self._bets.booked if self._bets.spot(player).is_all}
        due = {player: _at_stake(state, player) for player in self._in_chips}
        before = {player: self._raised.get(player, (0, 0.0)) for player in due}
        self._raised = {
            player: before[player] if before[player][0] == coins else (coins, self._t)
            for player, coins in due.items()
            if coins > self._bets.booked.get(player, coins)
        }

    def _follow_insured(self, before: State, state: State) -> None:
        """After an undone insurance, stop counting its chips until they are taken up."""
        for player in _names(state):
            if _is_insured(before, player) and not _is_insured(state, player):
                self._bets.exclude_from_bets(self._insuring(player, state))

    # ---- bets

    def bet(self, state: State) -> tuple[str, Record] | None:
        """Return the next bet or insurance to propose as (proposal ID, command)."""
        if not self._bets.is_started:
            return None
        if state.phase is not Phase.BETTING:
            return self._insurance(state)
        for spot in self._bets.due_bets():
            name = f"chips:{spot.place}:{'-'.join(str(chip.id) for chip in spot.chips)}:{spot.missing}"
            return name, _TERMS.bet(spot.place, spot.missing)
        return None

    def _insurance(self, state: State) -> tuple[str, Record] | None:
        for player in may_insure(state):
            chips = self._insuring(player, state)
            if _is_premium(chips, player, state) and not self._bets.awaits_retry(player, 0):
                return f"insure:{player}:{chips[0].id}", {"do": "insure", "player": player}
        return None

    def _insuring(self, player: str, state: State) -> list[TrackedChip]:
        seat = next((seat.number for seat in state.seats if seat.player == player), 0)
        return [
            chip for chip in self._bets.settled_chips() if chip.chip.seat == seat and _is_in(MAT.zones[INSURANCE], chip)
        ]

    def book(self, record: Record) -> None:
        """Record a chip bet or insurance as accepted."""
        self._bets.book(record["player"], int(record.get("amount", 0)))

    def refuse(self, record: Record) -> None:
        """Record a chip bet or insurance as rejected."""
        self._bets.refuse(record["player"], int(record.get("amount", 0)))

    # ---- questions

    def questions(self, state: State) -> tuple[Question, ...]:
        """Return the current questions about chips."""
        return tuple(self._asked(state)) if self._bets.is_started else ()

    def _asked(self, state: State) -> Iterator[Question]:
        if state.phase is not Phase.BETTING:
            yield from self._about_round(state)
        elif self._bets.is_paying:
            text = message("Pay and clear the bets. Chips count again after this answer.")
            yield self._bets.about_paying(text, self._rounds)
            return
        else:
            yield from self._bets.questions()
        others = [question for chip in self._bets.settled_chips() for question in _about_place(chip, state)]
        yield from self._bets.unanswered([*others, *self._about_insurance(state)])

    def _about_round(self, state: State) -> Iterator[Question]:
        for spot in self._bets.spots():
            if state.turn != spot.place and worth(spot.lying) > _laid_by(state, spot.place):
                yield from self._bets.ask(spot, "late")
        for player, (due, since) in self._raised.items():
            chips = self._bets.spot(player).lying
            if self._t - since >= _ALL_LAID_S and worth(chips) < due:
                yield from self._bets.unanswered([_about_short(player, chips, due)])

    def _about_insurance(self, state: State) -> Iterator[Question]:
        for player in _names(state):
            chips = self._insuring(player, state)
            if not chips or _is_insured(state, player):
                continue
            if player not in may_insure(state):
                yield _about_no_insurance(player, chips)
            elif not _is_premium(chips, player, state):
                yield _about_premium(player, chips, _staked(state, player) // 2)
            elif self._bets.is_refused(player, 0):
                yield _about_uninsured(player, chips)

    def answered(self, question: Question, choice: Choice) -> bool:
        """Handle an answer; return whether it was to a chip question."""
        if not question.id.startswith(_CHIP):
            return False
        self._bets.answered(question, choice)
        return True


def _names(state: State) -> tuple[str, ...]:
    return tuple(seat.player for seat in state.seats if seat.number in BOXES)


def _is_insured(state: State, player: str) -> bool:
    box = state.box_of(player)
    return box is not None and box.insured > 0


def _staked(state: State, player: str) -> int:
    """Return the amount of a player's first hand, or 0."""
    box = state.box_of(player)
    return box.hands[0].amount if box is not None else 0


def _is_premium(chips: Sequence[TrackedChip], player: str, state: State) -> bool:
    """Whether chips on the insurance line are a premium: all certain, and exactly half the bet."""
    return worth(chips) == _staked(state, player) // 2 > 0 and all(chip.is_sure for chip in chips)


def _laid_by(state: State, player: str) -> int:
    """Return a player's total stakes of the round, including doubles and settled hands."""
    box = state.box_of(player)
    return sum(hand.amount for hand in box.hands) if box is not None else 0


def _at_stake(state: State, player: str) -> int:
    """Return a player's unsettled stakes."""
    box = state.box_of(player)
    return sum(hand.stake for hand in box.hands) if box is not None else 0


def _is_in(box: Box, chip: TrackedChip, margin_mm: float = WELL_IN_MM) -> bool:
    x, y = chip.at
    is_across = box.x + margin_mm <= x <= box.x + box.width - margin_mm
    return is_across and box.y + margin_mm <= y <= box.y + box.height - margin_mm


def _seat_at(chip: TrackedChip) -> int | Literal["unsure"] | None:
    """Return the seat whose bet box contains the chip, "unsure" near an edge, None outside all boxes."""
    for seat in BOXES:
        if _is_in(MAT.zones[f"{BET}{seat}"], chip):
            return seat
    touches = any(_is_in(MAT.zones[f"{BET}{seat}"], chip, -CHIP_MM / 2) for seat in BOXES)
    return "unsure" if touches else None


def _is_laid(chip: TrackedChip) -> bool:
    """Whether the chip touches a bet box or is on the insurance line."""
    return _seat_at(chip) is not None or _is_in(MAT.zones[INSURANCE], chip)


# ---- the questions


_TERMS: Final[Terms[str]] = Terms(
    {
        "taken-up": message("{coins} of {player}'s bet are not seen any more."),
        "hidden": message("{player}'s {coins} are out of sight. Do they still lie there?"),
        "elsewhere": message(
            "{player}'s {coins} are out of sight, and an equal chip was laid elsewhere. Do they still lie there?"
        ),
        "stack": message("{player} has laid a chip on another. How much lies there?"),
        "beside": message("{player} has laid a chip beside a stack with one like it. How much lies there?"),
        "more": message("{player} has laid more where a chip is not seen any more. How much lies there?"),
        "moved": message("{player}'s chip lies almost where one lay that is no bet. Is it a bet?"),
        "known": message(
            "{player} has bet {coins}, and chips lie there now that may be this bet. How much is it in all?"
        ),
        "late": message("{player}'s chips came too late: they are not bet in this round."),
        "refused": message("{player}'s {coins} are no bet here: see the limits and the coins."),
    },
    slots=lambda player: {"player": player},
    fields=lambda player: {"player": player},
)


def _about_place(chip: TrackedChip, state: State) -> Iterator[Question]:
    seat, owner = _seat_at(chip), chip.chip.seat
    names = {one.number: one.player for one in state.seats}
    if seat is None or chip.is_covered:
        return
    if owner not in names:
        text = message("A chip of seat {seat} lies on the bets, but nobody sits there.", seat=owner)
        yield Question(id_of("chip-seat", [chip]), "empty-seat", text, (LEAVE_CHOICE,))
    elif seat == "unsure":
        text = message("{player}'s chip of {coins} lies between two boxes. Move it, or bet it by hand.",
                       player=names[owner], coins=chip.chip.value)  # fmt: skip
        yield Question(id_of("chip-place", [chip]), "place", text, (LEAVE_CHOICE,))
    elif seat != owner:
        text = message("{player}'s chip of {coins} lies in the bet box of seat {seat}. Move it, or bet it by hand.",
                       player=names[owner], coins=chip.chip.value, seat=seat)  # fmt: skip
        yield Question(id_of("chip-place", [chip]), "place", text, (LEAVE_CHOICE,))


def _about_short(player: str, chips: Sequence[TrackedChip], due: int) -> Question:
    text = message("{player} has {due} at stake, but {coins} in chips lie there. Have the rest laid, or undo.",
                   player=player, due=due, coins=worth(chips))  # fmt: skip
    return Question(f"{id_of('chip-short', chips)}:{player}:{due}", "short", text, (LEAVE_CHOICE,))


def _about_premium(player: str, chips: Sequence[TrackedChip], coins: int) -> Question:
    text = message(
        "{player}'s chips on the insurance line may not be half the bet. Does the insurance count for {coins}?",
        player=player,
        coins=coins,
    )
    insure = Choice("insure", message("Yes, {player} is insured", player=player), {"do": "insure", "player": player})
    return Question(id_of("chip-insurance", chips), "insurance", text, (insure, LEAVE_CHOICE))


def _about_uninsured(player: str, chips: Sequence[TrackedChip]) -> Question:
    text = message("{player}'s insurance of {coins} was refused: check {player}'s coins.",
                   player=player, coins=worth(chips))  # fmt: skip
    return Question(id_of("chip-refused", chips), "refused", text, (LEAVE_CHOICE,))


def _about_no_insurance(player: str, chips: Sequence[TrackedChip]) -> Question:
    text = message("{player}'s chips lie on the insurance line, but there is no insurance now.", player=player)
    return Question(id_of("chip-insurance", chips), "late", text, (LEAVE_CHOICE,))

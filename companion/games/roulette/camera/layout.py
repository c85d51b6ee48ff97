"""Bets from chips on the printed layout. See `companion.tracking.sight.Sight`.

Chips at rest on a spot become bets. Ambiguous cases become questions: a chip between spots or on another chip, a
removed or late chip, a chip of an empty seat. After a spin, chips count again once the dealer has paid and confirmed
whether those on the layout are bets. Bets from phones and the dealer's page are left alone.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import cv2
import numpy as np

from companion.games.roulette.mats.spots import MATS, UNSURE, spot_at
from companion.games.roulette.rules import Phase, State
from companion.games.roulette.words import spot_words
from companion.kernel.commands import Record
from companion.kernel.messages import message
from companion.kernel.shared.banked import Stake
from companion.kernel.situation import Situation
from companion.objects.mat import Mats
from companion.service.questions import Choice, Intention, Question
from companion.tracking.cards.zones import MatReport, Zones
from companion.tracking.chip_bets import ChipBets
from companion.tracking.chip_spots import LEAVE_CHOICE, Terms, id_of
from companion.tracking.chips import ChipsOnMat, TrackedChip
from companion.tracking.sight import NO_PROPOSAL, JournalNote, SightProposal
from companion.vision.decoders.tags import TagFinder
from companion.vision.draw import Mark
from companion.vision.frame import Frame, Gray
from companion.vision.mat import MatCalibration
from companion.vision.sightings import FrameReading, TagSeen

_EVERY_S: Final = 0.15
_SEARCH_S: Final = 2.0
_SMALL: Final = (96, 54)
_SAME: Final = 6.0  # gray levels, per pixel of the small picture

Key = tuple[str, str]
"""(Player, spot)."""


class LayoutReport(MatReport):
    """The layout report on the dealer's page."""

    chips: int


class LayoutSight:
    """Reads the chips on a roulette mat, and proposes them as bets.

    Args:
        stored: the mat's calibrated pose, if any.
    """

    def __init__(self, stored: MatCalibration | None = None) -> None:
        self._zones = Zones(Mats(MATS.values()), stored)
        self._finder = TagFinder()
        self._chips = ChipsOnMat()
        self._seen_at = self._t = float("-inf")
        self._searched: tuple[Gray | None, float, tuple[TagSeen, ...]] = (None, 0.0, ())
        "Last search for tags: the downscaled picture, the time, and the tags found."
        self._state: State | None = None
        self._bets = ChipBets(_TERMS)
        self._times: Counter[str] = Counter()
        "Number of bets made for the same chips and coins: one per round while they stay."

    # ---- a frame

    def see(self, frame: Frame, t: float) -> tuple[JournalNote, ...]:
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
            self._chips.see(gray, tags, mat, t)
        return ()

    def _tags_in(self, gray: Gray, t: float) -> tuple[TagSeen, ...]:
        """Return the tags in the picture, which is searched again only if it has changed or after `_SEARCH_S`."""
        small = np.asarray(cv2.resize(gray, _SMALL, interpolation=cv2.INTER_AREA), np.uint8)
        before, searched, tags = self._searched
        is_coming = any(lying.is_seen and not lying.is_settled for lying in self._chips.lying)
        if before is None or is_coming or t - searched >= _SEARCH_S or float(cv2.absdiff(before, small).max()) > _SAME:
            tags = self._finder.find(gray)
            self._searched = small, t, tags
        return tags

    # ---- interpretation

    def propose(self, now: Situation) -> SightProposal:
        state = now.state
        if not isinstance(state, State) or now.hold is not None:
            return NO_PROPOSAL
        self._follow(state)
        questions = tuple(self._questions(state) if state.phase is Phase.BETTING else self._late())
        for spot in self._bets.due_bets() if state.phase is Phase.BETTING else ():
            name = f"chips:{'-'.join(str(lying.id) for lying in spot.chips)}:{spot.missing}"
            sighting, since = f"{name}-{self._times[name]}", max(lying.since for lying in spot.chips)
            return SightProposal(_TERMS.bet(spot.place, spot.missing), sighting, questions, since)
        return SightProposal(questions=questions)

    def _follow(self, state: State) -> None:
        """Track spins, and bets taken back by hand."""
        before, self._state = self._state, state
        players = {seat.number: seat.player for seat in state.seats}
        wheel = state.rules.wheel

        def key_of(lying: TrackedChip) -> Key | None:
            on = spot_at(*lying.at, wheel)
            return (players[lying.chip.seat], on) if on not in (None, UNSURE) and lying.chip.seat in players else None

        has_mat = self._zones.calibration is not None
        bets, earlier = _by_key(state.bets), _by_key(state.imprisoned)
        was_started = self._bets.see(self._chips.lying, bets, key_of, self._t, has_mat=has_mat, earlier=earlier)
        if before is None:
            return
        if was_started and before.counts != state.counts:
            is_undone = sum(state.counts) < sum(before.counts)
            self._bets.reset_for_round(is_paying=bool(self._chips.lying), is_undone=is_undone)
        self._bets.seat({seat.number: seat.player for seat in before.seats}, players)
        self._bets.follow(before, state)

    def played(self, proposal: SightProposal, before: Situation) -> None:
        self._times[proposal.key.rpartition("-")[0]] += 1
        assert proposal.command is not None
        self._bets.book(_key_of(proposal.command), proposal.command["amount"])

    def refused(self, proposal: SightProposal) -> None:
        assert proposal.command is not None
        self._bets.refuse(_key_of(proposal.command), proposal.command["amount"])

    # ---- questions

    def _late(self) -> Iterator[Question]:
        for spot in self._bets.spots():
            if spot.late > 0:
                yield from self._bets.ask(spot, "late")
            elif spot.kind == "hidden":
                yield from self._bets.ask(spot, "hidden", is_open=False)

    def _questions(self, state: State) -> Iterator[Question]:
        self._chips.forget(self._bets.forgettable_chips())
        if self._bets.is_paying:
            text = message("Pay and clear the layout. Chips count again after this answer.")
            yield self._bets.about_paying(text, sum(state.counts))
            return
        yield from self._bets.unanswered(self._about_places(state))
        yield from self._bets.questions()

    def _about_places(self, state: State) -> Iterator[Question]:
        players = {seat.number: seat.player for seat in state.seats}
        for lying in list(self._bets.settled_chips()):
            on = spot_at(*lying.at, state.rules.wheel)
            if on == UNSURE and lying.cover is not None and lying.cover.chip == lying.chip:
                self._bets.mark_removed([lying])  # it was moved
            elif lying.chip.seat not in players and on is not None:
                yield _about_empty_seat(lying)
            elif on == UNSURE:
                yield _about_place(lying, players[lying.chip.seat])

    def answered(self, question: Question, choice: Choice) -> None:
        self._bets.answered(question, choice)

    def intend(self, intention: Intention) -> None:
        """Ignored: only cards are announced."""

    # ---- for pages

    def marks(self, questions: Sequence[Question]) -> Sequence[Mark]:
        return self._chips.marks()

    def report(self) -> Mapping[str, object]:
        report: LayoutReport = {**self._zones.report(), "chips": len(self._chips.lying)}
        return report


def _key_of(record: Record) -> Key:
    return record["player"], record["on"]


def _by_key(stakes: Sequence[Stake]) -> Counter[Key]:
    """Return (player, spot) -> coins bet."""
    found: Counter[Key] = Counter()
    for stake in stakes:
        found[stake.player, stake.on] += stake.amount
    return found


# ---- the questions


_TERMS: Final[Terms[Key]] = Terms(
    {
        "taken-up": message("{player}'s {coins} on {spot} are not seen any more."),
        "hidden": message("{player}'s {coins} on {spot} are out of sight. Do they still lie there?"),
        "elsewhere": message(
            "{player}'s {coins} on {spot} are out of sight, and an equal chip was laid elsewhere. "
            "Do they still lie there?"
        ),
        "closed": message(
            "{player}'s {coins} on {spot} are out of sight. If they do not lie there, undo “no more bets” and take "
            "them back."
        ),
        "stack": message("{player} has laid a chip on another, on {spot}. How much lies there?"),
        "beside": message("{player} has laid a chip on {spot}, beside a stack with one like it. How much lies there?"),
        "more": message("{player} has laid more on {spot}, where a chip is not seen any more. How much lies there?"),
        "moved": message("{player}'s chip on {spot} lies almost where one lay that is no bet. Is it a bet?"),
        "known": message(
            "{player} has bet {coins} on {spot}, and chips lie there now that may be this bet. How much is it in all?"
        ),
        "earlier": message(
            "{player}'s {coins} in prison on {spot} are not seen any more, and chips lie there now. "
            "How much of them is a new bet?"
        ),
        "late": message(
            "{player}'s chips on {spot} are not bet: they came too late. Undo “no more bets” to take them."
        ),
        "refused": message("{player}'s {coins} on {spot} are no bet here: see the limits and the coins."),
    },
    slots=lambda key: {"player": key[0], "spot": spot_words(key[1])},
    fields=lambda key: {"player": key[0], "on": key[1]},
)


def _about_empty_seat(lying: TrackedChip) -> Question:
    text = message("A chip of seat {seat} lies on the layout, but nobody sits there.", seat=lying.chip.seat)
    return Question(id_of("empty-seat", [lying]), "empty-seat", text, (LEAVE_CHOICE,))


def _about_place(lying: TrackedChip, player: str) -> Question:
    text = message(
        "{player}'s chip of {coins} lies between two spots. Move it, or bet it by hand.",
        player=player,
        coins=lying.chip.value,
    )
    return Question(id_of("place", [lying]), "place", text, (LEAVE_CHOICE,))

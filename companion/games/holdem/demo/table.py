"""Demo table for hold'em: mat, deck, the dealer's hand, and a hand for every seat.

It knows no rules. Its methods move cards, chips and the button; the camera has to interpret them.
"""

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from companion.games.holdem.printed.mat import HOLDEM_MAT, SEATS
from companion.games.holdem.printed.mat_art import button_pieces
from companion.games.holdem.printed.measures import BOARD_STEP_MM
from companion.objects.cards import LEADER_BUTTON
from companion.objects.chips import Chip
from companion.objects.decks import Deck
from companion.objects.geometry import Box
from companion.printing.mats.art import draw_mat
from hardware.demo.faces import Faces, Make
from hardware.demo.felt_table import FeltTable, unknown_event
from hardware.demo.hands.acts import Stage, bring_deck, deal_card, go_home, grip, lay, pick_up, remove_card, slide, wave
from hardware.demo.hands.arm import Arm, Clock, HandMotion, in_sequence
from hardware.demo.layers import Image, Texture
from hardware.demo.layout import Pose
from hardware.demo.mat_felt import draw_mat_table, print_mat
from hardware.demo.pinhole import Pinhole
from hardware.demo.printer import DeckPrinter, draw
from hardware.demo.scene import Card, RestingPiece, Scene

PX_PER_MM: Final = 2.14
"""For a picture 1920 px wide, which shows the whole mat."""
DEALER: Final = 0
BOARD, BURN, MUCK, CHIP, STRAY = "board", "burn", "muck", "chip", "stray"
"""Locations besides ``seat/3`` and ``button/3``."""
_TILT_DEG: Final = 4.0
_CROOKED_DEG: Final = 2.0
_BUTTON_CARD: Final = Card(LEADER_BUTTON)
_DEALERS: Final = ((40.0, -440.0), (60.0, -760.0))
_OUT_MM: Final = 210.0
"""Distance from a seat's centre to the resting position of the player's hand."""
_SHOULDER_MM: Final = 530.0
_MUCK_STEP_MM: Final = 9.0
_GATHER_S: Final = 0.16
HAPPENINGS: Final = (
    "deck", "hole 1", "hole 1 AS KD", "flash 1 AS", "extra 1", "burn", "board AS KD 2C", "show 1", "show 1 AS KD",
    "muck 1", "muck 1 onto 2",
    "hide 1", "clear", "take AS", "button 2", "chip 1 25", "take-chip", "hand", "gather",
)  # fmt: skip
"""Examples of all happenings a scenario can use."""


class HoldemPrinter(DeckPrinter):
    """Prints a deck and the dealer button."""

    def __call__(self, side: str, make: Make) -> Image:
        return draw(button_pieces()[0]) if side == LEADER_BUTTON else super().__call__(side, make)


class HoldemTable(FeltTable):
    """A table with the hold'em mat. Thread-safe.

    Args:
        faces: card textures.
        cards: IDs of a full deck.
        size: image size, px.
        seed: seed for noise, deck order and card placement.
        pace: speed of the hands' movements; 1 is unhurried.
        mat: the printed mat, if already drawn.
        real_clock: real time in seconds; only for how long the camera stays unplugged.
    """

    def __init__(
        self,
        faces: Faces,
        cards: Sequence[str],
        *,
        size: tuple[int, int] = (1920, 1080),
        seed: int = 1,
        pace: float = 1.0,
        mat: Texture | None = None,
        real_clock: Callable[[], float] = time.monotonic,
    ) -> None:
        camera = Pinhole(size, PX_PER_MM * size[0] / 1920, tilt_deg=_TILT_DEG)
        empty = draw_mat_table(camera, mat or print_holdem_mat(), seed)
        scene = Scene(faces, camera, empty, deck_at=_middle("deck"), seed=seed)
        self.cards = tuple(cards)
        super().__init__(Stage(scene, random.Random(seed), Clock(pace=pace)), real_clock)

    # ---- actions

    def shuffle(self, top: Sequence[str] = ()) -> None:
        """Put down a shuffled deck, with the given cards on top."""

        def begin() -> HandMotion:
            out = {*top, *(thing.card.id for thing in self._scene.lying)}
            rest = [card for card in self.cards if card not in out]
            self._stage.rng.shuffle(rest)
            return in_sequence(bring_deck(self._stage, self._dealer, [*top, *rest], 0.3), go_home(self._dealer))

        self._enqueue(begin)

    def deal_hole(self, seats: Iterable[int], *, is_up: bool = False, card: str | None = None) -> None:
        """Deal one card to each of these seats in turn, face down by default."""
        to = tuple(seats)
        self._enqueue(
            lambda: in_sequence(*(self._deal(f"seat/{seat}", is_up, card) for seat in to), go_home(self._dealer))
        )

    def burn(self) -> None:
        """Burn a card."""
        self._enqueue(lambda: in_sequence(self._deal(BURN, False, None), go_home(self._dealer)))

    def lay_board(self, count: int = 1, cards: Sequence[str] = (), make: Make = "genuine") -> None:
        """Deal cards face up to the board, the given ones or the next ones of the deck."""
        named: Sequence[str | None] = cards or (None,) * count
        self._enqueue(
            lambda: in_sequence(*(self._deal(BOARD, True, card, make) for card in named), go_home(self._dealer))
        )

    def show(self, seat: int, cards: Sequence[str] | None = None) -> None:
        """Have a player turn up the face-down cards; ``cards`` replaces their faces."""
        self._enqueue(lambda: self._show(self._arm(seat), seat, cards))

    def hide(self, seat: int) -> None:
        """Have a player turn their face-up cards down."""
        self._enqueue(lambda: self._turn_over(self._arm(seat), self._at(f"seat/{seat}", is_up=True), is_up=False))

    def muck(self, seat: int, onto: int | None = None) -> None:
        """Have a player discard their cards, to the muck or half onto another seat's cards."""
        self._enqueue(lambda: self._muck(self._arm(seat), seat, onto))

    def take(self, thing: RestingPiece) -> None:
        """Have the dealer remove an object; no-op if it is gone by then."""
        self._enqueue(lambda: self._take(thing))

    def to_muck(self, thing: RestingPiece) -> None:
        """Have the dealer move a card to the muck, face down."""
        self._enqueue(lambda: self._move(thing, MUCK))

    def move_button(self, seat: int) -> None:
        """Have the dealer move the button to a seat."""
        self._enqueue(lambda: self._button(seat))

    def lay_chip(self, seat: int, value: int = 25) -> None:
        """Have a player lay a chip between seat and pot."""
        self._enqueue(lambda: self._chip(self._arm(seat), seat, value))

    def restore(self, seats: Iterable[int], board: Sequence[str], shown: Mapping[int, Sequence[str]]) -> None:
        """Clear the table and lay out a hand in progress at once; hole cards not shown are drawn at random."""
        with self._lock:
            self._stop_all()
            self._scene.lift(*self._scene.lying)
            known = {*board, *(card for cards in shown.values() for card in cards)}
            order = [card for card in self.cards if card not in known]
            self._stage.rng.shuffle(order)
            for card in board:
                self._scene.lay_down(Card(card), self._place(BOARD), BOARD)
            for seat in seats:
                for card in shown.get(seat) or (order.pop(), order.pop()):
                    where = f"seat/{seat}"
                    self._scene.lay_down(Card(card, face_up=seat in shown), self._place(where), where)
            self._stage.order[:] = order
            self._scene.set_deck(len(order))

    def gather(self) -> None:
        """Have the dealer remove all cards and the deck. Button and chips stay."""
        self._enqueue(self._gather)

    def wave_hand(self) -> None:
        """Wave the dealer's hand over the board without touching anything."""
        self._enqueue(lambda: wave(self._dealer, (-150.0, -20.0), (150.0, -40.0)))

    def happen(self, what: str) -> None:
        """Perform a happening given as text (see `HAPPENINGS`).

        Raises:
            DemoError: unknown happening.
        """
        match what.split():
            case ["deck"]:
                self.shuffle()
            case ["hole", seat, *cards] if _is_seat(seat) and len(cards) in (0, 2):
                for card in cards or (None, None):
                    self.deal_hole([int(seat)], card=card)
            case ["flash", seat, card] if _is_seat(seat) and card in self.cards:
                self.deal_hole([int(seat)], is_up=True, card=card)
            case ["extra", seat] if _is_seat(seat):
                self.deal_hole([int(seat)])
            case ["burn"]:
                self.burn()
            case ["board", *cards] if cards and {*cards} <= {*self.cards}:
                self.lay_board(cards=cards)
            case ["show", seat, *cards] if _is_seat(seat):
                self.show(int(seat), cards or None)
            case ["muck", seat] if _is_seat(seat):
                self.muck(int(seat))
            case ["muck", seat, "onto", other] if _is_seat(seat) and _is_seat(other):
                self.muck(int(seat), int(other))
            case _:
                self._happen_else(what)

    def _happen_else(self, what: str) -> None:
        match what.split():
            case ["take", card] if card in self.cards:
                self._enqueue(lambda: self._take(self._find(card)))
            case ["button", seat] if _is_seat(seat):
                self.move_button(int(seat))
            case ["chip", seat, value] if _is_seat(seat) and value.isdigit():
                self.lay_chip(int(seat), int(value))
            case ["take-chip"]:
                self._enqueue(lambda: in_sequence(*(self._take(thing) for thing in self._at(CHIP))))
            case ["hide", seat] if _is_seat(seat):
                self.hide(int(seat))
            case ["clear"]:
                self._enqueue(lambda: in_sequence(*(self._move(thing, MUCK) for thing in self._at(STRAY))))
            case ["hand"]:
                self.wave_hand()
            case ["gather"]:
                self.gather()
            case _:
                raise unknown_event(what, HAPPENINGS)

    # ---- ground truth, for the agent and tests; the camera has no access

    @property
    def lying(self) -> tuple[RestingPiece, ...]:
        """All objects on the table, lowest first, including button and chips."""
        with self._lock:
            return tuple(self._scene.lying)

    def at(self, where: str, *, is_up: bool | None = None) -> list[RestingPiece]:
        """Return the objects at a location, in the order they were laid."""
        with self._lock:
            return self._at(where, is_up=is_up)

    @property
    def deck_left(self) -> int:
        """Number of cards left in the deck."""
        with self._lock:
            return len(self._stage.order)

    # ---- internals; the caller holds the lock

    def _at(self, where: str, *, is_up: bool | None = None) -> list[RestingPiece]:
        return [one for one in self._scene.lying if one.where == where and is_up in (None, one.card.face_up)]

    @property
    def _dealer(self) -> Arm:
        return self._arm(DEALER)

    def _arm(self, seat: int) -> Arm:
        arms = self._stage.arms
        if seat not in arms:
            home, shoulder, side = (*_DEALERS, 180.0) if seat == DEALER else _sits(seat)
            haste = 1.25 if seat == DEALER else self._stage.rng.uniform(0.9, 1.25)
            arms[seat] = Arm(self._time, home, shoulder, side, haste, reach_mm_s=1500.0 if seat == DEALER else 900.0)
        return arms[seat]

    def _deal(self, where: str, is_up: bool, card_id: str | None, make: Make = "genuine") -> HandMotion:
        order = self._stage.order
        if card_id is None and not order:
            return
        if card_id in order and make == "genuine":
            order.remove(card_id)
        card = Card(card_id or order.pop(0), make, is_up)
        yield from deal_card(self._stage, self._dealer, card, lambda: self._place(where), where)

    def _show(self, arm: Arm, seat: int, cards: Sequence[str] | None) -> HandMotion:
        """Turn up a seat's face-down cards, replacing their faces by ``cards`` if given."""
        hidden = self._at(f"seat/{seat}", is_up=False)
        return self._turn_over(arm, hidden, is_up=True, named=cards or [thing.card.id for thing in hidden])

    def _turn_over(
        self, arm: Arm, things: Sequence[RestingPiece], *, is_up: bool, named: Sequence[str] = ()
    ) -> HandMotion:
        ids = named or [thing.card.id for thing in things]
        for thing, card in zip(things, ids, strict=False):
            yield from pick_up(self._stage, arm, thing)
            turned = Card(card, thing.card.make, is_up)
            place = self._stage.jittered(Pose(thing.pose.x, thing.pose.y), _CROOKED_DEG)
            yield from lay(self._stage, arm, turned, thing.pose, place, thing.where, was_up=not is_up)
        yield from go_home(arm)

    def _muck(self, arm: Arm, seat: int, onto: int | None) -> HandMotion:
        for thing in self._at(f"seat/{seat}"):
            yield from pick_up(self._stage, arm, thing)
            card, where = Card(thing.card.id, thing.card.make, face_up=False), MUCK if onto is None else STRAY
            place = self._place(MUCK) if onto is None else self._beside(onto)
            yield from lay(self._stage, arm, card, thing.pose, place, where)
        yield from go_home(arm)

    def _beside(self, seat: int) -> Pose:
        """Return a position that half overlaps a seat's cards."""
        box, middle = HOLDEM_MAT.zones[f"seat/{seat}"], _middle(f"seat/{seat}")
        down = -1 if middle.y > 0 else 1
        return self._stage.jittered(Pose(middle.x - 10.0, middle.y + down * box.height * 0.52), 12.0)

    def _move(self, thing: RestingPiece, where: str) -> HandMotion:
        if thing in self._scene.lying:
            yield from pick_up(self._stage, self._dealer, thing)
            card = Card(thing.card.id, thing.card.make, face_up=False)
            place, was_up = self._place(where), thing.card.face_up
            yield from lay(self._stage, self._dealer, card, thing.pose, place, where, was_up=was_up)
            yield from go_home(self._dealer)

    def _take(self, thing: RestingPiece) -> HandMotion:
        if thing in self._scene.lying:
            yield from remove_card(self._stage, self._dealer, thing)

    def _button(self, seat: int) -> HandMotion:
        arm, to = self._dealer, self._stage.jittered(_middle(f"button/{seat}"), 20.0)
        here = next((thing for thing in self._scene.lying if thing.card == _BUTTON_CARD), None)
        texture = self._scene.texture_of(_BUTTON_CARD)
        if here is not None:
            yield from pick_up(self._stage, arm, here)
        yield from slide(arm, texture, Pose(*arm.home) if here is None else here.pose, to, 0.7, lift_mm=12.0)
        self._scene.lay_down(_BUTTON_CARD, to, f"button/{seat}")
        yield from go_home(arm)

    def _chip(self, arm: Arm, seat: int, value: int) -> HandMotion:
        card = Card(Chip(seat, value).id)
        place, pot = _middle(f"seat/{seat}"), _middle("pot/main")
        share = 0.45 + 0.04 * len(self._at(CHIP))
        to = self._stage.jittered(
            Pose(place.x + (pot.x - place.x) * share, place.y + (pot.y - place.y) * share + 12), 40.0
        )
        yield from slide(arm, self._scene.texture_of(card), Pose(*arm.home, 0.0, 8.0), to, 0.8, lift_mm=20.0)
        self._scene.lay_down(card, to, CHIP)
        yield from go_home(arm)

    def _gather(self) -> HandMotion:
        arm = self._dealer
        for thing in [one for one in reversed(self._scene.lying) if _is_card(one)]:
            yield from arm.move(grip(arm, thing.pose), _GATHER_S)
            self._scene.lift(thing)
            yield
        self._stage.order = []
        self._scene.set_deck(0)
        yield from go_home(arm)

    def _place(self, where: str) -> Pose:
        """Return the position of the next card at a location, with a human's inaccuracy."""
        count, middle = len(self._at(where)), _middle(where)
        if where == BOARD:
            aside = (count - 2) * BOARD_STEP_MM
        elif where.startswith("seat/"):
            aside = (count - 0.5) * BOARD_STEP_MM if count < 2 else 0.0
        else:
            aside = (count % 9 - 4) * _MUCK_STEP_MM if where == MUCK else 0.0
        return self._stage.jittered(Pose(middle.x + aside, middle.y), 8.0 if where == MUCK else _CROOKED_DEG)


def _is_seat(text: str) -> bool:
    return text.isdigit() and int(text) in SEATS


def _is_card(thing: RestingPiece) -> bool:
    return thing.where != CHIP and thing.card != _BUTTON_CARD


def _middle(zone: str) -> Pose:
    """Return a zone's centre, mm from the table's centre."""
    box: Box = HOLDEM_MAT.zones[zone]
    return Pose(
        box.x + box.width / 2 - HOLDEM_MAT.width_mm / 2, box.y + box.height / 2 - HOLDEM_MAT.height_mm / 2
    )  # fmt: skip


def _sits(seat: int) -> tuple[tuple[float, float], tuple[float, float], float]:
    """Return the resting position of a seat's hand, its shoulder, and the player's direction in degrees."""
    middle = _middle(f"seat/{seat}")
    if abs(middle.x) > 330:
        out, side = (1.0 if middle.x > 0 else -1.0), 270.0 if middle.x > 0 else 90.0
        return (middle.x + out * _OUT_MM, middle.y), (middle.x + out * _SHOULDER_MM, middle.y), side
    down = 1.0 if middle.y > 0 else -1.0
    near, far = middle.y + down * _OUT_MM, middle.y + down * _SHOULDER_MM
    return (middle.x, near), (middle.x * 0.95, far), 0.0 if middle.y > 0 else 180.0


def print_holdem_mat() -> Texture:
    """Return the printed mat."""
    return print_mat(HOLDEM_MAT, lambda pen: draw_mat(pen, HOLDEM_MAT, None))


def new_holdem_table(
    deck: Deck,
    *,
    size: tuple[int, int] = (1920, 1080),
    pace: float = 1.0,
    real_clock: Callable[[], float] = time.monotonic,
) -> HoldemTable:
    """Return a demo table with this deck's printed cards, which are rendered in the background."""
    faces = Faces(HoldemPrinter(deck))
    table = HoldemTable(faces, deck.cards, size=size, pace=pace, real_clock=real_clock)
    faces.draw_in_background(deck.cards)
    return table

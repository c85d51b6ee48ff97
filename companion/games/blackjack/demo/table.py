"""Demo table for blackjack: mat, shoe, cards, chips, and the hands of dealer and players.

It knows no rules. Its methods move cards and chips; the camera has to interpret them.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from companion.games.blackjack.mats.places import BET, BOXES, DEALER, INSURANCE
from companion.games.blackjack.mats.zones import MAT
from companion.objects.chips import CHIPS, Chip
from companion.objects.decks import Deck
from companion.printing.mats.art import draw_mat
from hardware.demo.faces import Faces, Make
from hardware.demo.felt_table import DemoError, FeltTable
from hardware.demo.hands.acts import (
    Stage,
    bring_deck,
    deal_card,
    go_home,
    lay,
    pick_up,
    reach,
    remove_card,
    slide,
    sweep,
    wave,
)
from hardware.demo.hands.arm import Arm, Clock, HandMotion, in_sequence
from hardware.demo.layers import Texture
from hardware.demo.layout import Pose
from hardware.demo.mat_felt import draw_mat_table, print_mat
from hardware.demo.pinhole import Pinhole
from hardware.demo.printer import DeckPrinter
from hardware.demo.scene import Card, RestingPiece, Scene

PX_PER_MM: Final = 1.74  # for a picture 1920 px wide, which shows the whole mat
TILT_DEG: Final = 2.0
CROOKED_DEG: Final = 2.5
DOWN_MM: Final = 24.0
"""Offset of a hand's next card, which leaves the corner and code edge of the one below visible."""
ACROSS_MM: Final = 10.0
_HAND: Final = (76.0, 140.0)
_FIRST: Final = (33.0, 48.0)
_DEALERS_STEP: Final = 68.0
_SIDE_BY_SIDE: Final = 5
_CHIP_STEP: Final = 32.0
_DEALER_ARM: Final = 0
_HOME_Y: Final = 430.0
_SHOULDER_Y: Final = 760.0
_SWEEP_FROM: Final = 560.0
_SHUFFLE_S: Final = 0.4
_BELOW_MM: Final = 10.0


@dataclass(frozen=True, slots=True)
class Spot:
    """Target of a card or chip: a location such as ``dealer``, ``box/3/0`` (first hand of box 3) or ``bet/3``.

    Attributes:
        is_across: lay the card across the hand, as for a double.
        aside_mm: offset to the right of the proper position.
    """

    where: str
    is_across: bool = False
    aside_mm: float = 0.0


def hand_at(seat: int, slot: int = 0) -> str:
    """Return the location of a hand in a box.

    >>> hand_at(3, 1)
    'box/3/1'
    """
    return f"box/{seat}/{slot}"


class BlackjackTable(FeltTable):
    """A table with the blackjack mat. Thread-safe.

    Args:
        faces: textures of cards and chips.
        cards: IDs of a full deck.
        size: image size, px.
        seed: seed for noise, shuffling and card placement.
        pace: speed of the hands' movements; 1 is unhurried.
        mat: the printed mat, if already drawn.
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
    ) -> None:
        camera = Pinhole(size, PX_PER_MM * size[0] / 1920, tilt_deg=TILT_DEG)
        empty = draw_mat_table(camera, mat or print_blackjack_mat(), seed)
        scene = Scene(faces, camera, empty, deck_at=_middle("shoe"), seed=seed)
        self.cards, clock = tuple(cards), Clock(pace=pace)
        dealer = Arm(clock, (150.0, -_HOME_Y), (120.0, -_SHOULDER_Y), side_deg=180.0, reach_mm_s=1500.0)
        super().__init__(Stage(scene, random.Random(seed), clock, {_DEALER_ARM: dealer}))
        self._dealer = dealer

    # ---- actions

    def shuffle(self, seed: int | None = None) -> None:
        """Shuffle all cards that are not on the table into the shoe."""

        def start() -> HandMotion:
            out = {thing.card.id for thing in self._scene.lying if thing.card.make == "genuine"}
            order = [card for card in self.cards if card not in out]
            (self._stage.rng if seed is None else random.Random(seed)).shuffle(order)
            return in_sequence(bring_deck(self._stage, self._dealer, order, _SHUFFLE_S), go_home(self._dealer))

        self._enqueue(start)

    def deal(self, spot: Spot, card: str | None = None, *, make: Make = "genuine", is_up: bool = True) -> None:
        """Have the dealer deal the shoe's next card, or a given one."""
        self._enqueue(lambda: self._deal(spot, card, make, is_up))

    def move(self, card: str, spot: Spot) -> None:
        """Have the dealer move a card."""
        self._enqueue(lambda: self._move(self._find(card), spot))

    def turn(self, card: str) -> None:
        """Have the dealer turn a card over in place."""
        self._enqueue(lambda: self._turn(self._find(card)))

    def take(self, card: str, make: Make | None = None) -> None:
        """Have the dealer take a card off the table."""
        self._enqueue(lambda: in_sequence(remove_card(self._stage, self._dealer, self._find(card, make))))

    def lay_chip(self, chip: Chip, where: str) -> None:
        """Have a player lay a chip in a bet box or on the insurance line."""
        self._enqueue(lambda: self._lay_chip(self._arm(chip.seat), chip, where))

    def take_chip(self, chip: Chip) -> None:
        """Have a player take a chip back."""
        self._enqueue(lambda: self._take_chip(self._find(chip.id), self._arm(chip.seat)))

    def take_chips(self) -> None:
        """Have the winners take all chips."""
        self._enqueue(self._take_chips)

    def gather(self) -> None:
        """Have the dealer sweep all cards off the mat."""
        self._enqueue(self._gather)

    def wave_hand(self) -> None:
        """Wave the dealer's hand over the boxes without touching anything."""
        self._enqueue(lambda: wave(self._dealer, (-260.0, 40.0), (220.0, 60.0)))

    def restore(self, lying: Iterable[tuple[str, Spot, bool]]) -> None:
        """Clear the table and lay cards at once, as (card, spot, is face up); the rest becomes the shoe."""
        with self._lock:
            self._stop_all()
            self._scene.lift(*self._scene.lying)
            for card, spot, is_up in lying:
                self._scene.lay_down(Card(card, face_up=is_up), self._place(spot), spot.where)
            out = {thing.card.id for thing in self._scene.lying}
            self._stage.order[:] = [card for card in self.cards if card not in out]
            self._stage.rng.shuffle(self._stage.order)
            self._stage.show_deck()

    def happen(self, what: str) -> None:
        """Perform a happening given as text (see `HAPPENINGS`).

        Raises:
            DemoError: unknown happening.
        """
        happen(self, what)

    # ---- ground truth, for the agent and tests; the camera has no access

    @property
    def lying(self) -> tuple[RestingPiece, ...]:
        """Cards on the table, lowest first."""
        with self._lock:
            return tuple(thing for thing in self._scene.lying if thing.card.id not in CHIPS)

    @property
    def chips(self) -> tuple[RestingPiece, ...]:
        """Chips on the table."""
        with self._lock:
            return tuple(thing for thing in self._scene.lying if thing.card.id in CHIPS)

    @property
    def next_card(self) -> str:
        """The shoe's next card.

        Raises:
            DemoError: the shoe is empty.
        """
        with self._lock:
            if not self._stage.order:
                raise DemoError.saying("The shoe of the demo table is empty. Gather the cards first.")
            return self._stage.order[0]

    @property
    def cards_left(self) -> int:
        """Number of cards left in the shoe."""
        with self._lock:
            return len(self._stage.order)

    # ---- internals; the caller holds the lock

    def _deal(self, spot: Spot, name: str | None, make: Make, is_up: bool) -> HandMotion:
        order = self._stage.order
        name = self.next_card if name is None else name
        if make == "genuine" and name in order:
            order.remove(name)
        card, dealt = Card(name, make, is_up), self._dealer
        return in_sequence(deal_card(self._stage, dealt, card, partial(self._place, spot), spot.where), go_home(dealt))

    def _move(self, thing: RestingPiece, spot: Spot) -> HandMotion:
        yield from pick_up(self._stage, self._dealer, thing)
        texture, end = self._scene.texture_of(thing.card), self._place(spot)
        yield from slide(self._dealer, texture, thing.pose, end, lift_mm=6.0)
        self._scene.lay_down(thing.card, end, spot.where)
        yield from go_home(self._dealer)

    def _turn(self, thing: RestingPiece) -> HandMotion:
        yield from pick_up(self._stage, self._dealer, thing)
        card = replace(thing.card, face_up=not thing.card.face_up)
        yield from lay(self._stage, self._dealer, card, thing.pose, thing.pose, thing.where, was_up=thing.card.face_up)
        yield from go_home(self._dealer)

    def _gather(self) -> HandMotion:
        def catch(x: float) -> list[RestingPiece]:
            return [thing for thing in self.lying if thing.pose.x >= x - 8.0]

        yield from sweep(self._stage, self._dealer, (_SWEEP_FROM, 10.0), -2 * _SWEEP_FROM, 2.3, catch)
        self._dealer.go_home()
        yield

    def _lay_chip(self, arm: Arm, chip: Chip, where: str) -> HandMotion:
        card, texture = Card(chip.id), self._scene.faces.texture(chip.id)
        end = replace(self._place(Spot(where)), angle_deg=self._stage.rng.uniform(-40, 40))
        start = Pose(*arm.home, end.angle_deg, 8.0)
        yield from slide(arm, texture, start, end, 0.8, lift_mm=25.0, held=_held)
        self._scene.lay_down(card, end, where)
        yield from go_home(arm)

    def _take_chips(self) -> HandMotion:
        for seat in BOXES:
            own = [thing for thing in self.chips if CHIPS[thing.card.id].seat == seat]
            if not own:
                continue
            arm = self._arm(seat)
            for thing in own:
                yield from reach(arm, _held(thing.pose))
                self._scene.lift(thing)
                yield
            yield from go_home(arm)

    def _take_chip(self, thing: RestingPiece, arm: Arm) -> HandMotion:
        yield from reach(arm, _held(thing.pose))
        self._scene.lift(thing)
        yield from go_home(arm)

    def _arm(self, seat: int) -> Arm:
        if seat not in self._stage.arms:
            x = _middle(f"{BET}{min(seat, BOXES[-1])}").x
            haste = self._stage.rng.uniform(0.9, 1.3)
            self._stage.arms[seat] = Arm(self._time, (x, _HOME_Y), (x * 0.95, _SHOULDER_Y), 0.0, haste)
        return self._stage.arms[seat]

    def _place(self, spot: Spot) -> Pose:
        """Return the position of the next object at a spot, with a human's inaccuracy."""
        count = sum(thing.where == spot.where for thing in self._scene.lying)
        x, y = _next(spot.where, count)
        down = ACROSS_MM if spot.is_across else 0.0
        pose = Pose(x + spot.aside_mm, y + down, 90.0 if spot.is_across else 0.0)
        return self._stage.jittered(pose, CROOKED_DEG)


def _next(where: str, count: int) -> tuple[float, float]:
    """Return the centre of a location's next card or chip, mm from the mat's centre."""
    kind, _, rest = where.partition("/")
    zone = MAT.zones[f"box/{rest.partition('/')[0]}" if kind == "box" else where]
    x, y = zone.x - MAT.width_mm / 2, zone.y - MAT.height_mm / 2
    if kind == "box":
        row, column = divmod(int(rest.partition("/")[2]), 2)
        return x + _FIRST[0] + _HAND[0] * column, y + _FIRST[1] + _HAND[1] * row + DOWN_MM * count
    if where == DEALER:
        beside, over = min(count, _SIDE_BY_SIDE - 1), max(0, count - _SIDE_BY_SIDE + 1)
        return x + _FIRST[0] + _DEALERS_STEP * beside + DOWN_MM * over, y + zone.height / 2
    if where == INSURANCE:
        return x + zone.width / 2 + _CHIP_STEP * (count - 4), y + zone.height / 2
    return x + 24.0 + _CHIP_STEP * (count % 4), y + zone.height / 2


def _middle(zone: str) -> Pose:
    box = MAT.zones[zone]
    return Pose(box.x + box.width / 2 - MAT.width_mm / 2, box.y + box.height / 2 - MAT.height_mm / 2)


def _held(pose: Pose) -> tuple[float, float]:
    """Return the position of a player's hand holding a chip."""
    return pose.x, pose.y + _BELOW_MM


HAPPENINGS: Final = ("deal 8S box/1/0", "down QS dealer", "across 2H box/1/0", "move 8H box/1/1", "turn QS", "take 8S",
                     "chip C1-100 bet/1", "gather", "wave")  # fmt: skip
"""Examples of all happenings a scenario can use."""


def happen(table: BlackjackTable, what: str) -> None:
    """Perform a happening given as text.

    Raises:
        DemoError: unknown happening.
    """
    from hardware.demo.felt_table import unknown_event

    words = what.split()
    acts: dict[str, Callable[..., None]] = {
        "deal": lambda card, where: table.deal(Spot(where), card),
        "down": lambda card, where: table.deal(Spot(where), card, is_up=False),
        "across": lambda card, where: table.deal(Spot(where, is_across=True), card),
        "move": lambda card, where: table.move(card, Spot(where)),
        "turn": table.turn,
        "take": table.take,
        "chip": lambda chip, where: table.lay_chip(CHIPS[chip], where),
        "gather": table.gather,
        "wave": table.wave_hand,
    }
    example = next((one for one in HAPPENINGS if one.partition(" ")[0] == words[0]), None) if words else None
    if example is None or len(example.split()) != len(words):
        raise unknown_event(what, HAPPENINGS)
    acts[words[0]](*words[1:])


def print_blackjack_mat() -> Texture:
    """Return the printed mat."""
    return print_mat(MAT, lambda pen: draw_mat(pen, MAT, None))


def new_blackjack_table(
    deck: Deck, *, size: tuple[int, int] = (1920, 1080), seed: int = 1, pace: float = 1.0
) -> BlackjackTable:
    """Return a demo table with this deck's printed cards, which are rendered in the background."""
    faces = Faces(DeckPrinter(deck))
    table = BlackjackTable(faces, deck.cards, size=size, seed=seed, pace=pace)
    faces.draw_in_background(deck.cards)
    return table

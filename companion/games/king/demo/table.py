"""Demo table for King of Roulette: mat, cards, and a hand for every seat.

It knows no rules. Its methods move cards; the camera has to interpret them.
"""

import random
from dataclasses import dataclass
from typing import Final

from companion.games.king.printed.mat import KING_MAT
from companion.objects.decks import Deck
from companion.printing.mats.art import draw_mat
from hardware.demo.faces import Faces, Make
from hardware.demo.felt_table import FeltTable
from hardware.demo.hands.acts import Stage, go_home, grip, lay, pick_up, reach, remove_card, wave
from hardware.demo.hands.arm import Arm, Clock, HandMotion
from hardware.demo.layers import Texture
from hardware.demo.layout import STEP_MM, Pose
from hardware.demo.mat_felt import draw_mat_table, print_mat
from hardware.demo.pinhole import Pinhole
from hardware.demo.printer import DeckPrinter
from hardware.demo.scene import Card, RestingPiece, Scene

PX_PER_MM: Final = 1.72  # for a picture 1920 px wide, which shows the mat and the players' cards below it
TILT_DEG: Final = 4.0
CROOKED_DEG: Final = 2.5
BEFORE: Final = "seat/"
"""Prefix of a player's place below the mat, as in ``seat/3``; other locations are zones of the mat."""
_SEATS_IN_A_ROW: Final = 7
_SEAT_STEP_MM: Final = 128.0
_OWN_Y: Final = 262.0
_HOME_Y: Final = 430.0
_SHOULDER_Y: Final = 730.0
_FIRST_MM: Final = 52.0  # from a space's top edge to the centre of its first card
_ROWS: Final = 4
_SIDE_MM: Final = 33.0
"""From the centre of the zone for two cards to the centre of each."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Target of a card: a zone or seat, and a lateral offset from the right position, mm."""

    where: str
    aside_mm: float = 0.0


class KingTable(FeltTable):
    """A table with the King of Roulette mat. Thread-safe.

    Args:
        faces: card textures.
        size: image size, px.
        seed: seed for noise and card placement.
        pace: speed of the hands' movements; 1 is unhurried.
        mat: the printed mat, if already drawn.
    """

    def __init__(
        self,
        faces: Faces,
        *,
        size: tuple[int, int] = (1920, 1080),
        seed: int = 1,
        pace: float = 1.0,
        mat: Texture | None = None,
    ) -> None:
        camera = Pinhole(size, PX_PER_MM * size[0] / 1920, tilt_deg=TILT_DEG)
        empty = draw_mat_table(camera, mat or print_king_mat(), seed)
        scene = Scene(faces, camera, empty, deck_at=Pose(0.0, 0.0), seed=seed)
        super().__init__(Stage(scene, random.Random(seed), Clock(pace=pace)))

    # ---- actions

    def lay(self, seat: int, card: str, spot: Spot, *, make: Make = "genuine", is_up: bool = True) -> None:
        """Have a player lay a card from their hand."""
        self._enqueue(lambda: self._lay(self._arm(seat), Card(card, make, is_up), spot))

    def turn_up(self, seat: int, card: str, spot: Spot) -> None:
        """Have a player pick up a face-down card and lay it face up."""
        self._enqueue(lambda: self._turn(self._arm(seat), self._find(card, face_up=False), spot))

    def take(self, seat: int, thing: RestingPiece) -> None:
        """Have a player take a card off the table; no-op if it is gone by then."""
        self._enqueue(lambda: self._take(self._arm(seat), thing))

    def gather(self) -> None:
        """Have one hand take all cards off the table."""
        self._enqueue(lambda: self._gather(self._arm(_SEATS_IN_A_ROW)))

    def wave_hand(self, seat: int) -> None:
        """Wave a player's hand over the spaces without touching anything."""
        self._enqueue(lambda: wave(self._arm(seat), (-220.0, 60.0), (180.0, 20.0)))

    # ---- ground truth, for the agent and tests; the camera has no access

    @property
    def lying(self) -> tuple[RestingPiece, ...]:
        """Cards on the table, lowest first."""
        with self._lock:
            return tuple(self._scene.lying)

    # ---- internals; the caller holds the lock

    def _arm(self, seat: int) -> Arm:
        place = (seat - 1) % _SEATS_IN_A_ROW
        if place not in self._stage.arms:
            x = _x_of(seat)
            haste = self._stage.rng.uniform(0.85, 1.25)
            self._stage.arms[place] = Arm(self._time, (x, _HOME_Y), (x * 0.9, _SHOULDER_Y), 0.0, haste)
        return self._stage.arms[place]

    def _lay(self, arm: Arm, card: Card, spot: Spot) -> HandMotion:
        target = self._place(spot)
        yield from lay(self._stage, arm, card, Pose(*arm.home), target, spot.where, was_up=False)
        yield from go_home(arm)

    def _turn(self, arm: Arm, thing: RestingPiece, spot: Spot) -> HandMotion:
        yield from pick_up(self._stage, arm, thing)
        card = Card(thing.card.id, thing.card.make)
        target = thing.pose if thing.where == spot.where else self._place(spot)
        yield from lay(self._stage, arm, card, thing.pose, target, spot.where, was_up=False)
        yield from go_home(arm)

    def _take(self, arm: Arm, thing: RestingPiece) -> HandMotion:
        if thing in self._scene.lying:
            yield from remove_card(self._stage, arm, thing)

    def _gather(self, arm: Arm) -> HandMotion:
        for thing in list(reversed(self._scene.lying)):
            yield from reach(arm, grip(arm, thing.pose))
            self._scene.lift(thing)
            yield
        yield from go_home(arm)

    def _place(self, spot: Spot) -> Pose:
        """Return the position of the next card at a spot, with a human's inaccuracy."""
        count = sum(thing.where == spot.where for thing in self._scene.lying)
        x, y = _first(spot.where, count)
        return self._stage.jittered(Pose(x + spot.aside_mm, y), CROOKED_DEG)


def _first(where: str, count: int) -> tuple[float, float]:
    """Return the centre of a location's next card, mm from the mat's centre."""
    if where.startswith(BEFORE):
        return _x_of(int(where.removeprefix(BEFORE))), _OWN_Y
    box = KING_MAT.zones[where]
    x, y = box.x + box.width / 2 - KING_MAT.width_mm / 2, box.y - KING_MAT.height_mm / 2
    if not where.startswith("bet/"):
        return x + (_SIDE_MM * (2 * count - 1) if where == "rule/1" else 0.0), y + box.height / 2
    return x + 5.0 * (count // _ROWS), y + _FIRST_MM + STEP_MM * (count % _ROWS)


def _x_of(seat: int) -> float:
    return ((seat - 1) % _SEATS_IN_A_ROW - (_SEATS_IN_A_ROW - 1) / 2) * _SEAT_STEP_MM


def print_king_mat() -> Texture:
    """Return the printed mat."""
    return print_mat(KING_MAT, lambda pen: draw_mat(pen, KING_MAT, None))


def new_king_table(deck: Deck, *, size: tuple[int, int] = (1920, 1080)) -> KingTable:
    """Return a demo table with this deck's printed cards."""
    return KingTable(Faces(DeckPrinter(deck)), size=size)

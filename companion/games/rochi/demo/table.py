"""Demo table for Rochi and Captain's Rochi: mat, tokens, coins, and hands from all sides.

It knows no rules. Its methods move objects; the camera has to interpret them.
"""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from companion.games.roche_deck.design import FULL_DECK
from companion.games.rochi.demo.acts import draw_card, everybody_hands_in, move_card, shuffle, sweep_stacks
from companion.games.rochi.demo.layout import CENTRE, SEATS, middle
from companion.games.rochi.demo.moves import Move
from companion.games.rochi.demo.stage import RochiStage
from companion.games.rochi.demo.turns import act_of, place_in, relaid, tokens_home
from companion.games.rochi.mats.zones import MAT
from companion.objects.cards import LEADER_BUTTON, SUIT_CARDS, TOKENS
from companion.objects.decks import Deck
from companion.printing.mats.art import draw_mat
from hardware.demo.chips import VALUES, chip_name
from hardware.demo.faces import Faces
from hardware.demo.felt_table import DemoError, FeltTable
from hardware.demo.hands.acts import go_home, grip, reach, remove_card, wave
from hardware.demo.hands.arm import Clock, HandMotion, in_sequence
from hardware.demo.layers import Texture
from hardware.demo.layout import Pose
from hardware.demo.mat_felt import draw_mat_table, print_mat
from hardware.demo.pinhole import Pinhole
from hardware.demo.printer import DeckPrinter
from hardware.demo.scene import Card, RestingPiece, Scene

PX_PER_MM: Final = 1.72  # for a picture 1920 px wide: the whole mat, with 2.36 px per module at its far edge
TILT_DEG: Final = 4.0


@dataclass(frozen=True, slots=True)
class Laid:
    """Layout of the table; seats by number.

    Attributes:
        stacks: suit -> cards, lowest first.
        shields: seat -> Shields.
        tokens: suit token -> place.
        leader: the seat with the leader button.
        hands: seat -> number of cards held; their faces are random.
        discarded: number of cards on the discard pile.
        gone: those among them that were seen.
        deck: number of cards in the deck; None for all remaining ones.
        coins: place -> coins.
    """

    stacks: Mapping[int, Sequence[str]] = field(default_factory=dict)
    shields: Mapping[int, Sequence[str]] = field(default_factory=dict)
    tokens: Mapping[str, str] = field(default_factory=dict)
    leader: int | None = None
    hands: Mapping[int, int] = field(default_factory=dict)
    gone: Sequence[str] = ()
    deck: int | None = None
    coins: Mapping[str, int] = field(default_factory=dict)


class DemoRochiTable(FeltTable):
    """A table with the Rochi mat. Thread-safe.

    Args:
        faces: textures of cards, tokens and chips.
        size: image size, px.
        seed: seed for noise, placement and speed of the hands.
        pace: speed of the hands' movements; 1 is unhurried.
        cards: IDs of a full deck.
        clock: real time in seconds; only for how long the camera stays unplugged.
        mat: the printed mat, if already drawn (drawing takes half a second).
    """

    _stage: RochiStage

    def __init__(
        self,
        faces: Faces,
        *,
        size: tuple[int, int] = (1920, 1080),
        seed: int = 1,
        pace: float = 1.0,
        cards: Sequence[str] = FULL_DECK,
        clock: Callable[[], float] = time.monotonic,
        mat: Texture | None = None,
    ) -> None:
        camera = Pinhole(size, PX_PER_MM * size[0] / 1920, tilt_deg=TILT_DEG)
        self.cards = tuple(cards)
        self.ranks = tuple(sorted({SUIT_CARDS[card].rank for card in cards}))
        empty = draw_mat_table(camera, mat or print_rochi_mat(None if 2 in self.ranks else "red"), seed)
        scene = Scene(faces, camera, empty, deck_at=Pose(*middle("deck"), angle_deg=-1.5), seed=seed)
        super().__init__(RochiStage(scene, random.Random(seed), Clock(pace=pace)), clock)
        for token in self.tokens:
            relaid(self._stage, token, CENTRE)

    # -- actions

    def sit(self, seats: Sequence[int]) -> None:
        """Set the occupied seats.

        Raises:
            DemoError: there is no such seat.
        """
        strangers = [seat for seat in seats if seat not in SEATS]
        if strangers:
            raise DemoError(f"The mat has no seat {strangers[0]}. Its seats are 1 to 6.")
        with self._lock:
            self._stage.sit(seats)

    def move(self, *moves: Move) -> None:
        """Have players make moves, one after the other."""
        with self._lock:
            for move in moves:
                self._enqueue(partial(act_of, self._stage, move))

    def do(self, start: Callable[[RochiStage], HandMotion]) -> None:
        """Perform a custom act."""
        self._enqueue(lambda: start(self._stage))

    def deal_hands(self, dealer: int, cards_each: int, seats: Sequence[int]) -> None:
        """Deal face down, one card at a time, until each seat holds ``cards_each``."""

        def deal(stage: RochiStage) -> HandMotion:
            yield from reach(stage.arms[dealer], grip(stage.arms[dealer], stage.scene.deck_at))
            for _ in range(cards_each):
                for seat in seats:
                    if len(stage.hands[seat]) < cards_each:
                        yield from draw_card(stage, dealer, seat)
            yield from go_home(stage.arms[dealer])

        self.do(deal)

    def tokens_home(self, seat: int) -> None:
        """Return all suit tokens to the centre."""
        self.do(lambda stage: tokens_home(stage, seat))

    def gather(self, seat: int) -> None:
        """Have all players hand in hands and Shields, and one of them sweep the stacks."""
        self.do(
            lambda stage: in_sequence(everybody_hands_in(stage), sweep_stacks(stage, seat), go_home(stage.arms[seat]))
        )

    def shuffle(self, seat: int, seed: int | None = None, kept: Sequence[str] = ()) -> None:
        """Shuffle deck and discards into a new deck; ``kept`` stays on the discard pile."""

        def start(stage: RochiStage) -> HandMotion:
            rng = stage.rng if seed is None else random.Random(seed)
            out = {thing.card.id for thing in stage.scene.lying if thing.card.make == "genuine"}
            order = [card for card in self.cards if card not in out and card not in kept]
            rng.shuffle(order)
            return in_sequence(shuffle(stage, seat, order, kept), go_home(stage.arms[seat]))

        self.do(start)

    def wave_hand(self, seat: int) -> None:
        """Wave a hand over the stacks without touching anything."""
        self.do(lambda stage: wave(stage.arms[seat], (-120.0, 30.0), (200.0, -40.0)))

    def take_away(self, seat: int, thing: RestingPiece) -> None:
        """Have a player take a card off the table; no-op if it is gone by then."""
        self.do(lambda stage: remove_card(stage, stage.arms[seat], self._there(thing)))

    def put_right(self, seat: int, thing: RestingPiece, where: str) -> None:
        """Have a player move a card to another stack or seat; no-op if it is gone by then."""
        self.do(
            lambda stage: in_sequence(
                move_card(stage, seat, self._there(thing), place_in(stage, where), where), go_home(stage.arms[seat])
            )
        )

    def _there(self, thing: RestingPiece) -> RestingPiece:
        if thing not in self._scene.lying:
            raise DemoError(f"{thing.card.id} is gone already.")
        return thing

    # -- without hands

    def bring(self, token: str, where: str) -> None:
        """Place a missing token on the table at once."""
        with self._lock:
            relaid(self._stage, token, where)

    def set_coins(self, coins: Mapping[str, int]) -> None:
        """Set the coins at these places at once."""
        with self._lock:
            for where, amount in coins.items():
                self._stage.set_coins(where, amount)

    def restore(self, laid: Laid) -> None:
        """Set the whole layout at once; hands get random remaining cards."""
        with self._lock:
            self._stop_all()
            self._restore(laid)

    def _restore(self, laid: Laid) -> None:
        stage = self._stage
        stage.scene.lift(*stage.scene.lying)
        for rank, cards in laid.stacks.items():
            for card in cards:
                stage.scene.lay_down(Card(card), stage.stack_place(rank), f"stack/{rank}")
        for seat, cards in laid.shields.items():
            for card in cards:
                stage.scene.lay_down(Card(card), stage.shield_place(seat), f"seat/{seat}")
        for token in self.tokens:
            relaid(stage, token, laid.tokens.get(token, CENTRE))
        if laid.leader is not None:
            relaid(stage, LEADER_BUTTON, f"seat/{laid.leader}")
        self._share_out(laid)
        for where in {*stage.coins, *laid.coins}:
            stage.set_coins(where, laid.coins.get(where, 0))

    def _share_out(self, laid: Laid) -> None:
        """Distribute the cards that are not face up to hands, deck and discard pile."""
        stage = self._stage
        out = {*laid.gone, *(thing.card.id for thing in stage.scene.lying)}
        rest = [card for card in self.cards if card not in out]
        stage.rng.shuffle(rest)
        for seat in stage.arms:
            held = laid.hands.get(seat, 0)
            stage.hands[seat], rest = rest[:held], rest[held:]
            stage.show_hand(seat)
        deck = len(rest) if laid.deck is None else laid.deck
        stage.order, stage.discarded = rest[:deck], [*laid.gone, *rest[deck:]]
        stage.show_deck()
        stage.show_discards()

    # -- ground truth, for the agent and tests; the camera has no access

    @property
    def tokens(self) -> tuple[str, ...]:
        """Suit tokens of the deck in play."""
        return tuple(token for token in TOKENS if int(token[1]) in self.ranks)

    @property
    def lying(self) -> tuple[RestingPiece, ...]:
        """Cards and tokens on the table, lowest first."""
        with self._lock:
            return tuple(self._scene.lying)

    def cards_at(self, where: str) -> tuple[str, ...]:
        """Return the cards in a place: ``stack/6``, ``seat/2`` (Shields)."""
        with self._lock:
            return tuple(thing.card.id for thing in self._stage.at(where))

    def token_at(self, token: str) -> str | None:
        """Return a token's place; None if it is not on the table."""
        with self._lock:
            thing = self._stage.token(token)
            return None if thing is None else thing.where

    def hand(self, seat: int) -> tuple[str, ...]:
        """Return a player's hand, to be used for that player only."""
        with self._lock:
            return tuple(self._stage.hands.get(seat, ()))

    @property
    def seats(self) -> tuple[int, ...]:
        """Occupied seats."""
        with self._lock:
            return tuple(sorted(self._stage.arms))

    @property
    def coins(self) -> dict[str, int]:
        """Place -> coins."""
        with self._lock:
            return dict(self._stage.coins)

    @property
    def deck_left(self) -> int:
        """Number of cards left in the deck."""
        with self._lock:
            return len(self._stage.order)

    @property
    def discards(self) -> tuple[str, ...]:
        """The discard pile, lowest first."""
        with self._lock:
            return tuple(self._stage.discarded)

    def next_cards(self, count: int) -> tuple[str, ...]:
        """Return the deck's next cards, for the dealing hand only."""
        with self._lock:
            return tuple(self._stage.order[:count])


def print_rochi_mat(deck: str | None = None) -> Texture:
    """Return the printed mat for a deck; the red one has no Mages."""
    return print_mat(MAT, lambda pen: draw_mat(pen, MAT, deck))


def new_rochi_table(deck: Deck, *, size: tuple[int, int] = (1920, 1080)) -> DemoRochiTable:
    """Return a demo table for Rochi or Captain's Rochi with this deck's printed cards and tokens."""
    faces = Faces(DeckPrinter(deck))
    chips = [chip_name(value) for value in VALUES]
    table = DemoRochiTable(faces, size=size, cards=deck.cards)
    faces.draw_in_background([*chips, *deck.tokens, LEADER_BUTTON, *deck.cards])
    return table

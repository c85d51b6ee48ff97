"""The demo table for Rochi and Captain's Rochi: mat, tokens, coins, and hands from every side.

It knows nothing of the rules. Commands move things; what they mean has to be seen.
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
from hardware.demo.hands.acts import carry_off, go_home, grip, reach, wave
from hardware.demo.hands.arm import Act, Clock, in_turn
from hardware.demo.layers import Texture
from hardware.demo.layout import Pose
from hardware.demo.mat_felt import draw_mat_table, print_mat
from hardware.demo.pinhole import Pinhole
from hardware.demo.printer import DeckPrinter
from hardware.demo.scene import Card, Lying, Scene

PX_PER_MM: Final = 1.72  # of a picture 1920 px wide: the whole mat, and at its far edge 2.36 px a module
TILT_DEG: Final = 4.0


@dataclass(frozen=True, slots=True)
class Laid:
    """Everything on the table at one moment; seats by number.

    Attributes:
        stacks: the cards of each suit, the lowest first.
        shields: the Shields before each seat.
        tokens: where each suit token lies.
        leader: the seat with the leader button.
        hands: how many cards each seat holds; which ones is up to luck.
        discarded: how many cards lie on the discard pile.
        gone: those among them that were seen.
        deck: how many are left in the deck; None: all that are left over.
        coins: by place.
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
    """A table with the Rochi mat. Every method may be called from any thread.

    Args:
        faces: textures of cards, tokens and chips.
        size: of the pictures, px.
        seed: everything random in it: noise, how crooked things lie, how slow people are.
        pace: 1 for unhurried people.
        cards: what a full deck holds.
        clock: real seconds; only for how long the camera stays unplugged.
        mat: the print of it, if it is drawn already (it takes half a second).
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

    # -- what hands do

    def sit(self, seats: Sequence[int]) -> None:
        """Have people on these seats and on no others.

        Raises:
            DemoError: there is no such seat.
        """
        strangers = [seat for seat in seats if seat not in SEATS]
        if strangers:
            raise DemoError(f"The mat has no seat {strangers[0]}. Its seats are 1 to 6.")
        with self._lock:
            self._stage.sit(seats)

    def move(self, *moves: Move) -> None:
        """Have people do things, one after the other."""
        with self._lock:
            for move in moves:
                self._then(partial(act_of, self._stage, move))

    def do(self, start: Callable[[RochiStage], Act]) -> None:
        """Have somebody do something out of the ordinary."""
        self._then(lambda: start(self._stage))

    def deal_hands(self, dealer: int, cards_each: int, seats: Sequence[int]) -> None:
        """Deal face down, one card at a time, until everybody has so many."""

        def deal(stage: RochiStage) -> Act:
            yield from reach(stage.arms[dealer], grip(stage.arms[dealer], stage.scene.deck_at))
            for _ in range(cards_each):
                for seat in seats:
                    if len(stage.hands[seat]) < cards_each:
                        yield from draw_card(stage, dealer, seat)
            yield from go_home(stage.arms[dealer])

        self.do(deal)

    def tokens_home(self, seat: int) -> None:
        """Have somebody put all suit tokens back to the centre."""
        self.do(lambda stage: tokens_home(stage, seat))

    def gather(self, seat: int) -> None:
        """Have everybody hand in hands and Shields, and somebody sweep the stacks."""
        self.do(lambda stage: in_turn(everybody_hands_in(stage), sweep_stacks(stage, seat), go_home(stage.arms[seat])))

    def shuffle(self, seat: int, seed: int | None = None, kept: Sequence[str] = ()) -> None:
        """Have somebody shuffle deck and discards, and put the deck down; ``kept`` stays on the discard pile."""

        def start(stage: RochiStage) -> Act:
            rng = stage.rng if seed is None else random.Random(seed)
            out = {thing.card.id for thing in stage.scene.lying if thing.card.make == "genuine"}
            order = [card for card in self.cards if card not in out and card not in kept]
            rng.shuffle(order)
            return in_turn(shuffle(stage, seat, order, kept), go_home(stage.arms[seat]))

        self.do(start)

    def wave_hand(self, seat: int) -> None:
        """Have somebody reach over the stacks and back, touching nothing."""
        self.do(lambda stage: wave(stage.arms[seat], (-120.0, 30.0), (200.0, -40.0)))

    def take_away(self, seat: int, thing: Lying) -> None:
        """Have somebody take a card off the table; nothing happens if it is gone by then."""
        self.do(lambda stage: carry_off(stage, stage.arms[seat], self._there(thing)))

    def put_right(self, seat: int, thing: Lying, where: str) -> None:
        """Have somebody move a card to another stack or seat; nothing happens if it is gone by then."""
        self.do(
            lambda stage: in_turn(
                move_card(stage, seat, self._there(thing), place_in(stage, where), where), go_home(stage.arms[seat])
            )
        )

    def _there(self, thing: Lying) -> Lying:
        if thing not in self._scene.lying:
            raise DemoError(f"{thing.card.id} is gone already.")
        return thing

    # -- without hands

    def bring(self, token: str, where: str) -> None:
        """Have a token that is not on the table lie there at once."""
        with self._lock:
            relaid(self._stage, token, where)

    def set_coins(self, coins: Mapping[str, int]) -> None:
        """Pile up coins at these places, at once."""
        with self._lock:
            for where, amount in coins.items():
                self._stage.set_coins(where, amount)

    def restore(self, laid: Laid) -> None:
        """Have everything lie like this at once; whoever holds cards gets some of those that are left."""
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
        """Give hands, deck and discard pile the cards that do not lie open."""
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

    # -- what lies there (for the people at the table and for tests: a camera cannot know)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The suit tokens of the deck in play."""
        return tuple(token for token in TOKENS if int(token[1]) in self.ranks)

    @property
    def lying(self) -> tuple[Lying, ...]:
        """The cards and tokens on the table, the lowest first."""
        with self._lock:
            return tuple(self._scene.lying)

    def cards_at(self, where: str) -> tuple[str, ...]:
        """Return the cards in a place: ``stack/6``, ``seat/2`` (Shields)."""
        with self._lock:
            return tuple(thing.card.id for thing in self._stage.at(where))

    def token_at(self, token: str) -> str | None:
        """Return where a token was put; None if it is not on the table."""
        with self._lock:
            thing = self._stage.token(token)
            return None if thing is None else thing.where

    def hand(self, seat: int) -> tuple[str, ...]:
        """Return what a player holds: for that player only."""
        with self._lock:
            return tuple(self._stage.hands.get(seat, ()))

    @property
    def seats(self) -> tuple[int, ...]:
        """Who sits there."""
        with self._lock:
            return tuple(sorted(self._stage.arms))

    @property
    def coins(self) -> dict[str, int]:
        """The coins in each place."""
        with self._lock:
            return dict(self._stage.coins)

    @property
    def deck_left(self) -> int:
        """How many cards the deck has."""
        with self._lock:
            return len(self._stage.order)

    @property
    def discards(self) -> tuple[str, ...]:
        """The discard pile, the lowest first."""
        with self._lock:
            return tuple(self._stage.discarded)

    def next_cards(self, count: int) -> tuple[str, ...]:
        """Return the deck's next cards: hidden from the players, but known to the dealing hand."""
        with self._lock:
            return tuple(self._stage.order[:count])


def print_rochi_mat(deck: str | None = None) -> Texture:
    """Return the printed mat for a deck; the red one has no place for Mages."""
    return print_mat(MAT, lambda pen: draw_mat(pen, MAT, deck))


def new_rochi_table(deck: Deck, *, size: tuple[int, int] = (1920, 1080)) -> DemoRochiTable:
    """Return a demo table for Rochi or Captain's Rochi with this deck's real printed cards and tokens."""
    faces = Faces(DeckPrinter(deck))
    chips = [chip_name(value) for value in VALUES]
    table = DemoRochiTable(faces, size=size, cards=deck.cards)
    faces.draw_ahead([*chips, *deck.tokens, LEADER_BUTTON, *deck.cards])
    return table

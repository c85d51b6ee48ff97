"""Hands of Rochi played for tests and benches: frames as a camera takes them, and beside them what truly happened.

    script = RochiScript(seed=7, players=4)
    for shot in script.shots():
        ...  # shot.frame is a picture; shot.done lists the commands that became true since the shot before

What a camera cannot know (`Truth.how` is ``button``) is pressed by the people: whoever reads the script has to submit
it to the table under test when it comes. Everything else has to be inferred from the pictures.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from companion.games.roche_deck.design import FULL
from companion.games.rochi.captains.rules import Captains
from companion.games.rochi.demo.moves import (
    Deal,
    MoveToken,
    Pay,
    coins_of,
    play_of,
    said_with,
    seats_of,
    settlement,
    token_home_of,
)
from companion.games.rochi.demo.players import NAMES, PURSE, decide
from companion.games.rochi.demo.table import DemoRochiTable, Laid
from companion.games.rochi.rules import Rochi
from companion.kernel.commands import Record
from companion.kernel.game import Game
from companion.kernel.table import Header, Table
from companion.objects.decks import Deck
from companion.vision.frame import Frame
from hardware.demo.faces import Faces
from hardware.demo.layers import Texture
from hardware.demo.printer import DeckPrinter, strange_deck

How = Literal["camera", "button"]

HAND_CARDS: Final = {"rochi": 5, "captains": 7}
THINKS_S: Final = (0.2, 2.4)
"""How long people wait before they do the next thing, at pace 1."""
_PRESSED_FIRST: Final = 0.5
_MOST_STEPS: Final = 400


@dataclass(frozen=True, slots=True)
class Truth:
    """A command that is true: it happened on the table from ``began`` to ``t`` (scene seconds)."""

    record: Record
    how: How
    began: float
    t: float


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture, and what became true since the one before."""

    frame: Frame
    done: tuple[Truth, ...] = ()


class RochiScript:
    """One evening of simulated people, the same for the same seed.

    Args:
        seed: of cards, people and pictures.
        players: how many sit there: 3 to 6, or 2 for Captain's Rochi.
        hands: how many hands are played; in Captain's Rochi, how many cuts.
        fps: pictures a second of scene time.
        pace: 1 is unhurried, 2 twice as fast.
        deck: whose cards lie there.
        faces: their pictures, if they are drawn already (they take some seconds).
        mat: its print, if it is drawn already.
        options: of the game.
    """

    def __init__(
        self,
        seed: int,
        *,
        players: int = 4,
        hands: int = 1,
        fps: float = 10.0,
        pace: float = 1.0,
        size: tuple[int, int] = (1920, 1080),
        deck: Deck | None = None,
        faces: Faces | None = None,
        mat: Texture | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        deck = deck or strange_deck(FULL)
        rules: Game[Any] = Captains() if players == 2 else Rochi()
        self.game = rules.name
        self.header = Header(rules, tuple((name, PURSE) for name in NAMES[:players]), options or {})
        self.rules = Table(self.header)
        self.rng = random.Random(seed)
        self.table = DemoRochiTable(
            faces or Faces(DeckPrinter(deck)), size=size, seed=seed, pace=pace, cards=deck.cards, mat=mat
        )
        self.truth: list[Truth] = []
        self._hands, self._fps, self._pace = hands, fps, pace
        self._number = -1
        self._told = 0
        self._seats = list(range(1, players + 1))
        self.table.sit(self._seats)
        self.table.restore(Laid(leader=self._leader(), coins=coins_of(self.rules.view())))

    # ---- what a bench reads

    def shots(self) -> Iterator[Shot]:
        """Play to the end, and a second longer."""
        yield from self._wait(1.0)
        for number in range(self._hands if self.game == "rochi" else 1):
            if number:
                yield from self._next_hand()
            yield from self._dealt()
            yield from self._play_on()
        yield from self._wait(1.0 * self._pace)

    # ---- a hand

    def _dealt(self) -> Iterator[Shot]:
        dealer = self._leader()
        self.table.shuffle(dealer, self.rng.getrandbits(32))
        self.table.deal_hands(dealer, HAND_CARDS[self.game], self._from(dealer))
        yield from self._until_idle()
        while self.rules.phase == "seeding":
            yield from self._deal(dealer, "seed")

    def _play_on(self) -> Iterator[Shot]:
        for _ in range(_MOST_STEPS):
            if self.rules.phase not in ("turns", "last-player", "odd-coin") or self._is_enough():
                return
            yield from self._wait(self.rng.uniform(*THINKS_S))
            yield from self._step()
            yield from self._keep_up()

    def _view(self) -> dict[str, Any]:
        return dict(self.rules.view())

    def _step(self) -> Iterator[Shot]:
        view = self._view()
        if self.rules.phase == "odd-coin":
            pot = self.rng.choice([int(suit) for suit in view["pots"]])
            yield from self._press({"do": "odd-coin", "pot": pot})
            return
        player = view["turn"]
        seat = seats_of(view)[player]
        record = {"do": "deal"} if view["phase"] == "last-player" else self._decided(view, player, seat)
        if record["do"] == "deal":
            yield from self._deal(seat, "deal")
        elif record["do"] == "play":
            self.table.move(play_of(view, player, record["card"]))
            yield from self._finish(record, "camera")
        else:
            yield from self._say(record, player)

    def _decided(self, view: dict[str, Any], player: str, seat: int) -> Record:
        return decide(view, player, self.table.hand(seat), self.rng)

    def _deal(self, seat: int, verb: str) -> Iterator[Shot]:
        card = self.table.top_card
        assert card is not None, "the rules end a hand before the deck is empty"
        self.table.move(Deal(seat, None))
        yield from self._finish({"do": verb, "card": card}, "camera")

    def _say(self, record: Record, player: str) -> Iterator[Shot]:
        """Something is said and a button pressed, before the hands do it or after."""
        pressed_first = self.rng.random() < _PRESSED_FIRST
        move = said_with(self.rules.view(), player, record["do"])
        if pressed_first:
            yield from self._press(record)
        self.table.move(move)
        yield from self._until_idle()
        if not pressed_first:
            yield from self._press(record)

    def _press(self, record: Record) -> Iterator[Shot]:
        self._true(record, "button", self.table.now)
        yield self._shot()

    def _finish(self, record: Record, how: How) -> Iterator[Shot]:
        began = self.table.now
        yield from self._until_idle()
        self._true(record, how, began)
        yield self._shot()

    def _true(self, record: Record, how: How, began: float) -> None:
        self.rules.do(record)
        self.truth.append(Truth(record, how, began, self.table.now))

    # ---- what follows from it

    def _keep_up(self) -> Iterator[Shot]:
        """Tokens, coins and cards follow the rules: what people do once a card has been laid."""
        view = self._view()
        if view["phase"] in ("between-hands", "finished"):
            yield from self._settle(view)
            return
        seat = seats_of(view)[view["turn"]] if view["turn"] else self._seats[0]
        for token in self.table.tokens:
            home = token_home_of(view, int(token[1]))
            if self.table.token_at(token) != home:
                self.table.move(MoveToken(seat, token, home))
        yield from self._settle(view)
        if self.game == "captains":
            yield from self._tidy_captains(view)

    def _settle(self, view: dict[str, Any]) -> Iterator[Shot]:
        for payment in settlement(self.table.coins, coins_of(view)):
            seats = [int(place[5:]) for place in (payment.giver, payment.taker) if place.startswith("seat/")]
            self.table.move(Pay(seats[0] if seats else 1, payment))
        yield from self._until_idle()

    def _tidy_captains(self, view: dict[str, Any]) -> Iterator[Shot]:
        from companion.games.rochi.demo.captains import tidy

        tidy(self.table, view, self.rng)
        yield from self._until_idle()

    def _next_hand(self) -> Iterator[Shot]:
        dealer = self._leader()
        self.table.tokens_home(dealer)
        self.table.gather(dealer)
        yield from self._until_idle()
        yield from self._press({"do": "next-hand"})
        self.table.move(MoveToken(dealer, "LDR", f"seat/{self._leader()}"))
        yield from self._until_idle()

    # ---- pictures

    def _until_idle(self) -> Iterator[Shot]:
        while self.table.busy:
            yield self._shot()

    def _wait(self, seconds: float) -> Iterator[Shot]:
        end = self.table.now + seconds / self._pace
        while self.table.now < end:
            yield self._shot()

    def _shot(self) -> Shot:
        self._number += 1
        t = self._number / self._fps
        done = tuple(self.truth[self._told :])
        self._told = len(self.truth)
        return Shot(Frame(self.table.picture(t), t, self._number), done)

    # ---- small answers

    def _is_enough(self) -> bool:
        return self.game == "captains" and len(self.rules.results) >= self._hands

    def _leader(self) -> int:
        view = self._view()
        return seats_of(view).get(view.get("leader") or "", 1)

    def _from(self, seat: int) -> Sequence[int]:
        at = self._seats.index(seat)
        return (*self._seats[at + 1 :], *self._seats[: at + 1])

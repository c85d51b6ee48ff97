"""What may go wrong at a table of Rochi, done on purpose."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from companion.games.rochi.demo.acts import carry_off
from companion.games.rochi.demo.layout import stack_slot
from companion.games.rochi.demo.moves import Deal, Play, play_of, seats_of
from companion.games.rochi.demo.seen import Awaited
from companion.games.rochi.demo.stage import RochiStage
from companion.games.rochi.demo.table import DemoRochiTable
from companion.games.rochi.demo.turns import act_of
from companion.kernel.messages import Message, message
from companion.objects.cards import LEADER_BUTTON
from hardware.demo.faces import Make
from hardware.demo.felt_table import DemoError
from hardware.demo.hands.arm import Act, together
from hardware.demo.layout import Pose
from hardware.demo.scene import Lying

View = Mapping[str, Any]

LOST_S: Final = 7.0

MISCHIEF: Final[Mapping[str, Message]] = {
    "wrong-stack": message("Lay a card on the wrong stack"),
    "token-forgotten": message("Play and forget the token"),
    "token-wrong-seat": message("Give a token to the wrong player"),
    "shield-wrong-player": message("Lay a Shield before the wrong player"),
    "out-of-turn": message("Play out of turn"),
    "duplicate": message("Play a card that lies there already"),
    "forged": message("Play a forged card"),
    "stranger": message("Play a card of a strange deck"),
    "vanish": message("Let a card vanish"),
    "seven-seeds": message("Seed one card too many"),
    "two-at-once": message("Two people play at once"),
    "half-zone": message("Lay a card between two stacks"),
    "token-away": message("Take a token off the table"),
    "hand": message("Reach over the table"),
    "glare": message("Mirror a lamp in the last card"),
    "lost": message("Unplug the camera"),
    "tidy": message("Put right what lies wrong"),
}
"""What a person may provoke, with a label for the button."""


class Mischief:
    """Does it, and says what the companion should make of it.

    Args:
        table: where.
        rng: who, and with which card.
    """

    def __init__(self, table: DemoRochiTable, rng: random.Random) -> None:
        self._table, self._rng = table, rng

    def do(self, kind: str, view: View, now: float) -> list[Awaited]:
        """Let it go wrong; return what lies there that should count all the same.

        Raises:
            DemoError: no such mischief, or not possible now.
        """
        if kind not in MISCHIEF:
            raise DemoError(f"The demo knows no mischief {kind!r}. Choose one of {', '.join(MISCHIEF)}.")
        does = getattr(self, "_" + kind.replace("-", "_"))
        records: list[dict[str, Any]] = does(view)
        return [Awaited(record, view["seq"], now) for record in records]

    # -- with cards

    def _wrong_stack(self, view: View) -> list[dict[str, Any]]:
        player, _, card = self._someone_to_play(view)
        wrong = self._rng.choice([rank for rank in self._table.ranks if rank != int(card[0])])
        move = play_of(view, player, card)
        self._table.move(replace(move, to=f"stack/{wrong}"))
        return [{"do": "play", "card": card}]

    def _token_forgotten(self, view: View) -> list[dict[str, Any]]:
        player, _, card = self._someone_to_play(view, with_token=True)
        self._table.move(replace(play_of(view, player, card), token=None))
        return [{"do": "play", "card": card}]

    def _token_wrong_seat(self, view: View) -> list[dict[str, Any]]:
        player, seat, card = self._someone_to_play(view, with_token=True)
        other = self._rng.choice([s for s in self._table.seats if s != seat])
        self._table.move(replace(play_of(view, player, card), token_to=f"seat/{other}"))
        return [{"do": "play", "card": card}]

    def _shield_wrong_player(self, view: View) -> list[dict[str, Any]]:
        player = self._actor(view)
        for card in self._table.hand(seats_of(view)[player]):
            move = play_of(view, player, card)
            if move.to.startswith("seat/"):
                other = self._rng.choice([s for s in self._table.seats if f"seat/{s}" != move.to])
                self._table.move(replace(move, to=f"seat/{other}"))
                return [{"do": "play", "card": card}]
        raise DemoError(message("Nobody can play a Shield now. Try it when a suit is ripe."))

    def _out_of_turn(self, view: View) -> list[dict[str, Any]]:
        player = self._actor(view)
        others = [name for name, seat in seats_of(view).items() if name != player and self._table.hand(seat)]
        if not others:
            raise DemoError(message("Nobody else holds a card. Try it in the next hand."))
        other = self._rng.choice(others)
        card = self._rng.choice(self._table.hand(seats_of(view)[other]))
        self._table.move(play_of(view, other, card))
        return []

    def _two_at_once(self, view: View) -> list[dict[str, Any]]:
        player, seat, card = self._someone_to_play(view)
        others = [s for s in self._table.seats if s != seat and self._table.hand(s)]
        if not others:
            raise DemoError(message("Nobody else holds a card. Try it in the next hand."))
        other = self._rng.choice(others)
        name = next(name for name, at in seats_of(view).items() if at == other)
        both = (play_of(view, player, card), play_of(view, name, self._rng.choice(self._table.hand(other))))
        self._table.do(lambda stage: together(*(act_of(stage, move) for move in both)))
        return [{"do": "play", "card": card}]

    def _half_zone(self, view: View) -> list[dict[str, Any]]:
        _, seat, card = self._someone_to_play(view)
        rank = min(int(card[0]), 6)
        left, right = stack_slot(rank, 0), stack_slot(rank + 1, 0)
        pose = Pose((left.x + right.x) / 2, left.y + 110.0, self._rng.uniform(-6, 6))
        self._table.lay_between(seat, card, pose)
        return [{"do": "play", "card": card}]

    def _duplicate(self, view: View) -> list[dict[str, Any]]:
        lying = [t.card.id for t in self._table.lying if t.card.face_up and t.where.startswith("stack/")]
        if not lying:
            raise DemoError(message("No card lies on a stack yet. Play one first."))
        card = self._rng.choice(lying)
        self._table.move(Deal(self._seat(view), card))
        return []

    def _forged(self, view: View) -> list[dict[str, Any]]:
        return self._strange(view, "forged")

    def _stranger(self, view: View) -> list[dict[str, Any]]:
        return self._strange(view, "foreign")

    def _strange(self, view: View, make: Make) -> list[dict[str, Any]]:
        card = self._rng.choice(self._table.cards)
        self._table.move(Play(self._seat(view), card, f"stack/{card[0]}", make=make))
        return []

    def _vanish(self, view: View) -> list[dict[str, Any]]:
        self._carry_off(self._last_open(), self._seat(view))
        return []

    def _seven_seeds(self, view: View) -> list[dict[str, Any]]:
        if view["phase"] != "seeding" or not self._table.deck_left:
            raise DemoError(message("The stacks are not being seeded. Try it at the start of a hand."))
        cards = self._table.next_cards(view["to_seed"] + 1)
        for card in cards:
            self._table.move(Deal(self._seat(view), card))
        return [{"do": "seed", "card": card} for card in cards[: view["to_seed"]]]

    # -- with tokens, hands and the camera

    def _token_away(self, view: View) -> list[dict[str, Any]]:
        tokens = [t for t in self._table.lying if t.card.id in self._table.tokens or t.card.id == LEADER_BUTTON]
        if not tokens:
            raise DemoError(message("No token lies on the table. Put them back first."))
        self._carry_off(self._rng.choice(tokens), self._seat(view))
        return []

    def _hand(self, view: View) -> list[dict[str, Any]]:
        self._table.wave_hand(self._rng.choice(self._table.seats))
        return []

    def _glare(self, view: View) -> list[dict[str, Any]]:
        self._table.glare(self._last_open().card.id)
        return []

    def _lost(self, view: View) -> list[dict[str, Any]]:
        self._table.lose_camera(LOST_S)
        return []

    # -- helpers

    def _carry_off(self, thing: Lying, seat: int) -> None:
        def start(stage: RochiStage) -> Act:
            return carry_off(stage, seat, thing)

        self._table.do(start)

    def _last_open(self) -> Lying:
        lying = [t for t in self._table.lying if t.card.face_up and t.card.id in self._table.cards]
        if not lying:
            raise DemoError(message("No card lies open on the table. Play one first."))
        return lying[-1]

    def _actor(self, view: View) -> str:
        if view["phase"] != "turns" or view["turn"] is None:
            raise DemoError(message("It is nobody's turn. Try it in the middle of a hand."))
        return str(view["turn"])

    def _seat(self, view: View) -> int:
        return seats_of(view).get(view.get("turn") or view.get("leader") or "", self._table.seats[0])

    def _someone_to_play(self, view: View, *, with_token: bool = False) -> tuple[str, int, str]:
        player = self._actor(view)
        seat = seats_of(view)[player]
        if view["done"]["play"]:
            raise DemoError(message("{player} has played already. Try it a turn later.", player=player))
        coins = next(p["coins"] for p in view["players"] if p["name"] == player)
        for card in self._rng.sample(self._table.hand(seat), len(self._table.hand(seat))):
            move = play_of(view, player, card)
            price = move.price.coins if move.price else 0
            if price <= coins and (move.token is not None or not with_token):
                return player, seat, card
        raise DemoError(message("{player} has no card for it. Try it a turn later.", player=player))

"""Deliberate mistakes at a Rochi table."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from companion.games.rochi.demo.acts import play_card
from companion.games.rochi.demo.layout import stack_slot
from companion.games.rochi.demo.moves import Board, Deal, Play, play_of
from companion.games.rochi.demo.table import DemoRochiTable
from companion.games.rochi.demo.turns import act_of
from companion.kernel.commands import Record
from companion.kernel.messages import Message, message
from companion.objects.cards import LEADER_BUTTON
from hardware.demo.faces import Make
from hardware.demo.felt_table import DemoError
from hardware.demo.hands.acts import go_home
from hardware.demo.hands.arm import in_parallel, in_sequence
from hardware.demo.layout import Pose
from hardware.demo.scene import Card, RestingPiece

INCIDENTS: Final[Mapping[str, Message]] = {
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
"""Incidents a visitor can trigger -> button label."""


class Incidents:
    """Makes a mistake, and returns the expected reaction of the companion.

    Args:
        table: the demo table.
        rng: chooses players and cards.
    """

    def __init__(self, table: DemoRochiTable, rng: random.Random) -> None:
        self._table, self._rng = table, rng
        self._misplays: Mapping[str, Callable[[Play], Play]] = {
            "wrong-stack": lambda play: replace(play, to=f"stack/{self._other(table.ranks, int(play.card[0]))}"),
            "token-forgotten": lambda play: replace(play, token=None),
            "token-wrong-seat": lambda play: replace(play, token_to=f"seat/{self._other(table.seats, play.seat)}"),
        }
        self._does: Mapping[str, Callable[[Board], Sequence[Record] | None]] = {
            "shield-wrong-player": self._shield_wrong_player,
            "out-of-turn": self._out_of_turn,
            "two-at-once": self._two_at_once,
            "half-zone": self._half_zone,
            "duplicate": self._duplicate,
            "forged": partial(self._strange, make="forged"),
            "stranger": partial(self._strange, make="foreign"),
            "vanish": lambda board: table.take_away(self._seat(board), self._last_open()),
            "seven-seeds": self._seven_seeds,
            "token-away": self._token_away,
            "hand": lambda board: table.wave_hand(rng.choice(table.seats)),
            "glare": lambda board: table.glare(self._last_open().card.id),
            "lost": lambda board: None,
        }

    def check(self, kind: str, board: Board) -> None:
        """Check that a mistake is possible now.

        Raises:
            DemoError: it is not; the message says when it is.
        """
        checks: Mapping[str, Callable[[], object]] = {
            **dict.fromkeys(("wrong-stack", "half-zone"), lambda: self._plays(board)),
            **dict.fromkeys(("token-forgotten", "token-wrong-seat"), lambda: self._plays(board, with_token=True)),
            "shield-wrong-player": lambda: self._shield(board),
            "out-of-turn": lambda: self._others(board, self._actor(board)),
            "two-at-once": lambda: (self._plays(board), self._others(board, self._actor(board))),
            "duplicate": self._on_stacks,
            **dict.fromkeys(("vanish", "glare"), self._last_open),
            "seven-seeds": lambda: self._need_seeding(board),
            "token-away": self._tokens,
        }
        if not self._table.seats:
            raise DemoError.saying("Nobody sits at the table yet.")
        if kind in checks:
            checks[kind]()

    def do(self, kind: str, board: Board) -> Sequence[Record]:
        """Make the mistake; return the cards that should count nevertheless.

        Raises:
            DemoError: not possible now.
        """
        if kind in self._misplays:
            play = self._play(board, with_token=kind.startswith("token"))
            self._table.move(self._misplays[kind](play))
            return _played(play)
        return self._does[kind](board) or ()

    # -- with cards

    def _shield_wrong_player(self, board: Board) -> Sequence[Record]:
        play = self._shield(board)
        self._table.move(replace(play, to=f"seat/{self._other(self._table.seats, int(play.to[5:]))}"))
        return _played(play)

    def _shield(self, board: Board) -> Play:
        player = self._actor(board)
        for card in self._table.hand(board.seats[player]):
            play = play_of(board, player, card)
            if play.to.startswith("seat/"):
                return play
        raise DemoError.saying("Nobody can play a Shield now. Try it when a suit is ripe.")

    def _out_of_turn(self, board: Board) -> None:
        self._table.move(self._play_of_another(board, self._actor(board)))

    def _two_at_once(self, board: Board) -> Sequence[Record]:
        play = self._play(board)
        both = (play, self._play_of_another(board, self._actor(board)))
        self._table.do(lambda stage: in_parallel(*(act_of(stage, move) for move in both)))
        return _played(play)

    def _half_zone(self, board: Board) -> Sequence[Record]:
        play = self._play(board)
        seat, card, rank = play.seat, Card(play.card), min(int(play.card[0]), 6)
        left, right = stack_slot(rank, 0), stack_slot(rank + 1, 0)
        pose = Pose((left.x + right.x) / 2, left.y + 110.0, self._rng.uniform(-6, 6))
        self._table.do(
            lambda stage: in_sequence(play_card(stage, seat, card, pose, "between"), go_home(stage.arms[seat]))
        )
        return _played(play)

    def _duplicate(self, board: Board) -> None:
        self._table.move(Deal(self._seat(board), self._rng.choice(self._on_stacks())))

    def _on_stacks(self) -> list[str]:
        lying = [t.card.id for t in self._table.lying if t.card.face_up and t.where.startswith("stack/")]
        if not lying:
            raise DemoError.saying("No card lies on a stack yet. Play one first.")
        return lying

    def _strange(self, board: Board, make: Make) -> None:
        card = self._rng.choice(self._table.cards)
        self._table.move(Play(self._seat(board), card, f"stack/{card[0]}", make=make))

    def _seven_seeds(self, board: Board) -> Sequence[Record]:
        cards = self._table.next_cards(board.to_seed + 1)
        self._table.move(*(Deal(self._seat(board), card) for card in cards))
        return [{"do": "seed", "card": card} for card in cards[: board.to_seed]]

    def _need_seeding(self, board: Board) -> None:
        if board.phase != "seeding" or not self._table.deck_left:
            raise DemoError.saying("The stacks are not being seeded. Try it at the start of a hand.")

    def _token_away(self, board: Board) -> None:
        self._table.take_away(self._seat(board), self._rng.choice(self._tokens()))

    def _tokens(self) -> list[RestingPiece]:
        tokens = [t for t in self._table.lying if t.card.id in (*self._table.tokens, LEADER_BUTTON)]
        if not tokens:
            raise DemoError.saying("No token lies on the table. Put them back first.")
        return tokens

    # -- choice of player and card

    def _other(self, numbers: Sequence[int], number: int) -> int:
        return self._rng.choice([other for other in numbers if other != number])

    def _last_open(self) -> RestingPiece:
        lying = [t for t in self._table.lying if t.card.face_up and t.card.id in self._table.cards]
        if not lying:
            raise DemoError.saying("No card lies open on the table. Play one first.")
        return lying[-1]

    def _actor(self, board: Board) -> str:
        if board.phase != "turns" or board.turn is None:
            raise DemoError.saying("It is nobody's turn. Try it in the middle of a hand.")
        return board.turn

    def _seat(self, board: Board) -> int:
        return board.seats.get(board.turn or "", board.leader or self._table.seats[0])

    def _play(self, board: Board, *, with_token: bool = False) -> Play:
        """Return a random play of the player to act."""
        return self._rng.choice(self._plays(board, with_token=with_token))

    def _plays(self, board: Board, *, with_token: bool = False) -> list[Play]:
        """Return the affordable plays of the player to act."""
        player = self._actor(board)
        if board.has_played:
            raise DemoError.saying("{player} has played already. Try it a turn later.", player=player)
        plays = [play_of(board, player, card) for card in self._table.hand(board.seats[player])]
        coins = board.coins[f"seat/{board.seats[player]}"]
        found = [
            play
            for play in plays
            if (play.price.coins if play.price else 0) <= coins and (play.token is not None or not with_token)
        ]
        if not found:
            raise DemoError.saying("{player} has no card for it. Try it a turn later.", player=player)
        return found

    def _others(self, board: Board, player: str) -> list[str]:
        others = [name for name, seat in board.seats.items() if name != player and self._table.hand(seat)]
        if not others:
            raise DemoError.saying("Nobody else holds a card. Try it in the next hand.")
        return others

    def _play_of_another(self, board: Board, player: str) -> Play:
        other = self._rng.choice(self._others(board, player))
        return play_of(board, other, self._rng.choice(self._table.hand(board.seats[other])))


def _played(play: Play) -> Sequence[Record]:
    return ({"do": "play", "card": play.card},)

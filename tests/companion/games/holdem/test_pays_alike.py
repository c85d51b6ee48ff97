"""Payouts from the camera's readings equal those of the true play: random hands, dealt with mistakes."""

import random

import pytest
from holdem_mat import NAMES, Mat

from companion.games.holdem.state import BETTING, Phase
from companion.games.standard_cards import CARDS
from companion.testing import new_table

SLIPS = ("none", "none", "entered", "unseen", "face-down", "beside", "undone", "taken-back", "held", "wrong", "changed")
MOVES = ("none", "none", "lifted", "swapped", "undone", "held")


class Dealer:
    """Plays random hands on a mat, and records the true commands."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.mat = Mat(coins=5000)
        self.true = new_table("holdem", [(name, 5000) for name in NAMES], {})
        self.slips = 0

    @property
    def state(self):
        return self.true.situation().state

    def hand(self) -> None:
        self.deck = self.rng.sample(CARDS, len(CARDS))
        self.place: dict[str, int] = {}
        self.by_hand({"do": "post"})
        self.mat.look()
        self.holes()
        while self.state.phase is not Phase.READY:
            if self.state.phase in BETTING:
                self.bet()
            elif self.state.phase is Phase.SHOWDOWN:
                self.move()
                self.show()
            else:
                self.move()
                self.board()
            assert (self.state.phase, self.state.turn) == (self.mat.state.phase, self.mat.state.turn), self.mat.kinds
        assert self.coins(self.true) == self.coins(self.mat.table)
        self.mat.cards.clear()
        self.mat.look()

    def holes(self) -> None:
        self.held: dict[str, list[str]] = {}
        while self.state.phase is Phase.HOLE:
            self.held[self.state.turn] = [self.deck.pop(), self.deck.pop()]
            self.true.do({"do": "hole", "player": self.state.turn})
        for place in (0, 1):
            for name in self.held:
                self.mat.lay(f"{name}{place}", seat_of(name), place)
            self.mat.look()
        assert (self.mat.state.phase, self.mat.kinds) == (self.state.phase, [])

    def bet(self) -> None:
        name, is_called = self.state.turn, not self.true.view()["to_call"]
        if self.rng.random() < 0.1:
            self.by_hand({"do": "fold"})
            self.mat.take(f"{name}0", f"{name}1")
            self.mat.look()
        else:
            self.by_hand({"do": "check" if is_called else "call"})

    def board(self) -> None:
        """Lay the next board cards, sometimes wrongly at first."""
        cards = [self.deck.pop() for _ in range(3 if self.state.phase is Phase.DEAL_FLOP else 1)]
        self.place |= {card: len(self.place) + number for number, card in enumerate(cards)}
        record = {"do": "board", "cards": cards}
        self.true.do(record)
        slip = self.rng.choice(SLIPS)
        self.slips += slip != "none"
        if slip == "entered":
            self.enters(record)
        elif slip == "wrong":
            self.enters({**record, "cards": [self.deck[0], *cards[1:]]})
        elif slip == "changed":
            self.lay_all([self.deck[0], *cards[1:]])
            self.mat.take(self.deck[0])
        elif slip == "beside":
            self.mat.lay(cards[0], "board", self.place[cards[0]], aside=(0.0, 90.0))
            self.mat.look()
            assert "beside" in self.mat.kinds
        elif slip == "face-down":
            self.mat.lay("back", "board", self.place[cards[0]])
            self.mat.look()
            self.mat.take("back")
        elif slip == "held":
            self.mat.table.do({"do": "hold"})
        self.lay_all(cards, **({"found": "return"} if slip == "unseen" else {}))
        self.put_right(slip, record)
        assert (set(self.mat.state.board), self.mat.kinds) == (set(self.state.board), []), slip

    def lay_all(self, cards: list[str], **more: str) -> None:
        for card in cards:
            if card not in self.mat.cards or self.mat.cards[card].zone is None:
                self.mat.lay(card, "board", self.place.get(card, 4), **more)
            self.mat.look(self.rng.choice((0.2, 0.6, 2.0)))
        self.mat.look()

    def put_right(self, slip: str, record) -> None:
        """Correct a slip as the dealer would after the question."""
        if slip == "held":
            self.mat.table.do({"do": "release"})
        elif slip in ("wrong", "changed"):
            self.mat.look()
            assert "vanished" in self.mat.kinds
            self.mat.table.do({"do": "undo"})
        elif slip in ("undone", "taken-back"):
            self.mat.table.do({"do": "undo"})
            self.mat.look()
            assert self.mat.kinds == ["undone"]
        if slip == "undone":
            self.mat.answer("undone", "count")
        elif slip == "taken-back":
            self.mat.take(*record["cards"])
            self.mat.look(self.rng.choice((1.2, 3.0)))
            self.lay_all(record["cards"])
        self.mat.look()
        if self.mat.state.board != self.state.board and set(self.mat.state.board) != set(self.state.board):
            self.enters(record)

    def move(self) -> None:
        """Disturb the cards on the board."""
        lying = [card for card in self.state.board if card in self.mat.cards]
        move = self.rng.choice(MOVES) if lying else "none"
        self.slips += move != "none"
        if move == "lifted":
            self.lay_anew([self.rng.choice(lying)])
        elif move == "swapped":
            one, other = self.rng.sample(lying, 2)
            self.place[one], self.place[other] = self.place[other], self.place[one]
            self.lay_anew([one, other])
        elif move == "held":
            self.mat.table.do({"do": "hold"})
            self.mat.look()
            self.mat.table.do({"do": "release"})
        elif move == "undone":
            self.mat.table.do({"do": "undo"})
            self.mat.look(self.rng.choice((0.1, 2.0)))
            self.mat.table.do({"do": "redo"})
        self.mat.look()
        assert (self.mat.state.board, self.mat.kinds) == (self.mat.state.board, []), move

    def lay_anew(self, cards: list[str]) -> None:
        self.mat.take(*cards)
        self.mat.look(self.rng.choice((0.2, 1.0, 3.0)))
        for card in cards:
            self.mat.lay(card, "board", self.place[card])
        self.mat.look()

    def show(self) -> None:
        """Let the player to act show or muck, by hand or by the camera."""
        name = self.state.turn
        if self.rng.random() < 0.2:
            self.by_hand({"do": "muck", "player": name})
            self.mat.take(f"{name}0", f"{name}1")
            self.mat.look()
            return
        record = {"do": "show", "player": name, "cards": self.held[name]}
        self.true.do(record)
        if self.rng.random() < 0.3:
            self.mat.table.do(record)
        self.mat.take(f"{name}0", f"{name}1")
        for place, card in enumerate(self.held[name]):
            self.mat.lay(card, seat_of(name), place)
            self.mat.look(self.rng.choice((0.2, 3.0)))
        self.mat.look()

    def by_hand(self, record) -> None:
        self.true.do(record)
        self.enters(record)

    def enters(self, record) -> None:
        self.mat.table.do(record)
        self.mat.look(self.rng.choice((0.2, 2.0)))

    def coins(self, table) -> dict[str, int]:
        return {name: table.position.ledger.balance(name) for name in NAMES}


def seat_of(name: str) -> str:
    return f"seat/{NAMES.index(name) + 1}"


def play(seeds: range) -> int:
    slips = 0
    for seed in seeds:
        dealer = Dealer(seed)
        for _ in range(4):
            dealer.hand()
        slips += dealer.slips
    return slips


def test_hands_with_mistakes_pay_as_they_were_played():
    assert play(range(8)) > 50


@pytest.mark.slow
def test_many_hands_with_mistakes_pay_as_they_were_played():
    assert play(range(100, 250)) > 1000

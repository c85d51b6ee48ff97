"""Payouts from the camera's readings equal those of the true play: random rounds, dealt with mistakes."""

import random
from dataclasses import dataclass, field

import pytest
from blackjack_film import Film
from blackjack_table import dealers, spot

from companion.games.blackjack.state import Phase, choices, may_insure
from companion.games.blackjack.view import next_card
from companion.games.standard_cards import CARDS
from companion.testing import new_table

NAMES = ("Ann", "Bo", "Cy", "Dee")
MAX_CARDS = (7, 4, 3)
"""Maximum cards of a hand: alone in its box, in the upper row after a split, in the lower row."""


@dataclass
class Lain:
    """A hand in a box: its position and its cards' tracks."""

    slot: int
    tracks: list[int] = field(default_factory=list)


class Dealer:
    """Plays random rounds on a film, and records the true commands."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        rules = {"surrender": self.rng.choice(("late", "early", "none")), "soft17": self.rng.choice(("stand", "hit"))}
        self.film = Film(NAMES, rules | {"decks": 1})
        self.true = new_table("blackjack", [(name, 5000) for name in NAMES], rules | {"decks": 1})
        self.mistakes = self.asked = 0

    def round(self) -> None:
        self.shoe = self.rng.sample(CARDS, len(CARDS))
        self.hands = {name: [Lain(0)] for name in NAMES}
        for name in self.rng.sample(NAMES, self.rng.randint(1, 4)):
            self.by_hand({"do": "bet", "player": name, "amount": self.rng.choice((50, 75, 101))})
        while self.state.boxes:
            self.step()
        self.film.clear()

    @property
    def state(self):
        return self.true.situation().state

    def step(self) -> None:
        self.now = self.state
        if self.now.phase in (Phase.BETTING, Phase.DEALING):
            self.deal()
        elif self.now.phase is Phase.PLAYING:
            self.decide()
        elif self.now.phase is Phase.REVEAL:
            self.reveal()
        else:
            self.really({"do": "dealer-hit", "card": self.draw()}, dealers(len(self.now.dealer)))
        assert self.film.coins() == self.coins(), (self.true.situation().latest, self.film.questions)
        assert (self.film.kinds(), self.film.state.boxes) == ([], self.state.boxes)

    def deal(self) -> None:
        following = next_card(self.now)
        if following["do"] == "hole":
            self.true.do({"do": "hole"})
            self.hole = self.film.lay(None, dealers(1))
            return
        to, card = following["to"], self.draw()
        at = dealers(0) if to == "dealer" else self.next_place(to, 0)
        self.really({"do": "deal", "to": to, "card": card}, at, None if to == "dealer" else self.hands[to][0])

    def decide(self) -> None:
        state, player = self.now, self.now.turn
        lain = self.hands[player][state.at[1]]
        if state.hand.is_waiting:
            self.really({"do": "deal", "to": player, "card": self.draw()}, self.next_place(player, state.at[1]), lain)
            return
        if self.rng.random() < 0.15 and (who := may_insure(state)):
            self.by_hand({"do": "insure", "player": who[0]})
            return
        self.choose(player, lain, self.wish(player, lain))

    def wish(self, player: str, lain: Lain) -> str:
        can = [one for one in choices(self.now) if one != "split" or len(self.hands[player]) < 3]
        most = MAX_CARDS[0 if len(self.hands[player]) == 1 else 1 + lain.slot // 2]
        if len(lain.tracks) >= most:
            return "stand"
        return "split" if "split" in can and self.rng.random() < 0.9 else self.rng.choice(can)

    def choose(self, player: str, lain: Lain, do: str) -> None:
        at = self.next_place(player, self.now.at[1])
        if do in ("stand", "surrender"):
            self.by_hand({"do": do, "player": player})
        elif do == "split":
            self.split(player, lain)
        elif do == "double":
            self.really({"do": "double", "player": player, "card": self.draw()}, (at[0], at[1] + 10), lain, turn=90.0)
        else:
            self.really({"do": "hit", "player": player, "card": self.draw()}, at, lain)

    def split(self, player: str, lain: Lain) -> None:
        hands, seat = self.hands[player], NAMES.index(player) + 1
        moved = Lain(next(slot for slot in range(4) if slot not in {one.slot for one in hands}), [lain.tracks.pop()])
        hands.insert(hands.index(lain) + 1, moved)
        self.film.move(moved.tracks[0], spot(seat, moved.slot))
        record = {"do": "split", "player": player, "cards": [self.draw()]}
        self.really(record, spot(seat, lain.slot, 1), lain, card=record["cards"][0])

    def reveal(self) -> None:
        card = self.draw()
        self.true.do({"do": "reveal", "card": card})
        self.film.hole = self.hole
        self.film.turn(card)

    def next_place(self, player: str, hand: int) -> tuple[float, float]:
        lain = self.hands[player][hand]
        return spot(NAMES.index(player) + 1, lain.slot, len(lain.tracks))

    def really(self, record, at, lain=None, *, turn: float = 0.0, card: str | None = None) -> None:
        """Lay a card for a command, sometimes wrongly at first."""
        self.true.do(record)
        turn += self.rng.uniform(-12, 12)
        name = card or record["card"]
        first = self.rng.random()
        if first < 0.15:
            self.mistakes += 1
            track = self.film.lay(name, self.wrong_place(at), turn)
            assert self.film.coins() == self.before
            self.film.move(track, at, turn)
        elif first < 0.25:
            self.mistakes += 1
            track = self.film.lay(name, at, turn, status="tag")
            assert self.film.kinds() in (["unsure"], ["place"])
            self.film.change(track, status="ok", deck="K7QX")
        elif first < 0.3 and self.now.phase is Phase.PLAYING:
            self.flash()
            track = self.film.lay(name, at, turn)
        else:
            track = self.film.lay(name, at, turn)
        if self.film.kinds() == ["place"]:  # crooked, so it touches the neighbouring hand
            self.asked += 1
            self.straighten(record, track, at)
        if lain is not None:
            lain.tracks.append(track)

    def straighten(self, record, track: int, at: tuple[float, float]) -> None:
        """Straighten a card; if the hands are still too close, answer the question."""
        if record["do"] != "double":
            self.film.move(track, at)
        ways = [choice.id for question in self.film.questions for choice in question.choices]
        if record["do"] in ways:
            self.film.answer(record["do"])
        elif ways:
            self.film.table.do(record)
            self.film.wait()

    def wrong_place(self, at: tuple[float, float]) -> tuple[float, float]:
        """Return a position where a card cannot be meant for the next player."""
        if self.now.phase in (Phase.REVEAL, Phase.DEALER):
            return spot(self.rng.randint(5, 7))
        return self.rng.choice((spot(self.rng.randint(5, 7), 1, 2), (525.0, 165.0), (at[0], 500.0)))

    def flash(self) -> None:
        self.mistakes += 1
        self.film.take(self.hole)
        shown = self.film.lay(self.rng.choice(self.shoe), dealers(1))
        assert self.film.kinds() == ["flashed"]
        self.film.take(shown)
        self.hole = self.film.lay(None, dealers(1))

    def by_hand(self, record) -> None:
        self.true.do(record)
        self.film.table.do(record)
        self.film.wait()

    def draw(self) -> str:
        self.before = self.film.coins()
        return self.shoe.pop()

    def coins(self) -> dict[str, int]:
        return {name: self.true.position.ledger.balance(name) for name in NAMES}


def play(seeds: range) -> tuple[int, int]:
    mistakes, cards = 0, 0
    for seed in seeds:
        dealer = Dealer(seed)
        for _ in range(3):
            dealer.round()
        mistakes, cards = mistakes + dealer.mistakes, cards + len(dealer.film.played)
    return mistakes, cards


def test_rounds_with_mistakes_pay_as_they_were_played():
    mistakes, cards = play(range(6))
    assert mistakes > 15
    assert cards > 120


@pytest.mark.slow
def test_many_rounds_with_mistakes_pay_as_they_were_played():
    mistakes, cards = play(range(100, 250))
    print(f"{cards} commands read, {mistakes} mistakes put right")
    assert mistakes > 500

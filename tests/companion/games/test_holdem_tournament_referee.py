"""The tournament rules agree with an independent referee in random scripts."""

import random

import pytest
from holdem_referee import DECK, Refused
from holdem_tournament_referee import TournamentReferee

from companion.kernel.errors import TableError
from companion.testing import new_table

CARDS = sorted(DECK)
NAMES = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal"]
PRIZES = ([100], [65, 35], [50, 30, 20], [34, 33, 33])


def options_of(rng):
    chip, levels, small = 25, [], 25
    for _ in range(rng.randint(2, 5)):
        ante = rng.choice((0, chip, small))
        levels.append({"blinds": [small, 2 * small], "ante": ante, "chip": chip, "minutes": 20})
        if rng.random() < 0.3:
            levels.append({"break": 5})
        grown = rng.choice((1, 2, 4))
        small, chip = small * grown * rng.choice((1, 2)), chip * grown
    numbers = sum("blinds" in level for level in levels)
    found = {"levels": levels, "prizes": rng.choice(PRIZES), "rebuy_until": rng.randrange(numbers)}
    if found["rebuy_until"] and rng.random() < 0.7:
        found["add_on"] = rng.choice((130, 500))
    return found


def told(table):
    """Return the result in the referee's form, without the best five cards and the final pool."""
    result = table.result()
    results = [
        {**one, "hands": {name: hand["rank"] for name, hand in one["hands"].items()}} if "hands" in one else one
        for one in result["results"][-2:]
    ]
    state = {**result["state"]}
    if result["phase"] == "over":
        state["pool"] = None
    return {
        **{key: result[key] for key in ("phase", "balances", "house", "staked", "pots")},
        "state": state,
        "results": results,
    }


class Play:
    """One random tournament for a seed."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.names = NAMES[: rng.choice((2, 3, 3, 4, 4, 6, 8))]
        stack = rng.choice((500, 1000, 1010))
        coins = [stack] * len(self.names)
        if rng.random() < 0.2:
            coins[0] = rng.choice((0, stack - 5))
        options = options_of(rng) | ({"big_blind_ante": True} if seed % 3 == 0 else {})
        self.referee = TournamentReferee(self.names, coins, options)
        players = list(zip(self.names, coins, strict=True))
        self.table = new_table("holdem-tournament", players, options)
        self.bad = rng.choice((0, 0, 0.1))

    def next(self):
        if self.referee.held:
            return {"do": "release"}
        return self.odd() if self.rng.random() < self.bad else self.likely()

    def likely(self):
        rng, at = self.rng, self.referee
        if at.phase in ("ready", "break", "over"):
            return self.between()
        if at.phase == "hole":
            return {"do": "hole", "player": at.turn}
        unseen = sorted(DECK.difference(at.board, *at.shown.values()))
        if at.phase.startswith("deal"):
            waiting = [name for name in at.order if name not in at.folded and name not in at.shown]
            if len(at.live()) < 2 and waiting and rng.random() < 0.4:
                return {"do": "table", "player": rng.choice(waiting), "cards": rng.sample(unseen, 2)}
            return {"do": "board", "cards": rng.sample(unseen, 3 if at.phase == "deal-flop" else 1)}
        if at.phase == "showdown":
            shown = {"do": "show", "player": at.turn, "cards": rng.sample(unseen, 2)}
            return rng.choice((shown, shown, shown, {"do": "muck", "player": at.turn}))
        stay = {"do": "call" if at.bet > at.round[at.turn] else "check"}
        larger = {"do": "raise" if at.bet else "bet", "to": at.bet + at.step + at.chip * rng.randrange(4)}
        return rng.choices((stay, larger, {"do": "fold"}, {"do": "all-in"}), (50, 10, 15, 25))[0]

    def between(self):
        rng, at = self.rng, self.referee
        if at.racing is not None:
            count = sum(at.racing.values()) // at.chip
            return {"do": "chip-race", "winners": rng.sample(list(at.racing), count)}
        name = rng.choice(self.names)
        if not at.stack and len({coins for coins in at.coins.values() if coins}) > 1:
            return rng.choice(({"do": "cash-out", "player": self.names[0]}, {"do": "post"}))
        others = [
            {"do": "next-level"}, {"do": "rebuy", "player": name}, {"do": "add-on", "player": name},
            {"do": "close-rebuys"}, {"do": "start-clock"}, {"do": "pause-clock"}, {"do": "call-off"},
        ]  # fmt: skip
        return rng.choices([{"do": "post"}, *others], [60, 12, 12, 8, 4, 1, 1, 0.1])[0]

    def odd(self):
        rng = self.rng
        record = dict(rng.choice((
            {"do": "post"}, {"do": "call"}, {"do": "next-level"}, {"do": "chip-race", "winners": ["Ann"]},
            {"do": "rebuy", "player": "Bo"}, {"do": "add-on", "player": "Ann"}, {"do": "close-rebuys"},
            {"do": "table", "player": "Ann", "cards": ["AS", "KD"]}, {"do": "buy-in", "player": "Ann", "coins": 50},
            {"do": "cash-out", "player": "Bo"}, {"do": "undo"}, {"do": "undo"}, {"do": "redo"}, {"do": "hold"},
            {"do": "start-clock"}, {"do": "pause-clock"}, {"do": "board", "cards": ["AS"]}, self.likely(),
        )))  # fmt: skip
        if rng.random() < 0.4:
            field = rng.choice(("player", "cards", "winners", "coins"))
            record[field] = rng.choice((None, "", "Nobody", 0, [], ["Ann", "Ann"], ["AS", "AS"], ["AS", "XX"], 7))
        return record

    def step(self):
        record = self.next()
        expected = actual = None
        before = self.table.position
        try:
            self.referee.do(record)
        except Refused as refused:
            expected = str(refused)
        try:
            self.table.do(record)
        except TableError as error:
            actual = error.code
            assert self.table.position is before
        assert actual == expected, record
        due = self.referee.told()
        assert told(self.table) == {**due, "results": due["results"][-2:]}, record
        assert self.table.position.hold is None or self.referee.held, "the audit agrees"
        assert self.table.position.ledger.total == 0


def play(seeds, steps):
    ended = 0
    for seed in seeds:
        playing = Play(seed)
        for number in range(steps):
            try:
                playing.step()
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, step {number}: {error}") from error
        ended += playing.referee.phase == "over"
    return ended


def test_random_tournaments_are_played_as_the_referee_plays_them():
    assert play(range(60), steps=150) > 10, "some come to their end"


@pytest.mark.slow
def test_many_random_tournaments_are_played_as_the_referee_plays_them():
    assert play(range(1_000_000, 1_002_000), steps=250) > 500, "many come to their end"

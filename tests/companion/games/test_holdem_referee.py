"""Hold'em's rules agree with an independent referee in random scripts."""

import random

import pytest
from holdem_referee import DECK, Referee, Refused

from companion.kernel.errors import TableError
from companion.testing import new_table

SCRIPTS = 2000
MANY = 10_000
CARDS = sorted(DECK)
CHIPS = ([25, 50], 25), ([1, 2], 1), ([5, 10], 5), ([10, 25], 5), ([50, 50], 50)
NAMES = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo"]
JUNK = (None, "", "Nobody", 0, -25, 2.5, True, [], {}, "25", ["AS"], ["AS", "AS"], ["AS", ""], [1, 2, 3], "AS", 10**9)


def told(table):
    """Return a table's result in the referee's form; the best five cards are tested elsewhere."""
    result = table.result()
    results = [
        {**one, "hands": {name: hand["rank"] for name, hand in one["hands"].items()}} for one in result["results"][-2:]
    ]
    return {
        **{key: result[key] for key in ("phase", "balances", "house", "staked", "pots", "state")},
        "results": results,
    }


class Play:
    """One random evening for a seed."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        count = rng.choice((2, 2, 3, 3, 4, 5, 6, 8, 10))
        names = NAMES[:count]
        blinds, chip = rng.choice(CHIPS)
        deep = rng.choice((2, 4, 20)) * blinds[1]
        coins = [rng.choice((0, 1, rng.randint(1, deep), rng.randint(1, deep), deep // chip * chip)) for _ in names]
        options = {"blinds": blinds, "min_chip": chip}
        if rng.random() < 0.5:
            options["button"] = rng.randint(1, count)
        self.names = names
        self.referee = Referee(names, coins, options)
        self.table = new_table("holdem", list(zip(names, coins, strict=True)), options)
        self.bad = rng.choice((0, 0.05, 0.3))
        self.quiet = rng.choice((0.0, 0.6))

    def card(self, count):
        seen = self.referee.board + [card for shown in self.referee.shown.values() for card in shown]
        if self.rng.random() < 0.3:  # few ranks, so that pots are split
            return self.rng.sample([card for card in CARDS if card not in seen and card[0] in "23456"] + CARDS, count)
        return self.rng.sample([card for card in CARDS if card not in seen], count)

    def likely(self):
        """Return a command that fits the phase."""
        rng, at = self.rng, self.referee
        if at.phase == "ready":
            name = rng.choice(self.names)
            return rng.choice([{"do": "post"}] * 6 + [
                {"do": "buy-in", "player": name, "coins": rng.randint(1, 4 * at.big)},
                {"do": "cash-out", "player": name},
            ])  # fmt: skip
        if at.phase == "hole":
            return {"do": "hole", "player": at.turn}
        if at.phase.startswith("deal"):
            return {"do": "board", "cards": self.card(3 if at.phase == "deal-flop" else 1)}
        if at.phase == "showdown":
            if rng.random() < 0.3:
                return {"do": "muck", "player": at.turn}
            return {"do": "show", "player": at.turn, "cards": self.card(2)}
        return self.action()

    def action(self):
        rng, at = self.rng, self.referee
        if rng.random() < self.quiet:
            return {"do": "call" if at.bet > at.round[at.turn] else "check"}
        everything = at.coins[at.turn] + at.round[at.turn]
        to = rng.choice((
            at.bet + at.step, at.bet + at.step - 1, at.bet + at.step + at.chip, at.bet, everything, everything + 1,
            everything - 1, rng.randint(1, everything + at.big), (at.bet + 2 * at.step) // at.chip * at.chip,
        ))  # fmt: skip
        verb = rng.choice(("check", "call", "bet", "raise", "raise", "bet", "fold", "all-in"))
        record = {"do": verb, **({"to": to} if verb in ("bet", "raise") else {})}
        return {**record, "player": at.turn} if rng.random() < 0.3 else record

    def odd(self):
        """Return a command that is probably illegal."""
        rng = self.rng
        record = rng.choice((
            {"do": "post"}, {"do": "hole", "player": "Ann"}, {"do": "check"}, {"do": "call"}, {"do": "fold"},
            {"do": "all-in"}, {"do": "bet", "to": 50}, {"do": "raise", "to": 100}, {"do": "release"},
            {"do": "board", "cards": ["AS", "KS", "QS"]}, {"do": "board", "cards": ["AS"]},
            {"do": "show", "player": "Bo", "cards": ["AS", "XX"]}, {"do": "muck", "player": "Bo"}, {"do": "fly"},
            {"do": "buy-in", "player": "Ann", "coins": 50}, {"do": "cash-out", "player": "Bo"}, {},
            self.likely(), self.likely(), self.likely(),
        ))  # fmt: skip
        record = dict(record)
        if rng.random() < 0.6:
            field = rng.choice(("player", "cards", "to", "coins", "do", "note"))
            record[field] = rng.choice((*JUNK, *[rng.choice(self.names)] * 8))
        if rng.random() < 0.15 and record:
            del record[rng.choice(sorted(record))]
        return record

    def next(self):
        rng = self.rng
        if self.referee.held and rng.random() < 0.7:
            return {"do": "release"}
        if rng.random() < self.bad:
            return rng.choice((self.odd(), self.odd(), self.odd(), {"do": "undo"}, {"do": "redo"}, {"do": "hold"}))
        return self.likely()

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
        assert len(self.table.results) == len(due["results"])
        assert self.table.position.hold is None or self.referee.held, "the audit agrees"
        assert self.table.position.ledger.total == 0


def play(seeds, steps=120):
    for seed in seeds:
        playing = Play(seed)
        for number in range(steps):
            try:
                playing.step()
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, step {number}: {error}") from error


def test_random_scripts_are_played_as_the_referee_plays_them():
    play(range(SCRIPTS), steps=25)


@pytest.mark.slow
def test_many_random_scripts_are_played_as_the_referee_plays_them():
    play(range(1_000_000, 1_000_000 + MANY))

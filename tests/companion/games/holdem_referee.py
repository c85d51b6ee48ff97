"""An independent, slow referee for hold'em, written from the contract alone: one mutable table, no code of the rules.

`Referee.do` plays a record or raises `Refused` with the code; `Referee.told` is the expected result of the script.
"""

import pickle
from itertools import combinations

PHASES = {
    "ready": {"post"}, "hole": {"hole"}, "showdown": {"show", "muck"},
    **{phase: {"check", "call", "bet", "raise", "fold", "all-in"} for phase in ("preflop", "flop", "turn", "river")},
    **{phase: {"board"} for phase in ("deal-flop", "deal-turn", "deal-river")},
}  # fmt: skip
COMMON = {"undo", "redo", "hold", "release", "buy-in", "cash-out"}
NEEDS = {
    "hole": ["player"], "bet": ["to"], "raise": ["to"], "board": ["cards"], "show": ["player", "cards"],
    "muck": ["player"], "buy-in": ["player", "coins"], "cash-out": ["player"],
}  # fmt: skip
TURN_VERBS = PHASES["flop"]
NAMES = ["high-card", "pair", "two-pair", "three-of-a-kind", "straight", "flush", "full-house", "four-of-a-kind",
         "straight-flush", "royal-flush"]  # fmt: skip
DECK = {rank + suit for rank in "23456789TJQKA" for suit in "SHDC"}


class Refused(Exception):
    """A rejected command, with its code."""


def five_cards(cards):
    """Return category and ranks of five cards; the larger wins."""
    values = sorted(("23456789TJQKA".index(card[0]) + 2 for card in cards), reverse=True)
    groups = sorted(((values.count(value), value) for value in set(values)), reverse=True)
    shape, ranks = [count for count, _ in groups], [value for _, value in groups]
    is_flush = len({card[1] for card in cards}) == 1
    straight = values[0] if values == list(range(values[0], values[0] - 5, -1)) else 0
    if values == [14, 5, 4, 3, 2]:
        straight = 5
    if is_flush and straight:
        return (9 if straight == 14 else 8), [straight]
    kinds = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
    if tuple(shape) in kinds:
        return kinds[tuple(shape)], ranks
    if is_flush:
        return 5, values
    return (4, [straight]) if straight else (0, values)


def best(cards):
    """Return category and ranks of the best five of seven."""
    return max(five_cards(five) for five in combinations(cards, 5))


class Referee:
    """One table; ``do`` plays a record."""

    def __init__(self, names, coins, options=None):
        options = options or {}
        self.names, self.coins = list(names), dict(zip(names, coins, strict=True))
        self.small, self.big = options.get("blinds", [25, 50])
        self.chip = options.get("min_chip", 25)
        self.button_seat = options.get("button", 1 if len(names) == 2 else len(names)) - 1
        self.hand_number, self.phase, self.held, self.results = 0, "ready", False, []
        self.clear()
        self.past, self.future = [], []

    def clear(self):
        self.order, self.round, self.whole, self.folded, self.shown, self.mucked = [], {}, {}, [], {}, []
        self.board, self.last, self.bet, self.step, self.turn, self.aggressor = [], {}, 0, 0, None, None
        self.pots, self.kept = [], {}

    # ---- commands

    def do(self, record):
        keep = pickle.dumps({name: value for name, value in vars(self).items() if name not in ("past", "future")})
        verb = self.readable(record)
        if verb == "undo":
            if not self.past:
                raise Refused("nothing-done")
            self.future.append(keep)
            self.restore(self.past.pop())
            return
        if verb == "redo":
            if not self.future:
                raise Refused("nothing-done")
            self.past.append(keep)
            self.restore(self.future.pop())
            return
        try:
            self.play(verb, record)
        except Refused:
            self.restore(keep)
            raise
        self.past.append(keep)
        self.future = []

    def restore(self, kept):
        vars(self).update(pickle.loads(kept))

    def readable(self, record):
        """Return the verb of a well-formed record."""
        verb = record.get("do")
        if not isinstance(verb, str) or not verb:
            raise Refused("bad-script")
        if verb not in COMMON and not any(verb in verbs for verbs in PHASES.values()):
            raise Refused("unknown-verb")
        for field in NEEDS.get(verb, []):
            if field not in record:
                raise Refused("bad-script")
        has_player = "player" in NEEDS.get(verb, []) or (verb in TURN_VERBS and record.get("player") is not None)
        if has_player and not (isinstance(record["player"], str) and record["player"]):
            raise Refused("bad-script")
        if verb in ("board", "show"):
            cards, counts = record["cards"], (1, 3) if verb == "board" else (2,)
            if not isinstance(cards, list) or not all(isinstance(card, str) and card for card in cards):
                raise Refused("bad-script")
            if self.phase in ("deal-flop", "deal-turn", "deal-river") and verb == "board" and not self.held:
                counts = (3,) if self.phase == "deal-flop" else (1,)
            if len(cards) not in counts:
                raise Refused("bad-script")
        return verb

    def play(self, verb, record):
        if verb == "release":
            if not self.held:
                raise Refused("wrong-phase")
            self.held = False
            return
        if self.held:
            raise Refused("wrong-phase")
        if verb == "hold":
            self.held = True
            return
        if verb in ("buy-in", "cash-out"):
            self.cashier(verb, record)
            return
        if verb not in PHASES[self.phase]:
            raise Refused("wrong-phase")
        if record.get("player") is not None and verb != "post" and verb != "board":
            if record["player"] not in self.names:
                raise Refused("unknown-player")
            if record["player"] != self.turn:
                raise Refused("not-your-turn")
        getattr(self, "do_" + verb.replace("-", "_"))(record)

    def cashier(self, verb, record):
        if self.phase != "ready":
            raise Refused("wrong-phase")
        name = record["player"]
        if name not in self.names:
            raise Refused("unknown-player")
        if verb == "buy-in":
            if type(record["coins"]) is not int or record["coins"] < 1:
                raise Refused("bad-amount")
            self.coins[name] += record["coins"]
        else:
            if not self.coins[name]:
                raise Refused("nothing-done")
            self.coins[name] = 0

    # ---- dealing

    def do_post(self, record):
        n = len(self.names)
        able = [name for name in self.names if self.coins[name] > 0]
        if len(able) < 2:
            raise Refused("not-enough-coins")
        seat = self.button_seat if self.hand_number == 0 else (self.button_seat + 1) % n
        while self.names[seat] not in able:
            seat = (seat + 1) % n
        self.clear()
        self.button_seat, self.hand_number = seat, self.hand_number + 1
        round_table = [self.names[(seat + 1 + k) % n] for k in range(n)]
        self.order = [name for name in round_table if name in able]
        self.round, self.whole = dict.fromkeys(self.order, 0), dict.fromkeys(self.order, 0)
        self.small_at = self.names[seat] if len(able) == 2 else self.order[0]
        self.big_at = self.left_of(self.small_at)
        self.pay_antes()
        self.put(self.small_at, min(self.small, self.coins[self.small_at]))
        self.put(self.big_at, min(self.big, self.coins[self.big_at]))
        self.phase, self.turn = "hole", self.order[0]

    def pay_antes(self):
        """No-op: cash games have no antes."""

    def left_of(self, name):
        return self.order[(self.order.index(name) + 1) % len(self.order)]

    def put(self, name, coins):
        self.coins[name] -= coins
        self.round[name] += coins
        self.whole[name] += coins

    def do_hole(self, record):
        if self.turn != self.order[-1]:
            self.turn = self.left_of(self.turn)
            return
        self.phase, self.bet, self.step = "preflop", self.big, self.big
        self.ask(self.left_of(self.big_at))

    def do_board(self, record):
        self.see(record["cards"])
        self.board += record["cards"]
        self.phase = self.phase.removeprefix("deal-")
        self.bet, self.step, self.aggressor = 0, self.big, None
        self.ask(self.order[0])

    def see(self, cards):
        if any(card not in DECK for card in cards):
            raise Refused("unknown-card")
        seen = self.board + [card for shown in self.shown.values() for card in shown]
        if len(set(cards)) < len(cards) or set(cards) & set(seen):
            raise Refused("card-seen")

    # ---- betting

    def live(self):
        return [name for name in self.order if name not in self.folded and self.coins[name] > 0]

    def do_check(self, record):
        if self.bet > self.round[self.turn]:
            raise Refused("not-offered")
        self.done()

    def do_call(self, record):
        lacking = self.bet - self.round[self.turn]
        if lacking <= 0:
            raise Refused("not-offered")
        self.put(self.turn, min(lacking, self.coins[self.turn]))
        self.done()

    def do_fold(self, record):
        self.folded.append(self.turn)
        self.done()

    def do_bet(self, record):
        if self.bet:
            raise Refused("not-offered")
        self.enlarge(record["to"])

    def do_raise(self, record):
        if not self.bet:
            raise Refused("not-offered")
        self.enlarge(record["to"])

    def do_all_in(self, record):
        everything = self.round[self.turn] + self.coins[self.turn]
        if everything <= self.bet:
            self.do_call(record)
        else:
            self.enlarge(everything)

    def enlarge(self, to):
        name = self.turn
        if name in self.last and self.bet - self.last[name] < self.step:
            raise Refused("not-offered")
        if not any(self.round[o] + self.coins[o] > self.bet for o in self.order if o != name and o not in self.folded):
            raise Refused("not-offered")
        everything = self.round[name] + self.coins[name]
        if type(to) is not int or to <= 0 or to <= self.bet:
            raise Refused("bad-amount")
        if to != everything and (to < self.bet + self.step or to % self.chip):
            raise Refused("bad-amount")
        if to > everything:
            raise Refused("not-enough-coins")
        if to - self.bet >= self.step:
            self.step = to - self.bet
        self.bet, self.aggressor = to, name
        self.put(name, to - self.round[name])
        self.done()

    def done(self):
        self.last[self.turn] = self.bet
        if len(self.order) - len(self.folded) == 1:
            self.end_round()
            self.end_hand()
        else:
            self.ask(self.left_of(self.turn))

    def ask(self, name):
        live = self.live()
        is_settled = all(other in self.last and self.round[other] == self.bet for other in live)
        is_alone = len(live) == 1 and all(self.round[live[0]] >= self.round[other] for other in self.order)
        if is_settled or is_alone:
            self.end_round()
            self.phase = {"preflop": "deal-flop", "flop": "deal-turn", "turn": "deal-river", "river": "showdown"}[
                self.phase
            ]
            self.turn = None
            if self.phase == "showdown":
                self.begin_showdown()
            return
        while name not in live or (name in self.last and self.round[name] == self.bet):
            name = self.left_of(name)
        self.turn = name

    def end_round(self):
        stakes = sorted(self.round.values())
        for name in self.order:
            if self.round[name] == stakes[-1] > stakes[-2]:
                self.put(name, stakes[-2] - stakes[-1])
        levels = sorted({self.whole[name] for name in self.order if name not in self.folded})
        self.pots, below = [], 0
        for level in levels:
            coins = 0
            for name in self.order:
                coins += sum(1 for coin in range(self.whole[name]) if below <= coin < level)
            claims = [n for n in self.order if n not in self.folded and self.whole[n] >= level]
            self.pots.append([coins, claims])
            below = level
        self.round, self.last, self.bet = dict.fromkeys(self.order, 0), {}, 0

    # ---- showdown

    def begin_showdown(self):
        start = self.aggressor or self.order[0]
        self.asked = []
        for _ in self.order:
            if start not in self.folded:
                self.asked.append(start)
            start = self.left_of(start)
        self.turn = self.asked[0]

    def do_show(self, record):
        self.see(record["cards"])
        self.shown[self.turn] = record["cards"]
        self.answered()

    def do_muck(self, record):
        self.mucked.append(self.turn)
        for pot in self.pots:
            if self.turn in pot[1] and len(pot[1]) > 1:
                pot[1].remove(self.turn)
        self.answered()

    def answered(self):
        self.asked.pop(0)
        if not self.asked or all(len(claims) < 2 for _, claims in self.pots):
            self.end_hand()
        else:
            self.turn = self.asked[0]

    def end_hand(self):
        told, transfers = [], []
        for number, (coins, claims) in enumerate(self.pots):
            name = f"side-{number}" if number else "main"
            winners = claims
            if len(claims) > 1:
                worth = {claim: best(self.shown[claim] + self.board) for claim in claims}
                winners = [claim for claim in self.order if claim in claims and worth[claim] == max(worth.values())]
            shares = dict.fromkeys(winners, 0)
            left = coins
            while left >= self.chip * len(winners):
                for winner in winners:
                    shares[winner] += self.chip
                    left -= self.chip
            shares[winners[0]] += left
            in_seats = [player for player in self.names if player in winners]
            told.append({"pot": name, "coins": coins, "winners": in_seats})
            for winner in in_seats:
                self.coins[winner] += shares[winner]
                if shares[winner]:
                    move = {"from": f"pot/{name}", "to": winner, "coins": shares[winner], "why": "pot"}
                    transfers.append(move)
        self.results.append({
            "hand": self.hand_number,
            "button": self.names[self.button_seat],
            "board": list(self.board),
            "pots": told,
            "hands": {p: NAMES[best(self.shown[p] + self.board)[0]] for p in self.names if p in self.shown},
            "mucked": [p for p in self.names if p in self.mucked],
            "transfers": transfers,
        })  # fmt: skip
        self.clear()
        self.phase = "ready"

    # ---- results

    def told(self):
        """Return the expected result of the script, with shown hands by rank name only."""
        in_betting = self.phase in ("preflop", "flop", "turn", "river")
        least = self.bet + self.step
        while least % self.chip:
            least += 1
        return {
            "phase": self.phase,
            "balances": self.coins,
            "house": 0,
            "staked": sum(self.round.values()),
            "pots": {f"side-{n}" if n else "main": coins for n, (coins, _) in enumerate(self.pots)},
            "results": self.results,
            "state": {
                "button": self.names[self.button_seat],
                "turn": self.turn,
                "board": self.board,
                "bets": {name: self.round[name] for name in self.names if self.round.get(name)},
                "bet": self.bet,
                "raise_to": least if in_betting else None,
                "folded": [name for name in self.names if name in self.folded],
                "all_in": [n for n in self.names if n in self.order and not self.coins[n] and n not in self.folded],
                "shown": {name: self.shown[name] for name in self.names if name in self.shown},
            },
        }


def random_evening(rng, commands):
    """Return a script of about ``commands`` legal commands: hands of two to ten players."""
    names = [f"P{number}" for number in range(1, rng.randint(2, 10) + 1)]
    at, records = Referee(names, [5000] * len(names)), []
    header = {"game": "holdem", "players": [{"name": name, "coins": 5000} for name in names], "options": {}}
    while len(records) < commands or at.phase != "ready":
        record = sensible(rng, at)
        try:
            at.do(record)
        except Refused:
            continue
        records.append(record)
    return [header, *records]


def sensible(rng, at):
    """Return a command that is usually legal."""
    if at.phase == "ready":
        poor = [name for name in at.names if at.coins[name] < 20 * at.big]
        return {"do": "buy-in", "player": poor[0], "coins": 5000} if poor else {"do": "post"}
    if at.phase == "hole":
        return {"do": "hole", "player": at.turn}
    unseen = sorted(DECK.difference(at.board, *at.shown.values()))
    if at.phase.startswith("deal"):
        return {"do": "board", "cards": rng.sample(unseen, 3 if at.phase == "deal-flop" else 1)}
    if at.phase == "showdown":
        shown = {"do": "show", "player": at.turn, "cards": rng.sample(unseen, 2)}
        return rng.choice((shown, shown, {"do": "muck", "player": at.turn}))
    larger = {"do": "raise" if at.bet else "bet", "to": at.bet + at.step + at.chip * rng.randrange(4)}
    stay = {"do": "call" if at.bet > at.round[at.turn] else "check"}
    return rng.choices((stay, larger, {"do": "fold"}, {"do": "all-in"}), (60, 15, 22, 3))[0]

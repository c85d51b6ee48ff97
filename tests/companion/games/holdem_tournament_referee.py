"""An independent, slow referee for hold'em tournaments, written from the ruling and not from the rules' code.

Hands are played by the cash game's referee. Places come from a queue of the eliminated players, last out first.
"""

from holdem_referee import Referee, Refused

BETWEEN = ("ready", "break")
DEALING = ("deal-flop", "deal-turn", "deal-river")
OWN = ("next-level", "rebuy", "add-on", "close-rebuys", "chip-race", "call-off", "start-clock", "pause-clock", "table")


class TournamentReferee(Referee):
    """One tournament; ``do`` plays a record."""

    def __init__(self, names, coins, options):
        super().__init__(names, coins, {"button": options["button"]} if "button" in options else {})
        self.levels, self.prizes = options["levels"], options["prizes"]
        self.one_for_all, self.dead = options.get("big_blind_ante", False), 0
        self.until, self.more = options.get("rebuy_until", 0), options.get("add_on", 0)
        self.at, self.stack, self.has_had, self.gone, self.begun = 0, 0, [], [], []
        self.closed, self.runs, self.racing, self.finished = False, False, None, []
        self.set_level()

    # ---- state

    def set_level(self):
        level = self.levels[self.at]
        if "break" in level:
            self.phase = "break"
            return
        self.phase = "ready"
        (self.small, self.big), self.ante, self.chip = level["blinds"], level.get("ante", 0), level["chip"]

    def number(self):
        return sum("blinds" in level for level in self.levels[: self.at + 1])

    def is_open(self):
        return bool(self.stack) and not self.closed and self.number() <= self.until

    def alive(self):
        return [name for name in self.begun if self.worth(name)]

    def worth(self, name):
        return self.coins[name] + self.whole.get(name, 0)

    # ---- commands

    def readable(self, record):
        verb = record.get("do")
        if verb not in OWN:
            return super().readable(record)
        needs = {"rebuy": ["player"], "add-on": ["player"], "table": ["player", "cards"], "chip-race": ["winners"]}
        if any(field not in record for field in needs.get(verb, [])):
            raise Refused("bad-script")
        if "player" in needs.get(verb, []) and not (isinstance(record["player"], str) and record["player"]):
            raise Refused("bad-script")
        if verb == "chip-race":
            names = record["winners"]
            if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
                raise Refused("bad-script")
            if len(set(names)) < len(names):
                raise Refused("bad-script")
        if verb == "table":
            cards = record["cards"]
            if not isinstance(cards, list) or len(cards) != 2 or not all(isinstance(c, str) and c for c in cards):
                raise Refused("bad-script")
        return verb

    def play(self, verb, record):
        if self.held:
            super().play(verb, record)
        elif verb in OWN:
            getattr(self, "do_" + verb.replace("-", "_"))(record)
        else:
            is_stopped = verb == "post" and self.racing is not None
            if is_stopped or (self.phase in ("break", "over") and verb not in ("hold", "buy-in", "cash-out")):
                raise Refused("wrong-phase")
            super().play(verb, record)

    def cashier(self, verb, record):
        if self.phase not in ("ready", "break", "over") or self.racing is not None:
            raise Refused("wrong-phase")
        if self.stack and self.phase != "over":
            raise Refused("wrong-phase")
        was, self.phase = self.phase, "ready"
        super().cashier(verb, record)
        self.phase = was

    def between(self, racing=False):
        if self.phase not in BETWEEN or (self.racing is not None) is not racing:
            raise Refused("wrong-phase")

    def do_start_clock(self, record):
        if self.phase == "over":
            raise Refused("wrong-phase")
        if self.runs:
            raise Refused("nothing-done")
        self.runs = True

    def do_pause_clock(self, record):
        if self.phase == "over":
            raise Refused("wrong-phase")
        if not self.runs:
            raise Refused("nothing-done")
        self.runs = False

    def do_next_level(self, record):
        self.between()
        if self.at + 1 == len(self.levels):
            raise Refused("wrong-phase")
        before, self.at = self.chip, self.at + 1
        self.set_level()
        if self.stack and self.chip > before:
            seats = self.names[self.button_seat + 1 :] + self.names[: self.button_seat + 1]
            odd = {name: self.coins[name] % self.chip for name in seats if self.coins[name] > self.chip}
            odd = {name: coins for name, coins in odd.items() if coins}
            self.racing = odd or None
        self.look()

    def do_rebuy(self, record):
        self.between()
        if not self.is_open():
            raise Refused("wrong-phase")
        name = record["player"]
        if name not in self.names:
            raise Refused("unknown-player")
        if self.coins[name]:
            raise Refused("not-offered")
        self.coins[name] = self.stack
        self.gone = [one for one in self.gone if one[0] != name]
        if name not in self.begun:
            self.begun.append(name)

    def do_add_on(self, record):
        self.between()
        may = [name for name in self.alive() if name not in self.has_had]
        if not (self.more and self.is_open() and self.number() == self.until and may):
            raise Refused("wrong-phase")
        name = record["player"]
        if name not in self.names:
            raise Refused("unknown-player")
        if name not in may:
            raise Refused("not-offered")
        self.has_had.append(name)
        self.coins[name] += self.more

    def do_close_rebuys(self, record):
        self.between()
        if not self.is_open():
            raise Refused("wrong-phase")
        self.closed = True
        self.look()

    def do_chip_race(self, record):
        self.between(racing=True)
        pile, winners = sum(self.racing.values()), record["winners"]
        if len(winners) != pile // self.chip or any(name not in self.racing for name in winners):
            raise Refused("not-offered")
        for name, coins in self.racing.items():
            self.coins[name] -= coins
        for name in winners:
            self.coins[name] += self.chip
            pile -= self.chip
        self.coins[next(iter(self.racing))] += pile
        self.racing = None

    def do_call_off(self, record):
        if self.phase not in BETWEEN or not self.stack:
            raise Refused("wrong-phase")
        self.phase, self.runs, self.racing = "over", False, None

    # ---- hands

    def do_post(self, record):
        if not self.stack:
            able = {coins for coins in self.coins.values() if coins}
            if len(able) > 1:
                raise Refused("not-offered")
        able = [name for name in self.names if self.coins[name]]
        if len(able) > 1 and not self.stack:
            self.stack, self.begun = self.coins[able[0]], able
        self.had = dict(self.coins)
        super().do_post(record)
        self.dead = 0
        if self.one_for_all and self.ante and self.coins[self.big_at]:
            self.dead = min(self.ante, self.coins[self.big_at])
            self.coins[self.big_at] -= self.dead
            self.pots = [[self.dead, list(self.order)]]

    def dead_now(self):
        return self.dead if self.order and self.phase not in BETWEEN else 0

    def end_round(self):
        super().end_round()
        self.pots[0][0] += self.dead

    def pay_antes(self):
        if self.one_for_all:
            return
        for name in self.order:
            self.put(name, min(self.ante, self.coins[name]))
        if self.ante:
            self.end_round()

    def do_table(self, record):
        if self.phase not in DEALING:
            raise Refused("wrong-phase")
        waiting = [name for name in self.order if name not in self.folded and name not in self.shown]
        if len(self.live()) > 1 or not waiting:
            raise Refused("not-offered")
        if record["player"] not in self.names:
            raise Refused("unknown-player")
        if record["player"] not in waiting:
            raise Refused("not-offered")
        self.see(record["cards"])
        self.shown[record["player"]] = record["cards"]

    def begin_showdown(self):
        super().begin_showdown()
        self.asked = [name for name in self.asked if name not in self.shown]
        if self.asked:
            self.turn = self.asked[0]
        else:
            self.end_hand()

    def end_hand(self):
        super().end_hand()
        for name in self.names:
            if self.had[name] and not self.coins[name]:
                self.gone.append([name, self.hand_number, self.had[name]])
        self.look()

    # ---- the end

    def look(self):
        if not self.stack or len(self.alive()) != 1 or self.is_open():
            return
        winner = self.alive()[0]
        pool = self.coins[winner]
        queue = [[winner]]
        for name, hand, had in sorted(self.gone, key=lambda one: (one[1], one[2]), reverse=True):
            if queue[-1] != [winner] and self.how(queue[-1][0]) == (hand, had):
                queue[-1].append(name)
            else:
                queue.append([name])
        transfers, place = [], 1
        for group in queue:
            group.sort(key=self.names.index)
            purse = sum(pool * share // 100 for share in self.prizes[place - 1 :][: len(group)])
            for name in group:
                self.finished.append({"place": place, "player": name, "coins": purse // len(group)})
            for one in self.finished[len(self.finished) - len(group) :][: purse % len(group)]:
                one["coins"] += 1
            place += len(group)
        for one in self.finished[1:]:
            if one["coins"]:
                self.coins[winner] -= one["coins"]
                self.coins[one["player"]] += one["coins"]
                move = {"from": winner, "to": one["player"], "coins": one["coins"], "why": "prize"}
                transfers.append(move)
        self.finished[0]["coins"] = self.coins[winner]
        self.results.append({"places": [dict(one) for one in self.finished], "transfers": transfers})
        self.phase, self.runs, self.racing = "over", False, None

    def how(self, name):
        return next((hand, had) for one, hand, had in self.gone if one == name)

    def told(self):
        told = super().told()
        told["state"] |= {
            "level": self.number(),
            "is_break": "break" in self.levels[self.at],
            "blinds": [self.small, self.big],
            "ante": self.ante,
            "chip": self.chip,
            "rebuys_open": self.is_open(),
            "pool": self.dead_now() + sum(self.worth(name) for name in self.begun) if self.phase != "over" else None,
            "out": [name for name, _, _ in self.gone],
            "places": self.finished,
        }
        return told

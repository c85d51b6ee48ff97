"""An independent referee for King of Roulette, written from the rules and the contract: dictionaries and plain loops.

It shares no code with the product. `Referee.do` returns an error code, or None if the command counts.
"""

import random
from typing import Any

FIELDS = {
    "vote": {"player": str, "for": str},
    "rule": {"text": str, "one": list, "two": (int, str)},
    "guess": {"range": str},
    "bet": {"player": str, "space": (int, str)},
    "buy-bonus": {"player": str},
    "use-bonus": {"player": str},
    "reveal": {},
    "elect": {"player": str},
    "choose": {"player": str},
    "hold": {},
    "release": {},
    "undo": {},
    "redo": {},
    "buy-in": {"player": str},
    "cash-out": {"player": str},
}
ROUND = ("rule", "guess", "bet", "buy-bonus", "use-bonus", "reveal")
PHASE_OF = {"vote": "vote", "elect": "succession", "choose": "choose", **dict.fromkeys(ROUND, "round")}


class Referee:
    """The referee with its own books."""

    def __init__(self, names: list[str], coins: dict[str, int], rounds: int = 7) -> None:
        self.b: dict[str, Any] = {
            "phase": "vote", "round": 1, "king": None, "coins": dict(coins), "house": 0, "results": [],
            "points": dict.fromkeys(names, 0), "owned": dict.fromkeys(names, 0), "bought": dict.fromkeys(names, 0),
            "votes": {}, "rule": None, "guess": None, "bets": {}, "using": [], "tied": [], "held": False,
        }  # fmt: skip
        self.names, self.rounds = names, rounds
        self.past: list[dict[str, Any]] = []
        self.future: list[dict[str, Any]] = []

    @property
    def state(self) -> dict[str, Any]:
        b = self.b
        ready = {"rule": b["rule"] is not None, "guess": b["guess"] is not None}
        return {
            "round": b["round"], "king": b["king"], "points": b["points"], "bonuses": b["owned"],
            "voted": [n for n in self.names if n in b["votes"]],
            "ready": {**ready, "bets": [n for n in self.names if n in b["bets"]]},
            "tied": b["tied"],
        }  # fmt: skip

    def do(self, record: dict[str, Any]) -> str | None:
        verb = record.get("do")
        if not isinstance(verb, str) or not verb:
            return "bad-script"
        if verb not in FIELDS:
            return "unknown-verb"
        if self.is_malformed(verb, record):
            return "bad-script"
        if verb == "undo":
            if not self.past:
                return "nothing-done"
            self.future.append(self.b)
            self.b = self.past.pop()
            return None
        if verb == "redo":
            if not self.future:
                return "nothing-done"
            self.past.append(self.b)
            self.b = self.future.pop()
            return None
        before = {key: value.copy() if isinstance(value, dict | list) else value for key, value in self.b.items()}
        code = self.play(verb, record)
        if code is not None:
            self.b = before
        else:
            self.past.append(before)
            self.future.clear()
        return code

    def is_malformed(self, verb: str, record: dict[str, Any]) -> bool:
        for field, kind in FIELDS[verb].items():
            value = record.get(field)
            if not isinstance(value, kind) or isinstance(value, bool) or value == "":
                return True
        if verb == "rule":
            spaces = record["one"]
            return len(spaces) != 2 or any(isinstance(s, bool) or not isinstance(s, int | str) for s in spaces)
        return False

    def play(self, verb: str, record: dict[str, Any]) -> str | None:
        b = self.b
        if b["held"] != (verb == "release"):
            return "wrong-phase"
        if verb in ("hold", "release"):
            b["held"] = verb == "hold"
            return None
        if verb in ("buy-in", "cash-out"):
            return self.cage(verb, record)
        if PHASE_OF[verb] != b["phase"]:
            return "wrong-phase"
        if verb == "reveal":
            return self.reveal()
        for name in (record.get("player"), record.get("for")):
            if name is not None and name not in self.names:
                return "unknown-player"
        if verb in ("rule", "guess") and record.get("player", b["king"]) != b["king"]:
            return "not-your-turn"
        return getattr(self, "do_" + verb.replace("-", "_"))(record)

    def cage(self, verb: str, record: dict[str, Any]) -> str | None:
        if record["player"] not in self.names:
            return "unknown-player"
        if verb == "buy-in":
            coins = record.get("coins")
            if type(coins) is not int or coins < 1:
                return "bad-amount"
            self.b["coins"][record["player"]] += coins
        else:
            if not self.b["coins"][record["player"]]:
                return "nothing-done"
            self.b["coins"][record["player"]] = 0
        return None

    def do_vote(self, record: dict[str, Any]) -> None:
        b = self.b
        b["votes"][record["player"]] = record["for"]
        if len(b["votes"]) < len(self.names):
            return
        tally = {n: list(b["votes"].values()).count(n) for n in self.names}
        top = [n for n in self.names if tally[n] == max(tally.values())]
        b["votes"] = {}
        if len(top) == 1:
            b["king"], b["phase"] = top[0], "round"

    def do_rule(self, record: dict[str, Any]) -> str | None:
        a, c, d = *record["one"], record["two"]
        good = {1, 2, 3, 4, 5, 6}
        if a not in good or c not in good or d not in good or len({a, c, d}) < 3:
            return "not-offered"
        self.b["rule"] = {"text": record["text"], "one": [a, c], "two": d}
        return None

    def guesses(self) -> list[tuple[str, set[int], int]]:
        most, found, low, worth = len(self.names) - 1, [], 0, 4
        while low <= most:
            if low == most:
                found.append((str(low), {low}, worth))
            else:
                found.append((f"{low}-{low + 1}", {low, low + 1}, worth))
            low, worth = low + 2, max(worth - 1, 1)
        return found

    def do_guess(self, record: dict[str, Any]) -> str | None:
        if record["range"] not in [text for text, _, _ in self.guesses()]:
            return "not-offered"
        self.b["guess"] = record["range"]
        return None

    def do_bet(self, record: dict[str, Any]) -> str | None:
        if record["player"] == self.b["king"] or record["space"] not in (1, 2, 3, 4, 5, 6, "king"):
            return "not-offered"
        self.b["bets"][record["player"]] = record["space"]
        return None

    def do_buy_bonus(self, record: dict[str, Any]) -> str | None:
        b, who = self.b, record["player"]
        cost = 2 + b["bought"][who]
        if b["coins"][who] < cost:
            return "not-enough-coins"
        b["coins"][who] -= cost
        b["house"] += cost
        b["bought"][who] += 1
        b["owned"][who] += 1
        return None

    def do_use_bonus(self, record: dict[str, Any]) -> str | None:
        b, who = self.b, record["player"]
        if who in b["using"] or b["owned"][who] < 1:
            return "not-offered"
        b["using"].append(who)
        return None

    def reveal(self) -> str | None:
        b, king = self.b, self.b["king"]
        if b["rule"] is None or b["guess"] is None or len(b["bets"]) < len(self.names) - 1:
            return "wrong-phase"
        won = {}
        for n in self.names:
            won[n] = 0
            if n != king and b["bets"][n] in b["rule"]["one"]:
                won[n] = 1
            elif n != king and b["bets"][n] == b["rule"]["two"]:
                won[n] = 2
        earned = sum(1 for n in self.names if won[n])
        for text, numbers, worth in self.guesses():
            if text == b["guess"] and earned in numbers:
                won[king] = worth
        transfers = []
        for n in self.names:
            if n in b["using"]:
                won[n] *= 2
                b["owned"][n] -= 1
            garnets = (b["points"][n] + won[n]) // 5 - b["points"][n] // 5
            b["points"][n] += won[n]
            if garnets:
                b["coins"][n] += garnets
                b["house"] -= garnets
                transfers.append({"from": "house", "to": n, "coins": garnets, "why": "garnets"})
        result = {
            "round": b["round"], "king": king, "rule": b["rule"], "guess": b["guess"], "earned": earned,
            "bets": {n: b["bets"][n] for n in self.names if n != king},
            "bonus": [n for n in self.names if n in b["using"]], "points": won, "next_king": None,
            "transfers": transfers,
        }  # fmt: skip
        on_king = [n for n in self.names if b["bets"].get(n) == "king"]
        b.update(rule=None, guess=None, bets={}, using=[])
        b["results"].append(result)
        if b["round"] == self.rounds:
            self.finish()
            return None
        may = [n for n in on_king if b["points"][n] == min(b["points"][m] for m in on_king)] or self.names
        if len(may) == 1:
            result["next_king"] = b["king"] = may[0]
            b["round"] += 1
        else:
            b["phase"], b["tied"] = "succession", list(may)
        return None

    def do_elect(self, record: dict[str, Any]) -> str | None:
        if record["player"] not in self.b["tied"]:
            return "not-offered"
        self.b.update(phase="round", king=record["player"], round=self.b["round"] + 1, tied=[])
        return None

    def finish(self) -> None:
        points = self.b["points"]
        worst = [n for n in self.names if points[n] == min(points.values())]
        if len(worst) == len(self.names):
            self.final(self.b["king"])
        elif len(worst) == 1:
            self.final(worst[0])
        else:
            self.b.update(phase="choose", tied=worst)

    def do_choose(self, record: dict[str, Any]) -> str | None:
        if record["player"] not in self.b["tied"]:
            return "not-offered"
        self.final(record["player"])
        return None

    def final(self, candidate: str) -> None:
        points = self.b["points"]
        best = [n for n in self.names if points[n] == max(points.values())]
        tokens = {}
        if len(best) < len(self.names):
            tokens = dict.fromkeys(best, {1: 2, 2: 1, 3: 1}.get(len(best), 0)) if len(best) <= 3 else {}
        self.b["results"].append({"final": dict(points), "tokens": tokens, "candidate": candidate, "transfers": []})
        self.b.update(phase="over", tied=[])


def sensible(referee: Referee, rng: random.Random) -> dict[str, Any]:
    """Return a command that is probably legal."""
    b, names = referee.b, referee.names
    name = rng.choice(names)
    if b["held"]:
        return {"do": "release"}
    if b["phase"] == "vote":
        missing = [n for n in names if n not in b["votes"]] or names
        return {"do": "vote", "player": rng.choice(missing), "for": rng.choice(names[:2])}
    if b["phase"] == "succession":
        return {"do": "elect", "player": rng.choice(b["tied"])}
    if b["phase"] == "choose":
        return {"do": "choose", "player": rng.choice(b["tied"])}
    roll = rng.random()
    if b["rule"] is None or roll < 0.05:
        one, other, two = rng.sample(range(1, 7), 3)
        return {"do": "rule", "text": f"{one} and {other} earn 1, {two} earns 2", "one": [one, other], "two": two}
    if b["guess"] is None or roll < 0.1:
        return {"do": "guess", "range": rng.choice(referee.guesses())[0]}
    if roll < 0.2:
        return {"do": "buy-bonus", "player": name}
    if roll < 0.3:
        return {"do": "use-bonus", "player": name}
    missing = [n for n in names if n not in b["bets"] and n != b["king"]]
    if missing:
        space = rng.choice((1, 2, 3, 4, 5, 6, "king", "king"))
        return {"do": "bet", "player": rng.choice(missing), "space": space}
    return {"do": "reveal"}


def anything(referee: Referee, rng: random.Random) -> dict[str, Any]:
    """Return a command that is probably illegal."""
    names = [*referee.names, *referee.names, "Nobody", ""]
    who = rng.choice(names)
    spaces: list[Any] = [1, 2, 3, 4, 5, 6, "king", 0, 7, "3", True, None, 2.0]
    pair = [rng.choice(spaces) for _ in range(rng.choice((1, 2, 2, 2, 3)))]
    guess = rng.choice(["0-1", "2-3", "3", "4-5", "5", "6", "10-11", "1-2", "", 4])
    return rng.choice([
        {"do": "vote", "player": who, "for": rng.choice(names)},
        {"do": "vote", "player": who},
        {"do": "rule", "text": rng.choice(["so be it", "so be it", "", 3]), "one": pair, "two": rng.choice(spaces)},
        {"do": "rule", "text": "mine", "one": [1, 2], "two": 3, "player": who or "Nobody"},
        {"do": "guess", "range": guess},
        {"do": "guess", "range": "0-1", "player": who or "Nobody"},
        {"do": "bet", "player": who, "space": rng.choice(spaces)},
        {"do": "bet", "player": who},
        {"do": "buy-bonus", "player": who},
        {"do": "use-bonus", "player": who},
        {"do": "reveal"},
        {"do": "elect", "player": who},
        {"do": "choose", "player": who},
        {"do": "undo"},
        {"do": "undo"},
        {"do": "redo"},
        {"do": "hold"},
        {"do": "buy-in", "player": who or "Nobody", "coins": rng.choice([1, 5, 0, -1, True])},
        {"do": "cash-out", "player": who or "Nobody"},
        {"do": "spin"},
        {"no": "verb"},
    ])  # fmt: skip

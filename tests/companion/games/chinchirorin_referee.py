"""An independent referee for chinchirorin: for any command returns the error code, or applies it to its own books.

Written from the rules and the contract alone, without code of the product: the books are one dictionary that is copied
for undo, a throw is a sorted text, and a short banker pays coin by coin.
"""

import copy
import random
from typing import Any

NAMES = ["Ann", "Bo", "Cy", "Di", "Eve", "Flo", "Gus", "Hal", "Ida", "Jo", "Kit", "Lee"]
VERBS = ["throw-for-bank", "bank", "bet", "take-back", "close", "throw", "keep-bank", "pass-bank"]
VERBS += ["buy-in", "cash-out", "undo", "redo", "hold", "release"]
PHASE_OF = {"throw-for-bank": ["draw"], "bank": ["bank"], "bet": ["betting"], "take-back": ["betting"]}
PHASE_OF |= {"close": ["betting"], "throw": ["banker", "player"], "keep-bank": ["wash"], "pass-bank": ["wash"]}
PHASE_OF |= {"buy-in": ["bank"], "cash-out": ["bank"]}
NAMED = ["throw-for-bank", "bet", "take-back", "buy-in", "cash-out"]
NEEDS = {"throw-for-bank": ["player", "die"], "bank": ["amount"], "bet": ["player", "amount"], "take-back": ["player"]}
NEEDS |= {"buy-in": ["player", "coins"], "cash-out": ["player"]}


class Refused(Exception):
    pass


def is_pip(value: Any) -> bool:
    return type(value) is int and 1 <= value <= 6


def is_coins(value: Any) -> bool:
    return type(value) is int and value >= 1


def copied(books: dict[str, Any]) -> dict[str, Any]:
    """Return a copy; deeper values are never modified."""
    return {key: copy.copy(value) for key, value in books.items()}


class Referee:
    """One table. ``do`` returns None or the code of the error."""

    def __init__(self, players: list[tuple[str, int]], banker: int | None = None) -> None:
        self.names = [name for name, _ in players]
        self.now: dict[str, Any] = {
            "coins": dict(players), "phase": "draw", "banker": None, "bank": None, "bets": {}, "throws": [],
            "banker_score": None, "asked": [], "highs": {}, "results": [], "held": False,
        }  # fmt: skip
        self.past: list[dict[str, Any]] = []
        self.future: list[dict[str, Any]] = []
        if banker is not None:
            self.give_bank(banker - 1)
        elif len(self.rich()) < 2:
            self.now["phase"] = "over"
        else:
            self.now["asked"] = self.rich()

    def rich(self) -> list[str]:
        return [name for name in self.names if self.now["coins"][name] > 0]

    def round_table(self, start: int) -> list[str]:
        return self.names[start % len(self.names) :] + self.names[: start % len(self.names)]

    def give_bank(self, place: int) -> None:
        """Give the bank to the player in a seat, or the next one with coins; end the game if only one has coins."""
        now = self.now
        now.update(bank=None, bets={}, throws=[], banker_score=None, asked=[], highs={}, phase="bank")
        able = [name for name in self.round_table(place) if now["coins"][name] > 0]
        now["banker"] = able[0] if able else self.round_table(place)[0]
        if len(able) < 2:
            now["phase"] = "over"

    # ---- one command

    def do(self, record: Any) -> str | None:
        before = copied(self.now)
        try:
            self.command(record)
        except Refused as refused:
            self.now = before
            return str(refused)
        if record["do"] not in ("undo", "redo"):
            self.past.append(before)
            self.future.clear()
        return None

    def command(self, record: dict[str, Any]) -> None:
        verb = record.get("do")
        self.check_form(record, verb)
        if verb in ("undo", "redo"):
            here, there = (self.past, self.future) if verb == "undo" else (self.future, self.past)
            if not here:
                raise Refused("nothing-done")
            there.append(self.now)
            self.now = here.pop()
            return
        if verb == "release":
            if not self.now["held"]:
                raise Refused("wrong-phase")
            self.now["held"] = False
            return
        if self.now["held"] or (verb in PHASE_OF and self.now["phase"] not in PHASE_OF[verb]):
            raise Refused("wrong-phase")
        if verb == "hold":
            self.now["held"] = True
            return
        player = record.get("player")
        if player is not None and player not in self.names and verb != "close":
            raise Refused("unknown-player")
        if verb not in NAMED and verb != "close" and player not in (None, self.turn()):
            raise Refused("not-your-turn")
        getattr(self, verb.replace("-", "_"))(record)

    def check_form(self, record: dict[str, Any], verb: Any) -> None:
        if not isinstance(verb, str) or not verb:
            raise Refused("bad-script")
        if verb not in VERBS:
            raise Refused("unknown-verb")
        bad = any(field not in record for field in NEEDS.get(verb, []))
        if "player" in record and verb in [*NAMED, "bank", "throw", "keep-bank", "pass-bank"]:
            bad |= not isinstance(record["player"], str)
        if verb == "throw-for-bank":
            bad |= not is_pip(record.get("die"))
        if verb == "bet" and "allowed" in record:
            bad |= not isinstance(record["allowed"], bool)
        if verb == "throw":
            dice = record.get("dice")
            fine = isinstance(dice, list) and len(dice) == 3 and all(is_pip(die) for die in dice)
            bad |= not (fine if record.get("out", False) is False else record["out"] is True and "dice" not in record)
        if bad:
            raise Refused("bad-script")

    def turn(self) -> str | None:
        phase = self.now["phase"]
        if phase in ("bank", "banker", "wash"):
            return str(self.now["banker"])
        return self.champion() if phase == "player" else None

    def seat(self, name: str) -> int:
        return self.names.index(name)

    def steps(self, name: str) -> int:
        """Return a player's distance clockwise from the banker."""
        return (self.seat(name) - self.seat(self.now["banker"])) % len(self.names)

    def champion(self) -> str | None:
        """Return the highest bettor, on a tie the first one left of the banker."""
        bets = self.now["bets"]
        return min(bets, key=lambda name: (-bets[name], self.steps(name))) if bets else None

    # ---- verbs

    def buy_in(self, record: dict[str, Any]) -> None:
        if not is_coins(record["coins"]):
            raise Refused("bad-amount")
        self.now["coins"][record["player"]] += record["coins"]

    def cash_out(self, record: dict[str, Any]) -> None:
        name = record["player"]
        if name == self.now["banker"]:
            raise Refused("not-offered")
        if not self.now["coins"][name]:
            raise Refused("nothing-done")
        self.now["coins"][name] = 0
        if len(self.rich()) < 2:
            self.now["phase"] = "over"

    def throw_for_bank(self, record: dict[str, Any]) -> None:
        now, name = self.now, record["player"]
        if name not in now["asked"]:
            raise Refused("not-your-turn")
        now["asked"].remove(name)
        now["highs"][name] = record["die"]
        if now["asked"]:
            return
        best = [name for name in self.names if now["highs"].get(name) == max(now["highs"].values())]
        now["highs"] = {}
        if len(best) == 1:
            self.give_bank(self.seat(best[0]))
        else:
            now["asked"] = best

    def bank(self, record: dict[str, Any]) -> None:
        if not is_coins(record["amount"]):
            raise Refused("bad-amount")
        if record["amount"] > self.now["coins"][self.now["banker"]]:
            raise Refused("not-enough-coins")
        self.now.update(bank=record["amount"], phase="betting")

    def check_bettor(self, name: str) -> None:
        if name == self.now["banker"]:
            raise Refused("not-offered")
        if any(self.steps(other) > self.steps(name) for other in self.now["bets"]):
            raise Refused("not-your-turn")

    def bet(self, record: dict[str, Any]) -> None:
        name, amount, now = record["player"], record["amount"], self.now
        self.check_bettor(name)
        if not is_coins(amount):
            raise Refused("bad-amount")
        if sum(now["bets"].values()) + amount > now["bank"] and not record.get("allowed", False):
            raise Refused("over-limit")
        if amount > now["coins"][name]:
            raise Refused("not-enough-coins")
        now["coins"][name] -= amount
        now["bets"][name] = now["bets"].get(name, 0) + amount

    def take_back(self, record: dict[str, Any]) -> None:
        name = record["player"]
        self.check_bettor(name)
        if name not in self.now["bets"]:
            raise Refused("nothing-done")
        self.now["coins"][name] += self.now["bets"].pop(name)

    def close(self, record: dict[str, Any]) -> None:
        self.now["phase"] = "banker"

    def keep_bank(self, record: dict[str, Any]) -> None:
        self.give_bank(self.seat(self.now["banker"]))

    def pass_bank(self, record: dict[str, Any]) -> None:
        self.give_bank(self.seat(self.now["banker"]) + 1)

    def throw(self, record: dict[str, Any]) -> None:
        now = self.now
        is_banker = now["phase"] == "banker"
        now["throws"].append("out" if record.get("out") else record["dice"])
        shown = "out" if record.get("out") else "".join(str(die) for die in sorted(record["dice"]))
        if shown == "out":
            return self.finish("banker" if not is_banker else "bettors", 1, "out", None)
        if shown == "111":
            return self.finish("bettors" if is_banker else "banker", 3, "storm", None)
        if shown[0] == shown[2]:
            return self.finish("bettors", 2 if is_banker else 3, "storm", None)
        if shown == "123":
            return self.finish("bettors" if is_banker else "banker", 2, "storm", None)
        if shown == "456":
            return self.finish("banker" if is_banker else "bettors", 2, "storm", None)
        if shown[0] == shown[1]:
            score = int(shown[2])
        elif shown[1] == shown[2]:
            score = int(shown[0])
        elif len(now["throws"]) == 3:
            score = 0
        else:
            return None
        if is_banker:
            now["banker_score"] = score
            if not now["bets"]:
                return self.finish("wash", 0, "", None)
            now.update(phase="player", throws=[])
            return None
        if score == now["banker_score"]:
            return self.finish("wash", 0, "", score)
        return self.finish("bettors" if score > now["banker_score"] else "banker", 1, "score", score)

    # ---- settlement

    def finish(self, outcome: str, times: int, why: str, player_score: int | None) -> None:
        now = self.now
        banker, bets = now["banker"], now["bets"]
        if not bets:
            outcome, times = "wash", 0
        result = {"banker": banker, "player": self.champion(), "banker_score": now["banker_score"],
                  "player_score": player_score, "outcome": outcome, "times": times, "transfers": []}  # fmt: skip
        for name, bet in bets.items():
            now["coins"][name] += bet
        if outcome == "banker":
            paid = {name: min(times * bet, now["coins"][name]) for name, bet in bets.items()}
        else:
            paid = self.handed_out({name: times * bet for name, bet in bets.items()}, now["coins"][banker])
        for name in sorted(bets, key=self.steps):
            payer, payee = (name, banker) if outcome == "banker" else (banker, name)
            now["coins"][payer] -= paid[name]
            now["coins"][payee] += paid[name]
            if paid[name]:
                result["transfers"].append({"from": payer, "to": payee, "coins": paid[name], "why": why})
        now["results"].append(result)
        self.give_bank(self.seat(banker) + (outcome != "wash"))
        if outcome == "wash":
            now["phase"] = "wash"

    def handed_out(self, owed: dict[str, int], funds: int) -> dict[str, int]:
        """Pay out one coin at a time in seat order, to everybody still owed."""
        paid = dict.fromkeys(owed, 0)
        while funds and paid != owed:
            for name in self.names:
                if name in owed and paid[name] < owed[name] and funds:
                    paid[name] += 1
                    funds -= 1
        return paid

    # ---- results

    def printed(self) -> dict[str, Any]:
        now = self.now
        return {
            "game": "chinchirorin", "phase": now["phase"], "balances": now["coins"], "house": 0,
            "staked": sum(now["bets"].values()), "pots": {}, "results": now["results"], "error": None,
            "state": {"banker": now["banker"], "bank": now["bank"], "bets": now["bets"], "turn": self.turn(),
                      "throws": now["throws"], "banker_score": now["banker_score"], "asked": now["asked"]},
        }  # fmt: skip


# ---- random evenings


def random_dice(rng: random.Random) -> dict[str, Any]:
    if rng.random() < 0.05:
        return {"do": "throw", "out": True}
    kinds = [[1, 1, 1], [4, 4, 4], [1, 2, 3], [6, 5, 4], [2, 4, 6], [5, 5, 3], [5, 3, 3]]
    dice = rng.choice(kinds) if rng.random() < 0.4 else [rng.randint(1, 6) for _ in range(3)]
    return {"do": "throw", "dice": rng.sample(dice, 3)}


def likely(rng: random.Random, referee: Referee) -> dict[str, Any]:
    """Return a command that fits the phase and is usually legal."""
    now, name = referee.now, rng.choice(referee.names)
    if now["held"]:
        return {"do": "release"}
    if now["phase"] == "draw":
        return {"do": "throw-for-bank", "player": rng.choice(now["asked"] or [name]), "die": rng.randint(3, 6)}
    if now["phase"] == "bank":
        if rng.random() < 0.15:
            return rng.choice([{"do": "buy-in", "player": name, "coins": rng.randint(1, 30)},
                               {"do": "cash-out", "player": name}])  # fmt: skip
        most = max(now["coins"][now["banker"]], 1)
        return {"do": "bank", "amount": most if rng.random() < 0.4 else rng.randint(1, most)}
    if now["phase"] == "betting":
        if rng.random() < 0.3:
            return {"do": "close"}
        if rng.random() < 0.1:
            return {"do": "take-back", "player": name}
        record = {"do": "bet", "player": name, "amount": rng.randint(1, max(now["coins"][name], 1))}
        return record | ({"allowed": True} if rng.random() < 0.4 else {})
    if now["phase"] == "wash":
        return {"do": rng.choice(["keep-bank", "pass-bank"])}
    return random_dice(rng)


def anything(rng: random.Random, referee: Referee) -> dict[str, Any]:
    """Return any command, possibly nonsensical."""
    value = rng.choice([0, 1, 2, 5, 7, 40, -1, True, None, "5", 2.0, [1]])
    player = rng.choice([*referee.names, *referee.names, "Zoe", 5])
    record = {"do": rng.choice([*VERBS, "fly", 3]), "player": player, "amount": value, "coins": value, "die": value}
    if record["player"] == 5 or rng.random() < 0.4:
        del record["player"]
    if rng.random() < 0.2:
        record["player"] = 5
    record["dice"] = rng.choice([[1, 2], [1, 2, 7], [1, 2, "3"], "123", [1, True, 2], [2, 2, 5], [4, 5, 6], [3, 3, 3]])
    if rng.random() < 0.2:
        record["out"] = rng.choice([True, False, "yes"])
    if rng.random() < 0.2:
        record["allowed"] = rng.choice([True, False, "yes", 1])
    for field in ("amount", "coins", "die", "dice"):
        if rng.random() < 0.15:
            del record[field]
    return record


def random_players(rng: random.Random) -> tuple[list[tuple[str, int]], dict[str, Any]]:
    count = rng.choice([2, 2, 3, 3, 4, 5, 7, 12])
    players = [(name, rng.choice([0, 1, 3, 20, 50, 60, 100])) for name in NAMES[:count]]
    return players, rng.choice([{}, {}, {"stakes": "seed"}, {"banker": rng.randint(1, count)}])


def rich_evening(rng: random.Random, commands: int) -> list[dict[str, Any]]:
    """Return a script of legal commands for five players with enough coins and small banks."""
    players = [(name, 10_000) for name in NAMES[:5]]
    referee = Referee(players)
    named = [{"name": name, "coins": coins} for name, coins in players]
    script: list[dict[str, Any]] = [{"game": "chinchirorin", "players": named, "options": {}}]
    while len(script) <= commands and referee.now["phase"] != "over":
        record = likely(rng, referee)
        if record["do"] in ("bank", "bet"):
            record["amount"] = min(record["amount"], 60 if record["do"] == "bank" else 30)
        if referee.do(record) is None:
            script.append(record)
    return script

"""An independent referee for roulette that plays a script with its own books, written from the contract.

It shares no code with the product. Errors are in the contract's order; spots are derived from a grid of the layout and
the numbers that a chip would touch.
"""

import copy
import pickle
import random
from typing import Any

GRID = [[3 * row + 1, 3 * row + 2, 3 * row + 3] for row in range(12)]
REDS = {1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36}
EVEN = {
    "red": lambda n: n in REDS,
    "black": lambda n: n not in REDS,
    "odd": lambda n: n % 2 == 1,
    "even": lambda n: n % 2 == 0,
    "low": lambda n: n <= 18,
    "high": lambda n: n >= 19,
}


def spots(wheel: str) -> dict[str, tuple[set[str], int]]:
    """Return spot -> (winning pockets, payout multiple)."""
    found: dict[str, tuple[set[str], int]] = {"straight/0": ({"0"}, 35)}
    if wheel == "american":
        found["straight/00"] = ({"00"}, 35)
    touching = ["0/00", "0/1", "0/2", "00/2", "00/3"] if wheel == "american" else ["0/1", "0/2", "0/3"]
    for r, row in enumerate(GRID):
        found[f"street/{row[0]}"] = (set(map(str, row)), 11)
        below = GRID[r + 1] if r < 11 else None
        if below:
            found[f"line/{row[0]}"] = (set(map(str, row + below)), 5)
        for c, n in enumerate(row):
            found[f"straight/{n}"] = ({str(n)}, 35)
            if c < 2:
                touching.append(f"{n}/{row[c + 1]}")
            if below:
                touching.append(f"{n}/{below[c]}")
            if below and c < 2:
                found[f"corner/{n}"] = ({str(m) for m in (n, row[c + 1], below[c], below[c + 1])}, 8)
    for pair in touching:
        found[f"split/{pair}"] = (set(pair.split("/")), 17)
    for d in range(3):
        found[f"dozen/{d + 1}"] = ({str(n) for row in GRID[4 * d : 4 * d + 4] for n in row}, 2)
        found[f"column/{d + 1}"] = ({str(row[d]) for row in GRID}, 2)
    for on, holds in EVEN.items():
        found[on] = ({str(n) for n in range(1, 37) if holds(n)}, 1)
    return found


class Refused(Exception):
    """An illegal command; the argument is the error code."""


FIELDS = {
    "bet": {"player": str, "on": str, "amount": None},
    "take-back": {"player": str, "on": str},
    "no-more-bets": {},
    "spin": {"pocket": str},
    "buy-in": {"player": str, "coins": None},
    "cash-out": {"player": str},
    "undo": {},
    "redo": {},
    "hold": {},
    "release": {},
}


class Books:
    """A table's books in one dictionary, which is deep-copied before each command."""

    def __init__(self, header: dict[str, Any]) -> None:
        options = header["options"]
        self.wheel = options.get("wheel", "european")
        usual = "surrender" if self.wheel == "american" else "en-prison"
        self.rule = options.get("zero_rule", usual)
        self.bounds = options
        self.spots = spots(self.wheel)
        self.pockets = ["0", *(["00"] if self.wheel == "american" else []), *(str(n) for n in range(1, 37))]
        self.now: dict[str, Any] = {
            "phase": "betting",
            "coins": {one["name"]: one["coins"] for one in header["players"]},
            "house": 0,
            "bets": [],
            "prison": [],
            "results": [],
            "held": False,
        }
        self.past: list[dict[str, Any]] = []
        self.future: list[dict[str, Any]] = []

    def do(self, record: dict[str, Any]) -> None:
        """Apply a command, or raise `Refused` without a change."""
        verb = self.parsed(record)
        now = self.now
        if verb == "undo":
            if not self.past:
                raise Refused("nothing-done")
            self.future.append(now)
            self.now = self.past.pop()
            return
        if verb == "redo":
            if not self.future:
                raise Refused("nothing-done")
            self.past.append(now)
            self.now = self.future.pop()
            return
        if now["held"] != (verb == "release"):
            raise Refused("wrong-phase")
        before = pickle.loads(pickle.dumps(now))  # far faster than `deepcopy`
        try:
            getattr(self, verb.replace("-", "_"))(record)
        except Refused:
            self.now = before
            raise
        self.past.append(before)
        self.future = []

    def parsed(self, record: dict[str, Any]) -> str:
        verb = record.get("do")
        if not isinstance(verb, str) or not verb:
            raise Refused("bad-script")
        if verb not in FIELDS:
            raise Refused("unknown-verb")
        for name, kind in FIELDS[verb].items():
            if name not in record:
                raise Refused("bad-script")
            if kind is str and (not isinstance(record[name], str) or record[name] == ""):
                raise Refused("bad-script")
        return verb

    # ---- verbs

    def hold(self, record: dict[str, Any]) -> None:
        self.now["held"] = True

    def release(self, record: dict[str, Any]) -> None:
        self.now["held"] = False

    def known(self, record: dict[str, Any]) -> str:
        if record["player"] not in self.now["coins"]:
            raise Refused("unknown-player")
        return record["player"]

    @staticmethod
    def whole(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise Refused("bad-amount")
        return value

    def buy_in(self, record: dict[str, Any]) -> None:
        self.now["coins"][self.known(record)] += self.whole(record["coins"])

    def cash_out(self, record: dict[str, Any]) -> None:
        player = self.known(record)
        if self.now["coins"][player] == 0:
            raise Refused("nothing-done")
        self.now["coins"][player] = 0

    def phase(self, wanted: str) -> None:
        if self.now["phase"] != wanted:
            raise Refused("wrong-phase")

    def bet(self, record: dict[str, Any]) -> None:
        self.phase("betting")
        player, on = self.known(record), record["on"]
        if on not in self.spots:
            raise Refused("not-offered")
        amount = self.whole(record["amount"])
        lying = [one for one in self.now["bets"] if one["player"] == player and one["on"] == on]
        total = amount + sum(one["amount"] for one in lying)
        if total < self.bounds.get("min", 0):
            raise Refused("bad-amount")
        if total > self.bounds.get("max", 10**12) or total * self.spots[on][1] > self.bounds.get("cap", 10**12):
            raise Refused("over-limit")
        if amount > self.now["coins"][player]:
            raise Refused("not-enough-coins")
        self.now["coins"][player] -= amount
        if lying:
            lying[0]["amount"] = total
        else:
            self.now["bets"].append({"player": player, "on": on, "amount": total})

    def take_back(self, record: dict[str, Any]) -> None:
        self.phase("betting")
        player, on = self.known(record), record["on"]
        if on not in self.spots:
            raise Refused("not-offered")
        for one in self.now["bets"]:
            if one["player"] == player and one["on"] == on:
                self.now["coins"][player] += one["amount"]
                self.now["bets"].remove(one)
                return
        raise Refused("nothing-done")

    def no_more_bets(self, record: dict[str, Any]) -> None:
        self.phase("betting")
        self.now["phase"] = "spin"

    def spin(self, record: dict[str, Any]) -> None:
        self.phase("spin")
        pocket = record["pocket"]
        if pocket not in self.pockets:
            raise Refused("not-offered")
        paid, prison = [], []
        for player in self.now["coins"]:
            for cell in ("prison", "bets"):
                for one in self.now[cell]:
                    if one["player"] == player:
                        self.decide(one, cell == "prison", pocket, paid, prison)
        self.now.update(phase="betting", bets=[], prison=prison)
        self.now["results"].append({"pocket": pocket, "paid": paid, "imprisoned": copy.deepcopy(prison)})

    def decide(self, one: dict[str, Any], is_prisoner: bool, pocket: str, paid: list[Any], prison: list[Any]) -> None:
        wins, times = self.spots[one["on"]]
        stake, is_zero = one["amount"], pocket in ("0", "00")
        if is_prisoner and is_zero:
            prison.append(dict(one))
            return
        if pocket in wins:
            won, back, outcome = (0, stake, "released") if is_prisoner else (stake * times, stake, "win")
        elif not is_prisoner and is_zero and one["on"] in EVEN and self.rule == "en-prison":
            same = [other for other in prison if other["player"] == one["player"] and other["on"] == one["on"]]
            if same:
                same[0]["amount"] += stake
            else:
                prison.append(dict(one))
            return
        elif not is_prisoner and is_zero and one["on"] in EVEN and self.rule == "surrender":
            won, back, outcome = 0, stake - stake // 2, "surrender"
        else:
            won, back, outcome = 0, 0, "lose"
        self.now["coins"][one["player"]] += won + back
        self.now["house"] += stake - back - won
        paid.append({**one, "won": won, "returned": back, "outcome": outcome})

    # ---- results

    def result(self) -> dict[str, Any]:
        now, order = self.now, list(self.now["coins"])
        by_seat = lambda stakes: sorted(stakes, key=lambda one: order.index(one["player"]))  # noqa: E731
        return {
            "game": "roulette",
            "phase": now["phase"],
            "balances": now["coins"],
            "house": now["house"],
            "staked": sum(one["amount"] for one in now["bets"] + now["prison"]),
            "pots": {},
            "results": now["results"],
            "state": {"bets": by_seat(now["bets"]), "imprisoned": by_seat(now["prison"])},
            "error": None,
        }


# ---- random scripts


def random_header(rng: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if rng.random() < 0.6:
        options["wheel"] = rng.choice(["european", "american"])
    if rng.random() < 0.5:
        options["zero_rule"] = rng.choice(["en-prison", "surrender", "none"])
    for name, most in (("min", 6), ("max", 40), ("cap", 400)):
        if rng.random() < 0.25:
            options[name] = rng.randint(most // 2, most)
    names = [f"P{n}" for n in range(1, rng.choice([2, 2, 3, 5, 13]))]
    return {"game": "roulette", "players": [{"name": one, "coins": rng.randint(0, 120)} for one in names],
            "options": options}  # fmt: skip


ODD_VALUES = [0, -3, 1.5, True, "5", None, [], ""]


def random_command(rng: random.Random, books: Books) -> dict[str, Any]:
    """Return a command that is usually legal, sometimes any."""
    player = rng.choice([*books.now["coins"], *(["Nobody"] if rng.random() < 0.05 else [])])
    ons = list(books.spots)
    evens = list(EVEN)
    on = rng.choice(rng.choice([ons, evens, evens, ["split/20/17", "corner/33", "street/2", "straight/00", "trio/0/1/2",
                                                     "line/34", "red/1", "dozen/0", "split/0/3"]])
                    if rng.random() < 0.7 else [one["on"] for one in books.now["bets"]] or evens)  # fmt: skip
    if books.now["prison"] and rng.random() < 0.3:  # a new bet beside an imprisoned one
        prisoner = rng.choice(books.now["prison"])
        player, on = prisoner["player"], prisoner["on"]
    zero_heavy = ["0", "00"] if books.wheel == "american" else ["0"]
    pocket = rng.choice(zero_heavy if rng.random() < 0.4 else [*books.pockets, "37", "-1", "00"])
    betting = books.now["phase"] == "betting"
    weights = {
        "bet": 30 if betting else 1, "take-back": 6 if betting else 1, "no-more-bets": 6 if betting else 1,
        "spin": 1 if betting else 20, "undo": 4, "redo": 4, "hold": 1, "release": 12 if books.now["held"] else 1,
        "buy-in": 2, "cash-out": 1, "fly": 0.3,
    }  # fmt: skip
    verb = rng.choices(list(weights), list(weights.values()))[0]
    record: dict[str, Any] = {"do": verb, "player": player, "on": on, "amount": rng.randint(1, 25), "pocket": pocket,
                              "coins": rng.randint(1, 60), "note": "left alone"}  # fmt: skip
    if rng.random() < 0.06:
        spoiled = rng.choice(["do", "player", "on", "amount", "pocket", "coins"])
        if rng.random() < 0.3:
            del record[spoiled]
        else:
            record[spoiled] = rng.choice(ODD_VALUES)
    return record


def random_play(rng: random.Random, commands: int) -> list[dict[str, Any]]:
    """Return a script of legal commands, at a table of up to twelve players with enough coins."""
    names = [{"name": f"P{n}", "coins": 5000} for n in range(1, rng.choice((3, 6, 9, 13)))]
    script: list[dict[str, Any]] = [{"game": "roulette", "players": names, "options": {}}]
    books = Books(script[0])
    while len(script) <= commands:
        record = random_command(rng, books)
        try:
            books.do(record)
        except Refused:
            continue
        wanted = {"do", *FIELDS[record["do"]]}
        script.append({key: value for key, value in record.items() if key in wanted})
    return script

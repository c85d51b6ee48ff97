"""An independent referee for the three Rugen games that plays random evenings with its own books.

It shares no code with the product: prices are retyped from the rules and rulings, a chain is a string of numbers that
is searched for the first break, and undo restores a copy of the books.
"""

import pickle
import random
from typing import Any

FACES = [f"{n}{half}" for n in (1, 2, 3, 4) for half in "dn" for _ in range(n)]  # as on the d20, 1 to 20
STREET = [None, 8, 5, 4, 3]
LOW = {"house": [7, 4, 3, 2], "player": [8, 5, 4, 3]}
HIGH = {"house": [75, 45, 35, 25], "player": [80, 50, 40, 30]}
KINDS = ("center", "day", "night", "chain", "chain-day", "chain-night")


def first_broken(faces: list[str], numbers: Any) -> int | None:
    """Return the first of these numbers N to appear N times."""
    for length in range(1, len(faces) + 1):
        for number in numbers:
            if [face[0] for face in faces[:length]].count(str(number)) >= number:
                return int(number)
    return None


class Books:
    """Balances and results; all commands must be legal."""

    def __init__(self, coins: dict[str, int], options: dict[str, Any]) -> None:
        self.options = options
        self.now: dict[str, Any] = {"coins": dict(coins), "house": 0, "staked": 0, "results": [], "chain": []}
        self.past: list[tuple[bytes, dict[str, Any]]] = []  # pickled, which is far faster than `deepcopy`
        self.future: list[dict[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["now"][name]

    def do(self, record: dict[str, Any]) -> None:
        if record["do"] == "undo":
            before, undone = self.past.pop()
            self.now = pickle.loads(before)
            self.future.append(undone)
        elif record["do"] == "redo":
            self.count(self.future.pop())
        else:
            self.future.clear()
            self.count(record)

    def count(self, record: dict[str, Any]) -> None:
        self.past.append((pickle.dumps(self.now), record))
        if record["do"] == "buy-in":
            self.coins[record["player"]] += record["coins"]
        elif record["do"] == "cash-out":
            self.coins[record["player"]] = 0
        else:
            getattr(self, record["do"].replace("-", "_"))(record)

    def pay_in(self, player: str, coins: int) -> None:
        self.coins[player] -= coins
        self.now["staked"] += coins

    def pay_out(self, player: str | None, coins: int) -> None:
        self.now["staked"] -= coins
        if player is None:
            self.now["house"] += coins
        else:
            self.coins[player] += coins

    def face(self, record: dict[str, Any]) -> str:
        return record["face"] if "face" in record else FACES[record["d20"] - 1]

    def legal(self, rng: random.Random) -> dict[str, Any]:
        raise NotImplementedError


def random_throw(rng: random.Random) -> dict[str, Any]:
    value = rng.randint(1, 20)
    return {"do": "throw", "d20": value} if rng.random() < 0.5 else {"do": "throw", "face": FACES[value - 1]}


# ---- House


class HouseBooks(Books):
    def __init__(self, coins: dict[str, int], options: dict[str, Any]) -> None:
        super().__init__(coins, options)
        self.now |= {"bets": {}, "paid": []}

    def bet(self, record: dict[str, Any]) -> None:
        key = (record["player"], record["on"])
        self.bets[key] = self.bets.get(key, 0) + record["amount"]
        self.pay_in(record["player"], record["amount"])

    def take_back(self, record: dict[str, Any]) -> None:
        self.pay_out(record["player"], self.bets.pop((record["player"], record["on"])))

    def throw(self, record: dict[str, Any]) -> None:
        face = self.face(record)
        self.chain.append(face)
        self.settle([key for key in self.bets if key[1].split("/")[0] in ("center", "day", "night")])
        number = first_broken(self.chain, (1, 2, 3, 4))
        if number:
            self.settle(list(self.bets))
            self.results.append({"number": number, "face": face, "chain": self.chain, "paid": self.paid})
            self.now |= {"chain": [], "paid": []}

    def settle(self, keys: list[tuple[str, str]]) -> None:
        for player, on in keys:
            amount = self.bets.pop((player, on))
            gain = self.gain(on, amount)
            self.pay_out(player if gain else None, amount)
            self.coins[player] += gain
            self.now["house"] -= gain
            self.paid.append({"player": player, "on": on, "amount": amount, "won": gain})

    def gain(self, on: str, amount: int) -> int:
        kind, number = on.split("/")
        n, last = int(number) - 1, self.chain[-1]
        if last[0] != number:
            return 0
        column = 0 if last[1] == self.options.get("better_half", "day")[0] else 1
        if kind == "center":
            return amount // (n + 1) * [(9, 8), (8, 7), (7, 6), (6, 5)][n][column]
        if kind in ("day", "night"):
            return amount // (n + 1) * [18, 17, 16, 15][n] if last[1] == kind[0] else 0
        if kind == "chain":
            return amount * [(1, 1), (3, 2), (4, 3), (5, 4)][n][column]
        looked = self.chain
        if self.options.get("chain_day_night", "all") == "own":
            looked = [face for face in looked if face[0] == number]
        return amount * [3, 12, 35, 90][n] if all(face[1] == kind[6] for face in looked) else 0

    def legal(self, rng: random.Random) -> dict[str, Any]:
        player = rng.choice(list(self.coins))
        number, kind, have = rng.randint(1, 4), rng.choice(KINDS), self.coins[player]
        roll = rng.random()
        if roll < 0.5 and have:
            marked = any(face[0] == str(number) for face in self.chain)
            late = self.options.get("late_chain") and not marked
            if kind.startswith("chain") and (not self.chain or late):
                return {"do": "bet", "player": player, "on": f"{kind}/{number}", "amount": rng.randint(1, have)}
            if not kind.startswith("chain") and have >= number:
                amount = number * rng.randint(1, have // number)
                return {"do": "bet", "player": player, "on": f"{kind}/{number}", "amount": amount}
        loose = [key for key in self.bets if not self.chain or not key[1].startswith("chain")]
        if roll < 0.6 and loose:
            player, on = rng.choice(loose)
            return {"do": "take-back", "player": player, "on": on}
        return random_throw(rng)


# ---- Street


class StreetBooks(Books):
    def __init__(self, coins: dict[str, int], options: dict[str, Any]) -> None:
        super().__init__(coins, options)
        self.now |= {"shooter": next(iter(coins)), "point": None, "units": 0, "closed": False}
        self.now |= {"main": {}, "sides": [], "heir": None}

    def throw(self, record: dict[str, Any]) -> None:
        face = self.face(record)
        if not self.closed:
            self.now["point"] = int(face[0])
            return
        self.chain.append(face)
        if self.main and self.heir is None:
            number = first_broken(self.chain, self.main)
            if number:
                winner = self.main[number][0]
                self.now["heir"] = winner
                moved = [
                    {"from": who, "to": winner, "coins": coins} for who, coins in self.main.values() if who != winner
                ]
                self.pay_out(winner, sum(coins for _, coins in self.main.values()))
                chain = list(self.chain)
                self.results.append(
                    {"number": number, "face": face, "chain": chain, "winner": winner, "transfers": moved}
                )
        for side in list(self.sides):
            number = first_broken(self.chain, side)
            if number:
                self.pay_out(side[number][0], sum(coins for _, coins in side.values()))
                self.sides.remove(side)
        self.finish()

    def finish(self) -> None:
        if self.sides or (self.main and self.heir is None):
            return
        self.now |= {"shooter": self.heir or self.shooter, "point": None, "units": 0, "closed": False}
        self.now |= {"main": {}, "heir": None, "chain": []}

    def stake(self, record: dict[str, Any]) -> None:
        self.now["units"] = record["units"]
        self.take({"player": self.shooter, "number": self.point})

    def take(self, record: dict[str, Any]) -> None:
        cost = self.units * STREET[record["number"]]
        self.main[record["number"]] = (record["player"], cost)
        self.pay_in(record["player"], cost)

    def side_bet(self, record: dict[str, Any]) -> None:
        self.sides.append({n: (who, record["units"] * STREET[n]) for who, n in record["numbers"].items()})
        for who, coins in self.sides[-1].values():
            self.pay_in(who, coins)

    def close(self, record: dict[str, Any]) -> None:
        self.now["closed"] = True
        if len(self.main) == 1:
            self.pay_out(*next(iter(self.main.values())))
            self.now["main"] = {}
            self.finish()

    def legal(self, rng: random.Random) -> dict[str, Any]:
        if self.closed or self.point is None:
            return random_throw(rng)
        minimum = self.options.get("minimum", 1)
        if not self.units:
            most = self.coins[self.shooter] // STREET[self.point]
            if most < minimum:
                return {"do": "buy-in", "player": self.shooter, "coins": 8 * minimum}
            return {"do": "stake", "units": rng.randint(minimum, max(minimum, most // rng.randint(1, 5)))}
        free = [n for n in (1, 2, 3, 4) if n not in self.main]
        roll = rng.random()
        if roll < 0.5:
            others = [(p, n) for p in self.coins for n in free if p != self.shooter]
            others = [(p, n) for p, n in others if self.coins[p] >= self.units * STREET[n]]
            if others:
                player, number = rng.choice(others)
                return {"do": "take", "player": player, "number": number}
        if roll < 0.65 and len(self.coins) > 1:
            group = rng.sample(list(self.coins), rng.randint(2, min(4, len(self.coins))))
            numbers = dict(zip(group, rng.sample((1, 2, 3, 4), len(group)), strict=True))
            most = min(self.coins[p] // STREET[n] for p, n in numbers.items())
            if most:
                return {"do": "side-bet", "units": rng.randint(1, most), "numbers": numbers}
        return {"do": "close"}


# ---- Capital


class CapitalBooks(Books):
    def __init__(self, coins: dict[str, int], options: dict[str, Any]) -> None:
        super().__init__(coins, options)
        schedule = options.get("schedule", "low")
        self.prices = {"low": LOW, "high": HIGH}.get(schedule) if isinstance(schedule, str) else schedule
        self.now |= {"taken": {}, "units": 0, "closed": False}

    def take(self, record: dict[str, Any]) -> None:
        self.now["units"] = record["units"]
        cost = record["units"] * self.prices["player"][record["number"] - 1]
        self.taken[record["number"]] = (record["player"], cost)
        self.pay_in(record["player"], cost)

    def close(self, record: dict[str, Any]) -> None:
        self.now["closed"] = True
        for number in (1, 2, 3, 4):
            if number not in self.taken and self.units:
                cost = self.units * self.prices["house"][number - 1]
                self.taken[number] = (None, cost)
                self.now["house"] -= cost
                self.now["staked"] += cost

    def throw(self, record: dict[str, Any]) -> None:
        self.chain.append(self.face(record))
        number = first_broken(self.chain, (1, 2, 3, 4))
        if not number:
            return
        winner = self.taken.get(number, (None, 0))[0]
        moved = [
            {"from": who or "house", "to": winner or "house", "coins": coins}
            for who, coins in self.taken.values()
            if who != winner
        ]
        self.pay_out(winner, sum(coins for _, coins in self.taken.values()))
        self.results.append(
            {"number": number, "face": self.chain[-1], "chain": self.chain, "winner": winner, "transfers": moved}
        )
        self.now |= {"taken": {}, "units": 0, "closed": False, "chain": []}

    def legal(self, rng: random.Random) -> dict[str, Any]:
        if self.closed:
            return random_throw(rng)
        units = self.units or rng.randint(1, 3)
        free = [(p, n) for p in self.coins for n in (1, 2, 3, 4) if n not in self.taken]
        free = [(p, n) for p, n in free if self.coins[p] >= units * self.prices["player"][n - 1]]
        if free and rng.random() < 0.7:
            player, number = rng.choice(free)
            return {"do": "take", "player": player, "number": number, "units": units}
        return {"do": "close"}


# ---- evenings

BOOKS = {"rugen-house": HouseBooks, "rugen-street": StreetBooks, "rugen-capital": CapitalBooks}


def random_options(rng: random.Random, game: str) -> dict[str, Any]:
    if game == "rugen-house":
        late, reading, half = rng.random() < 0.5, rng.choice(["all", "own"]), rng.choice(["day", "night"])
        every = {"late_chain": late, "chain_day_night": reading, "better_half": half}
        return {key: value for key, value in every.items() if rng.random() < 0.7}
    if game == "rugen-street":
        return rng.choice([{}, {"minimum": 1}, {"minimum": 3}])
    own = {"house": [rng.randint(1, 9) for _ in range(4)], "player": [rng.randint(1, 9) for _ in range(4)]}
    return rng.choice([{}, {"schedule": "low"}, {"schedule": "high"}, {"schedule": own}])


def random_script(rng: random.Random, game: str, length: int) -> tuple[list[dict[str, Any]], Books]:
    """Return a legal script, header first, and the expected books at its end."""
    names = ["Aubrey", "Benedict", "Chance", "Dora", "Edda"][: rng.randint(1, 5)]
    coins = {name: rng.randint(0, 400) for name in names}
    options = random_options(rng, game)
    books = BOOKS[game](coins, options)
    players = [{"name": name, "coins": n} for name, n in coins.items()]
    script: list[dict[str, Any]] = [{"game": game, "players": players, "options": options}]

    def do(record: dict[str, Any]) -> None:
        books.do(record)
        script.append(record)

    while len(script) < length:
        roll = rng.random()
        if roll < 0.06 and books.past:
            back = min(rng.randint(1, 12), len(books.past))
            for _ in range(back):
                do({"do": "undo"})
            for _ in range(back if rng.random() < 0.5 else rng.randint(0, back)):
                do({"do": "redo"})
        elif roll < 0.09:
            do({"do": "buy-in", "player": rng.choice(names), "coins": rng.randint(1, 99)})
        elif roll < 0.1 and (rich := [name for name in names if books.coins[name]]):
            do({"do": "cash-out", "player": rng.choice(rich)})
        else:
            do(books.legal(rng))
    return script, books

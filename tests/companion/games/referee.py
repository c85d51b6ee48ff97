"""An independent referee for Roche that plays a script with its own books, written from the rules.

It shares no code with the product: prices are retyped from the rules and rulings, and winners are found from the cards
as text.
"""

import random
from collections import Counter
from typing import Any

PRICES: dict[str, dict[str, list[tuple[int, int]]]] = {
    "full": {
        "cut": [(2, 1), (7, 2), (5, 1), (13, 2), (8, 1), (10, 1)],
        "day": [(15, 1), (75, 1), (300, 1), (1200, 1), (4000, 1), (10000, 1)],
        "card": [(5, 1), (8, 1), (11, 1), (14, 1), (17, 1), (21, 1)],
        "terminus": [(11, 1), (26, 1), (47, 1), (74, 1), (107, 1), (153, 1)],
        "starlight": [(2, 1), (7, 2), (5, 1), (15, 2), (10, 1), (13, 1)],
        "cavalry": [(290, 1)],
    },
    "red": {
        "cut": [(2, 1), (3, 1), (4, 1), (5, 1), (6, 1)],
        "day": [(60, 1), (275, 1), (1200, 1), (4000, 1), (10000, 1)],
        "card": [(5, 1), (7, 1), (9, 1), (11, 1), (13, 1)],
        "terminus": [(17, 1), (31, 1), (49, 1), (71, 1), (97, 1)],
        "starlight": [(6, 1), (9, 1), (14, 1), (20, 1), (28, 1)],
        "cavalry": [(105, 1)],
    },
}


def price(deck: str, on: str) -> tuple[int, int]:
    kind, _, spot = on.partition("/")
    table = PRICES[deck][{"night": "day", "oscura": "card"}.get(kind, kind)]
    first = 2 if deck == "full" else 3
    return table[0] if kind == "cavalry" else table[int(spot[0]) - first]


def wins(on: str, dealt: list[str], deck: str) -> bool:
    kind, _, spot = on.partition("/")
    suit = dealt[-1][0]
    cut = [c for c in dealt if c[0] == suit]
    if kind == "cut":
        return spot == suit
    if kind in ("day", "night"):
        return spot == suit and {c[1] for c in cut} == {kind[0].upper()}
    if kind == "card":
        return spot in cut
    if kind == "terminus":
        return spot == dealt[-1]
    if kind == "oscura":
        return spot[0] == suit and spot not in cut
    if kind == "starlight":
        return spot not in {c[0] for c in dealt}
    suits = "234567" if deck == "full" else "34567"
    moments = [Counter(c[0] for c in dealt[:n]) for n in range(len(dealt))]
    return any(all(m[s] == int(s) - 1 for s in suits) for m in moments)


class Books:
    """Plays commands and keeps the books; all commands must be legal."""

    def __init__(self, deck: str, coins: dict[str, int]) -> None:
        self.deck, self.coins, self.house = deck, dict(coins), 0
        self.bets: dict[tuple[str, str], int] = {}
        self.dealt: list[str] = []
        self.results: list[dict[str, Any]] = []
        self.past: list[tuple[Any, ...]] = []
        self.future: list[dict[str, Any]] = []

    def do(self, record: dict[str, Any]) -> None:
        if record["do"] == "undo":
            self.future.append(self.past[-1][-1])
            *_, self.coins, self.house, self.bets, self.dealt, self.results, _record = self.past.pop()
        elif record["do"] == "redo":
            self._count(self.future.pop())
        else:
            self.future.clear()
            self._count(record)

    def _count(self, record: dict[str, Any]) -> None:
        self.past.append((dict(self.coins), self.house, dict(self.bets), list(self.dealt), list(self.results), record))
        verb, name = record["do"], record.get("player", "")
        if verb == "bet":
            self.coins[name] -= record["amount"]
            key = (name, record["on"])
            self.bets[key] = self.bets.get(key, 0) + record["amount"]
        elif verb == "take-back":
            self.coins[name] += self.bets.pop((name, record["on"]))
        elif verb == "buy-in":
            self.coins[name] += record["coins"]
        elif verb == "cash-out":
            self.coins[name] = 0
        elif verb == "deal":
            self.dealt.append(record["card"])
            if self.is_cut:
                self._settle()
        elif verb == "new-round":
            self.dealt = []

    @property
    def is_cut(self) -> bool:
        return bool(self.dealt) and sum(c[0] == self.dealt[-1][0] for c in self.dealt) == int(self.dealt[-1][0])

    def _settle(self) -> None:
        paid = []
        for (name, on), amount in self.bets.items():
            won = 0
            if wins(on, self.dealt, self.deck):
                pays, per = price(self.deck, on)
                won = amount // per * pays
                self.coins[name] += amount + won
                self.house -= won
            else:
                self.house += amount
            paid.append({"player": name, "on": on, "amount": amount, "won": won})
        cut = [c for c in self.dealt if c[0] == self.dealt[-1][0]]
        halves = {c[1] for c in cut}
        half = {"D": "day", "N": "night"}[halves.pop()] if len(halves) == 1 else "neutral"
        self.results.append(
            {"cut": int(cut[0][0]), "last": self.dealt[-1], "half": half, "included": cut, "paid": paid}
        )
        self.bets = {}


def random_script(rng: random.Random, rounds: int) -> tuple[list[dict[str, Any]], Books]:
    """Return a legal script (header first) with bets, undo, redo and burns, and the expected books at its end."""
    deck = rng.choice(["full", "red"])
    layout = rng.choice(["basic", "grand"])
    names = ["Aubrey", "Benedict", "Chance", "Dora"][: rng.randint(1, 4)]
    coins = {name: rng.randint(0, 300) for name in names}
    books = Books(deck, coins)
    players = [{"name": name, "coins": n} for name, n in coins.items()]
    script: list[dict[str, Any]] = [{"game": "roche", "players": players, "options": {"deck": deck, "layout": layout}}]
    suits = range(2 if deck == "full" else 3, 8)
    cards = [f"{s}{h}{n}" for s in suits for h in "DN" for n in range(1, s + 1)]

    def do(record: dict[str, Any]) -> None:
        books.do(record)
        script.append(record)

    def fumble() -> None:
        """Undo a few commands, and redo all, some or none of them."""
        if rng.random() < 0.1 and books.past:
            back = min(rng.randint(1, 8), len(books.past))
            for _ in range(back):
                do({"do": "undo"})
            for _ in range(back if rng.random() < 0.7 else rng.randint(0, back)):
                do({"do": "redo"})

    spots = [f"{k}/{s}" for s in suits for k in ("cut", "day", "night")]
    if layout == "grand":
        spots += [f"{k}/{c}" for c in cards for k in ("card", "terminus", "oscura")]
        spots += [f"starlight/{s}" for s in suits] + ["cavalry"]
    for _ in range(rounds):
        while True:  # the phase follows from the books: undo may have crossed into another round
            fumble()
            if books.is_cut:
                do({"do": "new-round"})
                break
            closed = any(p[-1]["do"] == "no-more-bets" for p in _since_round(books))
            if closed:
                do({"do": "deal", "card": rng.choice([c for c in cards if c not in books.dealt])})
                continue
            roll = rng.random()
            name = rng.choice(names)
            if roll < 0.6 and books.coins[name]:
                do({"do": "bet", "player": name, "on": rng.choice(spots), "amount": rng.randint(1, books.coins[name])})
            elif roll < 0.68 and books.bets:
                player, on = rng.choice(list(books.bets))
                do({"do": "take-back", "player": player, "on": on})
            elif roll < 0.73:
                do({"do": "buy-in", "player": name, "coins": rng.randint(1, 99)})
            elif roll < 0.75 and books.coins[name]:
                do({"do": "cash-out", "player": name})
            else:
                do({"do": "no-more-bets"})
                if rng.random() < 0.3:
                    do({"do": "burn", "count": rng.randint(1, 5)})
    return script, books


def _since_round(books: Books) -> list[tuple[Any, ...]]:
    last = max((i for i, p in enumerate(books.past) if p[-1]["do"] == "new-round"), default=-1)
    return books.past[last + 1 :]

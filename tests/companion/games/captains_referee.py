"""An independent referee for Captain's Rochi, with a real deck, real hands and shuffles, and its own books.

Written from the rules and rulings, without code of the product.
"""

import pickle
import random
from collections.abc import Iterator
from typing import Any

from rochi_referee import all_cards, fumbled

NAMES = ["Aubrey", "Benedict"]


class Duel:
    """One game of Captain's Rochi. The whole state is in ``self.t``, so that undo restores a copy."""

    def __init__(self, rng: random.Random, coins: dict[str, int], deck: str) -> None:
        self.rng = rng
        cards = all_cards(deck)
        self.suits = sorted({int(c[0]) for c in cards})
        self.salt = rng.random()
        random.Random(self.salt).shuffle(cards)
        self.t: dict[str, Any] = {
            "coins": {name: n - len(self.suits) for name, n in coins.items()},
            "pots": dict.fromkeys(self.suits, 2),
            "draw": cards,
            "hands": {},
            "pile": [],
            "stack": {s: [] for s in self.suits},
            "token": dict.fromkeys(self.suits),
            "locks": set(),
            "marks": [],
            "seeds": 8,
            "phase": "seed",
            "who": NAMES[0],
            "turns": 0,
            "played": False,
            "dealt": False,
            "owed": None,
            "latest": None,
            "shuffles": 0,
            "results": [],
        }
        self.t["hands"] = {name: [cards.pop() for _ in range(7)] for name in NAMES}
        self.past: list[tuple[bytes, dict[str, Any]]] = []
        self.future: list[dict[str, Any]] = []

    def do(self, record: dict[str, Any]) -> None:
        if record["do"] == "undo":
            before, undone = self.past.pop()
            self.t = pickle.loads(before)
            self.future.append(undone)
            return
        if record["do"] == "redo":
            record = self.future.pop()
        else:
            self.future.clear()
        self.past.append((pickle.dumps(self.t), record))
        getattr(self, "_" + record["do"].replace("-", "_"))(record)

    # ---- cards

    def shuffle(self) -> None:
        """Shuffle the discards into the deck."""
        t = self.t
        t["draw"] += t["pile"]
        t["pile"] = []
        t["shuffles"] += 1
        random.Random(f"{self.salt} {t['shuffles']}").shuffle(t["draw"])

    def draw_up(self, first: str) -> None:
        t = self.t
        for name in sorted(NAMES, key=lambda n: n != first):
            while len(t["hands"][name]) < 7:
                if not t["draw"]:
                    if not t["pile"]:
                        break
                    self.shuffle()
                t["hands"][name].append(t["draw"].pop())
        if not t["draw"] and t["pile"]:
            self.shuffle()

    def open_of(self, s: int) -> list[str]:
        return self.t["stack"][s] + [m[2] for m in self.t["marks"] if m[0] == s]

    def clear(self, s: int) -> None:
        t = self.t
        t["pile"] += self.open_of(s)
        t["stack"][s] = []
        t["marks"] = [m for m in t["marks"] if m[0] != s]
        t["token"][s] = None
        t["locks"].discard(s)

    def bury_dead(self) -> None:
        for s in self.suits:
            if len(self.open_of(s)) == 2 * s:
                self.clear(s)
                self.shuffle()

    # ---- verbs

    def _buy_in(self, r: dict[str, Any]) -> None:
        self.t["coins"][r["player"]] += r["coins"]

    def _seed(self, r: dict[str, Any]) -> None:
        t, s = self.t, int(r["card"][0])
        t["draw"].remove(r["card"])
        t["stack"][s].append(r["card"])
        if len(t["stack"][s]) == s:
            self.clear(s)
        t["seeds"] -= 1
        if not t["seeds"]:
            t["phase"] = "turn"

    def _play(self, r: dict[str, Any]) -> None:
        t, card, s = self.t, r["card"], int(r["card"][0])
        me, owner = t["who"], t["token"][s]
        t["hands"][me].remove(card)
        t["played"] = True
        if s in t["locks"]:
            t["stack"][s].append(card)
        else:
            if len(t["stack"][s]) + 1 == s:
                t["marks"].append((s, owner or me, card))
            else:
                t["stack"][s].append(card)
            price = len(t["stack"][s])
            t["token"][s] = me
            if owner != me:
                t["coins"][me] -= price
                if owner:
                    t["coins"][owner] += price
                else:
                    t["pots"][s] += price
        self.bury_dead()
        if t["dealt"]:
            self._next()

    def _deal(self, r: dict[str, Any]) -> None:
        t, s = self.t, int(r["card"][0])
        t["draw"].remove(r["card"])
        t["stack"][s].append(r["card"])
        t["dealt"] = True
        if not t["draw"] and t["pile"]:
            self.shuffle()
        if s not in t["locks"] and len(t["stack"][s]) == s:
            if t["token"][s]:
                return self._cut(s)
            t["locks"].add(s)
        self.bury_dead()
        if t["played"]:
            self._next()
        return None

    def _cut(self, s: int) -> None:
        t = self.t
        winner = t["token"][s]
        loser = NAMES[1 - NAMES.index(winner)]
        t["token"][s] = None
        shields = sum(1 for m in t["marks"] if m[0] == s and m[1] == loser)
        due, odd = (s, 0) if shields == 0 else (s // 2, s % 2) if shields == 1 else (0, 0)
        paid = min(due, t["coins"][loser])
        t["coins"][loser] -= paid
        t["coins"][winner] += paid
        t["owed"] = {"suit": s, "winner": winner, "loser": loser, "got": [(loser, winner, paid)] if paid else []}
        if odd and t["coins"][loser]:
            t["phase"] = "odd"
        else:
            self._finish_cut()

    def _odd_coin(self, r: dict[str, Any]) -> None:
        t = self.t
        loser = t["owed"]["loser"]
        if t["coins"][loser]:
            t["coins"][loser] -= 1
            t["pots"][r["pot"]] += 1
            t["owed"]["got"].append((loser, f"pot/{r['pot']}", 1))
        self._finish_cut()

    def _finish_cut(self) -> None:
        t = self.t
        owed, t["owed"] = t["owed"], None
        s, winner, loser, got = owed["suit"], owed["winner"], owed["loser"], owed["got"]
        if t["pots"][s] > 1:
            got.append((f"pot/{s}", winner, t["pots"][s] - 1))
            t["coins"][winner] += t["pots"][s] - 1
            t["pots"][s] = 1
        if t["coins"][loser]:
            t["coins"][loser] -= 1
            t["pots"][s] += 1
            got.append((loser, f"pot/{s}", 1))
        t["results"].append({"winner": winner, "suit": s, "locked": sorted(t["locks"]), "got": got})
        t["latest"] = winner
        self.clear(s)
        self.draw_up(t["who"])
        t["phase"] = "turn"
        self._next()

    def _end(self, r: dict[str, Any]) -> None:
        self._next()

    def _pass(self, r: dict[str, Any]) -> None:
        t = self.t
        t["draw"] += t["hands"][t["who"]]
        t["hands"][t["who"]] = []
        self.shuffle()
        self.draw_up(t["who"])
        self._next()

    def _next(self) -> None:
        t = self.t
        t["who"] = NAMES[1 - NAMES.index(t["who"])]
        t["turns"] += 1
        t["played"] = t["dealt"] = False

    def _stop(self, r: dict[str, Any]) -> None:
        t = self.t
        total = sum(t["pots"].values())
        for name in NAMES:
            t["coins"][name] += total // 2
        t["coins"][t["latest"] or NAMES[0]] += total % 2
        self._empty_pots()

    def _drop(self, r: dict[str, Any]) -> None:
        t = self.t
        t["coins"][NAMES[1 - NAMES.index(r["player"])]] += sum(t["pots"].values())
        self._empty_pots()

    def _empty_pots(self) -> None:
        self.t["pots"] = dict.fromkeys(self.suits, 0)
        self.t["phase"] = "finished"

    # ---- legal and random commands

    def legal(self) -> set[str]:
        t = self.t
        if t["phase"] == "finished":
            return {"new-game", "leave"}
        if t["phase"] == "odd":
            return {"odd-coin"}
        if t["phase"] == "seed":
            return {"seed", "stop", "drop"}
        fresh = not t["played"] and not t["dealt"]
        ok = {"stop", "drop", "pass" if fresh else "end"}
        if not t["played"] and t["hands"][t["who"]]:
            ok.add("play")
        if not t["dealt"] and t["turns"] and t["draw"]:
            ok.add("deal")
        return ok

    def price(self, card: str) -> int:
        t, s = self.t, int(card[0])
        if s in t["locks"] or t["token"][s] == t["who"]:
            return 0
        return min(len(t["stack"][s]) + 1, s - 1)

    def something(self, shields: float) -> dict[str, Any]:
        """Return a random legal command. ``shields``: preference for playing onto ripe stacks."""
        t, rng = self.t, self.rng
        if t["phase"] == "odd":
            return {"do": "odd-coin", "pot": rng.choice([t["owed"]["suit"], rng.choice(self.suits)])}
        if rng.random() < 0.002:
            return rng.choice([{"do": "stop"}, {"do": "drop", "player": rng.choice(NAMES)}])
        if t["phase"] == "seed":
            return {"do": "seed", "card": t["draw"][-1]}
        if rng.random() < 0.01:
            return {"do": "buy-in", "player": rng.choice(NAMES), "coins": rng.randint(1, 9)}
        return self._turn_choice(shields)

    def _turn_choice(self, shields: float) -> dict[str, Any]:
        t, rng, legal = self.t, self.rng, self.legal()
        hand = t["hands"][t["who"]]
        payable = [c for c in hand if self.price(c) <= t["coins"][t["who"]]]
        ripe = [c for c in payable if len(t["stack"][int(c[0])]) >= int(c[0]) - 1]
        choices: list[dict[str, Any]] = []
        if "play" in legal and payable:
            choices += [{"do": "play", "card": rng.choice(ripe if ripe and rng.random() < shields else payable)}] * 6
        if "deal" in legal and not (ripe and not t["played"] and rng.random() < shields):
            choices += [{"do": "deal", "card": t["draw"][-1]}] * 6
        if "end" in legal:
            choices += [{"do": "end"}] * (6 if rng.random() < shields else 1)
        if "pass" in legal and (rng.random() < 0.04 or not choices):
            choices = [{"do": "pass"}]
        return rng.choice(choices)


def duel_by_chance(rng: random.Random, commands: int) -> Iterator[tuple[dict[str, Any], Duel]]:
    """Yield the header and legal commands, including undo and redo, each with the books afterwards."""
    deck = rng.choice(["full", "full", "red"])
    top = rng.choice([10, 40, 300])
    coins = {name: rng.randint(6, top) for name in NAMES}
    duel = Duel(rng, coins, deck)
    players = [{"name": n, "coins": coins[n]} for n in NAMES]
    yield {"game": "captains", "players": players, "options": {"deck": deck} if deck == "red" else {}}, duel
    shields, fumbles = rng.choice([0.3, 0.9, 0.99]), rng.random() < 0.5
    while len(duel.past) < commands and duel.t["phase"] != "finished":
        record = duel.something(shields)
        duel.do(record)
        yield record, duel
        if fumbles and rng.random() < 0.05:
            for record in fumbled(rng, len(duel.past)):
                duel.do(record)
                yield record, duel


def random_duel(rng: random.Random, commands: int) -> tuple[list[dict[str, Any]], Duel]:
    """Return a script and the expected books at its end."""
    steps = list(duel_by_chance(rng, commands))
    return [record for record, _ in steps], steps[-1][1]

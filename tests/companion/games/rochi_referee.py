"""An independent referee for Rochi, with real cards in real hands and its own books, written from the rules.

It shares no code with the product. It knows all hidden cards, picks random legal actions, applies them to its own
books, and records the corresponding commands.
"""

import pickle
import random
from collections.abc import Iterator
from typing import Any

NAMES = ["Aubrey", "Benedict", "Chance", "Dora", "Ede", "Flor"]
NEWCOMERS = ["Gil", "Hana", "Ivo", "Juno"]


def all_cards(deck: str) -> list[str]:
    return [f"{s}{h}{n}" for s in range(2 if deck == "full" else 3, 8) for h in "DN" for n in range(1, s + 1)]


class Evening:
    """One table of Rochi. The whole state is in ``self.t``, so that undo restores a copy."""

    def __init__(self, rng: random.Random, names: list[str], coins: dict[str, int], options: dict[str, Any]) -> None:
        self.rng = rng
        self.salt = rng.random()  # a hand that is redealt after an undo has the same cards
        self.options = {"deck": "full", "credit": False, "locked_discards": False, "join_fee": True, "marker": False}
        self.options |= {"leader": 1} | options
        self.suits = sorted({int(c[0]) for c in all_cards(self.options["deck"])})
        self.t: dict[str, Any] = {
            "coins": dict(coins),
            "pots": dict.fromkeys(self.suits, 0),
            "seats": dict(enumerate(names, start=1)),
            "out": {},
            "leader": self.options["leader"],
            "number": 0,
            "last": False,
            "results": [],
        }
        self.past: list[tuple[bytes, dict[str, Any]]] = []
        self.future: list[dict[str, Any]] = []
        self._new_hand()

    # ---- commands

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

    def _buy_in(self, r: dict[str, Any]) -> None:
        self.t["coins"][r["player"]] += r["coins"]

    def _cash_out(self, r: dict[str, Any]) -> None:
        self.t["coins"][r["player"]] = 0

    def _new_hand(self) -> None:
        t = self.t
        playing = [s for s in sorted(t["seats"]) if t["seats"][s] not in t["out"]]
        if t["number"]:
            t["leader"] = t["leader"] % 6 + 1
        while t["leader"] not in playing:
            t["leader"] = t["leader"] % 6 + 1
        at = playing.index(t["leader"])
        t["order"] = [t["seats"][s] for s in playing[at:] + playing[:at]]  # the leader first, then leftwards
        cards = all_cards(self.options["deck"])
        random.Random(f"{t['number']} {t['order']} {self.salt}").shuffle(cards)
        t["hands"] = {name: [cards.pop() for _ in range(5)] for name in t["order"]}
        t["draw"] = cards
        t["stack"] = {s: [] for s in self.suits}
        t["token"] = dict.fromkeys(self.suits)
        t["locks"] = set()
        t["marks"] = []
        t["folded"], t["acted"] = [], set()
        t["seeds"] = 2 * (6 - len(playing))
        t["who"], t["played"], t["dealt"] = t["order"][0], False, False
        t["number"] += 1
        t["phase"] = "seed" if t["seeds"] else "turn"

    def _next_hand(self, r: dict[str, Any]) -> None:
        self._new_hand()

    def _last_hand(self, r: dict[str, Any]) -> None:
        self.t["last"] = True

    def _seed(self, r: dict[str, Any]) -> None:
        t, s = self.t, int(r["card"][0])
        t["draw"].remove(r["card"])
        t["stack"][s].append(r["card"])
        if len(t["stack"][s]) == s:
            t["locks"].add(s)
        t["seeds"] -= 1
        if t["seeds"] == 0:
            t["phase"] = "turn"

    def _play(self, r: dict[str, Any]) -> None:
        t, card, s = self.t, r["card"], int(r["card"][0])
        me, owner = t["who"], t["token"][s]
        t["hands"][me].remove(card)
        t["acted"].add(me)
        t["played"] = True
        if s in t["locks"]:
            t["stack"][s].append(card)
        else:
            if len(t["stack"][s]) + 1 == s:
                t["marks"].append((s, owner if owner else me, card))
            else:
                t["stack"][s].append(card)
            price = len(t["stack"][s])
            t["token"][s] = me
            if owner is None:
                t["coins"][me] -= price
                t["pots"][s] += price
            elif owner != me:
                t["coins"][me] -= price
                t["coins"][owner] += price
        self._turn_over_if_done()

    def _deal(self, r: dict[str, Any]) -> None:
        t, s = self.t, int(r["card"][0])
        t["draw"].remove(r["card"])
        t["stack"][s].append(r["card"])
        t["acted"].add(t["who"])
        t["dealt"] = True
        if s not in t["locks"] and len(t["stack"][s]) == s:
            if t["token"][s]:
                return self._win(t["token"][s], s, fined=True)
            t["locks"].add(s)
        if not t["draw"]:
            return self._win(None, None, fined=False)
        if t["phase"] == "turn":
            self._turn_over_if_done()
        return None

    def _discard(self, r: dict[str, Any]) -> None:
        t = self.t
        t["hands"][t["who"]].remove(r["card"])
        t["hands"][t["who"]].append(t["draw"].pop())
        if not t["draw"]:
            self._win(None, None, fined=False)

    def _end(self, r: dict[str, Any]) -> None:
        if not self.t["played"] and not self.t["dealt"]:
            self._fold(r)
        else:
            self._pass_turn()

    def _fold(self, r: dict[str, Any]) -> None:
        t = self.t
        me = t["who"]
        t["folded"].append(me)
        t["hands"][me] = []
        t["marks"] = [m for m in t["marks"] if m[1] != me]
        for s in self.suits:
            if t["token"][s] == me:
                t["token"][s] = None
        left = [n for n in t["order"] if n not in t["folded"]]
        if len(left) > 1:
            return self._pass_turn()
        mine = [s for s in self.suits if t["token"][s] == left[0]]
        if not mine:
            return self._win(None, None, fined=False)
        if len(mine) == 1:
            return self._win(left[0], mine[0], fined=False)
        t["who"], t["phase"] = left[0], "alone"
        return None

    def _turn_over_if_done(self) -> None:
        if self.t["played"] and self.t["dealt"]:
            self._pass_turn()

    def _pass_turn(self) -> None:
        t = self.t
        i = t["order"].index(t["who"])
        after = t["order"][i + 1 :] + t["order"][: i + 1]
        t["who"] = next(n for n in after if n not in t["folded"])
        t["played"] = t["dealt"] = False

    def _win(self, winner: str | None, s: int | None, fined: bool) -> None:
        t = self.t
        got: list[tuple[str, str, int]] = []
        if winner and s:
            if t["pots"][s]:
                got.append((f"pot/{s}", winner, t["pots"][s]))
            t["coins"][winner] += t["pots"][s]
            t["pots"][s] = 0
            for name in t["order"]:
                if not fined or name == winner or name in t["folded"] or name not in t["acted"]:
                    continue
                shields = sum(1 for m in t["marks"] if m[0] == s and m[1] == name)
                fine = [s, (s + 1) // 2][shields] if shields < 2 else 0
                if not self.options["credit"]:
                    fine = min(fine, t["coins"][name])
                t["coins"][name] -= fine
                t["coins"][winner] += fine
                if fine:
                    got.append((name, winner, fine))
        if t["last"]:
            total = sum(t["pots"].values())
            share, odd = divmod(total, len(t["order"]))
            for name in t["order"]:
                t["coins"][name] += share
            if winner:
                t["coins"][winner] += odd
            else:
                for name in t["order"][:odd]:
                    t["coins"][name] += 1
            t["pots"] = dict.fromkeys(self.suits, 0)
            t["phase"] = "finished"
        else:
            t["phase"] = "over"
        t["results"].append({"winner": winner, "suit": s, "locked": sorted(t["locks"]), "got": sorted(got)})

    # ---- players

    def fee(self) -> int:
        t = self.t
        present = len(t["seats"]) - len(t["out"])
        if not present or not self.options["join_fee"]:
            return 0
        total = sum(t["pots"].values())
        return total // present + (1 if total % present else 0)

    def back_fee(self, name: str) -> int:
        number, marker = self.t["out"][name]
        return 0 if self.t["number"] - number <= 2 else max(0, self.fee() - marker)

    def _place(self, name: str, into: dict[str, int]) -> None:
        for s, n in into.items():
            self.t["pots"][int(s)] += n
            self.t["coins"][name] -= n

    def _join(self, r: dict[str, Any]) -> None:
        t = self.t
        seat = r.get("seat") or min(s for s in range(1, 7) if s not in t["seats"])
        t["seats"][seat] = r["player"]
        t["coins"][r["player"]] = t["coins"].get(r["player"], 0) + r["coins"]
        self._place(r["player"], r["into"])

    def _leave(self, r: dict[str, Any]) -> None:
        t = self.t
        t["seats"] = {s: n for s, n in t["seats"].items() if n != r["player"]}
        t["out"].pop(r["player"], None)

    def _sit_out(self, r: dict[str, Any]) -> None:
        t = self.t
        marker = sum(t["pots"].values()) // (len(t["seats"]) - len(t["out"])) if self.options["marker"] else 0
        t["out"][r["player"]] = (t["number"], marker)

    def _return(self, r: dict[str, Any]) -> None:
        self._place(r["player"], r.get("into", {}))
        del self.t["out"][r["player"]]

    # ---- legal and random commands

    def legal(self) -> set[str]:
        """Return the legal verbs."""
        t = self.t
        ok = set()
        if not t["last"] and t["phase"] != "finished":
            ok.add("last-hand")
        if t["phase"] == "seed":
            ok.add("seed")
        elif t["phase"] == "alone":
            ok.add("deal")
        elif t["phase"] == "turn":
            ok.add("end")
            if not t["played"] and t["hands"][t["who"]]:
                ok.add("play")
            if not t["dealt"]:
                ok.add("deal")
            if not t["played"] and not t["dealt"]:
                ok.add("fold")
                if self.options["locked_discards"] and t["locks"] and t["hands"][t["who"]]:
                    ok.add("discard")
        else:
            ok |= {"leave"} if t["seats"] else set()
            ok |= {"new-game"} if t["phase"] == "finished" else set()
            if t["phase"] == "over":
                present = len(t["seats"]) - len(t["out"])
                ok |= {"next-hand"} if present >= 3 else set()
                ok |= {"join"} if len(t["seats"]) < 6 else set()
                ok |= {"sit-out"} if present else set()
                ok |= {"return"} if t["out"] else set()
        return ok

    def price(self, card: str) -> int:
        t, s = self.t, int(card[0])
        if s in t["locks"] or t["token"][s] == t["who"]:
            return 0
        return min(len(t["stack"][s]) + 1, s - 1)

    def something(self) -> dict[str, Any]:
        """Return a random legal command."""
        t, rng = self.t, self.rng
        if t["phase"] == "seed":
            return {"do": "seed", "card": t["draw"][-1]}
        if t["phase"] == "alone":
            return {"do": "deal", "card": t["draw"][-1]}
        if rng.random() < 0.01 and "last-hand" in self.legal():
            return {"do": "last-hand"}
        if t["phase"] == "turn":
            return self._turn_choice()
        return self._between_choice()

    def _turn_choice(self) -> dict[str, Any]:
        t, rng, legal = self.t, self.rng, self.legal()
        hand = t["hands"][t["who"]]
        locked = [c for c in hand if int(c[0]) in t["locks"]]
        if "discard" in legal and locked and rng.random() < 0.5:
            return {"do": "discard", "player": t["who"], "card": rng.choice(locked)}
        if "fold" in legal and rng.random() < self.options.get("folding", 0.08):
            return {"do": rng.choice(["fold", "end"])}
        payable = [c for c in hand if self.options["credit"] or self.price(c) <= t["coins"][t["who"]]]
        ripe = [c for c in payable if len(t["stack"][int(c[0])]) == int(c[0]) - 1]
        choices = []
        if "play" in legal and payable:
            choices += [{"do": "play", "card": rng.choice(ripe or payable)}] * 3
        if "deal" in legal:
            choices += [{"do": "deal", "card": t["draw"][-1]}] * 3
        if t["played"] or t["dealt"] or not choices:
            choices.append({"do": "end"})
        choice = rng.choice(choices)
        return choice | ({"player": t["who"]} if rng.random() < 0.2 else {})

    def _between_choice(self) -> dict[str, Any]:
        t, rng, legal = self.t, self.rng, self.legal()
        names = sorted(t["seats"].values())
        present = [n for n in names if n not in t["out"]]
        roll = rng.random()
        if ("next-hand" in legal and roll < 0.6) or t["phase"] == "finished":
            return {"do": "next-hand"}
        if roll < 0.7 and "join" in legal:
            return self._newcomer()
        if roll < 0.78 and len(present) > 2:
            return {"do": "sit-out", "player": rng.choice(present)}
        if t["out"] and roll < 0.9:
            return self._comeback(rng.choice(sorted(t["out"])))
        if roll < 0.93 and len(names) > 2:
            return {"do": "leave", "player": rng.choice(names)}
        return {"do": "buy-in", "player": rng.choice(names), "coins": rng.randint(1, 50)}

    def _newcomer(self) -> dict[str, Any]:
        t, rng = self.t, self.rng
        gone = [n for n in [*NAMES, *NEWCOMERS] if n not in t["seats"].values()]
        fee = self.fee()
        record = {"do": "join", "player": rng.choice(gone), "coins": fee + rng.randint(0, 40), "into": self._split(fee)}
        if t["coins"].get(record["player"], 0) < 0:  # left with a debt: bring that too
            record["coins"] -= t["coins"][record["player"]]
        if rng.random() < 0.5:
            record["seat"] = rng.choice([s for s in range(1, 7) if s not in t["seats"]])
        return record

    def _comeback(self, name: str) -> dict[str, Any]:
        fee = self.back_fee(name)
        if fee > self.t["coins"][name]:
            return {"do": "buy-in", "player": name, "coins": fee - self.t["coins"][name]}
        return {"do": "return", "player": name, "into": self._split(fee)}

    def _split(self, coins: int) -> dict[str, int]:
        into: dict[str, int] = {}
        while coins:
            some = self.rng.randint(1, coins)
            suit = str(self.rng.choice(self.suits))
            into[suit] = into.get(suit, 0) + some
            coins -= some
        return into


def evening_by_chance(rng: random.Random, hands: int) -> Iterator[tuple[dict[str, Any], Evening]]:
    """Yield the header and legal commands, including undo and redo, each with the books afterwards."""
    names = NAMES[: rng.randint(3, 6)]
    top = rng.choice([6, 30, 200])
    coins = {name: rng.randint(0, top) for name in names}
    options: dict[str, Any] = {key: True for key in ("credit", "locked_discards", "marker") if rng.random() < 0.4}
    if rng.random() < 0.3:
        options["deck"] = "red"
    if rng.random() < 0.2:
        options["join_fee"] = False
    if rng.random() < 0.5:
        options["leader"] = rng.randint(1, len(names))
    evening = Evening(rng, names, coins, options)
    evening.options["folding"] = rng.choice([0.02, 0.1, 0.5])
    players = [{"name": n, "coins": coins[n]} for n in names]
    yield {"game": "rochi", "players": players, "options": options}, evening
    fumbles = rng.random() < 0.5
    while len(evening.t["results"]) < hands and evening.t["phase"] != "finished":
        record = evening.something()
        evening.do(record)
        yield record, evening
        if fumbles and rng.random() < 0.05:
            for record in fumbled(rng, len(evening.past)):
                evening.do(record)
                yield record, evening


def fumbled(rng: random.Random, commands: int) -> list[dict[str, Any]]:
    """Return some undos, and at most as many redos."""
    back = min(rng.randint(1, 12), commands)
    forth = back if rng.random() < 0.6 else rng.randint(0, back)
    return [{"do": "undo"}] * back + [{"do": "redo"}] * forth


def random_evening(rng: random.Random, hands: int) -> tuple[list[dict[str, Any]], Evening]:
    """Return a script and the expected books at its end."""
    steps = list(evening_by_chance(rng, hands))
    return [record for record, _ in steps], steps[-1][1]

"""An independent referee for blackjack: for any command returns the error code, or applies it to its own books.

Written from the contract alone, without code of the product: the books are one dictionary that is deep-copied for undo;
a hand's total is the best over all ways to count the aces; and all errors of a command are collected, of which the
first in the contract's order is returned.
"""

import copy
import itertools
import random
from typing import Any

NAMES = ["Ann", "Bo", "Cy", "Di", "Eve", "Flo", "Gus"]
SUITS, RANKS = "SHDC", "23456789TJQKA"
ORDER = ["bad-script", "unknown-verb", "wrong-phase", "unknown-player", "not-your-turn", "unknown-card", "card-seen"]
ORDER += ["not-offered", "nothing-done", "bad-amount", "over-limit", "not-enough-coins"]
TURN = ["hit", "stand", "double", "split", "surrender"]
FIELDS: dict[str, list[str]] = {
    "bet": ["player", "amount"], "take-back": ["player"], "deal": ["to", "card"], "hole": [], "hit": ["card"],
    "stand": [], "double": ["card"], "split": ["cards"], "surrender": [], "insure": ["player"], "reveal": ["card"],
    "dealer-hit": ["card"], "buy-in": ["player", "coins"], "cash-out": ["player"], "undo": [], "redo": [], "hold": [],
    "release": [],
}  # fmt: skip
WHERE: dict[str, list[str]] = {
    "bet": ["betting"], "take-back": ["betting"], "deal": ["betting", "dealing", "playing"], "hole": ["dealing"],
    **{verb: ["playing"] for verb in TURN}, "insure": ["playing", "reveal"], "reveal": ["reveal"],
    "dealer-hit": ["dealer"],
}  # fmt: skip


class Refused(Exception):
    pass


def best(cards: list[str]) -> int:
    """Return the best total over all ways to count aces: the highest up to 21, otherwise the lowest."""
    ways = [(1, 11) if card[0] == "A" else (10,) if card[0] in "TJQK" else (int(card[0]),) for card in cards]
    totals = {sum(way) for way in itertools.product(*ways)} if len(cards) < 12 else {sum(min(way) for way in ways)}
    fine = [total for total in totals if total <= 21]
    return max(fine) if fine else min(totals)


def is_soft(cards: list[str]) -> bool:
    return best(cards) != sum(1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0]) for card in cards)


def is_coins(value: Any) -> bool:
    return type(value) is int and value > 0


def is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) > 0


class Referee:
    """One table. ``do`` returns None or the code of the error."""

    def __init__(self, players: list[tuple[str, int]], options: dict[str, Any] | None = None) -> None:
        self.names = [name for name, _ in players]
        self.options = {"decks": 2, "min": 50, "max": 500, "soft17": "stand", "surrender": "late",
                        "split_aces": "play-on", **(options or {})}  # fmt: skip
        self.now: dict[str, Any] = {
            "coins": dict(players), "house": 0, "phase": "betting", "boxes": {}, "up": [], "down": False, "seen": [],
            "insured": {}, "decisions": 0, "results": [], "held": False,
        }  # fmt: skip
        self.past: list[dict[str, Any]] = []
        self.future: list[dict[str, Any]] = []

    # ---- whose turn it is

    def order(self) -> list[tuple[str, int]]:
        """Return all hands in order of play."""
        return [(name, at) for name in self.names for at in range(len(self.now["boxes"].get(name, [])))]

    def acting(self) -> tuple[str, int] | None:
        if self.now["phase"] != "playing":
            return None
        return next(((name, at) for name, at in self.order() if not self.now["boxes"][name][at]["over"]), None)

    def hand(self) -> dict[str, Any]:
        who = self.acting()
        assert who is not None
        found: dict[str, Any] = self.now["boxes"][who[0]][who[1]]
        return found

    def waits(self) -> bool:
        return self.acting() is not None and len(self.hand()["cards"]) == 1

    # ---- one command

    def do(self, record: Any) -> str | None:
        before = copy.deepcopy(self.now)
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
        found = set(self.complaints(record))
        for code in ORDER:
            if code in found:
                raise Refused(code)
        getattr(self, record["do"].replace("-", "_"))(record)

    def complaints(self, record: dict[str, Any]) -> list[str]:
        """Return all error codes that apply to a command, in any order."""
        verb = record.get("do")
        if not isinstance(verb, str) or not verb:
            return ["bad-script"]
        if verb not in FIELDS:
            return ["unknown-verb"]
        if self.is_malformed(verb, record):
            return ["bad-script"]
        if verb in ("undo", "redo"):
            return [] if (self.past if verb == "undo" else self.future) else ["nothing-done"]
        if self.now["held"] != (verb == "release"):
            return ["wrong-phase"]
        if verb in ("hold", "release"):
            return []
        phase = self.now["phase"]
        if phase not in WHERE.get(verb, [phase]) or (verb == "deal" and phase == "playing" and not self.waits()):
            return ["wrong-phase"]
        named = record.get("to" if verb == "deal" else "player") if verb in self.with_player() else None
        if named is not None and named not in self.names and not (verb == "deal" and named == "dealer"):
            return ["unknown-player"]
        return [*self.against_cards(verb, record), *self.against(verb, record, named)]

    def with_player(self) -> list[str]:
        return [*TURN, "bet", "take-back", "deal", "insure", "buy-in", "cash-out"]

    def is_malformed(self, verb: str, record: dict[str, Any]) -> bool:
        if any(field not in record for field in FIELDS[verb]):
            return True
        texts = [field for field in FIELDS[verb] if field in ("player", "to", "card")]
        texts += ["player"] if verb in TURN and "player" in record else []
        if not all(is_text(record[field]) for field in texts):
            return True
        cards = record.get("cards")
        return verb == "split" and not (isinstance(cards, list) and len(cards) in (1, 2) and all(map(is_text, cards)))

    def against_cards(self, verb: str, record: dict[str, Any]) -> list[str]:
        cards = record["cards"] if verb == "split" else [record["card"]] if "card" in FIELDS[verb] else []
        found = []
        for card in cards:
            if not (len(card) == 2 and card[0] in RANKS and card[1] in SUITS):
                found.append("unknown-card")
        if any((self.now["seen"] + cards).count(card) > self.options["decks"] for card in cards):
            found.append("card-seen")
        return found

    def against(self, verb: str, record: dict[str, Any], named: str | None) -> list[str]:
        now, found = self.now, []
        if verb in TURN or (verb == "deal" and now["phase"] == "playing"):
            turn = self.acting()
            assert turn is not None
            if named is not None and named != turn[0]:
                found.append("not-your-turn")
            if verb != "deal":
                found += self.against_decision(verb, turn[0])
        elif verb == "deal":
            hands = now["boxes"].get(named)
            full = bool(now["up"]) if named == "dealer" else hands is None or len(hands[0]["cards"]) == 2
            found += ["not-offered"] if full else []
        if verb == "hole" and now["down"]:
            found.append("not-offered")
        if verb == "take-back" and named not in now["boxes"]:
            found.append("nothing-done")
        if verb == "bet":
            assert named is not None
            found += self.against_bet(named, record["amount"])
        if verb == "insure":
            assert named is not None
            found += self.against_insurance(named)
        if verb == "buy-in" and not is_coins(record["coins"]):
            found.append("bad-amount")
        if verb == "cash-out" and now["coins"][named] == 0:
            found.append("nothing-done")
        return found

    def against_decision(self, verb: str, name: str) -> list[str]:
        hand, found = self.hand(), []
        cards, rule = hand["cards"], self.options["surrender"]
        impossible = [
            len(cards) == 1,
            verb in ("double", "split", "surrender") and len(cards) > 2,
            verb == "split" and (cards[0][0] != cards[-1][0] or len(self.now["boxes"][name]) > 3),
            verb == "surrender" and (rule == "none" or hand["split"]),
        ]
        if any(impossible):
            found.append("not-offered")
        if verb in ("double", "split") and self.now["coins"][name] < hand["stake"]:
            found.append("not-enough-coins")
        return found

    def against_bet(self, name: str, amount: Any) -> list[str]:
        if not is_coins(amount):
            return ["bad-amount"]
        whole = amount + sum(hand["stake"] for hand in self.now["boxes"].get(name, []))
        found = ["not-enough-coins"] if amount > self.now["coins"][name] else []
        found += ["bad-amount"] if whole < self.options["min"] else []
        return found + (["over-limit"] if whole > self.options["max"] else [])

    def against_insurance(self, name: str) -> list[str]:
        now = self.now
        if now["decisions"] or now["up"][0][0] != "A" or name not in now["boxes"] or name in now["insured"]:
            return ["not-offered"]
        price = now["boxes"][name][0]["stake"] // 2
        return ["bad-amount"] if price == 0 else ["not-enough-coins"] if price > now["coins"][name] else []

    # ---- verbs

    def undo(self, record: dict[str, Any]) -> None:
        self.future.append(self.now)
        self.now = self.past.pop()

    def redo(self, record: dict[str, Any]) -> None:
        self.past.append(self.now)
        self.now = self.future.pop()

    def hold(self, record: dict[str, Any]) -> None:
        self.now["held"] = True

    def release(self, record: dict[str, Any]) -> None:
        self.now["held"] = False

    def buy_in(self, record: dict[str, Any]) -> None:
        self.now["coins"][record["player"]] += record["coins"]

    def cash_out(self, record: dict[str, Any]) -> None:
        self.now["coins"][record["player"]] = 0

    def bet(self, record: dict[str, Any]) -> None:
        name = record["player"]
        self.now["coins"][name] -= record["amount"]
        fresh = {"cards": [], "stake": 0, "over": "", "split": False, "lost": 0}
        self.now["boxes"].setdefault(name, [fresh])[0]["stake"] += record["amount"]

    def take_back(self, record: dict[str, Any]) -> None:
        (hand,) = self.now["boxes"].pop(record["player"])
        self.now["coins"][record["player"]] += hand["stake"]

    def deal(self, record: dict[str, Any]) -> None:
        now, card = self.now, record["card"]
        now["seen"].append(card)
        if now["phase"] == "playing":
            self.hand()["cards"].append(card)
            return self.after_split_card(self.hand())
        now["phase"] = "dealing"
        if record["to"] == "dealer":
            now["up"].append(card)
        else:
            now["boxes"][record["to"]][0]["cards"].append(card)
        return self.maybe_play()

    def hole(self, record: dict[str, Any]) -> None:
        self.now["down"] = True
        self.maybe_play()

    def maybe_play(self) -> None:
        now = self.now
        two = all(len(hands[0]["cards"]) == 2 for hands in now["boxes"].values())
        if not (two and now["up"] and now["down"]):
            return
        for (hand,) in now["boxes"].values():
            if best(hand["cards"]) == 21:
                hand["over"] = "blackjack"
        now["phase"] = "playing"
        self.maybe_reveal()

    def maybe_reveal(self) -> None:
        if self.acting() is None:
            self.now["phase"] = "reveal"

    def decided(self) -> None:
        self.now["decisions"] += 1
        self.maybe_reveal()

    def taken(self, hand: dict[str, Any]) -> None:
        """Collect the stake of a hand over 21 at once."""
        if best(hand["cards"]) > 21:
            self.now["house"] += hand["stake"]
            hand.update(over="bust", lost=hand["stake"], stake=0)

    def hit(self, record: dict[str, Any]) -> None:
        hand = self.hand()
        self.now["seen"].append(record["card"])
        hand["cards"].append(record["card"])
        self.taken(hand)
        self.decided()

    def stand(self, record: dict[str, Any]) -> None:
        self.hand()["over"] = "stood"
        self.decided()

    def again(self, hand: dict[str, Any]) -> None:
        name, _ = self.acting() or ("", 0)
        self.now["coins"][name] -= hand["stake"]

    def double(self, record: dict[str, Any]) -> None:
        hand = self.hand()
        self.again(hand)
        self.now["seen"].append(record["card"])
        hand["cards"].append(record["card"])
        hand.update(stake=2 * hand["stake"], over="stood")
        self.taken(hand)
        self.decided()

    def split(self, record: dict[str, Any]) -> None:
        name, at = self.acting() or ("", 0)
        hand = self.hand()
        self.again(hand)
        self.now["seen"] += record["cards"]
        other = {"cards": [hand["cards"].pop()], "stake": hand["stake"], "over": "", "split": True, "lost": 0}
        hand["split"] = True
        self.now["boxes"][name].insert(at + 1, other)
        for card, into in zip(record["cards"], (hand, other), strict=False):
            into["cards"].append(card)
            self.after_split_card(into)
        self.decided()

    def after_split_card(self, hand: dict[str, Any]) -> None:
        if self.options["split_aces"] == "one-card" and hand["cards"][0][0] == "A":
            hand["over"] = "stood"
        self.maybe_reveal()

    def surrender(self, record: dict[str, Any]) -> None:
        name, _ = self.acting() or ("", 0)
        hand = self.hand()
        if self.options["surrender"] == "early":
            half = hand["stake"] // 2
            self.now["house"] += half
            self.now["coins"][name] += hand["stake"] - half
            hand.update(lost=hand["stake"], stake=0, over="early")
        else:
            hand["over"] = "late"
        self.decided()

    def insure(self, record: dict[str, Any]) -> None:
        name = record["player"]
        price = self.now["boxes"][name][0]["stake"] // 2
        self.now["coins"][name] -= price
        self.now["insured"][name] = price

    def reveal(self, record: dict[str, Any]) -> None:
        self.dealer_hit(record)

    def dealer_hit(self, record: dict[str, Any]) -> None:
        now = self.now
        now["seen"].append(record["card"])
        now["up"].append(record["card"])
        hands = [now["boxes"][name][at] for name, at in self.order()]
        points = best(now["up"])
        short = points < 17 or (points == 17 and is_soft(now["up"]) and self.options["soft17"] == "hit")
        if short and any(hand["over"] == "stood" for hand in hands):
            now["phase"] = "dealer"
        else:
            self.settle()

    # ---- payouts

    def settle(self) -> None:
        now = self.now
        dealer = now["up"]
        natural = len(dealer) == 2 and best(dealer) == 21
        paid = []
        for name in self.names:
            for at, hand in enumerate(now["boxes"].get(name, []), start=1):
                outcome = self.outcome(hand, dealer, natural)
                amount = hand["stake"] or hand["lost"]
                won = {"win": amount, "blackjack": (3 * amount) // 2}.get(outcome, 0)
                returned = {"win": amount, "blackjack": amount, "push": amount}.get(outcome, 0)
                if outcome == "surrender":
                    returned = amount - amount // 2
                paid.append(entry(name, f"hand/{at}", amount, won, returned, outcome))
                if hand["stake"]:
                    now["coins"][name] += won + returned
                    now["house"] += amount - won - returned
            price = now["insured"].get(name)
            if price:
                paid.append(entry(name, "insurance", price, 2 * price * natural, price * natural,
                                  "win" if natural else "lose"))  # fmt: skip
                now["coins"][name] += 3 * price * natural
                now["house"] += price - 3 * price * natural
        now["results"].append({"dealer": dealer, "total": best(dealer), "blackjack": natural, "paid": paid})
        now.update(phase="betting", boxes={}, up=[], down=False, seen=[], insured={}, decisions=0)

    def outcome(self, hand: dict[str, Any], dealer: list[str], natural: bool) -> str:
        how = hand["over"]
        if how == "bust":
            return "bust"
        if how == "early":
            return "surrender"
        if natural:
            return "push" if how == "blackjack" else "lose"
        if how in ("blackjack", "late"):
            return {"blackjack": "blackjack", "late": "surrender"}[how]
        mine, against = best(hand["cards"]), best(dealer)
        if against > 21 or mine > against:
            return "win"
        return "push" if mine == against else "lose"

    # ---- results

    def printed(self) -> dict[str, Any]:
        now, turn = self.now, self.acting()
        hands = {name: [{"cards": hand["cards"], "stake": hand["stake"], "total": best(hand["cards"])}
                        for hand in now["boxes"][name]] for name in self.names if name in now["boxes"]}  # fmt: skip
        staked = sum(hand["stake"] for rows in hands.values() for hand in rows) + sum(now["insured"].values())
        return {
            "game": "blackjack", "phase": now["phase"], "balances": now["coins"], "house": now["house"],
            "staked": staked, "pots": {}, "results": now["results"], "error": None,
            "state": {"turn": turn[0] if turn else None, "hand": turn[1] + 1 if turn else None, "dealer": now["up"],
                      "hands": hands, "insured": {n: now["insured"][n] for n in self.names if n in now["insured"]}},
        }  # fmt: skip


def entry(name: str, on: str, amount: int, won: int, returned: int, outcome: str) -> dict[str, Any]:
    return {"player": name, "on": on, "amount": amount, "won": won, "returned": returned, "outcome": outcome}


# ---- random evenings


def random_card(rng: random.Random) -> str:
    """Return a random card, biased towards aces, tens and pairs."""
    return rng.choice(rng.choice(["A", "TK", "88A", RANKS, RANKS])) + rng.choice(SUITS)


def free_card(rng: random.Random, referee: Referee) -> str:
    """Return a random card that is usually still in the shoe."""
    cards = (random_card(rng) for _ in range(100))
    return next((card for card in cards if referee.now["seen"].count(card) < referee.options["decks"]), "2S")


def likely(rng: random.Random, referee: Referee) -> dict[str, Any]:
    """Return a command that fits the phase and is usually legal."""
    now, name, card = referee.now, rng.choice(referee.names), free_card(rng, referee)
    if now["held"]:
        return {"do": "release"}
    if rng.random() < 0.02:
        return rng.choice([{"do": "buy-in", "player": name, "coins": rng.randint(1, 300)},
                           {"do": "cash-out", "player": name}])  # fmt: skip
    if now["phase"] == "betting" and rng.random() < 0.75:
        if rng.random() < 0.1:
            return {"do": "take-back", "player": name}
        low, high = referee.options["min"], referee.options["max"]
        return {"do": "bet", "player": name, "amount": rng.choice([low, low + 1, rng.randint(low, high), high])}
    if now["phase"] in ("betting", "dealing"):
        return likely_deal(rng, referee, card)
    if now["phase"] == "playing":
        return likely_decision(rng, referee, card)
    if now["phase"] == "reveal" and rng.random() < 0.3:
        return {"do": "insure", "player": name}
    return {"do": "reveal" if now["phase"] == "reveal" else "dealer-hit", "card": card}


def likely_deal(rng: random.Random, referee: Referee, card: str) -> dict[str, Any]:
    now = referee.now
    open_ = [name for name, (hand, *_) in now["boxes"].items() if len(hand["cards"]) < 2]
    open_ += [] if now["up"] else ["dealer"]
    if now["phase"] == "dealing" and not now["down"] and (not open_ or rng.random() < 0.1):
        return {"do": "hole"}
    return {"do": "deal", "to": rng.choice(open_ or referee.names), "card": card}


def likely_decision(rng: random.Random, referee: Referee, card: str) -> dict[str, Any]:
    who = referee.acting()
    assert who is not None
    if referee.waits():
        return {"do": "deal", "to": who[0], "card": card}
    now = referee.now
    if not now["decisions"] and now["up"][0][0] == "A" and rng.random() < 0.5:
        return {"do": "insure", "player": rng.choice(referee.names)}
    cards = referee.hand()["cards"]
    said = {"player": who[0]} if rng.random() < 0.3 else {}
    if len(cards) == 2 and cards[0][0] == cards[1][0] and rng.random() < 0.7:
        other = free_card(rng, referee)
        pair = cards[0][0] + rng.choice(SUITS)
        if rng.random() < 0.4 and now["seen"].count(pair) < referee.options["decks"]:
            card = pair
        both = [card, other] if card != other else [card]
        return {"do": "split", "cards": both if rng.random() < 0.5 else [card], **said}
    verb = rng.choice(["hit", "hit", "stand", "stand", "double", "surrender"])
    return {"do": verb, **({"card": card} if verb in ("hit", "double") else {}), **said}


def anything(rng: random.Random, referee: Referee) -> dict[str, Any]:
    """Return any command, possibly nonsensical."""
    value = rng.choice([0, 1, 50, 75, 499, 501, 2000, -1, True, None, "5", 50.0, [1]])
    record: dict[str, Any] = {"do": rng.choice([*FIELDS, *FIELDS, "fly", 3, None]), "amount": value, "coins": value}
    record["player"] = rng.choice([*referee.names, *referee.names, "Zoe", "dealer", 5, None, ""])
    record["to"] = rng.choice([*referee.names, "dealer", "dealer", "Zoe", "", 5, None])
    cards = [free_card(rng, referee), random_card(rng), *referee.now["seen"][:2]]
    record["card"] = rng.choice([*cards, *cards, "1S", "10D", "as", "", 7, None])
    some = rng.choice([[record["card"]], [rng.choice(cards), rng.choice(cards)], [], cards[:1] * 3, "AS", None, [""]])
    record["cards"] = some
    for field in ("amount", "coins", "player", "to", "card", "cards", "do"):
        if rng.random() < (0.5 if field == "player" else 0.08):
            del record[field]
    return record


def random_table(rng: random.Random) -> tuple[list[tuple[str, int]], dict[str, Any]]:
    players = [(name, rng.choice([0, 50, 99, 300, 1000, 5000])) for name in NAMES[: rng.choice([1, 2, 2, 3, 4, 7])]]
    options = {"decks": rng.choice([1, 1, 2, 8]), "soft17": rng.choice(["stand", "hit"]),
               "surrender": rng.choice(["late", "early", "none"]), "split_aces": rng.choice(["play-on", "one-card"]),
               "min": rng.choice([1, 10, 50]), "max": rng.choice([60, 500, 2000])}  # fmt: skip
    return players, {key: value for key, value in options.items() if rng.random() < 0.6}


def rich_evening(rng: random.Random, commands: int) -> list[dict[str, Any]]:
    """Return a script of legal commands for five players with enough coins."""
    players = [(name, 1_000_000) for name in NAMES[:5]]
    referee = Referee(players)
    named = [{"name": name, "coins": coins} for name, coins in players]
    script: list[dict[str, Any]] = [{"game": "blackjack", "players": named, "options": {}}]
    while len(script) <= commands:
        record = likely(rng, referee)
        if record["do"] not in ("buy-in", "cash-out") and referee.do(record) is None:
            script.append(record)
    return script

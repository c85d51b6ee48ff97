"""Tables in the middle of a round with many players and bets, for tests of whole pages."""

from dataclasses import dataclass, field
from typing import Any, Final

Record = dict[str, Any]
OUTSIDE = """rows => rows.filter(row => {
    const box = row.getBoundingClientRect();
    const isWide = frame => box.left >= frame.left - 1 && box.right <= frame.right + 1;
    const isIn = frame => isWide(frame) && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
    if (box.height === 0 || !isIn({ left: 0, top: 0, right: innerWidth, bottom: innerHeight })) return true;
    for (let up = row; up !== document.documentElement; up = up.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(up);
        if ((overflowX !== "visible" || overflowY !== "visible") && !isIn(up.getBoundingClientRect())) return true;
        if (row.scrollWidth > row.clientWidth + 1) return true;
    }
    return false;
}).map(row => row.textContent)"""
"Elements that are not whole on the screen: outside of it, cut by what they lie in, or wider than they may be."
CUT = """() => {
    const found = [];
    const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const parent = walk.currentNode.parentElement;
        if (!walk.currentNode.data.trim() || !parent.checkVisibility() || parent.closest(".quiet, .card")) continue;
        const range = document.createRange();
        range.selectNodeContents(walk.currentNode);
        const box = range.getBoundingClientRect();
        for (let up = parent; up !== document.body; up = up.parentElement) {
            const { overflowX, textOverflow } = getComputedStyle(up);
            if (["auto", "scroll"].includes(overflowX)) break;
            const frame = up.getBoundingClientRect();
            const isPicture = up.tagName === "svg";
            const slack = isPicture || textOverflow === "ellipsis" ? 0.4 : 1.5;
            if (!isPicture && overflowX === "visible") continue;
            if (box.left < frame.left - slack || box.right > frame.right + slack) found.push(parent.textContent);
        }
    }
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [...found, `${scrollWidth - clientWidth} px too wide`] : found;
}"""
"Texts that are cut off at a side, also in pictures, and whether the page is wider than its window."
NAMES: Final = ("Anneliese", "Benedikt", "Charlotte", "Dorothea", "Esperanza", "Friedrich", "Guillermo", "Henriette")
SUIT_BETS: Final = ("cut/6", "day/6", "night/6", "cut/2", "cut/7", "night/4", "cut/3", "day/2")
GRAND_BETS: Final = ("cavalry", "terminus/6N4", "card/6D2", "oscura/5D1", "starlight/3", "card/6N2", "terminus/4D1")


@dataclass(frozen=True)
class Crowded:
    """A table: its game, how many sit there, and what happened up to each moment, by the moment's name."""

    game: str
    seats: int
    moments: dict[str, tuple[Record, ...]]
    coins: int = 1310
    options: Record = field(default_factory=dict)

    @property
    def players(self) -> tuple[tuple[str, int], ...]:
        return tuple((name, self.coins) for name in NAMES[: self.seats])


def bet(seat: int, on: str, amount: int) -> Record:
    return {"do": "bet", "player": NAMES[seat], "on": on, "amount": amount}


def deal(*cards: str) -> tuple[Record, ...]:
    return tuple({"do": "deal", "card": card} for card in cards)


def _bets(seats: int, spots: tuple[str, ...]) -> tuple[Record, ...]:
    """Return three bets of each player, spread over the spots."""
    return tuple(
        bet(seat, spots[(seat + 3 * i) % len(spots)], 2 * (1 + (7 * seat + 5 * i) % 20))
        for seat in range(seats)
        for i in range(3)
    )


DEALT: Final = deal("6N2", "7D1", "4D3", "6N5", "3N1", "7N6", "5D2", "6D1", "4N4", "7D5", "6N1", "2D1", "5N5", "6N6")
CLOSE: Final[Record] = {"do": "no-more-bets"}
ROCHE: Final = {
    "bets": _bets(8, SUIT_BETS),
    "dealt": (CLOSE, *DEALT),
    "paid": deal("6N4"),
}
GRAND: Final = {
    "bets": (*_bets(8, SUIT_BETS), *(bet(i % 8, on, 2 + i) for i, on in enumerate(GRAND_BETS))),
    "dealt": (CLOSE, *DEALT),
    "paid": deal("6N4"),
}


def _hand(*steps: str) -> tuple[Record, ...]:
    """``play 6N1``, ``end``: one command each."""
    records = []
    for step in steps:
        verb, _, card = step.partition(" ")
        records.append({"do": verb, "card": card} if card else {"do": verb})
    return tuple(records)


ROCHI: Final = {
    "turn": _hand("play 6N1", "deal 6N2", "play 7D2", "deal 6N3", "play 5D1", "deal 6N4", "play 4D2", "deal 6N5"),
    "cut": _hand("play 3D2", "end", "play 7D3", "deal 6N6"),
}
CAPTAINS: Final = {
    "turn": (
        *_hand(*(f"seed {card}" for card in ("3D1", "7D1", "7D2", "6D1", "6D2", "5D1", "4D1", "4D2"))),
        *_hand("play 3D2", "end", "play 5D2"),
    ),
    "cut": _hand("deal 3N1"),
}
HOUSE_BETS: Final = ("center/1", "day/1", "chain/2", "night/4", "chain-day/4", "center/3", "chain/3", "day/2")
HOUSE: Final = {
    "bets": tuple({**one, "amount": 12} for one in _bets(8, HOUSE_BETS)),
    "chain": ({"do": "throw", "face": "3d"}, {"do": "throw", "face": "4n"}),
    "paid": ({"do": "throw", "face": "1d"},),
}
STREET: Final = {
    "taking": (
        {"do": "throw", "face": "4d"},
        {"do": "stake", "units": 2},
        *({"do": "take", "player": NAMES[n], "number": n} for n in (1, 2)),
    ),
    "chain": (
        {"do": "take", "player": NAMES[3], "number": 3},
        {"do": "close"},
        {"do": "throw", "face": "3n"},
    ),
    "paid": ({"do": "throw", "face": "1d"},),
}
CAPITAL: Final = {
    "taking": (
        {"do": "take", "player": NAMES[0], "number": 1, "units": 2},
        {"do": "take", "player": NAMES[1], "number": 2},
    ),
    "chain": (
        *({"do": "take", "player": NAMES[n - 1], "number": n} for n in (3, 4)),
        {"do": "close"},
        {"do": "throw", "face": "4d"},
        {"do": "throw", "face": "3n"},
    ),
    "paid": ({"do": "throw", "face": "1d"},),
}
WHEEL_BETS: Final = ("split/0/2", "corner/16", "dozen/2", "red", "straight/17", "street/25", "column/3", "odd")
ROULETTE: Final = {
    "bets": _bets(8, WHEEL_BETS),
    "spinning": (CLOSE,),
    "paid": ({"do": "spin", "pocket": "17"},),
}
BOWL: Final = {
    "bets": (
        {"do": "bank", "amount": 300},
        *({"do": "bet", "player": NAMES[seat], "amount": 5 * seat + 10} for seat in range(1, 8)),
    ),
    "thrown": ({"do": "close"}, {"do": "throw", "dice": [1, 2, 4]}, {"do": "throw", "dice": [6, 3, 6]}),
    "paid": ({"do": "throw", "player": NAMES[7], "dice": [5, 2, 2]},),
}
_FIRST: Final = ("KS", "7H", "AD", "TS", "9S", "8H", "5D")
_SECOND: Final = ("QD", "5H", "KH", "6S", "9D", "8C", "6D")
BLACKJACK: Final = {
    "bets": tuple({"do": "bet", "player": NAMES[seat], "amount": 50 + 10 * seat} for seat in range(7)),
    "deciding": (
        *({"do": "deal", "to": NAMES[seat], "card": card} for seat, card in enumerate(_FIRST)),
        {"do": "deal", "to": "dealer", "card": "9C"},
        *({"do": "deal", "to": NAMES[seat], "card": card} for seat, card in enumerate(_SECOND)),
        {"do": "hole"},
    ),
    "paid": (
        {"do": "stand"},
        {"do": "hit", "card": "9D", "player": NAMES[1]},
        *({"do": "stand"} for _ in range(4)),
        {"do": "stand"},
        {"do": "reveal", "card": "TH"},
    ),
}
HOLDEM: Final = {
    "betting": (
        {"do": "post"},
        *({"do": "hole", "player": name} for name in NAMES),
        *({"do": "call"} for _ in range(4)),
    ),
    "flop": (*({"do": "call"} for _ in range(3)), {"do": "check"}, {"do": "board", "cards": ["KS", "QD", "JH"]}),
    "shown": (
        *({"do": "check"} for _ in range(8)),
        {"do": "board", "cards": ["TC"]},
        *({"do": "check"} for _ in range(8)),
        {"do": "board", "cards": ["2H"]},
        *({"do": "check"} for _ in range(8)),
    ),
}
KING: Final = {
    "sealing": (
        *({"do": "vote", "player": name, "for": NAMES[0]} for name in NAMES),
        {"do": "rule", "text": "1 + 2 = 1, 3 = 2", "one": [1, 2], "two": 3},
        {"do": "guess", "range": "2-3"},
        *({"do": "bet", "player": name, "space": 1 + n % 6} for n, name in enumerate(NAMES[1:5])),
    ),
    "revealed": (
        *({"do": "bet", "player": name, "space": 1 + n % 6} for n, name in enumerate(NAMES[5:])),
        {"do": "reveal"},
    ),
}
LEVELS: Final = [{"blinds": [25, 50], "ante": 25, "minutes": 20}, {"blinds": [100, 200], "minutes": 20}]
TABLES: Final = {
    "roche": Crowded("roche", 8, ROCHE),
    "grand": Crowded("roche", 8, GRAND, options={"layout": "grand"}),
    "rochi": Crowded("rochi", 6, ROCHI),
    "captains": Crowded("captains", 2, CAPTAINS),
    "rugen-house": Crowded("rugen-house", 8, HOUSE),
    "rugen-street": Crowded("rugen-street", 6, STREET),
    "rugen-capital": Crowded("rugen-capital", 6, CAPITAL),
    "roulette": Crowded("roulette", 8, ROULETTE),
    "chinchirorin": Crowded("chinchirorin", 8, BOWL, options={"banker": 1}),
    "blackjack": Crowded("blackjack", 7, BLACKJACK),
    "holdem": Crowded("holdem", 8, HOLDEM),
    "holdem-tournament": Crowded("holdem-tournament", 8, HOLDEM, options={"levels": LEVELS}),
    "king-of-roulette": Crowded("king-of-roulette", 8, KING, coins=4, options={"rounds": 3}),
}

"""The receipt of a hand or round: every player's stakes and payouts, bound to the journal by its head hash.

The holder of a receipt can later check that the journal was not rewritten: `companion journal export` lists each
entry's hash, and the one on the receipt must be among them.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NotRequired

from typing_extensions import TypedDict

from companion.journal.hash_chain import Entry
from companion.journal.history.hand_history import HandHistory, Move, add_staked
from companion.journal.trust.witness import Statement
from companion.kernel.accounts import CAGE, Account, Kind

MAX_TEXT: Final = 160
"""Maximum length of the QR code's text, in characters: phones can still read it from the dashboard's corner."""
_HASH_SHOWN: Final = 16


class ReceiptJson(TypedDict):
    """One decided round."""

    id: str
    "``SESSION-NUMBER``."
    session: int
    number: int
    "Of the hand within its session."
    game: str
    ended: str
    seq: int
    "The entry that decided the hand."
    head: str
    "The hash of that entry."
    stakes: dict[str, int]
    "Coins that each player put in, including stakes left from earlier rounds."
    payouts: dict[str, int]
    "Coins that each player got, including returned stakes."
    staying: NotRequired[dict[str, int]]
    "Each player's stakes that are still undecided; left out if there are none."
    text: str
    "For a QR code."


@dataclass(frozen=True, slots=True)
class Receipt:
    """One decided round."""

    session: int
    number: int
    game: str
    ended: str
    seq: int
    "The journal entry that decided it."
    head: str
    "The hash of that entry."
    stakes: Mapping[str, int]
    "Coins that each player put in, including stakes left from earlier rounds."
    payouts: Mapping[str, int]
    "Coins that each player got, including returned stakes."
    before: Mapping[Account, int] = field(default_factory=dict)
    "Stakes left from earlier rounds."
    after: Mapping[Account, int] = field(default_factory=dict)
    "Stakes still undecided."

    @property
    def staying(self) -> dict[str, int]:
        """Each player's undecided stakes."""
        return _by_player(self.after)

    @property
    def gains(self) -> dict[str, int]:
        """Each player's net result; undecided stakes are neither won nor lost.

        >>> red = {Account.stake("Ann", "red"): 5}
        >>> Receipt(1, 7, "poker", "noon", 9, "ab", {"Ann": 6}, {"Ann": 2}, after=red).gains
        {'Ann': 1}
        """
        staying = self.staying
        names = dict.fromkeys((*self.stakes, *self.payouts, *staying))
        return {one: self.payouts.get(one, 0) + staying.get(one, 0) - self.stakes.get(one, 0) for one in names}

    @property
    def text(self) -> str:
        """A short text for a QR code.

        >>> Receipt(1, 7, "poker", "2026-05-01T20:15:00.123Z", 99, "ab" * 32, {"Ann": 5}, {"Bo": 5}).text
        'poker 1-7 2026-05-01T20:15:00Z Ann-5 Bo+5 #99 abababababababab'
        """
        return self._text(self.gains)

    @property
    def texts(self) -> tuple[str, str]:
        """The text, and that of earlier versions, which ignored stakes left between rounds."""
        brought = _by_player(self.before)
        stakes = {name: coins - brought.get(name, 0) for name, coins in self.stakes.items()}
        names = dict.fromkeys((*(name for name, coins in stakes.items() if coins), *self.payouts))
        return self.text, self._text({name: self.payouts.get(name, 0) - stakes.get(name, 0) for name in names})

    def _text(self, gains: Mapping[str, int]) -> str:
        begin = f"{self.game} {self.session}-{self.number} {self.ended[:19]}Z"
        end = f" #{self.seq} {self.head[:_HASH_SHOWN]}"
        text = begin
        for name, coins in gains.items():
            more = f" {name}{coins:+d}"
            if len(text) + len(more) + len(end) + 2 > MAX_TEXT:
                text += " …"
                break
            text += more
        return text + end

    def to_json(self) -> ReceiptJson:
        """Return the receipt for a page."""
        receipt: ReceiptJson = {
            "id": f"{self.session}-{self.number}",
            "session": self.session,
            "number": self.number,
            "game": self.game,
            "ended": self.ended,
            "seq": self.seq,
            "head": self.head,
            "stakes": dict(self.stakes),
            "payouts": dict(self.payouts),
            "text": self.text,
        }
        return {**receipt, "staying": self.staying} if self.after else receipt


class SignedReceipt(TypedDict):
    """A round's decision in a form that anybody can check with the table's public key alone."""

    kind: Literal["companion receipt"]
    version: Literal[1]
    id: str
    game: str
    journal: str
    "The journal's id."
    public: str
    signature: str
    "Of the last entry's seq and hash."
    entries: list[list[str | int | None]]
    """The entry that decided the round and those up to the signed one, each as a list: seq, at, session, kind, source,
    key, record, events, prev, hash."""


def signed_receipt(made: Receipt, entries: Sequence[Entry], statement: Statement) -> SignedReceipt | None:
    """Return a receipt that anybody can check; None if an entry is private or the signed head does not match.

    Args:
        entries: from the one that decided the round to the signed one.
        statement: the signed head.
    """
    if not entries or entries[-1].hash != statement.hash or any(_is_private(entry) for entry in entries):
        return None
    return {
        "kind": "companion receipt",
        "version": 1,
        "id": f"{made.session}-{made.number}",
        "game": made.game,
        "journal": statement.journal,
        "public": statement.public,
        "signature": statement.signature,
        "entries": [list(entry) for entry in entries],
    }


def _is_private(entry: Entry) -> bool:
    return entry.kind == "notice" and bool(json.loads(entry.record).get("private"))


def receipt(history: HandHistory, session: int, number: int) -> Receipt | None:
    """Return the receipt of a hand; None if it does not exist or is not decided."""
    hand = history.hand(session, number)
    if hand is None or hand["head"] is None or hand["decided"] is None or hand["ended"] is None:
        return None
    decided = hand["decided"]
    moves = [move for move in history.moves(session, number) if _belongs_to_round(move, decided)]
    stakes, payouts = put_in_and_got(moves)
    before = history.staked_before(session, number)
    for name, coins in _by_player(before).items():
        stakes[name] = stakes.get(name, 0) + coins
    after = Counter(before)
    for move in moves:
        add_staked(after, move.transfer)
    return Receipt(
        session, number, hand["game"], hand["ended"], decided, hand["head"], stakes, payouts, before, dict(+after)
    )


def _by_player(stakes: Mapping[Account, int]) -> dict[str, int]:
    """Return each player's total of several stakes, leaving out the bank's."""
    sums: Counter[str] = Counter()
    for account, coins in stakes.items():
        if account.name:
            sums[account.name] += coins
    return dict(sums)


def _belongs_to_round(move: Move, decided: int) -> bool:
    """Whether a transfer belongs to a round.

    Of the transfers after the decision only two kinds do: withheld payments that are released, and coins from stakes
    that were still open, such as side bets. Others, such as a new player's fee, belong to the next round.
    """
    return move.seq <= decided or move.verb == "release" or move.transfer.payer.kind is Kind.STAKE


def put_in_and_got(moves: Iterable[Move]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the coins that each player put in, and got. Buy-ins, also from coins put aside, cash-outs and recounts are
    not part of a round.

    A stake taken back in time (``take-back``) counts as never put in.
    """
    stakes: dict[str, int] = {}
    payouts: dict[str, int] = {}
    for move in moves:
        payer, payee, coins = move.transfer.payer, move.transfer.payee, move.transfer.coins
        if CAGE in (payer, payee) or Kind.ASIDE in (payer.kind, payee.kind):
            continue
        if move.verb == "take-back":
            _add(stakes, payee, -coins)
        else:
            _add(stakes, payer, coins)
            _add(payouts, payee, coins)
    return {name: coins for name, coins in stakes.items() if coins}, payouts


def _add(sums: dict[str, int], account: Account, coins: int) -> None:
    if account.kind is Kind.PLAYER:
        sums[account.name] = sums.get(account.name, 0) + coins

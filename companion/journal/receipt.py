"""The receipt of a hand or round: what everybody staked and got, bound to the journal by its head hash.

Whoever keeps the receipt can prove later that the journal was not rewritten: `companion journal export` lists each
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

MOST_TEXT: Final = 160
"""Letters in the code: a phone still reads it from the dashboard's corner."""
_HASH_SHOWN: Final = 16


class ReceiptJson(TypedDict):
    """One decided round."""

    id: str
    "Session and number."
    session: int
    number: int
    "Counted in its session."
    game: str
    ended: str
    seq: int
    "The entry that decided the hand."
    head: str
    "The journal's hash at that entry."
    stakes: dict[str, int]
    "What each player put in, stakes of earlier rounds that lay there included."
    payouts: dict[str, int]
    "What each player got, stakes included."
    staying: NotRequired[dict[str, int]]
    "What of each player's stakes was not decided and lies there still, where there is any."
    text: str
    "For a QR code."


@dataclass(frozen=True, slots=True)
class Receipt:
    """One decided round. ``stakes``: what each player put in, stakes of earlier rounds that lay there included;
    ``payouts``: what came back, stakes included.
    """

    session: int
    number: int
    game: str
    ended: str
    seq: int
    "The entry of the journal that decided it."
    head: str
    "The journal's hash at that entry."
    stakes: Mapping[str, int]
    payouts: Mapping[str, int]
    before: Mapping[Account, int] = field(default_factory=dict)
    "The stakes that lay there from earlier rounds."
    after: Mapping[Account, int] = field(default_factory=dict)
    "The stakes that it did not decide."

    @property
    def staying(self) -> dict[str, int]:
        """What of each player's stakes was not decided."""
        return _by_player(self.after)

    @property
    def gains(self) -> dict[str, int]:
        """What the round brought each player: undecided stakes are neither won nor lost.

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
        """The text, and the one that earlier versions printed: it took no notice of stakes between rounds."""
        brought = _by_player(self.before)
        stakes = {name: coins - brought.get(name, 0) for name, coins in self.stakes.items()}
        names = dict.fromkeys((*(name for name, coins in stakes.items() if coins), *self.payouts))
        return self.text, self._text({name: self.payouts.get(name, 0) - stakes.get(name, 0) for name in names})

    def _text(self, gains: Mapping[str, int]) -> str:
        begin = f"{self.game} {self.session}-{self.number} {self.ended[:19]}Z"
        end = f" #{self.seq} {self.head[:_HASH_SHOWN]}"
        told = begin
        for name, coins in gains.items():
            more = f" {name}{coins:+d}"
            if len(told) + len(more) + len(end) + 2 > MOST_TEXT:
                told += " …"
                break
            told += more
        return told + end

    def to_json(self) -> ReceiptJson:
        """Return the receipt for a page."""
        told: ReceiptJson = {
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
        return {**told, "staying": self.staying} if self.after else told


class SignedReceipt(TypedDict):
    """What a round's decision is checked with anywhere, by the house's public key alone."""

    kind: Literal["companion receipt"]
    version: Literal[1]
    id: str
    game: str
    journal: str
    "The journal's id."
    public: str
    signature: str
    "Of the last entry's number and hash."
    entries: list[list[str | int | None]]
    "The decision and what was committed with it: seq, at, session, kind, source, key, record, events, prev, hash."


def signed_receipt(made: Receipt, entries: Sequence[Entry], statement: Statement) -> SignedReceipt | None:
    """Return a receipt that anybody can check; None where the table is not asked to show what was committed with it.

    Args:
        entries: from the one that decided to the one that was signed.
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
    """Return the receipt of a hand; None if there is no such hand, or it is not decided."""
    hand = history.hand(session, number)
    if hand is None or hand["head"] is None or hand["decided"] is None or hand["ended"] is None:
        return None
    decided = hand["decided"]
    moves = [move for move in history.moves(session, number) if _is_part(move, decided)]
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
    """Return each player's coins of several stakes; those of the bank are nobody's."""
    sums: Counter[str] = Counter()
    for account, coins in stakes.items():
        if account.name:
            sums[account.name] += coins
    return dict(sums)


def _is_part(move: Move, decided: int) -> bool:
    """Coins that move later, such as the fee of somebody who joins, are not of this round; withheld payments are, and
    stakes that stayed open when it was decided, such as side bets.
    """
    return move.seq <= decided or move.verb == "release" or move.transfer.payer.kind is Kind.STAKE


def put_in_and_got(moves: Iterable[Move]) -> tuple[dict[str, int], dict[str, int]]:
    """Return what each player put in, and what he got. Buy-ins, also from what lies aside, cash-outs and recounts are
    no part of a round.

    A stake that was taken back while it could be was never put in.
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

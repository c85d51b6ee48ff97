"""Verifies a whole journal: the file, the hash chain, the signatures, and that a replay gives the recorded coins."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NotRequired

from typing_extensions import TypedDict

from companion.journal.evening import carried_commands
from companion.journal.hash_chain import Entry, HashChain, events_of, genesis
from companion.journal.replay import (
    Open,
    ReplayDiffers,
    can_open,
    coins_written,
    count,
    play_back,
    rules_fingerprint,
    transfers,
    without_stakes,
)
from companion.journal.seals import Seals, wrong_opening
from companion.journal.session_transfer import with_all_in_front, without_antes
from companion.journal.store import JournalError, JournalReader
from companion.journal.trust.proof import Loss, Proof, Signatures, VerifiedChain, Wrong
from companion.kernel.accounts import CAGE, Account
from companion.kernel.errors import BadScript, CompanionError
from companion.kernel.game import Rulebook
from companion.kernel.header import Header
from companion.kernel.ledger import Ledger
from companion.kernel.messages import message
from companion.service.settle import nets

SECRET_MISSING: Final = "the secret of its sealed commands is missing"
"""Why a session was not replayed: its secrets are lost, or were not copied along."""


class VerdictJson(TypedDict):
    """The result of `verify`, for programs."""

    ok: bool
    entries: int
    sessions: int
    head: str
    wrong: str | None
    seq: int | None
    unplayed: NotRequired[list[int]]
    "Sessions that could not be replayed, if any."
    why_unplayed: NotRequired[dict[str, str]]
    "The reasons, by session number."
    signed: int
    "The latest entry covered by a signature, as are all before it; 0 in an unsigned journal."
    keys: list[str]
    "The public keys of the signatures."
    is_trusted: bool
    "Whether the table's own keys were known, so that the signatures were checked against them."
    losses: NotRequired[list[str]]
    "Losses that the owner has accepted, if any."


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of `verify`.

    Attributes:
        wrong: what is wrong; None for a sound journal.
        seq: the first entry at fault, if it is a particular one.
        why_unplayed: session -> why only its chain, signatures and recorded coins could be checked: its game is not
            installed, other rules wrote it and would move other coins, or its secrets are missing.
        signed: the latest entry covered by a signature, as are all before it.
        keys: the public keys of the signatures.
        is_trusted: whether the table's own keys were known, so that the signatures were checked against them.
        losses: those that the owner has accepted.
    """

    entries: int
    sessions: int
    head: str
    wrong: str | None = None
    seq: int | None = None
    why_unplayed: Mapping[int, str] = field(default_factory=dict)
    signed: int = 0
    keys: tuple[str, ...] = ()
    is_trusted: bool = False
    losses: tuple[Loss, ...] = ()

    def to_json(self) -> VerdictJson:
        """Return the verdict for programs."""
        result: VerdictJson = {"ok": self.wrong is None, "entries": self.entries, "sessions": self.sessions,
                             "head": self.head, "wrong": self.wrong, "seq": self.seq, "signed": self.signed,
                             "keys": list(self.keys), "is_trusted": self.is_trusted}  # fmt: skip
        if self.why_unplayed:
            result["unplayed"] = list(self.why_unplayed)
            result["why_unplayed"] = {str(session): why for session, why in self.why_unplayed.items()}
        if self.losses:
            result["losses"] = [loss.words for loss in self.losses]
        return result


def verify(reader: JournalReader, games: Rulebook, proof: Proof | None = None) -> Verdict:
    """Check everything, from the file to the coins.

    Each session is replayed, to find commands that the rules refuse, transfers that differ, or a ledger that does not
    sum to zero. A session that continues another one must begin with the coins with which that one ended.

    Args:
        proof: what else to check against; None: the key, the high-water mark and the floor's witness beside it.
    """
    return _Verifier(reader, games, proof or Proof.beside(reader.path)).run()


class _Verifier:
    """A single pass over a journal."""

    def __init__(self, reader: JournalReader, games: Rulebook, proof: Proof) -> None:
        self._reader = reader
        self._games = games
        self._proof = proof
        self._unsealed = Seals.beside(reader.path).open
        self._hashes: list[str] = []
        self._losses: list[Loss] = []
        self._unplayed: dict[int, str] = {}
        self._sessions = 0
        self._signatures = Signatures("", {}, proof)

    def run(self) -> Verdict:
        """Return the verdict."""
        try:
            if damage := self._reader.find_damage():
                return Verdict(0, 0, "", message("the file is damaged ({damage}).", damage=damage))
            wrong = self._wrong()
        except JournalError as error:
            wrong = str(error), None
        head, (what, seq) = self._walked.head, wrong or (None, None)
        return Verdict(
            head.seq,
            self._sessions,
            head.hash,
            what,
            seq,
            why_unplayed=self._unplayed,
            signed=self._signatures.covered,
            keys=tuple(self._signatures.by),
            is_trusted=bool(self._proof.keys),
            losses=tuple(self._losses),
        )

    @property
    def _walked(self) -> VerifiedChain:
        return VerifiedChain(self._reader.id, self._hashes, self._losses)

    def _wrong(self) -> Wrong | None:
        session: list[Entry] = []
        before: list[Entry] = []
        hashes = HashChain(genesis(self._reader.id))
        signatures = self._signatures = Signatures(self._reader.id, self._reader.signatures(), self._proof)
        for entry in self._reader.entries():
            if broken := hashes.check(entry):
                return message("{what}.", what=broken.what), broken.seq
            self._hashes.append(entry.hash)
            if unsigned := signatures.wrong_at(entry.seq, entry.hash):
                return unsigned, entry.seq
            if (loss := Loss.of(entry)) is not None:
                self._losses.append(loss)
            if entry.kind == "start":
                if wrong := self._wrong_in(session) or _wrong_between(before, session, self._games):
                    return wrong
                before, session, self._sessions = session, [], self._sessions + 1
            session.append(entry)
        return (
            signatures.wrong_at_end(len(self._hashes), self._losses)
            or self._wrong_in(session)
            or _wrong_between(before, session, self._games)
            or self._proof.wrong_with(self._walked)
        )

    def _wrong_in(self, session: Sequence[Entry]) -> Wrong | None:
        """Return what is wrong with a session, and where, or None. Records the session if it cannot be replayed."""
        return _wrong_in(session, self._games, self._unsealed, self._unplayed)


def _wrong_in(session: Sequence[Entry], games: Rulebook, unsealed: Open, unplayed: dict[int, str]) -> Wrong | None:
    """Return what is wrong with a session, and where, or None.

    Args:
        session: its entries.
        unsealed: opens sealed commands.
        unplayed: the session is added here, with the reason, if it cannot be replayed.
    """
    if not session:
        return None
    first = session[0]
    if first.kind != "start":
        return message("a session begins with a start entry, this one does not."), first.seq
    if wrong := _wrong_opening(session):
        return wrong
    if not _is_installed(first, games):
        unplayed[first.session] = f"its game, {json.loads(first.record).get('game')}, is not installed here"
        return None
    header = None
    try:
        header = Header.parse(json.loads(first.record), games)
        coins = coins_written(session, games)
        if not can_open(session, unsealed):
            unplayed[first.session] = SECRET_MISSING
        table, _ = play_back(session, games, compare=True, unsealed=unsealed)
    except ReplayDiffers as differs:
        if header is not None and json.loads(first.record).get("rules") != rules_fingerprint(header.rules):
            unplayed[first.session] = (
                f"it was played by other rules than those installed here: entry {differs.seq} {differs.what}"
            )
        if first.session in unplayed:
            return None
        return message("the rules say something else: it {what}.", what=differs.what), differs.seq
    except (CompanionError, ValueError, KeyError, TypeError, IndexError) as error:
        return message("this session cannot be understood ({error}).", error=str(error)), first.seq
    ledger = table.position.ledger
    if _balances(ledger) != _balances(coins) or ledger.total != 0:
        return message("the coins at the end of this session do not add up."), session[-1].seq
    return None


def _is_installed(start: Entry, games: Rulebook) -> bool:
    """Whether a session's game is installed; True if the start entry is unreadable, which is reported elsewhere."""
    try:
        record = json.loads(start.record)
        if isinstance(record, dict) and isinstance(record.get("game"), str):
            games.rules(record["game"])
    except BadScript:
        return False
    except ValueError:
        return True
    return True


def _wrong_between(before: Sequence[Entry], session: Sequence[Entry], games: Rulebook) -> Wrong | None:
    """Return what is wrong with a session's continuation of the previous one, and where, or None."""
    if not session:
        return None
    start = json.loads(session[0].record)
    if "continues" not in start or not all(_is_installed(one[0], games) for one in (before, session) if one):
        return None
    seq = session[0].seq
    if not before or start["continues"] != before[0].session:
        wrong = message(
            "it continues session {session}, which is not the one before it.", session=str(start["continues"])
        )
        return wrong, seq
    try:
        return None if _carries_over(before, session, games) else (_COINS_DIFFER, seq)
    except (CompanionError, ValueError, KeyError, TypeError, IndexError) as error:
        return message("this session cannot be understood ({error}).", error=str(error)), seq


_COINS_DIFFER: Final = message("it does not begin with the coins with which the session before it ended.")


def _carries_over(before: Sequence[Entry], session: Sequence[Entry], games: Rulebook) -> bool:
    """Whether all players begin with the coins and gains with which they ended the previous session, before antes."""
    old, new = (Header.parse(json.loads(entries[0].record), games) for entries in (before, session))
    ended = with_all_in_front(without_stakes(coins_written(before, games)))
    if len(count(before).done) <= len(carried_commands(before)):  # nothing was played, so antes were returned
        ended = without_antes(ended)
    moves = carried_commands(session)
    joins = [entry for entry in moves if json.loads(entry.record)["do"] == "join"]
    began, opened = (coins_written([session[0], *some], games) for some in (moves, joins))
    brought = dict(new.players)
    for transfer in (transfer for entry in joins for transfer in transfers(entry) if transfer.payer == CAGE):
        brought[transfer.payee.name] = transfer.coins
    if any(coins != max(0, ended.balance(name)) for name, coins in brought.items()):
        return False
    antes, won = nets(opened, {}), nets(began, new.gains)
    had = nets(ended, old.gains)
    return all(won.get(party, 0) - antes.get(party, 0) == had.get(party, 0) for party in {*won, *had, *antes})


def _wrong_opening(session: Sequence[Entry]) -> Wrong | None:
    """Return which reveal contradicts what was sealed, and where, or None."""
    reveals = [entry for entry in session if '"Unsealed"' in entry.events]
    records = [json.loads(entry.record) for entry in session] if reveals else []
    for entry in reveals:
        opened = [one for event in events_of(entry) if event["event"] == "Unsealed" for one in event["openings"]]
        wrong = next(filter(None, (wrong_opening(records, opening) for opening in opened)), None)
        if wrong is not None:
            return message("a reveal opens something else than what was sealed: {wrong}.", wrong=wrong), entry.seq
    return None


def _balances(ledger: Ledger) -> dict[Account, int]:
    return {account: coins for account, coins in ledger.accounts.items() if coins}

"""Verifies a whole journal: the file, the hash chain, and that replaying each command gives the recorded events."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NotRequired

from typing_extensions import TypedDict

from companion.journal.evening import carrying
from companion.journal.hash_chain import Entry, HashChain, Head, genesis, happenings
from companion.journal.replay import (
    Differs,
    Open,
    coins_written,
    count,
    play_back,
    rules_fingerprint,
    transfers,
    without_stakes,
)
from companion.journal.seals import SEALED, BrokenSeal, Seals, SecretMissing, wrong_opening
from companion.journal.session_transfer import without_antes
from companion.journal.store import JournalError, JournalReader
from companion.kernel.accounts import CAGE, Account
from companion.kernel.errors import CompanionError
from companion.kernel.game import Rulebook
from companion.kernel.header import Header
from companion.kernel.ledger import Ledger
from companion.service.settle import nets


class VerdictJson(TypedDict):
    """What `verify` found, for programs."""

    ok: bool
    entries: int
    sessions: int
    head: str
    wrong: str | None
    seq: int | None
    unplayed: NotRequired[list[int]]
    "Sessions that could not be played again, if there are any."


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `verify` found. ``wrong`` is None for a sound journal; ``seq`` is the first entry at fault, if one is.

    ``unplayed``: sessions of which only the chain and the coins could be checked, as other rules wrote them or what
    opens their sealed commands is not here.
    """

    entries: int
    sessions: int
    head: str
    wrong: str | None = None
    seq: int | None = None
    unplayed: tuple[int, ...] = ()

    def to_json(self) -> VerdictJson:
        """Return the verdict for programs."""
        told: VerdictJson = {"ok": self.wrong is None, "entries": self.entries, "sessions": self.sessions,
                             "head": self.head, "wrong": self.wrong, "seq": self.seq}  # fmt: skip
        return {**told, "unplayed": list(self.unplayed)} if self.unplayed else told


def verify(reader: JournalReader, games: Rulebook) -> Verdict:
    """Check everything, from the file to the coins.

    Each session is played again: a command that the rules refuse, coins that move in another way, a ledger that does
    not sum to zero are named. Sessions of other rules are checked by what they say was moved. A session that continues
    another one must begin with the coins with which that ended.
    """
    hashes = HashChain(genesis(reader.id))
    session: list[Entry] = []
    before: list[Entry] = []
    sessions = 0
    unplayed: list[int] = []
    unsealed = Seals.beside(reader.path).open
    try:
        if damage := reader.find_damage():
            return Verdict(0, 0, "", f"the file is damaged ({damage}).")
        for entry in reader.entries():
            if broken := hashes.check(entry):
                return _verdict(hashes.head, sessions, f"{broken.what}.", broken.seq)
            if entry.kind == "start":
                if wrong := _wrong_in(session, games, unsealed, unplayed) or _wrong_between(before, session, games):
                    return _verdict(hashes.head, sessions, *wrong)
                before, session, sessions = session, [], sessions + 1
            session.append(entry)
    except JournalError as error:
        return _verdict(hashes.head, sessions, str(error))
    wrong_last = _wrong_in(session, games, unsealed, unplayed) or _wrong_between(before, session, games)
    return replace(_verdict(hashes.head, sessions, *(wrong_last or (None, None))), unplayed=tuple(unplayed))


def _verdict(head: Head, sessions: int, wrong: str | None, seq: int | None = None) -> Verdict:
    return Verdict(head.seq, sessions, head.hash, wrong, seq)


def _wrong_in(session: Sequence[Entry], games: Rulebook, unsealed: Open, unplayed: list[int]) -> tuple[str, int] | None:
    """Return what is wrong with a session, and where; None if nothing is. Notes the session if it cannot be played."""
    if not session:
        return None
    first = session[0]
    if first.kind != "start":
        return "a session begins with a start entry, this one does not.", first.seq
    if wrong := _wrong_opening(session):
        return wrong
    try:
        header = Header.parse(json.loads(first.record), games)
        coins = coins_written(session, games)
        if json.loads(first.record).get("rules") != rules_fingerprint(header.rules):
            unplayed.append(first.session)
            return None
        if not _can_open(session, unsealed):
            unplayed.append(first.session)
        table, _ = play_back(session, games, compare=True, unsealed=unsealed)
    except Differs as differs:
        if first.session in unplayed:
            return None
        return f"the rules say something else: it {differs.what}.", differs.seq
    except (CompanionError, ValueError, KeyError, TypeError, IndexError) as error:
        return f"this session cannot be understood ({error}).", first.seq
    ledger = table.position.ledger
    if _held(ledger) != _held(coins) or ledger.total != 0:
        return "the coins at the end of this session do not add up.", session[-1].seq
    return None


def _wrong_between(before: Sequence[Entry], session: Sequence[Entry], games: Rulebook) -> tuple[str, int] | None:
    """Return what is wrong with how a session continues the one before it, and where; None if nothing is."""
    if not session:
        return None
    start = json.loads(session[0].record)
    if "continues" not in start:
        return None
    seq = session[0].seq
    if not before or start["continues"] != before[0].session:
        return f"it continues session {start['continues']}, which is not the one before it.", seq
    try:
        return None if _goes_on(before, session, games) else (_COINS_DIFFER, seq)
    except (CompanionError, ValueError, KeyError, TypeError, IndexError) as error:
        return f"this session cannot be understood ({error}).", seq


_COINS_DIFFER: Final = "it does not begin with the coins with which the session before it ended."


def _goes_on(before: Sequence[Entry], session: Sequence[Entry], games: Rulebook) -> bool:
    """Say whether everybody begins with the coins with which they ended, and has won as much; antes come after that."""
    old, new = (Header.parse(json.loads(entries[0].record), games) for entries in (before, session))
    ended = without_stakes(coins_written(before, games))
    if len(count(before).done) <= len(carrying(before)):  # nothing was played: antes went back
        ended = without_antes(ended)
    moves = carrying(session)
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


def _can_open(session: Sequence[Entry], unsealed: Open) -> bool:
    """Say whether the secrets are here that open the session's sealed commands."""
    for entry in session:
        if SEALED in entry.record:
            try:
                unsealed(json.loads(entry.record))
            except SecretMissing:
                return False
            except BrokenSeal:
                continue  # which the rules find
    return True


def _wrong_opening(session: Sequence[Entry]) -> tuple[str, int] | None:
    """Return which secret command was opened with something else than what was sealed, and where; None if none was."""
    reveals = [entry for entry in session if '"Unsealed"' in entry.events]
    records = [json.loads(entry.record) for entry in session] if reveals else []
    for entry in reveals:
        opened = [one for event in happenings(entry) if event["event"] == "Unsealed" for one in event["openings"]]
        wrong = next(filter(None, (wrong_opening(records, opening) for opening in opened)), None)
        if wrong is not None:
            return f"a reveal opens something else than what was sealed: {wrong}.", entry.seq
    return None


def _held(ledger: Ledger) -> dict[Account, int]:
    return {account: coins for account, coins in ledger.accounts.items() if coins}

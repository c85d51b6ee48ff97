"""A simulated table with a real chain that moves coins from and to a purse; its connection is cut at random."""

import asyncio
import json
import random
import ssl
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from companion.journal.hash_chain import Entry, Head, entry_hash, genesis
from companion.journal.trust.signing import SeedSigner

MAX_ENTRIES = 500
PLAYER = "Ann"
HEARTBEAT_S = 2.0
NAMED = ("tail-cut", "rewritten", "cloned")
Code = Callable[[str], Awaitable[str]]


class Cut(Exception):
    """The connection was cut."""


@dataclass
class Table:
    """One machine with its journal.

    Attributes:
        skew_s: error of its clock.
        cuts: cut exchanges per hundred.
        up_since: time of the last failed exchange.
        gap_s: maximum waiting time of an entry while the connection held.
    """

    name: str
    port: int
    folder: Path
    authority: Path
    purse: int
    rng: random.Random
    skew_s: float = 0.0
    cuts: float = 5.0
    rate: float = 1.0
    chain: list[Entry] = field(default_factory=list)
    births: dict[int, float] = field(default_factory=dict)
    faults: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    epoch: int = 0
    acknowledged: int = 0
    ticket: str = ""
    run: str = ""
    up_since: float = 0.0
    gap_s: float = 0.0
    is_over: bool = False
    settled_at: float = 0.0
    gather_s: float = 0.02
    has_transfers: bool = True
    _line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    _context: ssl.SSLContext | None = None

    def __post_init__(self) -> None:
        self.journal = f"{self.rng.getrandbits(128):032x}"
        self.signer = SeedSigner(self.rng.randbytes(32))
        self.run = f"{self.rng.getrandbits(64):016x}"

    # ---- its journal

    @property
    def head(self) -> Head:
        return Head(len(self.chain), self.chain[-1].hash if self.chain else genesis(self.journal))

    def write(self, record: dict[str, Any], events: list[Any], key: str | None = None, kind: str = "command") -> None:
        """Add an entry; keys are unique."""
        if key is not None and any(entry.key == key for entry in self.chain):
            return
        at = datetime.fromtimestamp(time.time() + self.skew_s, UTC).isoformat(timespec="milliseconds")
        parts = (at.replace("+00:00", "Z"), 1, kind, "dealer", key, json.dumps(record), json.dumps(events))
        head = self.head
        digest = entry_hash(head.hash, head.seq + 1, *parts)
        self.chain.append(Entry(head.seq + 1, *parts, head.hash, digest))  # type: ignore[arg-type]
        self.births[head.seq + 1] = time.monotonic()

    def coins(self) -> int:
        """Return the coins brought from purses minus those returned, according to the journal."""
        total = 0
        for entry in self.chain:
            for event in json.loads(entry.events) if entry.key and entry.kind == "command" else ():
                total += event["coins"] if event["event"] == "BoughtIn" else -event["coins"]
        return total

    def take(self, transfer: str, coins: int) -> None:
        record = {"do": "buy-in", "player": PLAYER, "coins": coins, "transfer": transfer, "purse": self.purse}
        self.write(record, [{"event": "BoughtIn", "player": PLAYER, "coins": coins}], f"transfer/{transfer}")

    def give(self, transfer: str, coins: int) -> None:
        record = {"do": "cash-out", "player": PLAYER, "transfer": transfer, "purse": self.purse}
        self.write(record, [{"event": "CashedOut", "player": PLAYER, "coins": coins}], f"transfer/{transfer}")

    def decline(self, transfer: str, coins: int) -> None:
        told = {"transfer": transfer, "purse": self.purse, "player": PLAYER, "coins": coins}
        self.write({"text": "No coins came.", "data": {"refused": told}}, [], f"transfer/{transfer}", "notice")

    # ---- connection to the floor

    async def ask(self, method: str, path: str, told: object = None) -> tuple[int, dict[str, Any]]:
        """Send a request to the floor; it may be cut at any point.

        Raises:
            Cut: the connection was cut, before or after the floor received the request.
        """
        try:
            return await asyncio.wait_for(self._ask(method, path, told), 20)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, ssl.SSLError, IndexError, ValueError) as error:
            self.hang_up()
            self.up_since = time.monotonic()
            raise Cut(str(error)) from error

    async def _ask(self, method: str, path: str, told: object) -> tuple[int, dict[str, Any]]:
        if self._line is None:
            self._line = await asyncio.open_connection("127.0.0.1", self.port, ssl=self._context)
        reader, writer = self._line
        body = b"" if told is None else json.dumps(told, separators=(",", ":")).encode()
        message = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n".encode()
        message += b"Content-Length: %d\r\n\r\n" % len(body) + body
        where = self.rng.random() * 100 / self.cuts if self.cuts else 9.0
        if where < 1:
            self.counts["network cuts"] += 1
            writer.write(message[: int(len(message) * where * 2)])  # half of the cuts follow the whole message
            with suppress(OSError):
                await writer.drain()
            raise ConnectionError("cut")
        writer.write(message)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        return int(head.split()[1]), json.loads(await reader.readexactly(length))

    def hang_up(self) -> None:
        if self._line is not None:
            self._line[1].transport.abort()
            self._line = None

    # ---- joining

    async def join(self, code: str) -> None:
        """Join with a code, and begin an epoch after the last entry common to journal and floor; retry until joined."""
        key = ec.generate_private_key(ec.SECP256R1())
        public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        self._context = ssl.create_default_context(cafile=self.authority)
        self.hang_up()
        cuts, self.cuts = self.cuts, 0.0  # a code is spent even if its answer is lost
        status, told = await self.ask("POST", "/floor/v1/join", {"code": code, "key": public})
        assert status == 200, told
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        card = self.folder / f"{self.name}.pem"
        card.write_bytes(private + told["certificate"].encode())
        self._context.load_cert_chain(card)
        self.hang_up()
        self.cuts = cuts
        await self._begin()

    async def _begin(self) -> None:
        while True:
            try:
                _, state = await self.ask("GET", "/floor/v1/state")
                known, fork = state["known"], Head(0, genesis(self.journal))
                if state["epoch"] is None:
                    if known is not None and known["journal"] == self.journal:
                        fork = await self._last_common(int(known["seq"]))
                    told = {"journal": self.journal, "seq": fork.seq, "hash": fork.hash, "signer": self.signer.public}
                    status, began = await self.ask("POST", "/floor/v1/epochs", told)
                    if status != 200:
                        raise Cut(str(began))
                    self.epoch, self.acknowledged = began["epoch"], began["seq"]
                else:
                    self.epoch, self.acknowledged = state["epoch"], known["seq"]
            except (Cut, KeyError):
                await asyncio.sleep(0.5)
            else:
                self.faults, self.ticket = set(), ""
                return

    async def _last_common(self, last: int) -> Head:
        common, unlike = Head(0, genesis(self.journal)), min(last, len(self.chain)) + 1
        while common.seq + 1 < unlike:
            middle = (common.seq + unlike) // 2
            _, told = await self.ask("GET", f"/floor/v1/hashes/{self.journal}/{middle}")
            if told["hash"] == self.chain[middle - 1].hash:
                common = Head(middle, self.chain[middle - 1].hash)
            else:
                unlike = middle
        return common

    # ---- playing

    async def play(self) -> None:
        """Play and follow the floor until the time is over and the floor has all entries."""
        next_at = time.monotonic() + self.rng.expovariate(self.rate)
        while not (self.is_over and self.acknowledged >= len(self.chain) and not await self._settled()):
            try:
                if not self.is_over and time.monotonic() >= next_at:
                    await self._happen()
                    await asyncio.sleep(self.gather_s)
                    next_at = time.monotonic() + self.rng.expovariate(self.rate)
                is_more = await self.exchange()
                if self.has_transfers and time.monotonic() - self.settled_at > HEARTBEAT_S:
                    await self._settled()
                if not is_more:
                    await asyncio.sleep(max(0.02, min(next_at - time.monotonic(), HEARTBEAT_S)))
            except Cut:
                await asyncio.sleep(self.rng.uniform(0.2, 2.0))

    async def _happen(self) -> None:
        what = self.rng.random()
        coins = self.rng.randint(1, 20)
        transfer = f"{self.rng.getrandbits(96):024x}"
        if what < 0.1:
            await self._buy_in(transfer, coins)
        elif what < 0.2 and self.coins() >= coins:
            self.give(transfer, coins)
        else:
            self.write({"do": "bet", "player": PLAYER, "amount": coins}, [])

    async def _buy_in(self, transfer: str, coins: int) -> None:
        told = {"id": transfer, "purse": self.purse, "player": PLAYER, "coins": coins}
        try:
            status, answer = await self.ask("POST", "/floor/v1/transfers", told)
        except Cut:
            self.decline(transfer, coins)
            raise
        if status == 503:
            self.decline(transfer, coins)
        elif status == 200 and answer["state"] == "reserved":
            self.take(transfer, coins)
        self.counts["buy-ins"] += status == 200

    async def _settled(self) -> bool:
        """Settle pending transfers between purse and table; return whether there were any."""
        self.settled_at = time.monotonic()
        try:
            status, told = await self.ask("GET", "/floor/v1/transfers")
        except Cut:
            return True
        if status != 200:
            return True
        for one in told["transfers"]:
            (self.give if one["state"] == "owed" else self.take)(one["id"], one["coins"])
        return bool(told["transfers"])

    async def exchange(self) -> bool:
        """Send entries that the floor lacks; return whether there are more."""
        entries = self.chain[self.acknowledged : self.acknowledged + MAX_ENTRIES]
        head = self.head
        told = {"epoch": self.epoch, "run": self.run, "ticket": self.ticket, "entries": entries, "statement": None,
                "head": {"seq": head.seq, "hash": head.hash}}  # fmt: skip
        status, answer = await self.ask("POST", "/floor/v1/entries", told)
        if status != 200:
            self.up_since = time.monotonic()
            self.counts[f"answers {status}"] += 1
            raise Cut(answer.get("code", ""))
        self.ticket, self.gather_s = answer["ticket"], answer["gather_ms"] / 1000
        self.has_transfers = answer["transfers"]
        self.faults = {one["kind"] for one in answer["faults"]}
        self._acknowledge(int(answer["acknowledged"]))
        return bool(answer["again"]) or (self.acknowledged < len(self.chain) and not self.faults)

    def _acknowledge(self, seq: int) -> None:
        now = time.monotonic()
        for one in range(self.acknowledged + 1, seq + 1):
            waited_from = max(self.births.pop(one, now), self.up_since)
            self.gap_s = max(self.gap_s, now - waited_from)
        self.acknowledged = min(seq, len(self.chain)) if self.faults else seq

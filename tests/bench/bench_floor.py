"""Measures a floor with many tables: the time from an event at a table until a reader of the database sees it.

    python tests/bench/bench_floor.py [--tables 1000] [--seconds 20] [--rates 1000 5000]

A real floor with a real PostgreSQL, synced to the disk, receives hash-chained entries from simulated tables, each over
its own mutual TLS connection. Events come at random times; a table batches them for as long as the floor asks it to.
Two readers in separate processes follow: one LISTENs and SELECTs new entries, as a SQL client does; the other is logged
in as the pit, and requests the board as its page does. Floor, PostgreSQL, broker, readers and tables share the machine.
At the end every chain is compared with the floor's. Nothing else is asserted.
"""

import argparse
import asyncio
import json
import math
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg
import uvloop
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from companion.app.floor.journal_shipper import HEARTBEAT_S
from companion.floor import people, tables
from companion.floor.cluster import Cluster
from companion.floor.runtime.interpreter import prepare
from companion.journal.hash_chain import Head, entry_hash, genesis
from companion.journal.trust.signing import SeedSigner, head_text
from companion.journal.trust.witness import Statement
from web_ui.floor.table_api import fingerprint_of
from web_ui.https.authority import Authority

SIGN_EVERY_S = 5.0
READY_S = 10.0
"""Time in which the tables generate their future entries."""
PAGE_ASKS_EVERY_S = 0.15
"""Polling interval, as in `floor.js`."""
PIN = "123456"
EVENTS = json.dumps(
    [{"event": "StakePlaced", "player": "Aubrey", "on": "cut/6", "coins": 10, "text": "Aubrey bets 10 on 6."},
     {"event": "Transfer", "payer": "player/Aubrey", "payee": "stake/6", "coins": 10, "why": "bet"}]
)  # fmt: skip


@dataclass
class Table:
    """A simulated table: its chain, and its entries that are not acknowledged yet.

    Entries are generated before the evening begins: a real table's own work is done on its own machine.
    """

    number: int
    epoch: int
    context: ssl.SSLContext
    signer: SeedSigner
    journal: str
    head: Head
    "Head of the entries that have happened."
    end: Head
    "Head of all generated entries."
    coming: deque[tuple[float, Head, str]] = field(default_factory=deque)
    waiting: deque[tuple[int, str]] = field(default_factory=deque)
    ticket: str = ""
    gather_s: float = 0.02
    signed_at: float = 0.0
    requests: int = 0
    births: list[float] = field(default_factory=list)

    def expect(self, born: float) -> None:
        """Generate the entry of a future event."""
        at = datetime.fromtimestamp(born, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        record = json.dumps({"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 10, "born": born})
        seq = self.end.seq + 1
        parts = (at, 1, "command", "dealer", f"{self.number}-{self.end.seq}", record, EVENTS)
        digest = entry_hash(self.end.hash, seq, *parts)
        text = json.dumps((seq, *parts, self.end.hash, digest), separators=(",", ":"))
        self.end = Head(seq, digest)
        self.coming.append((born, self.end, text))

    def happen(self) -> None:
        """Let the next event happen."""
        born, self.head, text = self.coming.popleft()
        self.births.append(born)
        self.waiting.append((self.head.seq, text))

    def acknowledge(self, seq: int) -> None:
        """Drop acknowledged entries."""
        while self.waiting and self.waiting[0][0] <= seq:
            self.waiting.popleft()

    def request(self) -> bytes:
        """Return the request with all pending entries."""
        now, statement = time.monotonic(), None
        if self.head.seq and now - self.signed_at > SIGN_EVERY_S:
            self.signed_at = now
            signature = self.signer.sign(head_text(self.journal, self.head)).hex()
            statement = Statement(self.journal, *self._head(), "", self.signer.public, signature).to_line()
        head = {"seq": self.head.seq, "hash": self.head.hash}
        told = {"epoch": self.epoch, "run": "bench", "ticket": self.ticket, "head": head, "statement": statement}
        entries = ",".join(text for _, text in self.waiting)
        body = f'{json.dumps(told)[:-1]},"entries":[{entries}]}}'.encode()
        return b"POST /floor/v1/entries HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    def _head(self) -> tuple[int, str]:
        return self.head.seq, self.head.hash


@dataclass
class Evening:
    """The period of events: it starts once all tables are connected and ready, and lasts a given number of seconds."""

    seconds: float
    door: asyncio.Semaphore
    missing: int
    begins: float = math.inf
    all_are_here: asyncio.Event = field(default_factory=asyncio.Event)

    def came(self) -> None:
        self.missing -= 1
        if not self.missing:
            self.begins = time.time() + READY_S
            self.all_are_here.set()


async def play(table: Table, port: int, rate: float, evening: Evening, rng: random.Random) -> None:
    """Let events happen at a table and ship them, until the time is over and all are acknowledged."""
    async with evening.door:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=table.context)
    evening.came()
    await evening.all_are_here.wait()
    ends = evening.begins + evening.seconds
    at = evening.begins + rng.expovariate(rate)
    while at <= ends:
        table.expect(at)
        at += rng.expovariate(rate)
    table.signed_at = time.monotonic() + evening.begins - time.time() - rng.uniform(0, SIGN_EVERY_S)
    sent_at = 0.0
    while True:
        now = time.time()
        next_at = table.coming[0][0] if table.coming else math.inf
        await asyncio.sleep(max(0.0, min(next_at, now + HEARTBEAT_S, max(ends, now)) - now))
        if time.time() >= next_at:
            await asyncio.sleep(max(0.0, sent_at + table.gather_s - time.monotonic()))
        while table.coming and table.coming[0][0] <= time.time():
            table.happen()
        sent_at = time.monotonic()
        writer.write(table.request())
        table.requests += 1
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        answer = json.loads(await reader.readexactly(length))
        if "acknowledged" not in answer:
            raise RuntimeError(answer)
        assert not answer["faults"], answer
        table.ticket, table.gather_s = answer["ticket"], answer["gather_ms"] / 1000
        table.acknowledge(answer["acknowledged"])
        if time.time() >= ends and not table.coming and not table.waiting:
            writer.close()
            return


async def spend(house: list[Table], port: int, rate: float, seconds: float) -> int:
    """Let all tables play; return the number of requests."""
    evening, rng = Evening(seconds, asyncio.Semaphore(40), len(house)), random.Random(7)
    before = sum(table.requests for table in house)
    shares = [play(table, port, rate / len(house), evening, random.Random(rng.random())) for table in house]
    await asyncio.gather(*shares)
    return sum(table.requests for table in house) - before


def read(dsn: str, pipe: Connection) -> None:
    """Follow the database like a SQL client; send the latencies of the events on each request through the pipe."""
    seen: dict[int, int] = {}
    took: list[float] = []
    query = (  # LATERAL: table by table through the index, also before the first ANALYZE
        "SELECT e.record FROM unnest(%s::int[], %s::bigint[], %s::bigint[]) AS n (t, first, last), LATERAL (SELECT "
        "record FROM floor.entry WHERE table_id = n.t AND epoch = 1 AND seq > n.first AND seq <= n.last OFFSET 0) AS e"
    )
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("LISTEN floor")
        pipe.send("ready")
        while True:
            for news in list(connection.notifies(timeout=0.2, stop_after=1)):  # it blocks the connection meanwhile
                pairs = [tuple(map(int, pair.split(":"))) for pair in news.payload.split()]
                asked = [(table, seen.get(table, 0), last) for table, last in pairs]
                rows = connection.execute(query, tuple(map(list, zip(*asked, strict=True)))).fetchall()
                now = time.time()
                took += [now - json.loads(record)["born"] for (record,) in rows]
                seen.update(pairs)
            if pipe.poll():
                pipe.recv()
                pipe.send(took)
                took = []


def watch(port: int, authority: str, pipe: Connection) -> None:
    """Poll the pit's board; on each request through the pipe send when it showed which entry of which table."""
    pit = Pit(f"https://127.0.0.1:{port}", Path(authority))
    shown: list[tuple[float, int, int]] = []
    version = 0
    pipe.send("ready")
    while True:
        began = time.monotonic()
        told = json.loads(pit.get(f"/board.json?since={version}"))
        now, version = time.time(), told["version"]
        shown += [(now, line["id"], line["seq"]) for line in told["tables"]]
        if pipe.poll():
            pipe.recv()
            pipe.send(shown)
            shown = []
        time.sleep(max(0.0, PAGE_ASKS_EVERY_S - (time.monotonic() - began)))


class Pit:
    """A logged-in member of the pit staff."""

    def __init__(self, url: str, authority: Path) -> None:
        secured = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=authority))
        self._url, self._opener = url, urllib.request.build_opener(secured, urllib.request.HTTPCookieProcessor())
        found = re.search(r'name="token" value="([0-9a-f]+)"', self.get("/login"))
        assert found is not None
        form = urllib.parse.urlencode({"token": found[1], "name": "Bench", "pin": PIN}).encode()
        self._opener.open(f"{url}/login", form, timeout=30)

    def get(self, path: str) -> str:
        return str(self._opener.open(self._url + path, timeout=60).read().decode())


def join_all(folder: Path, cluster: Cluster, count: int) -> list[Table]:
    """Let a number of tables join, as the floor's own program would."""
    authority = Authority(folder / "https", (), datetime.now(UTC))
    now, made = datetime.now(UTC), []
    cards = folder / "cards"
    cards.mkdir()
    with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
        people.set_person(connection, "Bench", "pit", PIN)
        for number in range(1, count + 1):
            key = ec.generate_private_key(ec.SECP256R1())
            public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            certificate = authority.vouch_for_client(f"Table {number}", public, now)
            name = fingerprint_of(certificate.public_bytes(Encoding.DER))
            code = tables.invite(connection, f"Table {number}")
            who = tables.join(connection, code, lambda _, name=name: name)
            signer, journal = SeedSigner(number.to_bytes(32, "big")), f"{number:032x}"
            known = tables.begin_epoch(connection, who, journal, Head(0, genesis(journal)), signer.public)
            card = cards / f"{number}.pem"
            private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            card.write_bytes(private + certificate.public_bytes(Encoding.PEM))
            context = ssl.create_default_context(cafile=authority.path)
            context.load_cert_chain(card)
            made.append(Table(who.table_id, known.epoch, context, signer, journal, known.head, known.head))
    return made


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process and its ended children, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def row(name: str, *cells: str) -> None:
    print(f"{name:<10}" + "".join(f"{cell:>15}" for cell in cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument(
        "--rates", type=float, nargs="+", default=[1000, 5000], help="events per second, of all tables together"
    )
    args = parser.parse_args()
    prepare()  # no garbage collection pauses for a thousand tables in one process
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    folder = Path(tempfile.mkdtemp(prefix="bench-floor-", dir="/tmp"))
    command = [sys.executable, "-m", "companion", "floor", "--data", str(folder), "--host", "127.0.0.1", "--port", "0"]
    floor = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert floor.stdout is not None
        port = int(floor.stdout.readline().rpartition(":")[2])
        cluster = Cluster(folder / "postgres")
        house = join_all(folder, cluster, args.tables)
        ours, theirs = multiprocessing.Pipe()
        reader = multiprocessing.get_context("spawn").Process(target=read, args=(cluster.dsn(), theirs), daemon=True)
        reader.start()
        assert ours.recv() == "ready"
        page, its = multiprocessing.Pipe()
        authority = str(folder / "https" / "authority.pem")
        pit = multiprocessing.get_context("spawn").Process(target=watch, args=(port, authority, its), daemon=True)
        pit.start()
        assert page.recv() == "ready"
        print(f"{args.tables:,} tables, each on a connection of its own; {args.seconds:g} s each")
        row("events/s", "shipped/s", "requests/s", "SQL p50 ms", "p99 ms", "max ms", "page p50 ms", "p99 ms", "max ms",
            "floor's core %")  # fmt: skip
        for rate in args.rates:
            measure(house, port, rate, args.seconds, floor.pid, ours, page)
        compare(house, cluster)
        reader.terminate()
        pit.terminate()
    finally:
        floor.send_signal(signal.SIGTERM)
        floor.wait(30)
        shutil.rmtree(folder)


def measure(
    house: list[Table], port: int, rate: float, seconds: float, pid: int, reader: Connection, page: Connection
) -> None:
    """Let the tables play at a rate, and print the results."""
    first = {table.number: table.head.seq for table in house}
    before, used, began = sum(table.head.seq for table in house), cpu_s(pid), time.time()  # with the handshakes
    requests = uvloop.run(spend(house, port, rate, seconds))
    lasted, count = time.time() - began, sum(table.head.seq for table in house) - before
    took: list[float] = []
    while len(took) < count:  # a reader that lags behind catches up, which its times include
        reader.send("now")
        assert reader.poll(60), "the reader has ended"
        took += reader.recv()
        time.sleep(0.2)
    took.sort()
    assert len(took) == count, f"{count} events happened, the reader saw {len(took)}"
    on_page = shown_after(house, first, page)
    assert len(on_page) == count, f"{count} events happened, the page showed {len(on_page)}"
    cuts, page_cuts = statistics.quantiles(took, n=100), statistics.quantiles(on_page, n=100)
    share = (cpu_s(pid) - used) / lasted
    row(f"{rate:,.0f}", f"{count / seconds:,.0f}", f"{requests / seconds:,.0f}", f"{cuts[49] * 1000:,.0f}",
        f"{cuts[98] * 1000:,.0f}", f"{took[-1] * 1000:,.0f}", f"{page_cuts[49] * 1000:,.0f}",
        f"{page_cuts[98] * 1000:,.0f}", f"{max(on_page) * 1000:,.0f}", f"{share:.0%}")  # fmt: skip


def shown_after(house: list[Table], first: dict[int, int], page: Connection) -> list[float]:
    """Return the latency of each event until the page showed it."""
    births, at = {table.number: table.births for table in house}, dict(first)
    took: list[float] = []
    ends = time.monotonic() + 60
    while any(at[table.number] < table.head.seq for table in house):
        assert time.monotonic() < ends, "the page does not catch up"
        page.send("now")
        assert page.poll(60), "the page has ended"
        for now, number, seq in page.recv():
            took += [now - born for born in births[number][at[number] : seq]]
            at[number] = max(at[number], seq)
        time.sleep(0.3)
    return took


def compare(house: list[Table], cluster: Cluster) -> None:
    """Check that the floor has every chain completely, and nothing else."""
    with psycopg.connect(cluster.dsn(), autocommit=True) as connection:
        heads = dict(connection.execute("SELECT table_id, hash FROM floor.head").fetchall())
        (kept,) = connection.execute("SELECT count(*) FROM floor.entry").fetchone() or (0,)
    assert all(heads[table.number] == table.head.hash for table in house)
    assert kept == sum(table.head.seq for table in house)
    print(f"The floor has all {kept:,} entries, and every head is the table's own.")


if __name__ == "__main__":
    main()

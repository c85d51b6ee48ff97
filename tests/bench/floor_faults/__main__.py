"""Runs a house whose network, machines and disk fail at random, for a given time; asserts its invariants at the end.

    python -m tests.bench.floor_faults [--tables 200] [--seconds 120] [--rate 1] [--seed 1]

A real `companion floor` runs with PostgreSQL and mosquitto; simulated tables connect over mutual TLS, each with a clock
that is minutes off, and their connections are cut in the middle of messages and answers. Meanwhile PostgreSQL, broker
and the floor itself are killed, PostgreSQL's disk is filled (only as root, to mount one), tables are restored from old
backups, and others are copied and run twice. Buy-ins from purses and cash-outs to them continue throughout. At the end:

- the floor has exactly the chains of the tables, entry by entry;
- the coins in purses and at tables equal the coins sold at the desk;
- each restored and each cloned table was reported, and no other;
- no entry waited for more than ten seconds at a table that stayed connected;
- `companion floor check` finds nothing.
"""

import argparse
import asyncio
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import psycopg

from companion.floor import purse as purses
from companion.floor import tables as floor_tables
from companion.floor.cluster import Cluster
from tests.bench.floor_faults.table import NAMED, Cut, Table

COINS = 1000
LONGEST_GAP_S = 10.0
NAMED_WITHIN_S = 15.0
FULL_S = 6.0
DISK = "512m"


class House:
    """The floor's process, and the faults injected into it."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.folder, self._rng = folder, rng
        self.cluster = Cluster(folder / "postgres")
        self.counts: Counter[str] = Counter()
        self.port = 0
        self._log = (folder / "floor.log").open("ab")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        words = ["--data", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port), "--broker-port", "0"]
        command = [sys.executable, "-m", "companion", "floor", *words]
        (self.folder / "address").unlink(missing_ok=True)
        self._process = subprocess.Popen(command, stdout=self._log, stderr=self._log)
        ends = time.monotonic() + 120
        while not (self.folder / "address").exists():
            assert self._process.poll() is None, "the floor does not start"
            assert time.monotonic() < ends, "the floor does not come up"
            time.sleep(0.1)
        self.port = int((self.folder / "address").read_text().split()[0].rpartition(":")[2])

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(90)

    def connect(self) -> psycopg.Connection:
        ends = time.monotonic() + 120
        while True:
            try:
                return psycopg.connect(self.cluster.dsn(), autocommit=True, connect_timeout=5)
            except psycopg.OperationalError:
                assert time.monotonic() < ends, "the database does not come back"
                time.sleep(0.5)

    def fail(self) -> None:
        """Inject a fault; returns once it has happened, without waiting for the recovery."""
        whats = [self._kill_database, self._kill_broker, self._kill_floor, self._kill_writer]
        if self.is_disk_own:
            whats.append(self._fill_disk)
        self._rng.choice(whats)()

    @property
    def is_disk_own(self) -> bool:
        return os.path.ismount(self.folder / "postgres")

    def _kill_database(self) -> None:
        self.counts["database killed"] += 1
        os.kill(self.cluster.pid, signal.SIGKILL)

    def _kill_broker(self) -> None:
        for place in Path("/proc").glob("[0-9]*"):
            try:
                if (place / "cwd").readlink() == (self.folder / "broker").resolve():
                    os.kill(int(place.name), signal.SIGKILL)
                    self.counts["broker killed"] += 1
            except OSError:
                continue

    def _kill_floor(self) -> None:
        self.counts["floor killed"] += 1
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self.start()

    def _kill_writer(self) -> None:
        """Kill the floor's process that writes entries; its parent stays."""
        assert self._process is not None
        for place in Path("/proc").glob("[0-9]*"):
            try:
                parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == self._process.pid and b"ingest.process" in (place / "cmdline").read_bytes():
                    os.kill(int(place.name), signal.SIGKILL)
                    self.counts["writer killed"] += 1
            except OSError:
                continue

    def _fill_disk(self) -> None:
        self.counts["disk full"] += 1
        ballast = self.folder / "postgres" / "ballast"
        with ballast.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 20))
            except OSError:
                time.sleep(FULL_S)
        ballast.unlink()


class Evening:
    """Tables that play during the faults."""

    def __init__(self, args: argparse.Namespace, folder: Path) -> None:
        self.args, self.rng = args, random.Random(args.seed)
        self.house = House(folder, self.rng)
        self.folder = folder / "cards"
        self.tables: list[Table] = []
        self.counts: Counter[str] = Counter()
        self.named: Counter[str] = Counter()
        self.suspects: set[str] = set()
        self.late_s = 0.0

    async def code(self, name: str) -> str:
        """Return a one-time code, as issued by the pit."""

        def made() -> str:
            with self.house.connect() as connection:
                return floor_tables.invite(connection, name)

        return await asyncio.to_thread(made)

    async def rejoin(self, table: Table) -> None:
        while True:
            try:
                await table.join(await self.code(table.name))
                return
            except (Cut, AssertionError, psycopg.Error):
                table.cuts = 5.0
                await asyncio.sleep(0.5)

    def set_up(self) -> None:
        self.folder.mkdir()
        self.house.start()
        authority = self.house.folder / "https" / "authority.pem"
        with self.house.connect() as connection:
            for number in range(1, self.args.tables + 1):
                purse = purses.open_purse(connection, f"Player {number}")
                purses.sell(connection, purse, COINS, "desk", f"desk/{number}")
                own = random.Random(self.rng.random())
                table = Table(
                    f"Table {number}", self.house.port, self.folder, authority, purse, own, rate=self.args.rate
                )
                table.skew_s = own.uniform(-600, 600)
                self.tables.append(table)

    async def spend(self) -> None:
        door = asyncio.Semaphore(8)

        async def come(table: Table) -> None:
            async with door:
                await self.rejoin(table)

        await asyncio.gather(*map(come, self.tables))
        print(f"{len(self.tables)} tables have joined; {self.args.seconds:g} s of faults", flush=True)
        slow = asyncio.create_task(self._watch_ourselves())
        playing = {table.name: asyncio.create_task(table.play()) for table in self.tables}
        ends = time.monotonic() + self.args.seconds
        failing = asyncio.create_task(self._fail_until(ends))
        while time.monotonic() < ends:
            await asyncio.sleep(self.rng.uniform(0.5, 1.5) * max(2.0, 300 / len(self.tables)))
            table = self.rng.choice(self.tables)
            if table.name not in self.suspects and table.acknowledged > 10:
                await (self._restore if self.rng.random() < 0.5 else self._clone)(table, playing)
        await failing
        for table in self.tables:
            table.is_over = True
        done, late = await asyncio.wait(playing.values(), timeout=180)
        for task in done:
            task.result()
        slow.cancel()
        assert not late, f"{len(late)} tables do not come to an end: the floor lacks something"

    async def _watch_ourselves(self) -> None:
        """Measure this program's own scheduling delay: on a busy machine every wait is longer."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.1)
            self.late_s = max(self.late_s, time.monotonic() - before - 0.1)

    async def _fail_until(self, ends: float) -> None:
        while time.monotonic() < ends - 15:
            await asyncio.to_thread(self.house.fail)
            await asyncio.sleep(self.rng.uniform(8, 16))

    async def _restore(self, table: Table, playing: dict[str, asyncio.Task[None]]) -> None:
        """Restore a table from an old backup: first without telling anybody, then with a code from the pit."""
        self.counts["old backups"] += 1
        await self._pause(table, playing)
        kept = table.rng.randint(5, table.acknowledged - 1)  # the floor cannot miss entries it never had
        table.chain, table.births, table.acknowledged = table.chain[:kept], {}, kept
        await self._named(table, table)
        await self.rejoin(table)
        playing[table.name] = asyncio.create_task(table.play())

    async def _clone(self, table: Table, playing: dict[str, asyncio.Task[None]]) -> None:
        """Run a copy of a table's machine until the floor reports it; then the pit readmits the right one."""
        self.counts["clones"] += 1
        await self._pause(table, playing)
        copy = Table(
            table.name, table.port, table.folder, table.authority, table.purse, random.Random(table.rng.random())
        )
        copy.journal, copy.signer, copy.chain = table.journal, table.signer, list(table.chain)
        copy.epoch, copy.acknowledged, copy._context = table.epoch, table.acknowledged, table._context
        await self._named(table, copy)
        copy.hang_up()
        await self.rejoin(table)
        playing[table.name] = asyncio.create_task(table.play())

    async def _pause(self, table: Table, playing: dict[str, asyncio.Task[None]]) -> None:
        self.suspects.add(table.name)
        while not playing[table.name].done():  # Python 3.11's `wait_for` may swallow a cancellation
            playing[table.name].cancel()
            await asyncio.wait([playing[table.name]], timeout=1)
        table.hang_up()
        table.run, table.ticket = f"{table.rng.getrandbits(64):016x}", ""

    async def _named(self, table: Table, other: Table) -> None:
        """Let both play in turn until the floor reports the fault."""
        began, up = time.monotonic(), 0.0
        while up < NAMED_WITHIN_S:
            for one in {id(table): table, id(other): other}.values():
                try:
                    if other is not table or time.monotonic() - began > 3:
                        one.write({"do": "bet", "player": "Ann", "amount": 1}, [])
                    one.births = {}
                    before = time.monotonic()
                    await one.exchange()
                    up += time.monotonic() - before + 0.2
                except Cut:
                    continue
                found = one.faults & set(NAMED)
                if found:
                    self.named[found.pop()] += 1
                    return
            await asyncio.sleep(0.2)
        state = f"{len(table.chain)} entries, {table.acknowledged} acknowledged, faults {table.faults or 'none'}"
        raise AssertionError(f"{table.name}: the floor says nothing against it ({state})")

    # ---- invariants

    def judge(self) -> None:
        with self.house.connect() as connection:
            names = dict(connection.execute("SELECT name, id FROM floor.house_table").fetchall())
            for table in self.tables:
                query = "SELECT hash FROM floor.history WHERE table_id = %s ORDER BY seq"
                rows = connection.execute(query, (names[table.name],)).fetchall()
                assert [row[0] for row in rows] == [entry.hash for entry in table.chain], table.name
            row = connection.execute("SELECT sum(coins)::bigint FROM floor.purses").fetchone()
            in_purses, at_tables = row[0] if row else 0, sum(table.coins() for table in self.tables)
            sold = COINS * len(self.tables)
            assert in_purses + at_tables == sold, f"{in_purses} in purses, {at_tables} at tables, {sold} sold"
            query = "SELECT DISTINCT t.name FROM floor.incident i JOIN floor.house_table t ON t.id = i.table_id"
            accused = {row[0] for row in connection.execute(query)}
        assert accused == self.suspects, f"accused {accused - self.suspects}, not named {self.suspects - accused}"
        longest = max(self.tables, key=lambda table: table.gap_s)
        words = [sys.executable, "-m", "companion", "floor", "--data", str(self.house.folder), "check"]
        checked = subprocess.run(words, capture_output=True, text=True, check=False)
        counts = self.counts + self.house.counts + sum((table.counts for table in self.tables), Counter())
        print(", ".join(f"{name} {count:,}" for name, count in sorted(counts.items())))
        print("named: " + ", ".join(f"{name} {count}" for name, count in sorted(self.named.items())))
        print(f"{sum(len(table.chain) for table in self.tables):,} entries: the floor has these and no others")
        print(f"{in_purses:,} coins in purses, {at_tables:,} at tables: {sold:,}, as sold")
        print(f"longest wait while a table's line held: {longest.gap_s:.1f} s ({longest.name}); ", end="")
        print(f"this program itself was {self.late_s:.1f} s late at most")
        print(checked.stdout.strip(), checked.stderr.strip())
        assert checked.returncode == 0, "companion floor check finds something"
        if self.late_s < 1.0:  # otherwise the machine was too busy to tell
            assert longest.gap_s <= LONGEST_GAP_S, "an entry waited too long"


def own_disk(stack: ExitStack, place: Path) -> None:
    """Give PostgreSQL a separate disk that can be filled, if this user may mount one."""
    place.mkdir()
    if (
        os.geteuid()
        or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", place], check=False).returncode
    ):
        print("Nobody but root may mount a disk: it is not filled.")
        return
    stack.callback(subprocess.run, ["umount", "--lazy", place], check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--rate", type=float, default=1.0, help="events per second at each table")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    folder = Path(tempfile.mkdtemp(prefix="floor-faults-", dir="/tmp"))
    folder.chmod(0o755)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        own_disk(stack, folder / "postgres")
        evening = Evening(args, folder)
        stack.callback(evening.house.stop)
        evening.set_up()
        asyncio.run(evening.spend())
        evening.judge()


if __name__ == "__main__":
    main()

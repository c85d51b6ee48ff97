"""The floor's private PostgreSQL cluster: in its data directory, on a Unix socket only.

PostgreSQL refuses to run as root; if the floor runs as root, as in a container, its programs run as ``postgres``.
"""

import os
import pwd
import shlex
import shutil
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from companion.kernel.errors import CompanionError

OWNER: Final = "floor_owner"
APP: Final = "floor_app"
AUDITOR: Final = "floor_auditor"
DATABASE: Final = "floor"
_USER_FOR_ROOT: Final = "postgres"
_VERSIONS: Final = Path("/usr/lib/postgresql")
_PID_FILE: Final = "postmaster.pid"
_SETTINGS: Final = "floor.conf"
_REPLACED_DATA_PREFIX: Final = "data.before-"
_UNFINISHED_DATA_PREFIX: Final = "data.unfinished-"
_INCLUDE: Final = f"include_if_exists '{_SETTINGS}'"
_REQUIRED_FILES: Final = ("PG_VERSION", "global/pg_control", "postgresql.conf", "pg_hba.conf", "pg_ident.conf")
_FILES_OF_FIRST_START: Final = (_SETTINGS, "postmaster.opts")
"""Files that the first start creates and never removes; a cluster without them has never held data."""
_START_TIMEOUT_S: Final = 60
_RECOVERY_TIMEOUT_S: Final = 24 * 3600
_ACCESS_RULES: Final = ("local all all peer map=floor\n", f"local replication {OWNER} peer map=floor\n")
_MAX_SOCKET_LENGTH: Final = 90
"""Longest socket directory, in characters; the kernel allows 107 for the whole path."""


class ClusterUnusable(CompanionError):
    """PostgreSQL is not installed or does not start; the message says what to do."""


def find_programs() -> Path:
    """Return the program directory of the newest installed PostgreSQL.

    Raises:
        ClusterUnusable: PostgreSQL is not installed.
    """
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    folders = [one / "bin" for one in _VERSIONS.glob("*") if (one / "bin" / "initdb").exists()]
    if not folders:
        raise ClusterUnusable("PostgreSQL is not installed. Install it: sudo apt install postgresql.")
    return max(folders, key=lambda folder: float(folder.parent.name))


@dataclass(frozen=True, slots=True)
class Cluster:
    """One PostgreSQL cluster.

    Args:
        folder: contains `data`, `socket` and `server.log`.
        archive: directory for archived WAL segments, used for point-in-time recovery.
        settings: PostgreSQL settings that override ours.
    """

    folder: Path
    archive: Path | None = None
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        """PostgreSQL's data directory."""
        return self.folder / "data"

    @property
    def socket(self) -> Path:
        """Directory of the Unix socket."""
        return self.folder / "socket"

    def dsn(self, role: str = APP, database: str = DATABASE) -> str:
        """Return the connection string for a role."""
        host = str(self.socket).replace("\\", r"\\").replace("'", r"\'")
        return f"host='{host}' user={role} dbname={database}"

    def make(self) -> None:
        """Create the cluster if there is none. The leftovers of an interrupted setup are kept next to the new one.

        Raises:
            ClusterUnusable: it cannot be created, or the existing one is incomplete; the message says what to do.
        """
        if len(str(self.socket)) > _MAX_SOCKET_LENGTH:
            raise ClusterUnusable(f"{self.socket} is too long for a socket. Choose a shorter data directory.")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._bring_back()
        if not self._clear_way():
            return
        for place in (self._draft, self.socket):
            shutil.rmtree(place, ignore_errors=True)  # from an interrupted setup
        for place in (self._draft, self.socket):
            place.mkdir(mode=0o700)
        self._hand_over()
        self._run(
            "initdb", "--pgdata", str(self._draft), "--username", OWNER, "--auth", "peer", "--encoding", "UTF8",
            "--locale", "C.UTF-8", "--data-checksums",
        )  # fmt: skip
        (self._draft / "pg_hba.conf").write_text("".join(_ACCESS_RULES), encoding="ascii")
        with (self._draft / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(f"{_INCLUDE}\n")
        users = sorted({_name(os.geteuid()), _name(self._uid)})
        lines = (f"floor {user} {role}\n" for user in users for role in (OWNER, APP, AUDITOR))
        (self._draft / "pg_ident.conf").write_text("".join(lines), encoding="ascii")
        self._hand_over()
        os.sync()  # before the rename, so that the cluster is complete or absent
        self._draft.rename(self.data)

    @property
    def _draft(self) -> Path:
        return self.folder / "data.new"

    def _bring_back(self) -> None:
        """Restore the old data if power was lost while `recover` was replacing it, so no empty cluster is created.

        Only then is there a draft but no data. The leftovers of an earlier recovery are older than the current data.
        """
        aside = sorted(self.folder.glob(f"{_REPLACED_DATA_PREFIX}*"))
        if aside and self._draft.exists() and not _has_files(self.data):
            shutil.rmtree(self.data, ignore_errors=True)
            aside[-1].rename(self.data)

    def _clear_way(self) -> bool:
        """Return whether a cluster must be created; moves an unused one out of the way instead of deleting it.

        Raises:
            ClusterUnusable: a cluster here held data, or may have; never create an empty one in its place.
        """
        lacks = self._lacks()
        if not lacks:
            return False
        if not _has_files(self.data):
            shutil.rmtree(self.data, ignore_errors=True)
            older = sorted(self.folder.glob(f"{_REPLACED_DATA_PREFIX}*"))
            if older:
                raise ClusterUnusable(
                    f"{self.data} is empty, but {older[-1]} has the books from before a recovery. Nothing was changed. "
                    "Recover a newer backup (companion floor recover), or go on with these: mv "
                    f"{_quoted(older[-1], self.data)}, and start again."
                )
            return True
        if "PG_VERSION" in lacks or any((self.data / name).exists() for name in _FILES_OF_FIRST_START):
            raise ClusterUnusable(
                f"{self.data} is not whole: {', '.join(lacks)} missing. The floor's books may be in it, so nothing was "
                "changed, and none are begun anew. Recover a backup (companion floor recover), or bring these files "
                f"back. Only if this floor was never used: mv {_quoted(self.data, self._unfinished)}, and start again."
            )
        try:
            self.data.rename(self._unfinished)  # earlier versions created it in place
        except OSError as error:
            raise ClusterUnusable(f"{self.data} cannot be moved out of the way: {error.strerror}.") from error
        return True

    def _lacks(self) -> list[str]:
        """Return the files missing from the data directory that every complete setup has."""
        lacks = [name for name in _REQUIRED_FILES if not (self.data / name).is_file()]
        if "postgresql.conf" not in lacks:
            lines = (self.data / "postgresql.conf").read_text(encoding="utf-8", errors="replace").splitlines()
            is_ours = any(_SETTINGS in line.partition("#")[0] for line in lines)
            lacks += [] if is_ours else [f'"{_INCLUDE}" in postgresql.conf']
        return lacks

    @property
    def _unfinished(self) -> Path:
        return self.folder / f"{_UNFINISHED_DATA_PREFIX}{time.strftime('%Y%m%d-%H%M%S')}"

    def start(self, patience_s: int = _START_TIMEOUT_S) -> None:
        """Start the server and return once it accepts connections; a no-op if it already runs with these settings.

        Raises:
            ClusterUnusable: it does not start; the message names the log file.
        """
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.socket),
            "synchronous_commit": "on",
            "jit": "off",  # the service's sandbox forbids writable executable memory
            "max_connections": "50",
            "shared_buffers": "128MB",
            "wal_level": "replica",
            "archive_mode": "off" if self.archive is None else "on",
            "archive_command": "" if self.archive is None else self._archiving(self.archive),
            "archive_timeout": "60",
            "hot_standby": "off",  # no connections before recovery has finished
            **self.settings,
        }
        lines, file = "".join(_setting(name, value) for name, value in settings.items()), self.data / _SETTINGS
        if self.is_running:
            if file.read_text(encoding="utf-8") == lines:
                return
            self.stop()  # left running by a floor that was killed
        file.write_text(lines, encoding="utf-8")
        self._let_in()
        log = self.folder / "server.log"
        log.touch()
        self._hand_over()
        self._settle_killed()
        self._run(
            "pg_ctl", "--pgdata", str(self.data), "--log", str(log), "--wait", "--timeout", str(patience_s), "start"
        )
        self._wait_until_recovered(patience_s)

    def _wait_until_recovered(self, patience_s: float) -> None:
        """Wait until the server accepts writes: pg_ctl returns as soon as an archive recovery has begun.

        Raises:
            ClusterUnusable: it exited or timed out.
        """
        import psycopg

        ends = time.monotonic() + patience_s
        while True:
            try:
                psycopg.connect(self.dsn(OWNER, "postgres"), connect_timeout=5).close()
            except psycopg.OperationalError as error:
                if not self.is_alive or time.monotonic() > ends:
                    why = f"PostgreSQL does not come up: {error} See {self.folder / 'server.log'}."
                    raise ClusterUnusable(why) from error
                time.sleep(0.2)
            else:
                return

    def recover(self, base: Path, archive: Path, until: str | None) -> Path:
        """Restore a base backup and replay the WAL archive, to a time or to its end; return the folder of the old data.

        Args:
            until: target time in PostgreSQL syntax, with time zone.

        Raises:
            ClusterUnusable: recovery failed; the old data is back in place.
        """
        if not (base / "PG_VERSION").exists():
            raise ClusterUnusable(f"{base} is no base backup. Name a folder that companion floor backup has written.")
        if "'" in f"{archive}{until}":
            raise ClusterUnusable("The archive's name or the time has a quote in it, which PostgreSQL cannot take.")
        self.stop()
        self._bring_back()
        aside = self.folder / f"{_REPLACED_DATA_PREFIX}{time.strftime('%Y%m%d-%H%M%S')}"
        is_moved = False
        try:
            shutil.rmtree(self._draft, ignore_errors=True)
            shutil.copytree(base, self._draft, symlinks=True)
            self._draft.chmod(0o700)
            self.socket.mkdir(mode=0o700, exist_ok=True)
            lines = [f'restore_command = \'cp "{archive}/%f" "%p"\'', "recovery_target_timeline = 'latest'"]
            if until is not None:
                lines += [f"recovery_target_time = '{until}'", "recovery_target_action = 'promote'"]
            with (self._draft / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in lines))
            (self._draft / "recovery.signal").touch()
            self._hand_over()
            os.sync()
            if self.data.exists():
                self.data.rename(aside)
            self._draft.rename(self.data)
            is_moved = True
            self.start(patience_s=_RECOVERY_TIMEOUT_S)
            self._forget_recovery(len(lines))
        except (OSError, ClusterUnusable) as error:
            self.stop(mode="immediate")
            if is_moved:
                self.data.rename(self._draft)
            if aside.exists():
                aside.rename(self.data)
            shutil.rmtree(self._draft, ignore_errors=True)
            why = error.message if isinstance(error, ClusterUnusable) else str(error)
            raise ClusterUnusable(f"The recovery failed, and everything is as before: {why}") from error
        return aside

    def _forget_recovery(self, count: int) -> None:
        """Remove the settings of a finished recovery; the next one writes its own."""
        file = self.data / "postgresql.auto.conf"
        kept = file.read_text(encoding="utf-8").splitlines(keepends=True)[:-count]
        file.write_text("".join(kept), encoding="utf-8")  # overwritten in place to keep its owner

    def _let_in(self) -> None:
        """Allow replication connections for backups; clusters from earlier versions lack it. Custom lines are kept."""
        file = self.data / "pg_hba.conf"
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        missing = [line for line in _ACCESS_RULES if line not in lines]
        if missing:
            file.write_text("".join((*missing, *lines)), encoding="utf-8")

    def _settle_killed(self) -> None:
        """Wait until the processes of a killed server have exited; remove its pid file if only a zombie remains.

        PostgreSQL refuses to start while they run. In a container the postmaster may remain as a zombie, which nobody
        reaps and which looks alive.
        """
        ends = time.monotonic() + _START_TIMEOUT_S
        while self._processes() and time.monotonic() < ends:
            time.sleep(0.1)
        if not self._processes():
            for left in (self.data / _PID_FILE, *self.socket.glob(".s.PGSQL.*")):
                left.unlink(missing_ok=True)

    def _processes(self) -> list[int]:
        """Return the pids of the server's processes: those whose working directory is the data directory."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # exited meanwhile, or another user's
                if (place / "cwd").readlink() == self.data.resolve():
                    found.append(int(place.name))
        return found

    def _archiving(self, archive: Path) -> str:
        archive.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.geteuid() == 0:
            os.chown(archive, self._uid, pwd.getpwuid(self._uid).pw_gid)
        folder = shlex.quote(str(archive).replace("%", "%%"))
        kept, part = f'{folder}/"%f"', f'{folder}/"%f.part"'
        copy = f'cp "%p" {part} && sync {part} && mv {part} {kept} && sync {folder}'
        return f'cmp -s "%p" {kept} || {{ test ! -f {kept} && {copy}; }}'  # retried after a crash: it may exist already

    def stop(self, *, mode: str = "fast") -> None:
        """Stop the server; committed data is kept. Idempotent."""
        if self.is_running:
            self._run("pg_ctl", "--pgdata", str(self.data), "--mode", mode, "--wait", "stop")

    @property
    def is_running(self) -> bool:
        """Whether the server is running, according to pg_ctl."""
        return self.is_alive and self._call("pg_ctl", "--pgdata", str(self.data), "status").returncode == 0

    @property
    def is_alive(self) -> bool:
        """Whether the process in the pid file exists; cheap enough to poll."""
        try:
            state = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2]
        except (OSError, ValueError, IndexError):
            return False
        return state.split()[0] != "Z"

    @property
    def pid(self) -> int:
        """The server's process id."""
        return int((self.data / _PID_FILE).read_text().split()[0])

    def create_database(self) -> None:
        """Create the floor's database if it does not exist."""
        import psycopg

        with psycopg.connect(self.dsn(OWNER, "postgres"), autocommit=True) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone():
                connection.execute(f"CREATE DATABASE {DATABASE}")

    def copy_to(self, target: Path) -> None:
        """Write a base backup; together with the WAL archive it allows recovery to any later time."""
        target.mkdir(parents=True, mode=0o700)
        if os.geteuid() == 0:
            os.chown(target, self._uid, pwd.getpwuid(self._uid).pw_gid)
        try:
            self._run("pg_basebackup", "--host", str(self.socket), "--username", OWNER, "--pgdata", str(target),
                      "--checkpoint", "fast", "--wal-method", "stream")  # fmt: skip
        except ClusterUnusable:
            with suppress(OSError):
                target.rmdir()
            raise

    # ---- running PostgreSQL's programs

    @property
    def _uid(self) -> int:
        if os.geteuid() != 0:
            return os.geteuid()
        try:
            return pwd.getpwnam(_USER_FOR_ROOT).pw_uid
        except KeyError:
            raise ClusterUnusable(
                "PostgreSQL does not run as root, and there is no user postgres. Install Debian's postgresql."
            ) from None

    def _hand_over(self) -> None:
        """Change the owner of files created by root to the user that PostgreSQL runs as."""
        if os.geteuid() == 0:
            user = pwd.getpwuid(self._uid)
            self.folder.chmod(0o755)
            for place in (self.folder, *self.folder.rglob("*")):
                os.chown(place, user.pw_uid, user.pw_gid, follow_symlinks=False)

    def _programs(self) -> Path:
        """Return the programs of the version that wrote the data, else the newest: data files are version-specific."""
        with suppress(OSError):
            own = _VERSIONS / (self.data / "PG_VERSION").read_text(encoding="ascii").strip() / "bin"
            if (own / "initdb").exists():
                return own
        return find_programs()

    def _run(self, program: str, *arguments: str) -> None:
        done = self._call(program, *arguments)
        if done.returncode:
            said = " ".join((done.stderr or done.stdout or "").split()[-40:])
            raise ClusterUnusable(f"PostgreSQL's {program} failed: {said} See {self.folder / 'server.log'}.")

    def _call(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(self._programs() / program), *arguments]
        if os.geteuid() == 0:
            user = pwd.getpwuid(self._uid)
            command = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", *command]
        # Not a pipe: the server would inherit it and keep it open, so reading it would never end.
        log = self.folder / "setup.log"
        with log.open("w+", encoding="utf-8") as out:
            done = subprocess.run(
                command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd="/", check=False
            )
            out.seek(0)
            return subprocess.CompletedProcess(command, done.returncode, out.read(), "")


def _has_files(folder: Path) -> bool:
    return any(not one.is_dir() or one.is_symlink() for one in folder.rglob("*"))


def _quoted(*paths: Path) -> str:
    return shlex.join(map(str, paths))


def _setting(name: str, value: str) -> str:
    """Return a line of a configuration file.

    >>> _setting("archive_command", "cp '%p' /wal")
    "archive_command = 'cp ''%p'' /wal'\\n"
    """
    quoted = value.replace("'", "''")
    return f"{name} = '{quoted}'\n"


def _name(uid: int) -> str:
    return pwd.getpwuid(uid).pw_name

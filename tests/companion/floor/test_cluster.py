"""A set-up, a recovery or a copy that is cut off, and folders with odd names: the floor comes up all the same."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from companion.cli.floor import server
from companion.floor import cluster as cluster_module
from companion.floor import migrations
from companion.floor.cluster import OWNER, Cluster, ClusterUnusable
from companion.floor.migrations import SchemaTooNew


class Cut(BaseException):
    """The power goes."""


@pytest.fixture
def place() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="floor-", dir="/tmp"))  # not pytest's: PostgreSQL's user must get there
    made.chmod(0o755)
    yield made
    for data in made.glob("*/data"):
        Cluster(data.parent).stop(mode="immediate")
    shutil.rmtree(made)


def started(cluster: Cluster) -> psycopg.Connection:
    cluster.make()
    cluster.start()
    return psycopg.connect(cluster.dsn(OWNER, "postgres"), autocommit=True)


@contextmanager
def cut(owner: object, name: str, when: str) -> Iterator[None]:
    """Let the power go in a call of this name, once it is about a certain program or folder."""
    call = getattr(owner, name)

    def call_or_die(*arguments: object, **more: object) -> object:
        if any(when in str(one) for one in arguments[:2]):
            if name == "_run":
                call(*arguments)
            raise Cut
        return call(*arguments, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, call_or_die)
        with pytest.raises(Cut):
            yield


@pytest.mark.thorough
def test_a_set_up_that_was_cut_off_is_done_again(place: Path):
    cluster = Cluster(place / "postgres")
    with cut(Cluster, "_run", "initdb"):
        cluster.make()
    with started(cluster) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


# ---- what an older version, or a damaged disk, has left


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stands for PostgreSQL's programs, which take seconds; notes what was made."""
    made: list[str] = []

    def run(self: Cluster, program: str, *arguments: str) -> None:
        made.append(program)
        half_made(Path(arguments[arguments.index("--pgdata") + 1]))

    monkeypatch.setattr(Cluster, "_run", run)
    return made


def half_made(data: Path) -> None:
    """What initdb leaves; earlier versions ran it in the place itself, and wrote their settings there afterwards."""
    (data / "global").mkdir(parents=True)
    for name in ("PG_VERSION", "global/pg_control", "postgresql.conf", "pg_hba.conf", "pg_ident.conf"):
        (data / name).write_text("15\n")


def files(folder: Path) -> dict[str, bytes]:
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


def test_a_set_up_that_an_older_version_left_half_made_is_put_aside_and_done_again(place: Path, made: list[str]):
    """It never started, so nothing was ever in it; it is kept all the same."""
    cluster = Cluster(place / "postgres")
    half_made(cluster.data)
    before = files(cluster.data)
    cluster.make()
    assert made == ["initdb"]
    (aside,) = cluster.folder.glob("data.unfinished-*")
    assert files(aside) == before
    assert "include_if_exists 'floor.conf'" in (cluster.data / "postgresql.conf").read_text()
    cluster.make()
    assert made == ["initdb"], "and then it stays"


@pytest.mark.parametrize(
    "missing", ["PG_VERSION", "global/pg_control", "postgresql.conf", "pg_ident.conf", "include_if_exists 'floor.conf'"]
)
def test_books_that_are_not_whole_are_neither_deleted_nor_begun_anew(place: Path, made: list[str], missing: str):
    cluster = Cluster(place / "postgres")
    cluster.make()
    (cluster.data / "base").mkdir()
    (cluster.data / "base" / "16384").write_bytes(b"the books")
    (cluster.data / "floor.conf").write_text("")  # it was started
    if (cluster.data / missing).exists():
        (cluster.data / missing).unlink()
    else:
        (cluster.data / "postgresql.conf").write_text("15\n")
    (cluster.folder / "data.before-20260101-000000").mkdir()
    before = files(cluster.folder)
    with pytest.raises(ClusterUnusable, match=r"nothing was changed.*companion floor recover") as error:
        cluster.make()
    assert missing in error.value.message
    assert (made, files(cluster.folder)) == (["initdb"], before)


def test_files_without_a_version_are_not_deleted_though_none_says_that_it_was_started(place: Path, made: list[str]):
    cluster = Cluster(place / "postgres")
    (cluster.data / "base").mkdir(parents=True)
    (cluster.data / "base" / "16384").write_bytes(b"the books")
    with pytest.raises(ClusterUnusable, match="PG_VERSION"):
        cluster.make()
    assert files(cluster.data) == {"base/16384": b"the books"}
    assert made == []


def test_folders_that_a_cut_off_set_up_left_empty_are_in_nobodys_way(place: Path, made: list[str]):
    cluster = Cluster(place / "postgres")
    (cluster.data / "pg_wal").mkdir(parents=True)
    cluster.make()
    assert made == ["initdb"]
    assert not list(cluster.folder.glob("data.unfinished-*"))


def test_old_books_of_an_earlier_recovery_do_not_come_back_unasked(place: Path, made: list[str]):
    """Only a recovery that was cut off has a draft beside them; without one they may be months old."""
    cluster = Cluster(place / "postgres")
    old = cluster.folder / "data.before-20260101-000000"
    half_made(old)
    with pytest.raises(ClusterUnusable, match=r"the books from before a recovery. Nothing was changed.*: mv "):
        cluster.make()
    assert made == []
    assert not cluster.data.exists()
    (cluster.folder / "data.new").mkdir()
    with (old / "postgresql.conf").open("a") as file:
        file.write("include_if_exists 'floor.conf'\n")
    cluster.make()
    assert made == []
    assert (cluster.data / "PG_VERSION").exists()


@pytest.mark.thorough
def test_a_half_made_cluster_starts(place: Path):
    """As above with PostgreSQL itself: all that initdb does, and nothing after it."""
    cluster = Cluster(place / "postgres")
    with cut(Cluster, "_run", "initdb"):
        cluster.make()
    (cluster.folder / "data.new").rename(cluster.data)
    with started(cluster) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


@pytest.mark.thorough
@pytest.mark.parametrize(("owner", "name", "when"), [(shutil, "copytree", "base"), (Path, "rename", "data.new")])
def test_a_recovery_that_was_cut_off_begins_no_new_books(place: Path, owner: object, name: str, when: str):
    cluster, base = Cluster(place / "postgres"), place / "base"
    with started(cluster) as connection:
        cluster.copy_to(base)
        connection.execute("CREATE TABLE books (coins integer)")
    (place / "wal").mkdir()
    with cut(owner, name, when):
        cluster.recover(base, place / "wal", None)
    with started(cluster) as connection:
        assert connection.execute("SELECT count(*) FROM books").fetchone() == (0,)


@pytest.mark.thorough
def test_a_recovery_for_which_the_disk_is_too_small_touches_nothing(place: Path, monkeypatch: pytest.MonkeyPatch):
    cluster, base = Cluster(place / "postgres"), place / "base"
    with started(cluster) as connection:
        cluster.copy_to(base)
        connection.execute("CREATE TABLE books (coins integer)")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copytree", full)
    with pytest.raises(ClusterUnusable, match=r"everything is as before: .*No space left"):
        cluster.recover(base, place, None)
    with started(cluster) as connection:
        assert connection.execute("SELECT count(*) FROM books").fetchone() == (0,)


@pytest.mark.thorough
def test_folders_may_have_odd_names(place: Path):
    archive = place / 'The house\'s "wal" 100 %f $HOME'
    cluster = Cluster(place / "The house's floor", archive)
    with started(cluster) as connection:
        row = connection.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone()
        assert row is not None
        for _ in range(100):
            if (archive / row[0]).exists():
                break
            connection.execute("SELECT pg_sleep(0.1)")
    assert (archive / row[0]).stat().st_size == 16 << 20


def test_what_is_archived_already_is_not_archived_for_ever(place: Path):
    """The power may go after the copy is in its place and before PostgreSQL has noted it: it asks once more."""
    archive, segment = place / "wal", place / "segment"
    command = Cluster(place / "postgres")._archiving(archive).replace("%f", "0001").replace("%p", str(segment))

    def archived() -> bool:
        return subprocess.run(["/bin/sh", "-c", command], check=False).returncode == 0

    segment.write_bytes(b"one")
    assert archived()
    assert archived()
    segment.write_bytes(b"two")
    assert not archived(), "another segment of this name overwrites nothing"
    assert (archive / "0001").read_bytes() == b"one"


@pytest.mark.thorough
def test_the_programs_are_those_that_wrote_the_data(place: Path, monkeypatch: pytest.MonkeyPatch):
    """A later PostgreSQL, installed beside the first one, does not read its data."""
    versions, cluster = place / "versions", Cluster(place / "postgres")
    real = cluster_module.find_programs()
    with started(cluster):
        cluster.stop()
    (versions / (cluster.data / "PG_VERSION").read_text().strip()).mkdir(parents=True)
    (versions / (cluster.data / "PG_VERSION").read_text().strip() / "bin").symlink_to(real)
    (versions / "99" / "bin").mkdir(parents=True)
    (versions / "99" / "bin" / "initdb").touch()
    monkeypatch.setattr(cluster_module, "_VERSIONS", versions)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with started(cluster):
        assert cluster.is_running


@pytest.mark.thorough
def test_a_floor_that_cannot_open_leaves_no_postgresql_behind(place: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(_: object) -> None:
        raise SchemaTooNew("Update the companion.")

    monkeypatch.setattr(migrations, "migrate", refuse)
    done = CliRunner().invoke(server.command, ["--data", str(place), "--port", "0", "--no-broker"])
    assert isinstance(done.exception, SchemaTooNew)
    assert not Cluster(place / "postgres").is_alive


@pytest.mark.thorough
def test_a_server_that_a_killed_floor_has_left_takes_the_new_settings(place: Path):
    with started(Cluster(place / "postgres")) as connection:
        assert connection.execute("SHOW archive_mode").fetchone() == ("off",)
    with started(Cluster(place / "postgres", place / "wal")) as connection:
        assert connection.execute("SHOW archive_mode").fetchone() == ("on",)


@pytest.mark.thorough
def test_a_backup_that_fails_leaves_nothing_in_the_way_of_the_next(place: Path):
    cluster = Cluster(place / "postgres")
    with started(cluster):
        cluster.stop()
    for _ in range(2):
        with pytest.raises(ClusterUnusable, match="pg_basebackup"):
            cluster.copy_to(place / "base")


@pytest.mark.thorough
def test_paths_may_be_relative(place: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(place)
    cluster = server._cluster(Path(), Path("wal"))
    with started(cluster):
        done = CliRunner().invoke(server.command, ["--data", ".", "backup", "base"])
    assert done.exit_code == 0, done.output
    assert (place / "base" / "PG_VERSION").exists()
    assert cluster.archive == place / "wal"

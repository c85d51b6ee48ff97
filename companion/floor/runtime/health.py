"""Read-only health check of the infrastructure: database, WAL archive, disk, broker, certificates.

`companion.floor.check` checks the books.
"""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from cryptography import x509
from psycopg import Connection

from companion.floor.migrations import migrations

MIN_FREE_BYTES: Final = 1_000_000_000
ENDS_SOON: Final = timedelta(days=7)
MAX_OPEN_S: Final = 60


def machine_problems(connection: Connection[Any], folder: Path) -> Iterator[str]:
    """Yield each problem with its remedy.

    Args:
        folder: the floor's data directory.
    """
    yield from _wrong_with_database(connection)
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        yield f"Only {free // 1_000_000} MB are free in {folder}. Make room: a full disk stops the floor, no table."
    yield from _wrong_with_certificate(folder / "https" / "table.pem")


def _wrong_with_database(connection: Connection[Any]) -> Iterator[str]:
    row = connection.execute("SELECT max(number) FROM floor.migration").fetchone()
    found, wanted = (0 if row is None else row[0]), migrations()[-1][0]
    if found != wanted:
        yield f"The database has version {found}, this program wants {wanted}. Start the floor, which brings it there."
    row = connection.execute(
        "SELECT last_failed_wal, last_failed_time::text FROM pg_stat_archiver "
        "WHERE last_failed_time > coalesce(last_archived_time, '-infinity')"
    ).fetchone()
    if row is not None:
        yield f"The archive did not take {row[0]} at {row[1]}. Is its disk full, or away?"
    row = connection.execute(
        "SELECT count(*) FROM floor.transfer WHERE state = 'reserved' AND asked < now() - make_interval(secs => %s)",
        (MAX_OPEN_S,),
    ).fetchone()
    if row is not None and row[0]:
        yield (
            f"{row[0]} transfers between purses and tables have not been finished for a minute. Are their tables on?"
        )


def _wrong_with_certificate(path: Path) -> Iterator[str]:
    try:
        ends = x509.load_pem_x509_certificate(path.read_bytes()).not_valid_after_utc
    except (OSError, ValueError) as error:
        yield f"The floor's certificate {path} cannot be read: {error}."
        return
    if ends - datetime.now(UTC) < ENDS_SOON:
        yield f"The floor's certificate ends {ends:%Y-%m-%d}. Start the floor again, which renews it."

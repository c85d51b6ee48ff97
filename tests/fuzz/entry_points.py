"""Where bytes from outside come into the program: each as a function that any bytes may be given to.

A function returns, or lets a bug's exception out. What a person is told (a `CompanionError`) is no bug.
"""

import gzip
import hashlib
import io
import json
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

from flask import Flask
from webclient import PIN, PLAYERS, csrf_of, log_in
from werkzeug.test import Client, EnvironBuilder

from companion.app.operations.release import NoRelease, Release
from companion.cli.pictures import UnreadableFile, _picture, is_picture
from companion.config.file import ConfigError, parse_config
from companion.journal.backups.backup import MANIFEST, ROOT
from companion.journal.backups.pending import ArchiveError
from companion.journal.backups.restore import unpack_checked
from companion.journal.store import FILE_NAME as JOURNAL_NAME
from companion.journal.trust.mark import read_mark
from companion.journal.trust.proof import ReceiptCode
from companion.journal.trust.signing import KeyBook, KeyUnusable
from companion.kernel.script import replay
from companion.objects.codes import check_code, make_code, parse_code
from companion.objects.decks import DeckError, DeckStore
from companion.service.table_service import TableService
from companion.testing import DECKS, INSTALLED, new_header
from companion.vision.picture_size import is_decodable
from web_ui import AccessStore, create_app
from web_ui.access.file import FILE
from web_ui.access.store import AccessError
from web_ui.serving.framing import Malformed, RequestReader, refusal

MEMORY: Final = Path("/dev/shm")
BODY_LIMIT: Final = 16 * 1024
_KEYS: Final = {"K7QX": b"secret"}


def scratch() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that is thrown away, in memory where there is such a disk."""
    return tempfile.TemporaryDirectory(prefix="fuzz-", dir=MEMORY if MEMORY.is_dir() else None)


def script(data: bytes) -> None:
    """A hand script: whatever its lines hold, there is a result that can be written as JSON."""
    lines = data.decode("utf-8", "surrogateescape").splitlines()
    json.dumps(replay(lines, INSTALLED).result).encode("ascii")


def config(data: bytes) -> None:
    """A configuration: it is taken, or its error names the file."""
    with suppress(UnicodeDecodeError):  # the reader of the file says so
        text, told = data.decode("utf-8-sig"), "table.toml"
        try:
            parse_config(Path("table.toml"), text, INSTALLED)
        except ConfigError as error:
            told = str(error)
        assert "table.toml" in told


def payload(data: bytes) -> None:
    """The text of a code that the camera reads, or that a person types from a receipt."""
    text = data.decode("utf-8", "replace")
    if (code := parse_code(text)) is not None:
        assert code.text == text
        status = check_code(code, _KEYS, frozenset({"6D3", "T6"}))
        assert (status.value == "ok") == (
            code in (make_code("6D3", "K7QX", b"secret"), make_code("T6", "K7QX", b"secret"))
        )
    if (found := ReceiptCode.parse(text)) is not None and found.text is not None:
        assert ReceiptCode.parse(found.text) == found


def picture(data: bytes) -> None:
    """A picture: it is decoded, or refused as unreadable."""
    if is_decodable(data) and is_picture(data[:32]):
        with suppress(UnreadableFile):
            assert _picture(data).ndim == 3


def backup(data: bytes) -> None:
    """A backup: it is unpacked whole, or refused, and nothing lands outside its folder.

    The first byte says which layer the rest is: the file, what gzip holds, the list of files, or one of the files.
    """
    kind, rest = data[:1], data[1:]
    if kind == b"0":
        content = rest
    elif kind == b"1":
        content = gzip.compress(rest, 1)
    elif kind == b"2":
        content = _archive({MANIFEST: rest})
    else:
        sums = {JOURNAL_NAME: hashlib.sha256(rest).hexdigest()}
        manifest = json.dumps({"version": 1, "made": "2026-05-01", "files": sums}).encode()
        content = _archive({JOURNAL_NAME: rest, MANIFEST: manifest})
    with scratch() as folder:
        archive, inside = Path(folder, "backup.tar.gz"), Path(folder, "in", "fresh")
        inside.mkdir(parents=True)
        archive.write_bytes(content)
        with suppress(ArchiveError):
            unpack_checked(archive, inside, INSTALLED)
        assert {path.name for path in Path(folder).iterdir()} == {"backup.tar.gz", "in"}
        assert [path.name for path in Path(folder, "in").iterdir()] == ["fresh"]


def _archive(files: Mapping[str, bytes]) -> bytes:
    """Return a backup as the companion packs it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(f"{ROOT}/{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def stored(data: bytes) -> None:
    """Files that somebody has edited, or a disk has damaged: a deck, the signing key, the second place, access, a
    release's list."""
    with suppress(NoRelease):
        Release.parse(data)
    with scratch() as name:
        folder = Path(name)
        decks = DeckStore(folder, DECKS)
        decks.folder.mkdir(parents=True, exist_ok=True)
        (decks.folder / "K7QX.json").write_bytes(data)
        with suppress(DeckError):
            decks.get("K7QX")
        (folder / "signing-journal.key").write_bytes(data)
        with suppress(KeyUnusable):
            KeyBook.beside(folder / "journal.sqlite3").trusted()
        (folder / FILE).write_bytes(data)
        with suppress(AccessError):
            AccessStore(folder)
        for mark in (data, b"- " + data):  # without the code of a key, as an auditor reads it
            (folder / "mark").write_bytes(mark)
            read_mark(folder / "mark", None)


def request(data: bytes) -> None:
    """A request as a client sends it, up to the answer of the page: never 5xx.

    The first byte says who asks: 0 a stranger, else the dealer's browser.
    """
    reader = RequestReader(BODY_LIMIT)
    for at in range(1, len(data), 700):
        reader.feed(data[at : at + 700])
        try:
            while (whole := reader.take()) is not None:
                _answered(whole.head.lines[0], dict(_headers(whole.head.lines[1:])), whole.body, data[:1] != b"0")
        except Malformed as refused:
            refusal(refused.status, refused.message)
            return


def _headers(lines: tuple[bytes, ...]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, _, value = line.partition(b":")
        yield name.decode("latin-1").title(), value.strip().decode("latin-1")


def _answered(first: bytes, headers: dict[str, str], body: bytes, is_dealer: bool) -> None:
    table = _table()
    method, target, _ = first.decode("latin-1").split(" ")
    path, _, query = target.partition("?")
    if is_dealer:
        headers |= table.dealer
        if "X-Csrftoken" not in headers and body:
            headers["X-Csrftoken"] = table.token
    environ = EnvironBuilder(method=method, path="/", headers=headers, data=body).get_environ()
    environ["PATH_INFO"] = _unquoted(path)
    environ["QUERY_STRING"] = query
    answer = Client(table.app).run_wsgi_app(environ, buffered=False)
    status, chunks = int(answer[1].split()[0]), answer[0]
    try:
        if "event-stream" not in answer[2].get("Content-Type", ""):
            for _ in chunks:
                pass
    finally:
        if hasattr(chunks, "close"):
            chunks.close()
    assert status < 500 or status == 503, f"{answer[1]}: {first!r}"


def _unquoted(path: str) -> str:
    """Return the path as servers hand it on: percent signs decoded, bytes as Latin-1."""
    from urllib.parse import unquote_to_bytes

    return unquote_to_bytes(path.encode("latin-1")).decode("latin-1")


class _Table:
    """A table of Roche with its pages, and the dealer's browser. Kept for as long as the process runs."""

    def __init__(self, stack: ExitStack) -> None:
        folder = Path(stack.enter_context(scratch()))
        access = AccessStore(folder)
        access.set_pin(PIN)
        service = stack.enter_context(TableService.open(folder / "journal.db", new_header("roche", PLAYERS), INSTALLED))
        self.app: Flask = create_app(service, access=access, test_config={"TESTING": False})
        browser = self.app.test_client()
        log_in(browser)
        self.token = csrf_of(browser, "/dealer")
        cookies = "; ".join(f"{one.key}={one.value}" for one in browser._cookies.values())
        self.dealer = {"Cookie": cookies, "Host": "localhost"}


_open: Final = ExitStack()


@cache
def _table() -> _Table:
    return _Table(_open)


@contextmanager
def closing() -> Iterator[None]:
    """Close, at the end, the table that requests went to."""
    try:
        yield
    finally:
        _open.close()
        _table.cache_clear()


ENTRY_POINTS: Final[dict[str, Callable[[bytes], Any]]] = {
    function.__name__: function for function in (script, config, payload, picture, backup, stored, request)
}

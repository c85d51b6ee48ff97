"""The golden suite's interface to the product: the only file to edit when modules move.

Everything else in this folder uses public interfaces only: the command line, the HTTP API and pages, the panel's lines
and display, and the journal's text. Objects of the product are converted to plain JSON here.
"""

from __future__ import annotations

import contextlib
import functools
import html
import io
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Self
from unittest import mock

from flask.testing import FlaskClient
from jinja2 import FileSystemBytecodeCache
from webclient import seat_sessions

from companion import cli
from companion.app.setup.service import TableSetup
from companion.config.file import load_config
from companion.config.panel import PanelConfig
from companion.journal.store import FILE_NAME
from companion.kernel.errors import CompanionError, TableError
from companion.kernel.table import Header
from companion.kernel.table import Table as Rules
from companion.locale import Translator
from companion.service.settings import TableSettings
from companion.service.table_service import TableService
from companion.testing import INSTALLED
from hardware.panel.board import Pins
from hardware.panel.button_actions import actions_of
from hardware.panel.displays import FakeDisplay
from hardware.panel.mock import MockPins
from hardware.panel.panel import Panel
from hardware.panel.remote import MockPanel
from web_ui import AccessStore, create_app

Json = dict[str, Any]

PIN: Final = "4711"
DEALER: Final = {"Authorization": f"Bearer {PIN}"}
LANGUAGES: Final = ("de", "es")
"""Languages besides English, the table's default."""
BEGIN: Final = datetime(2026, 1, 2, 20, 0, tzinfo=UTC)
BUTTONS: Final = ("deal", "play", "fold", "undo", "next", "hold")
_COLUMNS: Final = 250
"""Width of the display, for all texts on one page."""
_LOOK_S: Final = (1.3, 3.8)
"""Time after a command at which its cue is over, and until which the lights are recorded."""
_REST_S: Final = 21.0
_RULES: Final = "rules of the day"
_PLAIN: Final = {"TESTING": True, "PUBLIC_URL": "http://table", "WTF_CSRF_METHODS": []}
"""Flask settings without CSRF tokens, which are tested elsewhere."""
_READ_AGAIN: Final = 200


def translated(sentence: str, game: str) -> list[str]:
    """Return a sentence of a game's table in the other `LANGUAGES`."""
    say = Translator(INSTALLED.packages, lambda: INSTALLED.named(game).package)
    return [say(sentence, language) for language in LANGUAGES]


def refusal(header: Json, records: Sequence[Json], asked: Sequence[Json]) -> list[list[str] | None]:
    """Return code and message of each command's rejection after these records; None if it is legal."""
    table = Rules(Header.parse(header, INSTALLED))
    for record in records:
        with contextlib.suppress(TableError):
            table.do(record)
    found: list[list[str] | None] = []
    for record in asked:
        try:
            table.do(record)
        except TableError as error:
            found.append([error.code, error.message])
        else:
            found.append(None)
            if record["do"] == "undo":
                table.do({"do": "redo"})
            else:
                table.do({"do": "undo"})
    return found


def verbs(header: Json) -> list[str]:
    """Return all verbs of a table."""
    return sorted(Rules(Header.parse(header, INSTALLED)).verbs)


# ---- the command line


def command_line(*arguments: str) -> tuple[int, str, str]:
    """Run `companion` in this process; return exit code, standard output and error output."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run_command_line(list(arguments))
    return code, out.getvalue(), err.getvalue()


def command_line_process(*arguments: str) -> tuple[int, str, str]:
    """Run `companion` in a process."""
    done = subprocess.run([sys.executable, "-m", "companion", *arguments], capture_output=True, text=True,
                          timeout=120, check=False)  # fmt: skip
    return done.returncode, done.stdout, done.stderr


# ---- a table with its pages and its panel


class _Clock:
    """Both clocks of a table: the journal's, set by the test, and the panel's."""

    def __init__(self) -> None:
        self.now = BEGIN
        self.t = 100.0

    def journal(self) -> datetime:
        return self.now

    def panel(self) -> float:
        return self.t


class House:
    """State shared by several tables, so that the PIN is hashed only once."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.access = AccessStore(folder)
        self.access.set_pin(PIN)
        self._count = 0

    def table(self, header: Json) -> Table:
        """Open a table; the additional header key ``shown`` sets display options (practice, chances, …)."""
        self._count += 1
        return Table(header, self.folder / str(self._count), self.access)


class Table:
    """One table, accessed through its public interfaces; a context manager."""

    def __init__(self, header: Json, folder: Path, access: AccessStore) -> None:
        self._folder, self._access, self._clock, self._seats = folder, access, _Clock(), {}
        self._open(header)

    def _open(self, header: Json) -> None:
        folder = self._folder
        shown = {key: tuple(v) if isinstance(v, list) else v for key, v in header.get("shown", {}).items()}
        with mock.patch("companion.journal.replay.rules_fingerprint", return_value=_RULES):
            self._service = TableService.open(
                folder / FILE_NAME, Header.parse(header, INSTALLED), INSTALLED,
                settings=TableSettings(**shown), clock=self._clock.journal,
                new_id=lambda: "golden", random=bytes,
            )  # fmt: skip
        self.__dict__.pop("_client", None)
        self.panel = PanelOf(self._service, self._clock)
        self._header = header

    @functools.cached_property
    def _client(self) -> FlaskClient:
        folder = self._folder
        eyes: Any = None  # no camera
        table_setup = TableSetup(
            folder, folder / "companion.toml", load_config(None, INSTALLED)[0], self._service, eyes
        )
        app = create_app(self._service, access=self._access, table_setup=table_setup, test_config=_PLAIN)
        app.jinja_env.bytecode_cache = FileSystemBytecodeCache(str(folder.parent))  # every table has its own pages
        return app.test_client()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.panel.close()
        self._service.close()

    def restart(self, header: Json) -> str | None:
        """Restart the table, optionally with another game; if that fails, return the reason and restart the old one."""
        self.panel.close()
        self._service.close()
        self._seats = {}
        try:
            self._open(header)
        except CompanionError as error:
            self._open(self._header)
            return str(error)
        return None

    def at(self, seconds: int) -> None:
        """Set the journal's clock, seconds since the beginning."""
        self._clock.now = BEGIN + timedelta(seconds=seconds)

    # ---- programs

    def do(self, record: Json, viewer: str = "dealer") -> Json:
        """Submit a command; return the answer or the refusal."""
        body = json.dumps(record)  # in the script's key order: Flask's client would sort the keys
        answer = self._client.post("/api/v1/commands", data=body, content_type="application/json", **self._as(viewer))
        body = answer.get_json()
        if answer.status_code != 200:
            return {"status": answer.status_code, "code": body["code"], "message": body["message"]}
        return {"seq": body["seq"], **told(body["events"])}

    def refused(self, record: Json, viewer: str) -> list[str]:
        """Return the message for a rejected command in each of the other `LANGUAGES`."""
        found = []
        for language in LANGUAGES:
            who = self._as(viewer)
            asked = who | {"headers": who.get("headers", {}) | {"Accept-Language": language}}
            found.append(self._client.post("/api/v1/commands", json=record, **asked).get_json()["message"])
        return found

    def play(self, records: Sequence[Json]) -> None:
        """Submit legal commands, ignoring the answers."""
        for record in records:
            self._service.submit(record, source="dealer")

    def entries(self, after: int) -> list[Json]:
        """Return the journal's entries after a number."""
        return self._service.events(after, 1000, "dealer")

    def view(self, viewer: str, language: str = "en") -> Json:
        """Return the view of ``room``, ``dealer`` or ``seat/1``."""
        who = self._as(viewer)
        asked = who | {"headers": who.get("headers", {}) | {"Accept-Language": language}}
        answer = self._client.get("/api/v1/state", **asked)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return dict(answer.get_json())

    def _as(self, viewer: str) -> Json:
        if viewer == "dealer":
            return {"headers": DEALER, "query_string": {"as": "dealer"}}
        if viewer.startswith("seat/"):
            number = viewer.partition("/")[2]
            names = {str(p["seat"]): p["name"] for p in self._service.view("room")["players"]}
            if self._seats.get(number) != names.get(number):
                self._seats = names
                with self._client.session_transaction() as session:  # the phone that scanned the seat's code
                    session["seats"] = seat_sessions(self._access, names)
        return {"query_string": {"as": viewer}}

    def get(self, path: str) -> Any:
        """Return the API's answer to the dealer."""
        answer = self._client.get(f"/api/v1/{path}", headers=DEALER)
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return answer.get_json() if answer.is_json else answer.get_data(as_text=True)

    def post(self, path: str, body: Json) -> Any:
        """Return the API's answer to the dealer's POST request."""
        return self._client.post(f"/api/v1/{path}", json=body, headers=DEALER).get_json()

    # ---- people

    def page(self, path: str, language: str = "en") -> list[str]:
        """Return the words of a page, line by line."""
        self._client.set_cookie("language", language)
        for _ in range(_READ_AGAIN):
            answer = self._client.get(path)
            assert answer.status_code == 200, f"{path}: {answer.status_code}"
            text = answer.get_data(as_text=True)
            if 'id="reading"' not in text:  # otherwise the progress page for reading the journal
                return words(text)
        raise AssertionError(f"{path} is still being read")

    def page_data(self, path: str) -> Json:
        """Return the initial data of a page's script."""
        text = self._client.get(path).get_data(as_text=True)
        found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)
        assert found, f"{path} carries no data"
        return dict(json.loads(found[1]))

    def reasons(self) -> Json:
        """Return the data of the dealer's payout explanations."""
        return dict(self._client.get("/dealer/reasons", headers=DEALER).get_json())

    # ---- the journal

    def journal(self, kind: str) -> list[str]:
        """Return the journal as `companion journal export` writes it."""
        code, out, err = command_line("journal", "export", "--format", kind, "--data", str(self._folder))
        assert code == 0, err
        return out.splitlines()

    def public_key(self) -> str:
        """Return the journal's public signing key, different in each run."""
        code, out, err = command_line("journal", "key", "--data", str(self._folder))
        assert code == 0, err
        return re.findall(r"[0-9a-f]{64}", out)[0]

    def verified(self) -> Json:
        """Return the output of `companion journal verify`."""
        with mock.patch("companion.journal.verify.rules_fingerprint", return_value=_RULES):
            code, out, _ = command_line("journal", "verify", "--json", "--data", str(self._folder))
        found = json.loads(out)
        for name in ("keys", "signed", "is_trusted"):  # each table has its own key
            del found[name]
        return {"exit": code, **found}


def told(events: Sequence[Json]) -> Json:
    """Return the events' sentences and transfers."""
    said = [event["text"] for event in events if "text" in event]
    moved = [[e["payer"], e["payee"], e["coins"], e["why"]] for e in events if e["event"] == "Transfer"]
    return {"said": said, **({"moved": moved} if moved else {})}


def said_by_entry(entry: Json) -> Json:
    """Return an entry's content without raw text and hashes."""
    kept = {key: entry[key] for key in ("seq", "at", "session", "kind", "source", "do", "record")}
    return kept | told(entry["events"])


def words(page: str) -> list[str]:
    """Return the text between a page's tags, and the points of its charts.

    >>> words("<main><p>Ann &amp; <b>Bo</b></p><script>no</script><path d='M0 1'/></main>")
    ['Ann & | Bo']
    """
    main = re.search(r"<main.*?</main>", page, re.DOTALL)
    body = re.sub(r"<(script|style|svg)\b.*?</\1>|<!--.*?-->", "", main[0] if main else page, flags=re.DOTALL)
    blocks = re.split(r"</?(?:p|div|h\d|li|ul|ol|tr|table|section|article|main|dl|dt|dd|form|figure|nav)\b[^>]*>", body)
    lines = (" | ".join(filter(None, (p.strip() for p in re.split(r"<[^>]*>", block)))) for block in blocks)
    return [html.unescape(" ".join(line.split())) for line in lines if line.strip()]


def _act(act: object) -> str:
    """Return a description of a button's action: a command, or an action of the panel itself."""
    said = [type(act).__name__.lower()]
    for name in ("record", "card_is", "question", "choice", "what", "whose"):
        value = getattr(act, name, None)
        if value is not None:
            said.append(json.dumps(value, ensure_ascii=False) if name == "record" else str(value))
    return " ".join(said)


class PanelOf:
    """A table's panel on mock pins, with its own clock."""

    def __init__(self, service: TableService, clock: _Clock) -> None:
        config = PanelConfig()
        self._clock, self._service = clock, service
        pins = MockPins(clock.panel)
        self._bench = MockPanel(pins, config)
        self._display = FakeDisplay(_COLUMNS)
        with mock.patch("secrets.token_hex", return_value="golden"):  # the keys of its commands are in the journal
            self._panel = Panel(service, Pins(config, pins), config, display=self._display, clock=clock.panel)
        self._panel.begin()
        self._run(2.0)

    def close(self) -> None:
        self._panel.close()

    def _run(self, seconds: float) -> None:
        until = self._clock.t + seconds
        due: float | None = self._clock.t
        while due is not None and due <= until:
            self._clock.t = max(self._clock.t, due)
            due = self._panel.step()
        self._clock.t = until

    def look(self) -> Json:
        """Return the lights that are on, the blinking ones (on and off, ms), and both display lines."""
        self._panel.step()
        self._run(_LOOK_S[0])
        count, began, before = len(self._bench.changes()), self._clock.t, dict(self._bench.lines())
        shown = list(self._display.shown[-1])
        self._run(_LOOK_S[1] - _LOOK_S[0])
        blinks: dict[str, list[float]] = {}
        for t, line, _ in self._bench.changes(count):
            blinks.setdefault(line, []).append(t - began)
        steady = sorted(line for line, on in before.items() if on and line not in blinks)
        rhythm = {
            line: sorted({round(1000 * (b - a)) for a, b in itertools.pairwise(at)}) for line, at in blinks.items()
        }
        return {"on": steady, "blinks": rhythm, "display": shown}

    def buttons(self) -> dict[str, Json]:
        """Return button -> current action."""
        moment = self._service.moment()
        found = actions_of(INSTALLED.named(moment.rules.name).panel, moment)
        return {button: {"label": action.label, "act": _act(action.act)} for button, action in found.items()}

    def rest(self) -> None:
        """Wait until nothing is pending and an open menu closes."""
        self._panel.step()
        self._run(_REST_S)

    def press(self, button: str, hold_s: float = 0.1) -> None:
        """Press a button and let go of it."""
        for is_down, seconds in ((True, hold_s), (False, 0.2)):
            self._bench.contact(button, is_down)
            self._run(seconds)
        with contextlib.suppress(TableError):  # answered last, when all notices are written
            self._service.submit({"do": "is-everything-written"}, source="dealer")

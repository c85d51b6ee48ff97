"""Two games that differ only in secrets are indistinguishable to everybody else until the reveal."""

import io
import json
import logging
import re
import shutil
import tarfile
import zipfile
from datetime import UTC, datetime
from itertools import count

import pytest
from webclient import dealer_session, seat_sessions

from companion.app.bug_report import bundle
from companion.cli import run_command_line
from companion.games.king.camera.interpreter import KingInterpreter
from companion.journal.backups.backup import make_backup
from companion.journal.store import FILE_NAME, JournalReader
from companion.kernel.errors import TableError
from companion.kernel.header import Header
from companion.plugins.perception import CardSettings
from companion.service.announcer import spoken
from companion.service.table_service import TableService
from companion.testing import INSTALLED, moment_at, say
from companion.tracking.cards.observations import LyingCard, TrackedTable
from hardware.panel.button_actions import Cursor
from hardware.panel.lights import status_light
from hardware.panel.texts import screen
from web_ui import AccessStore, create_app
from web_ui.live import StreamSpec, stream

NAMES = ("Ann", "Bo", "Cy", "Dee")
SEATS = {f"seat/{number}": name for number, name in enumerate(NAMES, start=1)}
VIEWERS = ("room", "dealer", *SEATS)
BROWSERS = ("room", "dealer", "seat/2", "seat/4")
PIN = "4711"
VOTES = [{"do": "vote", "player": name, "for": "Ann"} for name in NAMES]


def sealed(rule, one, two, guess, bets, cy_doubles):
    """Return a round's commands; Cy gives two secret ones with or without the bonus."""
    cover = {"do": "use-bonus", "player": "Cy"} if cy_doubles else {"do": "bet", "player": "Cy", "space": bets["Cy"]}
    return [
        {"do": "buy-bonus", "player": "Cy"},
        {"do": "rule", "text": rule, "one": one, "two": two},
        {"do": "guess", "range": guess},
        *({"do": "bet", "player": name, "space": space} for name, space in bets.items()),
        {**cover, "follows": True},
    ]


FIRST = sealed("xylophones pay", [1, 2], 3, "0-1", {"Bo": 1, "Cy": 3, "Dee": "king"}, cy_doubles=True)
SECOND = sealed("zz" * 99, [6, 4], 5, "2-3", {"Bo": "king", "Cy": 2, "Dee": 6}, cy_doubles=False)
BOX = ((0.0, 0.0), (63.0, 0.0), (63.0, 88.0), (0.0, 88.0))
OPEN_CARDS = TrackedTable(
    9.0,
    tuple(
        LyingCard(track, card, "K7QX", "ok", BOX, BOX, 1.0, 1.0, 1.0, 1.0, 5, zone=zone)
        for track, (card, zone) in enumerate((("B1", "bet/1"), ("C2", "bet/2"), ("D6", "bet/6"), ("G01", "guess")))
    ),
    mat="king-of-roulette",
)
RESTART = {"do": "restart"}
"""Pseudo-command: close and reopen the table."""


class Play:
    """A table with all its viewers, and everything they are shown."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.shown = []
        self._seconds = 0
        self._random = count(1)
        self.eyes = KingInterpreter(CardSettings())
        self.service = None
        self._open()

    def _open(self):
        header = Header(INSTALLED.rules("king-of-roulette"), tuple((name, 9) for name in NAMES), {})
        self.service = TableService.open(
            self.folder / FILE_NAME, header, INSTALLED, clock=self._now, new_id=lambda: "same", random=self._bytes
        )
        self._streams = {viewer: stream(self.service, StreamSpec(viewer)) for viewer in VIEWERS}
        for one in self._streams.values():
            next(one)  # the greeting

    def _now(self):
        return datetime.fromtimestamp(1_000_000 + self._seconds, UTC)

    def _bytes(self, length):
        return next(self._random).to_bytes(length)

    def do(self, *records):
        """Submit commands, including illegal ones; record the answers and everything pushed to viewers."""
        for record in records:
            self._seconds += 1  # only here, since the number of clock reads depends on the machine's load
            if record == RESTART:
                self.service.close()
                self._open()
            else:
                self.shown.append(("answer", plain(self._answer(record))))
            for viewer, one in self._streams.items():
                self.shown.append((f"pushed to {viewer}", of_others(viewer, next(one).decode())))
            self.shown += [("panel", self._panel()), ("voice", self._voice()), ("camera", self._camera())]
            self.shown.append(("odds", self.service.games["king-of-roulette"].odds.shown(self._state())))
        return self

    def _state(self):
        return self.service._table.situation().state

    def _answer(self, record):
        source = record.get("source", "dealer")
        record = {name: value for name, value in record.items() if name != "source"}
        try:
            return list(self.service.submit(record, source=source).events)
        except TableError as error:
            self.service.notice("refused", source="table")  # so that there is something to push
            return error.code

    def _panel(self):
        moment = moment_at(self.service._table)
        panel = self.service.games["king-of-roulette"].panel
        menu, actions = panel.menu(moment), panel.buttons(moment)
        told = actions, menu, list(panel.rare(moment)), panel.lights(moment), panel.on_table(moment), moment.undo
        return repr((told, status_light(panel, moment), screen(moment, menu, Cursor(), actions, None, 250)))

    def _voice(self):
        """Return the spoken texts in each language."""
        said = spoken(self.service.glance())
        return [plain(say(text, language)) for text in (*said.news, said.prompt) for language in ("en", "de", "es")]

    def _camera(self):
        """Return the camera's questions and commands, with face-up cards that everybody sees."""
        seen = self.eyes.interpret(OPEN_CARDS, self.service._table.situation(), {})
        return repr((seen.command, [question.text for question in seen.questions], self.eyes.report()))

    def browse(self):
        """Return (address, viewer) -> page or API answer, for everything a viewer can get."""
        access = AccessStore(self.folder / "web", clock=lambda: 0.0)
        access.set_pin(PIN)
        app = create_app(self.service, access=access, test_config={"TESTING": True})
        browsers = {viewer: app.test_client() for viewer in BROWSERS}
        found = {}
        for viewer, browser in browsers.items():
            with browser.session_transaction() as cookie:
                cookie.update(dealer=dealer_session(access)) if viewer == "dealer" else None
                cookie.update(seats=seat_sessions(access, {viewer[5:]: SEATS[viewer]})) if viewer in SEATS else None
            for path in paths(self.service, viewer):
                answer = browser.get(path)
                body = of_others(viewer, answer.get_data(as_text=True))
                found[path, viewer] = (answer.status_code, OF_ONE_PROGRAM.sub("", body))
        return found

    def files(self, capsys):
        """Return the outputs of programs on the data folder: export, backup, report, and file sizes."""
        for argv in (["export"], ["export", "--format", "json"], ["tail", "-n", "99"], ["verify"]):
            assert run_command_line(["journal", *argv, "--data", str(self.folder)]) == 0
            yield str(argv), plain(capsys.readouterr().out)
        make_backup(self.folder, self.folder / "backup.tar", INSTALLED)
        with tarfile.open(self.folder / "backup.tar") as tar:
            yield "backup", [(member.name, member.size) for member in tar.getmembers()]
        (self.folder / "backup.tar").unlink()
        report = bundle(INSTALLED, self.folder, self.folder / "companion.toml")
        yield "report", [plain(text) for text in texts_in(report)]
        self.service.close()
        yield "folder", sorted((path.name, path.stat().st_size) for path in self.folder.iterdir() if path.is_file())


def texts_in(report):
    with zipfile.ZipFile(io.BytesIO(report)) as files:
        return [files.read(name).decode() for name in sorted(files.namelist()) if name != "log.txt"]


OF_ONE_PROGRAM = re.compile(
    r'(?m)^[a-z_]+(http_seconds|_created).*$|"boot":"\w+"|name="csrf_token" value="[^"]+"|class="qrline"[^>]*>'
)
"""Durations, process and form tokens, and a receipt's hash as a code."""
RANDOM = re.compile(
    r"[0-9a-f]{12,}(?:…)?|[A-Za-z0-9+/]{200,}=*|(?<=nonce-)[\w-]+|(?<=\"csrf\":\")[^\"]+|20\d\d-[-:.\dTZ+]+"
    r"|(?<=table's key )[0-9a-f ]{19}"
)
"""Hashes, encrypted boxes, the signing key, page keys and the time of day."""


def plain(value):
    """Return a value as text, with random parts replaced by placeholders of equal length."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return RANDOM.sub(lambda found: "#" * len(found[0]), text)


def of_others(viewer, text):
    """Return a viewer's text without the viewer's own secrets."""
    before, found, rest = text.partition('"secrets":')
    if found and viewer in SEATS:
        text = before + rest[json.JSONDecoder().raw_decode(rest.lstrip())[1] + len(rest) - len(rest.lstrip()) :]
    return plain(text)


def paths(service, viewer):
    """Return the addresses accessible to a viewer."""
    session, number = service.history.latest() or (1, 1)
    hand = f"{session}-{number}"
    own = f"/{viewer}" if viewer in SEATS else "/dealer"
    api = ("state", "events", "hands", f"hands/{hand}", "hands.csv", "hands.json", "transfers.csv", "transfers.json")
    pages = ("/", own, "/odds", "/history", "/history/log", f"/history/session/{session}", "/dealer/reasons")
    return (
        *(f"/api/v1/{name}" for name in api), *pages, f"/history/{session}/{number}",
        f"/history/{session}/{number}/receipt", "/healthz", "/readyz", "/metrics",
    )  # fmt: skip


@pytest.fixture
def play(tmp_path):
    """Return a function that plays commands at a new table."""
    opened = []

    def played(name, records=()):
        opened.append(Play(tmp_path / name))
        return opened[-1].do(*records)

    yield played
    for one in opened:
        one.service.close()


def whole_round(secrets):
    """Return a round's commands with all kinds of commands in between."""
    *first, last = secrets
    return [
        *VOTES[:2], {"do": "undo"}, {"do": "redo"}, *VOTES[2:], *first, {"do": "undo"}, {"do": "redo"}, last,
        {"do": "bet", "player": "Dee", "space": 9}, first[-1], {"do": "hold"}, {"do": "release"}, RESTART,
        {"do": "undo"}, {"do": "undo"},
    ]  # fmt: skip


def test_two_rounds_that_differ_only_in_secrets_look_the_same_everywhere(play, capsys, caplog):
    caplog.set_level(logging.DEBUG)
    tables, pages, files, logs = [], [], [], []
    for name, secrets in (("1", FIRST), ("2", SECOND)):
        tables.append(play(name, whole_round(secrets)))
        pages.append(tables[-1].browse())
        files.append(list(tables[-1].files(capsys)))
        logs.append([plain(record.getMessage()).replace(str(tables[-1].folder), "") for record in caplog.records])
        caplog.clear()
    for shown in ([table.shown for table in tables], [list(page.items()) for page in pages], files, logs):
        for one, two in zip(*shown, strict=True):
            assert one == two
    assert {status for status, _ in pages[0].values()} == {200, 401, 404}


def uses(name):
    return {"do": "use-bonus", "player": name}


def uncovered(first, last, covers_king):
    """Return a round in which bonuses are used without a phone page: before any bet, and after all of them."""
    return [
        *VOTES, *({"do": "buy-bonus", "player": name} for name in NAMES), first, {"do": "undo"}, {"do": "redo"},
        {"do": "rule", "text": "Pay", "one": [1, 2], "two": 3}, {"do": "guess", "range": "0-1"}, covers_king,
        *({"do": "bet", "player": name, "space": 1} for name in NAMES[1:]), last,
        *({"do": verb, "whole": True} for verb in ("undo", "redo", "undo", "undo", "redo")), RESTART, {"do": "undo"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "other",
    [
        (uses("Dee"), uses("Cy"), uses("Ann")),
        (uses("Ann"), uses("Dee"), {"do": "guess", "range": "2-3"}),
        (uses("Ann"), {"do": "bet", "player": "Bo", "space": "king"}, uses("Cy")),
    ],
    ids=["others", "the king and the last to bet", "another bet"],
)
def test_nobody_learns_who_used_a_bonus_that_no_phone_page_covered(play, other):
    one = (uses("Cy"), uses("Bo"), {"do": "rule", "text": "No", "one": [4, 5], "two": 6})
    tables = [play(name, uncovered(*choices)) for name, choices in (("1", one), ("2", other))]
    for mine, its in zip(*(table.shown for table in tables), strict=True):
        assert mine == its
    pages = [table.browse() for table in tables]
    for where, page in pages[0].items():
        assert page == pages[1][where]


def by_phones(doubling):
    """Return a round sealed on phones as by their pages, with a bonus for the players named."""
    chosen = {name: [{"do": "bet", "space": 1}] for name in NAMES[1:]}
    chosen["Ann"] = [{"do": "rule", "text": "Pay", "one": [1, 2], "two": 3}, {"do": "guess", "range": "0-1"}]
    for seat, name in SEATS.items():
        first, *more = [*chosen[name], {"do": "use-bonus"} if name in doubling else chosen[name][-1]]
        for record in (first, *({**record, "follows": True} for record in more)):
            yield {**record, "player": name, "source": seat}
        yield from ({"do": verb, "whole": True} for verb in ("undo", "redo"))


def test_nobody_learns_whose_phone_used_a_bonus_although_each_entry_names_its_phone(play):
    bought = [{"do": "buy-bonus", "player": name} for name in NAMES]
    tables = [play(str(n), [*VOTES, *bought, *by_phones(who)]) for n, who in enumerate((("Ann", "Cy"), ("Bo",), NAMES))]
    pages = [table.browse() for table in tables]
    assert tables[0].shown == tables[1].shown == tables[2].shown
    assert pages[0] == pages[1] == pages[2]
    assert tables[0].service.view()["ready"] == {"rule": True, "guess": True, "bets": ["Bo", "Cy", "Dee"]}
    assert tables[0].service.view("seat/3")["secrets"]["uses_bonus"] is True


def test_what_is_compared_does_differ_after_the_reveal(play):
    tables = [play(name, [*VOTES, *secrets, {"do": "reveal"}]) for name, secrets in (("1", FIRST), ("2", SECOND))]
    different = {one[0] for one, two in zip(tables[0].shown, tables[1].shown, strict=True) if one != two}
    assert different == {"answer", "voice", *(f"pushed to {viewer}" for viewer in VIEWERS)}
    pages = [table.browse() for table in tables]
    for path in ("/", "/api/v1/state", "/api/v1/events", "/api/v1/hands", "/history/1/1"):
        assert pages[0][path, "room"] != pages[1][path, "room"]


def test_two_scripts_that_differ_only_in_secrets_have_the_same_result(tmp_path, capsys):
    header = {"game": "king-of-roulette", "players": [{"name": name, "coins": 9} for name in NAMES]}
    printed = []
    for secrets in (FIRST, SECOND):
        script = tmp_path / "script.jsonl"
        script.write_text("\n".join(json.dumps(one) for one in [header, *VOTES, *secrets]))
        assert run_command_line(["replay", str(script)]) == run_command_line(["replay", str(script), "--json"]) == 0
        printed.append(capsys.readouterr())
    assert printed[0] == printed[1]


def votes(*names):
    return [{"do": "vote", "player": player, "for": name} for player, name in zip(NAMES, names, strict=True)]


def test_votes_differ_in_nothing_but_the_king(play):
    """Bo becomes king by three votes or by two; nobody learns who voted for whom, before or after."""
    rest = [*sealed("Pay", [1, 2], 3, "0-1", {"Ann": 1, "Cy": 3, "Dee": "king"}, cy_doubles=True), {"do": "reveal"}]
    tables = [
        play(name, [*votes(*voted), *rest])
        for name, voted in (("1", ("Bo", "Bo", "Bo", "Cy")), ("2", ("Cy", "Bo", "Ann", "Bo")))
    ]
    assert tables[0].shown == tables[1].shown
    assert tables[0].browse() == tables[1].browse()


def test_a_secret_command_in_the_journal_is_as_long_as_any_other(play):
    folder = play("first", VOTES + FIRST).folder
    with JournalReader.open(folder / FILE_NAME) as reader:
        records = [entry.record for entry in reader.entries() if '"sealed"' in entry.record]
    assert len(records) == len(VOTES) + len(FIRST) - 1
    assert len({len(record) for record in records}) == 1


def test_no_secret_word_stands_in_any_file_backup_or_bug_report(play, tmp_path):
    folder = play("first", VOTES + FIRST).folder
    make_backup(folder, tmp_path / "backup.tar", INSTALLED)
    report = bundle(INSTALLED, folder, folder / "companion.toml")
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    for data in (*files, (tmp_path / "backup.tar").read_bytes(), report):
        assert b"xylophones" not in data
    secret = (folder / FILE_NAME).with_suffix(".seal").read_bytes()
    assert secret not in (tmp_path / "backup.tar").read_bytes()


def test_verify_says_of_a_copy_that_it_lacks_what_opens_the_secrets(play, tmp_path, capsys):
    shutil.copytree(play("first", VOTES + FIRST).folder, tmp_path / "copy", ignore=shutil.ignore_patterns("*.seal"))
    assert run_command_line(["journal", "verify", "--data", str(tmp_path / "copy")]) == 0
    assert "Session 1 was not replayed: the secret of its sealed commands is missing." in capsys.readouterr().out


def test_an_error_is_told_to_whoever_asked_and_to_nobody_else(play, caplog):
    caplog.set_level(logging.DEBUG)
    service = play("first", VOTES + FIRST).service
    before = service.view_json("room"), service.events(0, 1000)
    for record in ({"do": "use-bonus", "player": "Cy"}, {"do": "bet", "player": "Bo", "space": 77}):
        with pytest.raises(TableError):
            service.submit(record, source="seat/3")
    assert (service.view_json("room"), service.events(0, 1000)) == before
    assert "xylophones" not in caplog.text
    assert "77" not in caplog.text


def test_our_own_mistake_logs_no_secret(play, caplog, monkeypatch):
    service = play("first", VOTES).service
    monkeypatch.setattr(service._table, "do", lambda record: {}[record["space"]])
    with pytest.raises(TableError, match="made a mistake"):
        service.submit({"do": "bet", "player": "Bo", "space": 777}, source="seat/2")
    assert "Internal error: a sealed command from seat/2" in caplog.text
    assert "KeyError" in caplog.text
    assert "777" not in caplog.text


def test_each_player_sees_their_own_secrets_and_nobody_elses(play):
    service = play("first", VOTES + FIRST).service
    seen = [service.view(f"seat/{seat}")["secrets"] for seat in (1, 2, 3, 4)]
    assert seen[0]["rule"] == {"text": "xylophones pay", "one": [1, 2], "two": 3}
    assert seen[0]["guess"] == "0-1"
    assert [own["space"] for own in seen] == [None, 1, 3, "king"]
    assert [own["uses_bonus"] for own in seen] == [False, False, True, False]
    assert all(own["rule"] is own["guess"] is None for own in seen[1:])
    assert not any("secrets" in service.view(viewer) for viewer in ("room", "dealer"))


def test_undo_says_nothing_of_what_it_takes_back(play):
    service = play("first", VOTES + FIRST).service
    view = service.view("dealer")
    assert (view["undo"], view["undoes"]) == ("a secret choice", {"do": "secret"})
    service.submit({"do": "undo", "only": {"do": "secret"}}, source="dealer")
    assert service.view("dealer")["redo"] == "a secret choice"

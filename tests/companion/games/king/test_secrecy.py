"""Two games that differ only in secrets look the same to everybody else, everywhere, until the reveal."""

from __future__ import annotations

import json
import logging
import re
from itertools import islice

import pytest

from companion.app.bug_report import bundle
from companion.journal.backup import make_backup
from companion.journal.store import FILE_NAME, JournalReader
from companion.kernel.errors import TableError
from companion.kernel.header import Header
from companion.service.table_service import TableService
from companion.testing import INSTALLED, moment_at
from web_ui import AccessStore, create_app
from web_ui.live import StreamSpec, stream

NAMES = ("Ann", "Bo", "Cy", "Dee")
VOTES = [{"do": "vote", "player": name, "for": "Ann"} for name in NAMES]


def sealed(rule, one, two, guess, bets, cy_doubles):
    """Return a round's commands; with or without the bonus, Cy gives two secret ones."""
    cover = {"do": "use-bonus", "player": "Cy"} if cy_doubles else {"do": "bet", "player": "Cy", "space": bets["Cy"]}
    return [
        {"do": "buy-bonus", "player": "Cy"},
        {"do": "rule", "text": rule, "one": one, "two": two},
        {"do": "guess", "range": guess},
        *({"do": "bet", "player": name, "space": space} for name, space in bets.items()),
        cover,
    ]


FIRST = sealed("xylophones pay", [1, 2], 3, "0-1", {"Bo": 1, "Cy": 3, "Dee": "king"}, cy_doubles=True)
SECOND = sealed("zz", [6, 4], 5, "2-3", {"Bo": "king", "Cy": 2, "Dee": 6}, cy_doubles=False)


@pytest.fixture
def play(tmp_path):
    """Play commands at a table of its own; return the service and its folder."""
    opened = []

    def played(name, records):
        folder = tmp_path / name
        folder.mkdir()
        header = Header(INSTALLED.rules("king-of-roulette"), tuple((name, 9) for name in NAMES), {})
        service = TableService.open(folder / FILE_NAME, header, INSTALLED, new_id=lambda: "same")
        opened.append(service)
        for record in records:
            service.submit(record, source="table")
        return service, folder

    yield played
    for service in opened:
        service.close()


NOT_COMPARED = re.compile(r'"(at|head|hash|prev|by|begun|ended|since|seal|nonce|box)": ?"[^"]*"')


def plain(value):
    """Return a value as text without times, hashes and what is random in a seal."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return NOT_COMPARED.sub("", text)


def outputs(service, folder, viewers):
    """Return everything that these viewers, programs and files show."""
    for viewer in viewers:
        yield viewer, plain(service.view_json(viewer, "de").decode())
        yield f"events for {viewer}", plain(service.events(0, 1000, viewer))
    yield "hands", plain(service.history.hands())
    session, number = service.history.latest()
    yield "steps", plain([step.to_json() for step in service.history.steps(session, number)])
    app = create_app(service, access=AccessStore(folder / "web"))
    client = app.test_client()
    for path in ("/api/v1/state", "/api/v1/events", "/api/v1/hands", "/api/v1/hands.csv", "/metrics"):
        text = client.get(path).get_data(as_text=True)
        yield path, re.sub(r"(?m)^[a-z_]+(http_seconds|_created).*$|20..-..-..T[0-9:.]*Z", "", plain(text))
    yield "stream", plain(next(islice(stream(service, StreamSpec("room")), 1, None)).decode())
    moment = moment_at(service._table)
    panel = service.games["king-of-roulette"].panel
    yield "panel", repr((panel.buttons(moment), panel.menu(moment), list(panel.rare(moment)), moment.undo))
    with JournalReader.open(folder / FILE_NAME) as reader:
        yield "journal", plain([entry.to_json() for entry in reader.entries()])


VIEWERS = ("room", "dealer", "seat/4")


def test_two_rounds_that_differ_only_in_secrets_look_the_same(play):
    """Seat 4 has bet, too, but only its own secrets are told to it."""
    dee = [{"do": "bet", "player": "Dee", "space": 2}]
    first = dict(outputs(*play("first", VOTES + FIRST + dee), VIEWERS))
    second = dict(outputs(*play("second", VOTES + SECOND + dee), VIEWERS))
    assert first.keys() == second.keys()
    for name, shown in first.items():
        assert shown == second[name], name


def test_after_every_single_command_the_room_sees_the_same(play):
    one, two = play("first", VOTES), play("second", VOTES)
    for a, b in zip(FIRST, SECOND, strict=True):
        one[0].submit(a, source="table")
        two[0].submit(b, source="table")
        for viewer in ("room", "dealer", "seat/4"):
            views = [json.loads(service.view_json(viewer)) for service, _ in (one, two)]
            for view in views:
                if viewer == "seat/4":
                    assert view.pop("secrets")["rule"] is None
            assert plain(views[0]) == plain(views[1])


def votes(*names):
    return [{"do": "vote", "player": player, "for": name} for player, name in zip(NAMES, names, strict=True)]


def test_votes_differ_in_nothing_but_the_king(play):
    """Bo is king by three votes or by two; who voted for whom nobody learns, before or after."""
    first = play("first", votes("Bo", "Bo", "Bo", "Cy"))
    second = play("second", votes("Cy", "Bo", "Ann", "Bo"))
    for one, two in zip(outputs(*first, VIEWERS), outputs(*second, VIEWERS), strict=True):
        assert one == two


def test_a_secret_command_in_the_journal_is_as_long_as_any_other(play):
    _, folder = play("first", VOTES + FIRST)
    with JournalReader.open(folder / FILE_NAME) as reader:
        records = [entry.record for entry in reader.entries() if '"sealed"' in entry.record]
    assert len(records) == len(VOTES) + len(FIRST) - 1
    assert len({len(record) for record in records}) == 1


def test_no_secret_word_stands_in_any_file_backup_or_bug_report(play, tmp_path):
    _, folder = play("first", VOTES + FIRST)
    make_backup(folder, tmp_path / "backup.tar", INSTALLED)
    report = bundle(INSTALLED, folder, folder / "companion.toml")
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    for data in (*files, (tmp_path / "backup.tar").read_bytes(), report):
        assert b"xylophones" not in data
    secret = (folder / FILE_NAME).with_suffix(".seal").read_bytes()
    assert secret not in (tmp_path / "backup.tar").read_bytes()


def test_an_error_is_told_to_whoever_asked_and_to_nobody_else(play, caplog):
    caplog.set_level(logging.DEBUG)
    service, _ = play("first", VOTES + FIRST)
    before = service.view_json("room"), service.events(0, 1000)
    for record in ({"do": "use-bonus", "player": "Cy"}, {"do": "bet", "player": "Bo", "space": 77}):
        with pytest.raises(TableError):
            service.submit(record, source="seat/3")
    assert (service.view_json("room"), service.events(0, 1000)) == before
    assert "xylophones" not in caplog.text
    assert "77" not in caplog.text


def test_our_own_mistake_logs_no_secret(play, caplog, monkeypatch):
    service, _ = play("first", VOTES)
    monkeypatch.setattr(service._table, "do", lambda record: 1 / 0)
    with pytest.raises(TableError, match="made a mistake"):
        service.submit({"do": "bet", "player": "Bo", "space": 4}, source="seat/2")
    assert "Our own mistake: sealed" in caplog.text
    assert '"space"' not in caplog.text.split("Traceback")[0]


def test_each_player_sees_their_own_secrets_and_nobody_elses(play):
    service, _ = play("first", VOTES + FIRST)
    seen = [service.view(f"seat/{seat}")["secrets"] for seat in (1, 2, 3, 4)]
    assert seen[0]["rule"] == {"text": "xylophones pay", "one": [1, 2], "two": 3}
    assert seen[0]["guess"] == "0-1"
    assert [own["space"] for own in seen] == [None, 1, 3, "king"]
    assert [own["uses_bonus"] for own in seen] == [False, False, True, False]
    assert all(own["rule"] is own["guess"] is None for own in seen[1:])
    assert not any("secrets" in service.view(viewer) for viewer in ("room", "dealer"))


def test_undo_says_nothing_of_what_it_takes_back(play):
    service, _ = play("first", VOTES + FIRST)
    view = service.view("dealer")
    assert (view["undo"], view["undoes"]) == ("Cy's secret choice", {"do": "secret"})
    service.submit({"do": "undo", "only": {"do": "secret"}}, source="dealer")
    assert service.view("dealer")["redo"] == "Cy's secret choice"

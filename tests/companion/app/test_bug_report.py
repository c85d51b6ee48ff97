"""A bug report contains the data for debugging, but no name, PIN, code, key, address or password."""

import io
import json
import unicodedata
import zipfile
from pathlib import Path

import pytest

from companion.app.bug_report import Scrubber, bundle
from companion.cli import run_command_line as run
from companion.journal.store import FILE_NAME
from companion.kernel.messages import message
from companion.objects.decks import DeckStore
from companion.service.table_service import TableService
from companion.testing import DECKS, INSTALLED, new_header
from web_ui.access.store import AccessStore, spaced

NAMES = ("Aubrey Vane", "Zoë", "O'Hara (2)", "Kin")
LATE = "Quentin"
DECOMPOSED = "Rene\u0301e"
DEALER = "Delphine"
SIGNED_ON = "Fridolin"
"At the floor."
PIN = "830417"
CONFIG = """[[players]]
name = "Configured Cara"
coins = 5
[camera]
source = "rtsp://admin:hunter2@10.9.8.7/live?token=abc123"
"""


def texts_in(packed: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        return {name.partition("/")[2]: archive.read(name).decode() for name in archive.namelist()}


@pytest.fixture
def evening(tmp_path: Path) -> tuple[Path, list[str]]:
    """A data directory after a few rounds, with the secrets in it."""
    access = AccessStore(tmp_path)
    access.set_pin(PIN)
    code = access.seat_code(2)
    deck = DeckStore(tmp_path, DECKS).new("roche", "Mine")
    (tmp_path / "companion.toml").write_text(CONFIG)
    players = tuple((name, 50) for name in NAMES)
    with TableService.open(tmp_path / FILE_NAME, new_header("roche", players), INSTALLED) as service:
        service.submit({"do": "bet", "player": "Zoë", "on": "cut/6", "amount": 5}, source="seat/2", key="idem-4242")
        service.submit({"do": "join", "player": LATE, "coins": 7}, source="dealer")
        service.submit({"do": "recount", "player": LATE, "coins": 9, "reason": "Zoë found two"}, source="dealer")
        service.notice("Dealer logged in at 192.168.77.5", source="web", private=True)
        service.notice("A phone joined seat 2 (Zoë)", source="web")
        service.submit({"do": "join", "player": f" {DECOMPOSED}", "coins": 7}, source="dealer")
        service.notice(f"{DEALER} deals now", source="dealer", data={"duty": {"dealer": DEALER, "checked": True}})
        service.submit({"do": "no-more-bets"}, source="dealer")
        service.submit({"do": "deal", "card": "6D3"}, source="camera")
    stored = json.loads((tmp_path / "access.json").read_text())
    secret = [
        *NAMES[:3],
        LATE,
        DECOMPOSED,
        unicodedata.normalize("NFC", DECOMPOSED),
        DEALER,
        "Configured Cara",
        PIN,
        code,
        spaced(code),
        stored["secret"],
        stored["pin_hash"],
    ]
    return tmp_path, [*secret, deck.key.hex(), "hunter2", "abc123", "10.9.8.7", "192.168.77.5", str(tmp_path)]


def test_nothing_secret_is_in_it(evening: tuple[Path, list[str]]) -> None:
    data, secrets = evening
    log = "\n".join(f"line about {secret}" for secret in secrets if secret != PIN)  # a PIN is written down nowhere
    packed = bundle(
        INSTALLED,
        data,
        data / "companion.toml",
        log=log,
        state={"view": {"players": [{"name": name} for name in NAMES], "floor": {"dealer": SIGNED_ON}}},
    )
    secrets = [*secrets, SIGNED_ON]
    for name, text in texts_in(packed).items():
        for secret in secrets:
            assert secret.lower() not in text.lower(), f"{secret!r} is in {name}"
            assert json.dumps(secret)[1:-1].lower() not in text.lower(), f"{secret!r} is in {name}, escaped"


def test_a_name_with_a_slash_is_taken_out_of_the_accounts_too() -> None:
    told = Scrubber(["A/B", "Bo"]).text("stake/A%2FB/cut/6 player/A/B stake/Bo/cut/6")
    assert told == "stake/Player 1/cut/6 player/Player 1 stake/Player 2/cut/6"


def test_what_a_search_takes_for_a_name_is_taken_out_and_ends_no_report() -> None:
    """Case-insensitive regexes match the dotted capital I and the dotless i with i, but `casefold` does not."""
    assert Scrubber(["Ali"]).text("ALI, ALİ, alı and Alina") == "Player 1, removed, removed and Alina"


def test_whose_card_is_asked_about_is_taken_out(tmp_path: Path) -> None:
    """A person who showed a player card but is not seated yet is not in this table's journal."""
    asked = {"text": message("Seat {player} at seat {seat}? The card was shown.", player="Zelda", seat=3)}
    packed = bundle(INSTALLED, tmp_path, tmp_path / "companion.toml", state={"view": {"questions": [asked]}})
    assert "Seat Player 1 at seat 3?" in texts_in(packed)["state.json"]


def test_what_is_needed_is_in_it(evening: tuple[Path, list[str]]) -> None:
    data, _ = evening
    texts = texts_in(bundle(INSTALLED, data, data / "companion.toml", log="Camera: lost", state={"doctor": []}))
    assert set(texts) == {"README.txt", "versions.json", "settings.toml", "state.json", "journal.jsonl", "log.txt"}
    entries = [json.loads(line) for line in texts["journal.jsonl"].splitlines()]
    bet = next(entry for entry in entries if entry["do"] == "bet")
    assert bet["record"] == {"do": "bet", "player": "Player 2", "on": "cut/6", "amount": 5}
    assert bet["events"][0]["player"] == "Player 2"
    assert next(entry for entry in entries if entry["do"] == "deal")["record"]["card"] == "6D3"
    assert [entry["record"] for entry in entries if entry["record"].get("private")] == [{"private": True}]
    assert (
        "Flask" in json.loads(texts["versions.json"])["packages"]
        or "flask" in json.loads(texts["versions.json"])["packages"]
    )
    assert "rtsp://ADDRESS/live" in texts["settings.toml"]
    assert "Camera: lost" in texts["log.txt"]


def test_a_directory_without_a_journal_has_a_report_too(tmp_path: Path) -> None:
    texts = texts_in(bundle(INSTALLED, tmp_path, tmp_path / "companion.toml"))
    assert texts["journal.jsonl"] == ""
    assert "not readable" in texts["settings.toml"]


def test_the_command_writes_the_file(evening: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    data, secrets = evening
    out = data / "report.zip"
    assert run(["bug-report", "--data", str(data), "--out", str(out)]) == 0
    assert "Look through it" in capsys.readouterr().out
    texts = texts_in(out.read_bytes())
    assert {check["name"] for check in json.loads(texts["state.json"])["doctor"]} >= {
        "system",
        "data",
        "journal",
        "port",
    }
    assert not [secret for secret in secrets for text in texts.values() if secret in text]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("ANN folds", "Player 1 folds"),
        ("Anna and Johann stay", "Anna and Johann stay"),
        ("from fe80::1c2:ff:fe00:1 at 12:30:05", "from ADDRESS at 12:30:05"),
        ("http://me:pw@host/x?key=1", "http://host/x"),
    ],
)
def test_names_are_whole_words_and_addresses_go(said: str, left: str) -> None:
    assert Scrubber(["Ann"]).text(said) == left

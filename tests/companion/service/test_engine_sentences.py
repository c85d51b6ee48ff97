"""All messages of the engine itself are translated into every language, whatever is played."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from coin_toss import COIN_TOSS

from companion.journal.checkpoints import pack, unpack
from companion.journal.history.hand_history import HandHistory
from companion.journal.session_transfer import carried
from companion.journal.sessions import undecided_words
from companion.kernel import events
from companion.kernel.accounts import CAGE, Account
from companion.kernel.commands import TABLE_VERBS
from companion.kernel.errors import BadAmount, OverLimit, TableError
from companion.kernel.events import SessionBegan
from companion.kernel.game import Seat
from companion.kernel.header import Header
from companion.kernel.ledger import Ledger, Transfer
from companion.kernel.messages import Message, Value
from companion.kernel.shared.banked import Wish, parse_limits
from companion.kernel.table import Table
from companion.locale import Translator
from companion.plugins.registry import Games
from companion.service.table_service import TableService
from companion.testing import INSTALLED
from hardware.cameras import CameraError, choose_camera
from hardware.cameras.reconnecting import ReconnectingCamera
from web_ui.access.lockout import Guesser
from web_ui.access.store import AccessError, AccessStore

GAMES = Games([COIN_TOSS])
SAY = Translator(INSTALLED.packages)
SCRIPTS = sorted((Path(__file__).parents[2] / "playthroughs").glob("*/*.jsonl"))
ENGLISH = re.compile(r"\b(the|and|of|is|has|it|there|here|not|than|again|by|with|to|for)\b")


def nameless(text: Message) -> Message:
    """Return a message without the names and other untranslated values in it."""
    values = {
        slot: nameless(value) if isinstance(value, Message) else _masked(value) for slot, value in text.values.items()
    }
    return Message(text.key, values, text.plural)


def _masked(value: Value) -> Value:
    return value if isinstance(value, int) else "…"


def check(text: object) -> None:
    """Check that a text is fully translated into German and Spanish."""
    assert isinstance(text, Message), f"no message: {text}"
    plain = nameless(text)
    for language in ("de", "es"):
        said = SAY(plain, language)
        assert said != str(plain), f"not in {language}: {text}"
        assert not ENGLISH.search(said), f"half English: {said}"


def test_the_check_finds_plain_text_and_what_is_not_translated():
    for wrong in ("The table goes on", Message("The table is made of wood")):
        with pytest.raises(AssertionError):
            check(wrong)


# ---- what happens


def engines_own() -> Iterator[str]:
    """Return the engine's own messages in the recorded playthroughs of all games."""
    for script in SCRIPTS:
        lines = [json.loads(line) for line in script.read_text().splitlines() if line.strip() and line[0] != "#"]
        try:
            table = Table(Header.parse(lines[0], INSTALLED))
            for record in lines[1:]:
                happened = table.do(record)
                own = (event for event in happened if type(event).__module__ == events.__name__)
                yield from (event.sentence for event in own if not isinstance(event, Transfer))
                if table.records and table.records[-1]["do"] in TABLE_VERBS:
                    yield table.describe(table.records[-1])
                yield from (why for verb, why in table.reasons().items() if verb in ("undo", "redo", "release"))
        except TableError:
            continue


def test_all_that_the_table_itself_says_in_the_playthroughs_is_translated():
    said = set(engines_own())
    assert len(said) > 30
    for text in said:
        check(text)


# ---- what is refused

HOUSE: dict[str, Any] = {"game": "coin-toss", "players": [{"name": "Ann", "coins": 50}], "options": {}}
REFUSED: list[tuple[str, list[dict[str, Any]]]] = [
    ("not at the start", [{"do": "undo"}]),
    ("nothing was undone", [{"do": "redo"}]),
    ("no hold", [{"do": "release"}]),
    ("no such verb", [{"do": "fly"}]),
    ("nobody of that name", [{"do": "buy-in", "player": "Zed", "coins": 5}]),
    ("no amount", [{"do": "buy-in", "player": "Ann", "coins": -5}]),
    ("nothing to cash out", [{"do": "cash-out", "player": "Ann"}, {"do": "cash-out", "player": "Ann"}]),
    ("counted the same", [{"do": "recount", "player": "Ann", "coins": 50, "reason": "why not"}]),
    ("counted for no reason", [{"do": "recount", "player": "Ann", "coins": 51, "reason": ""}]),
    ("no count", [{"do": "recount", "player": "Ann", "coins": "x", "reason": "why not"}]),
    ("neither player nor pot", [{"do": "recount", "coins": 5, "reason": "why not"}]),
    ("no pot", [{"do": "recount", "pot": 9, "coins": 5, "reason": "why not"}]),
    ("long reason", [{"do": "hold", "why": "x" * 300}]),
    ("on hold", [{"do": "hold"}, {"do": "buy-in", "player": "Ann", "coins": 5}]),
    ("name taken", [{"do": "join", "player": "Ann", "coins": 5}]),
    ("no name", [{"do": "join", "player": " ", "coins": 5}]),
    ("seat taken", [{"do": "join", "player": "Bo", "coins": 5, "seat": 1}]),
    ("no seat", [{"do": "join", "player": "Bo", "coins": 5, "seat": 0}]),
    ("coins left", [{"do": "leave", "player": "Ann"}]),
    ("bets left", [{"do": "bet", "player": "Ann", "on": "heads", "amount": 5}, {"do": "leave", "player": "Ann"}]),
    ("no bet there", [{"do": "take-back", "player": "Ann", "on": "heads"}]),
    ("too few coins", [{"do": "bet", "player": "Ann", "on": "heads", "amount": 51}]),
    ("something came between", [{"do": "buy-in", "player": "Ann", "coins": 5}, {"do": "undo", "only": {"number": 7}}]),
]


@pytest.mark.parametrize("records", [records for _, records in REFUSED], ids=[name for name, _ in REFUSED])
def test_what_the_table_refuses_is_said_in_every_language(records: list[dict[str, Any]]):
    table = Table(Header.parse(HOUSE, GAMES))
    for record in records[:-1]:
        table.do(record)
    with pytest.raises(TableError) as refused:
        table.do(records[-1])
    assert str(refused.value) == str(refused.value.message)
    check(refused.value.message)


@pytest.mark.parametrize("options", [{"min": 5}, {"max": 1}, {"cap": 1}, {"bank": 1}])
def test_limits_are_said_in_every_language(options: dict[str, int]):
    for had in (0, 2):
        with pytest.raises((BadAmount, OverLimit)) as refused:
            parse_limits(options).check(Wish("heads", 2, lambda n: n, lambda n: n, 10, had=had))
        check(refused.value.message)


# ---- from one session to the next


def test_what_could_not_be_carried_over_is_said_in_every_language():
    header = Header.parse(HOUSE, GAMES)
    old = Ledger(credit=True).post(
        [
            Transfer(CAGE, Account.pot(6), 3, "ante"),
            Transfer(CAGE, Account.player("Cy"), 1, "ante"),
            Transfer(Account.player("Ann"), CAGE, 5, "lost"),
        ]
    )
    behind = carried(header, [Seat(1, "Ann")], old, {}).left_behind
    assert behind
    for words in behind:
        check(words)
    undecided = undecided_words(header.rules, header.rules.start((), {}), old)
    check(undecided)
    assert undecided == "3 coins lie in the pots and Ann owes coins"


def test_a_hold_keeps_its_reason_in_every_language_over_a_restart():
    table = Table(Header.parse(HOUSE, GAMES))
    table.do({"do": "hold"})
    back = unpack(pack(table.position), type(table.position.state))
    assert back is not None
    assert back.hold == table.position.hold
    check(back.hold)


def test_the_steps_of_a_hand_are_told_in_every_language(tmp_path: Path):
    with TableService.open(tmp_path / "journal.db", Header.parse(HOUSE, GAMES), GAMES) as service:
        service.submit({"do": "buy-in", "player": "Ann", "coins": 5}, source="dealer")
        steps = HandHistory(service.history.entries, GAMES).steps(1, 1)
        assert steps is not None
        for step in steps:
            check(step.sentence)
    check(SessionBegan("Coin toss").sentence)


# ---- the devices, and who may do what


@pytest.mark.parametrize("source", ["", "nothing-there", "/dev/video99", "gopher://camera", "\udc80"])
def test_what_is_wrong_with_a_camera_is_said_in_every_language(source: str):
    with pytest.raises(CameraError) as refused:
        choose_camera(source)
    check(refused.value.message)


def test_a_camera_that_does_not_open_says_so_in_every_language():
    def opener() -> Any:
        return choose_camera("/dev/video99")

    camera = ReconnectingCamera(opener, name="Camera 0")
    check(camera.status.text)
    camera.read(0.0)
    check(camera.status.text)


def test_wrong_guesses_are_refused_in_every_language(tmp_path: Path):
    store = AccessStore(tmp_path, clock=lambda: 1000.0)
    guesses = [lambda: store.choose_first_pin("WRONG", "4711", Guesser("a")), lambda: store.set_pin("1"),
               lambda: store.set_pin("1111"), lambda: store.check_pin("4711", Guesser("a"))]  # fmt: skip
    for guess in guesses:
        with pytest.raises(AccessError) as refused:
            guess()
        check(refused.value.message)
    store.set_pin("4711")
    for _ in range(8):  # the later ones have to wait
        with pytest.raises(AccessError) as refused:
            store.check_pin("4712", Guesser("b"))
        check(refused.value.message)

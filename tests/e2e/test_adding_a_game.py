"""The tutorial `docs/adding-a-game.md`, followed word by word: its files, its commands, what it says one sees."""

import json
import os
import re
import subprocess
import sys
import threading
import tomllib
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page, expect

TUTORIAL: Final = Path(__file__).parents[2] / "docs" / "adding-a-game.md"
ROOT: Final = TUTORIAL.parents[1]
PIN: Final = "4711"
MAX_LINES: Final = 150
"""Rules and plug-in of a minimal game, without blank lines."""
_FILE: Final = re.compile(r"^File: `([^`]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OUTPUT: Final = re.compile(r"^    (companion [^\n]+)\n\nOutput:\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files(text: str) -> dict[str, str]:
    """Return the files that a part of the tutorial has written; one that comes twice is replaced."""
    return dict(_FILE.findall(text))


def outputs() -> dict[str, str]:
    """Return what the tutorial says that commands print."""
    return dict(_OUTPUT.findall(TUTORIAL.read_text()))


class Package:
    """The reader's folder with the game, installed as `pip install -e` does it: on the path, with its entry points."""

    def __init__(self, folder: Path, written: dict[str, str]) -> None:
        self.folder = folder
        for name, text in written.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        info = folder / "red_black-1.0.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: red-black\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[table_companion.games]\nred-black = red_black.plugin:RED_BLACK\n")
        self.env = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "COLUMNS": "120"}
        self.env.pop("NOTIFY_SOCKET", None)

    def python(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *map(str, arguments)]
        return subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=60)

    def companion(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "companion", *arguments)

    def listed(self) -> dict[str, Any]:
        """Return the line of `companion games` for the game."""
        games = json.loads(self.companion("games", "--json").stdout)
        return next(game for game in games if game["game"] == "red-black")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The package at the end of the tutorial."""
    return Package(tmp_path_factory.mktemp("whole"), files(TUTORIAL.read_text()))


@pytest.fixture(scope="module")
def minimal(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The package before the chapter about options: rules, script and test."""
    return Package(tmp_path_factory.mktemp("minimal"), files(TUTORIAL.read_text().partition("## 4.")[0]))


def test_the_minimal_game_is_short() -> None:
    written = files(TUTORIAL.read_text().partition("## 4.")[0])
    code = [line for name in ("red_black/rules.py", "red_black/plugin.py") for line in written[name].splitlines()]
    assert len([line for line in code if line.strip()]) <= MAX_LINES


def test_its_entry_point_is_the_one_of_the_tutorials_pyproject(whole: Package) -> None:
    project = tomllib.loads((whole.folder / "pyproject.toml").read_text())["project"]
    assert (project["name"], project["version"]) == ("red-black", "1.0")
    assert project["entry-points"] == {"table_companion.games": {"red-black": "red_black.plugin:RED_BLACK"}}


@pytest.mark.thorough
def test_it_is_found_and_passes_its_own_tests(whole: Package) -> None:
    """It is listed, without a problem; `check_game` and the test of its camera pass."""
    game = whole.listed()
    assert (game["title"], game["package"], game["version"], game["problem"]) == (
        "Red or Black", "red-black", "1.0", None,
    )  # fmt: skip
    tests = whole.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert tests.returncode == 0, tests.stdout
    assert "3 passed" in tests.stdout


def test_its_script_comes_to_what_is_printed(minimal: Package) -> None:
    command = "companion replay scripts/evening.jsonl"
    assert minimal.companion(*command.split()[1:]).stdout == outputs()[command]


def test_its_odds_are_those_printed(whole: Package) -> None:
    command = "companion odds red-black"
    assert _stripped(whole.companion(*command.split()[1:]).stdout) == _stripped(outputs()[command])
    fair = json.loads(whole.companion("odds", "red-black", "--option", "aces=color", "--json").stdout)
    assert [bet["edge"] for bet in fair["bets"]] == [0, 0]


@pytest.mark.thorough
def test_what_odds_are_not_there_for_is_refused_with_a_reason(whole: Package) -> None:
    for arguments, said in (
        (("--option", "aces=blue"), "Option 'aces' is house or color, got 'blue'."),
        (("--option", "ace=color"), "have no option 'ace'. Use aces, min, max, cap, bank."),
        (("--seen", "KH"), "Leave --seen out."),
        (("--simulate", "10"), "Leave --simulate out."),
    ):
        refused = whole.companion("odds", "red-black", *arguments)
        assert refused.returncode == 2
        assert said in refused.stderr
        assert "Traceback" not in refused.stderr


def test_a_game_without_a_file_that_it_names_is_left_out_and_the_others_stay(tmp_path: Path) -> None:
    written = files(TUTORIAL.read_text())
    plugin = written["red_black/plugin.py"].replace('pages=("table",)', 'pages=("table", "odds")')
    assert plugin != written["red_black/plugin.py"]
    package = Package(tmp_path, written | {"red_black/plugin.py": plugin})
    assert package.listed()["problem"] == "red_black has no web/odds.js, which its WebPart names"
    others = json.loads(package.companion("games", "--json").stdout)
    assert [game["game"] for game in others if game["problem"]] == ["red-black"]


def _stripped(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


@pytest.mark.thorough
def test_the_minimal_game_has_no_odds_and_no_demo(minimal: Package, tmp_path: Path) -> None:
    """A part that is missing is refused with a clear word."""
    assert "red-black brings no odds" in minimal.companion("odds", "red-black").stderr
    run = minimal.companion("run", "--game", "red-black", "--camera", "demo", "--data", tmp_path, "--port", 0)
    assert run.returncode != 0
    assert "There is no demo table for Red or Black." in run.stderr


# ---- the table


class Table:
    """A running table, asked over HTTP as its dealer."""

    def __init__(self, base: str) -> None:
        self.base = base

    def request(self, path: str, body: dict[str, Any] | None = None) -> str:
        headers = {"Authorization": f"Bearer {PIN}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self.base + path, data, headers)
        with urllib.request.urlopen(asked, timeout=10) as answer:
            assert answer.status == 200
            return str(answer.read().decode())

    def json(self, path: str) -> Any:
        return json.loads(self.request(path))

    def do(self, verb: str, **fields: object) -> Any:
        return json.loads(self.request("/api/v1/commands", {"do": verb, **fields}))

    def seat_page(self, seat: int) -> str:
        """Join a seat with its code, as a player's phone does; return the page."""
        code = self.json(f"/dealer/seats/{seat}")["code"]
        phone = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        form = phone.open(f"{self.base}/seat/{seat}", timeout=10).read().decode()
        (token,) = re.findall(r'name="csrf_token" value="([^"]+)"', form)
        data = urllib.parse.urlencode({"code": code, "csrf_token": token}).encode()
        return str(phone.open(f"{self.base}/seat/{seat}/join", data, timeout=10).read().decode())


def opened(package: Package, data: Path, *arguments: object) -> Iterator[Table]:
    """Start `companion run` as a process on a free port; end it afterwards."""
    command = [sys.executable, "-m", "companion", "run", "--data", data, "--host", "127.0.0.1", "--port", "0"]
    command += ["--camera", "97", "--panel", "mock", "--pin", PIN, *arguments]  # a camera that is not plugged in
    process = subprocess.Popen(
        [str(part) for part in command], cwd=package.folder, env=package.env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    guard = threading.Timer(60, process.kill)
    guard.start()
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            pytest.fail(process.communicate()[1])
        yield Table(line.split()[-1])
    finally:
        process.kill()
        process.communicate()
        guard.cancel()


@pytest.fixture(scope="module")
def table(whole: Package, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    yield from opened(whole, tmp_path_factory.mktemp("data"), "--config", "companion.toml")


@pytest.fixture(scope="module")
def plain_table(minimal: Package, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    yield from opened(minimal, tmp_path_factory.mktemp("plain"), "--game", "red-black")


def play_a_round(room: Table) -> str:
    """Play a round in which Ann wins five coins with the king of hearts; return its hand's id."""
    room.do("bet", player="Ann", on="color/red", amount=5)
    assert room.json("/api/v1/state")["bets"] == [{"player": "Ann", "on": "color/red", "amount": 5}]
    room.do("no-more-bets")
    room.do("deal", card="KH")
    state = room.json("/api/v1/state")
    assert (state["card"], state["phase"], state["players"][0]["coins"], state["house"]) == ("KH", "betting", 105, -5)
    return str(room.json("/api/v1/hands")["hands"][0]["id"])


def check_receipt(room: Table, hand_id: str) -> None:
    hand = room.json(f"/api/v1/hands/{hand_id}")
    assert hand["told"] == "King of Hearts. 5 won, stake of 5 back: 10 in all"
    assert (hand["receipt"]["stakes"], hand["receipt"]["payouts"]) == ({"Ann": 5}, {"Ann": 10})
    where = f"/history/{hand_id.replace('-', '/')}"
    assert "King of Hearts" in room.request(where)
    assert hand["receipt"]["head"][:16] in room.request(f"{where}/receipt").replace(" ", "")


def scripts_of(room: Table, page: str) -> list[str]:
    """Return the scripts of a page below its static folder; each can be loaded."""
    found = re.findall(r'<script type="module" src="(/static/\w+/([^"]+))"', page)
    for address, _ in found:
        assert room.request(address)
    return [name for _, name in found]


PAGES: Final = {"/": "table.js", "/dealer": "dealer.js", "/odds": "odds.js"}


def test_the_minimal_game_is_played_on_generic_pages(plain_table: Table) -> None:
    plain_table.do("join", player="Ann", coins=100)
    for path, script in PAGES.items():
        page = plain_table.request(path)
        assert "Red or Black" in page
        assert f"js/{script}" in scripts_of(plain_table, page)
    assert "js/seat.js" in scripts_of(plain_table, plain_table.seat_page(1))
    check_receipt(plain_table, play_a_round(plain_table))
    assert "Red or Black" in plain_table.request("/history/session/1")
    assert plain_table.json("/api/v1/state")["odds"] == []


def test_the_whole_game_has_its_page_odds_words_and_options(table: Table) -> None:
    check_receipt(table, play_a_round(table))
    assert "games/red-black/table.js" in scripts_of(table, table.request("/"))
    assert "js/dealer.js" in scripts_of(table, table.request("/dealer"))
    assert "red_black.css" in table.request("/")
    state = table.json("/api/v1/state")
    assert [bet["probability"] for bet in state["odds"]] == ["6/13", "6/13"]
    assert (state["aces"], state["risk"]["bank"], state["limits"]["max"]) == ("house", 1000, 100)
    assert state["undo"] == "the deal of KH"
    assert [term["word"] for term in table.json("/api/v1/glossary?game=red-black")["terms"]] == ["Ace", "Color"]
    assert "Ann bets 5 on Red" in [line["text"] for line in state["log"]]


def test_a_game_of_rules_alone_has_its_house_and_the_limits(plain_table: Table) -> None:
    state = plain_table.json("/api/v1/state?as=dealer")
    assert (state["risk"]["bank"], state["limits"]["max"]) == (2000, 200)
    (game,) = (one for one in plain_table.json("/api/v1/setup")["games"] if one["id"] == "red-black")
    assert [field["key"] for field in game["fields"]] == ["table.bank", "table.min", "table.max", "table.cap"]


def test_setting_up_offers_its_options_and_their_edges(table: Table) -> None:
    assert "Count as their color" in table.request("/setup")
    (game,) = (one for one in table.json("/api/v1/setup")["games"] if one["id"] == "red-black")
    aces = next(field for field in game["fields"] if field["key"] == "red-black.aces")
    assert (aces["kind"], aces["of"]) == ("choice", ["house", "color"])


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages in browsers of their own, and close them: one that stays open goes on asking for its table."""
    opened: list[Page] = []

    def open_one(**options: Any) -> Page:
        opened.append(chromium.new_page(**options))
        return opened[-1]

    yield open_one
    for page in opened:
        page.close()


@pytest.mark.thorough
@pytest.mark.browser
@pytest.mark.parametrize("which", ["table", "plain_table"])
def test_a_dealer_plays_a_round_by_hand(
    which: str, open_page: Callable[..., Page], request: pytest.FixtureRequest
) -> None:
    """Log in, press what the tutorial says to press; the room sees who was paid."""
    room: Table = request.getfixturevalue(which)
    room.do("join", player="Eve", coins=30)
    room.do("bet", player="Eve", on="color/red", amount=5)
    page = open_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{room.base}/dealer")
    page.locator("#pin").fill(PIN)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="No more bets").click()
    page.get_by_label("Card").fill("KH")
    page.get_by_role("button", name="Deal").click()
    page.goto(room.base)
    expect(page.locator("main")).to_contain_text("K♥" if which == "table" else "KH")
    expect(page.locator("main")).to_contain_text("Eve")
    assert faults == []


@pytest.mark.thorough
@pytest.mark.browser
@pytest.mark.parametrize("which", ["table", "plain_table"])
def test_no_page_shows_an_id_and_a_phone_shows_all_of_it(
    which: str, open_page: Callable[..., Page], request: pytest.FixtureRequest
) -> None:
    """Spots stand in words with bets, results, the house's risk, odds and receipt; nothing is wider than a phone."""
    room: Table = request.getfixturevalue(which)
    room.do("join", player="Isabella-Katharina", coins=90)
    room.do("bet", player="Isabella-Katharina", on="color/red", amount=20)
    room.do("bet", player="Isabella-Katharina", on="color/black", amount=7)
    dealer = logged_in(open_page, room)
    expect(dealer.locator(".risk")).to_contain_text("20 on Red")
    expect(dealer.locator("section:not(.result) > .plain-list li")).to_have_count(2)
    expect(dealer.get_by_label("Bet on").locator("option")).to_have_text(["–", "Red · pays 1:1", "Black · pays 1:1"])
    check_words(dealer)
    with dealer.expect_response("**/api/v1/commands?*"):
        dealer.get_by_role("button", name="No more bets").click()
    room.do("deal", card="KH")
    expect(dealer.locator(".result")).to_contain_text("Red")
    check_words(dealer)
    dealer.get_by_role("tab", name="Log").click()
    expect(dealer.locator(".log .tag").first).to_have_text("Program")
    state = room.json("/api/v1/state")
    seat = next(player["seat"] for player in state["players"] if player["name"] == "Isabella-Katharina")
    phone = open_page(viewport={"width": 360, "height": 740})
    phone.goto(f"{room.base}/seat/{seat}")
    phone.get_by_label("Code").fill(room.json(f"/dealer/seats/{seat}")["code"])
    phone.keyboard.press("Enter")
    expect(phone.locator(".result")).to_contain_text("20 won, stake of 20 back: 40 in all")
    check_words(phone)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    receipt = f"/history/{room.json('/api/v1/hands')['hands'][0]['id'].replace('-', '/')}/receipt"
    for path in ("/", "/odds", receipt):
        dealer.goto(room.base + path)
        check_words(dealer)


def logged_in(open_page: Callable[..., Page], room: Table) -> Page:
    page = open_page()
    page.goto(f"{room.base}/dealer")
    page.locator("#pin").fill(PIN)
    page.keyboard.press("Enter")
    return page


def check_words(page: Page) -> None:
    expect(page.locator("main")).to_be_visible()
    expect(page.locator("main")).not_to_contain_text("color/")


@pytest.mark.browser
def test_the_phase_the_facts_and_the_fields_have_the_games_words(table: Table, open_page: Callable[..., Page]) -> None:
    table.do("join", player="Uma", coins=30)
    table.do("bet", player="Uma", on="color/red", amount=5)
    table.do("no-more-bets")
    page = logged_in(open_page, table)
    expect(page.locator(".pill")).to_have_text("No more bets")
    expect(page.locator(".facts")).to_contain_text("take all bets")
    expect(page.get_by_label("Card")).to_have_attribute("placeholder", "KH")
    table.do("deal", card="2S")
    page.goto(table.base)
    expect(page.locator(".plain-list, .hint").first).to_be_visible()
    assert page.locator(".plain-board").evaluate("e => getComputedStyle(e).display") == "grid", "plain.css is missing"


@pytest.mark.browser
def test_setting_up_a_house_without_odds_does_not_say_that_there_is_no_house(
    plain_table: Table, open_page: Callable[..., Page]
) -> None:
    page = logged_in(open_page, plain_table)
    page.locator(".console").wait_for()
    page.goto(f"{plain_table.base}/setup")
    expect(page.locator("main")).to_contain_text("This game does not state its house edge.")
    expect(page.locator("main")).not_to_contain_text("No house plays here")
    expect(page.get_by_label("The house's bank")).to_have_value("2000")

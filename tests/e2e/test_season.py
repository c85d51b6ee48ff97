"""Pages over evenings in a real browser: league, player, evening, the house's standing, overlay, notifications."""

import json
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

from web_ui import create_app
from web_ui.push.sender import Notifier
from web_ui.push.subscriptions import Subscriptions
from web_ui.server import Server

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with the dev extra")
pytestmark = pytest.mark.browser
Browse = Callable[..., Page]
Open = Callable[..., House]

SIZES = ({"width": 390, "height": 844}, {"width": 1366, "height": 768})
PLAYERS = (("Aubrey", 500), ("Benedict of the long and winding name", 500), ("Cy", 500))


def spins(house: House, *pockets: str) -> None:
    for pocket in pockets:
        house.do(do="bet", player="Aubrey", on="red", amount=10)
        house.do(do="bet", player="Cy", on="straight/17", amount=2)
        house.do(do="bet", player=PLAYERS[1][0], on="black", amount=7)
        house.do(do="no-more-bets")
        house.do(do="spin", pocket=pocket)


def today() -> str:
    return (datetime.now() - timedelta(hours=6)).date().isoformat()


def faults(page: Page) -> list[str]:
    """What axe-core finds, and whether the page is wider than its window."""
    page.wait_for_timeout(400)
    found = [f"{v['id']}: {n['target']}" for v in axe.Axe().run(page).response["violations"] for n in v["nodes"]]
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return found + ([f"{over} px too wide"] if over > 0 else [])


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_keep_the_rules_at_every_size(open_house: Open, sit: Callable[..., Page], scheme: str) -> None:
    house = open_house("roulette", PLAYERS)
    spins(house, "7", "17", "0", "8")
    page = sit(house, 0, color_scheme=scheme)
    for path in ("/players", "/players/Aubrey", f"/evenings/{today()}", "/dealer/standing"):
        page.goto(house.url + path)
        for size in SIZES:
            page.set_viewport_size(size)
            assert faults(page) == [], (path, size)


def test_links_in_tables_are_large_enough_for_fingers(open_house: Open, browse: Browse) -> None:
    house = open_house("roulette", PLAYERS)
    spins(house, "7", "17")
    page = browse(f"{house.url}/players", viewport=SIZES[0], has_touch=True, is_mobile=True)
    for path in ("/players", "/players/Aubrey", f"/evenings/{today()}", "/history/recall"):
        page.goto(house.url + path)
        links = page.locator("main :is(table, .recalled h2) a")
        sizes = links.evaluate_all("all => all.map(a => a.getBoundingClientRect()).map(box => [box.width, box.height])")
        assert sizes
        assert all(wide >= 44 and high >= 44 for wide, high in sizes), f"{path} {sizes}"
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path


def test_sums_of_billions_stay_in_their_boxes(open_house: Open, sit: Callable[..., Page]) -> None:
    """On a phone: a number is neither broken nor over its edge, and no page scrolls sideways."""
    rich = tuple((name, 900_000_000_000) for name, _ in PLAYERS)
    house = open_house("roulette", rich)
    for number, (name, _) in enumerate(rich):
        house.do(do="bet", player=name, on=("straight/17", "red", "dozen/2")[number], amount=123_456_789)
    page = sit(house, 0, locale="de", viewport=SIZES[0])
    page.get_by_role("tab").first.click()
    widths = page.locator(".bet-list li > span").evaluate_all("all => all.map(one => one.clientWidth)")
    assert len(widths) == 3
    assert min(widths) >= 120, "room for a name"
    house.do(do="no-more-bets")
    house.do(do="spin", pocket="17")
    for path in ("/players/Aubrey", "/dealer/standing", "/history/1/1/receipt"):
        page.goto(house.url + path)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, path
        cut = """all => all.filter(one => one.scrollWidth > one.clientWidth
            || one.firstChild.nodeType === 3 && one.getClientRects().length > 1).map(one => one.textContent)"""
        assert page.locator(".tiles dd").evaluate_all(cut) == [], path


DARK_ON_WHITE = """all => all.map(one => getComputedStyle(one))
    .map(style => style.stroke === "none" ? style.color : style.stroke)
    .filter(color => Math.max(...color.match(/[0-9]+/g).slice(0, 3)) > 190)"""
"""Colours of texts, or of lines, that white paper swallows."""


@pytest.mark.thorough
def test_paper_is_black_on_white_without_buttons_whatever_the_screen_is(
    open_house: Open, sit: Callable[..., Page]
) -> None:
    house = open_house("roulette", PLAYERS)
    spins(house, "7", "17")
    page = sit(house, 0, color_scheme="dark")
    for path, shown in (
        ("/players", "table td, h1"),
        ("/players/Aubrey", "td, .chart .path"),
        ("/history/session/1", "td, .chart .path"),
        ("/dealer/standing", "td"),
        ("/odds", "h1, table td, table th"),
    ):
        page.emulate_media(media="screen", color_scheme="dark")
        page.goto(house.url + path)
        page.locator(shown.split(",")[0]).first.wait_for(state="attached")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        page.emulate_media(media="print", color_scheme="dark")
        assert page.locator(shown).count()
        assert page.locator(shown).evaluate_all(DARK_ON_WHITE) == [], path
        pressed = page.locator(":is(button, .button, select, .bar):visible")
        assert pressed.all_text_contents() == [], path


def test_from_the_league_to_a_player_and_his_evening_by_keys(open_house: Open, browse: Browse) -> None:
    house = open_house("roulette", PLAYERS)
    spins(house, "7", "9")
    page = browse(f"{house.url}/history", viewport=SIZES[1])
    page.get_by_role("link", name="Players").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="League")).to_be_visible()
    first = page.locator(".league tbody tr").first
    expect(first).to_contain_text("Aubrey")
    expect(first).to_contain_text("+20")
    first.get_by_role("link").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Aubrey")
    expect(page.locator(".luck-figure")).to_contain_text("+20.3")
    expect(page.locator("main")).to_contain_text("Only 2 rounds so far")
    page.get_by_label("Season").select_option(str(datetime.now().year))
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(f"{house.url}/players/Aubrey?season={datetime.now().year}")
    page.locator("table a").first.click()
    expect(page.locator(".evening-picture")).to_be_visible()
    assert (
        page.locator(".evening-picture").evaluate("picture => picture.decode().then(() => picture.naturalWidth)")
        == 1080
    )
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save the picture").click()
    assert Path(saved.value.path()).read_bytes().startswith(b"\x89PNG")


def test_an_overlay_is_drawn_over_a_video(open_house: Open, browse: Browse) -> None:
    """No background; coins follow the table; the result goes again by itself; nothing can be pressed."""
    house = open_house("roulette", PLAYERS)
    page = browse(f"{house.url}/overlay?scale=1.5", viewport={"width": 1920, "height": 1080})
    aubrey = page.locator(".player", has_text="Aubrey")
    expect(aubrey).to_contain_text("500")
    page.clock.install()
    house.do(do="bet", player="Aubrey", on="red", amount=10)
    expect(aubrey).to_contain_text("Staked 10")
    house.do(do="no-more-bets")
    house.do(do="spin", pocket="7")
    expect(aubrey).to_contain_text("510")
    expect(page.locator(".result")).to_contain_text("7, red")
    page.clock.run_for(10_000)
    expect(page.locator(".result")).to_have_count(0)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.locator("a, button, input").count() == 0
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    expect(page.get_by_role("heading", level=1)).to_have_text("Roulette")
    assert page.locator("h1").evaluate("one => one.clientWidth") <= 1, "it is heard, and not drawn over the video"


@pytest.mark.thorough
def test_an_overlay_has_the_clock_of_a_tournament(open_house: Open, browse: Browse) -> None:
    house = open_house("holdem-tournament", (("Aubrey", 0), ("Benedict", 0), ("Cy", 0)))
    page = browse(f"{house.url}/overlay", viewport=SIZES[1])
    own = page.locator(".plate").nth(1)
    expect(own).to_have_text("Level 1 · 15:00 · 25/50 · paused")
    house.do(do="start-clock")
    expect(own).to_contain_text("Level 1 · 14:5")
    expect(own).not_to_contain_text("paused")


def with_push(house: House) -> Notifier:
    """Start the house again with notifications turned on."""
    house.server.close()
    notifier = Notifier(house.service, Subscriptions(house.folder), lambda *_: 201)
    house.app = create_app(house.service, access=house.access, notifier=notifier)
    house.server = Server(house.app, "127.0.0.1", house.port)
    house.server.start()
    return notifier


FAKE_PUSH = """
PushManager.prototype.getSubscription = async () => window.made ?? null;
PushManager.prototype.subscribe = async (options) => {
  window.key = options.applicationServerKey;
  return (window.made = {
    endpoint: "https://fcm.googleapis.com/fcm/send/x",
    options: { applicationServerKey: new ArrayBuffer(0) },
    unsubscribe: async () => delete window.made,
    toJSON: () => ({ endpoint: window.made.endpoint, keys: KEYS }),
  });
};
"""
KEYS = {
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
}


def test_a_phone_asks_to_be_told_and_not_any_more(house: House, browse: Browse) -> None:
    """The browser's push service is away from the internet: a stand-in gives the keys of the standard's example."""
    notifier = with_push(house)
    page = browse(f"{house.url}/", viewport=SIZES[0], permissions=["notifications"], service_workers="allow")
    page.add_init_script(FAKE_PUSH.replace("KEYS", json.dumps(KEYS)))
    page.goto(f"{house.url}/seat/1#{house.access.seat_code(1)}")
    page.wait_for_selector(".live.on")
    page.get_by_role("button", name="Notifications").click()
    expect(page.locator("#toasts")).to_contain_text("You will be told when it is your turn")
    assert [one.player for one in notifier.subscriptions.of("Aubrey")] == ["Aubrey"]
    assert page.evaluate("window.key") == notifier.subscriptions.public
    page.get_by_role("button", name="Notifications").click()
    expect(page.locator("#toasts")).to_contain_text("You will not be told any more")
    assert notifier.subscriptions.of("Aubrey") == ()


@pytest.mark.thorough
def test_the_worker_shows_what_it_is_told_unless_somebody_looks(house: House, browse: Browse) -> None:
    """Delivered by the browser's own debugger, as its push service would."""
    page = browse(f"{house.url}/", viewport=SIZES[0], permissions=["notifications"], service_workers="allow")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    tell = deliverer(page, house)
    body = {"title": "It is your turn", "body": "Bet", "url": "/seat/1", "tag": "turn"}
    tell(body)
    page.wait_for_timeout(500)
    assert shown(page) == []
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    elsewhere = page.context.new_page()
    elsewhere.goto("about:blank")
    page.close()
    tell = deliverer(elsewhere, house)
    tell(body)
    elsewhere.goto(f"{house.url}/offline")
    until = time.monotonic() + 10
    while not shown(elsewhere) and time.monotonic() < until:
        time.sleep(0.1)
    assert shown(elsewhere) == [["It is your turn", "Bet", "/seat/1", "turn"]]


def shown(page: Page) -> Any:
    return page.evaluate(
        "navigator.serviceWorker.ready.then((worker) => worker.getNotifications())"
        ".then((all) => all.map((one) => [one.title, one.body, one.data, one.tag]))"
    )


def deliverer(page: Page, house: House) -> Callable[[dict[str, str]], None]:
    """Return what delivers a pushed message to the table's worker."""
    debugger = page.context.new_cdp_session(page)
    found: list[str] = []
    debugger.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda told: found.extend(one["registrationId"] for one in told["registrations"]),
    )
    debugger.send("ServiceWorker.enable")
    until = time.monotonic() + 10
    while not found and time.monotonic() < until:
        page.wait_for_timeout(50)

    def tell(body: dict[str, str]) -> None:
        debugger.send(
            "ServiceWorker.deliverPushMessage",
            {"origin": house.url, "registrationId": found[-1], "data": json.dumps(body)},
        )

    return tell

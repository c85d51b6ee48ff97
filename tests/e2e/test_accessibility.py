"""No page breaks the rules that axe-core can check, nor runs over its edge, in light or dark."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page
from webhouse import House

from companion.kernel.header import Header
from companion.service.night import NightJson, PlannedJson

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with the dev extra")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

PHONE, TABLET, TV = (390, 844), (1024, 768), (1920, 1080)
DUE: PlannedJson = {"place": 0, "game": "roulette", "at": "20:00"}
NIGHT: NightJson = {
    "plan": [DUE, {**DUE, "place": 1}],
    "next": {"place": 1, "game": "chinchirorin", "at": "23:30"},
    "due": DUE,
}
DEAL = ("6N2", "7D1", "6D3", "2D1", "6N5", "6N6", "6D1", "6D2")


def play(house: House) -> None:
    """Bring the table to a settled round with winners and losers."""
    house.do(do="bet", player="Aubrey", on="cut/6", amount=5)
    house.do(do="bet", player="Benedict", on="night/4", amount=5)
    house.do(do="no-more-bets")
    for card in DEAL:
        house.do(do="deal", card=card)


def faults(page: Page) -> list[str]:
    """What axe-core finds, and whether the page is wider than its window."""
    page.wait_for_timeout(500)  # the last card has arrived
    found = [
        f"{v['id']}: {node['target']} {node.get('failureSummary', '')[:300]}"
        for v in axe.Axe().run(page).response["violations"]
        for node in v["nodes"]
    ]
    too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return found + ([f"{too_wide} px too wide"] if too_wide > 0 else [])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_an_amount_that_is_refused(house: House, browse: Callable[..., Page], theme: str) -> None:
    address = f"{house.url}/seat/1#{house.access.seat_code(1)}"
    phone = browse(address, viewport={"width": PHONE[0], "height": PHONE[1]}, color_scheme=theme)
    phone.wait_for_selector(".live.on")
    phone.get_by_label("Other amount").fill("1.5")
    assert faults(phone) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, TV], ids=["phone", "tv"])
def test_every_page_for_everybody(house: House, browse: Callable[..., Page], size: tuple[int, int], theme: str) -> None:
    play(house)
    page = browse(f"{house.url}/odds", viewport={"width": size[0], "height": size[1]})
    page.evaluate(f"localStorage.setItem('theme', '{theme}')")
    table = ("/", "/odds", "/history", "/history/log", "/history/recall", "/dealer", "/setup", "/seat/1")
    for path in (*table, "/verify", "/trust"):
        page.goto(house.url + path)
        assert faults(page) == [], path


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_tab_of_the_dealer(house: House, dealer: Page, theme: str) -> None:
    play(house)
    dealer.evaluate(f"localStorage.setItem('theme', '{theme}')")
    dealer.set_viewport_size({"width": TABLET[0], "height": TABLET[1]})
    dealer.reload()
    for tab in ("Bets", "Cards", "Players", "Camera", "Log"):
        dealer.get_by_role("tab", name=tab).click()
        assert faults(dealer) == [], tab
    dealer.locator(".pay-tick").first.click()
    dealer.locator(".payouts > summary").click()
    dealer.locator(".payouts li summary").first.click()
    dealer.keyboard.press("?")
    assert faults(dealer) == []
    dealer.keyboard.press("Escape")
    dealer.keyboard.press("n")
    dealer.get_by_role("tab", name="Bets").click()
    assert faults(dealer) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_sheet_to_change_the_game(house: House, dealer: Page, theme: str) -> None:
    """With a refusal, settings, a way back and a plan; and the notices of the plan, on a phone."""
    dealer.evaluate(f"localStorage.setItem('theme', '{theme}')")
    dealer.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    house.service.change_game(Header(house.games.rules("rugen-house"), ()), source="dealer")
    house.service.set_night(NIGHT)
    dealer.wait_for_selector(".console.rugen-house .night-due")
    assert faults(dealer) == []
    dealer.get_by_role("button", name="Change game").click()
    dealer.get_by_role("radio", name="Roulette", exact=True).check()
    dealer.get_by_text("Rules and limits for this time").click()
    dealer.get_by_text("Plan of the night").click()
    dealer.get_by_role("button", name="Add a game").click()
    assert faults(dealer) == []
    dealer.goto(house.url)
    dealer.wait_for_selector(".night-next")
    assert faults(dealer) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_seat_in_each_phase(house: House, phones: tuple[Page, Page], theme: str) -> None:
    phone = phones[0]
    phone.evaluate(f"localStorage.setItem('theme', '{theme}')")
    phone.reload()
    house.do(do="bet", player="Aubrey", on="cut/2", amount=5)
    assert faults(phone) == []
    house.do(do="no-more-bets")
    house.do(do="deal", card="6D3")
    assert faults(phone) == []
    house.do(do="deal", card="2D1")
    house.do(do="deal", card="2N1")
    assert faults(phone) == []


@pytest.mark.parametrize("path", ["/", "/odds", "/dealer"])
def test_everything_to_touch_is_large_enough(house: House, dealer: Page, path: str) -> None:
    dealer.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    dealer.goto(house.url + path)
    dealer.wait_for_selector(".live.on")
    small = dealer.evaluate(
        """() => [...document.querySelectorAll("button, a, input, summary")]
            .filter((e) => e.checkVisibility() && !e.matches(".skip"))
            .map((e) => [e.textContent || e.name, e.getBoundingClientRect()])
            .filter(([, box]) => box.height < 43.5 || box.width < 24)
            .map(([text, box]) => `${text}: ${box.width} x ${box.height}`)"""
    )
    assert small == []


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_open_bets_and_a_journal_that_is_being_read(
    house: House, browse: Callable[..., Page], monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    """The layout in rows and as a felt; the page that waits for a long journal, and then shows it by itself."""
    house.do(do="bet", player="Aubrey", on="cut/6", amount=5)
    house.do(do="bet", player="Benedict", on="night/4", amount=5)
    page = browse(f"{house.url}/", viewport={"width": PHONE[0], "height": PHONE[1]})
    page.evaluate(f"localStorage.setItem('theme', '{theme}')")
    for width, height in (PHONE, TV):
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        assert page.locator(".layout-rows" if width < 700 else ".roche-felt.basic").count() == 1
        assert faults(page) == [], width
    with monkeypatch.context() as patched:
        patched.setattr("web_ui.pages.history.hands.caught_up", lambda *_: False)
        page.route("**/reading*.js", lambda route: route.abort())  # it would load the page anew while axe looks at it
        page.goto(f"{house.url}/history")
        assert page.locator("#reading").count() == 1
        assert faults(page) == []
        page.unroute("**/reading*.js")
        page.goto(f"{house.url}/history")
        assert page.locator("#reading").count() == 1
    page.wait_for_selector(".hand")

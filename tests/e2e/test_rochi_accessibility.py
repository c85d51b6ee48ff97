"""The pages of Rochi, Captain's, the Rugens and chinchirorin: nothing that axe-core finds, nothing over the edge."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page
from webhouse import House

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core comes with the dev extra")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

Browse = Callable[..., Page]
Open = Callable[..., House]
QUARTET = (("Aubrey", 100), ("Benedict", 100), ("Chance", 100), ("Dorothea", 100))
PHONE, TV = {"width": 390, "height": 844}, {"width": 1920, "height": 1080}
ZOOMED = {"width": 640, "height": 400}
"A window of 1280 x 800 at 200 %."

SEEDS = [{"do": "seed", "card": card} for card in ("6D1", "7D1", "5N2", "3D1")]
HAND = [
    *SEEDS,
    {"do": "play", "card": "6D3"},
    {"do": "deal", "card": "2D1"},
    {"do": "play", "card": "2N2"},
    {"do": "deal", "card": "6N5"},
    {"do": "fold"},
]
BETS = [
    {"do": "bet", "player": "Aubrey", "on": "center/3", "amount": 6},
    {"do": "bet", "player": "Benedict", "on": "chain-night/4", "amount": 5},
    {"do": "bet", "player": "Chance", "on": "chain/2", "amount": 20},
    {"do": "throw", "d20": 14},
]
TAKEN = [{"do": "take", "player": "Benedict", "number": 1, "units": 2}, {"do": "close"}, {"do": "throw", "face": "4n"}]
SHOT = [{"do": "throw", "face": "3d"}, {"do": "stake", "units": 2}, {"do": "take", "player": "Benedict", "number": 4}]
BOWL = [
    *({"do": "throw-for-bank", "player": name, "die": die} for die, (name, _) in enumerate(QUARTET, start=2)),
    {"do": "bank", "amount": 50},
    {"do": "bet", "player": "Benedict", "amount": 30},
    {"do": "close"},
    {"do": "throw", "dice": [1, 2, 4]},
    {"do": "throw", "dice": [6, 3, 6]},
    {"do": "throw", "dice": [2, 4, 6]},
]
PLAYED = {"rochi": HAND, "rugen-house": BETS, "rugen-street": SHOT, "rugen-capital": TAKEN, "captains": []}
PLAYED["chinchirorin"] = BOWL
BY_HAND = {"rochi": ("Cards",), "captains": ("Cards",), "chinchirorin": ("Play",)}
"The tabs of the dealer's page on which a game is entered, where they are not those of a die."


def under_way(open_house: Open, game: str) -> House:
    """A table of a game with something on it."""
    house = open_house(game, QUARTET[:2] if game == "captains" else QUARTET)
    for record in PLAYED[game]:
        house.do(**record)
    return house


def faults(page: Page) -> list[str]:
    """What axe-core finds, and whether the page is wider than its window."""
    page.wait_for_timeout(600)  # what moves has arrived
    found = [
        f"{v['id']}: {node['target']} {node.get('failureSummary', '')[:300]}"
        for v in axe.Axe().run(page).response["violations"]
        for node in v["nodes"]
    ]
    return found + too_wide(page)


def too_wide(page: Page) -> list[str]:
    over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return [f"{over} px too wide"] if over > 0 else []


def light(page: Page) -> Page:
    page.evaluate("localStorage.setItem('theme', 'light')")
    page.reload()
    page.wait_for_selector(".live.on")
    return page


@pytest.mark.parametrize("game", sorted(PLAYED))
def test_room_and_phone(open_house: Open, sit: Browse, browse: Browse, game: str) -> None:
    """The television in the dark, a phone in the light."""
    house = under_way(open_house, game)
    assert faults(browse(f"{house.url}/", viewport=TV)) == []
    phone = light(sit(house, 2))
    phone.locator(".own-history summary").click()
    assert faults(phone) == []
    for path in ("/", "/odds"):
        phone.goto(house.url + path)
        phone.wait_for_selector(".live.on")
        assert too_wide(phone) == [], path


@pytest.mark.parametrize(
    "game",
    [
        "rochi",
        "rugen-house",
        "rugen-street",
        "chinchirorin",
        *(pytest.param(g, marks=pytest.mark.slow) for g in ("captains", "rugen-capital")),
    ],
)
def test_the_dealer(open_house: Open, sit: Browse, game: str) -> None:
    """Every tab of the console, light and dark in turn; narrow, and at 200 %."""
    house = under_way(open_house, game)
    dealer = sit(house, 0)
    own = BY_HAND.get(game, ("Die", "Bets"))
    for tab in (*own, "Players", "Camera"):
        dealer.get_by_role("tab", name=tab, exact=True).click()
        assert faults(dealer) == [], tab
    light(dealer)
    assert faults(dealer) == []
    for size in (PHONE, ZOOMED):
        dealer.set_viewport_size(size)  # type: ignore[arg-type]
        for tab in (*own, "Players", "Camera"):
            dealer.get_by_role("tab", name=tab, exact=True).click()
            assert too_wide(dealer) == [], tab


def test_sheets_and_what_comes_after_a_hand(open_house: Open, sit: Browse, browse: Browse) -> None:
    house = under_way(open_house, "rochi")
    dealer, room = sit(house, 0), browse(f"{house.url}/", viewport=ZOOMED)
    dealer.get_by_role("button", name="Token of Kin: whose?").click()
    assert faults(dealer) == []
    dealer.keyboard.press("Escape")
    dealer.keyboard.press("?")
    assert faults(dealer) == []
    dealer.keyboard.press("Escape")
    house.do(do="fold")
    house.do(do="fold")
    dealer.get_by_role("tab", name="Players").click()
    assert faults(dealer) == []
    assert faults(room) == []


@pytest.mark.parametrize("game", ["rochi", "rugen-house", "chinchirorin"])
def test_everything_to_touch_is_large_enough(open_house: Open, sit: Browse, game: str) -> None:
    house = under_way(open_house, game)
    for page in (sit(house, 0, viewport=PHONE), sit(house, 1)):
        small = page.evaluate(
            """() => [...document.querySelectorAll("button, a, input, summary, [role=button]")]
                .filter((e) => e.checkVisibility() && !e.matches(".skip"))
                .map((e) => [e.getAttribute("aria-label") || e.textContent, e.getBoundingClientRect()])
                .filter(([, box]) => box.height < 43.5 || box.width < 24)
                .map(([text, box]) => `${text}: ${box.width} x ${box.height}`)"""
        )
        assert small == []

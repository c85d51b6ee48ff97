"""A phone at the table by HTTPS: it logs in, follows the table live, and has what a secure context gives."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from webclient import PIN
from webhouse import House, free_port

from web_ui import create_app
from web_ui.https.certificates import Certificates
from web_ui.https.trust import Root, create_plain_app
from web_ui.server import Secured, Server

PATIENCE_MS = 20_000
HOSTS = frozenset({"localhost", "127.0.0.1"})


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[House]:
    """A table that speaks TLS; to plain text from elsewhere it gives instructions."""
    house = House(tmp_path, free_port())
    house.server.close()
    certificates = Certificates(tmp_path, HOSTS, ("127.0.0.1",))
    root = Root(certificates.authority.der, certificates.authority.fingerprint)
    house.app = create_app(house.service, access=house.access, root=root, test_config={"HOSTS": HOSTS})
    tls = Secured(certificates.context, create_plain_app(root, HOSTS))
    house.server = Server(house.app, "127.0.0.1", house.port, secured=tls)
    house.server.start()
    yield house
    house.stop()


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Page]:
    """A phone that goes on past the warning; its console complains that no service worker is registered then."""
    with chromium.new_context(viewport={"width": 390, "height": 844}, ignore_https_errors=True) as context:
        context.set_default_timeout(PATIENCE_MS)
        yield context.new_page()


def test_the_dealer_deals_by_https(secured: House, phone: Page) -> None:
    url = secured.url.replace("http:", "https:")
    page = phone
    page.goto(f"{url}/dealer")
    page.get_by_label("PIN").fill(PIN)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_selector(".live.on")
    assert page.evaluate("isSecureContext") is True
    cookies = {cookie["name"]: cookie for cookie in page.context.cookies()}
    assert all(cookies[name]["secure"] for name in ("companion", "companion-known"))
    secured.do(do="bet", player="Aubrey", on="cut/2", amount=3)
    page.goto(f"{url}/")
    page.wait_for_selector(".live.on")
    secured.do(do="no-more-bets")
    secured.do(do="deal", card="2D1")
    expect(page.locator("body")).to_contain_text("1 to cut")


def test_plain_text_from_elsewhere_leads_to_https(secured: House, phone: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("web_ui.server.is_here", lambda _: False)
    page = phone
    page.goto(f"{secured.url}/odds")
    expect(page.get_by_role("heading", level=1)).to_have_text("Trust this table")
    page.set_viewport_size({"width": 320, "height": 640})
    page.context.add_cookies([{"name": "language", "value": "de", "url": secured.url}])
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    assert page.evaluate("document.documentElement.scrollWidth") == 320, "Zertifikatsvertrauenseinstellungen is long"
    page.context.clear_cookies()
    page.reload()
    page.get_by_role("link", name="Open the table").click()
    expect(page).to_have_url(f"{secured.url}/odds".replace("http:", "https:"))
    expect(page.locator("h1")).not_to_have_text("Trust this table")

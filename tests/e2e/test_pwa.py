"""The table as an app: installable, and without a network it shows no table at all."""

import io
import json
import threading
import time
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest
from PIL import Image
from playwright.sync_api import Page, expect
from waiting import until
from webhouse import House

pytestmark = pytest.mark.browser

KEPT = """async () => {
  const [name] = await caches.keys();
  return (await (await caches.open(name)).keys()).map((one) => new URL(one.url).pathname);
}"""


def test_the_manifest_and_its_icons_are_what_a_browser_asks_for(house: House) -> None:
    with urllib.request.urlopen(f"{house.url}/manifest.webmanifest") as answer:
        assert answer.headers["Content-Type"].startswith("application/manifest+json")
        manifest = json.load(answer)
    assert (manifest["start_url"], manifest["scope"], manifest["display"]) == ("/", "/", "standalone")
    assert {(icon["sizes"], icon["purpose"]) for icon in manifest["icons"]} == {
        ("192x192", "any"), ("512x512", "any"), ("512x512", "maskable"),
    }  # fmt: skip
    for icon in manifest["icons"]:
        with urllib.request.urlopen(house.url + icon["src"]) as answer:
            picture = Image.open(io.BytesIO(answer.read()))
        assert f"{picture.width}x{picture.height}" == icon["sizes"]
        corner = picture.convert("RGBA").getpixel((2, 2))
        assert isinstance(corner, tuple)
        assert (corner[3] == 255) == (icon["purpose"] == "maskable"), "a maskable icon fills its square"


def test_chromium_finds_it_installable(house: House, browse: Callable[..., Page]) -> None:
    page = browse(house.url, service_workers="allow")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    session = page.context.new_cdp_session(page)
    assert session.send("Page.getAppManifest")["errors"] == []
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [error["errorId"] for error in errors if error["errorId"] != "in-incognito"] == []


@pytest.mark.thorough
def test_without_a_network_it_says_so_and_shows_no_old_table(house: House, browse: Callable[..., Page]) -> None:
    house.do(do="bet", player="Aubrey", on="cut/6", amount=5)
    page = browse(house.url, locale="de", service_workers="allow")
    page.set_default_timeout(40000)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    until(page, "navigator.serviceWorker.controller !== null")
    house.stop()
    for path in ("/dealer", "/odds", "/"):
        page.goto(house.url + path)
        expect(page.locator("h1")).to_have_text("Keine Verbindung")
        assert "Aubrey" not in page.content()
        assert page.evaluate("getComputedStyle(document.querySelector('.card-form')).borderTopStyle") == "solid"
    kept = page.evaluate(KEPT)
    assert "/offline" in kept
    assert not [path for path in kept if path in ("/", "/dealer") or path.startswith(("/api", "/seat"))]
    house.start()  # the page comes back by itself; who went elsewhere now would race with it
    expect(page.locator(".live.on")).to_be_visible(timeout=40000)
    expect(page.locator(".people")).to_contain_text("Aubrey")


class _SlowTable(BaseHTTPRequestHandler):
    """A table that is well, and slow with its pages."""

    pages: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        if self.path == "/odds":
            self.pages.append(self.path)
            time.sleep(4)
        self.send_response(200 if self.path in ("/odds", "/healthz") else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>Back</title><h1>Back</h1>")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.mark.thorough
def test_a_slow_table_that_is_back_is_asked_for_its_page_once(house: House, browse: Callable[..., Page]) -> None:
    """The offline page asks every two seconds; each further reload would abort the one on its way."""
    page = browse(house.url, service_workers="allow")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    until(page, "navigator.serviceWorker.controller !== null")
    house.stop()
    page.goto(f"{house.url}/odds")
    expect(page.locator("h1")).to_have_text("No connection")
    _SlowTable.pages.clear()
    server = ThreadingHTTPServer(("127.0.0.1", house.port), _SlowTable)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    expect(page.locator("h1")).to_have_text("Back", timeout=40000)
    server.shutdown()
    server.server_close()
    assert _SlowTable.pages == ["/odds"]

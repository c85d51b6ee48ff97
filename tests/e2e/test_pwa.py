"""The table as an app: installable, and without a network it shows no table at all."""

from __future__ import annotations

import io
import json
import urllib.request
from collections.abc import Callable

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
    page = browse(house.url)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    session = page.context.new_cdp_session(page)
    assert session.send("Page.getAppManifest")["errors"] == []
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [error["errorId"] for error in errors if error["errorId"] != "in-incognito"] == []


def test_without_a_network_it_says_so_and_shows_no_old_table(house: House, browse: Callable[..., Page]) -> None:
    house.do(do="bet", player="Aubrey", on="cut/6", amount=5)
    page = browse(house.url, locale="de")
    page.set_default_timeout(40000)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    until(page, "navigator.serviceWorker.controller !== null")
    house.stop()
    for path in ("/", "/dealer", "/odds"):
        page.goto(house.url + path)
        expect(page.locator("h1")).to_have_text("Keine Verbindung")
        assert "Aubrey" not in page.content()
        assert page.evaluate("getComputedStyle(document.querySelector('.card-form')).borderTopStyle") == "solid"
    kept = page.evaluate(KEPT)
    assert "/offline" in kept
    assert not [path for path in kept if path in ("/", "/dealer") or path.startswith(("/api", "/seat"))]
    house.start()
    page.goto(house.url)
    expect(page.locator(".live.on")).to_be_visible()
    expect(page.locator(".people")).to_contain_text("Aubrey")

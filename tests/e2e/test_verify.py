"""The page that checks receipts, saved and opened from a disk, by the browser's own Ed25519 and by the page's."""

import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from webhouse import House

from companion.journal.hash_chain import Head, entry_hash
from companion.journal.trust.signing import SeedSigner, head_text

WITHOUT = "delete SubtleCrypto.prototype.importKey"
"""What a page on plain http, and an older browser, lacks."""


def deal_a_round(house: House) -> None:
    house.do(do="bet", player="Aubrey", on="cut/2", amount=3)
    house.do(do="no-more-bets")
    house.do(do="deal", card="2D1")
    house.do(do="deal", card="2N1")


def fetched(url: str) -> bytes:
    with urllib.request.urlopen(url) as answer:
        return bytes(answer.read())


def made_up(receipt: dict[str, Any]) -> dict[str, Any]:
    """Return a receipt that a forger has signed, with events that nobody can read."""
    signer, parts = SeedSigner(b"\7" * 32), [*receipt["entries"][0][:7], "{"]
    seq, at, session, kind, source, key, record, events = parts
    prev = receipt["entries"][0][8]
    digest = entry_hash(prev, seq, at, session, kind, source, key, record, events)
    signature = signer.sign(head_text(receipt["journal"], Head(seq, digest))).hex()
    return {**receipt, "public": signer.public, "signature": signature, "entries": [[*parts, prev, digest]]}


@pytest.mark.parametrize("script", ["", WITHOUT], ids=["own", "library"])
def test_a_receipt_is_checked_without_the_table(
    house: House, browse: Callable[..., Page], tmp_path: Path, script: str
) -> None:
    deal_a_round(house)
    saved, file = tmp_path / "check.html", tmp_path / "receipt.json"
    saved.write_bytes(fetched(f"{house.url}/verify?save"))
    file.write_bytes(fetched(f"{house.url}/history/1/1/receipt.json"))
    house.stop()
    receipt = json.loads(file.read_bytes())
    page = browse("about:blank", viewport={"width": 390, "height": 844})
    page.add_init_script(script)
    page.goto(saved.as_uri())
    verdict = page.locator("#verdict")
    page.get_by_label("The receipt’s file").set_input_files(file)
    expect(verdict.locator("h2")).to_have_text("Cannot tell")
    expect(verdict).to_contain_text(receipt["public"])
    page.get_by_label("The house’s key").fill(receipt["public"])
    page.get_by_role("button", name="Check").click()
    expect(verdict.locator("h2")).to_have_text("Valid")
    expect(verdict).to_contain_text("6 won, stake of 3 back: 9 in all")
    expect(verdict.locator("tr", has_text="house")).to_contain_text("6")

    def check(**changes: Any) -> str:
        page.get_by_label("Or its text").fill(json.dumps({**receipt, **changes}))
        page.get_by_role("button", name="Check").click()
        expect(verdict).to_be_visible()
        return str(verdict.inner_text())

    decided = receipt["entries"][0]
    raised = [*decided[:7], decided[7].replace('"coins":6', '"coins":60'), *decided[8:]]
    assert "was altered" in check(entries=[raised])
    assert "does not fit" in check(signature=receipt["signature"][::-1])
    assert "does not fit" in check(journal="another")
    assert "does not fit" in check(public="ab" * 32)
    assert "Not valid" in check(entries=[])
    assert "does not follow" in check(entries=[decided, decided])
    assert "Cannot tell" in check(version=2)
    page.get_by_label("The house’s key").fill("")
    assert "Cannot tell" in check()
    page.get_by_label("Or its text").fill(json.dumps(made_up(receipt)))
    page.get_by_role("button", name="Check").click()
    expect(verdict.locator("h2")).to_have_text("Not valid")  # what was said of the one before is said no more
    page.get_by_label("The house’s key").fill("cd" * 32)
    assert "another key" in check()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

"""Purses of a real floor, with a real database, on the dealer's page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from floor_database import cluster, database  # noqa: F401  (fixtures)
from floor_wire import ServedHouse, until
from playwright.sync_api import Page, Route, expect
from webclient import PLAYERS
from webhouse import House, free_port

from companion.app.floor.journal_shipper import JournalShipper
from companion.app.floor.membership import Membership
from companion.app.floor.purse_cashier import PurseCashier
from companion.floor.cluster import Cluster
from companion.service.table_service import TableService

pytestmark = [pytest.mark.browser, pytest.mark.thorough]


@dataclass
class Joined:
    """A table that has joined a floor: Aubrey has a purse of 100 there, and Zoe one of 70."""

    floor: ServedHouse
    member: Membership
    house: House
    purses: dict[str, int]

    def held(self, player: str) -> int:
        return self.floor.house.cashier.purse(self.purses[player]).coins


@pytest.fixture
def floor(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[ServedHouse]:  # noqa: F811
    with ServedHouse(cluster, database, tmp_path / "floor") as served:
        yield served


@pytest.fixture
def joined(floor: ServedHouse, tmp_path: Path) -> Iterator[Joined]:
    folder = tmp_path / "table"
    folder.mkdir()
    member = floor.join(folder)
    purses = {name: floor.purse_of(name, coins) for name, coins in (("Aubrey", 100), ("Zoe", 70))}
    counters: list[PurseCashier] = []

    def cashier_of(service: TableService) -> PurseCashier:
        counters.append(PurseCashier(service, member.client()))
        return counters[-1]

    house = House(folder, free_port(), PLAYERS, cashier_of=cashier_of)
    follower = JournalShipper(
        folder / "journal.db", house.service, member.client(), member.name, on_link=counters[0].settle_open
    )
    with follower.start():
        yield Joined(floor, member, house, purses)
    counters[0].close()
    house.stop()


@pytest.fixture
def dealer(joined: Joined, sit: Callable[..., Page]) -> Page:
    page = sit(joined.house, 0, locale="en")
    page.get_by_role("tab", name="Players").click()
    return page


def test_a_purse_buys_in_and_is_cashed_out_to_by_keyboard(joined: Joined, dealer: Page) -> None:
    row = dealer.locator(".players li", has_text="Aubrey")
    row.get_by_role("button", name="Purse").press("Enter")
    dialog = dealer.get_by_role("dialog", name="Purse of Aubrey")
    expect(dialog).to_contain_text("The purse holds 100 coins.")
    amount = dialog.get_by_label("Coins from the purse")
    amount.fill("101")
    amount.press("Enter")
    expect(dealer.locator(".toast.error")).to_contain_text("There are not 101 coins in that purse")
    dialog.get_by_label("Coins from the purse").fill("60")
    expect(dialog.get_by_role("button", name="Buy in from purse")).to_be_enabled()
    dialog.get_by_label("Coins from the purse").press("Enter")
    expect(row.locator("b")).to_have_text("160")
    until(lambda: joined.held("Aubrey") == 40)

    row.get_by_role("button", name="Purse").press("Enter")
    expect(dialog).to_contain_text("The purse holds 40 coins.")
    dialog.get_by_role("button", name="Cash out to purse").press("Enter")
    expect(row.locator("b")).to_have_text("0")
    until(lambda: joined.held("Aubrey") == 200)


def lose(route: Route) -> None:
    """Let a question come through and its answer not."""
    if route.request.method == "POST":
        route.fetch()
        route.abort()
    else:
        route.continue_()


def test_a_buy_in_whose_answer_was_lost_is_not_made_again(joined: Joined, dealer: Page) -> None:
    row = dealer.locator(".players li", has_text="Aubrey")
    row.get_by_role("button", name="Purse").click()
    dialog = dealer.get_by_role("dialog", name="Purse of Aubrey")
    expect(dialog).to_contain_text("The purse holds 100 coins.")
    dealer.route("**/api/v1/purses", lose)
    dialog.get_by_label("Coins from the purse").fill("40")
    dialog.get_by_role("button", name="Buy in from purse").click()
    expect(dealer.locator(".toast.error")).to_be_visible(timeout=20_000)
    dealer.unroute("**/api/v1/purses")
    dialog.get_by_role("button", name="Buy in from purse").click()
    expect(dialog).to_be_hidden()
    expect(row.locator("b")).to_have_text("140")
    until(lambda: joined.held("Aubrey") == 60)


def test_somebody_new_comes_with_coins_of_a_purse(joined: Joined, dealer: Page) -> None:
    dealer.get_by_role("button", name="From a purse or card").click()
    dialog = dealer.get_by_role("dialog")
    expect(dialog.get_by_role("option", name="Aubrey")).to_have_count(0)
    dialog.get_by_role("combobox").select_option("Zoe")
    expect(dialog).to_contain_text("The purse holds 70 coins.")
    for size in ((390, 844), (1920, 1080)):  # wide screens had a word of it on each line
        dealer.set_viewport_size({"width": size[0], "height": size[1]})
        assert dialog.get_by_text("The purse holds").bounding_box()["height"] < 70
    dialog.get_by_label("Coins from the purse").fill("70")
    dialog.get_by_role("button", name="Let in and buy in").click()
    row = dealer.locator(".players li", has_text="Zoe")
    expect(row.locator("b")).to_have_text("70")
    until(lambda: joined.held("Zoe") == 0)


def test_somebody_new_whose_buy_in_was_not_heard_of_is_bought_in_once(joined: Joined, dealer: Page) -> None:
    """Asked again, it goes on where it stood: they sit there already."""
    dealer.get_by_role("button", name="From a purse or card").click()
    dialog = dealer.get_by_role("dialog")
    dialog.get_by_role("combobox").select_option("Zoe")
    expect(dialog).to_contain_text("The purse holds 70 coins.")
    dealer.route("**/api/v1/purses", lose)
    dialog.get_by_label("Coins from the purse").fill("30")
    dialog.get_by_role("button", name="Let in and buy in").click()
    expect(dealer.locator(".toast.error")).to_be_visible(timeout=20_000)
    dealer.unroute("**/api/v1/purses")
    dialog.get_by_role("button", name="Let in and buy in").click()
    expect(dialog).to_be_hidden()
    expect(dealer.locator(".players li", has_text="Zoe").locator("b")).to_have_text("30")
    until(lambda: joined.held("Zoe") == 40)


def test_a_card_asks_and_seats_nobody_silently(joined: Joined, dealer: Page) -> None:
    code = joined.floor.house.cashier.add_card(joined.purses["Zoe"], "Pit")
    dealer.get_by_role("button", name="From a purse or card").click()
    dialog = dealer.get_by_role("dialog")
    wrong = code.spaced[:-1] + ("A" if code.spaced[-1] != "A" else "B")
    dialog.get_by_label("Code of a player’s card").fill(wrong)
    dialog.get_by_label("Code of a player’s card").press("Enter")
    expect(dealer.locator(".toast.error")).to_contain_text("This player card is forged")
    dialog.get_by_label("Code of a player’s card").fill(code.spaced.lower())
    dialog.get_by_role("button", name="Check the card").click()
    question = dealer.locator(".question")
    expect(question).to_contain_text("Seat Zoe at seat 3?")
    expect(dealer.locator(".players li", has_text="Zoe")).to_have_count(0)
    question.get_by_role("button", name="Yes, seat 3").click()
    expect(dealer.locator(".players li", has_text="Zoe")).to_have_count(1)


def test_a_table_that_is_cut_off_says_what_cannot_be_done(joined: Joined, dealer: Page) -> None:
    row = dealer.locator(".players li", has_text="Aubrey")
    row.get_by_role("button", name="Purse").click()
    dialog = dealer.get_by_role("dialog", name="Purse of Aubrey")
    expect(dialog).to_contain_text("The purse holds 100 coins.")
    joined.floor.server.__exit__()
    expect(dialog).to_contain_text("The house's floor cannot be asked now, so nothing was moved.")
    expect(dialog.get_by_role("button", name="Buy in from purse")).to_have_attribute("aria-disabled", "true")
    expect(dialog).to_contain_text("Cashing out works without the floor")
    dialog.get_by_role("button", name="Cash out to purse").click()
    expect(row.locator("b")).to_have_text("0")


def test_a_reserved_transfer_is_shown_until_the_table_has_taken_it(joined: Joined, dealer: Page) -> None:
    joined.house.do(do="hold")
    told = {"id": "abcdefgh1", "purse": joined.purses["Aubrey"], "player": "Aubrey", "coins": 30}
    joined.member.client().post("/floor/v1/transfers", told)
    row = dealer.locator(".players li", has_text="Aubrey")
    row.get_by_role("button", name="Purse").click()
    dialog = dealer.get_by_role("dialog", name="Purse of Aubrey")
    expect(dialog).to_contain_text("30 coins are reserved for this table and wait for the floor.")
    expect(dialog).to_contain_text("The purse holds 70 coins.")
    joined.house.do(do="release")
    expect(row.locator("b")).to_have_text("130")
    expect(dialog).not_to_contain_text("are reserved")


def test_a_table_without_a_floor_sees_nothing_of_it(house: House, sit: Callable[..., Page]) -> None:
    page = sit(house, 0, locale="en")
    page.get_by_role("tab", name="Players").click()
    expect(page.locator(".players li")).to_have_count(2)
    expect(page.get_by_role("button", name="Purse")).to_have_count(0)
    assert "purse_holds" not in page.content()

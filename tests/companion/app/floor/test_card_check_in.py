"""Player cards of a real floor at a real table: printed, photographed, typed, forged, revoked."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pypdfium2
import pytest
from floor_wire import ServedHouse

from companion.app.floor.card_check_in import CardCheckIn
from companion.app.floor.card_scanner import CardScanner
from companion.journal.store import FILE_NAME
from companion.kernel.errors import NotOffered
from companion.objects.codes import parse_code
from companion.objects.player_code import MAX_CARDS, PlayerCode
from companion.printing.player_card import player_card
from companion.printing.sheets import Job, make_pdf
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header
from companion.vision.frame import Frame


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TableService]:
    header = new_header("roche", (("Ann", 0), ("Bo", 10)), {})
    with TableService.open(tmp_path / "table" / FILE_NAME, header, INSTALLED) as made:
        yield made


@pytest.fixture
def door(served: ServedHouse, service: TableService, tmp_path: Path) -> Iterator[CardCheckIn]:
    client = served.join(tmp_path / "table").client()
    yield CardCheckIn(service, client)
    client.close()


def printed(served: ServedHouse, player: str) -> PlayerCode:
    cashier = served.house.cashier
    return cashier.add_card(cashier.open_purse(player, "Pia"), "Pia")


def texts(service: TableService) -> list[str]:
    return [question["text"] for question in service.view("dealer").get("questions", ())]


def photo(player: str, code: PlayerCode, number: int) -> Frame:
    """Return a picture of the printed sheet on a dark table, at 3 pixels a millimetre."""
    page = pypdfium2.PdfDocument(make_pdf(Job("Card", (player_card(player, code),))))[0]
    paper = page.render(scale=80 / 72).to_numpy()[:, :, :3]
    picture = np.full((1080, 1920, 3), 40, np.uint8)
    height, width = min(1080, paper.shape[0]), min(1920, paper.shape[1])
    picture[:height, :width] = paper[:height, :width]
    return Frame(picture, number / 30, number)


def seats(service: TableService) -> dict[str, int]:
    return {one["name"]: one["seat"] for one in service.view()["players"]}


def test_a_typed_card_asks_and_yes_seats_its_player(served: ServedHouse, service: TableService, door: CardCheckIn):
    told = door.typed(printed(served, "Zoe").spaced.lower())
    assert texts(service) == ["Seat Zoe at seat 3? The player's card was shown."]
    assert "Zoe" not in seats(service)
    service.answer(told["question"], "seat-4", source="dealer")
    assert seats(service)["Zoe"] == 4
    with pytest.raises(NotOffered, match="Zoe sits at seat 4 already"):
        door.typed(printed(served, "Zoe").text)


def test_no_seats_nobody_and_the_card_may_be_shown_again(served: ServedHouse, service: TableService, door: CardCheckIn):
    code = printed(served, "Zoe")
    service.answer(door.shown(code)["question"], "no", source="dealer")
    service.take_answers()
    assert "Zoe" not in seats(service)
    assert texts(service) == []
    door.shown(code)
    door.shown(printed(served, "Yve"))
    door.shown(code)
    assert sorted(text[:9] for text in texts(service)) == ["Seat Yve ", "Seat Zoe "]


def test_forged_and_revoked_cards_are_named(served: ServedHouse, service: TableService, door: CardCheckIn):
    code = printed(served, "Zoe")
    others = (PlayerCode(code.number, "A" * 9), PlayerCode(code.number + 1, code.signature))
    unknown = PlayerCode.signed(code.number + 1, served.house.signer.mac)  # as from a floor that lost its database
    for wrong in (*others, unknown):
        with pytest.raises(NotOffered, match="forged, or of another house"):
            door.shown(wrong)
    served.house.cashier.revoke_card(code.number, "Pia")
    with pytest.raises(NotOffered, match="This card of Zoe was reported lost"):
        door.shown(code)
    with pytest.raises(NotOffered, match="three groups of five"):
        door.typed("AAAAA")
    assert texts(service) == []


def test_a_table_that_is_cut_off_says_that_it_cannot_ask(served: ServedHouse, door: CardCheckIn):
    code = printed(served, "Zoe")
    served.__exit__()
    with pytest.raises(NotOffered, match="Add the player by name"):
        door.shown(code)


def test_the_camera_reads_a_printed_card_and_asks_once(served: ServedHouse, service: TableService, door: CardCheckIn):
    code, clock = printed(served, "Zoe"), iter(range(100))
    frames = [photo("Zoe", code, number) for number in (1, 2)]
    shown = iter([frames[0], frames[0], frames[1]])
    watch = CardScanner(lambda: next(shown), door, service, clock=lambda: float(next(clock)))
    watch.look()
    assert texts(service) == ["Seat Zoe at seat 3? The player's card was shown."]
    (question,) = service.view("dealer")["questions"]
    service.answer(question["id"], "no", source="dealer")
    service.take_answers()
    watch.look()
    watch.look()  # it lies there yet
    assert texts(service) == []
    assert "Zoe" not in seats(service)


def test_a_lost_card_before_the_camera_is_told_to_the_dealer_alone(
    served: ServedHouse, service: TableService, door: CardCheckIn
):
    code = printed(served, "Zoe")
    served.house.cashier.revoke_card(code.number, "Pia")
    CardScanner(lambda: photo("Zoe", code, 1), door, service).look()
    service.submit({"do": "hold"}, source="dealer")  # behind the notice
    assert any("reported lost" in line["text"] for line in service.view("dealer")["log"])
    assert not any("reported lost" in line["text"] for line in service.view("room")["log"])


@pytest.mark.parametrize("number", [1, 31, 32, 12345, MAX_CARDS - 1])
def test_a_code_reads_back_and_is_never_a_playing_card(number: int):
    code = PlayerCode.signed(number, lambda text: "00ff" * 16)
    assert PlayerCode.parse(code.text) == PlayerCode.typed(code.spaced) == code
    assert len(code.text) == 16
    assert parse_code(code.text) is None

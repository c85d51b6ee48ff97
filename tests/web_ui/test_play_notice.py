"""The notice at the foot of the room's page and the phones', and the loss cap on the dealer's."""

from flask.testing import FlaskClient
from webclient import command

from companion.service.settings import TableSettings
from companion.service.table_service import TableService


def text_of(client: FlaskClient, path: str) -> str:
    return client.get(path).get_data(as_text=True)


def test_the_notice_speaks_the_page_s_language_unless_it_is_the_owner_s(
    room: FlaskClient, phone: FlaskClient, service: TableService
) -> None:
    for client, path in ((room, "/"), (phone, "/seat/1"), (room, "/watch")):
        assert "Play money: coins here are worth nothing outside this table." in text_of(client, path)
    assert "Spielgeld: " in room.get("/", headers={"Accept-Language": "de"}).get_data(as_text=True)
    service.set_settings(TableSettings(notice="Only <fun>."))
    assert "Only &lt;fun&gt;." in text_of(room, "/")
    assert "Only \\u003cfun>." in text_of(phone, "/seat/1")


def test_the_dealer_s_buy_in_beyond_the_limit_is_refused(dealer: FlaskClient, service: TableService) -> None:
    service.set_settings(TableSettings(most_brought=150))
    answer = command(dealer, {"do": "buy-in", "player": "Aubrey", "coins": 51})
    assert (answer.status_code, answer.json["code"]) == (409, "over-limit")
    assert answer.json["message"].endswith("Aubrey has brought 100 and can bring 50 more.")
    assert command(dealer, {"do": "buy-in", "player": "Aubrey", "coins": 50}).status_code == 200

"""Table limits: the response to a phone's bet that is too high, and the dealer's page."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from webclient import PLAYERS, command

from companion.config.file import load_config
from companion.kernel.errors import TableError
from companion.kernel.messages import message
from companion.kernel.shared.banked import Limits, Wish
from companion.kernel.words import SUITS
from companion.odds.exposure import limit_words
from companion.service.table_service import TableService
from companion.testing import INSTALLED, say

AS_SEAT = {"as": "seat/1"}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[TableService]:
    """The table of a first `companion run` without a configuration."""
    header = replace(load_config(None, INSTALLED)[1], players=PLAYERS)
    with TableService.open(tmp_path / "journal.db", header, INSTALLED) as table:
        yield table


def test_a_phone_cannot_bet_100_at_ten_thousand_to_one_against_the_default_bank(
    phone: FlaskClient, service: TableService
) -> None:
    before = service.ledger
    answer = command(phone, {"do": "bet", "on": "day/7", "amount": 100}, "/seat/1", **AS_SEAT)
    assert (answer.status_code, answer.json["code"]) == (409, "over-limit")
    assert answer.json["message"] == (
        "The house pays at most 200 on a bet; 100 on Commons by day could win 1,000,000. Nothing can be bet there now."
    )
    assert service.ledger is before


def test_a_phone_is_told_the_most_that_it_can_bet_there_and_may_bet_that(phone: FlaskClient) -> None:
    def ask(amount: int) -> Any:
        return command(phone, {"do": "bet", "on": "cut/6", "amount": amount}, "/seat/1", **AS_SEAT)

    refused = ask(30)
    assert refused.json["code"] == "over-limit"
    assert refused.json["message"].endswith("30 on Kin to cut could win 240. At most 25 can be bet there now.")
    assert ask(20).status_code == 200
    assert ask(10).json["message"].endswith("At most 5 more can be bet there now.")
    assert ask(5).status_code == 200
    assert ask(1).json["message"].endswith("Nothing more can be bet there now.")


@pytest.mark.parametrize("language", ["de", "es"])
@pytest.mark.parametrize("limits", [Limits(maximum=10), Limits(cap=80), Limits(bank=90), Limits(cap=5)])
@pytest.mark.parametrize("had", [0, 3])
def test_a_refusal_is_said_whole_in_every_language(language: str, limits: Limits, had: int) -> None:
    wish = Wish(
        message("{suit} to cut", suit=SUITS[6]),
        50,
        lambda total: 8 * total,
        lambda total: 8 * total,
        purse=100,
        had=had,
    )
    with pytest.raises(TableError) as refused:
        limits.check(wish)
    text = say(refused.value.message, language)
    assert not any(f" {word} " in f" {text} " for word in ("the", "bet", "there", "could", "cut", "now", "At"))


def test_only_the_dealer_is_sent_what_the_house_risks_and_it_follows_every_bet(
    service: TableService, dealer: FlaskClient, room: FlaskClient
) -> None:
    def risk() -> dict[str, Any]:
        found: dict[str, Any] = dealer.get("/api/v1/state?as=dealer").json["risk"]
        return found

    assert (risk()["worst"], risk()["when"], risk()["left"]) == (0, None, 2000)
    service.submit({"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 10}, source="test")
    service.submit({"do": "bet", "player": "Benedict", "on": "cut/5", "amount": 4}, source="test")
    assert risk()["worst"] == 80 - 4
    assert risk()["when"] == {"cut": 6, "half": "neutral", "cavalry": False}
    assert risk()["bet"] == {"player": "Aubrey", "on": "cut/6", "amount": 10}
    service.submit({"do": "undo"}, source="test")
    assert risk()["worst"] == 80
    assert "risk" not in room.get("/api/v1/state").json
    assert risk()["is_short"] is False
    assert risk()["one_bet"] is None


def test_what_the_house_has_lost_of_its_bank_is_no_longer_there(tmp_path: Path) -> None:
    """A round may cost more than the bank has left: the limit is per round, so the dealer is warned."""
    header = replace(load_config(None, INSTALLED)[1], players=(("Ann", 500),), options={"bank": 100})
    with TableService.open(tmp_path / "other.db", header, INSTALLED) as service:
        for record in _lost_round():
            service.submit(record, source="test")
        risk = service.view("dealer")["risk"]
        assert (risk["left"], risk["worst"], risk["is_short"]) == (20, 0, False)
        service.submit({"do": "bet", "player": "Ann", "on": "cut/6", "amount": 3}, source="test")
        assert service.view("dealer")["risk"]["is_short"] is True


def _lost_round() -> list[dict[str, Any]]:
    cards = ["6D1", "6D2", "6D3", "6N1", "6N2", "6N3"]
    bet = {"do": "bet", "player": "Ann", "on": "cut/6", "amount": 10}
    return [bet, {"do": "no-more-bets"}, *({"do": "deal", "card": card} for card in cards), {"do": "new-round"}]


@pytest.mark.parametrize("game", ["rochi", "captains", "rugen-street"])
def test_where_no_house_plays_nothing_is_shown(tmp_path: Path, game: str) -> None:
    header = load_config(None, INSTALLED, game)[1]
    with TableService.open(tmp_path / "other.db", header, INSTALLED) as service:
        assert service.view("dealer")["risk"] is None


def test_capital_shows_what_the_house_stakes_before_and_after_it_does(tmp_path: Path) -> None:
    header = replace(load_config(None, INSTALLED, "rugen-capital")[1], players=(("Ann", 100), ("Bo", 100)))
    with TableService.open(tmp_path / "other.db", header, INSTALLED) as service:
        service.submit({"do": "take", "player": "Ann", "number": 4, "units": 2}, source="test")
        risk = service.view("dealer")["risk"]
        assert (risk["worst"], risk["left"], risk["when"]) == (28, 2000, {"taken": [4]})
        service.submit({"do": "close"}, source="test")
        assert service.view("dealer")["risk"] == risk


def test_a_start_without_a_bank_says_what_one_bet_can_cost(tmp_path: Path) -> None:
    path = tmp_path / "companion.toml"
    path.write_text("[table]\nbank = 0\n")
    header = replace(load_config(path, INSTALLED)[1], players=PLAYERS)
    with TableService.open(tmp_path / "other.db", header, INSTALLED) as service:
        assert service.house_state is not None
        assert limit_words(service.house_state, service.ledger) == (
            "No limit: one bet can cost the house 1,000,000 (100 on Commons by day). Set a bank under [table]."
        )

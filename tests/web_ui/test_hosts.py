"""The table accepts only its own host names and addresses, and its codes link to them."""

import socket

import pytest
from flask import Flask
from flask.testing import FlaskClient

from web_ui.addresses import REACHED_AT, own_names


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "6.6.6.6", "", "[::2]"]
)
def test_a_strangers_name_gets_no_answer(room: FlaskClient, host: str) -> None:
    for path in ("/", "/api/v1/state", "/healthz", "/static/none"):
        answer = room.get(path, headers={"Host": host})
        assert answer.status_code == 421
    problem = room.get("/api/v1/state", headers={"Host": host}).get_json()
    assert problem["code"] == "wrong-host"
    assert "`names` in `[web]`" in problem["message"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9000", "127.0.0.1:1", "127.0.0.2", "[::1]:8080", "::1"])
def test_this_machine_may_be_named_as_such(room: FlaskClient, host: str) -> None:
    assert room.get("/api/v1/state", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["192.168.1.5:80@evil.example", "localhost:80@evil.example", 'localhost:"><b>', "localhost:80/x", "localhost#"],
)
def test_what_follows_a_name_is_a_port_alone(room: FlaskClient, host: str) -> None:
    """Otherwise it would end up in receipts' codes, which would then link elsewhere."""
    answer = room.get("/api/v1/state", headers={"Host": host}, environ_overrides={REACHED_AT: "192.168.1.5"})
    assert answer.status_code == 421


def test_the_machines_name_is_its_own_however_the_router_completes_it(room: FlaskClient) -> None:
    name = socket.gethostname().partition(".")[0]
    for host in (name, f"{name}.local", f"{name.upper()}.lan:8080", f"{name}.local."):
        assert room.get("/api/v1/state", headers={"Host": host}).status_code == 200, host


def test_the_address_that_the_client_has_connected_to_is_its_own(room: FlaskClient) -> None:
    reached = {REACHED_AT: "192.168.1.5"}
    head = {"Host": "192.168.1.5:8080"}
    assert room.get("/api/v1/state", headers=head, environ_overrides=reached).status_code == 200
    assert room.get("/api/v1/state", headers=head, environ_overrides={REACHED_AT: "10.0.0.1"}).status_code == 421
    assert (
        room.get("/api/v1/state", headers=head, environ_overrides={REACHED_AT: "::ffff:192.168.1.5"}).status_code == 200
    )


def test_the_owner_may_add_names(app: Flask, room: FlaskClient) -> None:
    app.config["HOSTS"] = own_names(["Table.Example.org"])
    assert room.get("/", headers={"Host": "table.example.org:8080"}).status_code == 200


def test_the_seats_codes_point_to_the_name_that_was_used(app: Flask, dealer: FlaskClient) -> None:
    app.config["HOSTS"] = own_names(["table.example.org"])
    link = dealer.get("/dealer/seats/1", headers={"Host": "table.example.org:8080"})
    assert link.status_code == 401  # the cookie is of another host
    link = dealer.get("/dealer/seats/1", base_url="http://localhost:8080")
    assert link.get_json()["address"].endswith(":8080/seat/1")

"""The tables' API: join, epochs, transfers, player cards, broker logins."""

import hashlib
from datetime import UTC, datetime
from typing import Any, Final

from cryptography.hazmat.primitives.serialization import Encoding
from flask import Blueprint, Response, current_app, jsonify, request

from companion.floor.errors import FloorError
from companion.floor.house import House
from companion.floor.purse import Transfer
from companion.floor.tables import Installation
from companion.journal.hash_chain import Head
from companion.objects.player_code import PlayerCode
from web_ui.floor.login_limiter import LoginLimiter
from web_ui.https.authority import Authority
from web_ui.serving.answering import CERTIFICATE

blueprint = Blueprint("machines", __name__)


def house() -> House:
    """Return the running floor."""
    found: House = current_app.extensions["house"]
    return found


def fingerprint_of(certificate: bytes) -> str:
    """Return a certificate's fingerprint (DER input)."""
    return hashlib.sha256(certificate).hexdigest()


def requesting_table() -> Installation:
    """Return the table that sent the request.

    Raises:
        FloorError: no certificate, or one that is no longer valid.
    """
    certificate = request.environ.get(CERTIFICATE)
    if certificate is None:
        raise FloorError("no-certificate", "Only tables that have joined may ask this.")
    return house().installation(fingerprint_of(certificate))


def request_json() -> dict[str, Any]:
    """Return the request's JSON object.

    Raises:
        FloorError: there is none.
    """
    told = request.get_json(silent=True)
    if not isinstance(told, dict):
        raise FloorError("bad-request", "This needs a JSON object.")
    return told


def value_of(told: dict[str, Any], name: str, kind: type[Any]) -> Any:
    """Return a value of a JSON object.

    Raises:
        FloorError: missing, or of another type.
    """
    value: Any = told.get(name)
    if type(value) is not kind or (kind is str and "\0" in value):
        raise FloorError("bad-request", f"{name!r} is missing, or no {kind.__name__}.")
    return value


@blueprint.post("/floor/v1/join")
def join() -> Response:
    """Exchange a one-time code and a public key for a certificate."""
    told, address = request_json(), request.remote_addr or ""
    code, key = value_of(told, "code", str), value_of(told, "key", str)
    guesses: Final[LoginLimiter] = current_app.extensions["guesses"]
    authority: Final[Authority] = current_app.extensions["authority"]
    guesses.check(address)
    pem = ""

    def certify(name: str) -> str:
        nonlocal pem
        try:
            certificate = authority.vouch_for_client(f"Table {name}", key.encode(), datetime.now(UTC))
        except ValueError as error:
            raise FloorError("bad-request", f"That is no public key: {error}.") from error
        pem = certificate.public_bytes(Encoding.PEM).decode()
        return fingerprint_of(certificate.public_bytes(Encoding.DER))

    try:
        who = house().join(code, certify)
    except FloorError as error:
        if error.code == "bad-code":
            guesses.count(address, is_right=False)
        raise
    guesses.count(address, is_right=True)
    return jsonify(table=who.table_id, name=who.name, certificate=pem, floor_key=house().signer.public)


@blueprint.post("/floor/v1/broker")
def let_in() -> Response:
    """Issue a login for the house's broker to the table, with a new password each time."""
    found = house().broker.issue_login(requesting_table())
    return jsonify(port=found.port, login=found.login, password=found.password, topic=found.topic)


@blueprint.get("/floor/v1/broker")
def where() -> Response:
    """Return the broker's port for a table that cannot reach it; its login is unchanged."""
    requesting_table()
    return jsonify(port=house().broker.listening())


@blueprint.get("/floor/v1/state")
def state() -> Response:
    """Return the floor's state of the table."""
    who = requesting_table()
    known = house().known(who.table_id)
    told = None if known is None else {"journal": known.journal, "seq": known.seq, "hash": known.hash}
    return jsonify(table=who.table_id, name=who.name, epoch=who.epoch, known=told)


@blueprint.get("/floor/v1/hashes/<journal>/<int:seq>")
def hash_at(journal: str, seq: int) -> Response:
    """Return the hash of an entry of the table's journal."""
    return jsonify(hash=house().hash_at(requesting_table().table_id, journal, seq))


@blueprint.post("/floor/v1/epochs")
def begin_epoch() -> Response:
    """Begin an epoch for a table that has joined, after a given entry."""
    who, told = requesting_table(), request_json()
    fork = Head(value_of(told, "seq", int), value_of(told, "hash", str))
    known = house().begin_epoch(who, value_of(told, "journal", str), fork, value_of(told, "signer", str))
    return jsonify(epoch=known.epoch, seq=known.seq, hash=known.hash)


@blueprint.get("/floor/v1/transfers")
def open_transfers() -> Response:
    """List the transfers that the table still has to accept, decline or redo."""
    return jsonify(transfers=[one.to_json() for one in house().open_transfers(requesting_table().table_id)])


@blueprint.post("/floor/v1/transfers")
def reserve() -> Response:
    """Reserve a buy-in's coins from a purse; idempotent, returns the transfer's state."""
    who, told = requesting_table(), request_json()
    name = value_of(told, "id", str)
    if not 8 <= len(name) <= 56 or not name.isalnum():
        raise FloorError("bad-request", "A transfer's id is 8 to 56 letters and digits.")
    purse, player, coins = value_of(told, "purse", int), value_of(told, "player", str), value_of(told, "coins", int)
    if not 0 < purse < 2**31:
        raise FloorError("bad-request", "A purse has a number.")
    asked = Transfer(name, "buy-in", who.table_id, purse, player, coins, "reserved")
    return jsonify(house().reserve(asked, who.name).to_json())


@blueprint.post("/floor/v1/transfers/given-up")
def give_up() -> Response:
    """Mark a buy-in that the table has cancelled but cannot journal now."""
    house().give_up(requesting_table().table_id, value_of(request_json(), "id", str))
    return jsonify(remembered=True)


@blueprint.get("/floor/v1/purses")
def purses() -> Response:
    """List the house's purses by name; balances are returned one at a time, on request."""
    requesting_table()
    return jsonify(purses=[{"purse": number, "player": player} for number, player, _ in house().purses()])


@blueprint.get("/floor/v1/purses/<int:number>")
def purse(number: int) -> Response:
    """Return a purse's balance."""
    requesting_table()
    found = house().cashier.purse(number)
    return jsonify(purse=found.number, player=found.player, coins=found.coins)


@blueprint.post("/floor/v1/cards")
def check_card() -> Response:
    """Return a player card's owner; rejects forged and revoked cards."""
    requesting_table()
    code = PlayerCode.parse(value_of(request_json(), "code", str))
    if code is None:
        raise FloorError("bad-request", "That is no code of a player card.")
    found = house().cashier.check_card(code)
    return jsonify(card=found.number, purse=found.purse, player=found.player)

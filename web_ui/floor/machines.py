"""What tables ask the floor beside their entries: to join, to begin an epoch, and for transfers."""

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
from web_ui.floor.guesses import Guesses
from web_ui.https.authority import Authority
from web_ui.serving.answering import CERTIFICATE

blueprint = Blueprint("machines", __name__)


def house() -> House:
    """Return the floor."""
    found: House = current_app.extensions["house"]
    return found


def fingerprint_of(certificate: bytes) -> str:
    """Return what names a certificate (DER)."""
    return hashlib.sha256(certificate).hexdigest()


def asked_by() -> Installation:
    """Return the table that asks.

    Raises:
        FloorError: it has no certificate, or one that counts no more.
    """
    certificate = request.environ.get(CERTIFICATE)
    if certificate is None:
        raise FloorError("no-certificate", "Only tables that have joined may ask this.")
    return house().installation(fingerprint_of(certificate))


def told_json() -> dict[str, Any]:
    """Return the JSON object of a request.

    Raises:
        FloorError: it has none.
    """
    told = request.get_json(silent=True)
    if not isinstance(told, dict):
        raise FloorError("bad-request", "This needs a JSON object.")
    return told


def value_of(told: dict[str, Any], name: str, kind: type[Any]) -> Any:
    """Return a value of a JSON object.

    Raises:
        FloorError: it is missing, or of another kind.
    """
    value: Any = told.get(name)
    if type(value) is not kind or (kind is str and "\0" in value):
        raise FloorError("bad-request", f"{name!r} is missing, or no {kind.__name__}.")
    return value


@blueprint.post("/floor/v1/join")
def join() -> Response:
    """Exchange a one-time code and a public key for a certificate."""
    told, address = told_json(), request.remote_addr or ""
    code, key = value_of(told, "code", str), value_of(told, "key", str)
    guesses: Final[Guesses] = current_app.extensions["guesses"]
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
    """Give the table that asks a login of its own for the house's broker, with a new password each time."""
    found = house().broker.let_in(asked_by())
    return jsonify(port=found.port, login=found.login, password=found.password, topic=found.topic)


@blueprint.get("/floor/v1/broker")
def where() -> Response:
    """Say where the house's broker listens, for a table that does not find it: its login stays as it is."""
    asked_by()
    return jsonify(port=house().broker.listening())


@blueprint.get("/floor/v1/state")
def state() -> Response:
    """Say what the floor has of the table that asks."""
    who = asked_by()
    known = house().known(who.table_id)
    told = None if known is None else {"journal": known.journal, "seq": known.seq, "hash": known.hash}
    return jsonify(table=who.table_id, name=who.name, epoch=who.epoch, known=told)


@blueprint.get("/floor/v1/hashes/<journal>/<int:seq>")
def hash_at(journal: str, seq: int) -> Response:
    """Say the hash of an entry of the table that asks."""
    return jsonify(hash=house().hash_at(asked_by().table_id, journal, seq))


@blueprint.post("/floor/v1/epochs")
def begin_epoch() -> Response:
    """Let a table that has joined go on behind an entry."""
    who, told = asked_by(), told_json()
    fork = Head(value_of(told, "seq", int), value_of(told, "hash", str))
    known = house().begin_epoch(who, value_of(told, "journal", str), fork, value_of(told, "signer", str))
    return jsonify(epoch=known.epoch, seq=known.seq, hash=known.hash)


@blueprint.get("/floor/v1/transfers")
def open_transfers() -> Response:
    """List what the table that asks still has to take, to refuse or to make again."""
    return jsonify(transfers=[one.to_json() for one in house().open_transfers(asked_by().table_id)])


@blueprint.post("/floor/v1/transfers")
def reserve() -> Response:
    """Take a buy-in's coins out of a purse, for the table that asks; asked again, say how it stands."""
    who, told = asked_by(), told_json()
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
    """Remember of a buy-in that the table that asks has refused it, and cannot write that down now."""
    house().give_up(asked_by().table_id, value_of(told_json(), "id", str))
    return jsonify(remembered=True)


@blueprint.get("/floor/v1/purses")
def purses() -> Response:
    """List the house's purses, for a dealer to choose from; what one holds is told to who asks for that one."""
    asked_by()
    return jsonify(purses=[{"purse": number, "player": player} for number, player, _ in house().purses()])


@blueprint.get("/floor/v1/purses/<int:number>")
def purse(number: int) -> Response:
    """Say what a purse holds."""
    asked_by()
    found = house().cashier.purse(number)
    return jsonify(purse=found.number, player=found.player, coins=found.coins)


@blueprint.post("/floor/v1/cards")
def check_card() -> Response:
    """Say whose a player card is; refuses ones that are forged or revoked."""
    asked_by()
    code = PlayerCode.parse(value_of(told_json(), "code", str))
    if code is None:
        raise FloorError("bad-request", "That is no code of a player card.")
    found = house().cashier.check_card(code)
    return jsonify(card=found.number, purse=found.purse, player=found.player)

"""The floor's HTTPS server: journal batches go straight to ingest, everything else to the Flask application.

A batch waiting for its commit occupies no thread; ingest sends the response from a callback.
"""

import socket
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Final, Self

import orjson
from flask import Flask

from companion.floor.errors import FloorError
from companion.floor.house import House
from companion.floor.ingest.process import Reply
from companion.floor.tables import Installation
from companion.kernel.errors import CompanionError
from web_ui.addresses import local_address, own_names
from web_ui.floor.table_api import fingerprint_of
from web_ui.https.certificates import Certificates
from web_ui.serving.answering import Answerer
from web_ui.serving.framing import WholeRequest, refusal
from web_ui.serving.front import Connection, Front, Limits, Patience
from web_ui.serving.workers import Workers

ENTRIES: Final = b"POST /floor/v1/entries HTTP/1.1"
BATCH_LIMIT: Final = 8 << 20
"""Body size limit of a table's batch. Unauthenticated clients get less: a thousand such bodies would fill memory."""
LIMITS: Final = Limits(unfinished=1_000, idle=2_000, crowd=2_500, total=5_000)
"""Connection limits: a whole house may share one address."""
_PATIENCE: Final = Patience(request_s=15.0, idle_s=30.0)
_BACKLOG: Final = 1024


class FloorPortTaken(CompanionError):
    """The floor's port cannot be used."""


def floor_certificates(folder: Path, host: str) -> Certificates:
    """Return the floor's certificates, created at the first start; client certificates of the same CA are accepted."""
    own = () if host in ("", "0.0.0.0", "::") else (host,)
    addresses = ("127.0.0.1", "::1", *filter(None, (local_address(),)), *own)
    return Certificates(folder, own_names(), addresses, asks_clients=True)


class FloorServer:
    """Serves tables and staff over TLS. A context manager.

    Args:
        port: 0 chooses a free one, see `port`.

    Raises:
        FloorPortTaken: the port is in use, or not permitted.
    """

    def __init__(self, house: House, app: Flask, certificates: Certificates, host: str, port: int) -> None:
        self._house = house
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        except OSError as error:
            raise FloorPortTaken(f"The floor cannot use {host}:{port} ({error}). Choose another --port.") from error
        self.port: Final = int(listener.getsockname()[1])
        "The listening port."
        self._answerer = Answerer(app.wsgi_app, (host, self.port))
        self._workers = Workers(self._answer)
        self._front = Front(
            listener,
            self._hand_on,
            body_limit=int(app.config["MAX_CONTENT_LENGTH"]),
            proven_limit=BATCH_LIMIT,
            patience=_PATIENCE,
            tls=certificates.context,
            limits=LIMITS,
        )

    def __enter__(self) -> Self:
        self._workers.start()
        self._front.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._front.close()
        self._workers.close(0.5)

    def _hand_on(self, connection: Connection, request: WholeRequest) -> None:
        certificate = connection.sock.certificate if request.head.lines[0] == ENTRIES else None
        who = None if certificate is None else self._house.known_machine(fingerprint_of(certificate))
        if who is not None:
            self._submit(connection, who, request.body)
        elif not self._workers.put((connection, request), is_reserved=False):
            self._front.give(connection, refusal(503, "The floor is busy. Wait a moment, then try again."), keeps=False)

    def _take_entries(self, connection: Connection, body: bytes) -> None:
        try:
            certificate = connection.sock.certificate
            if certificate is None:
                raise FloorError("no-certificate", "Only tables that have joined may send entries.")
            who = self._house.installation(fingerprint_of(certificate))
        except FloorError as error:
            self._tell(connection, error)
        else:
            self._submit(connection, who, body)

    def _submit(self, connection: Connection, who: Installation, body: bytes) -> None:
        self._house.ingest.submit(who, body, partial(self._answer_table, connection, who))

    def _answer_table(self, connection: Connection, who: Installation, reply: Reply) -> None:
        self._house.live.take(who.table_id, reply.picture)
        self._house.orders.acknowledge(who.table_id, reply.orders)
        if isinstance(reply.answer, FloorError):
            self._tell(connection, reply.answer)
            return
        orders, directives = self._house.orders.pending(who.table_id), self._house.directives.of(who)
        told = {**reply.answer, "orders": orders, "errands": directives}
        self._front.give(connection, _response(HTTPStatus.OK, told), keeps=True, at_once=False)

    def _tell(self, connection: Connection, answer: FloorError) -> None:
        status = {"unavailable": HTTPStatus.SERVICE_UNAVAILABLE, "bad-request": HTTPStatus.BAD_REQUEST}
        told = _response(status.get(answer.code, HTTPStatus.FORBIDDEN), answer.to_json())
        self._front.give(connection, told, keeps=True)

    def _answer(self, connection: Connection, request: WholeRequest) -> None:
        if request.head.lines[0] == ENTRIES and connection.sock.is_secure:
            self._take_entries(connection, request.body)
            return
        if not connection.sock.is_secure:
            self._front.give(connection, refusal(400, "Use https here."), keeps=False)
            return
        answer = self._answerer.answer(
            request,
            (connection.address, connection.port),
            connection.reached_at,
            is_secure=True,
            certificate=connection.sock.certificate,
        )
        self._front.give(connection, answer.data, keeps=answer.keeps)


def _response(status: HTTPStatus, told: Mapping[str, object]) -> bytes:
    body = orjson.dumps(told)
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

"""The real server with TLS: TLS and plain HTTP clients, and clients that stall in the handshake."""

import http.client
import json
import plistlib
import re
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography import x509
from flask import Flask
from slow_clients import half_requests
from webclient import PIN, bearer, csrf_in

import web_ui.server
from companion.service.table_service import TableService
from web_ui import AccessStore, create_app
from web_ui.addresses import public_base
from web_ui.https.certificates import Certificates
from web_ui.https.trust import Root, create_plain_app
from web_ui.server import Secured, Server
from web_ui.serving.front import USUAL, Patience

BET = {"do": "bet", "player": "Aubrey", "on": "cut/6", "amount": 1}
NAMES = frozenset({"localhost", "table.local"})


@pytest.fixture
def certificates(tmp_path: Path) -> Certificates:
    return Certificates(tmp_path, NAMES, ("127.0.0.1",))


@pytest.fixture
def root(certificates: Certificates) -> Root:
    return Root(certificates.authority.der, certificates.authority.fingerprint)


@pytest.fixture
def secured(certificates: Certificates, root: Root) -> Secured:
    return Secured(certificates.context, create_plain_app(root, NAMES))


@pytest.fixture
def table(service: TableService, access: AccessStore, root: Root) -> Flask:
    return create_app(service, access=access, root=root, test_config={"TESTING": True, "HOSTS": NAMES})


@pytest.fixture
def server(table: Flask, secured: Secured) -> Iterator[Server]:
    with Server(table, "127.0.0.1", 0, secured=secured) as running:
        yield running


@pytest.fixture
def hasty(table: Flask, secured: Secured) -> Iterator[Server]:
    with Server(table, "127.0.0.1", 0, secured=secured, patience=Patience(0.3, 0.3, 0.3, 0.3, 0.0)) as running:
        yield running


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat all clients as remote."""
    monkeypatch.setattr(web_ui.server, "is_here", lambda _: False)


@pytest.fixture
def trusting(root: Root) -> ssl.SSLContext:
    """A client that trusts only the table's CA."""
    return ssl.create_default_context(cadata=root.der)


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def asked(
    port: int, context: ssl.SSLContext | None, path: str, verb: str = "GET", body: str = "", **headers: str
) -> SimpleNamespace:
    if context is None:
        connection = http.client.HTTPConnection("localhost", port, timeout=30)
    else:
        connection = http.client.HTTPSConnection("localhost", port, timeout=30, context=context)
    with closing(connection):
        connection.request(verb, path, body or None, headers)
        answer = connection.getresponse()
        return SimpleNamespace(status=answer.status, headers=answer.headers, body=answer.read())


def command(port: int, context: ssl.SSLContext) -> int:
    head = {"Content-Type": "application/json", **bearer()}
    return int(asked(port, context, "/api/v1/commands", "POST", json.dumps(BET), **head).status)


# ---- who comes how


@pytest.mark.usefixtures("far")
def test_a_device_that_trusts_the_authority_is_served(server: Server, trusting: ssl.SSLContext) -> None:
    answer = asked(server.port, trusting, "/history")
    assert answer.status == 200
    assert command(server.port, trusting) == 200


def test_others_see_that_the_certificate_is_unknown(server: Server) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        asked(server.port, ssl.create_default_context(), "/")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_tls_is_not_spoken(server: Server, trusting: ssl.SSLContext) -> None:
    trusting.minimum_version = trusting.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, OSError)):
        asked(server.port, trusting, "/")


def test_this_machine_itself_is_served_in_plain_text(server: Server) -> None:
    assert b"Companion" in asked(server.port, None, "/").body


@pytest.mark.usefixtures("far")
@pytest.mark.parametrize("path", ["/", "/dealer", "/api/v1/state", "/seat/1?x=1", "/metrics", "/static/x/js/table.js"])
def test_plain_text_from_the_network_gets_instructions_only(server: Server, path: str, root: Root) -> None:
    answer = asked(server.port, None, path)
    assert answer.status == 200
    page = answer.body.decode()
    assert root.fingerprint in page
    assert f'href="https://localhost:{server.port}{path}"' in page
    assert "Aubrey" not in page
    assert not re.search(r"<(script|form|input)", page)
    assert "Set-Cookie" not in answer.headers


@pytest.mark.usefixtures("far")
def test_plain_text_from_the_network_can_do_nothing(server: Server, service: TableService) -> None:
    before = service.view()["seq"]
    head = {"Content-Type": "application/json", **bearer()}
    assert asked(server.port, None, "/api/v1/commands", "POST", json.dumps(BET), **head).status == 403
    assert asked(server.port, None, "/dealer/login", "POST", f"pin={PIN}").status == 403
    assert service.view()["seq"] == before


@pytest.mark.usefixtures("far")
def test_the_link_onward_leads_to_no_strangers_name(server: Server) -> None:
    answer = asked(server.port, None, "/", Host="evil.example")
    assert b"evil.example" not in answer.body


@pytest.mark.usefixtures("far")
def test_the_certificate_is_given_in_plain_text_as_each_device_takes_it(server: Server, root: Root) -> None:
    answer = asked(server.port, None, "/table-companion.crt")
    assert (answer.headers["Content-Type"], answer.body) == ("application/x-x509-ca-cert", root.der)
    profile = asked(server.port, None, "/table-companion.mobileconfig")
    assert profile.headers["Content-Type"] == "application/x-apple-aspen-config"
    inner = plistlib.loads(profile.body)["PayloadContent"][0]
    assert (inner["PayloadType"], inner["PayloadContent"]) == ("com.apple.security.root", root.der)


def test_the_tables_own_page_has_a_code_for_phones(server: Server, trusting: ssl.SSLContext) -> None:
    page = asked(server.port, trusting, "/trust").body.decode()
    assert "<svg" in page
    assert re.search(rf"http://\S+:{server.port}/trust", page)


def test_cookies_given_by_tls_never_go_out_in_plain_text(server: Server, trusting: ssl.SSLContext) -> None:
    def log_in(context: ssl.SSLContext | None) -> list[str]:
        form = asked(server.port, context, "/dealer")
        cookie = form.headers["Set-Cookie"].partition(";")[0]
        body = f"pin={PIN}&csrf_token={csrf_in(form.body.decode())}"
        head = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
        return list(asked(server.port, context, "/dealer/login", "POST", body, **head).headers.get_all("Set-Cookie"))

    by_tls, plain = log_in(trusting), log_in(None)
    assert len(by_tls) == len(plain) == 2
    assert all("; Secure" in cookie for cookie in by_tls)
    assert not any("; Secure" in cookie for cookie in plain)


def test_the_seats_codes_lead_to_tls_though_the_dealer_sits_at_the_machine(table: Flask, access: AccessStore) -> None:
    with table.test_request_context("/", headers={"Host": "localhost:8080"}):
        assert public_base().startswith("https://") or "localhost" in public_base()
    with table.test_request_context("/", headers={"Host": "table.local:8080"}):
        assert public_base() == "https://table.local:8080"


def test_a_stream_comes_by_tls(server: Server, trusting: ssl.SSLContext, service: TableService) -> None:
    with trusting.wrap_socket(connect(server.port), server_hostname="localhost") as sock:
        sock.sendall(b"GET /api/v1/stream?as=room HTTP/1.1\r\nHost: localhost\r\n\r\n")
        got = b""
        while b"event: view" not in got:
            got += sock.recv(65536)
        service.submit(BET, source="test")
        seen = f'"seq":{service.view()["seq"]}'.encode()
        while seen not in got.replace(b": ", b":"):
            got += sock.recv(65536)


def test_a_large_answer_comes_whole_by_tls(server: Server, table: Flask, trusting: ssl.SSLContext) -> None:
    @table.get("/large")
    def large() -> bytes:
        return b"x" * 3_000_000

    assert len(asked(server.port, trusting, "/large").body) == 3_000_000


# ---- who stalls


def client_hello() -> bytes:
    context, out = ssl.create_default_context(), ssl.MemoryBIO()
    try:
        context.wrap_bio(ssl.MemoryBIO(), out, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        return out.read()
    raise AssertionError


HELLO = client_hello()


@pytest.mark.parametrize("sent", [HELLO[:1], HELLO[:7], HELLO[:-1], HELLO], ids=["byte", "head", "part", "all"])
def test_a_stalled_handshake_ends(hasty: Server, sent: bytes) -> None:
    with connect(hasty.port) as stalled:
        stalled.sendall(sent)
        began = time.monotonic()
        while stalled.recv(65536):
            pass
        assert time.monotonic() - began < 20


def test_a_handshake_byte_by_byte_has_one_deadline(hasty: Server) -> None:
    with connect(hasty.port) as slow:
        slow.setblocking(False)
        for sent in range(20 * len(HELLO)):
            try:
                slow.send(HELLO[sent % len(HELLO)].to_bytes())
                ended = slow.recv(1) == b""
            except BlockingIOError:
                ended = False
            except ConnectionError:
                ended = True
            if ended:
                break
            time.sleep(0.005)
        else:
            pytest.fail("nobody ended it")


def test_stalled_handshakes_count_as_unfinished_requests(hasty: Server) -> None:
    with ExitStack() as stack:
        stalled = [stack.enter_context(connect(hasty.port)) for _ in range(USUAL.unfinished + 2)]
        for sock in stalled:
            sock.sendall(HELLO[:50])
            time.sleep(0.01)
        assert stalled[0].recv(10) == b""


def test_what_is_no_tls_at_all_ends(hasty: Server) -> None:
    with connect(hasty.port) as odd:
        odd.sendall(b"\x16\x03\x01\xff\xff" + bytes(300))
        with suppress(ConnectionResetError):
            while odd.recv(65536):
                pass


def test_the_dealer_is_served_by_tls_while_handshakes_and_requests_stall(
    server: Server, trusting: ssl.SSLContext
) -> None:
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(connect(server.port)).sendall(HELLO[:80])
        stack.enter_context(half_requests("127.0.0.1", server.port, 50))
        assert [command(server.port, trusting) for _ in range(5)] == [200] * 5


def test_a_byte_at_a_time_within_tls_ends(hasty: Server, trusting: ssl.SSLContext) -> None:
    with trusting.wrap_socket(connect(hasty.port), server_hostname="localhost") as slow:
        slow.sendall(b"GET / HT")
        got = b""
        while piece := slow.recv(65536):
            got += piece
    assert got.startswith(b"HTTP/1.1 408 ")


def test_a_connection_that_has_agreed_may_rest_before_it_asks(
    table: Flask, secured: Secured, trusting: ssl.SSLContext
) -> None:
    """Browsers open connections in advance."""
    patience = Patience(request_s=0.3, idle_s=20.0)
    with (
        Server(table, "127.0.0.1", 0, secured=secured, patience=patience) as server,
        trusting.wrap_socket(connect(server.port), server_hostname="localhost") as ahead,
    ):
        time.sleep(0.9)
        ahead.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert ahead.recv(100).startswith(b"HTTP/1.1 200 ")


def test_a_running_server_shows_the_renewed_certificate(
    server: Server, certificates: Certificates, trusting: ssl.SSLContext
) -> None:
    def serial() -> int:
        with trusting.wrap_socket(connect(server.port), server_hostname="localhost") as sock:
            der: Any = sock.getpeercert(binary_form=True)
            return x509.load_der_x509_certificate(der).serial_number

    first = serial()
    certificates.context("192.168.9.9")
    assert serial() != first

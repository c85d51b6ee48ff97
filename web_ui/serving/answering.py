"""Turns a complete request into a complete response: cheroot parses it and calls the application."""

import io
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from cheroot import wsgi
from cheroot.server import HTTPRequest

from web_ui.addresses import REACHED_AT
from web_ui.live import StreamSpec
from web_ui.serving.framing import HEAD_LIMIT, WholeRequest, refusal

SPEC: Final = "companion.stream"
CERTIFICATE: Final = "companion.certificate"
"WSGI environment key: the client's certificate (DER), or None."

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """A response. With a ``stream``, the connection is handed over to the hub, and ``data`` is only the head."""

    data: bytes
    keeps: bool = False
    stream: StreamSpec | None = None
    is_chunked: bool = False


class _Exchange:
    """Replaces cheroot's connection: request and response are in memory."""

    ssl_env: Final[dict[str, str]] = {}

    def __init__(
        self, request: bytes, client: tuple[str, int], reached_at: str, is_secure: bool, certificate: bytes | None
    ) -> None:
        self.rfile = io.BytesIO(request)
        self.wfile = io.BytesIO()
        self.remote_addr, self.remote_port = client
        self.reached_at = reached_at
        self.is_secure = is_secure
        self.certificate = certificate


class _Request(HTTPRequest):
    """Cheroot's request, with error responses in our own format."""

    stream: StreamSpec | None = None

    def simple_response(self, status: str, msg: str = "") -> None:
        """Refuse a request that cannot be parsed."""
        self.close_connection = True
        self.conn.wfile.write(refusal(int(str(status)[:3]), msg or "That request cannot be understood."))


class _Gateway(wsgi.Gateway_10):
    """Cheroot's WSGI gateway; for a stream it sends only the headers."""

    def __init__(self, req: HTTPRequest) -> None:
        super().__init__(req)
        self.env[REACHED_AT] = req.conn.reached_at
        self.env[CERTIFICATE] = req.conn.certificate
        self.env["wsgi.url_scheme"] = "https" if req.conn.is_secure else "http"

    def respond(self) -> None:
        body = self.req.server.wsgi_app(self.env, self.start_response)
        spec = self.env.get(SPEC)
        try:
            if isinstance(spec, StreamSpec) and self.req.status.startswith(b"200"):
                self.req.ensure_headers_sent()
                self.req.stream = spec
                return
            for chunk in filter(None, body):
                self.write(chunk)
        finally:
            self.req.ensure_headers_sent()
            if hasattr(body, "close"):
                body.close()


class Answerer(wsgi.Server):
    """Cheroot's server without its sockets and threads.

    Args:
        app: the WSGI application.
        where: host and port for the WSGI environment.
    """

    def __init__(self, app: Callable[..., Any], where: tuple[str, int]) -> None:
        super().__init__(where, app, server_name="companion")
        self.gateway = _Gateway
        self.software = "companion"
        self.max_request_header_size = 2 * HEAD_LIMIT

    @property
    def can_add_keepalive_connection(self) -> bool:
        """Always true: `Front` limits the connections."""
        return True

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        _log.log(level if level >= logging.ERROR else logging.DEBUG, msg, exc_info=traceback)

    def answer(
        self,
        whole: WholeRequest,
        client: tuple[str, int],
        reached_at: str,
        *,
        is_secure: bool = False,
        certificate: bytes | None = None,
    ) -> Answer:
        """Return the application's response; an exception is logged and answered with 500.

        Args:
            client: address and port.
            reached_at: our own address that the client connected to.
            is_secure: whether the connection uses TLS.
            certificate: the client's verified certificate (DER), or None.
        """
        exchange = _Exchange(whole.raw, client, reached_at, is_secure, certificate)
        request = _Request(self, exchange)
        try:
            request.parse_request()
            if request.ready:
                request.respond()
        except Exception:
            _log.exception("Internal error while handling a request")
            return Answer(refusal(500, "Something went wrong here; the table itself goes on. Load the page again."))
        if request.stream is not None:
            return Answer(_head_of(exchange), stream=request.stream, is_chunked=bool(request.chunked_write))
        return Answer(exchange.wfile.getvalue(), keeps=request.ready and not request.close_connection)


def _head_of(exchange: _Exchange) -> bytes:
    """Return a stream's response head; the hub frames the body."""
    head, end, _ = exchange.wfile.getvalue().partition(b"\r\n\r\n")
    return head + end

"""From a whole request to a whole answer: cheroot parses it and calls the application."""

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
"In the WSGI environment: the client's certificate (DER) where it has one."

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back. With a ``stream`` the connection goes to the hub, and these are its first bytes."""

    data: bytes
    keeps: bool = False
    stream: StreamSpec | None = None
    is_chunked: bool = False


class _Exchange:
    """Stands for cheroot's connection: the request lies in memory, and so does the answer."""

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
    """Cheroot's, whose own refusals look like all others."""

    stream: StreamSpec | None = None

    def simple_response(self, status: str, msg: str = "") -> None:
        """Refuse what cannot be parsed."""
        self.close_connection = True
        self.conn.wfile.write(refusal(int(str(status)[:3]), msg or "That request cannot be understood."))


class _Gateway(wsgi.Gateway_10):
    """Cheroot's link to the application; a stream has headers only."""

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
    """Cheroot without its sockets and threads.

    Args:
        app: the WSGI application.
        where: host and port, as the application is told them.
    """

    def __init__(self, app: Callable[..., Any], where: tuple[str, int]) -> None:
        super().__init__(where, app, server_name="companion")
        self.gateway = _Gateway
        self.software = "companion"
        self.max_request_header_size = 2 * HEAD_LIMIT

    @property
    def can_add_keepalive_connection(self) -> bool:
        """How long a connection is kept is the front's business."""
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
        """Return the application's answer; a mistake of ours is logged and answered with 500.

        Args:
            client: address and port.
            reached_at: the address of ours that the client has connected to.
            is_secure: whether it came by TLS.
            certificate: the client's own, as TLS has checked it.
        """
        exchange = _Exchange(whole.raw, client, reached_at, is_secure, certificate)
        request = _Request(self, exchange)
        try:
            request.parse_request()
            if request.ready:
                request.respond()
        except Exception:
            _log.exception("The application failed")
            return Answer(refusal(500, "Something went wrong here; the table itself goes on. Load the page again."))
        if request.stream is not None:
            return Answer(_head_of(exchange), stream=request.stream, is_chunked=bool(request.chunked_write))
        return Answer(exchange.wfile.getvalue(), keeps=request.ready and not request.close_connection)


def _head_of(exchange: _Exchange) -> bytes:
    """Return a stream's headers; the hub frames whatever follows them."""
    head, end, _ = exchange.wfile.getvalue().partition(b"\r\n\r\n")
    return head + end

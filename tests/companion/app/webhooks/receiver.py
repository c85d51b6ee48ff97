"""A real HTTP server that receives webhooks, with responses set by the test."""

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

SECRET = base64.b64encode(bytes(range(32))).decode()


@dataclass
class Delivery:
    """A received request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> Any:
        return json.loads(self.body)

    def is_genuine(self) -> bool:
        """Verify the signature according to the specification, independently of our own code."""
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + self.body
        expected = hmac.new(base64.b64decode(SECRET), signed, hashlib.sha256).digest()
        given = self.headers["webhook-signature"].split(" ")
        is_fresh = abs(time.time() - int(self.headers["webhook-timestamp"])) < 300
        return is_fresh and f"v1,{base64.b64encode(expected).decode()}" in given


class Receiver:
    """Receives on a free port. A context manager.

    Args:
        answer: returns status and headers for each delivery, in order of arrival.
    """

    def __init__(self, answer: Callable[[int], tuple[int, dict[str, str]]] = lambda number: (204, {})) -> None:
        self.got: list[Delivery] = []
        self._news = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with receiver._news:
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    receiver.got.append(Delivery(self.path, headers, body))
                    status, more = answer(len(receiver.got))
                    receiver._news.notify_all()
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        return self._server.server_port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook/s3cret?to=pit"

    def wait(self, count: int, timeout_s: float = 10.0) -> list[Delivery]:
        with self._news:
            assert self._news.wait_for(lambda: len(self.got) >= count, timeout_s), f"only {len(self.got)} came"
            return list(self.got)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

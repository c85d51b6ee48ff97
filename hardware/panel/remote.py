"""The mock panel: simulated pins, controlled by another process through a socket.

The protocol is one JSON object per line:

- ``{"edges": [["deal", true, 0.0], ["deal", false, 0.08]]}`` plays contact edges (seconds from now), and is answered
  with ``{"began": t}`` after the last one.
- ``{"log": 12}`` skips the first 12 changes and is answered with ``{"edges": [[t, line, on], …], "next": n}``.
- ``{"lines": true}`` is answered with the state of each line.

Times are seconds of the monotonic clock, which all processes of a machine share.
"""

import contextlib
import json
import logging
import os
import socket
import socketserver
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypedDict, cast

from companion.closing import Closing
from companion.config.panel import PanelConfig
from companion.kernel.errors import CompanionError
from hardware.panel.mock import MockPins, PinEdge
from hardware.panel.pin_map import Wire, usable_wires

log = logging.getLogger(__name__)

SOCKET_NAME: Final = "panel.sock"
_MAX_PATH_BYTES: Final = 100

_REPLY_TIMEOUT_S: Final = 30.0


class Request(TypedDict, total=False):
    """A request to the mock panel, with one of the keys: play edges, return changes, or return lines."""

    edges: Sequence[tuple[str, bool, float]]
    log: int
    lines: bool


class Reply(TypedDict, total=False):
    """The mock panel's reply; ``edges`` are changes of lines here."""

    began: float
    edges: list[tuple[float, str, bool]]
    next: int
    lines: dict[str, bool]
    error: str


class NoSocket(CompanionError):
    """The mock panel cannot be reached, or its socket cannot be made."""


class MockPanel:
    """The panel's mock pins by line name: operates the buttons' contacts and reports changes of lines."""

    def __init__(self, pins: MockPins, config: PanelConfig) -> None:
        self._pins = pins
        self._by_pin: dict[int, Wire] = {wire.pin: wire for wire in usable_wires(config)}
        self._by_line = {wire.line: wire for wire in self._by_pin.values()}
        self._active_high = config.active_high

    def contact(self, button: str, is_down: bool) -> None:
        """Close or open a button's contact.

        Raises:
            KeyError: the button is not configured.
        """
        self._pins.drive(self._by_line[f"button/{button}"].pin, not is_down)

    def changes(self, after: int = 0) -> list[tuple[float, str, bool]]:
        """Return the changes without the first ``after``: time, line, and whether it was switched on or pressed."""
        return [self._named(edge) for edge in self._pins.edges(after)]

    def lines(self) -> dict[str, bool]:
        """Return whether each line is on, or its button down."""
        return {
            line: wire.is_on(self._pins.is_high(wire.pin), self._active_high) for line, wire in self._by_line.items()
        }

    def _named(self, edge: PinEdge) -> tuple[float, str, bool]:
        wire = self._by_pin.get(edge.pin)
        if wire is None:
            return edge.t, f"GPIO{edge.pin}", edge.is_high
        return edge.t, wire.line, wire.is_on(edge.is_high, self._active_high)


class MockPanelServer(Closing):
    """Serves a `MockPanel` on a Unix socket that only this user may open. A context manager.

    Raises:
        NoSocket: the path is too long for a socket, or not writable.
    """

    def __init__(self, panel: MockPanel, path: Path) -> None:
        if len(os.fsencode(path)) > _MAX_PATH_BYTES:
            raise NoSocket(f"{path} is too long a name for the mock panel's socket. Choose a shorter --data.")
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        self._path = path
        try:
            self._server = _Server(str(path), _Handler)
        except OSError as error:
            raise NoSocket(f"The mock panel cannot make {path}: {error.strerror}. Choose another --data.") from error
        path.chmod(0o600)
        self._server.panel = panel
        self._thread = threading.Thread(target=self._server.serve_forever, name="mock-panel", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Remove the socket. May be called twice."""
        self._server.shutdown()
        self._server.server_close()
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    panel: MockPanel


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        panel = cast(_Server, self.server).panel
        for line in self.rfile:
            try:
                reply = _reply(panel, json.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                reply = {"error": f"{type(error).__name__}: {error}"}
            with contextlib.suppress(BrokenPipeError):
                self.wfile.write(json.dumps(reply).encode() + b"\n")


def _reply(panel: MockPanel, request: Request) -> Reply:
    if "edges" in request:
        return {"began": play(panel, request["edges"])}
    if "log" in request:
        found = panel.changes(int(request["log"]))
        return {"edges": found, "next": int(request["log"]) + len(found)}
    return {"lines": panel.lines()}


def play(panel: MockPanel, edges: Sequence[tuple[str, bool, float]]) -> float:
    """Play contact edges in real time, and return the start time (monotonic seconds)."""
    began = time.monotonic()
    for button, is_down, at in edges:
        wait = began + at - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        panel.contact(button, bool(is_down))
    return began


class MockPanelClient:
    """Controls the mock panel of another process.

    Raises:
        NoSocket: no connection, or an invalid reply.
    """

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(_REPLY_TIMEOUT_S)
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self._socket.close()
            raise NoSocket(f"No mock panel listens on {path}: {error.strerror}. Start it with --panel mock.") from error
        self._lines = self._socket.makefile("rb")

    def ask(self, request: Request) -> Reply:
        """Send a request and return the reply.

        Raises:
            NoSocket: the connection is lost, or the request was refused.
        """
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
            reply: Reply = json.loads(self._lines.readline())
        except (OSError, ValueError) as error:
            raise NoSocket("The mock panel is gone. Start the table again with --panel mock.") from error
        if "error" in reply:
            raise NoSocket(f"The mock panel does not take that: {reply['error']}.")
        return reply

    def close(self) -> None:
        """Disconnect. May be called twice."""
        self._lines.close()
        self._socket.close()

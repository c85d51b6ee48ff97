"""A remote-controlled panel without hardware: mock pins behind a socket, for another process.

One JSON object a line. ``{"edges": [["deal", true, 0.0], ["deal", false, 0.08]]}`` plays contacts (seconds from now)
and answers ``{"began": t}`` when they are over; ``{"log": 12}`` answers all changes of lines from the twelfth on as
``{"edges": [[t, line, on], …], "next": n}``; ``{"lines": true}`` what each line shows. Times are of the monotonic
clock, which all processes of a machine share.
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
from hardware.panel.pin_map import Wire, usable

log = logging.getLogger(__name__)

SOCKET_NAME: Final = "panel.sock"
_PATH_LIMIT: Final = 100

_ANSWER_S: Final = 30.0


class Asked(TypedDict, total=False):
    """A request to the mock panel, one of these: play edges, list changes, list lines."""

    edges: Sequence[tuple[str, bool, float]]
    log: int
    lines: bool


class Answer(TypedDict, total=False):
    """The reply; ``edges`` are changes in it."""

    began: float
    edges: list[tuple[float, str, bool]]
    next: int
    lines: dict[str, bool]
    error: str


class NoSocket(CompanionError):
    """The mock panel cannot be reached, or its socket cannot be made."""


class Bench:
    """Mock pins by line name. Presses a button by its contact, and reports changes of lines."""

    def __init__(self, pins: MockPins, config: PanelConfig) -> None:
        self._pins = pins
        self._by_pin: dict[int, Wire] = {wire.pin: wire for wire in usable(config)}
        self._by_line = {wire.line: wire for wire in self._by_pin.values()}
        self._active_high = config.active_high

    def contact(self, button: str, is_down: bool) -> None:
        """Close or open a button's contact.

        Raises:
            KeyError: there is no such button.
        """
        self._pins.drive(self._by_line[f"button/{button}"].pin, not is_down)

    def changes(self, after: int = 0) -> list[tuple[float, str, bool]]:
        """Return every change of a line since the ``after``-th: when, which, and whether it is on (or down) now."""
        return [self._named(edge) for edge in self._pins.edges(after)]

    def lines(self) -> dict[str, bool]:
        """Return what every line shows now."""
        return {
            line: wire.is_on(self._pins.is_high(wire.pin), self._active_high) for line, wire in self._by_line.items()
        }

    def _named(self, edge: PinEdge) -> tuple[float, str, bool]:
        wire = self._by_pin.get(edge.pin)
        if wire is None:
            return edge.t, f"GPIO{edge.pin}", edge.is_high
        return edge.t, wire.line, wire.is_on(edge.is_high, self._active_high)


class BenchServer(Closing):
    """A `Bench` on a Unix socket that only this user may open. A context manager.

    Raises:
        NoSocket: the path is too long for a socket, or may not be written.
    """

    def __init__(self, bench: Bench, path: Path) -> None:
        if len(os.fsencode(path)) > _PATH_LIMIT:
            raise NoSocket(f"{path} is too long a name for the mock panel's socket. Choose a shorter --data.")
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        self._path = path
        try:
            self._server = _Server(str(path), _Handler)
        except OSError as error:
            raise NoSocket(f"The mock panel cannot make {path}: {error.strerror}. Choose another --data.") from error
        path.chmod(0o600)
        self._server.bench = bench
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
    bench: Bench


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        bench = cast(_Server, self.server).bench
        for line in self.rfile:
            try:
                answer = _answer(bench, json.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            with contextlib.suppress(BrokenPipeError):
                self.wfile.write(json.dumps(answer).encode() + b"\n")


def _answer(bench: Bench, asked: Asked) -> Answer:
    if "edges" in asked:
        return {"began": play(bench, asked["edges"])}
    if "log" in asked:
        found = bench.changes(int(asked["log"]))
        return {"edges": found, "next": int(asked["log"]) + len(found)}
    return {"lines": bench.lines()}


def play(bench: Bench, edges: Sequence[tuple[str, bool, float]]) -> float:
    """Play contacts in real time, and return when that began (monotonic seconds)."""
    began = time.monotonic()
    for button, is_down, at in edges:
        wait = began + at - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        bench.contact(button, bool(is_down))
    return began


class BenchClient:
    """Presses and observes the mock panel of another process.

    Raises:
        NoSocket: nobody listens there, or the answer is no answer.
    """

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(_ANSWER_S)
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self._socket.close()
            raise NoSocket(f"No mock panel listens on {path}: {error.strerror}. Start it with --panel mock.") from error
        self._lines = self._socket.makefile("rb")

    def ask(self, asked: Asked) -> Answer:
        """Send one object and return the answer."""
        try:
            self._socket.sendall(json.dumps(asked).encode() + b"\n")
            answer: Answer = json.loads(self._lines.readline())
        except (OSError, ValueError) as error:
            raise NoSocket("The mock panel is gone. Start the table again with --panel mock.") from error
        if "error" in answer:
            raise NoSocket(f"The mock panel does not take that: {answer['error']}.")
        return answer

    def close(self) -> None:
        """Disconnect. May be called twice."""
        self._lines.close()
        self._socket.close()

"""The demo table as a video stream, for a table in another process.

``http://HOST:PORT/`` shows the stream full screen, in front of a real camera; ``/table.mjpg`` is the stream itself, for
``--camera http://…``. Unplugging the camera interrupts the stream.
"""

import contextlib
import threading
import time
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, cast

import cv2

from companion.closing import Closing
from companion.objects.decks import Deck
from companion.plugins.demo import PLAIN, Felt
from hardware.harness import steps as s
from hardware.harness.card_world import render_table, start_laying, start_movement
from hardware.harness.rig import RigError

REST_S: Final = 0.3
_MAX_DURATION_S: Final = 60.0
_QUALITY: Final = 85
_PAGE: Final = (
    b"<!doctype html><title>Demo table</title><style>html{background:#000}img{position:fixed;inset:0;width:100%;"
    b"height:100%;object-fit:contain}</style><img src=/table.mjpg alt='The demo table'>"
)


class DemoStream(Closing):
    """Streams a demo table in real time. A context manager.

    Args:
        deck: the deck in play; None without cards.
        felt: print on the felt.
        size: image width and height, px.
        fps: frame rate.
        pace: speed of the dealer's hand; 1 is unhurried.
        host: address to listen on.
        port: port to listen on; 0: any free one.
    """

    def __init__(
        self, deck: Deck | None, felt: Felt = PLAIN, *, size: tuple[int, int] = (1280, 720), fps: float = 12.0,
        pace: float = 3.0, host: str = "127.0.0.1", port: int = 0,
    ) -> None:  # fmt: skip
        self.deck = deck
        self._render_table = partial(render_table, deck, size=size, pace=pace)
        self.demo = self._render_table(felt)
        self._fps = fps
        self._jpeg = b""
        self._new_frame = threading.Condition()
        self._stop = threading.Event()
        self._disconnected = threading.Event()
        self._server = _Server((host, port), _Handler)
        self._server.stream = self
        self._threads = [
            threading.Thread(target=self._render_frames, name="demo renderer", daemon=True),
            threading.Thread(target=self._server.serve_forever, name="demo stream", daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def url(self) -> str:
        """The stream's URL on this machine."""
        return f"http://127.0.0.1:{self._server.server_port}/table.mjpg"

    def close(self) -> None:
        """Stop streaming. May be called twice."""
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        for thread in self._threads:
            thread.join(3)

    def _render_frames(self) -> None:
        began = time.monotonic()
        while not self._stop.wait(1 / self._fps):
            picture = self.demo.picture(time.monotonic() - began)
            _, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
            with self._new_frame:
                self._jpeg = data.tobytes()
                self._new_frame.notify_all()

    def next_picture(self) -> bytes | None:
        """Wait up to a second for the next frame; return the newest one as JPEG, None if disconnected or closed."""
        with self._new_frame:
            self._new_frame.wait(1.0)
            return None if self._disconnected.is_set() or self._stop.is_set() else self._jpeg

    @property
    def is_disconnected(self) -> bool:
        return self._disconnected.is_set()

    # ---- the table

    def replace_felt(self, felt: Felt) -> None:
        """Replace the table with an empty one with another felt."""
        self.demo = self._render_table(felt)

    def move(self, step: s.Step) -> float:
        """Execute a step; return when it was finished. See `hardware.harness.rig.Rig.move`."""
        if isinstance(step, s.Camera):
            self._disconnected.set() if step.camera == "lost" else self._disconnected.clear()
            return time.monotonic()
        if isinstance(step, s.Lay):
            return self._lay(step)
        start_movement(self.demo, step)
        return self._wait_until(lambda: not self.demo.busy)

    def _lay(self, step: s.Lay) -> float:
        before = len(self.demo.lying)
        start_laying(self.demo, step)
        rested = self._wait_until(lambda: len(self.demo.lying) >= before + len(step.lay))
        self._wait_until(lambda: not self.demo.busy)
        time.sleep(REST_S)
        return rested

    def _wait_until(self, check: Callable[[], bool]) -> float:
        ends = time.monotonic() + _MAX_DURATION_S
        time.sleep(2 / self._fps)
        while not check():
            if time.monotonic() > ends:
                raise RigError(f"The painted table did not come to rest in {_MAX_DURATION_S:.0f} s. Make it smaller.")
            time.sleep(0.005)
        return time.monotonic()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    stream: DemoStream


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        source = cast(_Server, self.server).stream
        if self.path == "/":
            self._respond("text/html; charset=utf-8", _PAGE)
        elif self.path == "/table.jpg":
            self._respond("image/jpeg", source.next_picture() or b"")
        elif self.path == "/table.mjpg" and not source.is_disconnected:
            with contextlib.suppress(OSError):
                self._stream(source)
        else:
            self.send_error(503 if source.is_disconnected else 404)

    def _respond(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, source: DemoStream) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
        self.end_headers()
        while (jpeg := source.next_picture()) is not None:
            self.wfile.write(b"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(jpeg))
            self.wfile.write(jpeg + b"\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""

"""Real files and a real MJPEG server for the camera tests."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import IO

import cv2
import numpy as np
import pytest

SIZE = (64, 48)


def numbered(number: int) -> np.ndarray:
    """Return a small picture that encodes a number (0-24) in its brightness, which survives compression."""
    return np.full((SIZE[1], SIZE[0], 3), 10 * number + 5, np.uint8)


def number_of(image: np.ndarray) -> int:
    """Decode a picture by `numbered`."""
    return round((float(image.mean()) - 5) / 10)


def write_video(path: Path, frames: int = 10, fps: float = 20.0) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, SIZE)
    for i in range(frames):
        writer.write(numbered(i))
    writer.release()
    return path


class MjpegServer:
    """Serves an endless MJPEG stream on 127.0.0.1, as phones and network cameras do."""

    def __init__(self, port: int = 0, fps: float = 50.0) -> None:
        self.silent, self.broken = threading.Event(), threading.Event()
        self._fps = fps
        self._stop = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                with suppress(OSError):
                    outer.stream(self.wfile)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True

        self._server = Server(("127.0.0.1", port), Handler)
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/video"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stream(self, out: IO[bytes]) -> None:
        number = 0
        while not self._stop.is_set():
            if not self.silent.is_set():
                jpeg = cv2.imencode(".jpg", numbered(number % 20))[1].tobytes()
                if self.broken.is_set() and number % 2:
                    jpeg = jpeg[:20]
                head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                out.write(head.encode() + jpeg + b"\r\n")
                number += 1
            time.sleep(1 / self._fps)

    def kill(self) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


class Clock:
    """A clock that advances only by sleeping."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += max(0.0, seconds)


@pytest.fixture
def draw() -> SimpleNamespace:
    """Numbered pictures, and videos of them."""
    return SimpleNamespace(numbered=numbered, number_of=number_of, video=write_video)


@pytest.fixture
def video(tmp_path: Path) -> Path:
    """Ten frames at 20 fps."""
    return write_video(tmp_path / "deal.avi")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def serve() -> Iterator[Callable[..., MjpegServer]]:
    """Start MJPEG servers, which stop with the test."""
    servers: list[MjpegServer] = []

    def start(port: int = 0) -> MjpegServer:
        servers.append(MjpegServer(port))
        return servers[-1]

    yield start
    for server in servers:
        server.kill()


@pytest.fixture
def deaf_port() -> Iterator[int]:
    """A port that accepts connections and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(4)
        yield listener.getsockname()[1]

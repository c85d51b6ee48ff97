"""Fallback QR decoder: ZBar in a child process.

It reads some codes under glare that zxing-cpp does not, but it can hang or crash (an unresolved double free), so it
never runs in the table's process. A child that misses its deadline is killed and restarted. Without ZBar's library
there is no fallback.
"""

from __future__ import annotations

import os
import select
import struct
import subprocess
import sys
import time
from typing import IO, Final

import numpy as np

from companion.vision.frame import Gray

_HEADER: Final = struct.Struct("<II")
_SIZE: Final = struct.Struct("<I")
_MAX_ANSWER: Final = 4096
_START_S: Final = 5.0  # a child without an answer by then is given up
_GIVE_UP_AFTER: Final = 3  # consecutive failed starts


class ZbarRescue:
    """A long-lived child process that decodes crops. Not thread-safe; `close()` may be called twice.

    Args:
        deadline_s: time to decode a crop, after which the child is killed.
        patience_s: time to wait for the child's start, which takes about 0.3 s. With 0 it starts in the background, and
            crops are not decoded until it is ready.
        command: command line of the child.
    """

    def __init__(
        self, *, deadline_s: float = 0.25, patience_s: float = 5.0, command: tuple[str, ...] | None = None
    ) -> None:
        self.deadline_s, self.patience_s = deadline_s, patience_s
        self.command = command or (sys.executable, "-m", "companion.vision.decoders.zbar")
        self.restarts = 0
        self._child: subprocess.Popen[bytes] | None = None
        self._failed_starts = 0
        self._greeted = False
        self._launched = 0.0

    def __enter__(self) -> ZbarRescue:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, gray: Gray) -> str | None:
        """Return the text of the only QR code in a crop, or None if it cannot be decoded in time."""
        if gray.size == 0 or not self._ready():
            return None
        child = self._child
        assert child is not None
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            until = time.monotonic() + self.deadline_s
            _write(child.stdin, _HEADER.pack(*gray.shape) + np.ascontiguousarray(gray).tobytes(), until)
            answer = _read_answer(child.stdout, until)
        except (OSError, TimeoutError, EOFError):
            self._kill()
            self.restarts += 1
            return None
        return answer.decode("utf-8", "replace") or None

    @property
    def available(self) -> bool:
        """Whether the child is ready; it is started if necessary."""
        return self._ready()

    def close(self) -> None:
        """Kill the child for good."""
        self._kill()
        self._failed_starts = _GIVE_UP_AFTER

    def _ready(self) -> bool:
        if self._child is not None and self._child.poll() is not None:
            self._kill()
        if self._child is None and not self._launch():
            return False
        return self._greeted or self._greet()

    def _launch(self) -> bool:
        if self._failed_starts >= _GIVE_UP_AFTER:
            return False
        try:
            self._child = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        except OSError:
            self._failed_starts = _GIVE_UP_AFTER
            return False
        assert self._child.stdin is not None
        os.set_blocking(self._child.stdin.fileno(), False)
        self._greeted, self._launched = False, time.monotonic()
        return True

    def _greet(self) -> bool:
        """Wait for the child's greeting, up to `patience_s`; return whether it is ready."""
        assert self._child is not None
        assert self._child.stdout is not None
        try:
            hello = _read_answer(self._child.stdout, time.monotonic() + max(self.patience_s, 1e-4))
        except TimeoutError:
            if time.monotonic() - self._launched > max(self.patience_s, _START_S):
                self._failed_starts += 1
                self._kill()
            return False
        except (OSError, EOFError):
            hello = b""
        self._greeted = hello == b"ready"
        if not self._greeted:
            # Without ZBar's library a restart is useless.
            self._failed_starts = _GIVE_UP_AFTER if hello == b"absent" else self._failed_starts + 1
            self._kill()
        return self._greeted

    def _kill(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass  # unsent data for the dead child


def _write(pipe: IO[bytes], data: bytes, until: float) -> None:
    while data:
        left = until - time.monotonic()
        if left <= 0 or not select.select([], [pipe], [], left)[1]:
            raise TimeoutError
        data = data[os.write(pipe.fileno(), data) :]


def _read_answer(pipe: IO[bytes], until: float) -> bytes:
    length = _SIZE.unpack(_read_exactly(pipe, _SIZE.size, until))[0]
    if length > _MAX_ANSWER:
        raise EOFError("the child writes nonsense")
    return _read_exactly(pipe, length, until)


def _read_exactly(pipe: IO[bytes], count: int, until: float) -> bytes:
    data = b""
    while len(data) < count:
        left = until - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            raise TimeoutError
        part = os.read(pipe.fileno(), count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def serve(source: IO[bytes], sink: IO[bytes]) -> None:
    """Run the child: read crops (height, width, pixels) and answer with their text, until the end of the source."""
    try:
        from pyzbar import pyzbar
    except ImportError:
        _answer(sink, b"absent")
        return
    _answer(sink, b"ready")
    while len(header := source.read(_HEADER.size)) == _HEADER.size:
        height, width = _HEADER.unpack(header)
        pixels = source.read(height * width)
        if len(pixels) < height * width:
            return
        image = np.frombuffer(pixels, np.uint8).reshape(height, width)
        found = pyzbar.decode(image, symbols=[pyzbar.ZBarSymbol.QRCODE])
        _answer(sink, found[0].data[:_MAX_ANSWER] if len(found) == 1 else b"")


def _answer(sink: IO[bytes], text: bytes) -> None:
    sink.write(_SIZE.pack(len(text)) + text)
    sink.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)

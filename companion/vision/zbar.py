"""The last resort: ZBar, in a child process of its own.

It reads some codes under glare that zxing-cpp does not, but it can hang or crash (it has an open
double-free), so it never runs in the table's process. The child answers within a deadline or is killed
and started again. Without ZBar's library installed the rescue is simply absent.
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
_START_S: Final = 5.0
_GIVE_UP_AFTER: Final = 3  # starts that failed in a row


class ZbarRescue:
    """A long-lived child process that reads crops. Use from one thread; `close()` may be called twice.

    Args:
        deadline_s: a crop not answered by then is given up, and the child is killed.
        command: how to start the child.
    """

    def __init__(self, *, deadline_s: float = 0.25, command: tuple[str, ...] | None = None) -> None:
        self.deadline_s = deadline_s
        self.command = command or (sys.executable, "-m", "companion.vision.zbar")
        self.restarts = 0
        self._child: subprocess.Popen[bytes] | None = None
        self._failed_starts = 0

    def __enter__(self) -> ZbarRescue:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, gray: Gray) -> str | None:
        """Return the text of the one QR code in the crop, None if it cannot be read (in time)."""
        if gray.size == 0 or not self._ready():
            return None
        child = self._child
        assert child is not None
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(_HEADER.pack(*gray.shape) + np.ascontiguousarray(gray).tobytes())
            child.stdin.flush()
            answer = _read_answer(child.stdout, time.monotonic() + self.deadline_s)
        except (OSError, TimeoutError, EOFError):
            self._kill()
            self.restarts += 1
            return None
        return answer.decode("utf-8", "replace") or None

    @property
    def available(self) -> bool:
        """Whether the child runs (it is started if need be)."""
        return self._ready()

    def close(self) -> None:
        """End the child."""
        self._kill()
        self._failed_starts = _GIVE_UP_AFTER

    def _ready(self) -> bool:
        if self._child is not None and self._child.poll() is None:
            return True
        self._kill()
        if self._failed_starts >= _GIVE_UP_AFTER:
            return False
        return self._start()

    def _start(self) -> bool:
        try:
            self._child = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            assert self._child.stdout is not None
            hello = _read_answer(self._child.stdout, time.monotonic() + _START_S)
        except (OSError, TimeoutError, EOFError):
            hello = b""
        if hello != b"ready":
            self._kill()
            # A child that says it has no ZBar will not have one next time either.
            self._failed_starts = _GIVE_UP_AFTER if hello == b"absent" else self._failed_starts + 1
            return False
        self._failed_starts = 0
        return True

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
                pass  # what was still buffered for the dead child is of no use


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
    """The child: read crops (height, width, pixels), answer with their text, until the source ends."""
    try:
        from pyzbar import pyzbar  # type: ignore[import-untyped]
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

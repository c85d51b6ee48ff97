"""Measures CPU and memory of a whole table, as a real process, while nothing moves; prints a table.

    python tests/bench/bench_idle.py [--seconds 30] [--fps 10] [--cards 20] [--url]

`companion run` is started as its user would start it, with one open dashboard and a camera with `--fps` pictures per
second of cards at rest, each with different noise. The pictures are sent as JPEG over HTTP, as from a webcam; decoding
them is part of the measurement.
"""

import argparse
import itertools
import json
import os
import re
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from served import served

from companion.games.roche.demo.felt import felt_of
from companion.objects.decks import Deck, DeckStore
from companion.testing import DECKS
from companion.vision.frame import Image
from hardware.demo.camera import DemoCamera
from hardware.demo.card_table import CardTable
from hardware.demo.faces import Faces
from hardware.demo.printer import DeckPrinter

PIN = "4711"
SIZE = (1920, 1080)
NOISE = 2.0
PICTURES = 10
PICTURES_BEFORE, PICTURES_A_CARD = 50, 6
WARM_S = 15.0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=30)
    options.add_argument("--fps", type=float, default=10)
    options.add_argument("--cards", type=int, default=20)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        data = Path(folder) / "data"
        data.mkdir(mode=0o700)
        deck = DeckStore(data, DECKS).new("roche", "Bench")
        dealing, still = film(deck, chosen.cards)
        with camera(dealing, still, chosen.fps) as address, table(data, address) as (pid, url):
            found = watched(pid, url, chosen.seconds, WARM_S + len(dealing) / chosen.fps)
    size = sum(map(len, still)) / len(still) / 1000
    print(f"1080p, JPEG of {size:.0f} kB, {chosen.fps:g} pictures a second, one dashboard open")
    print(f"{chosen.cards} cards, dealt one after the other, then still")
    for name, value in found.items():
        print(f"{name:42} {value}")


def film(deck: Deck, cards: int) -> tuple[list[bytes], list[bytes]]:
    """Return the pictures of the deal, card by card, and several of the table at rest, each with different noise."""
    demo = CardTable(Faces(DeckPrinter(deck)), deck.cards, felt_of(deck.cards), size=SIZE)
    chosen = [card for number in range(9) for card in deck.cards[number::9]][:cards]  # evenly from all suits
    rng = np.random.default_rng(1)
    with DemoCamera(demo, 10, paced=False) as source:
        frame = source.read(5.0)
        assert frame is not None
        dealing = [as_jpeg(frame.image, rng)] * PICTURES_BEFORE
        for i, card in enumerate(chosen):
            demo.put_down(card)
            while len(demo.lying) <= i:
                source.read(5.0)
            frame = source.read(5.0)
            assert frame is not None
            dealing += [as_jpeg(frame.image, rng)] * PICTURES_A_CARD
    return dealing, [as_jpeg(frame.image, rng) for _ in range(PICTURES)]


def as_jpeg(image: Image, rng: np.random.Generator) -> bytes:
    """Return a picture with a sensor's noise, as a webcam sends it."""
    noisy = image + rng.normal(0, NOISE, image.shape)
    done, data = cv2.imencode(".jpg", noisy.clip(0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 90])
    assert done
    return data.tobytes()


@contextmanager
def camera(first: Sequence[bytes], shown: Sequence[bytes], fps: float) -> Iterator[str]:
    """Serve pictures as a stream: ``first`` once, then ``shown`` in a loop."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=picture")
            self.end_headers()
            due = time.monotonic()
            with suppress(OSError):
                for jpeg in itertools.chain(first, itertools.cycle(shown)):
                    self.wfile.write(b"--picture\r\nContent-Type: image/jpeg\r\n")
                    self.wfile.write(b"Content-Length: %d\r\n\r\n" % len(jpeg) + jpeg + b"\r\n")
                    due += 1 / fps
                    time.sleep(max(0.0, due - time.monotonic()))

        def log_message(self, format: str, *args: object) -> None:
            """Discard the log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/table.mjpg"
    server.shutdown()


def table(data: Path, address: str) -> AbstractContextManager[tuple[int, str]]:
    """Run the table; yield its process ID and the dashboard's address."""
    (data / "companion.toml").write_text('[table]\ngame = "roche"\n[[players]]\nname = "Ann"\ncoins = 100\n')
    return served(["--data", str(data), "--camera", address], PIN)


def watched(pid: int, url: str, seconds: float, warm_s: float) -> dict[str, str]:
    """Measure after a warm-up, with one dashboard open."""
    threading.Thread(target=look_on, args=(url,), daemon=True).start()
    post(url, {"do": "no-more-bets"})
    time.sleep(warm_s)
    began, spent, seen = time.monotonic(), cpu_s(pid), pictures_seen(url)
    time.sleep(seconds)
    took, used, frames = time.monotonic() - began, cpu_s(pid) - spent, pictures_seen(url) - seen
    stats = ask(url, "/healthz")
    memory = status(pid)
    return {
        "processor, of one core": f"{100 * used / took:.1f} %",
        "pictures worked through a second": f"{frames / took:.1f}",
        "processor a picture": f"{1000 * used / max(1, frames):.1f} ms",
        "memory (resident now)": f"{memory['VmRSS'] / 1000:.0f} MB",
        "memory (resident at most)": f"{memory['VmHWM'] / 1000:.0f} MB",
        "camera, cards that count": f"{stats.get('camera', stats)}, {len(ask(url, '/api/v1/state')['dealt'])}",
    }


def look_on(url: str) -> None:
    """Act as an open dashboard, which reads the event stream."""
    with suppress(OSError), urllib.request.urlopen(url + "/api/v1/stream", timeout=600) as stream:
        for _ in stream:
            pass


def ask(url: str, path: str) -> dict[str, Any]:
    with urllib.request.urlopen(url + path, timeout=10) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def post(url: str, command: dict[str, Any]) -> None:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {PIN}"}
    asked = urllib.request.Request(url + "/api/v1/commands", json.dumps(command).encode(), headers)
    urllib.request.urlopen(asked, timeout=10).close()


def cpu_s(pid: int) -> float:
    """Return the CPU seconds used by a process and its children."""
    total = 0
    for each in (pid, *children(pid)):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def pictures_seen(url: str) -> int:
    """Return the number of pictures the table has processed."""
    with urllib.request.urlopen(url + "/metrics", timeout=10) as answer:
        found = re.search(r"^companion_watch_frames ([\d.e+]+)", answer.read().decode(), re.MULTILINE)
    assert found is not None
    return int(float(found[1]))


def children(pid: int) -> list[int]:
    return [
        int(each) for task in Path(f"/proc/{pid}/task").iterdir() for each in (task / "children").read_text().split()
    ]


def status(pid: int) -> dict[str, int]:
    """Return the fields in kilobytes of a process's ``/proc`` status."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {line.split(":")[0]: int(line.split()[1]) for line in lines if line.endswith(" kB")}


if __name__ == "__main__":
    main()

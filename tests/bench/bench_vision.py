"""Measures milliseconds per 1080p frame with 40 cards, and from a card at rest to its sighting; prints one table.

    python tests/bench/bench_vision.py [--frames 60] [--deadline 20]

Everything runs on one core, on the same frames, in CPU time of one thread. Decoders that can hang (OpenCV's QR
readers have needed minutes for a frame) run in a child process with a deadline, and on fewer frames.
"""

import argparse
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import cv2
import numpy as np
import zxingcpp

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "vision"))

import printed
from table_scene import Face, Look, Truth, add_arm, compose, expose, grid

from companion.testing import DECKS
from companion.vision import Frame, Reader, read_image

LOOK = Look(px_per_module=2.5, tilt_deg=6.0, azimuth_deg=30.0, falloff=0.35, noise=4.0, jpeg=None)
FPS = 30
CARDS = 40
NEW_AT = (20, 35, 50)  # frames at which one of the last three cards appears, at rest
ARM = range(62, 74)
Decoder = Callable[[np.ndarray], list[str]]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--frames", type=int, default=150)
    options.add_argument(
        "--deadline", type=float, default=20.0, help="seconds after which a slow decoder's frame is abandoned"
    )
    chosen = options.parse_args()
    cv2.setNumThreads(1)
    faces = printed.faces(printed.DECK)
    film = list(frames(faces, max(chosen.frames, ARM.stop + 1)))
    still, truth = film[60]
    print(f"{'1080p, 40 cards':42} {'median ms':>10} {'p99 ms':>8} {'read':>6} {'missed':>7} {'wrong':>6}")
    ours(film)
    cold(
        "our still picture, everything tried",
        lambda image: [c.id or "?" for c in read_image(image, printed.KEYS, DECKS).cards],
        still,
        truth,
        5,
    )
    cold("zxing-cpp, all kinds of codes", _zxing(None), still, truth, 10)
    cold("zxing-cpp, QR only", _zxing(zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)), still, truth, 20)
    for name, maker in SLOW.items():
        guarded(name, maker, still, truth, chosen.deadline)


def frames(faces: dict[str, Face], count: int) -> Iterator[tuple[np.ndarray, list[Truth]]]:
    """Yield the video: 37 cards, three more one by one, and a passing arm."""
    rng = np.random.default_rng(77)
    names = [str(n) for n in rng.permutation(list(faces))[:CARDS]]
    placed = grid([(n, faces[n]) for n in names], LOOK, rng)
    noise = np.random.default_rng(78)
    for number in range(count):
        there = CARDS - len(NEW_AT) + sum(number >= at for at in NEW_AT)
        if number in (0, *NEW_AT):
            scene, truth = compose(placed[:there], LOOK, 5)
        shown = add_arm(scene, (300 + 100 * (number - ARM.start), 420)) if number in ARM else scene
        yield expose(shown.copy(), LOOK, noise), truth


def ours(film: list[tuple[np.ndarray, list[Truth]]]) -> None:
    """Run the video through the Reader, and print its table row and the latency."""
    reader, spent, seen = Reader(printed.KEYS, DECKS), [], {}
    for number, (image, _) in enumerate(film):
        start = time.thread_time()
        reading = reader.read(Frame(image, number / FPS, number))
        spent.append((time.thread_time() - start) * 1000)
        for card in reading.cards:
            seen.setdefault(card.id, number) if card.status == "ok" else None
    truth = film[-1][1]
    _line("our two-stage Reader, over the film", spent, [c.id or "?" for c in reading.cards], truth)
    first = next(n for n in range(len(spent)) if sum(f <= n for f in seen.values()) >= 30)
    start = statistics.median(spent[:first])
    print(
        f"{'   of these, the cold start':42} {start:10.2f} {max(spent[:first]):8.2f}   {first + 1} frames to 30 cards"
    )
    waits = [seen[t.name] - at for t, at in zip(truth[-len(NEW_AT) :], NEW_AT, strict=True) if t.name in seen]
    shown = ", ".join(f"{1000 * w / FPS:.0f}" for w in waits)
    print(f"{'   from a card at rest to its sighting':42} {shown} ms at {FPS} fps ({len(waits)} of {len(NEW_AT)})")


def cold(name: str, decode: Decoder, image: np.ndarray, truth: list[Truth], repeats: int) -> None:
    """Time a decoder on whole frames."""
    spent = []
    for _ in range(repeats):
        start = time.thread_time()
        texts = decode(image)
        spent.append((time.thread_time() - start) * 1000)
    _line(name, spent, texts, truth)


def guarded(name: str, maker: Callable[[], Decoder], image: np.ndarray, truth: list[Truth], deadline: float) -> None:
    """Time a decoder once in a child process, which is killed after the deadline."""
    near, far = multiprocessing.Pipe()
    child = multiprocessing.Process(target=_child, args=(maker, image, far), daemon=True)
    child.start()
    far.close()
    try:
        if not near.poll(deadline):
            print(f"{name:42} {'more than':>10} {deadline * 1000:8.0f}   given up")
            return
        spent, texts = near.recv()
        _line(name, [spent], texts, truth)
    except EOFError:
        print(f"{name:42} {'crashed or absent':>19}")
    finally:
        child.kill()
        child.join()


def _child(maker: Callable[[], Decoder], image: np.ndarray, pipe: Connection) -> None:
    cv2.setNumThreads(1)
    decode = maker()
    start = time.thread_time()
    texts = decode(image)
    pipe.send(((time.thread_time() - start) * 1000, texts))


def _line(name: str, spent: list[float], texts: list[str], truth: list[Truth]) -> None:
    want = {t.name for t in truth if t.hidden <= 0.05}
    there = {t.name for t in truth}
    got = {text[:3] for text in texts}
    median, p99 = statistics.median(spent), float(np.percentile(spent, 99))
    print(
        f"{name:42} {median:10.2f} {p99:8.2f} {len(got & want):6} {len(want - got):7} {len(got - there):6}", flush=True
    )


def _zxing(kinds: zxingcpp.BarcodeFormats | None) -> Decoder:
    options = {} if kinds is None else {"formats": kinds}
    return lambda image: [c.text for c in zxingcpp.read_barcodes(_gray(image), **options)]


def _pyzbar() -> Decoder:
    from pyzbar import pyzbar

    return lambda image: [d.data.decode() for d in pyzbar.decode(_gray(image), symbols=[pyzbar.ZBarSymbol.QRCODE])]


def _opencv_qr() -> Decoder:
    detector = cv2.QRCodeDetector()
    return lambda image: [t for t in detector.detectAndDecodeMulti(_gray(image))[1] if t]


def _opencv_aruco_qr() -> Decoder:
    detector = cv2.QRCodeDetectorAruco()
    return lambda image: [t for t in detector.detectAndDecodeMulti(_gray(image))[1] if t]


def _gray(image: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)


SLOW: dict[str, Callable[[], Decoder]] = {
    "pyzbar": _pyzbar,
    "OpenCV QRCodeDetector": _opencv_qr,
    "OpenCV QRCodeDetectorAruco": _opencv_aruco_qr,
}


if __name__ == "__main__":
    main()

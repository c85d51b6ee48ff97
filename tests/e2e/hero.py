"""The README's pictures: a round of the demo table as its camera sees it, beside the room's screen; writes into docs/.

    make hero

`docs/table.webp` is the moment after the payout, `docs/round.webp` the round in motion.
"""

import io
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

from screenshots import PIN, log_in
from served import served

DOCS: Final = Path(__file__).parents[2] / "docs"
PICTURE: Final = (800, 450)
ROOM: Final = {"width": 1280, "height": 720}
EVERY_S: Final = 0.8
STAYS: Final = 4
"""Pictures of the decided round."""
PATIENCE_S: Final = 240.0


def main() -> None:
    with tempfile.TemporaryDirectory() as data, served(["--data", data, "--camera", "demo"], PIN) as (_, address):
        base = address.rstrip("/")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            dealer, room = browser.new_page(), browser.new_page(viewport=ROOM)
            log_in(dealer, base)
            room.goto(base)
            frames = list(one_round(dealer, room, base))
            browser.close()
    frames[-1].save(DOCS / "table.webp", quality=80)
    frames[0].save(
        DOCS / "round.webp", save_all=True, append_images=frames[1:], duration=int(1000 * EVERY_S), loop=0, quality=60
    )
    print(f"{len(frames)} pictures; {(DOCS / 'round.webp').stat().st_size // 1000} kB")


def one_round(dealer: Page, room: Page, base: str) -> list[Image.Image]:
    """Return pictures of a whole round, from its first bet on."""
    ends, frames, decided = time.monotonic() + PATIENCE_S, list[Image.Image](), 0
    before = phase_of(dealer, base)
    while decided < STAYS:
        assert time.monotonic() < ends, "the demo table does not end its round"
        began, phase = time.monotonic(), phase_of(dealer, base)
        if phase == "betting" and before != "betting":
            frames = []
        before = phase
        frames.append(both(dealer, room, base))
        decided += phase == "settled" and len(frames) > STAYS
        time.sleep(max(0.0, began + EVERY_S - time.monotonic()))
    return frames


def phase_of(page: Page, base: str) -> str:
    """Return the table's phase."""
    return str(page.request.get(f"{base}/api/v1/state").json()["phase"])


def both(dealer: Page, room: Page, base: str) -> Image.Image:
    """Return the camera's picture and the room's screen side by side."""
    seen = Image.open(io.BytesIO(dealer.request.get(f"{base}/dealer/camera.jpg").body()))
    shown = Image.open(io.BytesIO(room.screenshot()))
    found = Image.new("RGB", (2 * PICTURE[0], PICTURE[1]))
    for i, picture in enumerate((seen, shown)):
        found.paste(picture.convert("RGB").resize(PICTURE, Image.Resampling.LANCZOS), (i * PICTURE[0], 0))
    return found


if __name__ == "__main__":
    main()

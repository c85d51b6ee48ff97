"""Films with a cut: two shots of a table, their cards, and how the second shot differs from the first."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import printed
from table_scene import Face, Look, Placed, capacity, card_face, compose, film, grid, random_look

from companion.objects.geometry import HAND_POKER, Box

SIZE = (960, 540)
KINDS = (
    "bare",
    "grey",
    "other felt",
    "same places",
    "overlapping",
    "elsewhere",
    "same ids",
    "other shot",
    "one swapped",
)


@dataclass(frozen=True)
class Shot:
    """One scene before lens and sensor, the camera's settings, and the status of each card."""

    scene: np.ndarray
    look: Look
    truth: Mapping[str, str]

    def frames(self, count: int, noise: np.random.Generator) -> Iterator[np.ndarray]:
        return film(self.scene, self.look, noise, count)


def shot(placed: list[Placed], look: Look, seed: int, forged: str | None = None) -> Shot:
    truth = {p.name: "forged" if p.name == forged else "ok" for p in placed}
    return Shot(compose(placed, look, seed)[0], look, truth)


def cut(
    kind: str, seed: int, faces: Mapping[str, Face], most: int = 5, deck: str = printed.DECK.id
) -> tuple[Shot, Shot]:
    """Return the shots before and after a cut. In every other film the first card of the first shot is forged."""
    rng = np.random.default_rng(seed)
    look = _look(rng)
    names = [str(name) for name in rng.permutation(list(faces))]
    count = min(int(rng.integers(1, most + 1)), len(names) // 2, capacity(look))
    first = grid([(name, faces[name]) for name in names[:count]], look, rng)
    others = names[count : 2 * count]
    forged = first[0].name if seed % 2 else None
    before = [replace(p, face=forgery(p.name, deck)) if p.name == forged else p for p in first]
    second, look2, seed2 = first, look, seed
    if kind in ("bare", "grey", "other felt"):
        second = []
    elif kind == "same places":
        second = [replace(p, name=name, face=faces[name]) for p, name in zip(first, others, strict=True)]
    elif kind == "overlapping":
        second = [_beside(replace(p, name=n, face=faces[n]), rng) for p, n in zip(first, others, strict=True)]
    elif kind in ("elsewhere", "other shot"):
        second = grid([(name, faces[name]) for name in others], look, rng)
    elif kind == "same ids":
        second = first[: 1 + count // 2]
    elif kind == "one swapped":
        second = [replace(first[0], name=others[0], face=faces[others[0]]), *first[1:]]
    if kind in ("other felt", "other shot"):
        look2, seed2 = _look(rng), seed + 1000
    after = shot(second, look2, seed2)
    if kind == "grey":  # of the same mean as a code
        level = rng.uniform(90, 150)
        after = replace(after, scene=np.full_like(after.scene, level / look.gain), look=replace(look2, cast=(1, 1, 1)))
    return shot(before, look, seed, forged), after


def forgery(name: str, deck: str = printed.DECK.id) -> Face:
    """Return a card with the id of a stored deck, signed with another key."""
    forger = replace(printed.DECK, id=deck, key=b"not the key of this house at all")
    return printed.faces(forger, (name,))[name]


def wrong(cards: Mapping[str, str] | list[tuple[str | None, str]], truth: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the reported cards (id, status) that the shot does not show with that status."""
    listed = list(cards.items()) if isinstance(cards, Mapping) else cards
    may_be = {"ok": ("ok", "tag"), "forged": ("forged",)}
    return [(i or "?", status) for i, status in listed if status not in may_be.get(truth.get(i or "", ""), ())]


def _beside(placed: Placed, rng: np.random.Generator) -> Placed:
    dx, dy = rng.uniform(-25, 25, 2)
    return replace(placed, x=placed.x + dx, y=placed.y + dy, turn_deg=float(rng.uniform(0, 360)))


def _look(rng: np.random.Generator) -> Look:
    fixed = {"size": SIZE, "jpeg": None, "px_per_module": float(rng.uniform(2.6, 3.1))}
    return random_look(rng, **fixed, tilt_deg=float(rng.uniform(0, 8)), gain=float(rng.uniform(0.6, 1.0)))


def spoilt(picture: np.ndarray) -> Face:
    """Return a printed card (BGR, 300 dpi) without tags and with an unreadable code: finder patterns around noise."""
    image, s = picture.copy(), 300 / 25.4
    for tag in (HAND_POKER.first_tag, HAND_POKER.second_tag):
        _part(image, tag, s)[:] = 252
    code = _part(image, HAND_POKER.qr, s)
    n = code.shape[0] // 21
    noise = np.random.default_rng(1).integers(0, 2, (12, 12), dtype=np.uint8) * 234 + 18
    code[9 * n : 21 * n, 9 * n : 21 * n] = np.kron(noise, np.ones((n, n), np.uint8))[..., None]
    return card_face(image)


def _part(image: np.ndarray, box: Box, scale: float) -> np.ndarray:
    y0, y1, x0, x1 = (round(v * scale) for v in (box.y, box.y + box.height, box.x, box.x + box.width))
    return image[y0:y1, x0:x1]

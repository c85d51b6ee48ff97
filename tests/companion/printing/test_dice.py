"""The printed Rugen die: its faces read back from pixels, and its net folded up."""

import itertools
from collections import Counter

import cv2
import numpy as np
import pytest

from companion.cli import run_command_line as run
from companion.objects.cards import DIE_FACE_TAGS
from companion.objects.dice import D20_FACES, half_of, number_of
from companion.printing.dice.face import FACES, HEIGHT, face_pieces
from companion.printing.dice.net import cuts, folds, net, tabs
from companion.printing.dice.sheet import NET_EDGE, STICKER_EDGES, dice_pdf
from companion.printing.raster import pixels, render
from companion.printing.sheets import PAPERS


def test_there_are_as_many_faces_of_a_kind_as_its_number_and_each_has_its_own_tag():
    assert Counter(face.face for face in FACES) == {face: number_of(face) for face in set(D20_FACES)}
    assert len({face.tag for face in FACES}) == len({face.name for face in FACES}) == 20
    assert all((face.tag, face.face) == (DIE_FACE_TAGS[face.value - 1], D20_FACES[face.value - 1]) for face in FACES)


@pytest.mark.parametrize("edge", STICKER_EDGES)
def test_every_sticker_is_read_by_its_tag(tags_on, edge):
    """At 300 dpi each face shows its own tag and no other."""
    for face, picture in zip(FACES, render(face_pieces(edge)), strict=True):
        assert picture.size == (pixels(edge), pixels(edge * HEIGHT))
        margin = cv2.copyMakeBorder(np.asarray(picture)[:, :, ::-1], 9, 9, 9, 9, cv2.BORDER_CONSTANT, value=(255,) * 3)
        assert [number for number, _ in tags_on(margin)] == [face.tag], face


def test_day_is_dark_on_light_and_night_light_on_dark():
    for face, picture in zip(FACES, render(face_pieces(20.0)), strict=True):
        gray = np.asarray(picture.convert("L"))
        ground, ink = gray[int(0.93 * gray.shape[0]), int(0.09 * gray.shape[1])], gray[: int(0.55 * gray.shape[0])]
        inside = ink[:, int(0.44 * gray.shape[1]) : int(0.56 * gray.shape[1])][int(0.25 * gray.shape[0]) :]
        if half_of(face.face) == "day":
            assert ground > 180
            assert inside.min() < 60, face
        else:
            assert ground < 60
            assert inside.max() > 220, face


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_sheets_show_every_face_in_its_size(pdf_pages, tags_on, paper):
    """All sets of stickers, then the paper die; every tag is read from the page and has the right size."""
    stickers, paper_die = pdf_pages(dice_pdf(paper), 220)
    assert Counter(n for n, _ in tags_on(stickers)) == {face.tag: len(STICKER_EDGES) for face in FACES}
    found = tags_on(paper_die)
    assert sorted(n for n, _ in found) == [face.tag for face in FACES]
    sides = [np.linalg.norm(corners[0] - corners[1]) / 220 * 25.4 for _, corners in found]
    assert sides == pytest.approx([0.28 * NET_EDGE] * 20, abs=0.3)


# ---- the net


def test_the_net_folds_up_to_an_icosahedron():
    """Folded in 3D: twelve corners, thirty edges with two faces each, every face on the outside."""
    solid = folded()
    corners = [tuple(np.round(p, 6)) for face in solid for p in face]
    assert sorted(Counter(corners).values()) == [5] * 12
    edges = Counter(
        frozenset((tuple(np.round(a, 6)), tuple(np.round(b, 6))))
        for f in solid
        for a, b in itertools.combinations(f, 2)
    )
    assert len(edges) == 30
    assert set(edges.values()) == {2}
    middle = np.mean([p for face in solid for p in face], axis=0)
    for a, b, c in solid:  # clockwise on the page, which is seen from outside
        assert np.dot(np.cross(c - a, b - a), (a + b + c) / 3 - middle) > 0


def test_the_corners_that_the_net_names_are_those_that_meet():
    places: dict[tuple[str, int], set[tuple[float, ...]]] = {}
    for face, points in zip(net(), folded(), strict=True):
        for corner, point in zip(face.corners, points, strict=True):
            places.setdefault(corner, set()).add(tuple(np.round(point, 6)))
    assert len(places) == 12
    assert all(len(where) == 1 for where in places.values())


def test_the_outline_is_cut_and_half_of_it_has_tabs():
    assert (len(folds()), len(cuts()), len(tabs())) == (19, 22, 11)
    glued = {frozenset((tab[0], tab[3])) for tab in tabs()}
    outline = {frozenset(edge) for edge in cuts()}
    assert {frozenset(tuple(np.round(p, 9)) for p in edge) for edge in glued} <= {
        frozenset(tuple(np.round(p, 9)) for p in edge) for edge in outline
    }


def test_tabs_lie_free_of_the_faces_and_of_each_other():
    canvas = np.zeros((400, 700), np.uint8)
    for shape in [face.points for face in net()] + list(tabs()):
        one = np.zeros_like(canvas)
        cv2.fillPoly(one, [np.round((np.array(shape) + np.float64([0.4, 0.4])) * 100).astype(np.int32)], 1)
        canvas += cv2.erode(one, np.ones((5, 5), np.uint8))
    assert canvas.max() == 1


def test_each_glued_edge_has_one_tab():
    """The two cut edges that meet in an edge of the solid have exactly one tab."""
    named = {}
    for face in net():
        for i in range(3):
            key = frozenset(tuple(np.round(p, 6)) for p in (face.points[i], face.points[(i + 1) % 3]))
            named[key] = frozenset((face.corners[i], face.corners[(i + 1) % 3]))
    met = Counter(named[frozenset(tuple(np.round(p, 6)) for p in edge)] for edge in cuts())
    tabbed = [named[frozenset(tuple(np.round(p, 6)) for p in (tab[0], tab[3]))] for tab in tabs()]
    assert set(met.values()) == {2}
    assert sorted(map(sorted, tabbed)) == sorted(map(sorted, met))


def test_numbers_and_halves_are_spread_evenly():
    around: dict[tuple[str, int], list[str]] = {}
    for face in net():
        for corner in face.corners:
            around.setdefault(corner, []).append(face.face.face)
    assert {sum(number_of(f) for f in faces) for faces in around.values()} <= {14, 15, 16}
    assert {sum(half_of(f) == "day" for f in faces) for faces in around.values()} <= {2, 3}
    middles = [points.mean(axis=0) for points in map(np.array, folded())]
    centre = np.mean(middles, axis=0)
    for face, middle in zip(net(), middles, strict=True):
        away = [np.linalg.norm(other - centre + middle - centre) for other in middles]
        opposite = net()[int(np.argmin(away))]
        assert half_of(face.face.face) != half_of(opposite.face.face)
    assert Counter(f.face.face for f in net()) == Counter(D20_FACES)


def folded() -> list[tuple[np.ndarray, ...]]:
    """Fold the net like paper: each triangle rotates backwards about its edge shared with a folded one."""
    flat = [np.array([(x, -y, 0.0) for x, y in face.points]) for face in net()]  # y up, so that z comes to the eye
    angle = np.pi - np.arccos(-np.sqrt(5) / 3)
    done = {0: np.eye(4)}
    while len(done) < 20:
        for i, j in itertools.product(list(done), range(20)):
            shared = [p for p in flat[i] if np.min(np.linalg.norm(flat[j] - p, axis=1)) < 1e-9]
            if j in done or len(shared) != 2:
                continue
            done[j] = done[i] @ hinge(shared[0], shared[1], flat[j].mean(axis=0), angle)
    return [tuple((done[i] @ np.append(p, 1))[:3] for p in flat[i]) for i in range(20)]


def hinge(a: np.ndarray, b: np.ndarray, beyond: np.ndarray, angle: float) -> np.ndarray:
    """Return the rotation about the line a-b that folds the part beyond it backwards, away from the viewer."""
    axis = (b - a) / np.linalg.norm(b - a)
    for sign in (1, -1):
        turn, _ = cv2.Rodrigues(axis * angle * sign)
        if (turn @ (beyond - a))[2] < 0:
            move = np.eye(4)
            move[:3, :3], move[:3, 3] = turn, a - turn @ a
            return move
    raise AssertionError("a hinge turns one way or the other")


# ---- the command


def test_the_command_writes_a_picture_for_each_face(tmp_path):
    out = tmp_path / "dice"
    assert run(["print", "dice", "--format", "png", "--out", str(out), "--data", str(tmp_path)]) == 0
    assert sorted(p.stem for p in out.iterdir()) == sorted(face.name for face in FACES)


def test_the_command_writes_two_pages_and_needs_no_deck(tmp_path, pdf_pages):
    out = tmp_path / "dice.pdf"
    words = ["print", "dice", "--paper", "letter", "--out", str(out), "--data", str(tmp_path)]
    assert run(words) == 0
    pages = pdf_pages(out.read_bytes(), 72)
    assert [page.shape[:2] for page in pages] == [tuple(round(x * 72 / 25.4) for x in PAPERS["letter"][::-1])] * 2


def test_what_cannot_be_ordered_is_told(tmp_path):
    words = ["print", "dice", "--out", str(tmp_path / "d.pdf"), "--data", str(tmp_path)]
    for more in (["--only", "3n"], ["--paper", "full"], ["--size", "tarot"]):
        assert run([*words, *more]) == 2

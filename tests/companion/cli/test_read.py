"""`companion read`: real files, real pixels, and the contract's shapes to the letter."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))

from table_scene import Look, Placed, card_face, compose, expose, token_face

from companion.cli import run_command_line as run
from companion.cli.pictures import files_of
from companion.cli.read import expectable
from companion.objects.decks import Deck, DeckStore
from companion.plugins.registry import Games
from companion.printing.pieces import card_pieces
from companion.printing.raster import render
from companion.testing import DECKS, INSTALLED

LOOK = Look(size=(960, 540), px_per_module=3.0, tilt_deg=4.0, noise=2.0)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def deck(data: Path) -> Deck:
    return DeckStore(data, DECKS).new("roche", "Test")


@pytest.fixture(scope="module")
def scene(deck: Deck) -> np.ndarray:
    """Two printed cards and a token, before lens and sensor."""
    names = ("6D3", "7N5")
    images = [cv2.cvtColor(np.array(i), cv2.COLOR_RGB2BGR) for i in render(card_pieces(deck, "poker", names))]
    cards = [Placed(n, card_face(i), x, 0, 15.0) for n, i, x in zip(names, images, (-90, 0), strict=True)]
    return compose([*cards, Placed("T6", token_face(DECKS.tag_of["T6"]), 80, 0, 0.0)], LOOK, 3)[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, scene: np.ndarray) -> Path:
    """Good and broken files of many kinds."""
    path = tmp_path_factory.mktemp("pictures")
    picture = photo(scene)
    for name in ("good.jpg", "good.png", "good.webp", "good.bmp", "good.tiff"):
        assert cv2.imwrite(str(path / name), picture)
    for name in ("good.jpg", "good.png", "good.webp", "good.tiff"):
        whole = (path / name).read_bytes()
        (path / f"cut.{name[5:]}").write_bytes(whole[: len(whole) // 2])
    (path / "empty.jpg").write_bytes(b"")
    (path / "letter.jpg").write_text("Dear dealer, this is no picture.\n" * 40)
    (path / "zeros.png").write_bytes(bytes(4096))
    (path / "disguised.txt").write_bytes((path / "good.png").read_bytes())
    film(path / "good.avi", "MJPG", scene)
    film(path / "good.mp4", "mp4v", scene)
    for name in ("good.avi", "good.mp4"):
        whole = (path / name).read_bytes()
        (path / f"cut.{name[5:]}").write_bytes(whole[: len(whole) // 2])
    return path


def photo(scene: np.ndarray, seed: int = 1) -> np.ndarray:
    return expose(scene.copy(), LOOK, np.random.default_rng(seed))


def film(path: Path, codec: str, scene: np.ndarray, frames: int = 12) -> None:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), 25, LOOK.size)
    for number in range(frames):
        writer.write(photo(scene, number))
    writer.release()


def read(capsys: pytest.CaptureFixture[str], data: Path, *arguments: object) -> tuple[int, list[dict[str, Any]], str]:
    code = run(["read", "--json", "--data", str(data), *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, [json.loads(line) for line in out.splitlines()], err


@pytest.mark.parametrize("name", ["good.jpg", "good.png", "good.webp", "good.bmp", "good.tiff", "disguised.txt"])
def test_a_picture_is_told_by_its_content_and_read(
    capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, folder: Path, name: str
) -> None:
    code, (line,), err = read(capsys, data, folder / name)
    assert (code, err) == (0, "")
    assert list(line) == ["file", "size", "cards", "tokens", "dice", "warnings"]
    assert line["file"] == str(folder / name)
    assert line["size"] == [960, 540]
    cards = sorted(line["cards"], key=lambda c: c["id"])
    assert [(c["id"], c["deck"], c["status"]) for c in cards] == [("6D3", deck.id, "ok"), ("7N5", deck.id, "ok")]
    assert all(list(c) == ["id", "deck", "status", "corners"] for c in cards)
    assert np.array(cards[0]["corners"]).shape == (4, 2)
    assert [list(t) for t in line["tokens"]] == [["id", "corners"]]
    assert (line["tokens"][0]["id"], line["dice"], line["warnings"]) == ("T6", [], [])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cut.jpg", "cut short"),
        ("cut.png", "cut short"),
        ("cut.webp", "cut short"),
        ("cut.tiff", "cut short"),
        ("empty.jpg", "is empty"),
        ("letter.jpg", "no picture or video"),
        ("zeros.png", "no picture or video"),
        ("cut.mp4", "no picture or video"),
        ("missing.jpg", "cannot be opened"),
    ],
)
def test_a_broken_file_is_named_and_the_others_are_read(
    capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, folder: Path, name: str, words: str
) -> None:
    code, lines, err = read(capsys, data, folder / "good.png", folder / name, folder / "good.jpg")
    assert code == 2
    assert [line["file"] for line in lines] == [str(folder / n) for n in ("good.png", name, "good.jpg")]
    assert list(lines[1]) == ["file", "error"]
    assert words in lines[1]["error"]
    assert [len(lines[k]["cards"]) for k in (0, 2)] == [2, 2]
    assert err.count("\n") == 1
    assert err.startswith("companion: 1 file could not be read")


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["good.avi", "good.mp4"])
def test_a_video_gets_a_line_a_frame(
    capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, folder: Path, name: str
) -> None:
    code, lines, _ = read(capsys, data, folder / name)
    assert (code, len(lines)) == (0, 12)
    assert list(lines[0])[:3] == ["file", "t", "size"]
    assert [line["t"] for line in lines] == pytest.approx([k / 25 for k in range(12)], abs=0.002)
    assert {(c["id"], c["status"]) for c in lines[-1]["cards"]} == {("6D3", "ok"), ("7N5", "ok")}


@pytest.mark.thorough
def test_a_video_that_breaks_off_is_read_up_to_there(
    capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, folder: Path
) -> None:
    code, lines, _ = read(capsys, data, folder / "cut.avi")
    assert code == 2
    assert len(lines) > 3
    assert "breaks off after" in lines[-1]["error"]
    assert all(len(line["cards"]) == 2 for line in lines[2:-1])


@pytest.mark.thorough
def test_a_folder_is_read_in_natural_order(
    capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, folder: Path, tmp_path: Path
) -> None:
    for name in ("10.jpg", "9.jpg", "notes.txt"):
        (tmp_path / name).write_bytes((folder / "good.jpg").read_bytes())
    assert [p.name for p in files_of(tmp_path)] == ["9.jpg", "10.jpg"]
    code, lines, _ = read(capsys, data, tmp_path)
    assert (code, [Path(line["file"]).name for line in lines]) == (0, ["9.jpg", "10.jpg"])
    (tmp_path / "none").mkdir()
    code, lines, _ = read(capsys, data, tmp_path / "none")
    assert (code, "no pictures" in lines[0]["error"]) == (2, True)


@pytest.mark.thorough
def test_expect_says_what_gets_a_value(
    capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, folder: Path
) -> None:
    _, (tokens,), _ = read(capsys, data, folder / "good.png", "--expect", "tokens")
    assert (tokens["cards"], [t["id"] for t in tokens["tokens"]]) == ([], ["T6"])
    _, (cards,), _ = read(capsys, data, folder / "good.png", "--expect", "roche,d20")
    assert (len(cards["cards"]), cards["tokens"], "roulette" in cards) == (2, [], False)
    _, (wheel,), _ = read(capsys, data, folder / "good.png", "--expect", "roulette")
    assert wheel["roulette"]["pocket"] is None


@pytest.mark.thorough
def test_a_card_of_no_deck_in_play_is_named(
    capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, folder: Path
) -> None:
    """Genuine all the same: its status says so, the warning says that it does not belong on this table."""
    other = DeckStore(data, DECKS).new("standard")
    code, (line,), _ = read(capsys, data, folder / "good.png", "--shoe", other.id)
    assert (code, [card["status"] for card in line["cards"]]) == (0, ["ok", "ok"])
    assert sorted(line["warnings"]) == [
        f"not of this shoe: {card} of deck {deck.id}. Take the card off the table." for card in ("6D3", "7N5")
    ]
    _, (line,), _ = read(capsys, data, folder / "good.png", "--shoe", f"{other.id},{deck.id.lower()}")
    assert line["warnings"] == []
    assert read(capsys, data, folder / "good.png", "--shoe", "ZZZZ")[0] == 2


def test_only_what_an_installed_game_brings_can_be_expected() -> None:
    assert "roulette" in expectable(INSTALLED)
    assert expectable(Games((), decks=(DECKS["standard"],))) == ("standard", "tokens", "d20", "rugen", "d6")


@pytest.mark.parametrize("names", ["tarot", "roche,tarot", "", ","])
def test_an_unknown_expectation_is_bad_usage(
    capsys: pytest.CaptureFixture[str], data: Path, folder: Path, names: str
) -> None:
    code, lines, err = read(capsys, data, folder / "good.png", "--expect", names)
    assert (code, lines) == (2, [])
    assert "roche" in err


def test_without_files_it_is_bad_usage(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    assert read(capsys, data)[0] == 2


def test_cards_of_a_deck_that_is_not_here_are_foreign(
    capsys: pytest.CaptureFixture[str], deck: Deck, folder: Path, tmp_path: Path
) -> None:
    code, (line,), _ = read(capsys, tmp_path, folder / "good.png")
    assert code == 0
    assert {(c["status"], c["deck"]) for c in line["cards"]} == {("foreign", deck.id)}
    assert any(deck.id in w for w in line["warnings"])


def test_a_photograph_taken_on_its_side_is_turned_upright(
    capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, scene: np.ndarray, tmp_path: Path
) -> None:
    """EXIF orientation 6: the stored pixels are turned; size and corners are those of the picture as it is shown."""
    from PIL import Image

    shown = photo(scene)
    stored = Image.fromarray(cv2.cvtColor(np.rot90(shown), cv2.COLOR_BGR2RGB))
    exif = Image.Exif()
    exif[0x0112] = 6
    stored.save(tmp_path / "side.jpg", exif=exif, quality=95)
    _, (line,), _ = read(capsys, data, tmp_path / "side.jpg")
    assert line["size"] == [960, 540]
    assert len(line["cards"]) == 2
    assert np.array([c["corners"] for c in line["cards"]]).max() < 960


@pytest.mark.parametrize("mode", [cv2.IMREAD_GRAYSCALE, cv2.IMREAD_UNCHANGED])
def test_grey_and_transparent_pictures_are_read_too(
    capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, scene: np.ndarray, tmp_path: Path, mode: int
) -> None:
    picture = photo(scene)
    to = cv2.COLOR_BGR2GRAY if mode == cv2.IMREAD_GRAYSCALE else cv2.COLOR_BGR2BGRA
    cv2.imwrite(str(tmp_path / "other.png"), cv2.cvtColor(picture, to))
    _, (line,), _ = read(capsys, data, tmp_path / "other.png")
    assert len(line["cards"]) == 2


def test_people_get_readable_text(capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, folder: Path) -> None:
    assert run(["read", "--data", str(data), str(folder / "good.png")]) == 0
    out = capsys.readouterr().out
    assert "960 × 540 pixels, 2 cards, 1 token" in out
    assert "6D3  ok" in out


def test_the_program_itself_reads_and_tells(data: Path, deck: Deck, folder: Path) -> None:
    """The installed command in a process of its own: one JSON line on stdout, nothing but one line on stderr."""
    command = [sys.executable, "-m", "companion", "read", "--json", str(folder / "good.jpg"), str(folder / "cut.avi")]
    env = {**os.environ, "COMPANION_DATA": str(data)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env, check=False)
    assert done.returncode == 2
    assert json.loads(done.stdout.splitlines()[0])["cards"][0]["status"] == "ok"
    assert done.stderr.count("\n") == 1


def test_what_is_no_video_costs_one_line_and_a_name_that_is_no_utf8_stays_json(data: Path, tmp_path: Path) -> None:
    odd = os.fsencode(tmp_path) + b"/cut\xff.mp4"
    with open(odd, "wb") as file:
        file.write(b"\x00\x00\x00\x18ftypmp42" + bytes(400))
    drawing = tmp_path / "drawing.svg"  # of which FFmpeg knows the kind, and has no decoder
    drawing.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    command = [os.fsencode(sys.executable), b"-m", b"companion", b"read", b"--json", odd, os.fsencode(drawing)]
    env = {**os.environ, "COMPANION_DATA": str(data)}
    env.pop("OPENCV_LOG_LEVEL", None)
    done = subprocess.run(command, capture_output=True, timeout=60, env=env, check=False)
    assert done.returncode == 2
    assert ["error" in json.loads(line) for line in done.stdout.decode("utf-8").splitlines()] == [True, True]
    assert done.stderr.count(b"\n") == 1


def test_a_file_without_permission_is_left_to_its_own_line(
    capsys: pytest.CaptureFixture[str], data: Path, deck: Deck, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be opened is told in its line (here root opens it all the same); the command is not refused whole."""
    monkeypatch.setattr(os, "access", lambda path, mode, **_: Path(os.fsdecode(path)).suffix not in (".jpg", ".png"))
    code, lines, _ = read(capsys, data, folder / "letter.jpg", folder / "good.png")
    assert code == 2
    assert ["error" in line for line in lines] == [True, False]

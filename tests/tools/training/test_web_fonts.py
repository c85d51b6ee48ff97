"""Fonts from npm packages; a fake npm script packs what the real packages contain."""

import io
import json
import os
import tarfile
from importlib.resources import files
from pathlib import Path

import pytest

from tools.training.samples.fonts import fonts_below

ttlib = pytest.importorskip("fontTools.ttLib")  # the extra `train`

LISTED = [{"family": "Some Sans", "subsets": ["latin"]}, {"family": "Noto Sans", "subsets": ["latin"]},
          {"family": "Gone", "subsets": ["latin"]}, {"family": "Some Thai", "subsets": ["thai"]}]  # fmt: skip


def woff() -> bytes:
    font = ttlib.TTFont(io.BytesIO((files("companion.printing.fonts") / "Cinzel-Bold.ttf").read_bytes()))
    font.flavor = "woff"
    made = io.BytesIO()
    font.save(made)
    return made.getvalue()


def pack(path: Path, content: dict[str, bytes]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in content.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    store = tmp_path / "packages"
    store.mkdir()
    script = store / "npm"
    script.write_text(f'#!/bin/sh\ncp "{store}/$(basename "$3").tgz" .\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{store}{os.pathsep}{os.environ['PATH']}")
    pack(store / "google-font-metadata.tgz", {"data/api-response.json": json.dumps(LISTED).encode()})
    styles = {f"files/some-sans-latin-{weight}-normal.woff": woff() for weight in (100, 300, 400, 500, 900)}
    pack(store / "some-sans.tgz", {**styles, "files/some-sans-thai-400-normal.woff": b"", "LICENSE": b"OFL"})
    return store


def test_a_family_comes_in_a_few_styles_under_one_name(npm: Path, tmp_path: Path) -> None:
    from tools.training.samples.web_fonts import Fetched, fetch_fonts

    told: list[tuple[int, int]] = []
    fetched = fetch_fonts(tmp_path / "fonts", lambda done, total: told.append((done, total)), known=())
    assert fetched == Fetched(1, 0, ("Gone",))
    assert told == [(1, 2), (2, 2)]
    made = fonts_below([tmp_path / "fonts"])
    assert [Path(font.path).name for font in made] == [f"somesans-{w}-normal.ttf" for w in (300, 400, 900)]
    assert {font.family for font in made} == {"Some Sans"}
    npm.joinpath("some-sans.tgz").unlink()
    assert fetch_fonts(tmp_path / "fonts", lambda done, total: None, known=()).families == 1  # already downloaded


def test_a_family_that_is_held_out_under_another_name_is_left_out(
    npm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tools.training.samples import web_fonts
    from tools.training.samples.fonts import Font

    held = next(
        Font(f"Some {tail}", "") for tail in "abcdefghijklmnopqrstuvwxyz" if Font(f"Some {tail}", "").split == "held"
    )
    monkeypatch.setattr(web_fonts, "families_listed", lambda: [f"{held.family} Bold", "Gone"])
    monkeypatch.setattr(web_fonts, "fonts_below", lambda folders: [held])
    assert web_fonts.fetch_fonts(tmp_path / "fonts", lambda done, total: None).left_out == 1


def test_without_npm_the_error_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tools.training.samples.web_fonts import NoPackage, fetch_fonts

    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoPackage, match="Is npm installed"):
        fetch_fonts(tmp_path / "fonts", lambda done, total: None, known=())

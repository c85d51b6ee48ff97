"""Fonts from Fontsource's npm packages, to draw numbers with: the free ones of Google Fonts, one package a family.

The list of families comes from the package google-font-metadata. Of each family at most four styles are kept, as .ttf
with the family's plain name in it, so that all its styles fall into one half (see `Font.split`).
"""

import io
import json
import re
import subprocess
import tarfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from fontTools.ttLib import TTFont

from companion.kernel.errors import CompanionError
from tools.training.samples.fonts import SYSTEM_FONTS, fonts_below

_LIST: Final = "google-font-metadata"
_NOT_WANTED: Final = ("Alegreya", "Cinzel", "Noto ", "Playwrite ", "Edu ")
"""How families begin that the program prints with, and held-out dice have; and those that share one set of digits."""
_WEIGHTS: Final = (300, 400, 800)
_STYLE: Final = re.compile(r"package/files/.+-latin-(\d+)-(normal|italic)\.woff$")
_AT_ONCE: Final = 6
_FAMILY, _WIN_OVER_IT = 1, (16, 21)  # entries of a font's name table


class NoPackage(CompanionError):
    """npm cannot be run, or has no such package."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """How many families have been written, were left out because of fonts here, and could not be had."""

    families: int
    left_out: int
    failed: tuple[str, ...]


def fetch_fonts(folder: Path, report: Callable[[int, int], None], known: Sequence[Path] = SYSTEM_FONTS) -> Fetched:
    """Write the fonts of all families with Latin digits into a folder; families that are there already stay.

    Args:
        known: folders of fonts that held-out dice are made with: a family that is held out there under a longer or
            shorter name is left out, lest networks learn from it.

    Raises:
        NoPackage: the list of families cannot be had.
    """
    folder.mkdir(parents=True, exist_ok=True)
    held = {_plain(font.family) for font in fonts_below(known) if font.split == "held"}
    wanted = families_listed()
    some = [name for name in wanted if not any(_same(_plain(name), other) for other in held)]
    failed = []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for done, error in enumerate(pool.map(lambda name: _fetch(folder, name), some), start=1):
            failed += [error] if error else []
            report(done, len(some))
    return Fetched(len(some) - len(failed), len(wanted) - len(some), tuple(failed))


def families_listed() -> list[str]:
    """Return the names of Google's families that have Latin letters, each with digits of its own.

    Raises:
        NoPackage: there is no list.
    """
    with _package(_LIST) as archive:
        listed = archive.extractfile("package/data/api-response.json")
        if listed is None:
            raise NoPackage(f"The package {_LIST} has no list of families.")
        entries = json.load(listed)
    return [e["family"] for e in entries if "latin" in e["subsets"] and not e["family"].startswith(_NOT_WANTED)]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _same(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _package(name: str) -> tarfile.TarFile:
    with TemporaryDirectory() as folder:
        try:
            subprocess.run(["npm", "pack", "--silent", name], cwd=folder, check=True, capture_output=True, timeout=120)
            return tarfile.open(fileobj=io.BytesIO(next(Path(folder).glob("*.tgz")).read_bytes()))
        except (OSError, subprocess.SubprocessError, StopIteration, tarfile.TarError) as error:
            raise NoPackage(f"npm could not get the package {name}. Is npm installed, and the network up?") from error


def _fetch(folder: Path, family: str) -> str:
    """Write one family's styles; return its name if it cannot be had, else nothing."""
    own = folder / _plain(family)
    if own.exists():
        return ""
    try:
        with _package(f"@fontsource/{family.lower().replace(' ', '-')}") as archive:
            files = {(int(found[1]), found[2]): name for name in archive.getnames() if (found := _STYLE.match(name))}
            made = {style: _outline(archive, files[style], family) for style in chosen(list(files))}
    except (NoPackage, OSError, KeyError, ValueError):
        return family
    part = folder / f"{own.name}.part"
    part.mkdir(exist_ok=True)
    for (weight, slant), data in made.items():
        (part / f"{own.name}-{weight}-{slant}.ttf").write_bytes(data)
    part.rename(own)
    return ""


def chosen(styles: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return a light, a plain and a bold style and an italic one, as far as there are such.

    >>> chosen([(100, "normal"), (400, "normal"), (700, "normal"), (400, "italic")])
    [(100, 'normal'), (400, 'italic'), (400, 'normal'), (700, 'normal')]
    """
    upright = [style for style in styles if style[1] == "normal"]
    best = {min(upright, key=lambda style: abs(style[0] - weight)) for weight in _WEIGHTS if upright}
    slanted = [style for style in styles if style[1] == "italic"]
    return sorted(best | {min(slanted, key=lambda style: abs(style[0] - 400)) for _ in slanted[:1]})


def _outline(archive: tarfile.TarFile, name: str, family: str) -> bytes:
    stored = archive.extractfile(name)
    if stored is None:
        raise KeyError(name)
    font = TTFont(io.BytesIO(stored.read()))
    font.flavor = None
    names = font["name"]
    for number in (_FAMILY, *_WIN_OVER_IT):
        names.removeNames(nameID=number)
    names.setName(family, _FAMILY, 3, 1, 0x409)  # Windows, Unicode, English
    made = io.BytesIO()
    font.save(made)
    return made.getvalue()

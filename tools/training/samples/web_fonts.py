"""Downloads the free Google Fonts from Fontsource's npm packages, one package per family.

The list of families comes from the package google-font-metadata. At most four styles of each family are kept, as .ttf
files with the plain family name in their name table, so that all styles are in one split (see `Font.split`).
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

_LIST_PACKAGE: Final = "google-font-metadata"
_SKIPPED_PREFIXES: Final = ("Alegreya", "Cinzel", "Noto ", "Playwrite ", "Edu ")
"""Prefixes of skipped families: used for printing or for held-out dice, or without digits of their own."""
_WEIGHTS: Final = (300, 400, 800)
_STYLE: Final = re.compile(r"package/files/.+-latin-(\d+)-(normal|italic)\.woff$")
_DOWNLOADS_AT_ONCE: Final = 6
_FAMILY, _TYPOGRAPHIC_FAMILY = (
    1,
    (16, 21),
)  # IDs in a font's name table: family, and typographic family names that take precedence


class NoPackage(CompanionError):
    """npm cannot be run, or has no such package."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """Numbers of families written and left out because of held-out fonts; names of those that failed."""

    families: int
    left_out: int
    failed: tuple[str, ...]


def fetch_fonts(folder: Path, report: Callable[[int, int], None], known: Sequence[Path] = SYSTEM_FONTS) -> Fetched:
    """Download the fonts of all families with Latin digits into a folder; existing families are kept.

    Args:
        known: folders of the fonts of held-out dice: a family that is held out there, also under a longer or shorter
            name, is left out, so that it is not trained on.

    Raises:
        NoPackage: the list of families cannot be downloaded.
    """
    folder.mkdir(parents=True, exist_ok=True)
    held = {_normalized(font.family) for font in fonts_below(known) if font.split == "held"}
    listed = families_listed()
    wanted_families = [name for name in listed if not any(_is_same_family(_normalized(name), other) for other in held)]
    failed = []
    with ThreadPoolExecutor(_DOWNLOADS_AT_ONCE) as pool:
        for done, error in enumerate(pool.map(lambda name: _fetch(folder, name), wanted_families), start=1):
            failed += [error] if error else []
            report(done, len(wanted_families))
    return Fetched(len(wanted_families) - len(failed), len(listed) - len(wanted_families), tuple(failed))


def families_listed() -> list[str]:
    """Return the names of Google's families with Latin letters, without those that share their digits with others.

    Raises:
        NoPackage: the list cannot be downloaded, or is missing in its package.
    """
    with _package(_LIST_PACKAGE) as archive:
        listed = archive.extractfile("package/data/api-response.json")
        if listed is None:
            raise NoPackage(f"The package {_LIST_PACKAGE} has no list of families.")
        entries = json.load(listed)
    return [e["family"] for e in entries if "latin" in e["subsets"] and not e["family"].startswith(_SKIPPED_PREFIXES)]


def _normalized(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _is_same_family(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _package(name: str) -> tarfile.TarFile:
    with TemporaryDirectory() as folder:
        try:
            subprocess.run(["npm", "pack", "--silent", name], cwd=folder, check=True, capture_output=True, timeout=120)
            return tarfile.open(fileobj=io.BytesIO(next(Path(folder).glob("*.tgz")).read_bytes()))
        except (OSError, subprocess.SubprocessError, StopIteration, tarfile.TarError) as error:
            raise NoPackage(f"npm could not get the package {name}. Is npm installed, and the network up?") from error


def _fetch(folder: Path, family: str) -> str:
    """Download one family's styles; return its name if that fails, otherwise an empty string."""
    own = folder / _normalized(family)
    if own.exists():
        return ""
    try:
        with _package(f"@fontsource/{family.lower().replace(' ', '-')}") as archive:
            files = {(int(found[1]), found[2]): name for name in archive.getnames() if (found := _STYLE.match(name))}
            fonts_by_style = {style: _as_ttf(archive, files[style], family) for style in select_styles(list(files))}
    except (NoPackage, OSError, KeyError, ValueError):
        return family
    part = folder / f"{own.name}.part"
    part.mkdir(exist_ok=True)
    for (weight, slant), data in fonts_by_style.items():
        (part / f"{own.name}-{weight}-{slant}.ttf").write_bytes(data)
    part.rename(own)
    return ""


def select_styles(styles: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Select a light, a regular, a bold and an italic style, as far as they exist.

    >>> select_styles([(300, "normal"), (400, "normal"), (700, "normal"), (400, "italic")])
    [(300, 'normal'), (400, 'italic'), (400, 'normal'), (700, 'normal')]
    """
    upright = [style for style in styles if style[1] == "normal"]
    best = {min(upright, key=lambda style: abs(style[0] - weight)) for weight in _WEIGHTS if upright}
    slanted = [style for style in styles if style[1] == "italic"]
    return sorted(best | {min(slanted, key=lambda style: abs(style[0] - 400)) for _ in slanted[:1]})


def _as_ttf(archive: tarfile.TarFile, name: str, family: str) -> bytes:
    stored = archive.extractfile(name)
    if stored is None:
        raise KeyError(name)
    font = TTFont(io.BytesIO(stored.read()))
    font.flavor = None
    names = font["name"]
    for number in (_FAMILY, *_TYPOGRAPHIC_FAMILY):
        names.removeNames(nameID=number)
    names.setName(family, _FAMILY, 3, 1, 0x409)  # Windows, Unicode, English
    fonts_by_style = io.BytesIO()
    font.save(fonts_by_style)
    return fonts_by_style.getvalue()

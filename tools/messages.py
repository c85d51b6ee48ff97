"""Bring the catalogues up to date with the source: ``make messages``, or ``python -m tools.messages --check``.

Whatever `companion.kernel.messages.message`, `plural` and the errors' `saying` and `coded` are called with is found,
and written to the ``de.po`` and ``es.po`` beside it: a game's in its package, what games share in theirs, all else in
``companion/locale``. A new sentence comes without a translation, one that is gone is dropped; nothing else changes.
"""

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

ROOT: Final = Path(__file__).parents[1]
LANGUAGES: Final = ("de", "es")
PLACES: Final = ("companion", "hardware", "web_ui")
GAMES: Final = Path("companion/games")
_KEYWORDS: Final = {"message": None, "plural": (1, 2), "saying": None, "coded": (2,)}
_WIDTH: Final = 120


def home_of(source: Path) -> Path:
    """Return the folder of the catalogues that have a source file's sentences.

    >>> home_of(Path("companion/games/poker/rules.py")).as_posix()
    'companion/games/poker/locale'
    >>> home_of(Path("hardware/panel/board.py")).as_posix()
    'companion/locale'
    """
    if not source.is_relative_to(GAMES):
        return Path("companion/locale")
    family = GAMES / source.relative_to(GAMES).parts[0]
    is_game = (ROOT / family / "plugin.py").is_file() or not (ROOT / family).exists()
    return (family if is_game else GAMES) / "locale"


def found() -> dict[Path, Catalog]:
    """Return what the source says, by the folder where it is translated."""
    catalogues: dict[Path, Catalog] = {}
    for source in _sources():
        for _, said, _, _ in extract_from_file("python", ROOT / source, keywords=_KEYWORDS):
            key = said[:2] if isinstance(said, tuple) else said
            catalogues.setdefault(home_of(source), Catalog()).add(key, locations=[(source.as_posix(), 1)])
    return catalogues


def _sources() -> Iterator[Path]:
    for place in PLACES:
        yield from sorted(path.relative_to(ROOT) for path in (ROOT / place).rglob("*.py"))


def written(template: Catalog, file: Path, language: str) -> bytes:
    """Return a catalogue's file with the template's sentences and the translations that it has."""
    catalog = Catalog(locale=language)
    if file.exists():
        catalog = read_po(file.open("rb"), locale=language)
    catalog.update(template, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    for entry in catalog:
        entry.locations = [(name, None) for name, _ in dict.fromkeys(entry.locations)]  # type: ignore[misc]
    out = BytesIO()
    write_po(out, catalog, width=_WIDTH, omit_header=True, sort_by_file=True, include_lineno=False)
    return out.getvalue()


def main(arguments: list[str]) -> int:
    """Write the files, or with ``--check`` only name those that are behind the source."""
    behind = 0
    for folder, template in found().items():
        for language in LANGUAGES:
            file = ROOT / folder / f"{language}.po"
            now = written(template, file, language)
            if file.exists() and file.read_bytes() == now:
                continue
            behind += 1
            if "--check" in arguments:
                print(f"{file.relative_to(ROOT)} is behind the source. Run: make messages")
            else:
                file.parent.mkdir(exist_ok=True)
                file.write_bytes(now)
    return 1 if behind and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Golden files: recorded outputs, compared key by key with the current ones."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from recorder import flatten

DATA: Final = Path(__file__).parent / "data"
MAX_REPORTED: Final = 40
MAX_PER_FILE: Final = 12
"""Maximum number of differences reported per file: a change in the journal's first entry changes all later hashes."""
HOW: Final = "If that is wanted: python -m pytest tests/golden --update-golden, and look at the diff."
_NOTHING: Final = "(nothing)"


@dataclass
class Goldens:
    """The folder of golden files; with ``update`` they are written instead of compared."""

    update: bool
    folder: Path = DATA
    seen: set[Path] = field(default_factory=set)

    def differences(self, name: str, lines: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return the differences between the lines and the golden file ``name``; none if it is being written."""
        path = self.folder / name
        self.seen.add(path)
        if not lines:
            return [f"{name}: nothing was recorded, there is a file"] if self._drop(path) else []
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            text = "".join(dumped(line) + "\n" for line in lines)
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
            return []
        if not path.exists():
            return [f"{name}: there is no golden file"]
        golden = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        found = list(_differ(name, golden, [json.loads(dumped(line)) for line in lines]))
        more = len(found) - MAX_PER_FILE
        return [*found[:MAX_PER_FILE], f"{name}: … and {more} more"] if more > 0 else found

    def _drop(self, path: Path) -> bool:
        """Delete a file when updating; otherwise return whether it exists."""
        if self.update:
            path.unlink(missing_ok=True)
        return path.exists()


def dumped(line: Mapping[str, Any]) -> str:
    """Return a line in file format."""
    return json.dumps(line, sort_keys=True, ensure_ascii=False)


def check(*differences: Sequence[str]) -> None:
    """Fail with a readable list of differences, if there are any."""
    found = [one for some in differences for one in some]
    if found:
        more = f"\n… and {len(found) - MAX_REPORTED} more" if len(found) > MAX_REPORTED else ""
        raise AssertionError("\n".join((*found[:MAX_REPORTED], "")) + more + f"\n{HOW}")


def _differ(name: str, golden: Sequence[Any], now: Sequence[Any]) -> Iterator[str]:
    before, after = _keyed(golden), _keyed(now)
    for key in dict.fromkeys((*before, *after)):
        old, new = (flatten(lines[key]) if key in lines else {} for lines in (before, after))
        for place in dict.fromkeys((*old, *new)):
            was, is_ = old.get(place, _NOTHING), new.get(place, _NOTHING)
            if was != is_:
                yield f"{name}, {key}, {place}: was {_short(was)}, is {_short(is_)}"


def _keyed(lines: Sequence[Any]) -> dict[str, Any]:
    """Return the lines by key: the script's line, the entry's number, otherwise the position."""
    found: dict[str, Any] = {}
    for place, line in enumerate(lines, start=1):
        named = next(
            (f"{key} {line[key]}" for key in ("line", "seq", "name") if key in line), f"line {place} of the file"
        )
        found[named if named not in found else f"{named} ({place})"] = line
    return found


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]}…"

"""Scenario files in TOML or JSON, validated completely before they run; errors name the file and the line."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from companion.config.panel import PanelConfig
from companion.config.toml_lines import line_of
from companion.journal.durable import small_text
from companion.kernel.errors import BadScript, CompanionError
from companion.kernel.table import Header, Table
from companion.plugins.plugin import GamePlugin
from companion.plugins.registry import Games
from hardware.harness.steps import KINDS, Hang, Kill, Start, Step


class ScenarioError(CompanionError):
    """The scenario is invalid; the message names the file, the line and the problem."""


class Player(BaseModel):
    """A player of the scenario."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: Annotated[str, Field(min_length=1, max_length=40)]
    coins: Annotated[int, Field(ge=0)] = 100


class _File(BaseModel):
    """The file as parsed, except for the steps."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str
    about: str = ""
    game: str
    process: bool = False
    world: Literal["table", "pattern"] = "table"
    rigs: tuple[str, ...] = ("mock", "gpiosim", "loopback")
    taken: tuple[Annotated[int, Field(ge=0, le=53)], ...] = ()
    barred: bool = False
    players: tuple[Player, ...] = ()
    options: dict[str, JsonValue] = Field(default_factory=dict)
    panel: PanelConfig = PanelConfig()
    step: tuple[dict[str, JsonValue], ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class LocatedStep:
    """A step with its line number in the file."""

    step: Step
    line: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario.

    Attributes:
        process: whether the table must be a separate process, because the scenario kills it.
        rigs: names of the rigs that can run it.
        plugin: the game.
        world: the camera's view: the demo table, or (gpiosim) the test pattern of a camera that can be unplugged.
        taken: (gpiosim) pins that another program has claimed before the table starts.
        barred: (gpiosim) whether the table's user has no permission for the GPIO chip.
    """

    path: Path
    name: str
    about: str
    plugin: GamePlugin
    header: Header
    panel: PanelConfig
    process: bool
    rigs: tuple[str, ...]
    steps: tuple[LocatedStep, ...]
    world: Literal["table", "pattern"] = "table"
    taken: tuple[int, ...] = ()
    barred: bool = False


def find_scenarios(paths: Sequence[Path], games: Games) -> list[Path]:
    """Return the given files and the scenarios in the given folders; without paths, those of the installed games.

    Raises:
        ScenarioError: a path does not exist, or a folder has no scenarios.
    """
    found: list[Path] = []
    for path in paths or _bundled(games):
        inside = sorted(p for p in path.glob("*") if p.suffix in (".toml", ".json")) if path.is_dir() else [path]
        if not inside or not path.exists():
            raise ScenarioError(f"There is no scenario at {path}. Name a .toml or .json file, or a folder of them.")
        found += inside
    return found if paths else sorted(found, key=lambda path: path.name)


def _bundled(games: Games) -> Iterable[Path]:
    return dict.fromkeys(plugin.scenarios for plugin in games.values() if plugin.scenarios is not None)


def load_scenario(path: Path, games: Games) -> Scenario:
    """Read and validate a scenario.

    Raises:
        ScenarioError: it cannot be read or is invalid.
    """
    source = _Source(path)
    try:
        file = _File.model_validate(source.data)
    except ValidationError as error:
        raise source.error(*_first(error, _File)) from error
    steps = tuple(source.step(place, record) for place, record in enumerate(file.step))
    try:
        plugin = games.named(file.game)
        header = Header(plugin.rules, tuple((p.name, p.coins) for p in file.players), file.options)
        Table(Header.parse(header.to_json(), games))
    except BadScript as error:
        raise source.error(("game",), str(error)) from error
    _check_luck(header, source)
    _check_kills(file, steps, source)
    _check_chip(file, source)
    return Scenario(
        path, file.name, file.about, plugin, header, file.panel, file.process, file.rigs, steps, file.world, file.taken,
        file.barred,
    )  # fmt: skip


def _check_luck(header: Header, source: _Source) -> None:
    """Raise if an option is left to a random draw, because the scenario would then play differently each time."""
    drawn = header.rules.drawn(header.options, lambda _: 0)
    if drawn != header.options:
        raise source.error(("options",), f"{header.rules.title} begins with a lot. Say in the options how it falls.")


def _check_kills(file: _File, steps: Sequence[LocatedStep], source: _Source) -> None:
    for place, placed in enumerate(steps):
        if isinstance(placed.step, Kill | Start | Hang) and not file.process:
            raise source.error(("step", place), "only a process can be killed. Write process = true at the top.")


def _check_chip(file: _File, source: _Source) -> None:
    for key in ("taken", "barred"):
        if getattr(file, key) and file.rigs != ("gpiosim",):
            raise source.error((key,), 'only the kernel\'s chip can be had by others. Write rigs = ["gpiosim"].')


class _Source:
    """A file's text and parsed content, with line numbers for error messages."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.text = small_text(path)
        except OSError as error:
            raise ScenarioError(f"The scenario {path} cannot be read: {error.strerror}. Check the path.") from error
        except UnicodeDecodeError as error:
            raise ScenarioError(f"The scenario {path} is not UTF-8 text. Save it as UTF-8.") from error
        self.is_json = path.suffix == ".json"
        self.data = self._parse()

    def _parse(self) -> Any:
        try:
            return json.loads(self.text) if self.is_json else tomllib.loads(self.text)
        except json.JSONDecodeError as error:
            raise ScenarioError(f"{self.path}, line {error.lineno}: this is not JSON: {error.msg}.") from error
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"(.*) \(at line (\d+)", str(error))
            what, line = (found[1], found[2]) if found else (str(error), str(len(self.text.splitlines()) or 1))
            raise ScenarioError(f"{self.path}, line {line}: this is not TOML: {what}.") from error

    def step(self, place: int, record: Mapping[str, JsonValue]) -> LocatedStep:
        """Parse one step."""
        names = [key for key in record if key in KINDS]
        if len(names) != 1:
            raise self.error(("step", place, next(iter(record), "")), _which(record, names))
        kind = KINDS[names[0]]
        try:
            step = kind.model_validate(record)
        except ValidationError as error:
            key, what = _first(error, kind)
            raise self.error(("step", place, *key), what) from error
        return LocatedStep(step, self.line(("step", place)))

    def error(self, key: Sequence[str | int], what: str) -> ScenarioError:
        """Return the error about a key; in messages, steps are numbered from 1."""
        named = ".".join(str(part + 1) if isinstance(part, int) else part for part in key if part != "")
        return ScenarioError(f"{self.path}, line {self.line(key)}: {named}: {what}")

    def line(self, key: Sequence[str | int]) -> int:
        """Return the line number of a key, from 1."""
        if not self.is_json:
            return line_of(self.text, key)
        starts = list(_json_steps(self.text))
        place = key[1] if len(key) > 1 and key[0] == "step" else None
        offset = starts[place] if isinstance(place, int) and place < len(starts) else 0
        wanted = str(key[-1]) if not isinstance(place, int) or len(key) > 2 else ""
        at = self.text.find(f'"{wanted}"', offset) if wanted else offset
        return self.text.count("\n", 0, max(at, 0)) + 1


def _json_steps(text: str) -> Iterator[int]:
    """Yield the offset of each element of the "step" list."""
    begin = re.search(r'"step"\s*:\s*\[', text)
    at = begin.end() if begin else len(text)
    decoder = json.JSONDecoder()
    while (found := re.compile(r"[\s,]*").match(text, at)) and text[found.end() : found.end() + 1] not in ("]", ""):
        yield found.end()
        _, at = decoder.raw_decode(text, found.end())


def _which(record: Mapping[str, JsonValue], names: Sequence[str]) -> str:
    if names:
        return f"a step does one thing, this one says {' and '.join(names)}. Make steps of their own."
    unknown = next(iter(record), None)
    if unknown is None:
        return f"this step is empty. It says one of {', '.join(KINDS)}."
    near = difflib.get_close_matches(unknown, KINDS, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]!r}?" if near else f"Known steps: {', '.join(KINDS)}."
    return f"there is no such step. {hint}"


def _first(error: ValidationError, model: type[BaseModel]) -> tuple[tuple[str | int, ...], str]:
    """Return the key and the message of the first error."""
    wrong = error.errors(include_url=False)[0]
    key = wrong["loc"]
    if wrong["type"] == "extra_forbidden":
        near = difflib.get_close_matches(str(key[-1]), list(model.model_fields), n=1, cutoff=0.5)
        known = ", ".join(model.model_fields)
        return key, "there is no such key. " + (f"Did you mean {near[0]!r}?" if near else f"Known here: {known}.")
    if wrong["type"] == "missing":
        return key, "this is needed. Add it."
    seen = repr(wrong["input"])
    return key, f"{wrong['msg'].replace('Input should', 'this should')}, not {seen[:60]}. Correct it."

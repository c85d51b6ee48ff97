"""Plays a script at one table and records everything visible to people and programs."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import product

Json = dict[str, Any]
Line = Mapping[str, Any]

HERE: Final = Path(__file__).parent
FOLDERS: Final = (HERE.parent / "playthroughs", HERE / "scripts")
SCRIPTS: Final = {
    f"{path.parent.name}/{path.stem}": path for folder in FOLDERS for path in sorted(folder.glob("*/*.jsonl"))
}
"""``GAME/NAME`` -> file. Scripts here may continue after a refusal and press panel buttons; see the README."""
KINDS: Final = ("play", "panel", "refusals", "history", "entries", "journal")
"""Kinds of golden files per script; a new journal format changes the last one only."""
PROBES: Final = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (HERE / "probes").glob("*.json")}
"""Game -> commands that are tried, and undone if legal, whenever the legal commands change."""

ODDS_IN_FULL: Final = frozenset(
    {"roche/night_of_the_realm", "roche/odds_of_grand", "rugen-house/chain_day_own", "rugen-street/rules_example",
     "rugen-capital/alone_against_the_house"}
)  # fmt: skip
"""Scripts whose live odds are stored bet by bet; for others a digest is stored."""
_PLUMBING: Final = ("version", "head", "log")
"""Keys of a view with internal counters or unlimited growth: of `log`, only new lines are stored."""
IN_ALL_LANGUAGES: Final = frozenset(
    {"captains/stop", "roche/cut_prices", "rochi/last_hand", "rugen-capital/alone_against_the_house",
     "rugen-house/center_pays_by_the_half", "rugen-street/side_bets"}
)  # fmt: skip
"""Scripts whose pages are stored in every language, and the journal as CSV."""
_DIGEST: Final = 12
_HASH: Final = re.compile(r"\b[0-9a-f]{12,64}\b")


@dataclass
class Recording:
    """Recording of a script: the lines of each kind of file, and all displayed sentences."""

    lines: dict[str, list[Json]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    sentences: dict[str, list[str]] = field(default_factory=dict)
    """Displayed sentence -> its translations."""
    verbs_done: set[str] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)
    states: dict[str, list[Json]] = field(default_factory=dict)
    """Button actions -> header and commands that first lead to them."""


def read(path: Path) -> list[tuple[int, Json]]:
    """Return a script's objects with their line numbers."""
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    return [(number, json.loads(line)) for number, line in lines if line.strip() and not line.startswith("#")]


def record(name: str, house: product.House) -> Recording:
    """Play a script and return the recording."""
    (_, header), *steps = read(SCRIPTS[name])
    with house.table(header) as table:
        found = _Recorder(name, header, table)
        found.look("start")
        for number, step in steps:
            found.step(number, step)
        found.afterwards()
        return found.done


class _Recorder:
    """Records a table after each step."""

    def __init__(self, name: str, header: Json, table: product.Table) -> None:
        self._name, self._header, self._table = name, header, table
        self._accepted: list[Json] = []
        self._tried: set[Any] = set()
        self._is_plain = True
        self._before: dict[str, Json] = {}
        self._seq = 0
        self._views: dict[int, Json] = {}
        self._panel: Json = {}
        self._hashes: dict[str, str] = {}
        self.done = Recording()

    # ---- one step

    def step(self, number: int, step: Json) -> None:
        """Execute one line of a script."""
        self._table.at(number)
        step = dict(step)
        viewer = step.pop("as", "dealer")
        if "press" in step:
            self._table.panel.press(step["press"], step.get("hold_s", 0.1))
            self._is_plain = False
            self.look(number, {"press": step, "pressed": self._new_entries()})
            return
        if "restart" in step:
            self._header = self._header | step["restart"]
            self._is_plain = False
            self.look(number, {"restart": step["restart"], "refused": self._table.restart(self._header)})
            return
        answer = self._table.do(step, viewer)
        if "code" in answer:
            self.done.codes.add(answer["code"])
            self.done.sentences.setdefault(answer["message"], self._table.refused(step, viewer))
        else:
            self.done.verbs_done.add(step["do"])
            self._accepted.append(step)
        by = {} if viewer == "dealer" else {"as": viewer}
        self.look(number, {"do": step, **by, "answer": answer})

    def look(self, number: int | str, what: Json | None = None) -> None:
        """Record all viewers' views and the panel."""
        room = self._table.view("room")
        seats = [f"seat/{player['seat']}" for player in room["players"]]
        line: Json = {"line": number, **(what or {}), "log": self._log(room)}
        self._views[room["seq"]], self._phase = room, room["phase"]
        flat = flatten(self._cleaned(room))
        line["room"] = self._changes("room", flat)
        for viewer in ("dealer", *seats):
            view = self._table.view(viewer)
            more = {key: value for key, value in view.items() if key not in _PLUMBING and room.get(key) != value}
            more |= {"log": [x["text"] for x in view["log"] if x not in room["log"]]}
            if changes := self._changes(viewer, flatten(more)):
                line[viewer] = changes
            shown = list(shown_in(view))
            if all(said in self.done.sentences for said in shown):
                continue
            others = [shown_in(self._table.view(viewer, language)) for language in product.LANGUAGES]
            for said, *translated in zip(shown, *others, strict=True):
                self.done.sentences.setdefault(said, translated)
        self.done.lines["play"].append(line)
        self._look_at_panel(number)
        self._try(number, room)

    def _new_entries(self) -> list[Json]:
        """Return the new entries caused by a press."""
        entries = self._table.entries(self._seq)
        return [{key: entry[key] for key in ("source", "do", "record")} for entry in entries]

    def _try(self, number: int | str, room: Json) -> None:
        """Try illegal commands whenever the legal ones have changed."""
        state = (room["phase"], room["hold"] is None, *room["expected"])
        if state in self._tried or not self._probed:
            return
        self._tried.add(state)
        asked = PROBES[self._header["game"]]
        refused = product.refusal(self._header, self._accepted, asked)
        named = {json.dumps(probe): why for probe, why in zip(asked, refused, strict=True)}
        for why in refused:
            if why is not None:
                self.done.codes.add(why[0])
                self.done.sentences.setdefault(why[1], product.translated(why[1], self._header["game"]))
        if changed := self._changes("refusals", named):
            self.done.lines["refusals"].append({"line": number, **changed})

    @property
    def _probed(self) -> bool:
        """Whether the commands so far can be replayed from the start without pages and panel."""
        return self._is_plain and self._header["game"] in PROBES

    def _log(self, room: Json) -> list[str]:
        new = [f"{one['source']}: {one['text']}" for one in room["log"] if one["seq"] > self._seq]
        self._seq = room["seq"]
        return new

    def _cleaned(self, room: Json) -> Json:
        view = {key: value for key, value in room.items() if key not in _PLUMBING}
        sheet = sheet_shown(room["pay_sheet"])
        return view | {"odds": odds_shown(room["odds"], self._name in ODDS_IN_FULL), "pay_sheet": sheet}

    def _changes(self, viewer: str, flat: Json) -> Json:
        before, self._before[viewer] = self._before.get(viewer, {}), flat
        return changes(before, flat)

    def _look_at_panel(self, number: int | str) -> None:
        buttons = self._table.panel.buttons()
        meaning = " ".join([self._phase, *(f"{name}:{_meant(buttons[name]['act'])}" for name in sorted(buttons))])
        if self._is_plain:
            self.done.states.setdefault(meaning, [self._header, *self._accepted])
        flat = flatten(self._table.panel.look() | {"buttons": buttons})
        if changed := self._changes("panel", flat):
            self.done.lines["panel"].append({"line": number, **changed})

    # ---- after the script

    def afterwards(self) -> None:
        """Record the history's pages, receipts and charts, and the journal."""
        entries = [json.loads(line) for line in self._table.journal("json")]
        self._hashes = {entry["hash"]: f"<hash of {entry['seq']}>" for entry in entries}
        self._hashes[self._table.public_key()] = "<the house's key>"
        self.done.lines["entries"] = [self._with_names(product.said_by_entry(entry)) for entry in entries]
        self.done.lines["history"] = [self._with_names(line) for line in self._history(entries)]
        journal = self.done.lines["journal"]
        journal += [{key: entry[key] for key in ("seq", "key", "events", "hash")} for entry in entries]
        if self._name in IN_ALL_LANGUAGES:
            journal += [{"csv": line} for line in self._table.journal("csv")]
        journal.append({"verified": self._table.verified()})

    def _history(self, entries: Sequence[Json]) -> Iterator[Json]:
        table = self._table
        hands = table.get("hands?limit=100")["hands"]
        for summary in reversed(hands):
            hand = table.get(f"hands/{summary['id']}")
            yield {"hand": summary}
            yield from ({"step": self._step(step)} for step in hand["steps"])
            page = table.page_data(f"/history/{summary['session']}/{summary['number']}")
            yield {"moves drawn": {str(step["seq"]): step["moves"] for step in page["steps"] if step["moves"]}}
            if hand["receipt"] is not None:
                yield {"receipt": hand["receipt"]}
                yield {"receipt page": table.page(f"/history/{summary['session']}/{summary['number']}/receipt")}
        for path in ("hands.csv", "transfers.csv"):
            yield {path: table.get(path).splitlines()}
        for language in ("en", *product.LANGUAGES) if self._name in IN_ALL_LANGUAGES else ("en",):
            yield {f"history page, {language}": table.page("/history", language)}
        reasons = table.reasons()
        bets = [{"on": on, **chance} for on, chance in sorted(reasons["chances"].items())]
        yield {"reasons": reasons | {"chances": odds_shown(bets, self._name in IN_ALL_LANGUAGES)}}
        yield {"summary page": table.page(f"/history/session/{entries[-1]['session']}")}

    def _step(self, step: Json) -> Json:
        """Return a step of the history, with its view reduced to differences from the public page at that moment."""
        view, room = step.pop("view"), self._views.get(step["seq"], {})
        kept = {key: value for key, value in step.items() if value}
        if view is None:
            return kept | {"view": None}
        differs = changes(*(flatten({k: v.get(k) for k in view}) for v in (room, view)))
        return kept | ({"view differs": differs} if differs else {})

    def _with_names(self, line: Json) -> Json:
        """Return a line with journal hashes replaced by their entries' names."""
        text = _HASH.sub(self._name_of, json.dumps(line, ensure_ascii=False))
        return dict(json.loads(text))

    def _name_of(self, found: re.Match[str]) -> str:
        return next((name for whole, name in self._hashes.items() if whole.startswith(found[0])), found[0])


def _meant(act: str) -> str:
    """Return a short name of a button's action, without its arguments.

    >>> _meant('do {"do": "undo", "only": {"number": 3}}'), _meant("turn")
    ('do undo', 'turn')
    """
    kind, _, about = act.partition(" ")
    return f"{kind} {json.loads(about)['do']}" if about.startswith("{") and about.endswith("}") else kind


def odds_shown(odds: Sequence[Json], in_full: bool) -> Any:
    """Return bet -> odds, or a digest."""
    if not odds:
        return {}
    if not in_full:
        return hashlib.sha256(json.dumps(odds, sort_keys=True).encode()).hexdigest()[:_DIGEST]
    return {bet["on"]: " ".join(f"{k}={v}" for k, v in sorted(bet.items()) if k not in ("on", "float")) for bet in odds}


def sheet_shown(sheet: Line | None) -> Any:
    """Return a pay sheet as one line per step: recipient, amount, chips and origin."""
    if sheet is None:
        return None
    steps = {f"steps {place}": _step_shown(step) for place, step in enumerate(sheet["steps"], start=1)}
    return {key: value for key, value in sheet.items() if key != "steps"} | steps


def _step_shown(step: Line) -> str:
    chips, own = ("+".join(f"{p['count']}x{p['value']}" for p in step[name]) for name in ("chips", "own_chips"))
    parts = [f"{part['at']} {part['coins']}" + (f" ({part['on']})" if part["on"] else "") for part in step["parts"]]
    tick = "" if step["can_tick"] else ", no tick"
    return f"{step['key']} {step['coins']} = {chips or 0}, own {own or 0}{tick}: {', '.join(parts)}"


# ---- sentences


def shown_in(view: Line) -> Iterator[str]:
    """Yield all sentences of a view for people."""
    for key in ("prompt", "practice", "hold", "undo", "redo", "trouble"):
        if isinstance(view.get(key), str):
            yield view[key]
    yield from view["reasons"].values()
    yield from (line["text"] for line in view["log"])
    yield from (payment["why"] for payment in view["payments"])
    yield from (step["says"] for step in (view["pay_sheet"] or {"steps": ()})["steps"])
    for question in view.get("questions", ()):
        yield from (question["text"], *(choice["label"] for choice in question["choices"]))


# ---- flat views


def flatten(value: Any, path: str = "") -> Json:
    """Return nested objects and lists as ``{path: value}``; lists of plain values are kept.

    >>> flatten({"a": {"b": 1, "c": [1, 2]}, "d": [{"e": 2}], "f": {}})
    {'a.b': 1, 'a.c': [1, 2], 'd.0.e': 2, 'f': {}}
    """
    if isinstance(value, dict) and value:
        parts = [(f"{path}.{key}" if path else str(key), inner) for key, inner in value.items()]
    elif isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
        parts = [(f"{path}.{place}", inner) for place, inner in enumerate(value)]
    else:
        return {path: value}
    return {key: leaf for at, inner in parts for key, leaf in flatten(inner, at).items()}


GONE: Final = "(gone)"


def changes(before: Line, after: Line) -> Json:
    """Return the new, changed and removed keys of a flat view.

    >>> changes({"a": 1, "b": 2}, {"a": 1, "c": 3})
    {'c': 3, '(gone)': ['b']}
    """
    found = {key: value for key, value in after.items() if key not in before or before[key] != value}
    gone = sorted(key for key in before if key not in after)
    return found | ({GONE: gone} if gone else {})

"""Immutable snapshots of the table for other threads, and the views derived from them."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NotRequired, cast

from typing_extensions import TypedDict

from companion.journal.evening import Evening
from companion.journal.hash_chain import Entry, Kind, sentences
from companion.journal.trust.guard import State, Trouble
from companion.kernel.messages import Words, in_words_of, message
from companion.kernel.shared.banked import LimitsJson
from companion.kernel.situation import Situation
from companion.kernel.table import PlayerJson, TableView
from companion.odds.bet_odds import OddsJson
from companion.odds.exposure import RiskJson, closed_spots, risk_of
from companion.service.clocks.tonight import TonightJson
from companion.service.night import NightJson
from companion.service.paying.due import STAYS_OPEN
from companion.service.paying.ticks import tick_of
from companion.service.questions import QuestionJson
from companion.service.view_extensions import ViewContext, ViewExtensions, view_extensions

LOG_LENGTH: Final = 30
NOTICES_KEPT: Final = 20


class CameraJson(TypedDict):
    """The state of the camera."""

    status: str
    "``ok``, ``poor``, ``lost``, ``ended`` or ``none``."
    text: Words
    name: str


class LogLine(TypedDict):
    """A sentence of the log, with the journal entry that it comes from."""

    seq: int
    at: str
    source: str
    kind: Kind
    private: NotRequired[bool]
    "Shown to the dealer only; left out if false."
    text: Words


class Notice(LogLine):
    """A notice, with its data."""

    data: Mapping[str, object]


class SittingJson(TypedDict):
    """One of the evening's sessions."""

    session: int
    game: str


class JournalJson(TypedDict):
    """The trouble because of which nothing can be saved, and so no command is accepted."""

    state: State
    text: Words
    can_accept: bool
    "Whether the owner can accept it with `accept-loss`; otherwise its cause must be fixed."
    first: NotRequired[int]
    "The first missing entry, if known."
    last: NotRequired[int]
    "The last entry concerned, if known."


class FloorJson(TypedDict):
    """The state of the connection to the house's floor."""

    status: str
    "``ok``, ``behind``, ``cut-off`` or ``trouble``."
    text: Words
    behind: int
    "Number of journal entries that the floor does not have yet."
    name: str
    "The floor's name for this table."
    prices: NotRequired[Words]
    "Message about the floor's prices: new ones wait for the next round, or cannot be used here."
    dealer: NotRequired[str]
    "The dealer on duty."


class RoomView(TableView, ViewExtensions):
    """The table as one viewer may see it: the room, the dealer or a seat."""

    seq: int
    "Seq of the journal's latest entry."
    version: int
    "Increases with every visible change."
    session: int
    evening: list[SittingJson]
    "This evening's sessions up to the current one: the same players and coins, game after game."
    house_evening: int
    "The bank's net gain this evening, earlier games included."
    night: NightJson | None
    "The night's schedule, or null."
    head: str
    "The journal's latest hash."
    odds: list[OddsJson]
    "Probability, price and house edge of every bet in this round, or in the next once this one is decided."
    log: list[LogLine]
    camera: CameraJson
    trouble: Words | None
    "Why nothing can be saved, or null."
    journal: NotRequired[JournalJson]
    "The same, for programs; left out without trouble."
    questions: NotRequired[list[QuestionJson]]
    "For the dealer: the open questions."
    notices: NotRequired[list[Notice]]
    "For the dealer."
    sight: NotRequired[Mapping[str, object]]
    "For the dealer: the camera's measurements."
    intention: NotRequired[str | None]
    "For the dealer: what the next card was declared to be, ``play`` or ``deal``."
    risk: NotRequired[RiskJson | None]
    "For the dealer."
    limits: NotRequired[LimitsJson]
    closed_spots: NotRequired[list[str]]
    "Spots that take no bet, because even the minimum could win more than the limits allow; left out if none."
    floor: NotRequired[FloorJson]
    "For the dealer; left out at a table that belongs to no floor."
    demo: NotRequired[bool]
    "For the dealer: whether the players are simulated; left out at a real table."
    demo_plays: NotRequired[bool]
    "For the room and the dealer: true while the demo deals automatically; else left out."
    usual_buy_in: NotRequired[int]
    "For the dealer: the coins with which a player usually comes to this game."
    tonight: NotRequired[dict[str, TonightJson]]
    "For the dealer, each player's evening; for a seat, its own player's."
    remind_minutes: NotRequired[int]
    "For a seat: minutes of play after which it reminds the player how long they have played; 0 for never."
    you: NotRequired[PlayerJson | None]
    "For a seat: its player, or null."
    secrets: NotRequired[Mapping[str, object]]
    "For a seat: what only its player may see, in the game's own format."


@dataclass(frozen=True, slots=True)
class Camera:
    """The camera's status: ``ok``, ``poor``, ``lost``, ``ended`` or ``none``, and a sentence about it."""

    status: str = "none"
    text: str = message("No camera")
    name: str = ""

    def to_json(self) -> CameraJson:
        return {"status": self.status, "text": self.text, "name": self.name}


@dataclass(frozen=True, slots=True)
class FloorLink:
    """The state of the connection to the house's floor; see `FloorJson`."""

    status: str
    text: Words
    behind: int
    name: str

    def to_json(self) -> FloorJson:
        return {"status": self.status, "text": self.text, "behind": self.behind, "name": self.name}


@dataclass(frozen=True, slots=True)
class FloorNews:
    """The floor's news for this table.

    Attributes:
        prices: message to the dealer about the floor's prices.
        refused: why the latest prices cannot be used here, for the pit.
        dealer: the dealer on duty.
    """

    prices: Words | None = None
    refused: Words | None = None
    dealer: str | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything visible at one version. ``table`` is the object that `Table.view` returned; it is never modified.

    ``log`` is the dealer's; ``public_log`` is without private notices.
    """

    version: int
    session: int
    seq: int
    head: str
    table: TableView
    situation: Situation
    log: tuple[LogLine, ...] = ()
    public_log: tuple[LogLine, ...] = ()
    notices: tuple[Notice, ...] = ()
    questions: tuple[QuestionJson, ...] = ()
    camera: Camera = field(default_factory=Camera)
    sight: Mapping[str, object] = field(default_factory=dict)
    intention: str | None = None
    floor: FloorLink | None = None
    floor_news: FloorNews = FloorNews()
    trouble: str | None = None
    held: Trouble | None = None
    "Why nothing can be saved."
    evening: Evening = ()
    night: NightJson | None = None
    has_demo: bool = False
    demo_plays: bool = False
    "Whether the demo deals automatically."
    context: ViewContext = field(default_factory=ViewContext)

    @property
    def state(self) -> Any:
        """The game's state."""
        return self.situation.state

    @property
    def now(self) -> Situation:
        """The situation to act on: without the verbs that have to wait for payments."""
        if self.context.waits_for is None:
            return self.situation
        return replace(self.situation, expected=self.situation.expected & STAYS_OPEN)


class Lines(TypedDict):
    """A `Snapshot`'s fields that come from the log."""

    log: tuple[LogLine, ...]
    public_log: tuple[LogLine, ...]
    notices: tuple[Notice, ...]


class Log:
    """The journal's latest sentences and notices."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._all: deque[LogLine] = deque(maxlen=LOG_LENGTH)
        self._public: deque[LogLine] = deque(maxlen=LOG_LENGTH)
        self._notices: deque[Notice] = deque(maxlen=NOTICES_KEPT)
        self.add(entries)

    def add(self, entries: Iterable[Entry]) -> None:
        """Add entries, except ticks, which the pay sheet shows."""
        for entry in entries:
            if tick_of(entry) is not None:
                continue
            whole = entry.to_json()
            record = whole["record"]
            is_private = entry.kind == "notice" and bool(record.get("private"))
            lines = [_line(entry, text, is_private) for text in sentences(whole)]
            self._all += lines
            self._public += [] if is_private else lines
            if entry.kind == "notice":
                self._notices.append({**_line(entry, record["text"], is_private), "data": record.get("data") or {}})

    def shown(self) -> Lines:
        """Return its fields of a `Snapshot`, each with the newest last."""
        return {"log": tuple(self._all), "public_log": tuple(self._public), "notices": tuple(self._notices)}


def _line(entry: Entry, text: Words, is_private: bool) -> LogLine:
    line: LogLine = {"seq": entry.seq, "at": entry.at, "source": entry.source, "kind": entry.kind, "text": text}
    return {**line, "private": True} if is_private else line


def journal_json(trouble: Trouble) -> JournalJson:
    """Return journal trouble for pages and programs."""
    result: JournalJson = {"state": trouble.state, "text": trouble.text, "can_accept": trouble.can_accept}
    if trouble.first is not None:
        result["first"] = trouble.first
    if trouble.last is not None:
        result["last"] = trouble.last
    return result


def view_of(snapshot: Snapshot, viewer: str, odds: list[OddsJson], closed: Sequence[str] = ()) -> RoomView:
    """Return the view of ``room``, ``dealer`` or a seat such as ``seat/3``.

    Args:
        odds: the public odds of the bets.
        closed: the spots that take no bet.
    """
    shown = {
        **snapshot.table,
        **view_extensions(snapshot.table, snapshot.state, snapshot.context),
        "seq": snapshot.seq,
        "version": snapshot.version,
        "session": snapshot.session,
        "evening": [{"session": one.session, "game": one.game} for one in snapshot.evening],
        "house_evening": snapshot.context.house_before + snapshot.table["house"],
        "night": snapshot.night,
        "head": snapshot.head,
        "odds": odds,
        "log": list(snapshot.public_log),
        "camera": snapshot.camera.to_json(),
        "trouble": snapshot.trouble,
    }
    view = cast(RoomView, shown)
    if (waits_for := snapshot.context.waits_for) is not None:
        why = waits_for.why
        view["reasons"] = {verb: why for verb in view["expected"] if verb not in STAYS_OPEN} | view["reasons"]
        view["expected"] = sorted(snapshot.now.expected)
    if snapshot.held is not None:
        view["journal"] = journal_json(snapshot.held)
    if closed:
        view["closed_spots"] = list(closed)
    kind, _, number = viewer.partition("/")
    if kind != "seat" and snapshot.demo_plays:
        view["demo_plays"] = True
    if kind == "dealer":
        view["questions"], view["notices"] = list(snapshot.questions), list(snapshot.notices)
        view["log"] = list(snapshot.log)
        view["sight"], view["intention"] = dict(snapshot.sight), snapshot.intention
        house = snapshot.context.house_state(snapshot.state)
        view["risk"] = (
            risk_of(house, snapshot.context.ledger, snapshot.context.house_before) if house is not None else None
        )
        if snapshot.floor is not None:
            view["floor"] = _floor_json(snapshot.floor, snapshot.floor_news)
        view["tonight"] = snapshot.context.tonight_of(player["name"] for player in snapshot.table["players"])
        view["usual_buy_in"] = snapshot.situation.rules.usual_buy_in(snapshot.state)
        if snapshot.has_demo:
            view["demo"] = True
        if house is not None:
            view.setdefault("limits", house.rules.limits.to_json())
    if kind == "seat":
        view["you"] = next((p for p in snapshot.table["players"] if str(p["seat"]) == number), None)
        view["tonight"] = snapshot.context.tonight_of([view["you"]["name"]] if view["you"] else [])
        view["remind_minutes"] = snapshot.context.settings.remind_minutes
        if view["you"] and (own := snapshot.situation.rules.private(snapshot.state, view["you"]["name"])):
            view["secrets"] = own
    return view


class Views:
    """Caches views: each is built once per version, by the first reader's thread rather than the table's own.

    Args:
        translate: translates a message into a language.
    """

    def __init__(self, translate: Callable[[str, str], str]) -> None:
        self._translate = translate
        self._lock = threading.Lock()
        self._version = -1
        self._odds: list[OddsJson] = []
        self._closed: Sequence[str] = ()
        self._made: dict[str, RoomView] = {}
        self._written: dict[tuple[str, str], bytes] = {}

    def get(self, snapshot: Snapshot, viewer: str) -> RoomView:
        """Return the view. It is shared: never modify it."""
        with self._lock:
            return self._get(snapshot, viewer)

    def written(self, snapshot: Snapshot, viewer: str, language: str) -> bytes:
        """Return the view as JSON, with its messages translated into a language."""
        with self._lock:
            view, known = self._get(snapshot, viewer), (viewer, language)
            if known not in self._written:
                local = in_words_of(view, lambda text: self._translate(text, language)) if language != "en" else view
                text = json.dumps(local, separators=(",", ":"), ensure_ascii=False)
                self._written[known] = text.encode(errors="backslashreplace")
            return self._written[known]

    def _get(self, snapshot: Snapshot, viewer: str) -> RoomView:
        if snapshot.version != self._version:
            house = snapshot.context.house_state(snapshot.state)
            self._odds = snapshot.context.odds.shown(snapshot.state)
            self._closed = () if house is None else closed_spots(house)
            self._version, self._made, self._written = snapshot.version, {}, {}
        if viewer not in self._made:
            self._made[viewer] = view_of(snapshot, viewer, self._odds, self._closed)
        return self._made[viewer]


def _floor_json(link: FloorLink, news: FloorNews) -> FloorJson:
    result = link.to_json()
    if news.prices is not None:
        result["prices"] = news.prices
    if news.dealer is not None:
        result["dealer"] = news.dealer
    return result

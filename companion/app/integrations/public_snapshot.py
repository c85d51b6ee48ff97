"""The table's public state for integrations: small JSON objects of what everybody at the table may see.

Each consists of named fields, never of a whole view, so that fields a game adds later are not published by accident.
No cards, odds or codes, and nothing that only the dealer or one player sees.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from typing_extensions import TypedDict

from companion.journal.trust.guard import State
from companion.kernel.messages import Words
from companion.kernel.table import PlayerJson
from companion.service.questions import QuestionJson
from companion.service.snapshot import RoomView

MB: Final = 1_000_000
FULL_MB: Final = 100
"""Free space below which commands may soon not be saved."""
DISK_STEP_MB: Final = 100
"""Resolution of reported free space, so that not every journal entry changes it."""
UNNOTICED_S: Final = 2.0
"""Lag of the table thread that is not reported; it loops twice a second."""
LOST: Final = ("lost", "ended")
"""Camera states in which frames are missing."""
_BETS: Final = frozenset({"bet", "take-back"})
"""Verbs that games with a betting phase have."""


class StateJson(TypedDict):
    """State of play: game, players and coins."""

    table: str
    game: str
    session: int
    "Number of the session in the journal; changes with the game or its options."
    seq: int
    "The latest entry of the journal."
    rounds: int
    "Rounds decided in this session."
    phase: str
    "The game's own name of its phase; `hold` says whether the table is on hold."
    turn: str | None
    hold: Words | None
    "Why the table is on hold; null if it is not."
    players: list[PlayerJson]
    pots: dict[str, int]
    staked: int
    "Coins on undecided bets."
    house: int
    "The bank's net gain in this session."
    in_play: int
    "Coins on undecided bets and in pots."
    on_table: int
    "`in_play` plus the players' coins."


class BetsJson(TypedDict):
    """Whether bets are accepted."""

    open: bool | None
    "Null in a game without a betting phase."
    since: str


class AskedJson(TypedDict):
    """Whether questions wait for the dealer. Their texts are for the dealer only."""

    waiting: bool
    count: int
    kind: str | None
    "Kind of the first one: `duplicate`, `unsure`, `vanished` and so on."
    blocks: bool
    "Whether cards read by the camera are held back until it is answered."
    since: str | None


class HealthJson(TypedDict):
    """Health of the table's machine."""

    camera: str
    "`ok`, `poor`, `lost`, `ended` (a film) or `none`."
    panel: Literal["ok", "trouble", "none"]
    disk: Literal["ok", "low", "full"]
    disk_free_mb: int
    "Rounded down to whole hundreds."
    journal: State | Literal["ok"]
    "Why nothing can be saved, or `ok`."
    behind_s: int
    "Seconds since the table thread's last loop iteration; 0 while it keeps up."


class AlarmJson(TypedDict):
    """Active alarms."""

    count: int
    alarms: dict[str, str]
    "Kind -> start time: `question`, `camera`, `hold`, `payout`, `disk`, `journal`, `table`."


@dataclass(frozen=True, slots=True)
class Machine:
    """Measurements of the machine.

    Attributes:
        troubles: of the panel; None if there is none.
        free_bytes: on the disk of the data directory.
        behind_s: since the table thread's last loop iteration.
    """

    troubles: Sequence[str] | None
    free_bytes: int
    behind_s: float


@dataclass(frozen=True, slots=True)
class PublicSnapshot:
    """A table's complete public state.

    Attributes:
        held: why it is on hold, untranslated; `state` has it in the house's language.
    """

    state: StateJson
    bets: BetsJson
    question: AskedJson
    health: HealthJson
    alarm: AlarmJson
    held: str | None = None

    def parts(self) -> dict[str, Mapping[str, object]]:
        """Return each object by name."""
        return {
            "state": {**self.state}, "bets": {**self.bets}, "question": {**self.question},
            "health": {**self.health}, "alarm": {**self.alarm},
        }  # fmt: skip


def state_json(table: str, view: RoomView) -> StateJson:
    """Return the state of play from the room's view (or the room's part of the dealer's view).

    Coins that a player has put aside count as on the table.
    """
    players = [
        PlayerJson(seat=one["seat"], name=one["name"], coins=one["coins"] + one.get("aside", 0), staked=one["staked"])
        for one in view["players"]
    ]
    in_play = view["staked"] + sum(view["pots"].values())
    return {
        "table": table, "game": view["game"], "session": view["session"], "seq": view["seq"],
        "rounds": view["rounds"], "phase": view["phase"], "turn": view.get("turn"), "hold": view["hold"],
        "players": players, "pots": dict(view["pots"]), "staked": view["staked"], "house": view["house"],
        "in_play": in_play, "on_table": in_play + sum(one["coins"] for one in players),
    }  # fmt: skip


def bets_open(view: RoomView, verbs: Collection[str]) -> bool | None:
    """Return whether bets are accepted; None in a game without a betting phase.

    Args:
        verbs: all verbs of the game.
    """
    return "bet" in view["expected"] if _BETS.issubset(verbs) else None


def asked_json(questions: Sequence[QuestionJson], since: str | None) -> AskedJson:
    """Return whether questions wait for the dealer.

    Args:
        since: start of the longest wait.
    """
    first = questions[0] if questions else None
    return {
        "waiting": first is not None,
        "count": len(questions),
        "kind": None if first is None else first["kind"],
        "blocks": any(one["blocks"] for one in questions),
        "since": since,
    }


def health_json(view: RoomView, machine: Machine, least_mb: int) -> HealthJson:
    """Return the machine's health.

    Args:
        least_mb: free space below which the disk counts as low.
    """
    free_mb = machine.free_bytes // MB
    held = view.get("journal")
    panel: Literal["ok", "trouble", "none"] = "none"
    if machine.troubles is not None:
        panel = "trouble" if machine.troubles else "ok"
    return {
        "camera": view["camera"]["status"],
        "panel": panel,
        "disk": "full" if free_mb < FULL_MB else "low" if free_mb < least_mb else "ok",
        "disk_free_mb": free_mb - free_mb % DISK_STEP_MB,
        "journal": "ok" if held is None else held["state"],
        "behind_s": int(machine.behind_s) if machine.behind_s >= UNNOTICED_S else 0,
    }


class Instant(NamedTuple):
    """A point in time by two clocks: wall clock seconds since 1970, and monotonic seconds."""

    wall_s: float
    monotonic_s: float


class ChangeTimes:
    """Tracks since when each of several values has been unchanged."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[object, Instant]] = {}

    def of(self, name: str, value: object, now: Instant) -> Instant:
        """Return since when a value has been the same: now, if it differs from the last call.

        >>> since = ChangeTimes()
        >>> [since.of("bets", value, Instant(now, now)).wall_s for value, now in ((1, 3.0), (1, 4.0), (0, 5.0))]
        [3.0, 3.0, 5.0]
        """
        before = self._known.get(name)
        if before is None or before[0] != value:
            self._known[name] = before = (value, now)
        return before[1]


class WaitTimes:
    """Tracks since when each of several things has been waiting."""

    def __init__(self) -> None:
        self._known: dict[str, Instant] = {}

    def oldest(self, names: Collection[str], now: Instant) -> Instant | None:
        """Return since when the longest waiting of these has waited; None if there are none.

        >>> waiting = WaitTimes()
        >>> looks = (("ab", 1), ("bc", 2), ("c", 3), ("", 4))
        >>> [since and since.monotonic_s for since in (waiting.oldest(names, Instant(at, at)) for names, at in looks)]
        [1, 1, 2, None]
        """
        self._known = {name: self._known.get(name, now) for name in names}
        return min(self._known.values(), key=lambda since: since.monotonic_s, default=None)

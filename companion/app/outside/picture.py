"""The table's public picture as others are told it: small JSON objects of what everybody at the table may see.

Each is made of named fields, never of a whole view: what a game adds to its view tomorrow does not leave the house by
itself. No cards, no odds, no codes, and nothing that only the dealer or one player sees.
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
"""With less than this free no command may be saved soon."""
DISK_STEP_MB: Final = 100
"""Free room is told in such steps: not every entry of the journal is news."""
UNNOTICED_S: Final = 2.0
"""The table's thread comes round twice a second; what is less late than this is not told."""
LOST: Final = ("lost", "ended")
"""The camera's states without a picture, where there should be one."""
_BETS: Final = frozenset({"bet", "take-back"})
"""The verbs of games in which bets are placed, and taken back, until they are closed."""


class StateJson(TypedDict):
    """What is played, by whom, and where the coins are."""

    table: str
    game: str
    session: int
    "Counts the games of the journal: another number, another game or other options."
    seq: int
    "The latest entry of the journal."
    rounds: int
    "How many rounds of this session are decided."
    phase: str
    "As the game calls it; `hold` says whether the table is on hold."
    turn: str | None
    hold: Words | None
    "Why the table is on hold; null while it is not."
    players: list[PlayerJson]
    pots: dict[str, int]
    staked: int
    "Coins on undecided bets."
    house: int
    "The bank's net gain in this session."
    in_play: int
    "Coins on undecided bets and in pots."
    on_table: int
    "The same, and what the players have."


class BetsJson(TypedDict):
    """Whether bets are taken."""

    open: bool | None
    "Null in a game in which no bets are placed on the table."
    since: str


class AskedJson(TypedDict):
    """Whether a question waits for the dealer. What it says is for the dealer alone."""

    waiting: bool
    count: int
    kind: str | None
    "Of the first one, in one word: `duplicate`, `unsure`, `vanished` and so on."
    blocks: bool
    "Whether cards read by the camera wait for an answer."
    since: str | None


class HealthJson(TypedDict):
    """How the table's machine fares."""

    camera: str
    "`ok`, `poor`, `lost`, `ended` (a film) or `none`."
    panel: Literal["ok", "trouble", "none"]
    disk: Literal["ok", "low", "full"]
    disk_free_mb: int
    "In whole hundreds."
    journal: State | Literal["ok"]
    "Why nothing can be saved."
    behind_s: int
    "How long ago the table's thread came round last; 0 while it keeps up."


class AlarmJson(TypedDict):
    """The alarms that are on."""

    count: int
    alarms: dict[str, str]
    "Kind -> since when: `question`, `camera`, `hold`, `payout`, `disk`, `journal`, `table`."


@dataclass(frozen=True, slots=True)
class Machine:
    """What is measured of the machine.

    Attributes:
        troubles: of the panel; None where there is none.
        free_bytes: on the disk of the data directory.
        behind_s: since the table's thread came round.
    """

    troubles: Sequence[str] | None
    free_bytes: int
    behind_s: float


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything that is told of a table at one moment.

    Attributes:
        held: why it is on hold, as the table keeps it: `state` has it in the house's language.
    """

    state: StateJson
    bets: BetsJson
    question: AskedJson
    health: HealthJson
    alarm: AlarmJson
    held: str | None = None

    def parts(self) -> dict[str, Mapping[str, object]]:
        """Return each object by its name."""
        return {
            "state": {**self.state}, "bets": {**self.bets}, "question": {**self.question},
            "health": {**self.health}, "alarm": {**self.alarm},
        }  # fmt: skip


def state_json(table: str, view: RoomView) -> StateJson:
    """Return what is played, from the view of the room (or the dealer's, of which only the room's part is read).

    What a player has put aside is on the table, too.
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
    """Return whether bets are taken now; None in a game in which none are placed.

    Args:
        verbs: all verbs of the game.
    """
    return "bet" in view["expected"] if _BETS.issubset(verbs) else None


def asked_json(questions: Sequence[QuestionJson], since: str | None) -> AskedJson:
    """Return whether the dealer is asked something.

    Args:
        since: when the question began to wait that has waited longest.
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
    """Return how the machine fares.

    Args:
        least_mb: with less room the disk is low.
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
    """A moment by two clocks: what it was called, in seconds since 1970, and seconds that nobody sets."""

    called: float
    passed: float


class Since:
    """Remembers since when each of some things is as it is."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[object, Instant]] = {}

    def of(self, name: str, value: object, now: Instant) -> Instant:
        """Return since when a thing has this value: now, if it had another at the last look.

        >>> since = Since()
        >>> [since.of("bets", value, Instant(now, now)).called for value, now in ((1, 3.0), (1, 4.0), (0, 5.0))]
        [3.0, 3.0, 5.0]
        """
        before = self._known.get(name)
        if before is None or before[0] != value:
            self._known[name] = before = (value, now)
        return before[1]


class Waiting:
    """Remembers since when each of several things has been waiting."""

    def __init__(self) -> None:
        self._known: dict[str, Instant] = {}

    def oldest(self, names: Collection[str], now: Instant) -> Instant | None:
        """Return since when the first of those has waited that wait now; None where none does.

        >>> waiting = Waiting()
        >>> looks = (("ab", 1), ("bc", 2), ("c", 3), ("", 4))
        >>> [since and since.passed for since in (waiting.oldest(names, Instant(at, at)) for names, at in looks)]
        [1, 1, 2, None]
        """
        self._known = {name: self._known.get(name, now) for name in names}
        return min(self._known.values(), key=lambda since: since.passed, default=None)

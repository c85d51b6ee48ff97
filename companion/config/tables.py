"""Configuration tables common to all games; `companion.config.games` adds each game's own."""

from datetime import time
from itertools import pairwise
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from companion.config.integrations import AlarmsConfig, MqttConfig, WebhookConfig
from companion.config.panel import PanelConfig
from companion.kernel.shared.banked import proposed
from companion.service.night import Planned
from companion.service.settings import CHIPS, TableSettings

_MOST: Final = 10**12

BANK: Final = 2000
"""The default bank: twenty times the usual buy-in of 100 coins."""

Tilt = Annotated[float, Field(ge=0, le=35)]
Direction = Annotated[float, Field(ge=0, lt=360)]
MIN_VIEW_DEG: Final = 20
MAX_VIEW_DEG: Final = 130
"""The range of horizontal angles of view of rectilinear lenses."""
Share = Annotated[float, Field(ge=0, le=1)]
"""A fraction of the picture's width or height."""

Coins = Annotated[int, Field(ge=1, le=_MOST)]


class Part(BaseModel):
    """Base of the file's tables: frozen, strict about types, no unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class DieConfig(Part):
    """``[die]``: the die in use, the tray's region of the picture, and the camera's axis.

    Attributes:
        kind: ``auto`` accepts both a d20 and a Rugen die.
        zone: the tray, as fractions of the picture: left, top, width, height. None: the whole picture.
        camera: a separate camera for the tray, named like the table's; None: the table's camera.
        axis: the camera's axis, if it does not point straight down: the tilt from the vertical in degrees, and the
            camera's direction from the tray in the picture, 0 for right, 90 for up. ``mat``, or None with the table's
            camera: from the calibrated mat, so recalibrate after moving the camera. A wrong axis causes wrong values.
            If the axis is unknown, dice that may be seen obliquely are not read.
        view: the camera's horizontal angle of view in degrees. With the axis, it gives the viewing angle of dice away
            from the picture's center. Raspberry Pi camera modules have 54, 62 and 66, wide ones 102. None: from the
            calibrated mat, else 55.
    """

    kind: Literal["auto", "d20", "rugen"] = "auto"
    zone: Annotated[tuple[Share, Share, Share, Share], Field(strict=False)] | None = None
    camera: str | None = None
    axis: Literal["mat"] | Annotated[tuple[Tilt, Direction], Field(strict=False)] | None = None
    view: Annotated[float, Field(ge=MIN_VIEW_DEG, le=MAX_VIEW_DEG)] | None = None

    @property
    def kinds(self) -> tuple[Literal["d20", "rugen"], ...]:
        """The kinds of dice that are read."""
        return ("d20", "rugen") if self.kind == "auto" else (self.kind,)

    @model_validator(mode="after")
    def _check_zone(self) -> Self:
        if self.zone is not None:
            left, top, width, height = self.zone
            if width < 0.05 or height < 0.05 or left + width > 1.001 or top + height > 1.001:
                raise ValueError(
                    "zone is left, top, width, height as shares of the picture, such as [0.1, 0.1, 0.8, 0.8]"
                )
        if self.axis == "mat" and self.camera is not None:
            raise ValueError("a tray's own camera looks at it otherwise than the table's looks at the mat: set axis to "
                             "degrees off the vertical and a direction, such as [25, 270]")  # fmt: skip
        return self


DeckId = Annotated[str, Field(pattern=r"^[A-Z0-9]{4}$")]


class TableConfig(Part):
    """``[table]``: the game and its limits in coins; `companion.config.games` adds the options that games share."""

    game: str = ""
    deck_id: DeckId | None = None
    shoe: Annotated[tuple[DeckId, ...], Field(strict=False)] = ()
    "The decks in a shoe; empty for `deck_id` alone."
    bank: Annotated[int, Field(ge=0, le=_MOST)] = BANK
    "The most that all bets of a round can win together; 0 for no limit."
    min: Coins | None = None
    max: Coins | None = None
    cap: Coins | None = None
    verify: Literal["strict", "relaxed"] = "strict"
    turn_seconds: Annotated[int, Field(ge=5, le=3600)] | None = None
    chances: bool = False
    practice: bool = False
    wait_for_payments: bool = False
    "Whether play waits until the dealer has ticked off every payout of a decision."

    def limits(self) -> dict[str, int]:
        """Return a banked game's limits as header options; those not set derive from the bank."""
        own = {"min": self.min, "max": self.max, "cap": self.cap}
        if self.bank:
            share = proposed(self.bank, self.min)
            own |= {"max": self.max or share, "cap": self.cap or share, "bank": self.bank}
        return {key: coins for key, coins in own.items() if coins is not None}

    def shared(self, option: str) -> Any:
        """Return an option shared by games; None if no installed game has it."""
        return getattr(self, option, None)


class PlayerConfig(Part):
    """``[[players]]``: the players of a new journal."""

    name: Annotated[str, Field(min_length=1, max_length=40, pattern=r"^\S(.*\S)?$")]
    coins: Annotated[int, Field(ge=0, le=_MOST)] = 0


class CameraConfig(Part):
    """``[camera]``: the picture source, its size in pixels and frame rate."""

    source: str = "auto"
    width: Annotated[int, Field(ge=320, le=8192)] = 1920
    height: Annotated[int, Field(ge=240, le=8192)] = 1080
    fps: Annotated[int, Field(ge=1, le=120)] = 30


Language = Literal["auto", "en", "de", "es"]
"""``auto``: each browser's preference; for the voice, the room's language, else English."""


class WebConfig(Part):
    """``[web]``: the dashboard's address, and the language of the room's screen."""

    host: str = "0.0.0.0"
    port: Annotated[int, Field(ge=1, le=65535)] = 8080
    language: Language = "auto"
    names: list[Annotated[str, Field(min_length=1, max_length=253)]] = Field(default_factory=list)
    "Additional host names of the pages; this machine's own name and addresses are always accepted."
    https: bool = True
    "Off: pages are served over plain HTTP only."
    spectator_delay: Annotated[int, Field(ge=0, le=600)] = 0
    "Delay in seconds of /watch and /overlay."
    push: bool = False
    "Push notifications to phones that subscribed to them, such as for their turn. Needs internet access."


class VoiceConfig(Part):
    """``[voice]``: spoken announcements by espeak-ng, off by default."""

    on: bool = False
    language: Language = "auto"
    speed: Annotated[int, Field(ge=80, le=400)] = 160
    "Words a minute."
    volume: Annotated[int, Field(ge=0, le=200)] = 100


class EvidenceConfig(Part):
    """``[evidence]``: retention of pictures of what the camera read.

    Attributes:
        days: older pictures are deleted; 0 keeps them until ``limit_mb`` is reached.
    """

    limit_mb: Annotated[int, Field(ge=1, le=1_000_000)] = 500
    days: Annotated[int, Field(ge=0, le=36_500)] = 90


class JournalConfig(Part):
    """``[journal]``: a file on another medium, such as a USB stick, that keeps copies of the journal's heads."""

    witness: str | None = None


class BackupConfig(Part):
    """``[backup]``: backups on a second medium.

    Attributes:
        folder: on a USB stick, a second disk or a network share. It must exist: it is never created.
        every_hours: interval of automatic backups; 0: none.
        keep: number of backups to keep there; the oldest are deleted.
    """

    folder: str | None = None
    every_hours: Annotated[int, Field(ge=0, le=8760)] = 24
    keep: Annotated[int, Field(ge=1, le=1000)] = 14


class NightConfig(Part):
    """``[[night]]``: a game of the casino night, in playing order.

    Attributes:
        at: start time, HH:MM.
        minutes: alternatively, the start in minutes after the previous game's.
        options: overrides of the options in the game's own table.
    """

    game: str
    at: Annotated[str, Field(pattern=r"^([01]?[0-9]|2[0-3]):[0-5][0-9]$")] | None = None
    minutes: Annotated[int, Field(ge=1, le=1439)] | None = None
    options: dict[str, Annotated[bool | int | str, Field(union_mode="left_to_right")]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _either(self) -> Self:
        if (self.at is None) == (self.minutes is None):
            raise ValueError('this should have either at, such as "21:30", or minutes after the game before it')
        return self

    @property
    def planned(self) -> Planned:
        """The game and its time."""
        if self.at is None:
            return Planned(self.game, minutes=self.minutes or 0)
        hour, minute = self.at.split(":")
        return Planned(self.game, time(int(hour), int(minute)))


class PlayConfig(Part):
    """``[play]``: responsible play.

    Attributes:
        remind_minutes: interval at which a phone tells its player how long they have been playing; 0: never.
        most_brought: maximum of a player's buy-ins less cash-outs in an evening; 0: no limit.
        notice: the footer of the phone and room pages; default: a note that this is play money.
    """

    remind_minutes: Annotated[int, Field(ge=0, le=1440)] = 60
    most_brought: Annotated[int, Field(ge=0, le=_MOST)] = 0
    notice: (
        Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$")] | None
    ) = None


class CoinsConfig(Part):
    """``[coins]``: the chip values, such as 1, 5, 10, or 1, 5, 25 in the older edition."""

    chips: list[Annotated[int, Field(ge=1, le=10**9)]] = list(CHIPS)

    @field_validator("chips")
    @classmethod
    def _rising_from_one(cls, chips: list[int]) -> list[int]:
        if not chips or chips[0] != 1 or any(a >= b for a, b in pairwise(chips)):
            raise ValueError("this should be rising values that begin with 1, like [1, 5, 10]")
        return chips


class Config(Part):
    """The whole file except the games' own tables; missing keys have defaults."""

    table: TableConfig = TableConfig()
    coins: CoinsConfig = CoinsConfig()
    players: list[PlayerConfig] = Field(default_factory=list)
    night: list[NightConfig] = Field(default_factory=list)
    play: PlayConfig = PlayConfig()
    camera: CameraConfig = CameraConfig()
    web: WebConfig = WebConfig()
    voice: VoiceConfig = VoiceConfig()
    evidence: EvidenceConfig = EvidenceConfig()
    journal: JournalConfig = JournalConfig()
    backup: BackupConfig = BackupConfig()
    panel: PanelConfig = PanelConfig()
    die: DieConfig = DieConfig()
    mqtt: MqttConfig = MqttConfig()
    webhooks: list[WebhookConfig] = Field(default_factory=list)
    alarms: AlarmsConfig = AlarmsConfig()

    @property
    def plan(self) -> tuple[Planned, ...]:
        """The games of the casino night."""
        return tuple(one.planned for one in self.night)

    @property
    def settings(self) -> TableSettings:
        """The settings that the running table uses."""
        table, play = self.table, self.play
        return TableSettings(
            tuple(self.coins.chips), table.turn_seconds, table.chances, table.practice, table.wait_for_payments,
            play.remind_minutes, play.most_brought, play.notice,
        )  # fmt: skip

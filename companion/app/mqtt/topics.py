"""The table's topics, all under one prefix, so that a broker's access list needs only one line per table."""

from __future__ import annotations

from dataclasses import dataclass

from companion.config.integrations import MqttConfig

ONLINE, OFFLINE = b"online", b"offline"


@dataclass(frozen=True, slots=True)
class Topics:
    """A table's topic names.

    >>> Topics("companion/table-1").of("state"), Topics("companion/table-1").status
    ('companion/table-1/state', 'companion/table-1/status')
    """

    root: str

    @classmethod
    def from_config(cls, config: MqttConfig) -> Topics:
        """Return the topics of a configured table."""
        return cls(f"{config.topic}/{config.table}")

    def of(self, part: str) -> str:
        """Return the topic of a part of the snapshot."""
        return f"{self.root}/{part}"

    @property
    def status(self) -> str:
        """``online`` or ``offline``; the latter is the connection's will."""
        return self.of("status")

    @property
    def event(self) -> str:
        """Events; not retained."""
        return self.of("event")

    @property
    def command(self) -> str:
        """The commands ``hold`` and ``release``, if accepted."""
        return self.of("command")

    @property
    def doctor(self) -> str:
        """Test messages of ``companion doctor``."""
        return self.of("doctor")

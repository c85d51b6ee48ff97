"""The table's topics: all below one level of its own, so that a broker's access list needs one line for each table."""

from __future__ import annotations

from dataclasses import dataclass

from companion.config.integrations import MqttConfig

ONLINE, OFFLINE = b"online", b"offline"


@dataclass(frozen=True, slots=True)
class Topics:
    """Names of a table's topics.

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
        """``online`` or ``offline``; the broker says the latter itself when the table is gone."""
        return self.of("status")

    @property
    def event(self) -> str:
        """What happens; not retained."""
        return self.of("event")

    @property
    def command(self) -> str:
        """Where ``hold`` and ``release`` are taken, if they are."""
        return self.of("command")

    @property
    def doctor(self) -> str:
        """Where ``companion doctor`` tries whether it may publish."""
        return self.of("doctor")

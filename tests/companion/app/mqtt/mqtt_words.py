"""A table that publishes to a broker, as ``companion run`` wires it."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from companion.app.integrations.link import LinkState
from companion.app.integrations.wiring import Links, start_integrations
from companion.app.mqtt.broker import PASSWORD
from companion.config.integrations import AlarmsConfig, MqttConfig, WebhookConfig
from companion.config.tables import Config
from companion.kernel.header import Header
from companion.service.table_service import TableService
from companion.testing import INSTALLED, new_header

ROCHE = new_header("roche", (("Ann", 100_000), ("Bo", 100)))
ROOT = "companion/table-1"

__all__ = ["PASSWORD", "ROCHE", "ROOT", "Running", "config_for", "running"]


def config_for(port: int, **more: Any) -> MqttConfig:
    return MqttConfig(**{"host": "127.0.0.1", "port": port, "tls": False, **more})


class Running:
    """A table and its links' states."""

    def __init__(self, service: TableService, links: Links) -> None:
        self.service, self._links = service, links

    @property
    def link(self) -> LinkState:
        return self._links()[0]

    def do(self, **record: Any) -> None:
        self.service.submit(record, source="dealer")

    def bet(self, coins: int = 1) -> None:
        self.do(do="bet", player="Ann", on="cut/6", amount=coins)

    def sources(self) -> list[tuple[str, str]]:
        """Return each command of the journal with its source."""
        return [(one["do"], one["source"]) for one in self.service.events(0, 1000) if one["kind"] == "command"]


@contextmanager
def running(
    folder: Path,
    mqtt: MqttConfig | None = None,
    webhooks: tuple[WebhookConfig, ...] = (),
    *,
    header: Header = ROCHE,
    alarms: AlarmsConfig | None = None,
) -> Iterator[Running]:
    config = Config(mqtt=mqtt or MqttConfig(), webhooks=list(webhooks), alarms=alarms or AlarmsConfig())
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        service = stack.enter_context(TableService.open(folder / "journal.sqlite3", header, INSTALLED))
        yield Running(service, start_integrations(stack, config, folder, service, None))

"""Starts the configured integrations. None of them can keep the table from opening."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion.app.integrations.broadcaster import Broadcaster, Listener, Sensors
from companion.app.integrations.link import LinkState
from companion.app.operations.release import installed_version
from companion.app.webhooks.delivery import host_of
from companion.app.webhooks.sender import Webhook
from companion.app.webhooks.signing import SecretUnusable, read_secret
from companion.config.integrations import MqttConfig
from companion.config.tables import Config
from companion.kernel.messages import message
from companion.service.table_service import TableService

if TYPE_CHECKING:
    from companion.app.floor.house_broker import HouseBroker
    from companion.app.floor.membership import Membership
    from companion.app.mqtt.publisher import Publisher
    from hardware.panel.self_test import SelfTest

NOT_INSTALLED: Final = message(
    "The program for MQTT is not installed. Run: {command}", command=f"{sys.executable} -m pip install paho-mqtt"
)

OLDEST_PAHO: Final = 2

log = logging.getLogger("companion.run")

Links = Callable[[], list[LinkState]]


def has_mqtt() -> bool:
    """Return whether the ``mqtt`` extra is installed in a sufficient version, without importing it."""
    try:
        return int(metadata.version("paho-mqtt").partition(".")[0]) >= OLDEST_PAHO
    except (metadata.PackageNotFoundError, ValueError):
        return False


def start_integrations(
    stack: ExitStack,
    config: Config,
    data_dir: Path,
    service: TableService,
    panel: SelfTest | None,
    watchers: Sequence[Listener] = (),
    member: Membership | None = None,
) -> Links:
    """Start the MQTT publisher and webhooks, if configured; the stack closes them.

    Args:
        panel: None if there is none.
        watchers: further listeners, such as the house's floor.
        member: membership of a floor, to whose broker to publish, too.

    Returns:
        A function that returns the state of each link.
    """
    language = "en" if config.web.language == "auto" else config.web.language
    tools = Sensors(panel, data_dir)
    broadcaster = Broadcaster(service, config.mqtt.table, config.alarms, tools, language)
    linked: list[Publisher | Webhook | HouseBroker] = []
    unusable: list[LinkState] = []
    if config.mqtt.host is not None and not has_mqtt():
        unusable.append(_unusable(LinkState("mqtt", config.mqtt.host), NOT_INSTALLED))
    elif config.mqtt.host is not None:
        linked.append(_publisher(stack, config.mqtt, service, broadcaster))
    if member is not None and has_mqtt():
        linked.append(_house_broker(stack, member, service, broadcaster))
    for one in _webhooks(config):
        if isinstance(one, LinkState):
            unusable.append(one)
        else:
            linked.append(stack.enter_context(one).start())
    listeners = (*linked, *watchers)
    for listener in listeners:
        broadcaster.add(listener)
    if listeners:
        stack.enter_context(broadcaster).start()
    return lambda: [*(one.link for one in linked), *unusable]


def _publisher(stack: ExitStack, config: MqttConfig, service: TableService, broadcaster: Broadcaster) -> Publisher:
    from companion.app.mqtt.publisher import Publisher

    take = _commands(stack, service, broadcaster) if config.commands else None
    return stack.enter_context(Publisher(config, installed_version(), take)).start()


def _house_broker(stack: ExitStack, member: Membership, service: TableService, broadcaster: Broadcaster) -> HouseBroker:
    from companion.app.floor.house_broker import HouseBroker
    from companion.app.mqtt.publisher import Publisher

    take = _commands(stack, service, broadcaster)
    made = HouseBroker(member, lambda config: Publisher(config, installed_version(), take))
    return stack.enter_context(made).start()


def _commands(stack: ExitStack, service: TableService, broadcaster: Broadcaster) -> Callable[[bytes], None]:
    """Start the executor of hold and release, and return its callback."""
    from companion.app.mqtt.commands import Commands

    def refused(command: str, why: str) -> None:
        broadcaster.report("command.refused", {"command": command, "text": broadcaster.say(why)})

    return stack.enter_context(Commands(service, refused)).start().take


def _webhooks(config: Config) -> Iterator[Webhook | LinkState]:
    for hook in config.webhooks:
        try:
            yield Webhook(hook, read_secret(hook.secret_file))
        except SecretUnusable as error:
            yield _unusable(LinkState("webhook", host_of(hook.url)), error.message)


def _unusable(link: LinkState, why: str) -> LinkState:
    log.error("%s", why)
    return link.now("down", why)

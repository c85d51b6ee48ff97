"""``companion floor check`` of the broker: it runs, with the floor's certificate, and accepts the house's login."""

import re
from collections.abc import Iterator
from pathlib import Path

from companion.app.integrations.wiring import NOT_INSTALLED, has_mqtt
from companion.app.mqtt.broker import BrokerTrouble
from companion.app.mqtt.check import check_broker
from companion.app.pit.house_publisher import house_config
from companion.floor.broker.access import HOUSE, TOPIC
from companion.floor.broker.mosquitto import BrokerUnusable, find_mosquitto
from companion.floor.broker.service import OWN_PASSWORD, Login


def broker_problems(folder: Path) -> Iterator[str]:
    """Yield each problem with the floor's broker, with its remedy; nothing if it was started without one.

    Args:
        folder: the broker's.
    """
    try:
        found = re.search(r"^listener (\d+)(?: (\S+))?$", (folder / "mosquitto.conf").read_text("ascii"), re.MULTILINE)
    except FileNotFoundError:
        if folder.exists():  # configured, but it has never started
            yield from _not_installed()
        return
    except OSError as error:
        yield f"The broker's settings cannot be read: {error}."
        return
    if found is None:
        yield f"{folder / 'mosquitto.conf'} names no port. Start the floor again, which writes it."
        return
    if not has_mqtt():
        yield str(NOT_INSTALLED)
        return
    login = Login(int(found[1]), HOUSE, "", TOPIC)
    authority = folder.parent / "https" / "authority.pem"
    try:
        check_broker(house_config(login, found[2] or "127.0.0.1", folder / OWN_PASSWORD, authority))
    except BrokerTrouble as error:
        yield f"The broker: {error.message} Its log is {folder / 'broker.log'}."
        yield from _not_installed()


def _not_installed() -> Iterator[str]:
    try:
        find_mosquitto()
    except BrokerUnusable as error:
        yield error.message

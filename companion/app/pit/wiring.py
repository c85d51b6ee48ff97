"""Adds broker, alarms and phone notifications to a starting floor."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from companion.app.integrations.wiring import has_mqtt
from companion.app.pit.phones import Phones
from companion.floor.alarms import book
from companion.floor.alarms.causes import Kind
from companion.floor.alarms.watch import LOOK_EVERY_S, AlarmWatch, Teller
from companion.floor.broker.door import OWN_PASSWORD
from companion.floor.broker.mosquitto import Mosquitto
from companion.floor.cluster import Cluster
from companion.floor.house import House
from companion.floor.machine.keeper import Keeper
from companion.floor.reports.assistant import Assistant
from companion.locale import Translator
from web_ui.https.authority import FOLDER
from web_ui.push.subscriptions import Subscriptions

BROKER_FOLDER: Final = "broker"


def tell_the_pit(
    stack: ExitStack, house: House, cluster: Cluster, folder: Path, host: str, broker_port: int | None
) -> Phones:
    """Start the broker, the alarms and phone notifications; return the latter.

    Args:
        broker_port: 0 chooses a free one; None: no broker.
    """
    phones = stack.enter_context(
        Phones(Subscriptions(folder), partial(_chosen, house), translate=Translator(house.prices.games.packages))
    )
    tellers: list[Teller] = [phones]
    if broker_port is not None:
        place = folder / BROKER_FOLDER
        house.broker.open(Mosquitto(place, folder / FOLDER / "table.pem", host, broker_port))
        login = house.broker.own
        if login is not None and has_mqtt():
            from companion.app.pit.house_publisher import HousePublisher, house_config

            near = "127.0.0.1" if host in ("", "0.0.0.0", "::") else host
            config = house_config(login, near, place / OWN_PASSWORD, folder / FOLDER / "authority.pem")
            tellers.append(stack.enter_context(HousePublisher(config)))
    assistant = stack.enter_context(Assistant(cluster.dsn()))
    stack.enter_context(Keeper(cluster, house.broker, assistant))
    stack.enter_context(AlarmWatch(house.connection, partial(house.board.lines, LOOK_EVERY_S), tellers).start())
    return phones


def _chosen(house: House) -> dict[str, frozenset[Kind]]:
    with house.connection() as connection:
        return book.choices(connection)

"""Adds broker, alarms and phone notifications to a starting floor."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from companion.app.integrations.wiring import has_mqtt
from companion.app.pit.phones import PhoneNotifier
from companion.floor.alarms import store
from companion.floor.alarms.monitor import LOOK_EVERY_S, AlarmListener, AlarmMonitor
from companion.floor.alarms.rules import Kind
from companion.floor.broker.mosquitto import Mosquitto
from companion.floor.broker.service import OWN_PASSWORD
from companion.floor.cluster import Cluster
from companion.floor.house import House
from companion.floor.reports.results_process import ResultsProcess
from companion.floor.runtime.supervisor import Supervisor
from companion.locale import Translator
from web_ui.https.authority import FOLDER
from web_ui.push.subscriptions import Subscriptions

BROKER_FOLDER: Final = "broker"


def start_pit_notifications(
    stack: ExitStack, house: House, cluster: Cluster, folder: Path, host: str, broker_port: int | None
) -> PhoneNotifier:
    """Start the broker, the alarms and phone notifications; return the latter.

    Args:
        broker_port: 0 chooses a free one; None: no broker.
    """
    phones = stack.enter_context(
        PhoneNotifier(Subscriptions(folder), partial(_chosen, house), translate=Translator(house.prices.games.packages))
    )
    listeners: list[AlarmListener] = [phones]
    if broker_port is not None:
        place = folder / BROKER_FOLDER
        house.broker.open(Mosquitto(place, folder / FOLDER / "table.pem", host, broker_port))
        login = house.broker.own
        if login is not None and has_mqtt():
            from companion.app.pit.house_publisher import HousePublisher, house_config

            near = "127.0.0.1" if host in ("", "0.0.0.0", "::") else host
            config = house_config(login, near, place / OWN_PASSWORD, folder / FOLDER / "authority.pem")
            listeners.append(stack.enter_context(HousePublisher(config)))
    results = stack.enter_context(ResultsProcess(cluster.dsn()))
    stack.enter_context(Supervisor(cluster, house.broker, results))
    stack.enter_context(AlarmMonitor(house.connection, partial(house.board.lines, LOOK_EVERY_S), listeners).start())
    return phones


def _chosen(house: House) -> dict[str, frozenset[Kind]]:
    with house.connection() as connection:
        return store.choices(connection)

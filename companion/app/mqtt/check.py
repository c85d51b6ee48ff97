"""The broker check of ``companion doctor``: connection, TLS, login, and permission to publish."""

import time
from typing import Final

from companion.app.mqtt.broker import CONNECT_S, Broker, BrokerTrouble
from companion.app.mqtt.outbox import Message
from companion.app.mqtt.publisher import client_id
from companion.app.mqtt.topics import Topics
from companion.config.integrations import MqttConfig

PROBE: Final = b"companion doctor"


def check_broker(config: MqttConfig) -> str:
    """Connect like the table, under another client ID, and publish to an unused topic; return the findings.

    Raises:
        BrokerTrouble: this failed, and would fail for the table too.
    """
    answers: dict[int, str | None] = {}
    broker = Broker(config, f"{client_id(config)}-doctor", on_answer=answers.__setitem__)
    topic = Topics.from_config(config).doctor
    try:
        broker.open()
        number = broker.publish(Message(topic, PROBE, is_retained=False))
        ends = time.monotonic() + CONNECT_S
        while number not in answers and time.monotonic() < ends:
            broker.serve(0.2)
    finally:
        broker.close()
    if (refusal := answers.get(number, "no answer")) is not None:
        raise BrokerTrouble(
            f"The broker does not accept messages to {topic}: {refusal}. Give {config.username or 'everybody'} the "
            "right to write there."
        )
    return f"{config.host}:{config.broker_port}, {'TLS' if config.tls else 'without TLS'}, accepts the table's messages"

"""``companion doctor``'s look at the broker: reachable, TLS, login, and whether the table may publish."""

from __future__ import annotations

import time
from typing import Final

from companion.app.mqtt.broker import CONNECT_S, Broker, BrokerTrouble
from companion.app.mqtt.outbox import Message
from companion.app.mqtt.publisher import client_id
from companion.app.mqtt.topics import Topics
from companion.config.outside import MqttConfig
from companion.kernel.messages import message

PROBE: Final = b"companion doctor"


def check_broker(config: MqttConfig) -> str:
    """Connect as the table would, under another name, and publish where nobody listens; return what was found.

    Raises:
        BrokerTrouble: the table could not do it either.
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
    refusal = answers.get(number, message("it does not answer"))
    if refusal is not None:
        raise BrokerTrouble(
            message(
                "The broker does not take what is sent to {topic}: {why}. Give {user} the right to write there.",
                topic=topic,
                why=refusal,
                user=config.username or message("everybody"),
            )
        )
    how = "TLS" if config.tls else message("without TLS")
    return message(
        "{host}:{port}, {how}: it takes what the table sends", host=str(config.host), port=config.broker_port, how=how
    )

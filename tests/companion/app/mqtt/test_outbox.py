"""The send queue: only the newest payload of each topic, a limited number of events, and no other loss."""

from itertools import count

from companion.app.mqtt.outbox import UNDER_WAY, Message, Outbox


class Broker:
    """Records sent messages, and acknowledges them on request."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox, self._numbers = outbox, count(1)
        self.sent: dict[int, Message] = {}

    def publish(self, message: Message) -> int:
        number = next(self._numbers)
        self.sent[number] = message
        return number

    def turn(self, most: int = UNDER_WAY) -> list[bytes]:
        """Send what is due and return it."""
        before = len(self.sent)
        self._outbox.send(self.publish, most)
        return [message.payload for message in list(self.sent.values())[before:]]

    def acknowledge(self) -> None:
        for number in tuple(self.sent):
            self._outbox.acknowledged(number)


def test_a_newer_state_replaces_an_older_one_that_was_not_sent() -> None:
    outbox = Outbox()
    broker = Broker(outbox)
    for payload in (b"1", b"2", b"3"):
        outbox.keep("state", payload)
    assert broker.turn() == [b"3"]


def test_no_two_states_of_a_topic_are_under_way() -> None:
    """Otherwise a slow broker would make the queue grow, and could end up with the older payload."""
    outbox = Outbox()
    broker = Broker(outbox)
    outbox.keep("state", b"1")
    assert broker.turn() == [b"1"]
    for number in range(2, 1000):
        outbox.keep("state", str(number).encode())
        assert broker.turn() == []
    broker.acknowledge()
    assert broker.turn() == [b"999"]
    broker.acknowledge()
    assert broker.turn() == []
    assert outbox.is_empty


def test_what_the_broker_has_is_not_sent_again() -> None:
    outbox = Outbox()
    broker = Broker(outbox)
    assert outbox.keep("state", b"1")
    broker.turn()
    broker.acknowledge()
    assert not outbox.keep("state", b"1")
    assert broker.turn() == []


def test_events_wait_in_order_and_the_oldest_of_too_many_are_dropped_and_counted() -> None:
    outbox = Outbox(events_kept=20)
    broker = Broker(outbox)
    for number in range(50):
        outbox.add("event", str(number).encode())
    assert outbox.lost == 30
    came: list[bytes] = []
    while not outbox.is_empty:
        came += (turn := broker.turn())
        assert len(turn) <= UNDER_WAY
        broker.acknowledge()
    assert came == [str(number).encode() for number in range(30, 50)]


def test_after_a_lost_connection_everything_is_sent_again_and_events_in_their_order() -> None:
    outbox = Outbox()
    broker = Broker(outbox)
    outbox.keep("state", b"s1")
    broker.turn()
    broker.acknowledge()
    for number in range(3):
        outbox.add("event", str(number).encode())
    broker.turn()
    outbox.keep("bets", b"b1")
    outbox.add("event", b"3")
    outbox.disconnected()
    assert broker.turn() == [b"s1", b"b1", b"0", b"1", b"2", b"3"]
    broker.acknowledge()
    assert outbox.is_empty


def test_a_broker_that_takes_few_at_a_time_gets_no_more() -> None:
    outbox = Outbox()
    broker = Broker(outbox)
    for number in range(4):
        outbox.keep(f"topic-{number}", b"kept")
        outbox.add("event", str(number).encode())
    came = []
    while not outbox.is_empty:
        came.append(broker.turn(most=3))
        assert broker.turn(most=3) == []
        broker.acknowledge()
    assert came == [[b"kept"] * 3, [b"kept", b"0", b"1"], [b"2", b"3"]]


def test_an_answer_from_the_connection_before_counts_for_nothing() -> None:
    outbox = Outbox()
    broker = Broker(outbox)
    outbox.keep("state", b"1")
    broker.turn()
    outbox.disconnected()
    broker.acknowledge()
    assert not outbox.is_empty
    assert broker.turn() == [b"1"]


def test_a_connection_that_comes_and_goes_lets_nothing_grow() -> None:
    outbox = Outbox(events_kept=10)
    broker = Broker(outbox)
    for number in range(200):
        outbox.add("event", str(number).encode())
        outbox.keep("state", str(number).encode())
        broker.turn()
        outbox.disconnected()
    came = broker.turn()
    broker.acknowledge()
    came += broker.turn()
    assert came[0] == b"199"
    assert came[1:] == [str(number).encode() for number in range(190, 200)]
    assert outbox.lost == 190

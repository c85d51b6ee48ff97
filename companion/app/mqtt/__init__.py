"""The table's live snapshot on an MQTT broker: retained state, health, events, Home Assistant, `hold` and `release`.

Only `companion.app.mqtt.broker` knows paho-mqtt, which the extra ``mqtt`` installs. docs/mqtt.md has the topics.
"""

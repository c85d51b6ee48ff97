"""MQTT: retained state and health, events, Home Assistant discovery, and the commands `hold` and `release`.

Only `companion.app.mqtt.broker` imports paho-mqtt, which the extra ``mqtt`` installs. docs/mqtt.md lists the topics.
"""

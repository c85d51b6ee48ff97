"""Integrations: the table's public state, alarms and events for MQTT and webhooks.

`Broadcaster` polls the table in its own thread and passes everything to its listeners: the MQTT broker
(`companion.app.mqtt`) and webhooks (`companion.app.webhooks`). The table never waits for any of them.
"""

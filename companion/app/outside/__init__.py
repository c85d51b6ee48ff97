"""What others than the pages are told of the table: its public picture, alarms, and what happens.

`Follower` looks at the table in a thread of its own and hands everything to its listeners: the MQTT broker
(`companion.app.mqtt`) and webhooks (`companion.app.webhooks`). Nothing here can be waited for by the table.
"""

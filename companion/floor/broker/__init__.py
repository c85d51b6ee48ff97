"""The house's MQTT broker: a private mosquitto, its logins, and its access control list."""

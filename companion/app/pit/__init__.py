"""Notifications of the floor: Web Push to staff phones, and the house's MQTT broker."""

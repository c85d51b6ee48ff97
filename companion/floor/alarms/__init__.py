"""Alarms of the pit: alert rules over the board, subscriptions, and exactly-once notification."""

"""Outgoing webhooks: the table's events, signed and sent to URLs that the owner configures."""

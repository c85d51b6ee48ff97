"""Outgoing webhooks: what happens at the table, sent to addresses of the owner's choice, signed."""

"""Commands for a floor of many tables: its server, and joining it."""

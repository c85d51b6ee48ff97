"""Ingest of the tables' journals: verifies each chain, appends it once and countersigns heads, in its own process."""

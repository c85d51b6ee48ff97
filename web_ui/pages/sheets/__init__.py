"""The print page, and the parsing of print requests."""

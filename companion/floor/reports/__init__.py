"""Game results per journal entry with their expected value, and reports built on them."""

"""Numbered migrations, each applied once and in order; `companion.floor.migrations` runs them."""
